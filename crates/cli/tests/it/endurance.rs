//! Many runs, many in parallel, and killed workers: nothing is left behind.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::support::{Bench, Equipment, Served};

const RUNS: usize = 1000;
const WARM_UP: usize = 20;

/// How much the gateway may grow in [`RUNS`] runs. By trial: it settles within
/// 10 MB; a leak of one worker's frames would be 64 KB a run.
const GROWTH_BYTES: u64 = 32 * 1024 * 1024;

/// How long the leftovers of a run may take to disappear on a busy machine.
const SETTLED_WITHIN: Duration = Duration::from_secs(10);

#[test]
fn a_thousand_runs_leave_nothing_behind() {
    let Some(bench) = bench("a_thousand_runs_leave_nothing_behind") else { return };
    let temporary = bench.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let mut served = Served::start(bench.tidegate().arg("serve").env("TMPDIR", &temporary));
    for number in 0..WARM_UP {
        run(&mut served, number);
    }
    let before = Traces::settled(&served, &bench, None);
    let resident = resident_bytes(served.pid());
    for number in WARM_UP..RUNS {
        run(&mut served, number);
    }
    let after = Traces::settled(&served, &bench, Some(&before));
    assert_eq!(after, before);
    // The one that waits for the next run.
    let workers = after.processes.iter().filter(|process| is_worker(process)).count();
    assert_eq!(workers, 1, "{:?}", after.processes);
    assert_eq!(names_below(&temporary), Vec::<String>::new());
    let grown = resident_bytes(served.pid()).saturating_sub(resident);
    assert!(grown < GROWTH_BYTES, "the gateway has grown by {grown} bytes");
}

/// One run of every kind in turn: a call, a failure, a print, a time limit that the
/// engine enforces and one that takes a kill.
fn run(served: &mut Served, number: usize) {
    let request = match number % 50 {
        7 => json!({"code": "while (true) {}", "timeout_ms": 20}),
        19 => json!({
            "code": "const s = 'a'.repeat(1 << 24); while (true) s.indexOf('a'.repeat(1 << 16) + 'b')",
            "timeout_ms": 20,
        }),
        n if n % 5 == 1 => json!({"code": "throw new Error('no')"}),
        n if n % 5 == 2 => json!({"code": "console.log('printed')"}),
        n if n % 5 == 3 => {
            json!({"code": "servers.crm.getLead({ id: 'L-0001' }).then((l) => l.id)"})
        }
        n if n % 5 == 4 => json!({"code": "servers.hostile.echo({ text: 'echo' })"}),
        _ => json!({"code": format!("return {number}")}),
    };
    let expected = match number % 50 {
        7 | 19 => json!("limit.time"),
        n if n % 5 == 1 => json!("program.threw"),
        n if n % 5 == 2 => json!("printed"),
        n if n % 5 == 3 => json!("L-0001"),
        n if n % 5 == 4 => json!("echo"),
        _ => json!(number),
    };
    let answer = served.execute_with(request);
    let got = answer.get("output").unwrap_or(&answer["error"]["code"]);
    assert_eq!(*got, expected, "run {number}: {answer}");
}

#[test]
fn fifty_runs_at_once_all_succeed() {
    let Some(bench) = bench("fifty_runs_at_once_all_succeed") else { return };
    let mut served = bench.serve();
    let ids: Vec<u64> = (0..50)
        .map(|number| {
            let code = format!(
                "const text = await servers.hostile.slow({{ ms: 100, text: '{number}' }});
                 const {{ id }} = await servers.crm.getLead({{ id: 'L-00{}' }});
                 return {{ text, id }};",
                number + 10
            );
            served.begin("tools/call", json!({"name": "execute_code", "arguments": {"code": code}}))
        })
        .collect();
    let mut answers: Vec<(u64, Value)> = ids.iter().map(|_| next_output(&mut served)).collect();
    answers.sort_by_key(|(id, _)| *id);
    let expected: Vec<(u64, Value)> = ids
        .into_iter()
        .enumerate()
        .map(|(at, id)| (id, json!({"text": at.to_string(), "id": format!("L-00{}", at + 10)})))
        .collect();
    assert_eq!(answers, expected);
}

#[test]
fn a_killed_worker_costs_only_its_run() {
    let Some(bench) = bench("a_killed_worker_costs_only_its_run") else { return };
    let mut served = bench.serve();
    let mut begin = |code: &str| {
        served.begin("tools/call", json!({"name": "execute_code", "arguments": {"code": code}}))
    };
    let doomed = begin("while (true) {}");
    let bystander = begin("servers.hostile.slow({ ms: 1500, text: 'survived' })");
    // The busy one, while the others wait.
    let jailed = || workers(&served).into_iter().filter_map(jailed);
    let busy = || jailed().find(|pid| cpu_ticks(*pid) >= 20);
    kill(eventually(busy), Signal::SIGKILL).unwrap();
    let mut answers = [next_answer(&mut served), next_answer(&mut served)];
    answers.sort_by_key(|(id, _)| *id);
    let [(first, failed), (second, survived)] = answers;
    assert_eq!([first, second], [doomed, bystander]);
    assert_eq!(
        failed["error"],
        json!({
            "code": "worker.died",
            "message": "the worker died",
            "hint": "the program may have used too much memory, or crashed the engine; \
                     change it and try again",
        })
    );
    assert_eq!(survived["output"], "survived");
    assert_eq!(served.execute("return 'next'")["output"], "next");
}

#[test]
fn a_killed_spare_worker_costs_nothing() {
    let Some(bench) = bench("a_killed_spare_worker_costs_nothing") else { return };
    let mut served = bench.serve();
    for number in 0..5 {
        let answer = served.execute(&format!("return {number}"));
        assert_eq!(answer["output"], number, "{answer}");
        // Sometimes it is the last run's worker, which ends by itself.
        let [spare] = eventually(|| <[Pid; 1]>::try_from(workers(&served)).ok());
        let _ = kill(spare, Signal::SIGKILL);
        // The signal is pending until the process has ended.
        eventually(|| has_ended(spare).then_some(()));
    }
    let last = served.execute("return 'last'");
    assert_eq!(last["output"], "last", "{last}");
}

fn bench(test: &str) -> Option<Bench> {
    let equipment = Equipment::get(test, &["hostile"])?;
    Some(Bench::with_servers(json!({
        "crm": {"command": env!("CARGO_BIN_EXE_tidegate"), "args": ["demo-server", "crm"]},
        "hostile": equipment.server("hostile", &[]),
    })))
}

/// The next answer of `execute_code`: the id of the request, and the answer.
fn next_answer(served: &mut Served) -> (u64, Value) {
    let message = served.next();
    let text = message["result"]["content"][0]["text"].as_str().unwrap_or_default();
    let answer = serde_json::from_str(text).unwrap_or_else(|_| panic!("{message}"));
    (message["id"].as_u64().unwrap(), answer)
}

fn next_output(served: &mut Served) -> (u64, Value) {
    let (id, answer) = next_answer(served);
    (id, answer.get("output").cloned().unwrap_or(answer))
}

/// The resources that a gateway holds in the system.
#[derive(Debug, PartialEq)]
struct Traces {
    /// Command lines of its children, sorted.
    processes: Vec<String>,
    descriptors: usize,
    control_groups: usize,
    /// Files of its state folder, sorted.
    files: Vec<String>,
}

impl Traces {
    fn of(served: &Served, bench: &Bench) -> Self {
        let mut processes: Vec<String> =
            children(served.pid()).into_iter().map(command_line).collect();
        processes.sort();
        let descriptors = fs::read_dir(format!("/proc/{}/fd", served.pid())).unwrap().count();
        let control_groups = control_groups(served.pid());
        Self { processes, descriptors, control_groups, files: names_below(&bench.state_dir()) }
    }

    /// Waits until they are as expected, or until the last run's worker is gone and the
    /// next spare one is up.
    fn settled(served: &Served, bench: &Bench, expected: Option<&Self>) -> Self {
        let is_quiet = |traces: &Self| {
            let workers = traces.processes.iter().filter(|process| is_worker(process)).count();
            let ended = traces.processes.iter().any(String::is_empty);
            // A worker has one group for memory and one for processes at most.
            let alone = workers == 1 && traces.control_groups <= 2;
            expected.map_or(alone && !ended, |expected| traces == expected)
        };
        let deadline = Instant::now() + SETTLED_WITHIN;
        loop {
            let traces = Self::of(served, bench);
            if is_quiet(&traces) || Instant::now() >= deadline {
                return traces;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    threads
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|text| {
            text.split_whitespace().map(|pid| pid.parse().unwrap()).collect::<Vec<_>>()
        })
        .collect()
}

/// Empty for a process that has ended. A worker's describes its jail, which differs for
/// each.
fn command_line(pid: u32) -> String {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).replace('\0', " ").trim().to_owned();
    if line.contains(" worker {") { "worker".to_owned() } else { line }
}

/// Whether a process can be waited for, or has been.
fn has_ended(pid: Pid) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return true };
    // The state follows the name, which is in brackets. The first thread may be gone
    // while another is still exiting.
    let first_ended = stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'));
    let threads = fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count);
    first_ended && threads <= 1
}

fn is_worker(command_line: &str) -> bool {
    command_line == "worker"
}

/// The jailed process behind a launcher: its grandchild, inside the jail.
fn jailed(launcher: Pid) -> Option<Pid> {
    let only_child = |pid: u32| children(pid).first().copied();
    let jailed = only_child(only_child(launcher.as_raw().unsigned_abs())?)?;
    Some(Pid::from_raw(i32::try_from(jailed).unwrap()))
}

/// Control groups of a gateway, wherever they are.
fn control_groups(pid: u32) -> usize {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let places = mounts.lines().filter(|line| line.contains(" cgroup"));
    let places = places.filter_map(|line| line.split(' ').nth(1));
    let own = format!("tidegate-{pid}-");
    places.map(|place| folders_called(Path::new(place), &own, 4)).sum()
}

fn folders_called(folder: &Path, beginning: &str, depth: u32) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders
        .map(|entry| match entry.file_name().to_string_lossy().starts_with(beginning) {
            true => 1,
            false if depth > 0 => folders_called(&entry.path(), beginning, depth - 1),
            false => 0,
        })
        .sum()
}

/// The workers of a gateway, including spare ones.
fn workers(served: &Served) -> Vec<Pid> {
    children(served.pid())
        .into_iter()
        .filter(|pid| is_worker(&command_line(*pid)))
        .map(|pid| Pid::from_raw(i32::try_from(pid).unwrap()))
        .collect()
}

/// User time of a process, in hundredths of a second.
fn cpu_ticks(pid: Pid) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // Field 14 in proc(5); the name, field 2, can itself contain spaces.
    let fields = stat.rsplit_once(") ").map(|(_, rest)| rest.split(' '));
    fields.and_then(|mut fields| fields.nth(11)).map_or(0, |ticks| ticks.parse().unwrap())
}

/// Waits until `look` returns a value.
fn eventually<T>(look: impl Fn() -> Option<T>) -> T {
    let deadline = Instant::now() + SETTLED_WITHIN;
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(Instant::now() < deadline, "it did not happen within {SETTLED_WITHIN:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// All files below a folder, relative to it, sorted.
fn names_below(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            names.extend(names_below(&entry.path()).iter().map(|below| format!("{name}/{below}")));
        } else {
            names.push(name);
        }
    }
    names.sort();
    names
}

fn resident_bytes(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
