//! Secrets of the gateway and of its servers, searched for where a program runs.

use std::fs;
use std::process::Command;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use crate::clients::wait_for_progress;
use crate::jail::attacker::{User, users};
use crate::programs;
use crate::support::{Bench, Equipment, Served, descendants, skip, text};

/// All memory of a worker, and of the engine below it, while a program runs. A
/// compromised worker could read it.
#[test]
fn no_secret_is_in_the_memory_of_a_worker_or_an_engine() {
    let test = "no_secret_is_in_the_memory_of_a_worker_or_an_engine";
    for user in users(test) {
        if user == User::Own {
            return skip(test, "only root can look into the memory of a worker");
        }
        for engine in ["quickjs", "node"] {
            let Some(bench) = bench(user, test, engine) else { return };
            let mut served =
                Served::start(bench.tidegate().arg("serve").env("TOKEN", "own-hunter7391"));
            begin(&mut served, engine);
            let guests = guests(served.pid());
            // The launcher, the first process and the worker; the engine.
            assert!(guests.len() >= if engine == "node" { 4 } else { 3 }, "{guests:?}");
            for (pid, line) in guests {
                assert_eq!(count_in_memory(pid, "hunter7391"), 0, "{user:?}: `{line}`");
            }
            // The control: the processes that need the secrets have them.
            assert!(count_in_memory(served.pid(), "own-hunter7391") >= 1);
            assert!(count_in_memory(served.pid(), "server-hunter7391") >= 1);
            // Its run never ends.
            kill(Pid::from_raw(served.pid().cast_signed()), Signal::SIGKILL).unwrap();
        }
    }
}

/// A bench with a server that gets a secret.
fn bench(user: User, test: &str, engine: &str) -> Option<Bench> {
    let node = Equipment::get(test, &["node"])?.server("node", &[])["command"].clone();
    let more = if engine == "node" { format!("[sandbox]\nnode = {node}\n") } else { String::new() };
    let bench = programs::bench_of(user, test, &more)?;
    let config = fs::read_to_string(bench.path().join("tidegate.toml")).unwrap();
    // The hostile server is the last one in the file.
    let config = format!("{config}env = {{ TOKEN = \"server-hunter7391\" }}\n");
    bench.write("tidegate.toml", &config);
    Some(bench)
}

/// Starts a run and waits until the run itself waits.
fn begin(served: &mut Served, engine: &str) {
    let code = "const call = servers.hostile.never();\n\
                await servers.hostile.echo({ text: 'under way' });\n\
                await call";
    served.begin(
        "tools/call",
        json!({
            "name": "execute_code",
            "arguments": {"code": code, "engine": engine},
            "_meta": {"progressToken": "run"}
        }),
    );
    wait_for_progress(served, "1 of 2 tool calls done");
}

/// All processes below the gateway except servers and their guards, with their command
/// lines.
fn guests(gateway: u32) -> Vec<(u32, String)> {
    let line = |pid: u32| {
        text(&fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default()).replace('\0', " ")
    };
    let is_server = |line: &str| [" guard ", "server"].iter().any(|word| line.contains(word));
    let all = descendants(gateway).into_iter().map(|pid| (pid, line(pid)));
    all.filter(|(_, line)| !is_server(line)).collect()
}

/// How often a text occurs in the writable memory of a process. In Python, since a
/// build for tests takes a minute for it.
fn count_in_memory(pid: u32, wanted: &str) -> usize {
    let script = "import sys
pid, wanted, found = sys.argv[1], sys.argv[2].encode(), 0
memory = open(f'/proc/{pid}/mem', 'rb', 0)
for line in open(f'/proc/{pid}/maps'):
    if ' rw' not in line: continue
    start, end = (int(text, 16) for text in line.split(' ')[0].split('-'))
    for at in range(start, end, 1 << 20):
        try:
            memory.seek(at)
            found += memory.read(min(end - at, (1 << 20) + len(wanted) - 1)).count(wanted)
        except OSError: pass  # reserved, and not there
print(found)";
    let pid = pid.to_string();
    let output = Command::new("python3").args(["-c", script, &pid, wanted]).output().unwrap();
    text(&output.stdout).trim().parse().unwrap_or_else(|_| panic!("{}", text(&output.stderr)))
}
