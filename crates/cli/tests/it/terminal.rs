//! Text of servers and programs on a terminal: shown, never interpreted.

use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::{Bench, text};

/// Reverse and red, a new title with a bell, and reversed text direction for the rest
/// of the line.
const STEERING: [&str; 3] = ["\u{1b}[7;31m", "\u{1b}]0;owned\u{7}", "\u{202e}"];

/// The same in one character.
const NEVER: &str = "\u{9b}";

/// A server that has them in all of its texts.
const SERVER: &str = r"
import json, sys
odd = '\x1b[7;31m\x1b]0;owned\x07\u202e'
tool = {'name': 'odd', 'description': odd + 'needle', 'inputSchema': {'type': 'object', 'properties': {
    'text': {'type': 'string', 'description': odd}}}}
for line in sys.stdin:
    request = json.loads(line)
    if 'id' not in request: continue
    print('standard error ' + odd, file=sys.stderr, flush=True)
    result = {'initialize': {'protocolVersion': '2025-06-18', 'capabilities': {'tools': {}},
                             'serverInfo': {'name': odd, 'version': odd}},
              'tools/list': {'tools': [tool, {**tool, 'name': 'named' + odd}]},
              'tools/call': {'content': [{'type': 'text', 'text': odd}], 'isError': True}}.get(request['method'], {})
    print(json.dumps({'jsonrpc': '2.0', 'id': request['id'], 'result': result}), flush=True)
";

/// Runs a command with a terminal as its standard output and error.
const ON_A_TERMINAL: &str = "import os, pty, sys\n\
    def read(terminal):\n \
     seen = os.read(terminal, 65536)\n \
     os.write(9, seen)\n \
     return seen\n\
    sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:], read)))";

#[test]
fn nothing_that_a_server_or_a_program_says_steers_a_terminal() {
    let bench = Bench::new();
    let server = bench.write("server.py", SERVER);
    bench.write(
        ".mcp.json",
        &json!({"mcpServers": {"odd": {"command": "python3", "args": [server]}}}).to_string(),
    );
    let steering = STEERING.concat();
    let print = bench.write("print.ts", &format!("console.log({steering:?}); return {steering:?}"));
    let value = bench.write("value.ts", "return {a: '\\u202e\\u009b2J owned'}");
    let throw = bench.write("throw.ts", &format!("throw new Error({steering:?})"));
    let call = bench.write("call.ts", "await servers.odd.odd({})");
    let saved = bench.run(&format!("return saveSkill('odd', {steering:?}, {steering:?} + 'kept')"));
    assert_eq!(saved["output"]["replaced"], false, "{saved}");
    let [print, value, throw, call] =
        [&print, &value, &throw, &call].map(|file| file.to_str().unwrap());
    for (arguments, said) in [
        (&["servers", "test"][..], "ok      odd"),
        (&["servers", "list"], "2 tools"),
        (&["tools", "list"], "odd__odd"),
        (&["tools", "show", "odd__odd"], "needle"),
        (&["search", "needle"], "needle"),
        (&["skills", "list"], "kept"),
        (&["skills", "show", "odd"], "owned"),
        (&["run", print], "owned"),
        (&["run", value], "owned"),
        (&["run", throw], "owned"),
        (&["run", call], "failed"),
    ] {
        let shown = on_a_terminal(&bench, arguments);
        assert!(shown.contains(said), "{arguments:?}: {shown:?}");
        for bad in STEERING.into_iter().chain([NEVER]) {
            assert!(!shown.contains(bad), "{arguments:?}: {shown:?}");
        }
    }
    // The control: a script gets the original text. What a server says about itself and
    // its tools, and errors, are harmless for everybody; see `untrusted.rs`.
    for arguments in [&["run", print][..], &["skills", "show", "odd"]] {
        let output = bench.command(arguments);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(STEERING.iter().all(|bad| said.contains(bad)), "{arguments:?}: {said:?}");
    }
}

fn on_a_terminal(bench: &Bench, arguments: &[&str]) -> String {
    let file = bench.path().join("seen");
    let output = Command::new("sh")
        .args([
            "-c",
            "exec 9>\"$0\"; exec python3 -c \"$@\"",
            file.to_str().unwrap(),
            ON_A_TERMINAL,
        ])
        .arg(env!("CARGO_BIN_EXE_tidegate"))
        .args(arguments)
        .current_dir(bench.path())
        .env("TIDEGATE_HOME", bench.state_dir())
        // What servers write to standard error is logged too.
        .env("RUST_LOG", "debug")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    std::fs::read_to_string(file).unwrap()
}
