//! `tidegate doctor`: every finding for real, and the installation of the type
//! checker with the real npm.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Bench, Equipment, skip, text};

/// Runs the doctor with nothing on PATH but this folder. Returns the exit code
/// and the findings, times replaced by `N`.
fn doctor(bench: &Bench, arguments: &[&str]) -> (Option<i32>, Vec<Value>) {
    let path = bench.path().join("bin");
    let mut command = bench.tidegate();
    // Deno's own installer puts it into the home folder.
    command.env("PATH", path).env("HOME", bench.path());
    findings(command.args(["doctor", "--json"]).args(arguments))
}

fn findings(command: &mut std::process::Command) -> (Option<i32>, Vec<Value>) {
    let output = command.output().unwrap();
    let mut document: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
    let findings = document["findings"].as_array_mut().unwrap();
    // Another test covers the isolation of this machine.
    findings.retain(|finding| finding["name"] != "isolation");
    for finding in findings.iter_mut() {
        finding["message"] = without_times(finding["message"].as_str().unwrap()).into();
    }
    (output.status.code(), std::mem::take(findings))
}

/// `in 12 ms` becomes `in N ms`.
fn without_times(message: &str) -> String {
    let words: Vec<&str> = message.split(' ').collect();
    let is_time = |at: usize| words.get(at + 1) == Some(&"ms");
    let shown = words.iter().enumerate().map(|(at, word)| if is_time(at) { "N" } else { word });
    shown.collect::<Vec<_>>().join(" ")
}

fn ok(name: &str, message: &str) -> Value {
    json!({"name": name, "status": "ok", "message": message})
}

fn bad(name: &str, status: &str, message: &str, remedy: &str) -> Value {
    json!({"name": name, "status": status, "message": message, "remedy": remedy})
}

fn no_policy() -> Value {
    ok("policy", "no policy.toml, so the defaults apply")
}

fn state_folder(bench: &Bench) -> Value {
    ok("state folder", &format!("`{}` is private and writable", bench.state_dir().display()))
}

fn no_type_checker(what: &str) -> Value {
    bad(
        "type checker",
        "warning",
        &format!("{what}; programs run without a type check"),
        "`tidegate doctor --fix` installs TypeScript 7 with npm, or name one as `checks.tsc` \
         (`mcpCodeExecution.tsc` in a client's file)",
    )
}

fn no_python_types() -> Value {
    bad(
        "type checker of Python",
        "warning",
        "neither ty nor pyright was found; programs in Python run without a type check",
        PYTHON_TYPES,
    )
}

const PYTHON_TYPES: &str = "install ty (`uv tool install ty`, `pip install ty`) or pyright \
    (`npm install -g pyright`) and put it on PATH, or name it as `checks.python` \
    (`mcpCodeExecution.pythonChecker` in a client's file)";

fn no_configuration() -> Value {
    bad(
        "configuration",
        "warning",
        "no configuration file was found, so there are no servers",
        "write a tidegate.toml, or point `--config` at your client's file with `mcpServers`",
    )
}

const GET_DENO: &str = "install Deno 2 or later (`npm install -g deno`), and put it on PATH or name it as \
    `sandbox.deno`";
const GET_NODE: &str = "install Node 20 or later, and put it on PATH or name it as `sandbox.node`";

fn no_engines(bench: &Bench) -> [Value; 2] {
    let home = bench.path().join(".deno/bin");
    let deno = format!(
        "there is no `deno` on PATH or in `{}`; programs cannot ask for `deno`",
        home.display()
    );
    let node = "there is no `node` on PATH; programs cannot ask for `node`";
    [bad("engine deno", "warning", &deno, GET_DENO), bad("engine node", "warning", node, GET_NODE)]
}

fn no_python() -> Value {
    bad(
        "programs in Python",
        "warning",
        "there is no Python on PATH; programs in Python cannot run",
        "install Python 3.9 or later, and put it on PATH or name it as `python.path`",
    )
}

fn no_passphrase() -> Value {
    bad(
        "approvals",
        "warning",
        "no passphrase is set up, so only a client that shows forms can get an approval; every \
         program of this user can be such a client of a gateway that it starts",
        "run `tidegate approvals setup` in a terminal before you give an agent a shell",
    )
}

fn no_runtimes() -> [Value; 3] {
    [
        ("Node", "`node` was not found; servers that are started with `npx` will not start"),
        ("npm", "`npm` was not found; `tidegate doctor --fix` cannot install the type checker"),
        ("Python", "`python3` was not found; servers that are written in Python will not start"),
    ]
    .map(|(name, message)| {
        bad(name, "warning", message, "install it if you need it, and put it on PATH")
    })
}

#[test]
fn a_server_that_is_given_the_folder_of_the_rules_is_told() {
    let bench = Bench::new();
    let own = env!("CARGO_BIN_EXE_tidegate");
    let policy_of = |folder: &Path| {
        let config =
            format!("[servers.fs]\ncommand = {own:?}\nargs = ['demo-server', {folder:?}]\n");
        bench.write("tidegate.toml", &config);
        let (_, findings) = doctor(&bench, &[]);
        findings.into_iter().find(|finding| finding["name"] == "policy").unwrap()
    };
    let below = bench.path().join("below");
    std::fs::create_dir(&below).unwrap();
    assert_eq!(policy_of(&below), no_policy());
    let told = policy_of(bench.path());
    assert_eq!(told["status"], "warning", "{told}");
    let place =
        format!("server `fs` has access to a folder that contains `{}`", bench.path().display());
    assert!(told["message"].as_str().unwrap().starts_with(place.trim_end_matches('`')), "{told}");
}

#[test]
fn what_is_optional_and_missing_is_a_warning() {
    let bench = Bench::new();
    let mut expected = vec![
        no_configuration(),
        no_policy(),
        state_folder(&bench),
        ok("worker", "ran `return 1` in N ms"),
        no_type_checker("TypeScript 7 was not found"),
    ];
    expected.extend(no_engines(&bench));
    expected.push(no_python());
    expected.push(no_python_types());
    expected.extend(no_runtimes());
    expected.push(no_passphrase());
    assert_eq!(doctor(&bench, &[]), (Some(0), expected));
}

#[test]
fn a_configured_engine_that_is_missing_is_a_problem() {
    let bench = Bench::new();
    bench.write("tidegate.toml", "[sandbox]\nengine = 'node'\nnode = 'none/node'");
    let (code, found) = doctor(&bench, &[]);
    let place = bench.path().canonicalize().unwrap().join("none/node");
    let message =
        format!("there is no `node` at `{}`; it is the configured engine", place.display());
    assert_eq!((code, &found[6]), (Some(1), &bad("engine node", "problem", &message, GET_NODE)));
}

/// The engines of this machine are run, not just found.
#[test]
fn an_engine_that_is_there_has_run_a_program() {
    let test = "an_engine_that_is_there_has_run_a_program";
    let Some(equipment) = Equipment::get(test, &["node"]) else { return };
    let node = equipment.server("node", &[])["command"].to_string();
    let bench = Bench::new();
    bench.write("tidegate.toml", &format!("[sandbox]\nnode = {node}"));
    let (code, found) = doctor(&bench, &[]);
    let said = equipment.command("node").arg("--version").output().unwrap();
    let version = text(&said.stdout).trim().trim_start_matches('v').to_owned();
    let real = Path::new(node.trim_matches('"')).canonicalize().unwrap();
    let message = format!("{version} at `{}` ran `return 1` in N ms", real.display());
    assert_eq!((code, &found[6]), (Some(0), &ok("engine node", &message)));
}

#[test]
fn an_old_typescript_is_named_and_not_used() {
    let bench = Bench::new();
    bench.write("typescript/package.json", r#"{"name": "typescript", "version": "5.9.3"}"#);
    let script = bench.write("typescript/bin/tsc", "#!/usr/bin/env node\n");
    std::fs::create_dir(bench.path().join("bin")).unwrap();
    let link = bench.path().join("bin/tsc");
    std::os::unix::fs::symlink(script, &link).unwrap();
    let what = format!("`{}` is TypeScript 5.9.3; version 7 is required", link.display());
    assert_eq!(doctor(&bench, &[]).1[4], no_type_checker(&what));
}

#[test]
fn a_configured_compiler_that_is_no_use_is_a_problem_and_nothing_is_installed_instead() {
    let bench = Bench::new();
    bench.write("tidegate.toml", "[checks]\ntsc = 'own/tsc'\n");
    let tsc = bench.path().join("own/tsc");
    let problem = |what: &str| {
        bad(
            "type checker",
            "problem",
            &format!("{what}; programs run without a type check"),
            "fix `checks.tsc` (`mcpCodeExecution.tsc` in a client's file), or leave it out to \
             have one found",
        )
    };
    let missing = problem(&format!("there is no file `{}`", tsc.display()));
    let (code, findings) = doctor(&bench, &["--fix"]);
    assert_eq!((code, &findings[4], findings.len()), (Some(1), &missing, 13));
    bench.write("own/tsc", "#!/usr/bin/env node\n");
    let script = problem(&format!("`{}` is a script without a native compiler", tsc.display()));
    let (code, findings) = doctor(&bench, &["--fix"]);
    assert_eq!((code, &findings[4], findings.len()), (Some(1), &script, 13));
}

#[test]
fn a_configured_checker_of_python_that_is_no_use_is_a_problem() {
    let bench = Bench::new();
    bench.write("tidegate.toml", "[checks]\npython = 'own/ty'\n");
    let ty = bench.path().join("own/ty");
    let problem = |what: &str| {
        bad(
            "type checker of Python",
            "problem",
            &format!("{what}; programs in Python run without a type check"),
            "fix `checks.python` (`mcpCodeExecution.pythonChecker` in a client's file), or \
             leave it out to have one found",
        )
    };
    let missing = problem(&format!("there is no file `{}`", ty.display()));
    let (code, findings) = doctor(&bench, &[]);
    assert_eq!((code, &findings[8]), (Some(1), &missing));
    bench.write("own/ty", "#!/bin/sh\n");
    let script = problem(&format!("`{}` is neither ty itself nor npm's pyright", ty.display()));
    let (code, findings) = doctor(&bench, &[]);
    assert_eq!((code, &findings[8]), (Some(1), &script));
}

/// The Python checkers of this machine are run, not just found.
#[test]
fn a_checker_of_python_that_is_there_has_checked_a_program() {
    let test = "a_checker_of_python_that_is_there_has_checked_a_program";
    let Some(equipment) = Equipment::get(test, &["ty", "pyright"]) else { return };
    for name in ["ty", "pyright"] {
        let bench = Bench::new();
        let bin = bench.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        let entry = equipment.server(name, &[]);
        let command = entry["command"].as_str().unwrap();
        let (file, place) = match entry["args"][0].as_str() {
            Some(script) => (script, Path::new(script).with_file_name("langserver.index.js")),
            None => (command, Path::new(command).to_owned()),
        };
        std::os::unix::fs::symlink(file, bin.join(name)).unwrap();
        std::os::unix::fs::symlink(command, bin.join("node")).unwrap();
        let said = equipment.command(name).arg("--version").output().unwrap();
        let version = text(&said.stdout).trim().to_owned();
        let place = place.canonicalize().unwrap();
        let works = format!("{version} at `{}` checked a program in N ms", place.display());
        let (_, findings) = doctor(&bench, &[]);
        assert_eq!(findings[8], ok("type checker of Python", &works));
    }
}

#[test]
fn a_fix_without_npm_says_what_to_do() {
    let bench = Bench::new();
    let (code, findings) = doctor(&bench, &["--fix"]);
    let failed = bad(
        "fix",
        "problem",
        "TypeScript 7 was not installed: `npm` was not found",
        "install Node.js, which brings npm, or put `tsc` of TypeScript 7 on PATH",
    );
    let missing = no_type_checker("TypeScript 7 was not found");
    assert_eq!((code, &findings[4..6]), (Some(1), &[failed, missing][..]));
}

#[test]
fn a_fix_installs_the_type_checker_and_an_interrupted_one_is_not_taken_for_good() {
    let test = "a_fix_installs_the_type_checker_and_an_interrupted_one_is_not_taken_for_good";
    if std::process::Command::new("npm").arg("--version").output().is_err() {
        skip(test, "npm is missing");
        return;
    }
    let bench = Bench::new();
    let tools = bench.state_dir().join("tools");
    // The state that a killed npm leaves behind.
    bench.write("state/tools/.unfinished-1/node_modules/half/package.json", "{");
    bench.write("state/tools/typescript/package.json", "{\"private\": true}");
    let (code, found) = findings(bench.tidegate().args(["doctor", "--json", "--fix"]));
    let package: PathBuf =
        ["node_modules/@typescript", &platform_package(), "lib/tsc"].iter().collect();
    let tsc = tools.canonicalize().unwrap().join("typescript").join(&package);
    let works = format!("Version 7.0.2 at `{}` checked a program in N ms", tsc.display());
    assert_eq!((code, &found[4]), (Some(0), &ok("type checker", &works)));
    let mut left: Vec<String> = std::fs::read_dir(&tools)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["lock", "typescript"]);
    // The next run finds it, without npm.
    assert_eq!(doctor(&bench, &["--fix"]).1[4], ok("type checker", &works));
    // In any other place it is used only if it is configured.
    std::fs::rename(tools.join("typescript"), bench.path().join("own")).unwrap();
    assert_eq!(doctor(&bench, &[]).1[4], no_type_checker("TypeScript 7 was not found"));
    let client =
        json!({"mcpServers": {}, "mcpCodeExecution": {"tsc": Path::new("own").join(&package)}});
    bench.write(".mcp.json", &client.to_string());
    let tsc = bench.path().canonicalize().unwrap().join("own").join(package);
    let works = format!("Version 7.0.2 at `{}` checked a program in N ms", tsc.display());
    assert_eq!(doctor(&bench, &[]).1[4], ok("type checker", &works));
}

fn platform_package() -> String {
    let name = tidegate_typecheck::package_name();
    name.rsplit_once('/').unwrap().1.to_owned()
}

#[test]
fn a_bad_configuration_and_a_folder_that_cannot_be_written_are_problems() {
    let bench = Bench::new();
    bench.write(".mcp.json", r#"{"mcpServers": 5}"#);
    bench.write("state", "a file");
    let (code, findings) = doctor(&bench, &[]);
    let file = bench.path().join(".mcp.json");
    let configuration = bad(
        "configuration",
        "problem",
        &format!("`mcpServers` expects an object, got a number at {}:1:16", file.display()),
        "see docs/configuration.md",
    );
    let state = bad(
        "state folder",
        "problem",
        &format!("`{}` is not a folder", bench.state_dir().display()),
        "set `TIDEGATE_HOME` to a folder of your own",
    );
    assert_eq!((code, &findings[..3]), (Some(1), &[configuration, no_policy(), state][..]));
}

#[test]
fn servers_are_started_only_when_asked_for() {
    let own = env!("CARGO_BIN_EXE_tidegate");
    let bench = Bench::with_servers(json!({
        "crm": {"command": own, "args": ["demo-server", "crm"]},
        "gone": {"command": "/nowhere/server"},
    }));
    let file = bench.path().join(".mcp.json");
    let valid = format!("`{}` is valid, servers: crm, gone", file.display());
    let (code, findings) = doctor(&bench, &[]);
    assert_eq!((code, &findings[0]), (Some(0), &ok("configuration", &valid)));
    assert_eq!(findings.len(), 13);
    let (code, findings) = doctor(&bench, &["--servers"]);
    let gone = bad(
        "server gone",
        "problem",
        "the command `/nowhere/server` of server `gone` was not found",
        "start its command by hand, or see docs/servers.md",
    );
    let expected = [ok("server crm", "started, 5 tools"), gone];
    assert_eq!((code, &findings[9..11]), (Some(1), &expected[..]));
}

#[test]
fn people_get_a_line_for_each_finding_and_one_for_the_remedy() {
    let bench = Bench::new();
    let output = bench.tidegate().env("PATH", bench.path()).arg("doctor").output().unwrap();
    let said = text(&output.stdout);
    let others = said.lines().skip_while(|line| !line.contains("type checker:"));
    let lines: Vec<&str> = others.take(2).collect();
    assert_eq!(
        lines,
        [
            "warning  type checker: TypeScript 7 was not found; programs run without a type check",
            "         hint: `tidegate doctor --fix` installs TypeScript 7 with npm, or name one as \
             `checks.tsc` (`mcpCodeExecution.tsc` in a client's file)",
        ]
    );
    assert_eq!(text(&output.stderr), "");
}
