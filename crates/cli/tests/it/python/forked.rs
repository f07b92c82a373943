//! Workers forked from a zygote: as fresh, as jailed and as short-lived as others.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use super::library::{interpreter, run};
use crate::support::{Bench, Served, descendants, wait_until_gone};

/// Far above the second or so that it takes on a busy machine.
const READY_WITHIN: Duration = Duration::from_secs(60);

const IS_FORKED: &str = "import sys\n'_tidegate.zygote' in sys.modules";

/// Runs programs until one was forked. By then the workers that were started earlier are
/// used up.
pub(super) fn until_forked(served: &mut Served) {
    let started = Instant::now();
    while run(served, IS_FORKED)["output"] != true {
        assert!(started.elapsed() < READY_WITHIN, "nothing was forked");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A gateway that forks, if Python is installed.
fn forking(bench: &Bench, test: &str) -> Option<Served> {
    let mut served = bench.serve();
    interpreter(&mut served, test)?;
    until_forked(&mut served);
    Some(served)
}

#[test]
fn g27_a_forked_worker_is_in_a_jail_of_its_own() {
    let bench = Bench::with_servers(json!({}));
    let Some(mut served) = forking(&bench, "g27_a_forked_worker_is_in_a_jail_of_its_own") else {
        return;
    };
    // One that stays, with a file and a process, while the others look for it.
    let stays = "import os, time\nopen('workspace/mine', 'w').write('x')\nos.fork() or time.sleep(60)\n\
                 time.sleep(60)";
    let waiting = served.begin(
        "tools/call",
        json!({"name": "execute_code", "arguments": {"code": stays, "language": "python"}}),
    );
    let look = "import os, sys, builtins, errno, signal\n\
        def seen(number):\n    \
            try:\n        os.kill(number, 0)\n        return True\n    \
            except OSError as error:\n        return error.errno != errno.ESRCH\n\
        marks = [name for name in ('left',) if hasattr(builtins, name)]\n\
        builtins.left = sys.modules['json'].left = 1\n\
        result = {'forked': '_tidegate.zygote' in sys.modules, 'files': os.listdir('workspace'),\n  \
            'left': marks, 'json': hasattr(__import__('json'), 'left') and None,\n  \
            'others': [number for number in range(1, 500) if seen(number) and number not in (1, os.getpid())],\n  \
            'proc': os.path.exists('/proc'), 'library': os.path.exists('/jail.so'),\n  \
            'descriptors': [number for number in range(3, 64) if is_open(number)]}";
    let look = format!(
        "def is_open(number):\n    import os\n    try:\n        os.fstat(number)\n        return True\n    \
         except OSError:\n        return False\n{look}"
    );
    for _ in 0..2 {
        let seen = run(&mut served, &look)["output"].clone();
        let channel_only = seen["descriptors"].as_array().map(Vec::len);
        assert_eq!(channel_only, Some(1), "{seen}");
        let expected = json!({
            "forked": true, "files": [], "left": [], "json": null, "others": [], "proc": false,
            "library": false, "descriptors": seen["descriptors"],
        });
        assert_eq!(seen, expected);
    }
    served.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": waiting}
    }));
    assert_eq!(run(&mut served, "1 + 1")["output"], 2);
}

#[test]
fn what_is_drawn_by_lot_is_drawn_again() {
    let bench = Bench::with_servers(json!({}));
    let Some(mut served) = forking(&bench, "what_is_drawn_by_lot_is_drawn_again") else { return };
    let lots = "import random, secrets, tempfile, uuid\n\
                [hash('text'), random.random(), uuid.uuid4().hex, secrets.token_hex(8)]";
    let mut drawn: [BTreeSet<String>; 4] = Default::default();
    // More than twice the number of forks of one zygote.
    for _ in 0..150 {
        let answer = run(&mut served, lots);
        let lots = answer["output"].as_array().unwrap_or_else(|| panic!("{answer}"));
        for (all, one) in drawn.iter_mut().zip(lots) {
            all.insert(one.to_string());
        }
    }
    let [hashes, others @ ..] = drawn.map(|all| all.len());
    // The same seed for all forks of one zygote, of which there was more than one.
    assert!((2..50).contains(&hashes), "{hashes} seeds");
    assert_eq!(others, [150; 3]);
}

#[test]
fn a_zygote_that_is_lost_harms_only_who_was_forked_from_it() {
    let test = "a_zygote_that_is_lost_harms_only_who_was_forked_from_it";
    let bench = Bench::with_servers(json!({}));
    let Some(mut served) = forking(&bench, test) else { return };
    let before = zygote(&served).expect("it is there");
    kill(Pid::from_raw(before.cast_signed()), Signal::SIGKILL).unwrap();
    assert_eq!(wait_until_gone(&[before]), Vec::<u32>::new());
    // The spare workers were forked from it and end with it; they are not handed out.
    for _ in 0..20 {
        let answer = run(&mut served, "1 + 1");
        assert_eq!(answer["output"], 2, "{answer}");
    }
    until_forked(&mut served);
    assert!(zygote(&served).is_some_and(|after| after != before));
}

/// Whenever the cancellation arrives, even while the process is being requested.
#[test]
fn a_cancelled_program_does_not_disturb_the_zygote() {
    let test = "a_cancelled_program_does_not_disturb_the_zygote";
    let bench = Bench::with_servers(json!({}));
    let Some(mut served) = forking(&bench, test) else { return };
    let before = zygote(&served);
    for pause in 0..12 {
        // More than there are spare workers.
        let begun: Vec<u64> = (0..3)
            .map(|_| {
                let program = json!({"code": "import time\ntime.sleep(60)", "language": "python"});
                let call = json!({"name": "execute_code", "arguments": program});
                served.begin("tools/call", call)
            })
            .collect();
        std::thread::sleep(Duration::from_millis(pause));
        for id in begun {
            served.send(&json!({
                "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}
            }));
        }
    }
    assert_eq!(run(&mut served, IS_FORKED)["output"], true);
    assert_eq!(zygote(&served), before);
}

#[test]
fn nothing_is_forked_if_that_is_not_wanted() {
    let bench = Bench::with_servers(json!({}));
    bench.write("tidegate.toml", "[python]\nfork = false");
    let mut served = bench.serve();
    if interpreter(&mut served, "nothing_is_forked_if_that_is_not_wanted").is_none() {
        return;
    }
    let hash = |served: &mut Served| run(served, "hash('text')")["output"].to_string();
    let hashes: BTreeSet<String> = (0..20).map(|_| hash(&mut served)).collect();
    assert_eq!((hashes.len(), zygote(&served)), (20, None));
}

#[test]
fn g15_no_zygote_outlives_a_killed_gateway() {
    let bench = Bench::with_servers(json!({}));
    let Some(mut served) = forking(&bench, "g15_no_zygote_outlives_a_killed_gateway") else {
        return;
    };
    let stays = json!({"code": "import time\ntime.sleep(60)", "language": "python"});
    served.begin("tools/call", json!({"name": "execute_code", "arguments": stays}));
    std::thread::sleep(Duration::from_millis(200));
    let all = descendants(served.pid());
    assert!(all.len() > 6, "{all:?}");
    kill(Pid::from_raw(served.pid().cast_signed()), Signal::SIGKILL).unwrap();
    assert_eq!(wait_until_gone(&all), Vec::<u32>::new());
}

/// The process id of the zygote. It is the lowest whose command line names the library:
/// its forks have the same command line.
fn zygote(served: &Served) -> Option<u32> {
    let names_library = |pid: &u32| {
        let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split('\0').any(|argument| argument == "/jail.so")
    };
    descendants(served.pid()).into_iter().filter(names_library).min()
}
