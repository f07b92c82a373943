//! A compromised worker can only read and write its channel.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::libc;
use serde_json::{Value, json};
use tidegate_jail::Filter;

use super::attacker::{Camp, User, users};
use super::limits::spec;
use crate::support::skip;

#[test]
fn g01_a_worker_cannot_open_connect_signal_or_start_anything() {
    let test = "g01_a_worker_cannot_open_connect_signal_or_start_anything";
    for user in users(test) {
        let camp = Camp::of(user);
        let mut gateway = camp.gateway("attacker", json!({"min_isolation": "strict"}));
        let attack = json!({"attack": "attempts"});
        let answer = gateway.attack(&attack, None);
        let inside = gateway.output(&answer);
        assert_all_refused(&inside);
        assert_possible_outside(test, user, &camp.outside(&attack), &inside);
        assert_eq!(gateway.code_of(&answer), "succeeded");
    }
}

/// The first reader is started, later ones are forked; both are attacked.
#[test]
fn g36_a_reader_cannot_open_connect_signal_or_start_anything() {
    let test = "g36_a_reader_cannot_open_connect_signal_or_start_anything";
    for user in users(test) {
        let camp = Camp::of(user);
        let mut gateway = camp.gateway("attacker", json!({"min_isolation": "strict"}));
        let attack = json!({"attack": "attempts", "reader": true});
        let control = camp.outside(&attack);
        let mut seen = BTreeSet::new();
        let deadline = Instant::now() + Duration::from_secs(30);
        while seen.len() < 2 {
            assert!(Instant::now() < deadline, "only these were attacked: {seen:?}");
            let answer = gateway.attack(&attack, None);
            let inside = gateway.output(&answer);
            assert_all_refused(&inside["outcome"]);
            assert_possible_outside(test, user, &control, &inside["outcome"]);
            assert_eq!(gateway.code_of(&answer), "succeeded");
            seen.insert(inside["forked"].as_bool().unwrap());
        }
    }
}

/// Every attempt, with the kernel's answer.
pub(super) fn assert_all_refused(attempts: &Value) {
    let attempts = attempts.as_object().unwrap();
    assert!(attempts.len() > 150, "{} attempts", attempts.len());
    let carried_out: Vec<_> =
        attempts.iter().filter(|(_, attempt)| attempt["said"] != "EPERM").collect();
    assert!(carried_out.is_empty(), "{carried_out:?}");
}

/// Everything refused inside is possible outside, as far as this user can test it.
fn assert_possible_outside(test: &str, user: User, outside: &Value, inside: &Value) {
    for (name, attempt) in outside.as_object().unwrap() {
        let possible = attempt["said"] != "EPERM" && attempt["said"] != "ENOSYS";
        let absent = attempt["said"] == "ENOSYS";
        match attempt["control"].as_str().unwrap() {
            // Tested when the tests run as root.
            "root" if user != User::Root => {}
            "root" | "kernel" if absent || attempt["control"] == "kernel" && !possible => {
                // This kernel was built without it, or refuses it to everybody: nothing to
                // show outside. The test itself has run.
                eprintln!("{test}: no control of `{name}`: the kernel says {}", attempt["said"]);
            }
            _ => assert!(possible, "`{name}` outside: {attempt}"),
        }
    }
    assert_eq!(
        outside.as_object().unwrap().keys().collect::<BTreeSet<_>>(),
        inside.as_object().unwrap().keys().collect::<BTreeSet<_>>()
    );
}

/// All system calls by number. Exactly the calls listed here pass; the others on the allow
/// list need conditions that the sweep does not fulfil.
#[test]
#[cfg(target_arch = "x86_64")]
fn g02_no_other_system_call_passes_the_filter() {
    let unconditional = BTreeSet::from([
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_poll,
        libc::SYS_ppoll,
        libc::SYS_close,
        libc::SYS_sched_yield,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_brk,
        libc::SYS_clock_gettime,
        libc::SYS_clock_getres,
        libc::SYS_clock_nanosleep,
        libc::SYS_nanosleep,
        libc::SYS_gettimeofday,
        libc::SYS_getrandom,
        libc::SYS_getrusage,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_sigaltstack,
        libc::SYS_restart_syscall,
    ]);
    for user in users("g02_no_other_system_call_passes_the_filter") {
        let camp = Camp::of(user);
        let mut gateway = camp.gateway("attacker", json!({}));
        let answer = gateway.attack(&json!({"attack": "sweep"}), None);
        let swept = gateway.output(&answer);
        let passed = numbers(&swept["passed"]);
        assert_eq!(passed, unconditional);
        assert_eq!(swept["passed_x32"], json!([]));
        assert_eq!(gateway.code_of(&answer), "succeeded");
    }
}

/// Engines and commands have files, threads and processes, but none of these calls.
#[test]
fn g02_engines_and_commands_pass_no_dangerous_call() {
    let never = BTreeSet::from([
        libc::SYS_socket,
        libc::SYS_connect,
        libc::SYS_bind,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_pidfd_open,
        libc::SYS_pidfd_getfd,
        libc::SYS_pidfd_send_signal,
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_pivot_root,
        libc::SYS_chroot,
        libc::SYS_open_tree,
        libc::SYS_move_mount,
        libc::SYS_fsopen,
        libc::SYS_mount_setattr,
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_keyctl,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_open_by_handle_at,
        libc::SYS_mknodat,
        libc::SYS_setuid,
        libc::SYS_setgroups,
        libc::SYS_capset,
        libc::SYS_personality,
        libc::SYS_splice,
        libc::SYS_vmsplice,
        libc::SYS_inotify_init1,
        libc::SYS_init_module,
        libc::SYS_kexec_load,
        libc::SYS_reboot,
        libc::SYS_setxattr,
        libc::SYS_fchownat,
        libc::SYS_truncate,
        libc::SYS_sched_setaffinity,
        libc::SYS_setpriority,
        libc::SYS_prlimit64,
    ]);
    for user in users("g02_engines_and_commands_pass_no_dangerous_call") {
        let camp = Camp::of(user);
        for filter in [Filter::Engine, Filter::Command] {
            let answer = camp.jailed(&spec(filter), &json!({"attack": "sweep"}));
            let swept = &answer["outcome"];
            let passed = numbers(&swept["passed"]);
            assert_eq!(passed.intersection(&never).collect::<Vec<_>>(), Vec::<&i64>::new());
            assert_eq!(swept["passed_x32"], json!([]));
            // The control: the calls that they need do pass.
            assert!(passed.contains(&libc::SYS_fstat) && passed.contains(&libc::SYS_execve));
        }
    }
}

/// Calls that they do have, with arguments that would lead out of the jail, past its
/// limits, or to parts of the kernel that nobody needs.
#[test]
fn g02_engines_and_commands_cannot_misuse_the_calls_they_have() {
    let test = "g02_engines_and_commands_cannot_misuse_the_calls_they_have";
    for user in users(test) {
        let camp = Camp::of(user);
        let attack = json!({"attack": "misuses"});
        for filter in [Filter::Engine, Filter::Command] {
            let inside = camp.jailed(&spec(filter), &attack)["outcome"].take();
            for (name, attempt) in inside.as_object().unwrap() {
                assert_eq!(attempt["said"], "EPERM", "{name} with {filter:?}");
            }
            assert_possible_outside(test, user, &camp.outside(&attack), &inside);
        }
    }
}

fn numbers(list: &Value) -> BTreeSet<i64> {
    list.as_array().unwrap().iter().map(|number| number.as_i64().unwrap()).collect()
}

/// The 32-bit entry point has other numbers: `getpid` there is `writev` here.
#[test]
fn g03_the_door_for_32_bit_programs_ends_the_worker() {
    for user in users("g03_the_door_for_32_bit_programs_ends_the_worker") {
        let camp = Camp::of(user);
        let mut gateway = camp.gateway("attacker", json!({}));
        let attack = json!({"attack": "old system calls"});
        let answer = gateway.attack(&attack, None);
        assert_eq!(gateway.code_of(&answer), "worker.died");
        if camp.outside(&attack) != "ok" {
            skip("g03_the_door_for_32_bit_programs_ends_the_worker", "the kernel has no such door");
        }
    }
}

#[test]
fn g04_machine_code_of_a_program_does_not_run() {
    for user in users("g04_machine_code_of_a_program_does_not_run") {
        let camp = Camp::of(user);
        let mut gateway = camp.gateway("attacker", json!({}));
        let attack = json!({"attack": "shellcode"});
        let answer = gateway.attack(&attack, None);
        assert_eq!(gateway.output(&answer), "EPERM");
        assert_eq!(camp.outside(&attack), "ran: 42");
        assert_eq!(gateway.code_of(&answer), "succeeded");
    }
}

/// Without the system call filter, which the worker falsely claims to have.
#[test]
fn g05_without_the_filter_the_other_walls_hold_alone() {
    for user in users("g05_without_the_filter_the_other_walls_hold_alone") {
        let camp = Camp::of(user);
        let neighbour = Neighbour::of(&camp);
        let attack = neighbour.attack(&camp);
        let mut gateway = camp.gateway("unsealed", json!({"min_isolation": "strict"}));
        let answer = gateway.attack(&attack, None);
        let inside = gateway.output(&answer);
        let possible: Vec<_> =
            inside.as_object().unwrap().iter().filter(|(_, said)| *said == "ok").collect();
        assert!(possible.is_empty(), "{possible:?}");
        // The wall that refuses each: the root, the pid or the network namespace.
        for (name, by) in [
            ("look at a file", "ENOENT"),
            ("a process table", "ENOENT"),
            ("signal a process of the host", "ESRCH"),
            ("hold a process of the host", "ESRCH"),
            ("read a process of the host", "ESRCH"),
            ("abstract socket of the host", "ECONNREFUSED"),
        ] {
            assert_eq!(inside[name], by, "{name}");
        }
        neighbour.assert_in_reach_outside(&camp);
        assert_eq!(gateway.code_of(&answer), "succeeded");
    }
}

/// Attempts that any user can make on their own files and processes.
const POSSIBLE_OUTSIDE: [&str; 17] = [
    "read a file",
    "write a file",
    "look at a file",
    "change the rights of a file",
    "change the times of a file",
    "a process table",
    "the way through the own root",
    "environment of a process of the host",
    "control groups",
    "devices",
    "signal a process of the host",
    "signal a thread of the host",
    "hold a process of the host",
    "limits of a process of the host",
    "rank of a process of the host",
    "signal through a descriptor",
    "abstract socket of the host",
];

/// Attempts that only root can make.
const POSSIBLE_FOR_ROOT: [&str; 6] = [
    "settings of the kernel",
    "mount",
    "make a device",
    "change the root",
    "become root",
    "name the host",
];

/// Attempts that the kernel allows the owner, unless its security module forbids them.
const POSSIBLE_WITHOUT_YAMA: [&str; 2] =
    ["read a process of the host", "trace a process of the host"];

#[test]
fn g06_a_worker_finds_no_secret_in_what_it_was_started_with() {
    for user in users("g06_a_worker_finds_no_secret_in_what_it_was_started_with") {
        let camp = Camp::of(user);
        // Without a filter it can inspect itself.
        let mut gateway = camp.gateway("unsealed", json!({}));
        let answer = gateway.attack(&json!({"attack": "who"}), None);
        let inside = gateway.output(&answer);
        assert_eq!(inside["environment"], json!([]));
        // Its name, `worker`, and the jail, which contains no secret.
        assert_eq!(inside["arguments"], 3);
        assert_eq!([&inside["pid"], &inside["parent"]], [2, 1]);
        assert_ne!(inside["uid"], 0);
        assert_eq!(inside["interfaces"], 1);
        // The process that starts the gateway may leave a folder open in it.
        assert_eq!(inside["folders"], json!([]));
        let outside = camp.outside(&json!({"attack": "who"}));
        assert_ne!(outside["environment"], json!([]));
        for filter in [Filter::Engine, Filter::Command] {
            let jailed = camp.jailed(&spec(filter), &json!({"attack": "who"}));
            assert_eq!(jailed["outcome"]["folders"], json!([]), "{filter:?}");
        }
        assert_eq!(outside["folders"], json!([9]));
    }
}

/// Engines and commands may start processes, but cannot create a namespace that way.
#[test]
fn g02_no_door_leads_into_a_namespace() {
    let test = "g02_no_door_leads_into_a_namespace";
    let attack = json!({"attack": "namespaces"});
    for user in users(test) {
        let camp = Camp::of(user);
        let mut gateway = camp.gateway("attacker", json!({}));
        let answer = gateway.attack(&attack, None);
        let refused = json!({"clone": "EPERM", "clone3": "EPERM", "unshare": "EPERM"});
        assert_eq!(gateway.output(&answer), refused);
        assert_eq!(gateway.code_of(&answer), "succeeded");
        for filter in [Filter::Engine, Filter::Command] {
            let answer = camp.jailed(&spec(filter), &attack);
            // A filter cannot see the flags of `clone3`, so the whole call is refused.
            let refused = json!({"clone": "EPERM", "clone3": "ENOSYS", "unshare": "EPERM"});
            assert_eq!(answer["outcome"], refused, "{filter:?}");
        }
        let possible = json!({"clone": "ok", "clone3": "ok", "unshare": "ok"});
        let outside = camp.outside(&attack);
        if user != User::Root && outside["unshare"] != "ok" {
            eprintln!("{test}: no control: this kernel leaves user namespaces to root");
            continue;
        }
        assert_eq!(outside, possible);
    }
}

/// A process, a file, a socket and a port of the user who runs the gateway.
pub(super) struct Neighbour {
    process: Child,
    _local: UnixListener,
    local_name: String,
    port: TcpListener,
}

impl Neighbour {
    pub(super) fn of(camp: &Camp) -> Self {
        // Any waiting process of this user; this one waits for its input.
        let mut command = std::process::Command::new("cat");
        if camp.user == User::Dropped {
            command = std::process::Command::new(camp.executable("attacker"));
            command.args(["as", "65534", "--", "cat"]);
        }
        let process = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let local_name = format!("tidegate-test-{}", process.id());
        let address = SocketAddr::from_abstract_name(&local_name).unwrap();
        let local = UnixListener::bind_addr(&address).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        Self { process, _local: local, local_name, port }
    }

    /// The control: the same outside.
    pub(super) fn assert_in_reach_outside(&self, camp: &Camp) {
        let mut possible = POSSIBLE_OUTSIDE.to_vec();
        if camp.user == User::Root {
            possible.extend(POSSIBLE_FOR_ROOT);
        }
        let yama = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope");
        if camp.user == User::Root || yama.ok().is_none_or(|scope| scope.trim() == "0") {
            possible.extend(POSSIBLE_WITHOUT_YAMA);
        }
        let outside = Camp::of(camp.user).outside(&self.attack(camp));
        for name in possible {
            assert_eq!(outside[name], "ok", "{name} outside");
        }
    }

    pub(super) fn attack(&self, camp: &Camp) -> Value {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.process.id())).unwrap();
        let address = i64::from_str_radix(maps.split('-').next().unwrap(), 16).unwrap();
        json!({
            "attack": "walls",
            "address": address,
            "pid": self.process.id(),
            "socket": self.local_name,
            "port": self.port.local_addr().unwrap().port(),
            "file": camp.file("home/secret", "secret"),
        })
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
