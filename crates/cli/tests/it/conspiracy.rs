//! Programs and servers that attack the gateway itself: each of these once worked.

use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Bench, Equipment, Served, descendants, query, text};

fn with_hostile(test: &str) -> Option<Bench> {
    let equipment = Equipment::get(test, &["hostile"])?;
    Some(Bench::with_servers(json!({"hostile": equipment.server("hostile", &[])})))
}

#[test]
fn a_call_that_is_cut_off_by_the_end_of_its_run_is_recorded() {
    let Some(bench) = with_hostile("a_call_that_is_cut_off") else { return };
    let mut served = bench.serve();
    let source = "await servers.hostile.never()";
    let answer = served.execute_with(json!({"code": source, "timeout_ms": 1500}));
    assert_eq!(answer["error"]["code"], "limit.time");
    let rows = query(
        &bench.state_dir().join("record.db"),
        "select r.tool_calls, c.tool, c.outcome, c.error_code from runs r join calls c on c.run_id = r.id",
    );
    assert_eq!(rows, ["1|never|failed|run.cancelled"]);
}

#[test]
fn a_refused_call_does_not_wait_in_memory_for_its_turn() {
    let Some(equipment) = Equipment::get("a_refused_call", &["hostile"]) else { return };
    let mut server = equipment.server("hostile", &[]);
    server["max_concurrent"] = json!(64);
    let bench = Bench::with_servers(json!({"hostile": server}));
    let mut served = bench.serve();
    // All slots are taken for good. 64 MB of the calls behind them can wait, and only a
    // refused call can ever be answered. Thrown, not returned: a program that returns
    // waits for its calls.
    let answer = served.execute(
        "for (let i = 0; i < 64; i++) servers.hostile.never().catch(() => {});\n\
         const text = 'x'.repeat(1 << 20);\n\
         const flood = Array.from({ length: 66 }, () => servers.hostile.echo({ text }).catch((e) => e.code));\n\
         throw new Error(await Promise.race(flood));",
    );
    assert_eq!(answer["error"]["code"], "program.threw", "{answer}");
    assert_eq!(answer["error"]["message"], "the program threw: limit.tool_calls");
}

#[test]
fn calls_in_parallel_end_at_their_limit() {
    // Two calls that never end take two slots before the third asks for one: it gets
    // one only if three calls may run in parallel.
    let source = "servers.hostile.never().catch(() => {}); servers.hostile.never().catch(() => {});\n\
                  await new Promise((done) => setTimeout(done, 500));\n\
                  throw new Error(await servers.hostile.echo({ text: 'had its turn' }));";
    for (limit, code) in [(2, "limit.time"), (3, "program.threw")] {
        let test = "calls_in_parallel_end_at_their_limit";
        let limits = format!("parallel_calls = {limit}");
        let Some(bench) = crate::programs::bench(test, &limits) else { return };
        let mut served = bench.serve();
        served.execute("await servers.hostile.echo({ text: '' })");
        let answer = served.execute_with(json!({"code": source, "timeout_ms": 2500}));
        assert_eq!(answer["error"]["code"], code, "{limit}: {answer}");
        assert_eq!(served.execute("return 1")["output"], 1);
    }
}

#[test]
fn a_server_whose_input_ends_is_asked_to_end_before_it_is_killed() {
    let bench = Bench::new();
    let script = "trap 'echo asked; exit 0' TERM; echo ready; while :; do sleep 0.05; done";
    let mut guard = bench
        .tidegate()
        .args(["guard", "--", "sh", "-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = guard.stdout.take().unwrap();
    let mut ready = [0; 6];
    output.read_exact(&mut ready).unwrap();
    guard.stdin.take();
    let started = Instant::now();
    let mut rest = Vec::new();
    output.read_to_end(&mut rest).unwrap();
    assert_eq!(text(&rest), "asked\n");
    assert_eq!(guard.wait().unwrap().code(), Some(0));
    assert!(started.elapsed() < Duration::from_secs(6));
}

#[test]
fn a_schema_that_would_take_for_ever_does_not_stop_the_gateway() {
    let bench = Bench::new();
    // Each definition refers twice to the next: 2^45 visits, written out.
    let script = "\
import json, sys
defs = {f'd{n}': {'allOf': [{'$ref': f'#/$defs/d{n+1}'}] * 2} for n in range(45)}
defs['d45'] = {'type': 'string'}
wide = {f'p{n}': {'$ref': '#'} for n in range(60)}
tools = [{'name': 'deep', 'inputSchema': {'type': 'object', 'properties': {'a': {'$ref': '#/$defs/d0'}}, '$defs': defs}},
         {'name': 'wide', 'inputSchema': {'type': 'object', 'properties': wide}}]
for line in sys.stdin:
    request = json.loads(line)
    if 'id' not in request: continue
    result = {'initialize': {'protocolVersion': '2025-06-18', 'capabilities': {'tools': {}}, 'serverInfo': {'name': 's', 'version': '1'}},
              'tools/list': {'tools': tools},
              'tools/call': {'content': [{'type': 'text', 'text': 'answered'}]}}.get(request['method'], {})
    print(json.dumps({'jsonrpc': '2.0', 'id': request['id'], 'result': result}), flush=True)
";
    let file = bench.write("server.py", script);
    bench.write(
        ".mcp.json",
        &json!({"mcpServers": {"odd": {"command": "python3", "args": [file]}}}).to_string(),
    );
    let mut served = bench.serve();
    let started = Instant::now();
    let answer = served.execute("return await servers.odd.deep({ a: 'x' })");
    assert_eq!(answer["output"], "answered");
    let mut nested = "{}".to_owned();
    for _ in 0..60 {
        nested = format!("{{ p0: {nested} }}");
    }
    let answer = served.execute(&format!("return await servers.odd.wide({nested})"));
    assert_eq!(answer["output"], "answered");
    let (_, definition) = served.call("get_tool_definition", json!({"name": "odd__wide"}));
    assert!(definition.len() < 100_000, "{} bytes", definition.len());
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

#[test]
fn a_worker_has_no_environment_and_no_descriptor_but_its_channel() {
    let bench = Bench::new();
    let secret = bench.write("secret", "hunter2");
    // The process that starts the gateway may leave descriptors open in it.
    let mut shell = std::process::Command::new("sh");
    let script =
        format!("exec 9<{}; exec {} serve", secret.display(), env!("CARGO_BIN_EXE_tidegate"));
    shell.args(["-c", &script]).current_dir(bench.path());
    shell.env("TIDEGATE_HOME", bench.state_dir()).env("TOKEN", "hunter2");
    let mut served = Served::start(&mut shell);
    // The positive control: the gateway itself has both.
    assert!(environment(served.pid()).contains("hunter2"));
    assert!(descriptors(served.pid()).iter().any(|target| target.ends_with("/secret")));
    let spare = wait_for_spare_worker(served.pid());
    assert_eq!(environment(spare), "");
    let mut targets = descriptors(spare);
    targets.retain(|target| target != "/dev/null");
    assert!(targets.iter().all(|target| target.starts_with("socket:")), "{targets:?}");
    targets.dedup();
    assert_eq!(targets.len(), 1, "{targets:?}");
    assert_eq!(served.execute("return Object.keys(process.env).length")["output"], 0);
}

fn environment(pid: u32) -> String {
    text(&std::fs::read(format!("/proc/{pid}/environ")).unwrap())
}

/// The targets of a process's descriptors, sorted.
fn descriptors(pid: u32) -> Vec<String> {
    let entries = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
    let target = |entry: std::fs::DirEntry| std::fs::read_link(entry.path()).ok();
    let mut targets: Vec<String> =
        entries.filter_map(target).map(|path| path.display().to_string()).collect();
    targets.sort();
    targets
}

/// The spare worker, after it has dropped everything it inherited.
fn wait_for_spare_worker(gateway: u32) -> u32 {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        // Two threads: the second is started after the descriptors are closed.
        let ready = |pid: &u32| {
            std::fs::read_dir(format!("/proc/{pid}/task")).is_ok_and(|tasks| tasks.count() == 2)
        };
        if let Some(worker) = descendants(gateway).into_iter().find(ready) {
            return worker;
        }
        assert!(Instant::now() < deadline, "no spare worker");
        std::thread::sleep(Duration::from_millis(5));
    }
}
