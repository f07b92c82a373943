//! Programs in Python with the real type checkers: what is refused, what is a warning,
//! and what must pass.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::programs::{Guest, bench, guests, python_version};
use crate::support::{Bench, Equipment, Served, skip, text};

const CHECKERS: [&str; 2] = ["ty", "pyright"];

/// The file that names a checker, and the folder of the program that runs it.
fn place(equipment: &Equipment, name: &str) -> (Value, String) {
    let entry = equipment.server(name, &[]);
    let script = entry["args"].get(0).unwrap_or(&entry["command"]).clone();
    let command = std::path::Path::new(entry["command"].as_str().unwrap()).to_owned();
    (script, command.parent().unwrap().display().to_string())
}

/// A gateway with the demo's servers and this checker, if Python is installed.
fn served(bench: &Bench, equipment: &Equipment, checker: &str, mode: &str) -> Served {
    let server = |name: &str| json!({"command": env!("CARGO_BIN_EXE_tidegate"), "args": ["demo-server", name]});
    let servers =
        json!({"crm": server("crm"), "drive": server("drive"), "tracker": server("tracker")});
    let (script, folder) = place(equipment, checker);
    let checks = json!({"typeCheck": mode, "pythonChecker": script});
    let text = json!({"mcpServers": servers, "mcpCodeExecution": checks}).to_string();
    bench.write(".mcp.json", &text);
    let path = std::env::var("PATH").unwrap_or_default();
    let mut served =
        Served::start(bench.tidegate().env("PATH", format!("{path}:{folder}")).arg("serve"));
    // Creates the snapshots. A checker that does not start in time on a busy machine is
    // retried.
    for _ in 0..3 {
        let answer = run(&mut served, "servers.crm.get_lead(5)");
        if answer["error"]["code"] == "program.type"
            || !answer["warnings"].is_null()
            || mode == "off"
        {
            break;
        }
    }
    served
}

fn run(served: &mut Served, source: &str) -> Value {
    served.execute_with(json!({"code": source, "language": "python"}))
}

fn has_python(served: &mut Served, test: &str) -> bool {
    let answer = run(served, "1");
    if answer["error"]["code"] == "sandbox.no_engine" {
        skip(test, "there is no Python on PATH");
        return false;
    }
    true
}

/// Each mistake alone, after a line that would have an effect if it ran.
fn refused(served: &mut Served, call: &str) -> (String, String, Value) {
    let answer = run(served, &format!("from servers import crm\nprint('begun')\n{call}\n"));
    let error = &answer["error"];
    assert_eq!(error["code"], "program.type", "{call}: {answer}");
    assert_eq!(answer["logs"], Value::Null, "{call}");
    let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
    (text("message"), text("hint"), json!([error["line"], error["column"]]))
}

#[test]
fn wrong_arguments_are_refused_before_anything_has_run() {
    let test = "wrong_arguments_are_refused_before_anything_has_run";
    let Some(equipment) = Equipment::get(test, &["ty"]) else { return };
    let bench = Bench::new();
    let mut served = served(&bench, &equipment, "ty", "auto");
    if !has_python(&mut served, test) {
        return;
    }
    for (call, place, message) in [
        (
            "crm.list_leads(limits=5)",
            json!([3, 16]),
            "Argument `limits` does not match any known parameter of function `list_leads`; \
             did you mean `limit`?",
        ),
        (
            "crm.get_lead()",
            json!([3, 1]),
            "No argument provided for required parameter `id` of function `get_lead`",
        ),
        (
            "x = await crm.get_lead(5)",
            json!([3, 24]),
            "Argument to function `get_lead` is incorrect: Expected `str`, found `Literal[5]`",
        ),
        (
            "crm.list_leads(status='wonn')",
            json!([3, 16]),
            "Argument to function `list_leads` is incorrect: Expected `Literal[\"new\", \
             \"contacted\", \"qualified\", \"lost\", \"won\"]`, found `Literal[\"wonn\"]`",
        ),
        (
            "crm.get_lead({'idd': 'x'})",
            json!([3, 14]),
            "Missing required key `id`; line 3: Unknown key `idd`; did you mean `id`?",
        ),
        (
            "servers.crm.getLead(id=5)",
            json!([3, 21]),
            "Argument to function `get_lead` is incorrect: Expected `str`, found `Literal[5]`",
        ),
        (
            "import asyncio; await asyncio.gather(*[crm.get_lead(name=n) for n in 'ab'])",
            json!([3, 40]),
            "No argument provided for required parameter `id` of function `get_lead`",
        ),
    ] {
        let (told, hint, at) = refused(&mut served, call);
        assert_eq!((told.as_str(), at), (message, place), "{call}");
        assert!(hint.starts_with("no part of the program has run"), "{hint}");
    }
    let (_, hint, _) = refused(&mut served, "crm.get_lead()");
    assert_eq!(
        hint,
        "no part of the program has run; correct it and send it again:\n\
         def get_lead(*,\n\
         id: str, # Id of the lead, such as `L-0042`. @pattern ^L-[0-9]{4}$\n\
         )"
    );
}

/// The findings of both checkers, whatever their wording.
#[test]
fn both_checkers_refuse_and_warn_about_the_same() {
    let test = "both_checkers_refuse_and_warn_about_the_same";
    let Some(equipment) = Equipment::get(test, &CHECKERS) else { return };
    for checker in CHECKERS {
        let bench = Bench::new();
        let mut served = served(&bench, &equipment, checker, "auto");
        if !has_python(&mut served, test) {
            return;
        }
        for call in [
            "crm.list_leads(limits=5)",
            "crm.get_lead()",
            "crm.get_lead(5)",
            "crm.list_leads(status='wonn')",
            "crm.get_lead({'idd': 'x'})",
            "crm.get_lead({'id': 5})",
            "crm.list_leads(10, 20)",
        ] {
            refused(&mut served, call);
        }
        let answer = run(
            &mut served,
            "lead = servers.crm.get_lead('L-0001')\nprint(getattr(lead, 'x', 1))\nif not lead.id:\n    print(lead.compony, lead['compony'])\n7",
        );
        assert_eq!(answer["output"], 7, "{checker}: {answer}");
        let warnings = answer["warnings"].as_array().unwrap();
        assert_eq!(warnings.len(), 2, "{checker}: {answer}");
        for warning in warnings {
            let warning = warning.as_str().unwrap();
            assert!(warning.starts_with("line 4: ") && warning.contains("compony"), "{warning}");
        }
    }
}

#[test]
fn unknown_keys_of_answers_are_warnings_with_the_nearest_name() {
    let test = "unknown_keys_of_answers_are_warnings_with_the_nearest_name";
    let Some(equipment) = Equipment::get(test, &["ty"]) else { return };
    let bench = Bench::new();
    let mut served = served(&bench, &equipment, "ty", "auto");
    if !has_python(&mut served, test) {
        return;
    }
    let source = "page = await servers.crm.list_leads(limit=1)\nif not page.leads:\n    print(page.leeds)\n\
                  for lead in page.leads[:0]:\n    print(lead['compony'], lead.value_cents.upper())\n7";
    let answer = run(&mut served, source);
    assert_eq!(
        (&answer["output"], &answer["warnings"]),
        (
            &json!(7),
            &json!([
                "line 3: Object of type `ListLeadsResult` has no attribute `leeds`; did you mean `leads`?",
                "line 5: Object of type `Leads` has no key `compony`; did you mean `company`?",
                "line 5: Object of type `int` has no attribute `upper`"
            ])
        )
    );
}

/// Programs that run well although a checker complains about them, one by one.
#[test]
fn what_runs_well_is_not_told_even_in_strict_mode() {
    let test = "what_runs_well_is_not_told_even_in_strict_mode";
    let Some(equipment) = Equipment::get(test, &CHECKERS) else { return };
    for checker in CHECKERS {
        let bench = Bench::new();
        let mut served = served(&bench, &equipment, checker, "strict");
        if !has_python(&mut served, test) {
            return;
        }
        for source in [
            "lead = crm.get_lead('L-0001')\nlead['score'] = 5\nlead['score']",
            "for lead in crm.list_leads(limit=3).leads:\n    lead.score = 5\n    lead['score']\n5",
            "lead = crm.get_lead('L-0001')\nlead['nothing'] if 'nothing' in lead else 5",
            "lead = crm.get_lead('L-0001')\ntry:\n    x = lead['nothing']\nexcept KeyError:\n    x = 5\nx",
            "def names(leads: list[dict]) -> list[str]:\n    return [each['name'] for each in leads]\nnames(crm.list_leads(limit=2).leads)\n5",
            "lead = crm.get_lead('L-0001')\n{**lead}, dict(lead), lead.items(), lead | {'a': 1}\n5",
            "arguments = {'limit': 1}\ncrm.list_leads(arguments)\ncrm.list_leads(**arguments)\n5",
            "crm.list_leads(cursor=None, status=...)\n5",
            "crm.list_leads({'limit': 1, 'cursor': None})\n5",
            "import asyncio\nasync def main():\n    a, b = await asyncio.gather(crm.get_lead('L-0001'), crm.get_lead(id='L-0002'))\n    return 5 if a.id != b.id else 6\nawait main()",
            "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor() as pool:\n    list(pool.map(crm.get_lead, ['L-0001']))\n5",
            "try:\n    crm.get_lead(ID=5)\nexcept ToolError:\n    x = 5\nx",
            "page = crm.list_leads(limit=1)\nresult = 5\nif page.leads[0].last_contact is None:\n    result = 5\nelse:\n    page.leads[0].last_contact.upper()",
            "import json\nlead = json.loads(json.dumps(crm.get_lead('L-0001')))\nlead['id'], lead.get('x')\n5",
            "get = crm.get_lead\nget('L-0001').id, get({'id': 'L-0001'}).id\n5",
            "import statistics\nint(statistics.mean(lead.value_cents for lead in crm.list_leads(limit=2).leads))\n5",
            "from collections import Counter, defaultdict\ngroups = defaultdict(list)\nfor lead in crm.list_leads(limit=2)['leads']:\n    groups[lead['status']].append(lead)\nCounter(lead.country for lead in crm.list_leads(limit=2).leads).most_common(1)\nmax(groups.values(), key=len)[0]['name']\n5",
        ] {
            let answer = run(&mut served, &format!("from servers import crm\n{source}"));
            assert_eq!(
                (&answer["output"], &answer["warnings"]),
                (&json!(5), &Value::Null),
                "{checker}\n{source}\n{answer}"
            );
        }
    }
}

#[test]
fn modes_say_what_follows() {
    let test = "modes_say_what_follows";
    let Some(equipment) = Equipment::get(test, &["ty"]) else { return };
    let wrong = "import sys\nfrom servers import crm\nif sys.argv[99:]:\n    crm.get_lead(5)\n    crm.get_lead('x').nam\n    len(5)\n7";
    for (mode, code, warnings) in [
        ("auto", json!("program.type"), 0),
        ("warn", Value::Null, 3),
        ("strict", json!("program.type"), 0),
        ("off", Value::Null, 0),
    ] {
        let bench = Bench::new();
        let mut served = served(&bench, &equipment, "ty", mode);
        if !has_python(&mut served, test) {
            return;
        }
        let answer = run(&mut served, wrong);
        let told = answer["warnings"].as_array().map_or(0, Vec::len);
        assert_eq!((&answer["error"]["code"], told), (&code, warnings), "{mode}: {answer}");
        // The rest of a program is checked only on request.
        let rest = run(
            &mut served,
            "import sys\nservers.crm.get_lead('L-0001')\nif sys.argv[99:]:\n    len(5)\n7",
        );
        let code = if mode == "strict" { json!("program.type") } else { Value::Null };
        assert_eq!(rest["error"]["code"], code, "{mode}: {rest}");
    }
}

/// An allowed program also passes with the type checkers enabled.
#[test]
fn allowed_python_programs_pass_the_type_checks() {
    let test = "allowed_python_programs_pass_the_type_checks";
    let Some(equipment) = Equipment::get(test, &CHECKERS) else { return };
    for checker in CHECKERS {
        let (script, folder) = place(&equipment, checker);
        let Some(bench) =
            bench(test, &format!("[privacy]\nmode = 'off'\n[checks]\npython = {script}"))
        else {
            return;
        };
        let path = std::env::var("PATH").unwrap_or_default();
        let mut served =
            Served::start(bench.tidegate().env("PATH", format!("{path}:{folder}")).arg("serve"));
        if !has_python(&mut served, test) {
            return;
        }
        run(&mut served, "[servers.hostile.echo(text=''), servers.crm.get_lead('L-0001').id]");
        let mut failures = String::new();
        for file in guests("python/allowed") {
            let guest = Guest::read(&file);
            if guest.python.is_some_and(|least| python_version(&mut served) < least) {
                continue;
            }
            let answer = served.execute_with(guest.request());
            let warned = (!answer["warnings"].is_null()).then(|| answer["warnings"].to_string());
            for problem in guest.problems(&answer).into_iter().chain(warned) {
                writeln!(failures, "{}: {problem}", file.display()).unwrap();
            }
        }
        assert!(failures.is_empty(), "{checker}\n{failures}");
    }
}

#[test]
fn the_command_line_checks_as_well() {
    let test = "the_command_line_checks_as_well";
    let Some(equipment) = Equipment::get(test, &["ty"]) else { return };
    let bench = Bench::new();
    let mut first = served(&bench, &equipment, "ty", "auto");
    if !has_python(&mut first, test) {
        return;
    }
    drop(first);
    let program = bench.write("program.py", "from servers import crm\ncrm.get_lead(5)\n");
    let output = bench.tidegate().arg("run").arg(program).output().unwrap();
    assert!(!output.status.success());
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(
        said.contains("program.type") && said.contains("Expected `str`, found `Literal[5]`"),
        "{said}"
    );
}
