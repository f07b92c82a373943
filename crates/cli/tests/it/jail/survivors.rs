//! No process survives its run, or the gateway.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;
use tidegate_jail::Filter;

use super::attacker::{Camp, users};
use super::limits::roomy_spec;

/// How long a killed process may take to disappear on a busy machine.
const GONE_WITHIN: Duration = Duration::from_secs(5);

/// A classic daemon: forked twice, in its own session as far as that is allowed,
/// ignoring signals, with everything closed.
#[test]
fn g14_no_process_outlives_its_run() {
    for user in users("g14_no_process_outlives_its_run") {
        for camp in [Camp::of(user), Camp::without(user, "namespaces")] {
            for filter in [Filter::Engine, Filter::Command] {
                let answer = camp.jailed(&roomy_spec(filter), &json!({"attack": "descendants"}));
                assert_eq!(answer["outcome"]["forked"], "ok", "{answer}");
                assert_gone(&camp);
            }
        }
        // The control: outside, the daemon survives.
        let camp = Camp::of(user);
        assert_eq!(camp.outside(&json!({"attack": "descendants"}))["forked"], "ok");
        let daemons = camp.running();
        assert_eq!(daemons.len(), 1, "{daemons:?}");
        kill_all(&camp);
    }
}

/// The same, when the holder of the lifeline is gone.
#[test]
fn g14_no_process_outlives_the_end_of_its_lifeline() {
    for user in users("g14_no_process_outlives_the_end_of_its_lifeline") {
        for camp in [Camp::of(user), Camp::without(user, "namespaces")] {
            let attack = json!({"attack": "descendants", "stay": true}).to_string();
            let spec = roomy_spec(Filter::Command).to_argument();
            let mut child = camp
                .command(&["jailed", &spec, &attack])
                .process_group(0)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut line = String::new();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
            assert!(line.contains("forked"), "{line}");
            // The launcher, the first process, the jailed one and the daemon.
            await_running(&camp, 4);
            drop(child.stdin.take());
            child.wait().unwrap();
            assert_gone(&camp);
        }
    }
}

/// The launcher watches the lifeline, so nobody inside may stop it. Tested without
/// Landlock too, since it confines signals on newer kernels.
#[test]
fn g14_a_jail_cannot_stop_the_one_who_watches_it() {
    for user in users("g14_a_jail_cannot_stop_the_one_who_watches_it") {
        for camp in [Camp::of(user), Camp::without(user, "landlock")] {
            let attack = json!({"attack": "descendants", "stay": true, "stop": true}).to_string();
            let spec = roomy_spec(Filter::Command).to_argument();
            let mut child = camp
                .command(&["jailed", &spec, &attack])
                .process_group(0)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut line = String::new();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
            assert!(line.contains("forked"), "{line}");
            // The control: the sender of the signal is itself stopped by it.
            let started = Instant::now();
            while !camp.running_pids().into_iter().any(is_stopped) {
                assert!(started.elapsed() < GONE_WITHIN, "nobody was stopped");
                std::thread::sleep(Duration::from_millis(10));
            }
            assert!(!is_stopped(child.id().cast_signed()));
            drop(child.stdin.take());
            child.wait().unwrap();
            assert_gone(&camp);
        }
    }
}

fn is_stopped(pid: i32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    state.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('T'))
}

#[test]
fn g15_nothing_outlives_a_killed_gateway() {
    for user in users("g15_nothing_outlives_a_killed_gateway") {
        let camp = Camp::of(user);
        let mut gateway = camp.gateway("attacker", json!({"time_ms": 60_000}));
        for attack in ["spin and ignore", "sleep", "close the channel"] {
            gateway.begin(&json!({"attack": attack}).to_string(), None);
        }
        // Three runs of three processes each, and the gateway.
        await_running(&camp, 10);
        let pid = gateway.pid();
        gateway.kill();
        assert_gone(&camp);
        // The next gateway removes what the kernel still holds of the killed one; or a
        // later one, if the kernel has not yet cleaned up the killed processes.
        let started = Instant::now();
        loop {
            let mut next = camp.gateway("attacker", json!({}));
            let answer = next.attack(&json!({"attack": "nothing"}), None);
            assert_eq!(next.output(&answer), "nothing");
            let left = control_groups(pid);
            if left.is_empty() {
                break;
            }
            assert!(started.elapsed() < GONE_WITHIN, "{left:?}");
        }
    }
}

/// Control groups with the process id of a gateway in their names.
fn control_groups(pid: u32) -> Vec<String> {
    let output = std::process::Command::new("find")
        .args(["/sys/fs/cgroup", "-type", "d", "-name", &format!("tidegate-{pid}-*")])
        .output()
        .unwrap();
    crate::support::text(&output.stdout).lines().map(str::to_owned).collect()
}

fn await_running(camp: &Camp, count: usize) {
    let deadline = Instant::now() + GONE_WITHIN;
    loop {
        // Counts in one scan: between two scans, a parent may have been replaced by its
        // child.
        let running = camp.running();
        if running.len() >= count {
            return;
        }
        assert!(Instant::now() < deadline, "{running:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn assert_gone(camp: &Camp) {
    let deadline = Instant::now() + GONE_WITHIN;
    while !camp.running().is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    let left = camp.running();
    if !left.is_empty() {
        kill_all(camp);
    }
    assert_eq!(left, Vec::<String>::new());
}

/// Kills the processes that a control has started, or that a failed test has left.
fn kill_all(camp: &Camp) {
    for pid in camp.running_pids() {
        let _ = nix::sys::signal::kill(
            nix::unistd::Pid::from_raw(pid),
            nix::sys::signal::Signal::SIGKILL,
        );
    }
}
