//! The commands as scripts use them: only JSON on standard output, exit codes,
//! `--catalog` without any server.

use serde_json::{Value, json};

use crate::support::{Bench, query, skip, text};

fn with_demo_servers() -> Bench {
    let server = |name: &str| json!({"command": env!("CARGO_BIN_EXE_tidegate"), "args": ["demo-server", name]});
    Bench::with_servers(
        json!({"drive": server("drive"), "crm": server("crm"), "tracker": server("tracker")}),
    )
}

fn json_of(bench: &Bench, arguments: &[&str]) -> Value {
    let output = bench.command(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_demo_saves_at_least_98_7_percent_on_every_task_and_leaves_nothing() {
    for language in ["ts", "py"] {
        the_demo_saves(language);
    }
}

fn the_demo_saves(language: &str) {
    let bench = Bench::new();
    let mut demo = bench.tidegate();
    demo.args(["demo", "--json", "--lang", language]).env("TMPDIR", bench.path());
    let output = demo.output().unwrap();
    if text(&output.stderr).contains("sandbox.no_engine") {
        skip("the demo in Python", "there is no Python on PATH");
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let measured: Value = serde_json::from_slice(&output.stdout).unwrap();
    let tasks = measured["tasks"].as_array().unwrap();
    assert_eq!(tasks.len(), 3);
    for task in tasks {
        assert!(task["saved_percent"].as_f64().unwrap() >= 98.7, "{task}");
    }
    assert!(measured["saved_percent"].as_f64().unwrap() >= 99.5, "{measured}");
    assert_eq!(std::fs::read_dir(bench.path()).unwrap().count(), 0);
}

#[test]
fn servers_are_listed_without_being_started_and_tested_for_real() {
    let bench = with_demo_servers();
    let listed = json_of(&bench, &["servers", "list", "--json"]);
    let entry = |name: &str, status: &str, package: &str, tools: u64| {
        json!({
            "name": name,
            "transport": format!("stdio `{}`", env!("CARGO_BIN_EXE_tidegate")),
            "status": status,
            "package": package,
            "tools": tools,
            "error": null,
        })
    };
    let unknown = |name: &str| entry(name, "not_started", "", 0);
    assert_eq!(listed, json!({"servers": [unknown("drive"), unknown("crm"), unknown("tracker")]}));
    let tested = json_of(&bench, &["servers", "test", "crm", "--json"]);
    assert_eq!(
        tested,
        json!({"servers": [entry("crm", "connected", "tidegate-demo-crm 0.1.0", 5)]})
    );
    // Now known from the snapshot.
    let listed = json_of(&bench, &["servers", "list", "--json"]);
    assert_eq!(listed["servers"][1], entry("crm", "not_started", "tidegate-demo-crm 0.1.0", 5));
}

#[test]
fn a_server_that_is_not_configured_is_a_usage_error_with_the_nearest_name() {
    let output = with_demo_servers().command(&["servers", "test", "trakcer"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output.stderr),
        "error: no server `trakcer` is configured\nhint: did you mean `tracker`?\n"
    );
}

#[test]
fn tools_are_listed_and_shown() {
    let bench = with_demo_servers();
    let tools = json_of(&bench, &["tools", "list", "--json", "--server", "drive"]);
    let names: Vec<&str> = tools["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["listFiles", "readFile", "searchFiles", "writeFile"]);
    let shown = bench.command(&["tools", "show", "drive__write_file"]);
    assert_eq!(shown.status.code(), Some(0));
    let definition = text(&shown.stdout);
    assert!(definition.starts_with("// servers.drive\n/** "), "{definition}");
    let missing = bench.command(&["tools", "show", "drive__wirte_file"]);
    assert_eq!(missing.status.code(), Some(1));
    assert_eq!(
        text(&missing.stderr),
        "error[call.unknown_tool]: server `drive` has no tool `wirte_file`\n\
         hint: did you mean `writeFile`?\n"
    );
}

#[test]
fn search_works_over_servers_and_over_files() {
    let bench = with_demo_servers();
    let found =
        json_of(&bench, &["search", "--json", "--detail", "name", "--limit", "1", "list issues"]);
    assert_eq!(found["results"][0]["call"], "servers.tracker.listIssues");
    bench.write("tools/mail.json", r#"{"server": "mail", "tools": [{"name": "send_mail", "description": "Sends a message", "inputSchema": {"type": "object"}}]}"#);
    bench.write("tools/deep/simple.json", r#"[{"name": "open_door", "parameters": [{"name": "floor", "type": "integer", "required": true}]}]"#);
    bench.write("tools/bad.json", "{\"tools\": [");
    let output = bench.command(&["search", "--catalog", "tools", "--json", "open the door"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        text(&output.stderr),
        "warning: `tools/bad.json` line 1, column 11 is not JSON: EOF while parsing a list\n"
    );
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["results"][0]["id"], "simple__open_door");
    assert_eq!(found["results"].as_array().unwrap().len(), 1);
}

#[test]
fn many_queries_get_one_line_each() {
    let bench = Bench::new();
    bench.write("tools.jsonl", "{\"id\":\"x/1\",\"server\":\"a\",\"name\":\"send_mail\",\"description\":\"\",\"inputSchema\":{}}\n");
    bench.write(
        "queries.jsonl",
        "{\"qid\":\"q1\",\"query\":\"send mail\"}\n\n{\"qid\":\"q2\",\"query\":\"zzz\"}\n",
    );
    let output =
        bench.command(&["search", "--catalog", "tools.jsonl", "--queries", "queries.jsonl"]);
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["qid"], "q1");
    assert_eq!(lines[0]["results"][0]["id"], "x/1");
    assert_eq!(lines[1], json!({"qid": "q2", "results": []}));
}

#[test]
fn bad_lines_among_many_queries_are_told_of_and_skipped() {
    let bench = Bench::new();
    bench.write("tools.jsonl", "{\"id\":\"x/1\",\"server\":\"a\",\"name\":\"send_mail\",\"description\":\"\",\"inputSchema\":{}}\n");
    let long = format!("{{\"qid\":\"q3\",\"query\":\"{}\"}}", "mail ".repeat(300_000));
    let odd = json!({"qid": "q4", "query": format!("{} 🚀 '; DROP TABLE x; -- (?:a+)+$", "send mail ".repeat(1000))});
    let lines = [
        "{not json",
        "{\"qid\":\"q1\"}",
        "7",
        &long,
        &odd.to_string(),
        "{\"qid\":\"q5\",\"query\":\"\"}",
    ];
    bench.write("queries.jsonl", &lines.join("\n"));
    let output = bench.command(&[
        "search",
        "--catalog",
        "tools.jsonl",
        "--queries",
        "queries.jsonl",
        "--json",
    ]);
    assert_eq!(output.status.code(), Some(0));
    let answers: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 2);
    assert_eq!(
        (&answers[0]["qid"], &answers[0]["results"][0]["id"]),
        (&json!("q4"), &json!("x/1"))
    );
    assert_eq!(answers[1], json!({"qid": "q5", "results": []}));
    let told = text(&output.stderr);
    for told_of in
        ["line 1: not JSON", "line 2: no text `query`", "line 3: no text", "line 4: longer than"]
    {
        assert!(told.contains(told_of), "{told}");
    }
}

#[test]
fn tokens_are_counted_for_a_folder_of_definitions() {
    let bench = Bench::new();
    bench.write("tools/a.json", r#"{"server": "a", "tools": [{"name": "x", "description": "does x", "inputSchema": {"type": "object"}}]}"#);
    let counted = json_of(&bench, &["tokens", "--catalog", "tools", "--json"]);
    assert_eq!(counted["servers"], json!([{"server": "a", "tools": 1, "tokens": 17}]));
    assert_eq!(counted["classic_tokens"], 17);
    assert_eq!(counted["tools"], 1);
}

#[test]
fn tools_are_listed_and_shown_from_files() {
    let bench = Bench::new();
    bench.write("tools/a.json", r#"[{"name": "x_y", "description": "Does x.", "parameters": [{"name": "p", "type": "integer", "required": true}]}]"#);
    let told = |arguments: &[&str]| {
        let output = bench.command(arguments);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    assert_eq!(
        told(&["tools", "list", "--catalog", "tools"]),
        (Some(0), "a__x_y  Does x.\n".into(), String::new())
    );
    assert_eq!(
        told(&["tools", "show", "a__x_y", "--catalog", "tools"]),
        (
            Some(0),
            "// servers.a\n/** Does x. */\nfunction xY(input: {\np: number // @int\n}): Promise<unknown>\n"
                .into(),
            String::new()
        )
    );
    assert_eq!(
        told(&["tools", "show", "a__x_z", "--catalog", "tools"]),
        (Some(1), String::new(), "error: server `a` has no tool `x_z`\nhint: it has `xY`\n".into())
    );
}

#[test]
fn a_catalog_without_a_tool_is_wrong_usage() {
    let bench = Bench::new();
    bench.write("empty/notes.txt", "nothing here");
    for command in [&["tokens"][..], &["search", "x"], &["tools", "list"]] {
        let output = bench.command(&[command, &["--catalog", "empty"]].concat());
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(
            text(&output.stderr),
            "error: there are no tools in `empty`\n\
             hint: pass a folder of *.json files, one such file, or a .jsonl file\n"
        );
    }
    let missing = bench.command(&["tokens", "--catalog", "nowhere"]);
    assert_eq!(missing.status.code(), Some(2));
    assert_eq!(
        text(&missing.stderr),
        "error: cannot read `nowhere`: No such file or directory (os error 2)\n"
    );
}

#[test]
fn the_templates_answer_a_search_without_any_server() {
    let bench = Bench::new();
    let templates = concat!(env!("CARGO_MANIFEST_DIR"), "/../../templates/mcp-tools");
    let asked = ["search", "--catalog", templates, "--limit", "1", "--json"];
    let first =
        |query: &str| json_of(&bench, &[&asked[..], &[query]].concat())["results"][0]["id"].clone();
    assert_eq!(first("open a pull request"), "github__create_pull_request");
    assert_eq!(first("rename a symbol"), "serena__rename_symbol");
    assert_eq!(first("explain a lint rule"), "ruff__rule");
}

#[test]
fn run_answers_as_execute_code_does_and_exits_by_what_happened() {
    let bench = with_demo_servers();
    let run = |source: &str, more: &[&str]| {
        let file = bench.write("p.ts", source);
        let arguments = [&["run"], more, &[file.to_str().unwrap()]].concat();
        let output = bench.command(&arguments);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    assert_eq!(
        run("return { a: [1, 2] }", &[]),
        (Some(0), "{\n  \"a\": [\n    1,\n    2\n  ]\n}\n".into(), String::new())
    );
    assert_eq!(run("console.log('hi')", &[]), (Some(0), "hi\n".into(), String::new()));
    let failed = run("const x = 1;\nthrow new Error('no')", &[]);
    assert_eq!(
        failed,
        (
            Some(1),
            String::new(),
            "error[program.threw]: the program threw: no\n  at line 2, column 11 of your program\n"
                .into()
        )
    );
    let slow = run("while (true) {}", &["--timeout", "200ms"]);
    assert_eq!(slow.0, Some(4));
    let unknown = run("await servers.nope.x()", &[]);
    assert_eq!(unknown.0, Some(1));
    assert_eq!(bench.command(&["run", "nope.ts"]).status.code(), Some(2));
    assert_eq!(bench.command(&["run", "--lang", "cobol", "p.ts"]).status.code(), Some(2));
    assert_eq!(bench.command(&["frobnicate"]).status.code(), Some(2));
}

#[test]
fn a_program_can_come_from_standard_input() {
    use std::io::Write;
    let bench = Bench::new();
    let mut child = bench
        .tidegate()
        .args(["run", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"return 6 * 7").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stdout), "42\n");
}

#[test]
fn every_run_and_call_is_in_the_database_with_its_parent() {
    let bench = with_demo_servers();
    let answer = bench.run(
        "const { files } = await servers.drive.listFiles({});\n\
         try { await servers.drive.readFile({ path: 'nope' }) } catch {}\n\
         try { await servers.drive.readFile({ path: 5 }) } catch {}\n\
         return files.length > 0",
    );
    assert_eq!(answer["output"], true);
    let database = bench.state_dir().join("record.db");
    let rows = query(
        &database,
        "select r.id, c.server, c.tool, c.outcome, c.error_code from runs r join calls c on c.run_id = r.id order by c.id",
    );
    let id = answer["run_id"].as_str().unwrap();
    assert_eq!(
        rows,
        [
            format!("{id}|drive|list_files|succeeded|"),
            format!("{id}|drive|read_file|failed|call.tool_failed"),
            format!("{id}|drive|read_file|failed|call.bad_argument"),
        ]
    );
    let rows = query(&database, "select kind, language, outcome, tool_calls from runs");
    assert_eq!(rows, ["execute_code|typescript|succeeded|3"]);
}
