//! A compromised worker can use no more resources than a program.

use serde_json::{Value, json};
use tidegate_jail::{Filter, ProcessLimits, Spec};

use super::attacker::{Camp, User, users};

/// The delay allowed after a deadline. The guarantee is 250 ms; the rest is for a
/// machine on which other tests run (`tidegate bench deadline` measures alone).
const LATE_MS: f64 = 250.0 + 1000.0;

/// Enough for the gateway to start; the worker waits in vain for the rest.
const TIMEOUT_MS: u64 = 400;

#[test]
fn g07_a_worker_that_does_not_stop_is_killed_at_its_deadline() {
    for user in users("g07_a_worker_that_does_not_stop_is_killed_at_its_deadline") {
        let camp = Camp::of(user);
        let mut gateway = camp.gateway("attacker", json!({}));
        for attack in ["spin", "spin and ignore", "sleep", "close the channel", "half a frame"] {
            let answer = gateway.attack(&json!({"attack": attack}), Some(TIMEOUT_MS));
            let took = answer["metrics"]["execution_ms"].as_f64().unwrap();
            assert_eq!(gateway.code_of(&answer), "limit.time", "{attack}");
            assert!(took < TIMEOUT_MS as f64 + LATE_MS, "{attack} took {took} ms");
        }
    }
}

#[test]
fn g08_a_worker_cannot_use_more_memory_than_it_may() {
    const MEGABYTES: u64 = 64;
    for user in users("g08_a_worker_cannot_use_more_memory_than_it_may") {
        let camp = Camp::of(user);
        let mut gateway = camp.gateway("attacker", json!({"memory_bytes": MEGABYTES << 20}));
        for attack in ["memory", "shared memory"] {
            let answer = gateway.attack(&json!({"attack": attack}), None);
            match gateway.code_of(&answer).as_str() {
                // Counted by the control group.
                "limit.memory" => {}
                // Refused by the kernel at the limit of the address space.
                "succeeded" => {
                    assert_ne!(user, User::Root, "{attack}: {answer}");
                    let got = gateway.output(&answer)["got"].as_u64().unwrap();
                    assert!(got < 2 * MEGABYTES + 512, "{attack} got {got} MB");
                }
                other => panic!("{attack}: {other}"),
            }
        }
        let answer = gateway.attack(&json!({"attack": "file in memory"}), None);
        assert_eq!(gateway.output(&answer)["got"], "EPERM");
    }
}

#[test]
fn g08_a_memory_bomb_does_not_touch_the_run_beside_it() {
    for user in users("g08_a_memory_bomb_does_not_touch_the_run_beside_it") {
        let camp = Camp::of(user);
        let mut gateway = camp.gateway("attacker", json!({"memory_bytes": 64 << 20}));
        let bombs: Vec<u64> =
            (0..4).map(|_| gateway.begin(&json!({"attack": "memory"}).to_string(), None)).collect();
        let good = gateway.begin(&json!({"attack": "nothing"}).to_string(), None);
        for _ in 0..5 {
            let (id, answer) = gateway.ended();
            if id == good {
                assert_eq!(answer["output"], "nothing", "{answer}");
            } else {
                assert!(bombs.contains(&id));
                let code = answer["error"]["code"].as_str().unwrap_or("succeeded");
                assert!(["limit.memory", "succeeded"].contains(&code), "{answer}");
            }
        }
    }
}

#[test]
fn g09_processor_time_is_limited_however_long_the_run_may_take() {
    for user in users("g09_processor_time_is_limited_however_long_the_run_may_take") {
        let camp = Camp::of(user);
        let mut gateway = camp.gateway("attacker", json!({"cpu_s": 1, "time_ms": 120_000}));
        let answer = gateway.attack(&json!({"attack": "spin"}), None);
        assert_eq!(gateway.code_of(&answer), "limit.cpu", "{answer}");
        // The soft limit is a signal. A process that ignores it meets the hard limit,
        // which reports nothing; the CPU time used shows that it was the limit.
        let answer = gateway.attack(&json!({"attack": "spin and ignore"}), None);
        assert_eq!(gateway.code_of(&answer), "limit.cpu", "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        let used = message.strip_prefix("the program hit its limit `cpu` of 1 s: it used ");
        let used = used.and_then(|used| used.strip_suffix("ms of CPU time")).map(str::trim);
        let used: u64 = used.unwrap_or("nothing").parse().unwrap_or_else(|_| panic!("{message}"));
        assert!((1000..20_000).contains(&used), "{message}");
    }
}

#[test]
fn g10_limits_can_be_lowered_and_not_raised() {
    for user in users("g10_limits_can_be_lowered_and_not_raised") {
        let camp = Camp::of(user);
        let mut gateway = camp.gateway("attacker", json!({}));
        let answer = gateway.attack(&json!({"attack": "raise limits"}), None);
        let said = gateway.output(&answer);
        let raised = said["raised"].as_object().unwrap();
        assert_eq!(raised.len(), 9);
        assert!(raised.values().all(|said| said == "EPERM"), "{raised:?}");
        assert_eq!(said["lowered"], "ok");
        assert_eq!(gateway.code_of(&answer), "succeeded");
    }
}

/// Bombs in an engine or a command, which can have threads and processes.
#[test]
fn g11_processes_threads_and_descriptors_end_at_their_limit() {
    for user in users("g11_processes_threads_and_descriptors_end_at_their_limit") {
        let camp = Camp::of(user);
        for filter in [Filter::Engine, Filter::Command] {
            let spec = spec(filter);
            for (attack, count, most, said) in [
                ("threads", "started", 32, "EAGAIN"),
                ("processes", "started", 32, "EAGAIN"),
                ("descriptors", "opened", 64, "EMFILE"),
            ] {
                let outcome = camp.jailed(&spec, &json!({"attack": attack}))["outcome"].take();
                assert_eq!(outcome["said"], said, "{attack}: {outcome}");
                let got = outcome[count].as_u64().unwrap();
                assert!((4..=most).contains(&got), "{attack}: {outcome}");
            }
            assert_eq!(camp.running(), Vec::<String>::new());
        }
    }
}

/// The jail of an engine or a command, with nothing granted.
pub(super) fn spec(filter: Filter) -> Spec {
    Spec {
        filter,
        grants: Vec::new(),
        links: Vec::new(),
        hidden: Vec::new(),
        scratch: None,
        limits: ProcessLimits {
            address_space: None,
            cpu_seconds: 20,
            file_bytes: 1 << 20,
            open_files: 64,
            processes: 32,
        },
        control_groups: Vec::new(),
        lifeline: 0,
    }
}

/// The same with room for processes: without a user namespace the kernel counts all of
/// the user's processes, including those of other tests.
pub(super) fn roomy_spec(filter: Filter) -> Spec {
    let mut spec = spec(filter);
    spec.limits.processes = 2000;
    spec
}

/// A worker that breaks the protocol loses its run, and nobody else loses anything.
#[test]
fn g12_attacks_on_the_channel_cost_their_own_run_only() {
    for user in users("g12_attacks_on_the_channel_cost_their_own_run_only") {
        let camp = Camp::of(user);
        let settings = json!({"output_bytes": 8 << 20, "time_ms": 5000});
        let mut gateway = camp.gateway("attacker", settings.clone());
        for (attack, outcome) in [
            ("garbage", "worker.died"),
            ("hello again", "worker.died"),
            ("ask and never listen", "worker.died"),
            ("print for ever", "limit.output"),
            ("call and never listen", "limit.tool_calls"),
            ("crash", "worker.died"),
        ] {
            let answer = gateway.attack(&json!({"attack": attack}), None);
            assert_eq!(gateway.code_of(&answer), outcome, "{attack}: {answer}");
        }
        let answer = gateway.attack(&json!({"attack": "send descriptors", "times": 1}), None);
        assert_eq!(gateway.output(&answer), "EPERM");
        drop(gateway);
        // Without the filter they are sent, and the gateway does not accept them.
        let mut gateway = camp.gateway("unsealed", settings);
        let before = descriptors(gateway.pid());
        let attack = json!({"attack": "send descriptors", "times": 500});
        let answer = gateway.attack(&attack, Some(1500));
        // A message with descriptors ends a read early, which the event loop takes for
        // the end of the data, so such a worker may wait in vain.
        let code = gateway.code_of(&answer);
        assert!(["succeeded", "limit.time"].contains(&code.as_str()), "{answer}");
        let after = descriptors(gateway.pid());
        assert!(after < before + 16, "{before} descriptors before, {after} after");
    }
}

/// The gateway's memory for a worker stays close to the bytes that the worker sends.
#[test]
fn g12_small_frames_do_not_become_large_in_the_gateway() {
    for user in users("g12_small_frames_do_not_become_large_in_the_gateway") {
        let camp = Camp::of(user);
        let mut gateway = camp.gateway("attacker", json!({"output_bytes": 1 << 16}));
        let answer =
            gateway.attack(&json!({"attack": "print byte by byte", "bytes": 60_000}), None);
        assert_eq!(gateway.code_of(&answer), "succeeded");
        let kept = camp.path().join("home/state").join(answer["handle"].as_str().unwrap());
        let bytes = kept.metadata().unwrap().len();
        assert!((60_000..=2 << 16).contains(&bytes), "{bytes} bytes of 60000");
        // Ten thousand calls that wait for their turn. With everything that a call
        // needs while it runs, each of them took 18 kB.
        let before = peak_memory(gateway.pid());
        let answer = gateway.attack(&json!({"attack": "call and end", "calls": 10_000}), None);
        assert_eq!(gateway.code_of(&answer), "succeeded");
        let grown = peak_memory(gateway.pid()) - before;
        assert!(grown < 100 << 10, "{grown} kB for 10000 calls");
    }
}

/// In kilobytes.
fn peak_memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn descriptors(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}

/// A name matches a tool exactly or not at all, whatever the worker claims.
#[test]
fn g13_a_call_is_decided_by_its_exact_name() {
    for user in users("g13_a_call_is_decided_by_its_exact_name") {
        let camp = Camp::of(user);
        let mut gateway = camp.gateway("attacker", json!({}));
        for name in
            ["github__delete_repo", "GITHUB__DELETE_REPO", "", "__", "ｇithub__x", "../x__y"]
        {
            let answer = gateway.attack(&json!({"attack": "call", "name": name}), None);
            let said: Value = gateway.output(&answer);
            assert_eq!(said["id"], 7);
            let code = said["said"]["Err"].as_str().unwrap_or_default();
            assert!(code.starts_with("call.unknown_"), "`{name}`: {said}");
            assert_eq!(answer["metrics"]["tool_calls"], 1);
        }
    }
}
