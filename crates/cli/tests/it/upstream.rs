//! Servers that behave badly: each fault is a clear error within its limit, and the
//! next call works.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Bench, Equipment, Served, descendants, text, wait_until_gone};

/// The equipment with the hostile server. The thread of a test has its name.
fn equipment() -> Option<Equipment> {
    let thread = std::thread::current();
    Equipment::get(thread.name().unwrap_or("upstream"), &["hostile"])
}

/// A gateway with one server, `hostile`, started with these options.
fn hostile(options: &[&str]) -> Option<(Bench, Served)> {
    hostile_with(options, &json!({}))
}

/// The same, with more keys for the server's configuration.
fn hostile_with(options: &[&str], keys: &Value) -> Option<(Bench, Served)> {
    let mut server = equipment()?.server("hostile", options);
    server.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    let bench = Bench::with_servers(json!({"hostile": server}));
    let served = bench.serve();
    Some((bench, served))
}

/// The output of a program that must succeed.
fn output(served: &mut Served, source: &str) -> Value {
    let answer = served.execute(source);
    assert_eq!(answer["success"], true, "{answer}");
    answer["output"].clone()
}

/// Code and message of the error of a call that must fail, as a program can
/// catch it.
fn failure(served: &mut Served, call: &str) -> (String, String) {
    let caught = output(
        served,
        &format!(
            "let caught = ['no error', ''];\n\
             try {{ await {call}; }} catch (error) {{ caught = [error.code, error.message]; }}\n\
             return caught;"
        ),
    );
    let part = |at: usize| caught[at].as_str().unwrap().to_owned();
    (part(0), part(1))
}

fn assert_works(served: &mut Served) {
    let echoed = output(served, "return await servers.hostile.echo({ text: 'works' })");
    assert_eq!(echoed, "works");
}

fn expected(code: &str, message: &str) -> (String, String) {
    (code.to_owned(), message.to_owned())
}

// ---------------------------------------------------------------- answers

#[test]
fn a_tool_that_says_it_failed_raises_an_error_that_names_all_of_it() {
    let Some((_bench, mut served)) = hostile(&[]) else { return };
    let source = "try { await servers.hostile.fail({ message: 'out of paper' }); } catch (error) {\n\
                  return [error instanceof ToolError, error.name, error.server, error.tool, \
                  error.code, error.message];\n}";
    assert_eq!(
        output(&mut served, source),
        json!([
            true,
            "ToolError",
            "hostile",
            "fail",
            "call.tool_failed",
            "`hostile__fail` failed, its server says: out of paper"
        ])
    );
    let answer = served.execute("const paper = 1;\nawait servers.hostile.fail({ message: 'jam' })");
    assert_eq!(
        answer["error"],
        json!({
            "code": "call.tool_failed",
            "message": "`hostile__fail` failed, its server says: jam",
            "line": 2,
            "column": 23
        })
    );
    assert_works(&mut served);
}

#[test]
fn a_json_rpc_error_is_an_error_of_the_call() {
    let Some((_bench, mut served)) = hostile(&[]) else { return };
    assert_eq!(
        failure(&mut served, "servers.hostile.rpcError()"),
        expected(
            "call.tool_failed",
            "server `hostile` refused the call, it says: refused on request"
        )
    );
    assert_works(&mut served);
}

#[test]
fn lines_that_are_not_messages_are_survived() {
    let Some((_bench, mut served)) = hostile(&["--noise"]) else { return };
    let source = "return [await servers.hostile.garbage(), await servers.hostile.wrongId()]";
    assert_eq!(output(&mut served, source), json!(["after the garbage", "for you"]));
}

#[test]
fn an_answer_that_is_no_result_is_a_broken_protocol() {
    let Some((_bench, mut served)) = hostile(&[]) else { return };
    for kind in ["object", "content_text", "unknown_block", "text", "list", "null"] {
        assert_eq!(
            failure(&mut served, &format!("servers.hostile.badResult({{ kind: '{kind}' }})")),
            expected(
                "upstream.protocol",
                "server `hostile` broke the protocol: its answer is not a result"
            ),
            "{kind}"
        );
    }
    assert_works(&mut served);
}

#[test]
fn an_answer_that_cannot_be_read_is_an_error_at_once() {
    let Some((_bench, mut served)) = hostile(&[]) else { return };
    let unreadable = expected(
        "upstream.protocol",
        "server `hostile` broke the protocol: its answer is malformed or nested more than 128 \
         levels deep",
    );
    let neither = failure(&mut served, "servers.hostile.badResult({ kind: 'neither' })");
    assert_eq!(neither, unreadable);
    for depth in [130, 100_000] {
        let call = format!("servers.hostile.deep({{ depth: {depth} }})");
        assert_eq!(failure(&mut served, &call), unreadable, "{depth}");
    }
    let source = "let levels = 0;\n\
                  for (let at = await servers.hostile.deep({ depth: 120 }); at.d; at = at.d) levels++;\n\
                  return levels;";
    assert_eq!(output(&mut served, source), 120);
}

#[test]
fn a_huge_result_arrives_whole() {
    let Some((_bench, mut served)) = hostile(&[]) else { return };
    let source = "const text = await servers.hostile.huge({ bytes: 8 * 1024 * 1024 });\n\
                  return [text.length, text.slice(0, 10), text.slice(-8)];";
    assert_eq!(output(&mut served, source), json!([8_388_608, "0123456789", "TUVWXYZ\n"]));
}

#[test]
fn every_kind_of_content_reaches_the_program_and_the_client_without_loss() {
    let Some((_bench, mut served)) = hostile(&[]) else { return };
    // The program compares too, so that nothing depends on how a large output is
    // summarised.
    let source = format!(
        "const answer = await callMCPTool('hostile__media', {{}}, {{ raw: true }});\n\
         const sorted = (value) => value && typeof value === 'object' && !Array.isArray(value)\n\
           ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]))\n\
           : Array.isArray(value) ? value.map(sorted) : value;\n\
         const [got, sent] = [answer, {}].map((value) => JSON.stringify(sorted(value)));\n\
         return got === sent ? 'the same' : got;",
        json!({
            "content": media(),
            "isError": false,
            "_meta": {"example.com/result": {"nested": [1, 2, 3]}}
        })
    );
    assert_eq!(output(&mut served, &source), "the same");
    assert_eq!(
        output(&mut served, "return (await servers.hostile.media()).map(({ type }) => type)"),
        json!(["text", "image", "audio", "resource_link", "resource", "resource"])
    );
    let call = json!({"name": "call_tool", "arguments": {"name": "hostile__media"}});
    let answer = served.request("tools/call", call.clone());
    // Content that cannot be searched for personal data is stored, and the client gets
    // its place.
    let shown = answer["result"]["content"].as_array().unwrap();
    let media_sent = media();
    let sent = media_sent.as_array().unwrap();
    assert_eq!(shown.len(), sent.len(), "{answer}");
    let mut kept = 0;
    for (block, sent) in shown.iter().zip(sent) {
        if sent.get("data").or(sent["resource"].get("blob")).is_none() {
            assert_eq!(block, sent);
            continue;
        }
        kept += 1;
        assert_eq!(block["type"], "text", "{block}");
        let note = block["text"].as_str().unwrap();
        assert!(note.contains("kept as `outputs/"), "{note}");
    }
    assert_eq!(kept, 3);
    let hostile = equipment().unwrap().server("hostile", &[]);
    let config = format!(
        "[privacy]\nbinary = 'pass'\n[servers.hostile]\ncommand = {}\nargs = {}\n",
        hostile["command"], hostile["args"]
    );
    let bench = Bench::new();
    bench.write("tidegate.toml", &config);
    let answer = bench.serve().request("tools/call", call);
    assert_eq!(answer["result"], json!({"content": media(), "isError": false}));
}

/// The blocks of the hostile server's `media`, as it sends them.
fn media() -> Value {
    let bytes: Vec<u8> = (0..=255).collect();
    json!([
        {
            "type": "text",
            "text": "a text",
            "annotations": {"audience": ["user", "assistant"], "priority": 0.5},
            "_meta": {"example.com/block": "text"}
        },
        {
            "type": "image",
            "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJ\
                     RU5ErkJggg==",
            "mimeType": "image/png",
            "annotations": {"audience": ["user"], "priority": 1.0},
            "_meta": {"example.com/block": "image"}
        },
        {
            "type": "audio",
            "data": "UklGRiUAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQEAAACA",
            "mimeType": "audio/wav",
            "annotations": {"audience": ["assistant"]},
            "_meta": {"example.com/block": "audio"}
        },
        {
            "type": "resource_link",
            "uri": "file:///example/report.pdf",
            "name": "report.pdf",
            "title": "The report",
            "description": "A link to a report",
            "mimeType": "application/pdf",
            "size": 12345,
            "annotations": {"lastModified": "2026-01-02T03:04:05Z", "priority": 0.0},
            "_meta": {"example.com/block": "resource_link"}
        },
        {
            "type": "resource",
            "resource": {
                "uri": "file:///example/notes.txt",
                "mimeType": "text/plain",
                "text": "an embedded text",
                "_meta": {"example.com/resource": "text"}
            },
            "annotations": {"audience": ["assistant"], "priority": 0.25},
            "_meta": {"example.com/block": "resource text"}
        },
        {
            "type": "resource",
            "resource": {
                "uri": "file:///example/data.bin",
                "mimeType": "application/octet-stream",
                "blob": base64(&bytes),
                "_meta": {"example.com/resource": "blob"}
            },
            "_meta": {"example.com/block": "resource blob"}
        }
    ])
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = DIGITS[(group >> (18 - 6 * at) & 63) as usize];
            encoded.push(if at <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    encoded
}

#[test]
fn structured_null_and_empty_answers_keep_their_meaning() {
    let Some((_bench, mut served)) = hostile(&[]) else { return };
    let weather = json!({"city": "Oslo", "degrees": -3.5, "days": ["mon", "tue"], "station": null});
    let source = "const { hostile } = servers;\n\
                  return [await hostile.structured(), await hostile.structuredNull(), \
                  await hostile.empty()];";
    assert_eq!(output(&mut served, source), json!([weather, null, null]));
    let source = "const raw = (tool) => callMCPTool(`hostile__${tool}`, {}, { raw: true });\n\
                  return [(await raw('structured')).structuredContent, await raw('structured_null'), \
                  await raw('empty')];";
    assert_eq!(
        output(&mut served, source),
        json!([
            weather,
            {"content": [{"type": "text", "text": "null"}], "structuredContent": null, "isError": false},
            {"content": [], "isError": false}
        ])
    );
    let call = json!({"name": "call_tool", "arguments": {"name": "hostile__empty"}});
    let answer = served.request("tools/call", call);
    assert_eq!(answer["result"], json!({"content": [], "isError": false}));
}

// ---------------------------------------------------------------- lives

#[test]
fn a_server_that_dies_in_the_middle_of_a_call_is_reported_and_started_again() {
    let Some((_bench, mut served)) = hostile(&[]) else { return };
    let before = output(&mut served, "return await servers.hostile.pid()");
    assert_eq!(
        failure(&mut served, "servers.hostile.die({ code: 7 })"),
        expected(
            "upstream.died",
            "server `hostile` died while it worked on the call: it exited with code 7"
        )
    );
    let after = output(&mut served, "return await servers.hostile.pid()");
    assert_ne!(before, after);
    let died = served.call("call_tool", json!({"name": "hostile__die", "arguments": {"code": 0}}));
    assert_eq!(
        died,
        (
            true,
            "error[upstream.died]: server `hostile` died while it worked on the call: it exited \
             with code 0\n\
             hint: the next call starts it again; whether this one took effect is unknown"
                .to_owned()
        )
    );
    assert_works(&mut served);
}

#[test]
fn a_server_that_dies_between_two_calls_is_started_again_without_an_error() {
    let Some((_bench, mut served)) = hostile(&[]) else { return };
    let pid = output(&mut served, "return await servers.hostile.pid()");
    let pid: u32 = pid.as_str().unwrap().parse().unwrap();
    kill(pid);
    assert_eq!(wait_until_gone(&[pid]), Vec::<u32>::new());
    assert_works(&mut served);
}

#[test]
fn a_call_that_is_never_answered_ends_at_the_timeout_of_its_server() {
    let Some((_bench, mut served)) = hostile_with(&[], &json!({"timeout": "500ms"})) else {
        return;
    };
    assert_works(&mut served);
    let started = Instant::now();
    assert_eq!(
        failure(&mut served, "servers.hostile.never()"),
        expected("upstream.timeout", "server `hostile` did not answer within 500 ms")
    );
    let waited = started.elapsed();
    assert!((500..3000).contains(&waited.as_millis()), "{waited:?}");
    // The server got the cancellation, and is still the same process.
    let source = "return (await servers.hostile.cancelLog()).ids.length";
    assert_eq!(output(&mut served, source), 1);
}

#[test]
fn a_flood_on_standard_error_is_survived() {
    let Some((_bench, mut served)) = hostile(&[]) else { return };
    let source = "return await servers.hostile.floodStderr({ bytes: 4_000_000 })";
    assert_eq!(output(&mut served, source), "flooded stderr");
    assert_works(&mut served);
}

#[test]
fn a_line_without_end_costs_that_call_and_bounded_memory() {
    let Some((_bench, mut served)) = hostile(&[]) else { return };
    assert_eq!(
        output(&mut served, "return await servers.hostile.floodStdout({ bytes: 1_000_000 })"),
        "flooded stdout"
    );
    let too_long = expected(
        "upstream.died",
        "server `hostile` died while it worked on the call: it sent a line longer than 64 MB and was \
         stopped",
    );
    assert_eq!(failure(&mut served, "servers.hostile.floodStdout({ bytes: 0 })"), too_long);
    assert_works(&mut served);
    let peak = peak_kilobytes(served.pid());
    // The line so far, its copy while it grows, and the gateway itself.
    assert!(peak < 300_000, "{peak} kB");
}

/// Answers `zeros` with a list of so many numbers, and everything else as it must.
const ZEROS: &str = r#"
import json, sys
tool = {'name': 'zeros', 'inputSchema': {'type': 'object', 'properties': {'count': {'type': 'integer'}}}}
info = {'protocolVersion': '2025-06-18', 'capabilities': {'tools': {}}, 'serverInfo': {'name': 's', 'version': '1'}}
for line in sys.stdin:
    request = json.loads(line)
    if 'id' not in request: continue
    if request['method'] == 'tools/call':
        zeros = '0,' * request['params']['arguments']['count'] + '0'
        print('{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":{"zeros":[%s]}}}' % (request['id'], zeros), flush=True)
        continue
    result = {'initialize': info, 'tools/list': {'tools': [tool]}}.get(request['method'], {})
    print(json.dumps({'jsonrpc': '2.0', 'id': request['id'], 'result': result}), flush=True)
"#;

#[test]
fn g40_answers_that_cost_too_much_memory_are_refused_and_name_their_tool() {
    let bench = Bench::new();
    let file = bench.write("server.py", ZEROS);
    let server = json!({"command": "python3", "args": [file], "max_concurrent": 64});
    bench.write(".mcp.json", &json!({"mcpServers": {"list": server}}).to_string());
    let mut served = bench.serve();
    let refused = expected(
        "upstream.too_large",
        "server `list` answered `zeros` with more than 64 MB of text, or 128 MB once it is parsed",
    );
    assert_eq!(failure(&mut served, "servers.list.zeros({ count: 30_000_000 })"), refused);
    let source = "const many = Array.from({ length: 6 }, () =>\n\
                  servers.list.zeros({ count: 5_000_000 }).catch((error) => error.code));\n\
                  return [await Promise.all(many), (await servers.list.zeros({ count: 9 })).zeros.length]";
    let codes = vec!["upstream.too_large"; 6];
    assert_eq!(output(&mut served, source), json!([codes, 10]));
    let peak = peak_kilobytes(served.pid());
    // The line, its copy while it grows, and the gateway itself.
    assert!(peak < 450_000, "{peak} kB");
}

#[test]
fn g40_an_answer_over_http_is_no_larger_than_one_over_stdio() {
    let Some(equipment) = equipment() else { return };
    let server = HttpServer::start(&equipment, &[]);
    let bench = Bench::with_servers(json!({"hostile": {"type": "http", "url": server.url()}}));
    let mut served = bench.serve();
    let refused = expected(
        "upstream.too_large",
        "server `hostile` answered `huge` with more than 64 MB of text, or 128 MB once it is parsed",
    );
    assert_eq!(failure(&mut served, "servers.hostile.huge({ bytes: 300_000_000 })"), refused);
    assert_works(&mut served);
    let peak = peak_kilobytes(served.pid());
    assert!(peak < 300_000, "{peak} kB");
}

/// The peak memory of a process.
fn peak_kilobytes(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn a_server_that_does_not_start_is_reported_and_then_left_alone_for_a_while() {
    let Some((bench, mut served)) = hostile(&["--die-at-start", "3", "--start-log", "starts"])
    else {
        return;
    };
    let call = "callMCPTool('hostile__echo', { text: 'hi' })";
    let failed = expected(
        "upstream.unavailable",
        "server `hostile` could not be started: it exited with code 3",
    );
    for _ in 0..4 {
        assert_eq!(failure(&mut served, call), failed);
    }
    let backing_off = expected(
        "upstream.unavailable",
        "server `hostile` keeps failing and is tried again in 1 s: it exited with code 3",
    );
    assert_eq!(failure(&mut served, call), backing_off);
    assert_eq!(lines_of(&bench.path().join("starts")).len(), 4);
    assert_eq!(output(&mut served, "return 'other programs run'"), "other programs run");
}

fn lines_of(path: &Path) -> Vec<String> {
    let content = std::fs::read_to_string(path).unwrap_or_default();
    content.lines().map(str::to_owned).collect()
}

#[test]
fn a_server_that_hangs_at_its_start_costs_its_connect_timeout_and_is_ended() {
    let options = ["--hang-at-start", "--start-log", "starts"];
    let Some((bench, mut served)) = hostile_with(&options, &json!({"connectTimeout": "700ms"}))
    else {
        return;
    };
    let started = Instant::now();
    assert_eq!(
        failure(&mut served, "servers.hostile.echo({ text: 'hi' })"),
        expected(
            "upstream.unavailable",
            "server `hostile` could not be started: no answer to the handshake within 700 ms"
        )
    );
    let waited = started.elapsed();
    assert!((700..4000).contains(&waited.as_millis()), "{waited:?}");
    let pids: Vec<u32> =
        lines_of(&bench.path().join("starts")).iter().map(|pid| pid.parse().unwrap()).collect();
    assert_eq!(pids.len(), 1);
    assert_eq!(wait_until_gone(&pids), Vec::<u32>::new());
}

#[test]
fn a_missing_command_or_folder_fails_that_server_only() {
    let Some(equipment) = equipment() else { return };
    let mut elsewhere = equipment.server("hostile", &[]);
    elsewhere["cwd"] = json!("/no/such/folder");
    let bench = Bench::with_servers(json!({
        "missing": {"command": "/no/such/command"},
        "elsewhere": elsewhere,
        "hostile": equipment.server("hostile", &[]),
    }));
    let mut served = bench.serve();
    assert_eq!(
        failure(&mut served, "servers.missing.echo()"),
        expected(
            "upstream.unavailable",
            "server `missing` could not be started: its command was not found"
        )
    );
    assert_eq!(
        failure(&mut served, "servers.elsewhere.echo()"),
        expected(
            "upstream.unavailable",
            "server `elsewhere` could not be started: its working folder `cwd` does not exist"
        )
    );
    assert_works(&mut served);
    let (is_error, found) = served.call("search_tools", json!({"query": "echo", "limit": 1}));
    assert_eq!(
        (is_error, found.as_str()),
        (
            false,
            "servers.hostile.echo [read-only]  Gives the text back\n\
             not searched, since they do not start: elsewhere, missing\n"
        )
    );
}

#[test]
fn calls_at_the_same_time_really_are_parallel() {
    let Some((_bench, mut served)) = hostile(&[]) else { return };
    assert_works(&mut served);
    let source = "const start = Date.now();\n\
                  const calls = Array.from({ length: 10 }, (_, n) => \
                  servers.hostile.slow({ ms: 300, text: `${n}` }));\n\
                  return [(await Promise.all(calls)).join(''), Date.now() - start];";
    let done = output(&mut served, source);
    assert_eq!(done[0], "0123456789");
    let took = done[1].as_u64().unwrap();
    assert!((300..1500).contains(&took), "{took} ms");
}

#[test]
fn a_server_with_one_call_at_a_time_gets_one_call_at_a_time() {
    let Some((_bench, mut served)) = hostile_with(&[], &json!({"maxConcurrent": 1})) else {
        return;
    };
    assert_works(&mut served);
    let source = "const start = Date.now();\n\
                  await Promise.all(Array.from({ length: 10 }, () => servers.hostile.slow({ ms: 100 })));\n\
                  return Date.now() - start;";
    let took = output(&mut served, source).as_u64().unwrap();
    assert!(took >= 1000, "{took} ms");
}

// ---------------------------------------------------------------- eras and lists

#[test]
fn servers_of_every_era_are_spoken_to() {
    let Some(equipment) = equipment() else { return };
    let bench = Bench::with_servers(json!({
        "old": equipment.server("hostile", &["--old"]),
        "usual": equipment.server("hostile", &[]),
        "stateless": equipment.server("hostile", &["--no-initialize"]),
    }));
    let mut served = bench.serve();
    let source = "const names = ['old', 'usual', 'stateless'];\n\
                  return await Promise.all(names.map((name) => servers[name].echo({ text: name })));";
    assert_eq!(output(&mut served, source), json!(["old", "usual", "stateless"]));
    let snapshot = |name: &str| {
        let path = bench.state_dir().join(format!("snapshots/{name}.json"));
        let snapshot: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        snapshot["info"]["protocolVersion"].clone()
    };
    assert_eq!(
        ["old", "usual", "stateless"].map(snapshot),
        ["2024-11-05", "2025-11-25", "2026-07-28"].map(Value::from)
    );
}

#[test]
fn all_pages_of_a_tool_list_are_joined() {
    let Some(equipment) = equipment() else { return };
    let bench = Bench::with_servers(json!({
        "whole": equipment.server("hostile", &[]),
        "paged": equipment.server("hostile", &["--page-size", "3"]),
        "many": equipment.server("hostile", &["--many-tools", "3000", "--page-size", "100"]),
        "twice": equipment.server("hostile", &["--duplicate-tools"]),
    }));
    let mut served = bench.serve();
    let source = "const [whole, paged, many, twice] = ['whole', 'paged', 'many', 'twice'].map((name) => \
                  Object.keys(servers[name]).join());\n\
                  return [whole === paged, whole === twice, many.startsWith(whole), \
                  many.split(',').length - whole.split(',').length, \
                  await servers.many.many03000({ value: 'last' })];";
    let last = "many_03000: {\"value\": \"last\"}";
    assert_eq!(output(&mut served, source), json!([true, true, true, 3000, last]));
}

#[test]
fn a_tool_list_without_end_is_refused() {
    let Some(equipment) = equipment() else { return };
    let bench = Bench::with_servers(json!({
        "ever_new": equipment.server("hostile", &["--endless-pages", "--page-size", "1"]),
        "the_same": equipment.server("hostile", &["--endless-pages", "same"]),
    }));
    let mut served = bench.serve();
    for server in ["ever_new", "the_same"] {
        assert_eq!(
            failure(&mut served, &format!("servers.{server}.echo({{ text: 'hi' }})")),
            expected(
                "upstream.protocol",
                &format!("server `{server}` broke the protocol: its tool list never ends")
            )
        );
    }
}

#[test]
fn a_tool_that_a_server_adds_can_be_called_and_found_at_once() {
    let Some(equipment) = equipment() else { return };
    let bench = Bench::with_servers(json!({
        "usual": equipment.server("hostile", &["--page-size", "5"]),
        "stateless": equipment.server("hostile", &["--no-initialize"]),
    }));
    let mut served = bench.serve();
    // The list is known before, so that only the change can add the tool.
    let count = "return [servers.usual, servers.stateless].map((api) => Object.keys(api).length)";
    assert_eq!(output(&mut served, count), json!([30, 30]));
    for server in ["usual", "stateless"] {
        let source = format!(
            "const added = await servers.{server}.growTools();\n\
             return [added, await callMCPTool(`{server}__${{added}}`, {{}})];"
        );
        assert_eq!(output(&mut served, &source), json!(["grown_1", "grown_1: {}"]));
        let query = json!({"query": "added at run time", "server": server, "limit": 1});
        let found = served.call("search_tools", query);
        let mark = "[new since its server was accepted]";
        let expected = format!("servers.{server}.grown1  {mark} Added at run time\n");
        assert_eq!(found, (false, expected));
    }
    assert_eq!(output(&mut served, count), json!([31, 31]));
}

// ---------------------------------------------------------------- HTTP

/// A hostile server over HTTP, killed with the test.
struct HttpServer {
    child: Child,
    port: u16,
}

impl HttpServer {
    fn start(equipment: &Equipment, options: &[&str]) -> Self {
        let mut command = equipment.command("hostile");
        command.args(["--http", "0"]).args(options).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().strip_prefix("PORT ").unwrap().parse().unwrap();
        Self { child, port }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn servers_over_http_work_in_both_eras() {
    let Some(equipment) = equipment() else { return };
    let usual = HttpServer::start(&equipment, &["--page-size", "4"]);
    let stateless = HttpServer::start(&equipment, &["--no-initialize"]);
    let bench = Bench::with_servers(json!({
        "hostile": {"type": "http", "url": usual.url()},
        "stateless": {"url": stateless.url()},
    }));
    let mut served = bench.serve();
    assert_works(&mut served);
    let source = "const { stateless } = servers;\n\
                  const calls = Array.from({ length: 10 }, () => stateless.slow({ ms: 300 }));\n\
                  const start = Date.now();\n\
                  await Promise.all(calls);\n\
                  const took = Date.now() - start;\n\
                  const text = await stateless.huge({ bytes: 2_000_000 });\n\
                  return [took < 2000, text.length, (await stateless.media()).length];";
    assert_eq!(output(&mut served, source), json!([true, 2_000_000, 6]));
    assert_eq!(
        failure(&mut served, "servers.hostile.fail({ message: 'no' })"),
        expected("call.tool_failed", "`hostile__fail` failed, its server says: no")
    );
    assert_eq!(
        failure(&mut served, "servers.hostile.rpcError()"),
        expected(
            "call.tool_failed",
            "server `hostile` refused the call, it says: refused on request"
        )
    );
    assert_works(&mut served);
}

#[test]
fn a_call_over_http_that_is_given_up_is_cancelled_there_too() {
    let Some(equipment) = equipment() else { return };
    let server = HttpServer::start(&equipment, &[]);
    let bench = Bench::with_servers(json!({"hostile": {"url": server.url(), "timeout": "500ms"}}));
    let mut served = bench.serve();
    assert_eq!(
        failure(&mut served, "servers.hostile.never()"),
        expected("upstream.timeout", "server `hostile` did not answer within 500 ms")
    );
    let source = "return (await servers.hostile.cancelLog()).ids.length > 0";
    assert_eq!(output(&mut served, source), true);
}

#[test]
fn a_server_over_http_that_goes_away_is_reported_and_found_again() {
    let Some(equipment) = equipment() else { return };
    let server = HttpServer::start(&equipment, &[]);
    let (url, port) = (server.url(), server.port.to_string());
    let bench = Bench::with_servers(json!({"hostile": {"url": url}}));
    let mut served = bench.serve();
    assert_works(&mut served);
    drop(server);
    let call = "callMCPTool('hostile__echo', { text: 'hi' })";
    assert_eq!(
        failure(&mut served, call),
        expected(
            "upstream.died",
            "server `hostile` died while it worked on the call: the connection was closed"
        )
    );
    assert_eq!(
        failure(&mut served, call),
        expected(
            "upstream.unavailable",
            "server `hostile` could not be started: it cannot be reached; check the URL and that \
             the server is running"
        )
    );
    // On the same port again: `--http` given twice, the last one counts.
    let _again = HttpServer::start(&equipment, &["--http", &port]);
    assert_works(&mut served);
}

// ---------------------------------------------------------------- secrets

const SECRETS: [&str; 5] =
    ["header-hunter2", "wrong-hunter2", "query-hunter2", "env-hunter2", "arg-hunter2"];

#[test]
fn no_secret_is_in_an_error_or_in_the_state_folder() {
    let Some(equipment) = equipment() else { return };
    let guarded = HttpServer::start(&equipment, &["--require-header", "X-Key=header-hunter2"]);
    // Over stdio the option does nothing; here it is an argument with a secret.
    let secret_argument = ["--require-header", "k=arg-hunter2"];
    let mut local = equipment.server("hostile", &secret_argument);
    local["env"] = json!({"TOKEN": "env-hunter2"});
    let dying = [secret_argument.as_slice(), &["--die-at-start", "9"]].concat();
    let mut dies = equipment.server("hostile", &dying);
    dies["env"] = json!({"TOKEN": "env-hunter2"});
    let with_query = format!("{}?key=query-hunter2", guarded.url());
    let bench = Bench::with_servers(json!({
        "allowed": {"url": with_query, "headers": {"X-Key": "header-hunter2"}},
        "refused": {"url": with_query, "headers": {"X-Key": "wrong-hunter2"}},
        "anonymous": {"url": guarded.url()},
        "unreachable": {"url": "http://127.0.0.1:1/mcp?key=query-hunter2"},
        "local": local,
        "dies": dies,
    }));
    let mut served = bench.serve();
    let source = "return [await servers.allowed.echo({ text: 'in' }), \
                  (await servers.local.envDump()).includes('TOKEN')]";
    assert_eq!(output(&mut served, source), json!(["in", true]));
    for server in ["refused", "anonymous"] {
        assert_eq!(
            failure(&mut served, &format!("servers.{server}.echo({{ text: 'in' }})")),
            expected(
                "upstream.unavailable",
                &format!(
                    "server `{server}` could not be started: it asks for authorization; check the \
                     headers in the configuration"
                )
            )
        );
    }
    assert_eq!(
        failure(&mut served, "servers.unreachable.echo({ text: 'in' })"),
        expected(
            "upstream.unavailable",
            "server `unreachable` could not be started: it cannot be reached; check the URL and \
             that the server is running"
        )
    );
    drop(served);
    // The output for an operator, at the most verbose log level.
    let tested = bench.command(&["-vvv", "servers", "test"]);
    assert_eq!(tested.status.code(), Some(5));
    let listed = bench.command(&["servers", "list", "--json"]);
    assert_eq!(listed.status.code(), Some(0));
    let mut places = vec![("stdout".to_owned(), text(&tested.stdout))];
    places.push(("stderr".to_owned(), text(&tested.stderr)));
    places.push(("list".to_owned(), text(&listed.stdout)));
    read_all(&bench.state_dir(), &mut places);
    let found: Vec<(&str, &str)> = places
        .iter()
        .flat_map(|(place, content)| {
            let inside = SECRETS.iter().filter(|secret| content.contains(**secret));
            inside.map(move |secret| (place.as_str(), *secret))
        })
        .collect();
    assert_eq!(found, []);
}

/// Names and contents of all files below a folder.
fn read_all(folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_all(&path, files);
        } else {
            let content = text(&std::fs::read(&path).unwrap());
            files.push((path.display().to_string(), content));
        }
    }
}

// ---------------------------------------------------------------- ends

/// How a gateway ends.
#[derive(Clone, Copy)]
enum End {
    ClosedInput,
    Terminated,
    Killed,
}

/// Ends a gateway whose server has a grandchild in its own session, and returns the
/// processes that are left.
fn left_after(end: End, options: &[&str]) -> Vec<u32> {
    let Some((_bench, mut served)) = hostile(options) else { return Vec::new() };
    let source = "return await servers.hostile.spawnGrandchild({ keep_stderr: true })";
    let grandchild = output(&mut served, source);
    let grandchild: u32 = grandchild.as_str().unwrap().parse().unwrap();
    let mut all = descendants(served.pid());
    assert!(all.contains(&grandchild), "{grandchild} is not below the gateway: {all:?}");
    all.push(served.pid());
    match end {
        End::ClosedInput => drop(served.end()),
        End::Terminated => signal("-TERM", served.pid()),
        End::Killed => signal("-KILL", served.pid()),
    }
    wait_until_gone(&all)
}

fn kill(pid: u32) {
    signal("-KILL", pid);
}

fn signal(name: &str, pid: u32) {
    let sent = Command::new("kill").args([name, &pid.to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn children_and_grandchildren_end_with_the_gateway() {
    assert_eq!(left_after(End::ClosedInput, &[]), Vec::<u32>::new());
    assert_eq!(left_after(End::Terminated, &[]), Vec::<u32>::new());
}

#[test]
fn children_and_grandchildren_end_with_a_gateway_that_is_killed() {
    assert_eq!(left_after(End::Killed, &[]), Vec::<u32>::new());
}

#[test]
fn children_that_resist_end_with_the_gateway() {
    assert_eq!(left_after(End::ClosedInput, &["--ignore-eof"]), Vec::<u32>::new());
}

#[test]
fn children_that_resist_end_with_a_gateway_that_is_killed() {
    assert_eq!(left_after(End::Killed, &["--ignore-eof"]), Vec::<u32>::new());
}

#[test]
fn grandchildren_of_a_server_that_died_are_gone_while_the_gateway_lives() {
    let Some((_bench, mut served)) = hostile(&[]) else { return };
    let grandchild = output(&mut served, "return await servers.hostile.spawnGrandchild()");
    let grandchild: u32 = grandchild.as_str().unwrap().parse().unwrap();
    failure(&mut served, "servers.hostile.die()");
    assert_eq!(wait_until_gone(&[grandchild]), Vec::<u32>::new());
    assert_works(&mut served);
}

// ---------------------------------------------------------------- snapshots

#[test]
fn twenty_known_servers_are_listed_and_searched_without_starting_any() {
    let Some(equipment) = equipment() else { return };
    let server = |options: &[&str]| {
        equipment.server("hostile", &[&["--start-log", "starts"], options].concat())
    };
    let names: Vec<String> = (0..20).map(|number| format!("server{number:02}")).collect();
    let mut servers: Value = names.iter().map(|name| (name.clone(), server(&[]))).collect();
    let bench = Bench::with_servers(servers.clone());
    let starts = || lines_of(&bench.path().join("starts")).len();
    let listed = bench.command(&["tools", "list", "--json"]);
    assert_eq!(listed.status.code(), Some(0), "{}", text(&listed.stderr));
    assert_eq!(starts(), 20);

    let query = json!({"query": "gives the text back", "detail": "name", "limit": 1});
    let more =
        "+199 more (server01 10, server02 10, server03 10); narrow with `server` or more words";
    let first = (false, format!("servers.server00.echo [read-only]\n{more}\n"));
    let mut served = bench.serve();
    let started = Instant::now();
    let tools = served.request("tools/list", json!({}));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 9);
    assert_eq!(served.call("search_tools", query.clone()), first);
    let definition = served.call("get_tool_definition", json!({"name": "server19__echo"}));
    assert!(!definition.0, "{}", definition.1);
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    assert_eq!(starts(), 20);
    // A call starts only its own server.
    let source = "return await servers.server07.echo({ text: 'seven' })";
    assert_eq!(output(&mut served, source), "seven");
    assert_eq!(starts(), 21);
    drop(served);

    // With other arguments, the server may have other tools, so it is asked again.
    servers["server03"] = server(&["--many-tools", "1"]);
    bench.write(".mcp.json", &json!({"mcpServers": servers}).to_string());
    let mut served = bench.serve();
    assert_eq!(served.call("search_tools", query), first);
    let query = json!({"query": "tool number 1 of many", "limit": 1, "server": "server03"});
    let (_, found) = served.call("search_tools", query);
    assert_eq!(found.lines().next(), Some("servers.server03.many00001  Tool number 1 of many"));
    assert_eq!(starts(), 22);
}
