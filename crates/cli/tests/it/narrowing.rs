//! What one line of configuration, a profile or a request adds to what is configured: each
//! can only narrow.

use serde_json::{Value, json};

use crate::support::{Bench, Served, query, text};

/// A program of low risk, and one of high risk.
const HARMLESS: &str = "return 1 + 1";
const RISKY: &str = "Object.prototype.one = 1; return 1 + 1";

fn bench(config: &str) -> Bench {
    let bench = Bench::new();
    bench.write("tidegate.toml", &format!("[approvals]\nwait = '1ms'\n{config}"));
    bench
}

/// The output, or the code of the error.
fn outcome(answer: &Value) -> Value {
    if answer["success"] == true {
        answer["output"].clone()
    } else {
        answer["error"]["code"].clone()
    }
}

fn pending(bench: &Bench) -> Value {
    let listed = bench.command(&["approvals", "list", "--json"]);
    serde_json::from_slice::<Value>(&listed.stdout).unwrap()["approvals"][0].clone()
}

#[test]
fn one_line_asks_about_a_level_of_risk_or_refuses_it() {
    for (line, harmless, risky) in [
        ("", json!(2), json!(2)),
        ("high = 'ask'", json!(2), json!("approval.pending")),
        ("high = 'deny'", json!(2), json!("call.denied")),
        ("high = ['ask', 'process']", json!(2), json!("approval.pending")),
        ("low = 'ask'", json!("approval.pending"), json!(2)),
        ("low = 'deny'", json!("call.denied"), json!(2)),
    ] {
        let bench = bench(&format!("[risk]\n{line}\n"));
        // A rule that allows does not take it back.
        let allowed = "[[rule]]\nname = 'all'\ndecision = 'allow'\nrisk = 'critical'\n";
        bench.write("policy.toml", allowed);
        assert_eq!(outcome(&bench.run(HARMLESS)), harmless, "{line}");
        assert_eq!(outcome(&bench.run(RISKY)), risky, "{line}");
    }
    let bench = bench("[risk]\nhigh = 'asks'\n");
    let refused = bench.command(&["policy", "show"]);
    let said = text(&refused.stderr);
    assert_eq!(
        (refused.status.code(), said.contains("did you mean `ask`?")),
        (Some(2), true),
        "{said}"
    );
}

#[test]
fn a_profile_can_require_approval_of_every_program() {
    let profile = "[profiles.watched]\nextends = 'default'\napproval_required = true\n";
    let bench = bench(profile);
    bench.set_passphrase();
    let mut served = bench.serve();
    let watched = json!({"code": HARMLESS, "profile": "watched"});
    assert_eq!(outcome(&served.execute(HARMLESS)), 2);
    assert_eq!(outcome(&served.execute_with(watched.clone())), "approval.pending");
    let question = pending(&bench);
    let details = question["details"].as_str().unwrap();
    assert!(details.contains("the profile `watched` has `approval_required`"), "{details}");
    let id = question["id"].as_str().unwrap();
    assert!(bench.as_person(&["approvals", "approve", id]).status.success());
    assert_eq!(outcome(&served.execute_with(watched)), 2);
}

/// A server with one tool that changes nothing.
const SERVER: &str = "
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if 'id' not in request: continue
    result = {'initialize': {'protocolVersion': '2025-06-18', 'capabilities': {'tools': {}},
                             'serverInfo': {'name': 'shelf', 'version': '1'}},
              'tools/list': {'tools': [{'name': 'look', 'inputSchema': {'type': 'object'},
                                        'annotations': {'readOnlyHint': True}}]},
              'tools/call': {'content': [{'type': 'text', 'text': 'a book'}]}}.get(request['method'], {})
    print(json.dumps({'jsonrpc': '2.0', 'id': request['id'], 'result': result}), flush=True)
";

#[test]
fn a_direct_call_waits_for_approval_where_the_profile_requires_it() {
    for (profile, asks) in [("default", false), ("watched", true)] {
        let server = format!("profile = '{profile}'\n[servers.shelf]\ncommand = 'python3'\n");
        let watched = "[profiles.watched]\nextends = 'default'\napproval_required = true\n";
        let bench = Bench::new();
        let script = bench.write("server.py", SERVER);
        let config = format!("{server}args = [{script:?}]\n[approvals]\nwait = '1ms'\n{watched}");
        bench.write("tidegate.toml", &config);
        bench.set_passphrase();
        let mut served = bench.serve();
        let mut look = || served.call("call_tool", json!({"name": "shelf__look", "arguments": {}}));
        if asks {
            let (is_error, said) = look();
            assert!(is_error && said.contains("approval.pending"), "{said}");
            let question = pending(&bench);
            assert_eq!(question["kind"], "call");
            let details = question["details"].as_str().unwrap();
            assert!(details.contains("the profile `watched` has `approval_required`"), "{details}");
            let id = question["id"].as_str().unwrap();
            assert!(bench.as_person(&["approvals", "approve", id]).status.success());
        }
        let (is_error, said) = look();
        assert_eq!((is_error, said.contains("a book")), (false, true), "{said}");
        // An approval was for one call.
        let (is_error, said) = look();
        assert_eq!(is_error, asks, "{said}");
    }
}

#[test]
fn a_request_can_narrow_its_own_run_and_says_what_it_is_for() {
    let bench = bench("");
    bench.set_passphrase();
    let mut served = bench.serve();
    let mut run = |more: Value| {
        let mut arguments = json!({"code": HARMLESS});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        served.execute_with(arguments)
    };
    assert_eq!(outcome(&run(json!({"memory_mb": 8, "sandbox": "strict", "ask": false}))), 2);
    assert_eq!(outcome(&run(json!({"sandbox": "vm"}))), "sandbox.isolation");
    let grow = json!({"code": "return 'x'.repeat(40 * 1024 * 1024).length", "memory_mb": 16});
    assert_eq!(outcome(&run(grow)), "limit.memory");
    // More than is configured is not more.
    let grow = json!({"code": "return 'x'.repeat(900 * 1024 * 1024).length", "memory_mb": 100_000});
    assert_eq!(outcome(&run(grow)), "limit.memory");
    let asked = json!({"ask": true, "action": "count\u{202e} to two"});
    let waiting = run(asked);
    assert_eq!(outcome(&waiting), "approval.pending");
    let question = pending(&bench);
    let details = question["details"].as_str().unwrap();
    assert!(details.contains("the request asks for it"), "{details}");
    assert!(details.contains("according to its author:\n| count\\u{202e} to two\n"), "{details}");
    // A resumed run keeps what was asked for.
    let resume = json!({"resume": waiting["run_id"], "ask": false});
    let (is_error, said) = served.call("execute_code", resume);
    assert!(is_error && said.contains("cannot be changed when a run is resumed"), "{said}");
    assert!(
        bench
            .as_person(&["approvals", "approve", question["id"].as_str().unwrap()])
            .status
            .success()
    );
    let resumed = served.execute_with(json!({"resume": waiting["run_id"]}));
    assert_eq!(outcome(&resumed), 2);
    for (wrong, why) in [
        (json!({"memory_mb": 0}), "must be at least 1"),
        (json!({"action": "x".repeat(201)}), "at most 200 characters"),
        (json!({"sandbox": "none"}), "unknown variant"),
    ] {
        let mut arguments = json!({"code": HARMLESS});
        arguments.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        let (is_error, said) = served.call("execute_code", arguments);
        assert!(is_error && said.contains(why), "{said}");
    }
    let actions =
        query(&bench.state_dir().join("record.db"), "SELECT DISTINCT action FROM runs ORDER BY 1");
    assert_eq!(actions, ["", "count\\u{202e} to two"]);
    on_the_command_line(&bench);
}

fn on_the_command_line(bench: &Bench) {
    let file = bench.write("p.ts", HARMLESS);
    let run = ["run", "--json", "--ask", "--action", "again", "--memory-mb", "32"];
    let output = bench.command(&[&run[..], &[file.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
    assert!(pending(bench)["details"].as_str().unwrap().contains("| again\n"));
}

/// The surface that a client sees names what it can ask for.
#[test]
fn the_schema_of_execute_code_names_every_narrowing_argument() {
    let mut served: Served = Bench::new().serve();
    let listed = served.request("tools/list", json!({}));
    let tool = &listed["result"]["tools"][0];
    assert_eq!(tool["name"], "execute_code");
    let properties = tool["inputSchema"]["properties"].as_object().unwrap();
    for name in ["sandbox", "memory_mb", "ask", "action"] {
        assert!(properties.contains_key(name), "{name}");
    }
}
