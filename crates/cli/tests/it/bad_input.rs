//! Bad configuration: each is a clear error with its place and its remedy, exit code 2,
//! and nothing is started.

use crate::support::{Bench, text};

/// The error of `servers list` for a configuration.
fn refused(file: &str, content: &str) -> String {
    let bench = Bench::new();
    bench.write(file, content);
    let output = bench.command(&["servers", "list", "--config", file]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "");
    text(&output.stderr)
}

#[test]
fn a_typo_in_a_key_names_the_place_and_the_nearest_key() {
    assert_eq!(
        refused("tidegate.toml", "[servers.git]\ncommand = \"git-mcp\"\ntiemout = \"5s\"\n"),
        "error[config.unknown_key]: unknown key `tiemout` in server `git`\n  \
         at tidegate.toml:3:1\n\
         hint: did you mean `timeout`?\n"
    );
}

#[test]
fn a_duplicate_server_is_refused_with_both_places() {
    assert_eq!(
        refused(
            "a.json",
            "{\"mcpServers\": {\n  \"git\": {\"command\": \"a\"},\n  \"git\": {\"command\": \"b\"}\n}}"
        ),
        "error[config.duplicate_key]: duplicate server `git`, first written at line 2, column 3\n  \
         at a.json:3:3\n"
    );
}

#[test]
fn a_file_that_does_not_parse_names_line_and_column() {
    let message = refused("tidegate.toml", "[servers.git\ncommand = 1\n");
    assert!(message.starts_with("error[config.syntax]: "), "{message}");
    assert!(message.contains("at tidegate.toml:1:"), "{message}");
}

#[test]
fn a_missing_file_is_named() {
    let bench = Bench::new();
    let output = bench.command(&["servers", "list", "--config", "nope.toml"]);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.starts_with("error[config."), "{message}");
    assert!(message.contains("`nope.toml`"), "{message}");
}

#[test]
fn an_unset_variable_is_named_and_no_value_is_shown() {
    let message = refused(
        "a.json",
        "{\"mcpServers\": {\"git\": {\"command\": \"a\", \"env\": {\"TOKEN\": \"hunter2-${NOT_SET_HERE}\"}}}}",
    );
    assert!(message.contains("NOT_SET_HERE"), "{message}");
    assert!(!message.contains("hunter2"), "{message}");
}

#[test]
fn a_missing_command_fails_that_server_only() {
    let bench = Bench::with_servers(serde_json::json!({
        "good": {"command": env!("CARGO_BIN_EXE_tidegate"), "args": ["demo-server", "drive"]},
        "bad": {"command": "no-such-command-anywhere"},
    }));
    let output = bench.command(&["servers", "test"]);
    assert_eq!(output.status.code(), Some(5));
    assert_eq!(
        text(&output.stdout),
        "failed  bad: the command `no-such-command-anywhere` of server `bad` was not found\n\
         ok      good: 4 tools, tidegate-demo-drive 0.1.0\n"
    );
    let answer = bench
        .run("return (await servers.drive?.listFiles?.({})) ?? await servers.good.listFiles({})");
    assert_eq!(answer["error"]["code"], "call.unknown_server");
    let answer = bench.run("return (await servers.good.listFiles({})).files.length > 10");
    assert_eq!(answer["output"], true);
}
