//! Limits of engines and host commands, which can have many processes: as root, where
//! the kernel counts in control groups, and as a user who has none.
//!
//! Each message is compared with the usage that it reports, and that with the limit.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::unistd::geteuid;
use serde_json::{Value, json};

use crate::support::{Bench, Equipment, skip, text};

/// An unprivileged user who owns nothing: `nobody` on Linux.
const NOBODY: u32 = 65534;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum User {
    /// The user that runs the tests.
    Own,
    /// Root, after switching to a user without rights, who cannot create control
    /// groups.
    Dropped,
}

fn users(test: &str) -> Vec<User> {
    if geteuid().is_root() {
        return vec![User::Own, User::Dropped];
    }
    skip(test, "the half that needs root");
    vec![User::Own]
}

/// Runs a program as a user, with these arguments of `tidegate run`.
fn run_as(user: User, bench: &Bench, arguments: &[&str], source: &str) -> Value {
    let state = tempfile::tempdir().unwrap();
    let mut command = bench.tidegate();
    command.args(["run", "--json"]).args(arguments).arg("-").env("TIDEGATE_HOME", state.path());
    if user == User::Dropped {
        std::os::unix::fs::chown(state.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        command.uid(NOBODY).gid(NOBODY);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error} {}", text(&output.stderr)))
}

/// A folder that every user can read, with a Python script as command `py`.
fn python(script: &str, limits: &str, command: &str) -> Option<Bench> {
    if !Path::new("/usr/bin/python3").exists() || !Path::new("/usr/lib/python3.11").exists() {
        skip("limits of commands", "there is no Python 3.11 in `/usr`");
        return None;
    }
    let bench = open_bench();
    let file = bench.write("script.py", script);
    bench.write(
        "tidegate.toml",
        &format!(
            "profile = \"execute_full\"\n[limits]\ntime = \"60s\"\n{limits}\n[commands.py]\n\
             path = \"/usr/bin/python3\"\nargs = [\"-I\", \"-S\", {file:?}]\n\
             read = [\"/usr/lib/python3.11\", {file:?}]\ntime = \"50s\"\n{command}\n"
        ),
    );
    Some(bench)
}

fn open_bench() -> Bench {
    let bench = Bench::new();
    std::fs::set_permissions(bench.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    bench
}

/// A program that runs `py` with this script.
fn of_command(file: &Path) -> String {
    format!(
        "try {{ return await commands.run('py', ['-I', '-S', {file:?}]); }}\n\
         catch (error) {{ return [error.code, error.message, error.hint]; }}"
    )
}

/// The result of a command, or its error as code, message and hint.
fn run_python(user: User, bench: &Bench) -> Value {
    let file = bench.path().join("script.py");
    let answer = run_as(user, bench, &[], &of_command(&file));
    assert_eq!(answer["error"], Value::Null, "{answer}");
    answer["output"].clone()
}

/// The number in a message with this beginning and end.
fn number_in(message: &Value, start: &str, end: &str) -> f64 {
    let message = message.as_str().unwrap_or_default();
    let number = message.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
    number
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| panic!("`{message}` is not `{start}…{end}`"))
}

const FILL: &str = "def fill(megabytes): return bytearray(b'x') * (megabytes << 20)\n";

#[test]
fn memory_of_a_command_is_bounded_and_named() {
    let test = "memory_of_a_command_is_bounded_and_named";
    // It continues for as long as it is allowed: no allocation is refused.
    let script = format!(
        "{FILL}import time\nkept = []\nwhile len(kept) < 200:\n kept.append(fill(4)); time.sleep(0.001)"
    );
    let Some(bench) = python(&script, "", "memory = \"64MB\"") else { return };
    for user in users(test) {
        let answer = run_python(user, &bench);
        assert_eq!(answer[0], "command.memory", "{user:?}: {answer}");
        let start = "`py` hit its limit `memory` of 64 MB: it used ";
        let used = number_in(&answer[1], start, " MB");
        assert!((64.0..250.0).contains(&used), "{user:?}: {answer}");
        assert_eq!(answer[2], "do less at once, or let the user raise `commands.py.memory`");
    }
}

/// Each process alone is below the limit.
#[test]
fn memory_of_all_processes_of_a_command_counts() {
    let test = "memory_of_all_processes_of_a_command_counts";
    let script = format!(
        "{FILL}import os,time\nfor _ in range(5):\n if os.fork() == 0:\n  kept = fill(40)\n  time.sleep(20)\n  os._exit(0)\n\
         time.sleep(20)"
    );
    let Some(bench) = python(&script, "", "memory = \"100MB\"") else { return };
    for user in users(test) {
        let answer = run_python(user, &bench);
        assert_eq!(answer[0], "command.memory", "{user:?}: {answer}");
    }
}

/// Memory that forked processes share counts once.
#[test]
fn shared_memory_of_a_command_is_counted_once() {
    let test = "shared_memory_of_a_command_is_counted_once";
    let script = format!(
        "{FILL}import os,time\nkept = fill(60)\nfor _ in range(4):\n if os.fork() == 0:\n  time.sleep(0.5)\n  os._exit(0)\n\
         for _ in range(4): os.wait()\nprint(len(kept) >> 20)"
    );
    let Some(bench) = python(&script, "", "memory = \"120MB\"") else { return };
    for user in users(test) {
        let answer = run_python(user, &bench);
        assert_eq!(answer["stdout"], "60\n", "{user:?}: {answer}");
    }
}

/// Four processes at a time use four times as much as each of them, or as their parent.
#[test]
fn cpu_time_of_all_processes_of_a_command_counts() {
    let test = "cpu_time_of_all_processes_of_a_command_counts";
    let script = "import os\nfor _ in range(3): os.fork()\nwhile True: pass";
    let Some(bench) = python(script, "cpu = \"1s\"", "") else { return };
    for user in users(test) {
        let answer = run_python(user, &bench);
        assert_eq!(answer[0], "command.cpu", "{user:?}: {answer}");
        let start = "`py` hit its limit `cpu` of 1 s: it used ";
        let used = number_in(&answer[1], start, " ms of CPU time");
        // If each of the eight had its own limit, they would use eight times as much.
        assert!((1000.0..4000.0).contains(&used), "{user:?}: {answer}");
        assert_eq!(answer[2], "do less at once, or let the user raise `limits.cpu`");
    }
}

/// The CPU time of ended children counts.
#[test]
fn cpu_time_of_ended_processes_of_a_command_counts() {
    let test = "cpu_time_of_ended_processes_of_a_command_counts";
    let script = "import os,time\nwhile True:\n if os.fork() == 0:\n  end = time.process_time() + 0.2\n  \
                  while time.process_time() < end: pass\n  os._exit(0)\n os.wait()";
    let Some(bench) = python(script, "cpu = \"1s\"", "") else { return };
    for user in users(test) {
        let answer = run_python(user, &bench);
        assert_eq!(answer[0], "command.cpu", "{user:?}: {answer}");
    }
}

#[test]
fn a_command_that_is_refused_processes_says_so() {
    let test = "a_command_that_is_refused_processes_says_so";
    // At the limit long enough to be observed there.
    let script = "import os,sys,time\ntry:\n while True:\n  if os.fork() == 0: time.sleep(20)\n\
                  except OSError: time.sleep(0.5)\nos._exit(5)";
    let Some(bench) = python(script, "processes = 12", "") else { return };
    for user in users(test) {
        let answer = run_python(user, &bench);
        assert_eq!(answer["exit_code"], 5, "{user:?}: {answer}");
        let notice = "`py` hit its limit `processes` of 12 processes and threads: it had 12 \
                      processes and threads and asked for more; start fewer processes and threads, \
                      or let the user raise `limits.processes`";
        assert_eq!(answer["notices"], json!([notice]), "{user:?}");
    }
}

#[test]
fn a_command_that_writes_too_much_says_so() {
    let test = "a_command_that_writes_too_much_says_so";
    let full = "with open('/tmp/a', 'wb') as file:\n for _ in range(9): file.write(b'x' * 100000); file.flush()\n";
    let full = format!(
        "{full}with open('/tmp/b', 'wb') as file:\n while True: file.write(b'x' * 4096); file.flush()"
    );
    let Some(bench) = python(&full, "disk = \"1MB\"", "") else { return };
    let large = "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n\
                 file = open(OUT + '/large', 'wb')\nwhile True: file.write(b'x' * 4096); file.flush()";
    for user in users(test) {
        let answer = run_python(user, &bench);
        assert_eq!(answer["exit_code"], 1, "{user:?}: {answer}");
        let notice = "`py` hit its limit `disk` of 1 MB: it had written 1 MB and wanted more; write \
                      less, or let the user raise `limits.disk`";
        assert_eq!(answer["notices"], json!([notice]), "{user:?}: {answer}");
        let out = tempfile::tempdir_in("/var/tmp").unwrap();
        std::fs::set_permissions(out.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
        let script = format!("OUT = {:?}\n{large}", out.path());
        let write = format!("write = [{:?}]", out.path());
        let Some(bench) = python(&script, "disk = \"1MB\"", &write) else { return };
        let answer = run_python(user, &bench);
        let expected = json!([
            "command.disk",
            "`py` hit its limit `disk` of 1 MB: it had written 1 MB and wanted more",
            "write less, or let the user raise `limits.disk`"
        ]);
        assert_eq!(answer, expected, "{user:?}");
    }
}

#[test]
fn a_command_whose_output_is_cut_says_how_much_there_was() {
    let script = "import os\nfor _ in range(3): os.write(1, b'x' * (1 << 20))";
    let Some(bench) = python(script, "", "output = \"64KB\"") else { return };
    let file = bench.path().join("script.py");
    let source = format!(
        "const end = await commands.run('py', ['-I', '-S', {file:?}]);\n\
         return [end.stdout.length, end.truncated, end.notices];"
    );
    let notice = "`py` hit its limit `output` of 64 KB: it wrote 3 MB; let it write less, or let the \
                  user raise `commands.py.output`";
    assert_eq!(bench.run(&source)["output"], json!([64 << 10, true, [notice]]));
}

/// A folder with an engine that every user can reach, and these limits.
fn engine_bench(test: &str, engine: &str, limits: &str) -> Option<Bench> {
    let equipment = Equipment::get(test, &[engine])?;
    let program = equipment.server(engine, &[])["command"].as_str().unwrap().to_owned();
    let bench = open_bench();
    let here = bench.path().join(engine);
    if std::fs::hard_link(&program, &here).is_err() {
        std::fs::copy(&program, &here).unwrap();
    }
    bench.write(
        "tidegate.toml",
        &format!("[limits]\ntime = \"60s\"\n{limits}\n[sandbox]\n{engine} = {here:?}\n"),
    );
    Some(bench)
}

fn run_in(engine: &str, user: User, bench: &Bench, source: &str) -> Value {
    run_as(user, bench, &["--engine", engine], source)
}

#[test]
fn cpu_time_of_an_engine_is_bounded_and_named() {
    let test = "cpu_time_of_an_engine_is_bounded_and_named";
    let Some(bench) = engine_bench(test, "node", "cpu = \"1s\"") else { return };
    for user in users(test) {
        let started = Instant::now();
        let answer = run_in("node", user, &bench, "for (;;) {}");
        let took = started.elapsed();
        assert_eq!(answer["error"]["code"], "limit.cpu", "{user:?}: {answer}");
        let start = "the program hit its limit `cpu` of 1 s: it used ";
        let used = number_in(&answer["error"]["message"], start, " ms of CPU time");
        assert!((1000.0..2500.0).contains(&used), "{user:?}: {answer}");
        assert_eq!(answer["error"]["hint"], "do less per run, or let the user raise `limits.cpu`");
        assert!(took < Duration::from_secs(40), "{user:?} took {took:?}");
        let answer = run_in("node", user, &bench, "return 1");
        assert_eq!(answer["output"], 1, "{user:?}: {answer}");
    }
}

/// Buffers are outside of the heap that an engine limits itself.
#[test]
fn memory_of_an_engine_beside_its_heap_is_bounded_and_named() {
    let test = "memory_of_an_engine_beside_its_heap_is_bounded_and_named";
    // Slowly: it must be stopped for the memory that it has, not for what it requests.
    let source = "const kept = [];
        for (;;) {
            kept.push(new Uint8Array(1 << 20).fill(1));
            await new Promise((resolve) => setTimeout(resolve, 2));
        }";
    for engine in ["node", "deno"] {
        let Some(bench) = engine_bench(test, engine, "memory = \"32MB\"") else { return };
        for user in users(test) {
            let answer = run_in(engine, user, &bench, source);
            assert_eq!(answer["error"]["code"], "limit.memory", "{engine}, {user:?}: {answer}");
            let start = "the program hit its limit `memory` of 32 MB: it used ";
            let used = number_in(&answer["error"]["message"], start, " MB");
            // Deno may map 736 MB, and uses 192 for itself.
            assert!((32.0..400.0).contains(&used), "{engine}, {user:?}: {answer}");
            let hint = "work in smaller pieces, or let the user raise `limits.memory`";
            assert_eq!(answer["error"]["hint"], hint);
        }
    }
}

/// The engine alone has more threads than the limit.
#[test]
fn an_engine_that_is_refused_threads_says_so() {
    let test = "an_engine_that_is_refused_threads_says_so";
    if !geteuid().is_root() {
        return skip(test, "refusals are counted in a control group");
    }
    let Some(bench) = engine_bench(test, "node", "processes = 3") else { return };
    let answer = run_in("node", User::Own, &bench, "return 1");
    let error = json!({
        "code": "limit.processes",
        "message": "the program hit its limit `processes` of 3 processes and threads: it had 3 \
                    processes and threads and asked for more",
        "hint": "start fewer processes and threads, or let the user raise `limits.processes`",
    });
    assert_eq!(answer["error"], error);
}

/// If a profile lowers a limit, the hint says to change the profile.
#[test]
fn the_hint_of_a_limit_names_the_profile_that_lowers_it() {
    let bench = open_bench();
    bench.write(
        "tidegate.toml",
        "profile = \"small\"\n[profiles.small]\nextends = \"default\"\n\
         limits = { tool_calls = 2, output = \"1KB\" }\n",
    );
    let calls = "for (;;) await callMCPTool('a__b', {}).catch((e) => { if (e.code == 'limit.tool_calls') throw e; });";
    let answer = bench.run(calls);
    assert_eq!(answer["error"]["code"], "limit.tool_calls", "{answer}");
    let message = "the program hit its limit `tool_calls` of 2 calls: it made 3 calls";
    assert_eq!(answer["error"]["message"], message);
    let hint =
        "call tools that take lists, or let the user raise `profiles.small.limits.tool_calls`";
    assert_eq!(answer["error"]["hint"], hint);
    let answer = bench.run("return 'x'.repeat(5000)");
    let message = "the program hit its limit `output` of 1 KB: it wrote 4 KB";
    assert_eq!(answer["error"]["message"], message, "{answer}");
}

/// A system without user namespaces, on which the user has a hundred other processes:
/// the kernel counts them all.
#[test]
fn other_processes_of_the_user_do_not_count_against_a_command() {
    let test = "other_processes_of_the_user_do_not_count_against_a_command";
    let few = "import os,time\nfor _ in range(8):\n if os.fork() == 0: time.sleep(0.2); os._exit(0)\n\
               for _ in range(8): os.wait()\nprint('all')";
    let many = "import os,time\nwhile True:\n if os.fork() == 0: time.sleep(20); os._exit(0)\n time.sleep(0.002)";
    for user in users(test) {
        let Some(bench) = python(few, "processes = 20", "") else { return };
        let answer = run_crowded(user, &bench);
        assert_eq!(answer["output"]["stdout"], "all\n", "{user:?}: {answer}");
        let Some(bench) = python(many, "processes = 20", "") else { return };
        let answer = run_crowded(user, &bench);
        if user == User::Own && geteuid().is_root() {
            // Refused by the control group, and raised by Python.
            assert_eq!(answer["output"]["exit_code"], 1, "{answer}");
            continue;
        }
        let answer = &answer["output"];
        assert_eq!(answer[0], "command.processes", "{user:?}: {answer}");
        let start = "`py` hit its limit `processes` of 20 processes and threads: it had ";
        let had = number_in(&answer[1], start, " processes and threads");
        assert!((21.0..500.0).contains(&had), "{user:?}: {answer}");
    }
}

/// Runs the command `py` as a user without namespaces who has many other processes.
fn run_crowded(user: User, bench: &Bench) -> Value {
    let tidegate = Path::new(env!("CARGO_BIN_EXE_tidegate"));
    let attacker = tidegate.parent().unwrap().join("examples/attacker");
    let state = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new(&attacker);
    command.args(["without", "namespaces", "--", "/bin/sh", "-c"]).arg(
        "for _ in $(seq 100); do sleep 60 > /dev/null 2>&1 & all=\"$all $!\"; done
         \"$@\" run --json -; code=$?; kill $all; exit $code",
    );
    command.arg("sh").arg(tidegate).current_dir(bench.path()).env("TIDEGATE_HOME", state.path());
    if user == User::Dropped {
        std::os::unix::fs::chown(state.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        command.uid(NOBODY).gid(NOBODY);
    }
    let file = bench.path().join("script.py");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(of_command(&file).as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error} {}", text(&output.stderr)))
}
