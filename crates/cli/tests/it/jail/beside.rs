//! Attacks in parallel with honest work.

use std::thread;

use serde_json::{Value, json};

use super::attacker::{Camp, Host, users};

const GOOD: u64 = 1000;
const BAD: usize = 200;

/// Runs in parallel, in each of the two gateways.
const AT_ONCE: u64 = 8;

/// Slow attacks get little time, since there are many.
const SHORT_MS: u64 = 100;

const ATTACKS: [&str; 10] = [
    "attempts",
    "spin and ignore",
    "memory",
    "crash",
    "garbage",
    "print for ever",
    "old system calls",
    "close the channel",
    "hello again",
    "sweep",
];

#[test]
fn g21_a_thousand_good_runs_succeed_beside_two_hundred_attacks() {
    let test = "g21_a_thousand_good_runs_succeed_beside_two_hundred_attacks";
    // The most privileged user is enough: the others do the same with less.
    let user = users(test)[0];
    let camp = Camp::of(user);
    let settings = json!({"memory_bytes": 64 << 20, "output_bytes": 1 << 20});
    let mut hostile = camp.gateway("attacker", settings);
    let second = Camp::of(user);
    let mut honest = second.gateway("tidegate", json!({}));
    let attacks = thread::spawn(move || {
        let requests = ATTACKS.iter().cycle().take(BAD);
        let requests =
            requests.map(|attack| (json!({"attack": attack}).to_string(), Some(SHORT_MS)));
        run_all(&mut hostile, requests.collect())
    });
    let programs = (0..GOOD).map(|number| (format!("return {number} * 2"), None)).collect();
    for (number, answer) in run_all(&mut honest, programs) {
        assert_eq!(answer["output"], 2 * (number - 1), "{answer}");
    }
    let attacks = attacks.join().unwrap();
    assert_eq!(attacks.len(), BAD);
}

/// Runs all of it, a few at a time, and returns the answers.
fn run_all(host: &mut Host, requests: Vec<(String, Option<u64>)>) -> Vec<(u64, Value)> {
    let mut requests = requests.into_iter();
    let mut under_way = 0;
    let mut ended = Vec::new();
    loop {
        while under_way < AT_ONCE
            && let Some((source, timeout)) = requests.next()
        {
            host.begin(&source, timeout);
            under_way += 1;
        }
        if under_way == 0 {
            return ended;
        }
        ended.push(host.ended());
        under_way -= 1;
    }
}
