//! Rules for calls over a real server: the same decision on every path, reloaded while
//! the gateway runs, explained; and oversized input is refused.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Bench, Equipment, Served, text};

/// A real file server with three files, and a policy.
fn shop(test: &str, policy: &str, after: &str) -> Option<Bench> {
    let equipment = Equipment::get(test, &["filesystem"])?;
    let bench = Bench::new();
    for name in ["a.txt", "secret.txt"] {
        bench.write(&format!("data/{name}"), name);
    }
    let folder = bench.path().join("data");
    let server = equipment.server("filesystem", &[folder.to_str().unwrap()]);
    let (command, args) = (&server["command"], &server["args"]);
    bench.write(
        "tidegate.toml",
        &format!("[servers.fs]\ncommand = {command}\nargs = {args}\n{after}\n"),
    );
    bench.write("policy.toml", policy);
    Some(bench)
}

const NO_SECRETS: &str = r#"
[[rule]]
name = "no-secrets"
decision = "deny"
arguments = { path = "*secret*" }
because = "they are not for programs"

[[rule.example]]
call = "fs__read_text_file"
arguments = { path = "data/SECRET.txt" }
decision = "deny"

[[rule.example]]
call = "fs__read_text_file"
arguments = { path = "data/a.txt" }
effect = "read_only"
decision = "allow"
"#;

fn read(file: &str) -> String {
    format!("return (await servers.fs.readTextFile({{ path: '{file}' }})).content")
}

fn call(served: &mut Served, file: &str) -> (bool, String) {
    let arguments = json!({"path": file});
    served.call("call_tool", json!({"name": "fs__read_text_file", "arguments": arguments}))
}

#[test]
fn a_rule_decides_by_arguments_whichever_way_a_call_takes() {
    let Some(bench) = shop("rules by arguments", NO_SECRETS, "") else { return };
    let mut served = bench.serve();
    assert_eq!(served.execute(&read("a.txt"))["output"], "a.txt");
    let denied = |answer: &Value| answer["error"]["code"] == "call.denied";
    let by_name = "return await callMCPTool('fs__read_text_file', { path: 'secret.txt' })";
    let at_once = "return await Promise.all(['a.txt', 'secret.txt'].map(\
                   (path) => servers.fs.readTextFile({ path })))";
    for program in [&read("secret.txt"), &read("SeCret.txt"), by_name, at_once] {
        let answer = served.execute(program);
        assert!(denied(&answer), "{program}: {answer}");
    }
    assert!(!call(&mut served, "a.txt").0);
    let (is_error, told) = call(&mut served, "secret.txt");
    assert!(is_error && told.starts_with("error[call.denied]: "), "{told}");
}

#[test]
fn a_changed_policy_is_in_force_while_the_gateway_runs_and_a_bad_one_is_not() {
    let Some(bench) = shop("reading a policy again", NO_SECRETS, "") else { return };
    let mut served = bench.serve();
    assert!(call(&mut served, "secret.txt").0);
    // Neither a bad nor a deleted file allows a denied call, however long one waits.
    for bad in [Some("[[rule]]\nname = \"half"), Some(""), None] {
        match bad {
            Some(text) => drop(bench.write("policy.toml", text)),
            None => std::fs::remove_file(bench.path().join("policy.toml")).unwrap(),
        }
        let until = Instant::now() + Duration::from_millis(1500);
        while Instant::now() < until {
            assert!(call(&mut served, "secret.txt").0, "{bad:?}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    bench.write(
        "policy.toml",
        &NO_SECRETS
            .replace("secret", "a.t")
            .replace("SECRET", "a.t")
            .replace("data/a.txt", "data/b"),
    );
    let until = Instant::now() + Duration::from_secs(30);
    while call(&mut served, "secret.txt").0 {
        assert!(Instant::now() < until, "the new policy never came into force");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(call(&mut served, "a.txt").0);
}

#[test]
fn a_bad_policy_at_the_start_is_an_error_of_the_configuration() {
    let bad = NO_SECRETS.replace("*secret*", "*secrets*");
    let Some(bench) = shop("a bad policy", &bad, "") else { return };
    let expected = "error[policy.rule]: rule `no-secrets` at policy.toml:8: the example expects \
                    `deny`, got `allow` from the default for `unknown` tools\n\
                    hint: correct the rule or the example; `tidegate policy test` shows each step\n";
    for command in [&["serve"][..], &["policy", "show"], &["policy", "test", "fs__read_text_file"]]
    {
        let output = bench.command(command);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), expected.into()));
    }
    let doctor = bench.command(&["doctor", "--json"]);
    let findings: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let about = |finding: &&Value| finding["name"] == "policy";
    let finding = findings["findings"].as_array().unwrap().iter().find(about).unwrap();
    assert_eq!(finding["status"], "problem");
}

#[test]
fn a_decision_is_explained_step_by_step() {
    let Some(bench) = shop("explaining", NO_SECRETS, "") else { return };
    let explained = |more: &[&str]| {
        let arguments = ["policy", "test", "fs__write_file", "--json"];
        let output = bench.command(&[&arguments, more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let passed = |explained: &Value| {
        let steps = explained["steps"].as_array().unwrap().iter();
        steps.map(|step| step["passed"] == true).collect::<Vec<_>>()
    };
    let ahead = explained(&[]);
    assert_eq!(
        (&ahead["decision"], &ahead["depends_on_arguments"]),
        (&json!("deny"), &json!(true))
    );
    assert_eq!(ahead["rules"][0]["matches"], "perhaps");
    let arguments = |path: &str| json!({"path": path, "content": "x"}).to_string();
    let denied = explained(&["--arguments", &arguments("secret.txt")]);
    assert_eq!(denied["decision"], "deny");
    assert_eq!(denied["rules"][0]["wins"], true);
    // The server declares that the tool overwrites.
    let asked = explained(&["--arguments", &arguments("a.txt")]);
    assert_eq!((&asked["decision"], passed(&asked)), (&json!("ask"), vec![true; 6]));
    let narrow = explained(&["--arguments", &arguments("a.txt"), "--profile", "read_only"]);
    assert_eq!(narrow["decision"], "deny");
    assert_eq!(passed(&narrow), [true, false, true, true, true, true]);
    let wrong = explained(&["--arguments", "{\"path\": 1}"]);
    assert_eq!(passed(&wrong), [true, true, true, true, true, false]);
    let shown = text(&bench.command(&["policy", "show"]).stdout);
    // Which files decide, and since when, is in a test of its own.
    let (files, rest): (Vec<&str>, Vec<&str>) =
        shown.lines().partition(|line| line.contains(": sha256 "));
    assert_eq!(files.len(), 2);
    assert_eq!(
        rest.join("\n") + "\n",
        format!(
            "rules from `{}`\n  deny   no-secrets  path *secret*\ndefaults, where no rule matches\n  \
             allow  read_only tools\n  allow  additive tools\n  ask    destructive tools\n  \
             allow  unknown tools\n  ask    programs of critical risk\n",
            bench.path().join("policy.toml").display()
        )
    );
}

#[test]
fn what_is_too_large_or_too_deep_is_refused_by_name() {
    let input = "[input]\nprogram = \"2KB\"\narguments = \"4KB\"";
    let Some(bench) = shop("sizes", "", input) else { return };
    let mut served = bench.serve();
    let told = |answer: &Value| answer["error"]["message"].as_str().unwrap_or_default().to_owned();
    let program = |bytes: usize| format!("return 1;{}", " ".repeat(bytes - 9));
    assert_eq!(served.execute(&program(2048))["output"], 1);
    assert_eq!(
        told(&served.execute(&program(2049))),
        "the program has 2049 bytes; `program` in `[input]` allows 2048"
    );
    let write = |content: &str| {
        format!("return await callMCPTool('fs__read_text_file', {{ path: 'a.txt', x: {content} }})")
    };
    assert_eq!(
        told(&served.execute(&write("'x'.repeat(5000)"))),
        "the arguments of `fs__read_text_file` have 5023 bytes; `arguments` in `[input]` allows \
         4096"
    );
    for levels in [100, 200] {
        let nested = format!("JSON.parse('['.repeat({levels}) + ']'.repeat({levels}))");
        assert_eq!(
            told(&served.execute(&write(&nested))),
            "the arguments of `fs__read_text_file` are nested deeper than 100 levels of lists and \
             objects"
        );
    }
    let name = format!("fs__{}", "x".repeat(1_000_000));
    let (_, said) = served.call("call_tool", json!({"name": name, "arguments": {}}));
    let expected = "the tool name has 1000004 bytes; the maximum is 600";
    assert!(said.contains(expected), "{}", &said[..300]);
}

#[test]
fn the_example_of_the_page_holds() {
    let page = include_str!("../../../../docs/policy.md");
    let examples: Vec<&str> =
        page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(examples.len(), 1);
    let bench = Bench::new();
    bench.write(
        "tidegate.toml",
        "[servers.database]\ncommand = \"x\"\n[servers.files]\ncommand = \"x\"",
    );
    for example in examples {
        bench.write("policy.toml", example);
        let output = bench.command(&["policy", "show"]);
        assert!(output.status.success(), "{example}\n{}", text(&output.stderr));
    }
}
