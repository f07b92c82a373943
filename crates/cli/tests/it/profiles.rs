//! Profiles with a real server, and the examples of docs/permissions.md.

use serde_json::{Value, json};

use crate::support::{Bench, Equipment, text};

/// A real file server, and a `tidegate.toml` with more text before and after its
/// tables.
fn shop(test: &str, before: &str, after: &str) -> Option<Bench> {
    let equipment = Equipment::get(test, &["filesystem"])?;
    let bench = Bench::new().asks_nobody();
    bench.write("data/a.txt", "content");
    let folder = bench.path().join("data");
    let server = equipment.server("filesystem", &[folder.to_str().unwrap()]);
    let (command, args) = (&server["command"], &server["args"]);
    let toml = format!("{before}\n[servers.fs]\ncommand = {command}\nargs = {args}\n{after}\n");
    bench.write("tidegate.toml", &toml);
    Some(bench)
}

const READ: &str = "return (await servers.fs.readTextFile({ path: 'a.txt' })).content";
const WRITE: &str = "return await servers.fs.writeFile({ path: 'a.txt', content: 'changed' })";

fn content(bench: &Bench) -> String {
    std::fs::read_to_string(bench.path().join("data/a.txt")).unwrap()
}

#[test]
fn read_only_reads_and_does_not_write_whichever_way_a_call_takes() {
    let Some(bench) = shop("read_only", "profile = \"read_only\"", "") else { return };
    assert_eq!(bench.run(READ)["output"], "content");
    let refused = json!({
        "code": "call.denied",
        "message": "`fs__write_file` may not be called: profile `read_only` allows only tools \
                    that change nothing",
        "hint": "the user can list it under `tools.read_only` if it does not, or choose a wider \
                 `profile`"
    });
    let error = |answer: Value| {
        let mut error = answer["error"].clone();
        let place = error.as_object_mut().unwrap();
        place.remove("line");
        place.remove("column");
        error
    };
    assert_eq!(error(bench.run(WRITE)), refused);
    let by_name = "return await callMCPTool('fs__write_file', { path: 'a.txt', content: 'x' })";
    assert_eq!(error(bench.run(by_name)), refused);
    let mut served = bench.serve();
    let arguments = json!({"path": "a.txt", "content": "x"});
    let (is_error, answer) =
        served.call("call_tool", json!({"name": "fs__write_file", "arguments": arguments}));
    assert!(is_error);
    assert!(
        answer.starts_with("error[call.denied]: `fs__write_file` may not be called"),
        "{answer}"
    );
    assert_eq!(content(&bench), "content");
}

#[test]
fn without_a_profile_all_tools_of_configured_servers_can_be_called() {
    let Some(bench) = shop("the default profile", "", "") else { return };
    assert_eq!(bench.run(WRITE)["error"], Value::Null);
    assert_eq!(content(&bench), "changed");
}

#[test]
fn a_run_can_ask_for_less_and_never_for_more() {
    let Some(bench) = shop("asking for a profile", "", "") else { return };
    let run = |profile: &str, source: &str| {
        let file = bench.write("program.ts", source);
        let file = file.to_str().unwrap();
        let output = bench.command(&["run", "--json", "--profile", profile, file]);
        let answer: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error} {}", text(&output.stderr)));
        (output.status.code(), answer["error"]["code"].clone())
    };
    assert_eq!(run("read_only", READ), (Some(0), Value::Null));
    assert_eq!(run("read_only", WRITE), (Some(3), json!("call.denied")));
    assert_eq!(run("nope", READ), (Some(3), json!("call.denied")));
    assert_eq!(content(&bench), "content");
    assert_eq!(run("execute_full", WRITE), (Some(0), Value::Null));
    let toml = std::fs::read_to_string(bench.path().join("tidegate.toml")).unwrap();
    bench.write("tidegate.toml", &format!("profile = \"read_only\"\n{toml}"));
    bench.write("data/a.txt", "content");
    assert_eq!(run("execute_full", WRITE), (Some(3), json!("call.denied")));
    assert_eq!(content(&bench), "content");
}

#[test]
fn a_profile_of_ones_own_narrows_tools_files_and_limits() {
    let own = "[profiles.mine]\nextends = \"default\"\ndeny = [\"fs__write_file\"]\nread = []\n\
               [profiles.mine.limits]\ntool_calls = 1\n";
    let Some(bench) = shop("a profile of one's own", "profile = \"mine\"", own) else { return };
    assert_eq!(bench.run(READ)["output"], "content");
    assert_eq!(
        bench.run(WRITE)["error"]["message"],
        "`fs__write_file` may not be called: `fs__write_file` is in `deny` of profile `mine`"
    );
    assert_eq!(
        bench.run("return fs.readdirSync('./servers')")["error"]["message"],
        "`./servers` may not be read: the folder is not in `read` of profile `mine`"
    );
    let twice = format!("await servers.fs.listAllowedDirectories({{}});\n{READ}");
    assert_eq!(bench.run(&twice)["error"]["code"], "limit.tool_calls");
}

/// However a name is spelled, it is the one tool that the rules name, or no tool.
#[test]
fn no_spelling_of_a_tool_gets_past_a_rule_about_it() {
    let own = "[profiles.mine]\nextends = \"default\"\ndeny = [\"fs__write_file\"]\n";
    let Some(bench) = shop("spellings of a tool", "profile = \"mine\"", own) else { return };
    let names = [
        "fs__write_file",
        "fs__writeFile",
        "FS__WRITE_FILE",
        "fs.write_file",
        "fs/write_file",
        "write_file",
        "mcp__fs__write_file",
        "fs__write-file",
        "fs__WriteFile",
        " fs__write_file",
        "fs__write_file ",
        "fs__ｗrite_file",
        "fs__writе_file",
        "fs__write_file\\0",
        "fs__write_file\\u200b",
        "ﬁs__write_file",
        "fs____write_file",
        "fs__fs__write_file",
        "fs__toString",
        "__proto__",
        "fs__",
        "",
        "fs__edit_file/../write_file",
    ];
    let program = format!(
        "const codes = [];\nfor (const name of {}) codes.push(await callMCPTool(name, \
         {{ path: 'a.txt', content: 'changed' }}).then(() => 'called', (error) => error.code));\n\
         return codes;",
        format!("{names:?}").replace("\\\\", "\\")
    );
    let codes = |bench: &Bench| -> Vec<String> {
        let answer = bench.run(&program);
        serde_json::from_value(answer["output"].clone()).unwrap_or_else(|_| panic!("{answer}"))
    };
    let refused = codes(&bench);
    assert!(refused.iter().all(|code| code.starts_with("call.")), "{refused:?}");
    assert_eq!(content(&bench), "content");
    // The control: without the rule, those spellings call the tool.
    let toml = std::fs::read_to_string(bench.path().join("tidegate.toml")).unwrap();
    bench.write("tidegate.toml", &toml.replacen("profile = \"mine\"", "", 1));
    let called = codes(&bench);
    for (name, (before, after)) in names.iter().zip(refused.iter().zip(&called)) {
        let expected = if after == "called" { "call.denied" } else { after };
        assert_eq!(before, expected, "{name}");
    }
    assert!(called.iter().filter(|code| *code == "called").count() >= 5, "{called:?}");
    assert_eq!(content(&bench), "changed");
}

#[test]
fn the_examples_of_the_page_load() {
    let page = include_str!("../../../../docs/permissions.md");
    let examples: Vec<&str> =
        page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 3, "{} examples", examples.len());
    for example in examples {
        let bench = Bench::new();
        bench.write("tidegate.toml", example);
        let output = bench.command(&["servers", "list"]);
        assert!(output.status.success(), "{example}\n{}", text(&output.stderr));
    }
}
