//! Hostile programs of many kinds beside honest ones, in one gateway and one session.
//!
//! Asserts that an honest run beside them is not stalled: each is answered and has succeeded,
//! 19 of 20 within [`STALLED`], and all programs are in the record. Asserts no ratio to the
//! same runs alone: how much longer they take depends on the cores. `tidegate bench fair`
//! measures it.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Bench, Served};

/// What an honest program does: it returns personal data.
const HONEST: &str = "return ['ann.lee@example.org', 1]";

/// How long the hostile programs run. `tidegate bench fair` takes longer.
const TIME: Duration = Duration::from_secs(6);

/// Honest runs before and after that.
const ALONE: usize = 30;

/// A run that takes longer is stalled. Chosen: twelve programs that compute share two cores with
/// each other and with whatever else this machine does, in a debug build; without bounds on the
/// work for one answer, honest runs take more than ten seconds.
const STALLED: Duration = Duration::from_millis(1500);

/// The most resident memory of the gateway.
const MAX_RESIDENT: u64 = 512 * 1024 * 1024;

/// The most that the state folder may have: see the table in `docs/guarantees.md`.
const MAX_STORED: u64 = 1024 * 1024 * 1024;

/// Each floods something else that the gateway keeps or works on. `N` is different in each run.
const HOSTILE: [(&str, &str); 12] = [
    (
        "addresses",
        "let s = ''; for (let i = 0; i < 600000; i++) s += i.toString(36) + 'N@ab.org '; return s",
    ),
    (
        "a list of names",
        "return Array.from({length: 60000}, (_, i) => ({full_name: 'Ann Q' + i + 'N'}))",
    ),
    ("tokens", "let s = ''; for (let i = 0; i < 400000; i++) s += '[EMAIL_' + i + '] '; return s"),
    ("log", "for (let i = 0; ; i++) console.log('x'.repeat(900) + i + 'N@ab.org')"),
    ("calls", "for (let i = 0; ; i++) try { await callMCPTool('nN' + i + '__t', {}) } catch {}"),
    (
        "fetches",
        "for (let i = 0; ; i++) try { await fetch('http://hN' + i + '.example/') } catch {}",
    ),
    ("memory", "const a = []; for (let i = 0; ; i++) a.push('x'.repeat(1e6) + i + N)"),
    ("cpu", "for (let i = N; ; i++);"),
    ("output", "return 'x'.repeat(30e6) + N"),
    ("skills", "for (let i = 0; ; i++) await saveSkill('sN-' + i, 'return ' + i, 'x'.repeat(200))"),
    ("errors", "throw new Error('N@ab.org '.repeat(2e6))"),
    ("approvals", "return await servers.drive.writeFile({ path: 'fN', text: 'N' })"),
];

#[test]
fn g38_hostile_programs_neither_stall_nor_fail_an_honest_client() {
    let bench = Bench::with_servers(json!({
        "drive": {"command": env!("CARGO_BIN_EXE_tidegate"), "args": ["demo-server", "drive"]},
    }));
    // Nobody answers: an approval is pending soon.
    bench.write("tidegate.toml", "[approvals]\nwait = '1s'\n");
    let mut served = bench.serve();
    let mut clients = Clients::new(&mut served);
    for _ in 0..ALONE / 3 {
        clients.honest();
    }
    let alone: Vec<Duration> = (0..ALONE).map(|_| clients.honest()).collect();
    let beside = clients.beside_hostile_programs();
    let asked = clients.asked;
    let pid = served.pid();
    let resident = peak_bytes(pid);
    // Nor are runs stalled once the others have gone.
    let mut clients = Clients { asked, ..Clients::new(&mut served) };
    let after: Vec<Duration> = (0..ALONE).map(|_| clients.honest()).collect();
    let asked = clients.asked;
    served.end();
    let (alone, beside, after) = (p95(alone), p95(beside), p95(after));
    let times = format!("{alone:?} alone, {beside:?} beside, {after:?} after");
    assert!(beside <= STALLED && after <= STALLED, "{times}");
    assert!(resident <= MAX_RESIDENT, "{resident} bytes of memory");
    let stored = stored_bytes(&bench.state_dir());
    assert!(stored <= MAX_STORED, "{stored} bytes of state");
    let record = rusqlite::Connection::open(bench.state_dir().join("record.db")).unwrap();
    let runs = "SELECT count(*) FROM runs WHERE kind = 'execute_code'";
    let recorded: usize = record.query_row(runs, [], |row| row.get(0)).unwrap();
    assert_eq!(recorded, asked);
}

/// Honest and hostile programs of one client.
struct Clients<'a> {
    served: &'a mut Served,
    /// How many programs were sent.
    asked: usize,
}

impl<'a> Clients<'a> {
    fn new(served: &'a mut Served) -> Self {
        Self { served, asked: 0 }
    }

    fn send(&mut self, code: &str) -> u64 {
        self.asked += 1;
        let arguments = json!({"code": code, "timeout_ms": 3000});
        self.served.begin("tools/call", json!({"name": "execute_code", "arguments": arguments}))
    }

    /// An honest program, alone.
    fn honest(&mut self) -> Duration {
        let (id, started) = (self.send(HONEST), Instant::now());
        loop {
            let message = self.served.next();
            if message["id"] == id {
                assert_honest(&message);
                return started.elapsed();
            }
        }
    }

    /// Honest programs one after the other, while one hostile program of each kind runs at any
    /// time.
    fn beside_hostile_programs(&mut self) -> Vec<Duration> {
        let (mut times, mut hostile) = (Vec::new(), HashMap::new());
        for kind in 0..HOSTILE.len() {
            hostile.insert(self.send(&program(kind, 0)), kind);
        }
        let begun = Instant::now();
        let (mut honest, mut started) = (Some(self.send(HONEST)), Instant::now());
        while honest.is_some() || !hostile.is_empty() {
            let message = self.served.next();
            let Some(id) = message["id"].as_u64() else { continue };
            let is_over = begun.elapsed() >= TIME;
            if honest == Some(id) {
                assert_honest(&message);
                times.push(started.elapsed());
                honest = (!is_over).then(|| self.send(HONEST));
                started = Instant::now();
            } else if let Some(kind) = hostile.remove(&id)
                && !is_over
            {
                hostile.insert(self.send(&program(kind, self.asked)), kind);
            }
        }
        times
    }
}

fn program(kind: usize, number: usize) -> String {
    HOSTILE[kind].1.replace('N', &number.to_string())
}

fn assert_honest(message: &Value) {
    let text = message["result"]["content"][0]["text"].as_str().unwrap_or_default();
    let answer: Value = serde_json::from_str(text).unwrap_or_default();
    assert_eq!(answer["success"], true, "{message}");
    let email = answer["output"][0].as_str().unwrap_or_default();
    assert!(email.starts_with("[EMAIL_"), "{message}");
}

fn p95(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[(times.len() * 95 / 100).min(times.len() - 1)]
}

fn peak_bytes(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

fn stored_bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries
        .map(|entry| match entry.file_type().unwrap().is_dir() {
            true => stored_bytes(&entry.path()),
            false => entry.metadata().unwrap().len(),
        })
        .sum()
}

/// Writes the header of the longest frame to every socket that it finds, and nothing after it.
const HOLDS_A_FRAME: &str = "
import os, stat, time
for descriptor in range(64):
    try:
        if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
            os.write(descriptor, (60 << 20).to_bytes(4, 'little') + b'x' * 10)
    except OSError:
        pass
time.sleep(8)
";

#[test]
fn a_frame_that_a_program_holds_back_stalls_nobody() {
    let bench = Bench::new();
    let mut served = bench.serve();
    // The engine is looked for once.
    let first = served.execute_with(json!({"code": "1", "language": "python"}));
    if first["success"] != true {
        assert!(std::env::var_os("TIDEGATE_TEST_STRICT").is_none(), "{first}");
        return;
    }
    for _ in 0..4 {
        let code = json!({"code": HOLDS_A_FRAME, "language": "python", "timeout_ms": 10_000});
        served.begin("tools/call", json!({"name": "execute_code", "arguments": code}));
    }
    std::thread::sleep(Duration::from_secs(1));
    let started = Instant::now();
    let code = "return 'x'.repeat(300000)";
    let arguments = json!({"code": code, "timeout_ms": 5000});
    let id = served.begin("tools/call", json!({"name": "execute_code", "arguments": arguments}));
    let mut others = 0;
    let honest = loop {
        let message = served.next();
        if message["id"] == id {
            break message;
        }
        others += u32::from(message["id"].is_u64());
    };
    let took = started.elapsed();
    let text = honest["result"]["content"][0]["text"].as_str().unwrap();
    let answer: Value = serde_json::from_str(text).unwrap();
    assert_eq!(answer["success"], true, "{answer}");
    assert_eq!(others, 0, "the frames were not held back");
    assert!(took < Duration::from_secs(2), "{took:?}");
}
