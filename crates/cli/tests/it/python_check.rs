//! Programs in Python are read before they run: which errors are reported, and what is
//! allowed.

use serde_json::{Value, json};

use crate::support::{Bench, Served, skip};

fn demo() -> Bench {
    let server = |name: &str| json!({"command": env!("CARGO_BIN_EXE_tidegate"), "args": ["demo-server", name]});
    Bench::with_servers(json!({"crm": server("crm"), "drive": server("drive")}))
}

fn run(served: &mut Served, source: &str) -> Value {
    served.execute_with(json!({"code": source, "language": "python"}))
}

/// A gateway with the demo's servers, if Python is installed.
fn served(bench: &Bench, test: &str) -> Option<Served> {
    let mut served = bench.serve();
    let answer = run(&mut served, "1");
    if answer["error"]["code"] == "sandbox.no_engine" {
        skip(test, "there is no Python on PATH");
        return None;
    }
    assert_eq!(answer["output"], 1, "{answer}");
    Some(served)
}

#[test]
fn unknown_servers_and_tools_are_told_at_once_before_anything_has_run() {
    let test = "unknown_servers_and_tools_are_told_at_once_before_anything_has_run";
    let bench = demo();
    let Some(mut served) = served(&bench, test) else { return };
    let source = "from servers import crm\nprint('begun')\ncrm.list_leads()\n\
                  crm.list_laeds()\nservers.drvie.get_file()\ncall_tool('crm__get_led', {})\n";
    let answer = run(&mut served, source);
    assert_eq!(
        answer["error"],
        json!({
            "code": "call.unknown_tool",
            "message": "server `crm` has no tool `list_laeds`; line 5: there is no server `drvie`; \
                        line 6: server `crm` has no tool `get_led`",
            "line": 4,
            "column": 5,
            "hint": "line 4: did you mean `list_leads`?; line 5: did you mean `drive`?; \
                     line 6: did you mean `get_lead`?"
        })
    );
    assert_eq!((&answer["logs"], &answer["metrics"]["tool_calls"]), (&Value::Null, &json!(0)));
}

#[test]
fn every_form_that_works_is_let_through() {
    let test = "every_form_that_works_is_let_through";
    let bench = demo();
    let Some(mut served) = served(&bench, test) else { return };
    for source in [
        "from servers import crm\nlen(crm.list_leads(limit=1)['leads'])",
        "from servers import crm as c\nlen(c.list_leads(limit=1)['leads'])",
        "import servers.crm\nlen(servers.crm.list_leads(limit=1)['leads'])",
        "import servers.crm as c\nlen(c.list_leads(limit=1)['leads'])",
        "from servers.crm import list_leads as ll\nlen(ll(limit=1)['leads'])",
        "len(servers.crm.listLeads(limit=1)['leads'])",
        "len((await servers['crm'].list_leads(limit=1))['leads'])",
        "len(call_tool('crm__list_leads', {'limit': 1})['leads'])",
        "len(call_tool('crm', 'list_leads', {'limit': 1})['leads'])",
        "c = servers.crm\ndef f():\n    g = c.list_leads\n    return g(limit=1)\nlen(f()['leads'])",
        "class Fake:\n    def x(self): return 1\nservers.crm = Fake()\nservers.crm.x()",
        "try:\n    servers.nothing.x()\nexcept ToolError as e:\n    n = 1\nn",
        "n = 1\nif 'nothing' in servers:\n    n = servers.nothing.x()\nn",
        "try:\n    import pandas\nexcept ImportError:\n    pandas = 1\npandas",
        "import sys, types\nsys.modules['mine'] = types.ModuleType('mine')\nimport mine\n1",
        "```python\nimport json\njson.loads('1')\n```",
    ] {
        let answer = run(&mut served, source);
        assert_eq!(answer["output"], 1, "{source}\n{answer}");
    }
}

#[test]
fn a_module_that_is_not_there_is_told_before_anything_has_run() {
    let test = "a_module_that_is_not_there_is_told_before_anything_has_run";
    let bench = demo();
    let Some(mut served) = served(&bench, test) else { return };
    let hint = "the run suggests: only the standard library and `servers` can be imported; for `pandas` name a \
                virtual environment that has it in `python.packages`";
    let expected = json!({
        "code": "program.threw",
        "message": "the program threw: ModuleNotFoundError: No module named 'pandas'\n  | line 2: \
                    import pandas as pd",
        "line": 2,
        "column": 1,
        "hint": hint
    });
    let before = run(&mut served, "servers.crm.list_leads(limit=1)\nimport pandas as pd\n");
    assert_eq!(before["error"], expected);
    assert_eq!(before["metrics"]["tool_calls"], 0);
    // The same wording where only Python itself can detect it.
    let during = run(&mut served, "if len('x'):\n    import pandas as pd\n");
    assert_eq!(during["error"]["message"], expected["message"]);
    assert_eq!(during["error"]["hint"], expected["hint"]);
    assert_eq!(during["error"]["line"], 2);
}

#[test]
fn a_syntax_error_is_told_by_python_itself() {
    let test = "a_syntax_error_is_told_by_python_itself";
    let bench = demo();
    let Some(mut served) = served(&bench, test) else { return };
    let answer = run(&mut served, "servers.nothing.x()\ndef f(:\n    pass\n");
    assert_eq!(answer["error"]["code"], "program.syntax");
    assert_eq!(answer["error"]["line"], 2);
}

/// Sources that would crash a careless reader in the gateway: each crashes only its own
/// worker, and the gateway answers the next request.
#[test]
fn hostile_sources_do_not_reach_beyond_their_own_run() {
    let test = "hostile_sources_do_not_reach_beyond_their_own_run";
    let bench = demo();
    let Some(mut served) = served(&bench, test) else { return };
    let many = 100_000;
    let blocks: String = (0..1000).map(|level| " ".repeat(level) + "if 1:\n").collect();
    let gateway = served.pid();
    for source in [
        "(".repeat(many) + &")".repeat(many),
        "-".repeat(many) + "1",
        "not ".repeat(many) + "1",
        "lambda: ".repeat(many) + "1",
        "1 + ".repeat(many) + "1",
        "x".to_owned() + &".x".repeat(many),
        "f'{".repeat(many),
        "f'".to_owned() + &"{1}".repeat(many) + "'",
        "async ".repeat(many),
        blocks,
        "x = 1\n".repeat(2 * 1024 * 1024 / 6),
    ] {
        let answer = run(&mut served, &source);
        assert!(answer["run_id"].is_string(), "{source:.20}: {answer}");
        assert_eq!(run(&mut served, "'alive'")["output"], "alive", "{source:.20}");
    }
    assert_eq!(served.pid(), gateway);
}
