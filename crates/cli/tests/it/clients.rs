//! Real clients against the gateway: the MCP Inspector and the Python package,
//! in both protocol eras.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Bench, Equipment, Served, descendants, text, wait_until_gone};

const TOOLS: [&str; 9] = [
    "execute_code",
    "search_tools",
    "get_tool_definition",
    "call_tool",
    "save_skill",
    "load_skill",
    "list_skills",
    "sanitize_pii",
    "restore_pii",
];

/// The result of a search for an echo.
const FOUND: &str = "servers.hostile.echo [read-only]  Gives the text back\n\
    +9 more (hostile 9); narrow with `server` or more words\n";

/// The eras as the Inspector and as the Python client name them, and the version that
/// is then negotiated.
const ERAS: [(&str, &str, &str); 2] =
    [("legacy", "legacy", "2025-11-25"), ("modern", "auto", "2026-07-28")];

/// A folder with one server, `hostile`.
fn bench(equipment: &Equipment) -> Bench {
    Bench::with_servers(json!({"hostile": equipment.server("hostile", &[])}))
}

/// The Inspector's output for one method.
fn inspect(
    equipment: &Equipment,
    bench: &Bench,
    era: &str,
    serve: &[&str],
    method: &[&str],
) -> Value {
    let mut command = equipment.command("inspector");
    // Its own files (catalog, stored logins) stay in the test's folder.
    command.current_dir(bench.path()).env("HOME", bench.path());
    command.args(["--protocol-era", era, "--format", "json", "--quiet", "-e"]);
    command.arg(format!("TIDEGATE_HOME={}", bench.state_dir().display()));
    command.args(method).arg("--").arg(env!("CARGO_BIN_EXE_tidegate")).arg("serve").args(serve);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let printed = serde_json::from_slice::<Value>(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}\n{}\n{}", text(&output.stdout), text(&output.stderr))
    });
    printed["result"].clone()
}

fn inspect_call(
    equipment: &Equipment,
    bench: &Bench,
    era: &str,
    tool: &str,
    arguments: &Value,
) -> Value {
    let arguments = arguments.to_string();
    let method =
        ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", arguments.as_str()];
    inspect(equipment, bench, era, &[], &method)
}

/// The Python client's output for a list of steps, without the times.
fn python(
    equipment: &Equipment,
    bench: &Bench,
    mode: &str,
    serve: &[&str],
    steps: &Value,
) -> Vec<Value> {
    let mut command = equipment.command("python_client");
    command.current_dir(bench.path()).env("TIDEGATE_HOME", bench.state_dir());
    command.args(["--mode", mode, "--", env!("CARGO_BIN_EXE_tidegate"), "serve"]).args(serve);
    let mut client = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    client.stdin.take().unwrap().write_all(steps.to_string().as_bytes()).unwrap();
    let output = client.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let parse = |line: &str| {
        let mut outcome: Value = serde_json::from_str(line).unwrap();
        outcome.as_object_mut().unwrap().remove("ms");
        outcome
    };
    text(&output.stdout).lines().map(parse).collect()
}

fn names(tools: &Value) -> Vec<&str> {
    tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

/// The whole result of a call with one block of text and nothing else.
fn text_result(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": false})
}

/// A result without the fields that 2026-07-28 adds to every result.
fn without_era(mut result: Value) -> Value {
    if let Some(kind) = result.as_object_mut().unwrap().remove("resultType") {
        assert_eq!(kind, "complete");
    }
    result
}

/// The output of a program, after checking that the answer was sent once: as
/// one block of text, without structured content.
fn output_of(result: Value) -> Value {
    let result = without_era(result);
    let answer = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    assert_eq!(result, text_result(&answer));
    let response: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(response["success"], true, "{response}");
    response["output"].clone()
}

/// Of a tool that is not called here: the definition of a called tool shows its
/// results.
const ADD_DEFINITION: &str = "// servers.hostile\n\
     /** Adds two numbers\n\
     @readonly */\n\
     function add(input: {\n\
     a: number\n\
     b: number\n\
     }): Promise<unknown>";

/// The definition, with its cost outside of the text that the model pays for.
fn definition_result() -> Value {
    let mut result = text_result(ADD_DEFINITION);
    result["_meta"] = json!({"tidegate/tokens": 27});
    result
}

#[test]
fn the_inspector_lists_finds_describes_calls_and_runs_in_both_eras() {
    let needed = ["inspector", "hostile"];
    let Some(equipment) = Equipment::get("the inspector", &needed) else { return };
    for (era, _, _) in ERAS {
        // A new one each time: the definition of a called tool shows its results.
        let bench = bench(&equipment);
        let call = |tool: &str, arguments: Value| {
            without_era(inspect_call(&equipment, &bench, era, tool, &arguments))
        };
        let listed = inspect(&equipment, &bench, era, &[], &["--method", "tools/list"]);
        assert_eq!(names(&listed["tools"]), TOOLS);
        assert_eq!(
            call("search_tools", json!({"query": "gives the text back", "limit": 1})),
            text_result(FOUND)
        );
        assert_eq!(
            call("get_tool_definition", json!({"name": "hostile__add"})),
            definition_result()
        );
        assert_eq!(
            call("call_tool", json!({"name": "hostile__echo", "arguments": {"text": "hi"}})),
            text_result("hi")
        );
        let code = "return [await servers.hostile.add({ a: 1, b: 2 }), 'done']";
        assert_eq!(output_of(call("execute_code", json!({"code": code}))), json!(["3", "done"]));
    }
}

#[test]
fn the_inspector_finds_no_problem_in_our_schemas() {
    let Some(equipment) = Equipment::get("the inspector, strict", &["inspector"]) else { return };
    let server =
        json!({"command": env!("CARGO_BIN_EXE_tidegate"), "args": ["demo-server", "drive"]});
    let bench = Bench::with_servers(json!({"drive": server}));
    let method = ["--method", "tools/list"];
    let mut command = equipment.command("inspector");
    command.current_dir(bench.path()).env("HOME", bench.path()).args(["--strict", "-e"]);
    command.arg(format!("TIDEGATE_HOME={}", bench.state_dir().display()));
    command.args(method).args(["--", env!("CARGO_BIN_EXE_tidegate"), "serve"]);
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}

#[test]
fn the_python_client_lists_finds_describes_calls_and_runs_in_both_eras() {
    let needed = ["python_client", "hostile"];
    let Some(equipment) = Equipment::get("the python client", &needed) else { return };
    let bench = bench(&equipment);
    for (_, mode, version) in ERAS {
        let steps = json!([
            {"list": true},
            {"call": "search_tools", "arguments": {"query": "gives the text back", "limit": 1}},
            {"call": "get_tool_definition", "arguments": {"name": "hostile__add"}},
            {"call": "call_tool",
             "arguments": {"name": "hostile__echo", "arguments": {"text": "hi"}}},
            {"call": "execute_code",
             "arguments": {"code": "return await servers.hostile.echo({ text: 'ran' })"}},
            {"call": "no_such_tool"},
        ]);
        let outcomes = python(&equipment, &bench, mode, &[], &steps);
        let connected = &outcomes[0]["connected"];
        assert_eq!(
            (&connected["protocol_version"], &connected["server_info"]["name"]),
            (&json!(version), &json!("tidegate"))
        );
        assert_eq!(names(&outcomes[1]["tools"]), TOOLS);
        let result = |at: usize| without_era(outcomes[at]["result"].clone());
        let found = text_result(FOUND);
        assert_eq!(result(2), found);
        assert_eq!(result(3), definition_result());
        assert_eq!(result(4), text_result("hi"));
        assert_eq!(output_of(outcomes[5]["result"].clone()), json!("ran"));
        assert_eq!(
            outcomes[6]["error"],
            json!({
                "code": -32602,
                "message": "there is no tool `no_such_tool`; upstream tools are called with \
                            `call_tool` or in `execute_code`"
            })
        );
        // No change was announced that the client had not subscribed to.
        assert_eq!(outcomes[7], json!({"notifications": []}));
        assert_eq!(outcomes.len(), 8);
    }
}

#[test]
fn a_client_of_the_newest_era_needs_no_handshake() {
    let Some(equipment) = Equipment::get("no handshake", &["python_client"]) else { return };
    let bench = Bench::with_servers(json!({}));
    let steps = json!([{"call": "execute_code", "arguments": {"code": "return 6 * 7"}}]);
    // A pinned version makes the client skip `server/discover` too.
    let outcomes = python(&equipment, &bench, "2026-07-28", &[], &steps);
    assert_eq!(output_of(outcomes[1]["result"].clone()), json!(42));
}

#[test]
fn progress_reaches_the_client_while_a_program_makes_its_calls() {
    let needed = ["python_client", "hostile"];
    let Some(equipment) = Equipment::get("progress", &needed) else { return };
    let bench = bench(&equipment);
    for (_, mode, _) in ERAS {
        let code = "for (let i = 0; i < 3; i++) await servers.hostile.slow({ ms: 500 })";
        let steps = json!([{"call": "execute_code", "arguments": {"code": code}}]);
        let outcomes = python(&equipment, &bench, mode, &[], &steps);
        let notes = outcomes[1]["progress"].as_array().unwrap();
        // The seconds at the end of a message depend on the machine.
        let told = |note: &Value| {
            let message = note["message"].as_str().unwrap().to_owned();
            message.split(" tool calls done").next().unwrap().to_owned()
        };
        let told: Vec<String> = notes.iter().map(told).collect();
        // Each call lasts longer than the interval, so each is reported while it runs.
        for running in ["0 of 1", "1 of 2", "2 of 3"] {
            assert!(told.iter().any(|told| told == running), "{running} is missing in {told:?}");
        }
        let counts: Vec<f64> =
            notes.iter().map(|note| note["progress"].as_f64().unwrap()).collect();
        assert!(counts.is_sorted_by(|a, b| a < b), "{counts:?}");
    }
}

#[test]
fn a_cancelled_request_ends_its_run_and_the_call_under_way() {
    let needed = ["python_client", "hostile"];
    let Some(equipment) = Equipment::get("cancellation", &needed) else { return };
    let bench = bench(&equipment);
    for (_, mode, _) in ERAS {
        let count = "return (await servers.hostile.cancelLog()).ids.length";
        let up = json!({"call": "call_tool",
                        "arguments": {"name": "hostile__echo", "arguments": {"text": "up"}}});
        let steps = json!([
            up,
            {"call": "execute_code", "arguments": {"code": "await servers.hostile.never()"},
             "cancel_after_ms": 500},
            {"call": "execute_code", "arguments": {"code": count}, "timeout_ms": 5000},
            {"call": "call_tool", "arguments": {"name": "hostile__never"}, "cancel_after_ms": 300},
            {"call": "execute_code", "arguments": {"code": count}, "timeout_ms": 5000},
        ]);
        let outcomes = python(&equipment, &bench, mode, &[], &steps);
        assert_eq!(outcomes[2]["cancelled"], true);
        assert_eq!(output_of(outcomes[3]["result"].clone()), json!(1));
        assert_eq!(outcomes[4]["cancelled"], true);
        assert_eq!(output_of(outcomes[5]["result"].clone()), json!(2));
    }
}

#[test]
fn a_cancelled_run_leaves_its_worker_dead() {
    let Some(equipment) = Equipment::get("the cancelled worker", &["hostile"]) else { return };
    let bench = bench(&equipment);
    let mut served = bench.serve();
    let id = begin_never(&mut served);
    let busy = workers(served.pid());
    served.send(&json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": id}
    }));
    assert!(!busy.is_empty());
    assert_eq!(served.execute("return 1")["output"], 1);
    assert_eq!(wait_until_gone(&busy), Vec::<u32>::new());
}

#[test]
fn a_client_that_disconnects_in_the_middle_of_a_run_leaves_no_process_behind() {
    let Some(equipment) = Equipment::get("a disconnected client", &["hostile"]) else { return };
    let bench = bench(&equipment);
    let mut served = bench.serve();
    begin_never(&mut served);
    let started = descendants(served.pid());
    // A guard, a server, a running worker, and perhaps a spare one.
    assert!(started.len() >= 3, "{started:?}");
    let gateway = served.pid();
    let client_gone = std::thread::spawn(move || served.end());
    assert_eq!(wait_until_gone(&[&[gateway], started.as_slice()].concat()), Vec::<u32>::new());
    client_gone.join().unwrap();
}

#[test]
fn a_gateway_killed_in_the_middle_of_a_run_takes_the_worker_with_it() {
    let Some(equipment) = Equipment::get("a killed gateway", &["hostile"]) else { return };
    let bench = bench(&equipment);
    let mut served = bench.serve();
    begin(&mut served, "await servers.hostile.echo({ text: 'about to loop' }); for (;;) {}");
    wait_for_progress(&mut served, "1 of 1 tool calls done");
    let started = descendants(served.pid());
    assert!(!workers(served.pid()).is_empty());
    let killed = Command::new("kill").args(["-KILL", &served.pid().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(wait_until_gone(&started), Vec::<u32>::new());
}

/// Starts a run that never ends and waits until its call is under way.
fn begin_never(served: &mut Served) -> u64 {
    let code = "const call = servers.hostile.never();\n\
                await servers.hostile.echo({ text: 'under way' });\n\
                await call";
    let id = begin(served, code);
    wait_for_progress(served, "1 of 2 tool calls done");
    id
}

fn begin(served: &mut Served, code: &str) -> u64 {
    let run = json!({
        "name": "execute_code",
        "arguments": {"code": code},
        "_meta": {"progressToken": "run"}
    });
    served.begin("tools/call", run)
}

/// Waits for a progress notification whose message begins like this.
pub(crate) fn wait_for_progress(served: &mut Served, beginning: &str) {
    let fits = |message: &Value| {
        let text = message["params"]["message"].as_str();
        text.is_some_and(|text| text.starts_with(beginning))
    };
    while !fits(&served.next()) {}
}

/// The worker processes of a gateway.
fn workers(gateway: u32) -> Vec<u32> {
    let is_worker = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).nth(1) == Some(b"worker")
    };
    descendants(gateway).into_iter().filter(is_worker).collect()
}

#[test]
fn the_lean_surface_has_two_tools_and_refuses_the_others() {
    let bench = Bench::with_servers(json!({}));
    let mut served = serve_surface(&bench, "lean");
    let listed = served.request("tools/list", json!({}));
    assert_eq!(names(&listed["result"]["tools"]), ["execute_code", "search_tools"]);
    let refused = served.request("tools/call", json!({"name": "call_tool", "arguments": {}}));
    assert_eq!(
        refused["error"],
        json!({
            "code": -32602,
            "message": "there is no tool `call_tool`; upstream tools are called in `execute_code`"
        })
    );
    assert_eq!(served.execute("return 'lean'")["output"], "lean");
}

#[test]
fn the_direct_surface_is_every_upstream_tool_as_itself() {
    let needed = ["python_client", "hostile"];
    let Some(equipment) = Equipment::get("the direct surface", &needed) else { return };
    let hostile = || equipment.server("hostile", &[]);
    let bench = Bench::with_servers(json!({"one": hostile(), "two": hostile()}));
    let steps = json!([
        {"list": true},
        {"call": "one__echo", "arguments": {"text": "hi"}},
        {"call": "two__structured"},
        {"call": "two__fail", "arguments": {"message": "no"}},
        {"call": "two__echo", "arguments": {"text": 5}},
    ]);
    for (_, mode, _) in ERAS {
        let outcomes = python(&equipment, &bench, mode, &["--surface", "direct"], &steps);
        assert_eq!(outcomes[0]["connected"]["instructions"], Value::Null);
        let listed = names(&outcomes[1]["tools"]);
        let of_one: Vec<&str> =
            listed.iter().filter_map(|name| name.strip_prefix("one__")).collect();
        let of_two: Vec<&str> =
            listed.iter().filter_map(|name| name.strip_prefix("two__")).collect();
        assert_eq!((of_one.len() + of_two.len(), of_one.len()), (listed.len(), 30));
        assert_eq!(of_one, of_two);
        assert_eq!(
            outcomes[1]["tools"][0],
            json!({
                "name": "one__echo",
                "description": "Gives the text back",
                "inputSchema": {
                    "type": "object",
                    "properties": {"text": {"type": "string"}},
                    "additionalProperties": false,
                    "required": ["text"]
                },
                "annotations": {"readOnlyHint": true}
            })
        );
        let result = |at: usize| without_era(outcomes[at]["result"].clone());
        assert_eq!(result(2), text_result("hi"));
        // As text only, and still accepted by a client that checks schemas.
        let weather = "{\"city\": \"Oslo\", \"degrees\": -3.5, \"days\": [\"mon\", \"tue\"], \
                       \"station\": null}";
        assert_eq!(result(3), text_result(weather));
        let error =
            |text: &str| json!({"content": [{"type": "text", "text": text}], "isError": true});
        // Marked, or a server could write what looks like an error of the gateway.
        assert_eq!(result(4), error("`two__fail` failed, its server says: no"));
        assert_eq!(
            result(5),
            error(
                "error[call.bad_argument]: `two__echo`: `text` must be a string, got number `5`\n\
                 hint: write \"5\""
            )
        );
    }
}

fn serve_surface(bench: &Bench, surface: &str) -> Served {
    let mut command: Command = bench.tidegate();
    Served::start(command.args(["serve", "--surface", surface]))
}
