//! Runs of programs in Python: language, handles, progress, cancellation, leftovers.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::library::{interpreter, run};
use crate::programs::bench;
use crate::support::{Bench, descendants, text, wait_until_gone};

#[test]
fn the_language_is_told_by_the_request_the_fence_the_file_or_the_lines() {
    let test = "the_language_is_told_by_the_request_the_fence_the_file_or_the_lines";
    let bench = Bench::with_servers(json!({}));
    let mut served = bench.serve();
    if interpreter(&mut served, test).is_none() {
        return;
    }
    for (code, output) in [
        ("import sys\nresult = sys.version_info[0]", json!(3)),
        ("Here:\n```python\n1 + 1\n```\n", json!(2)),
        ("```py\n1 + 1\n```", json!(2)),
        ("def main():\n    return 7\n\nmain()", json!(7)),
        // Valid in both languages: runs as TypeScript.
        ("1 + 1", json!(2)),
        ("return typeof 1", json!("number")),
    ] {
        let answer = served.execute(code);
        assert_eq!(answer["output"], output, "{code}: {answer}");
    }
    // Indented as a whole, as if cut out of something.
    let answer = run(&mut served, "    x = 20\n    if x:\n        x += 1\n    x");
    assert_eq!(answer["output"], 21, "{answer}");
    for word in ["python", "py", "Python3"] {
        let answer = served.execute_with(json!({"code": "1 // 1", "language": word}));
        assert_eq!(answer["output"], 1, "{word}: {answer}");
    }
    let file = bench.write("program.py", "print('from a file')");
    let output = bench.command(&["run", file.to_str().unwrap()]);
    assert!(text(&output.stdout).contains("from a file"), "{}", text(&output.stdout));
    let answer = served.execute_with(json!({"code": "1", "language": "python", "engine": "node"}));
    assert_eq!(answer["error"]["message"], "`node` does not run Python", "{answer}");
}

#[test]
fn a_large_output_of_python_is_summarised_and_kept_whole() {
    let test = "a_large_output_of_python_is_summarised_and_kept_whole";
    let bench = Bench::with_servers(json!({}));
    let mut served = bench.serve();
    if interpreter(&mut served, test).is_none() {
        return;
    }
    let answer = run(
        &mut served,
        "[{'n': n, 'name': f'row {n} ✓', 'tags': ('a', None)} for n in range(10000)]",
    );
    let rows: Vec<Value> = (0..10_000)
        .map(|n| json!({"n": n, "name": format!("row {n} ✓"), "tags": ["a", null]}))
        .collect();
    let handle = answer["handle"].as_str().unwrap();
    let kept = std::fs::read_to_string(bench.state_dir().join(handle)).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap(), json!(rows));
    assert_eq!(
        answer["summary"].as_str().unwrap().lines().next().unwrap(),
        "list of 10000 × {n: number, name: text, tags: list of 2 × mixed values}"
    );
    assert_eq!(answer.get("output"), None);
}

/// The names of a run stay; a call uses the current tools.
#[test]
fn a_tool_that_is_new_is_found_by_its_name_in_python() {
    let test = "a_tool_that_is_new_is_found_by_its_name_in_python";
    let Some(bench) = bench(test, "") else { return };
    let mut served = bench.serve();
    if interpreter(&mut served, test).is_none() {
        return;
    }
    let code = "hostile = servers.hostile\n\
        before = hasattr(hostile, 'grown_1')\n\
        name = hostile.grow_tools()\n\
        [before, name, name in dir(hostile), hasattr(hostile, name), getattr(hostile, name)()]";
    let answer = run(&mut served, code);
    assert_eq!(answer["output"], json!([false, "grown_1", false, true, "grown_1: {}"]), "{answer}");
}

#[test]
fn progress_is_told_and_a_cancelled_run_ends_with_all_of_its_processes() {
    let test = "progress_is_told_and_a_cancelled_run_ends_with_all_of_its_processes";
    let Some(bench) = bench(test, "") else { return };
    let mut served = bench.serve();
    if interpreter(&mut served, test).is_none() {
        return;
    }
    run(&mut served, "servers.hostile.echo(text='')");
    let before = descendants(served.pid());
    // A fork, a child process and a thread, none of which ends.
    let code = "import os, subprocess, sys, threading, time\n\
        if os.fork() == 0:\n    time.sleep(1000)\n\
        subprocess.Popen([sys.executable, '-I', '-c', 'import time; time.sleep(1000)'])\n\
        threading.Thread(target=time.sleep, args=(1000,)).start()\n\
        for number in range(1000):\n    servers.hostile.slow(ms=20)\n";
    let id = served.begin(
        "tools/call",
        json!({
            "name": "execute_code",
            "arguments": {"code": code, "language": "python"},
            "_meta": {"progressToken": "run"}
        }),
    );
    let called = |message: &Value| {
        let text = message["params"]["message"].as_str();
        text.is_some_and(|text| text.contains("tool calls done"))
    };
    while !called(&served.next()) {}
    let started: Vec<u32> =
        descendants(served.pid()).into_iter().filter(|pid| !before.contains(pid)).collect();
    let of_the_run: Vec<u32> = started.into_iter().filter(|pid| is_of_the_run(*pid)).collect();
    assert!(!of_the_run.is_empty());
    let cancel = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}
    });
    let cancelled = Instant::now();
    served.send(&cancel);
    let answer = run(&mut served, "'next'");
    assert_eq!(answer["output"], "next");
    assert!(cancelled.elapsed() < Duration::from_secs(20));
    assert_eq!(wait_until_gone(&of_the_run), Vec::<u32>::new());
}

/// Processes that the program started; others may be spare workers.
fn is_of_the_run(pid: u32) -> bool {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    text(&line).contains("time.sleep(1000)")
}
