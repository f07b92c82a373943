//! Deno and Node as engines: the guests of `programs.rs` again, with the same outcome. Uses the
//! real engines that `cargo xtask setup` installs.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::jail::attacker::{NOBODY, User, users};
use crate::programs::{self, Guest};
use crate::support::{Bench, Equipment, descendants, link_or_copy, query, text, wait_until_gone};

/// A guest whose outcome differs from that in QuickJS.
struct Otherwise {
    guest: &'static str,
    /// In which engines, and up to which major version of them.
    engines: &'static [(&'static str, u32)],
    outcome: &'static str,
}

const DENO: (&str, u32) = ("deno", u32::MAX);
const NODE: (&str, u32) = ("node", u32::MAX);

/// All of them, with the reasons.
static OTHERWISE: [Otherwise; 13] = [
    // `Object.groupBy` came with the V8 of Node 21, `using` with that of Node 24.
    otherwise("allowed/modern_javascript", &[("node", 20)], "error program.threw at line 12"),
    otherwise("allowed/typescript_features", &[("node", 23)], "error program.syntax"),
    // Thrown with no frame of the program on the stack.
    otherwise("denied/export_default_class", &[DENO, NODE], "error program.threw"),
    // V8 does not put the position of a syntax error into its stack.
    otherwise("hostile/port_redeclared", &[DENO, NODE], "error program.syntax"),
    // Refused as well, with another name.
    otherwise("hostile/import_inside_eval", &[DENO, NODE], "output \"TypeError\""),
    // V8's call sites have one method fewer.
    otherwise(
        "hostile/prepare_stack_trace",
        &[DENO, NODE],
        "output {\"stack\":\"/home/host/secret\",\"seen\":[\"undefined,undefined\"]}",
    ),
    // V8 names the engine's own scripts, which are the same everywhere, and repeats the message.
    otherwise(
        "hostile/stacks_show_no_host",
        &[DENO],
        "output [\"(ext\",\"(reading 'x'\",\"(tidegate\"]",
    ),
    otherwise(
        "hostile/stacks_show_no_host",
        &[NODE],
        "output [\"(node\",\"(reading 'x'\",\"(tidegate\"]",
    ),
    // Its `JSON.stringify` does not recurse, so the gateway refuses it instead.
    otherwise("limits/arguments_of_a_hundred_thousand_levels", &[DENO], "error call.bad_argument"),
    // V8 tries, and is stopped by the limit, where QuickJS refuses the size itself.
    otherwise("limits/memory_one_buffer", &[DENO, NODE], "error limit.memory"),
    otherwise("limits/native_bigint_pow", &[DENO, NODE], "error limit.memory"),
    // V8 compiles it, and finishes in time.
    otherwise("limits/native_huge_regex", &[DENO, NODE], "output {}"),
    // A full heap ends V8 at once: nothing can be caught.
    otherwise("limits/memory_caught", &[DENO, NODE], "error limit.memory"),
];

const fn otherwise(
    guest: &'static str,
    engines: &'static [(&'static str, u32)],
    outcome: &'static str,
) -> Otherwise {
    Otherwise { guest, engines, outcome }
}

#[test]
fn guests_end_alike_in_deno() {
    guests_end_alike("guests_end_alike_in_deno", "deno");
}

#[test]
fn guests_end_alike_in_node() {
    guests_end_alike("guests_end_alike_in_node", "node");
}

fn guests_end_alike(test: &str, engine: &str) {
    let folders = [("allowed", ""), ("denied", ""), ("hostile", ""), ("limits", programs::LIMITS)];
    end_alike(test, engine, User::Own, &folders, |_| true);
}

/// Guests whose outcome depends on the user's rights: without control groups memory is limited
/// in another way, and the processes that kill are not root.
#[test]
fn hostile_guests_end_alike_for_a_user_without_rights() {
    let test = "hostile_guests_end_alike_for_a_user_without_rights";
    if !users(test).contains(&User::Dropped) {
        return;
    }
    let folders = [("hostile", ""), ("limits", programs::LIMITS)];
    let picked = [
        "hostile/constructor_of_everything",
        "hostile/imports_of_other_schemes",
        "hostile/stacks_show_no_host",
        "limits/memory_",
        "limits/loop_in_try_finally",
        "limits/native_regex",
        "limits/recursion",
        "limits/prints_a_gigabyte",
        "limits/sleeps",
    ];
    let is_picked = |name: &str| picked.iter().any(|start| name.starts_with(start));
    for engine in ["deno", "node"] {
        end_alike(test, engine, User::Dropped, &folders, is_picked);
    }
}

fn end_alike(
    test: &str,
    engine: &str,
    user: User,
    folders: &[(&str, &str)],
    is_picked: impl Fn(&str) -> bool,
) {
    let Some(equipment) = Equipment::get(test, &[engine]) else { return };
    let major = major_version(&equipment, engine);
    let mut failures = String::new();
    for (folder, limits) in folders {
        let Some(bench) = bench_of(user, test, engine, limits) else { return };
        let mut served = bench.serve();
        // The start of a server is not part of the measured time.
        served.execute("await servers.hostile.echo({ text: '' })");
        let mut ended = BTreeMap::new();
        for file in programs::guests(folder) {
            let guest = Guest::read(&file);
            let name = format!("{folder}/{}", file.file_stem().unwrap().to_str().unwrap());
            if !is_picked(&name) {
                continue;
            }
            let mut request = guest.request();
            request["engine"] = json!(engine);
            if otherwise_at(&name, engine, major).is_some() {
                // A short time limit is meant for QuickJS.
                request.as_object_mut().unwrap().remove("timeout_ms");
            }
            let answer = served.execute_with(request);
            programs::note_ending(&mut ended, &answer);
            let expected = expected(&name, &guest, engine, major);
            let got = outcome(&answer, &expected);
            if got != expected {
                let whole = answer.get("error").unwrap_or(&Value::Null);
                writeln!(failures, "{name}\n  expected {expected}\n       got {got} {whole}")
                    .unwrap();
            }
        }
        programs::assert_recorded(&bench, &ended);
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// The outcome in the guest's header, without details that depend on the engine: the wording of
/// errors, and columns.
fn expected(name: &str, guest: &Guest, engine: &str, major: u32) -> String {
    match otherwise_at(name, engine, major) {
        Some(otherwise) => otherwise.outcome.to_owned(),
        None => without_words(&guest.expected_outcome()),
    }
}

fn otherwise_at(name: &str, engine: &str, major: u32) -> Option<&'static Otherwise> {
    let here = |(one, most): &(&str, u32)| *one == engine && major <= *most;
    OTHERWISE.iter().find(|one| one.guest == name && one.engines.iter().any(here))
}

fn major_version(equipment: &Equipment, engine: &str) -> u32 {
    let output = equipment.command(engine).arg("--version").output().unwrap();
    let said = text(&output.stdout);
    let number = said.trim_start_matches(|c: char| !c.is_ascii_digit());
    number.split('.').next().unwrap().parse().unwrap()
}

fn without_words(outcome: &str) -> String {
    let Some(error) = outcome.strip_prefix("error ") else { return outcome.to_owned() };
    let (place, _) = error.split_once(": ").unwrap_or((error, ""));
    let (place, _) = place.split_once(", column").unwrap_or((place, ""));
    // V8 does not report where a limit stopped it.
    let place = if place.starts_with("limit.") { place.split(' ').next().unwrap() } else { place };
    format!("error {place}")
}

fn outcome(answer: &Value, expected: &str) -> String {
    let Some(error) = answer.get("error") else {
        return answer
            .get("output")
            .map_or("nothing".to_owned(), |output| format!("output {output}"));
    };
    let code = error["code"].as_str().unwrap();
    match error.get("line").filter(|_| expected.contains(" at line ")) {
        Some(line) => format!("error {code} at line {line}"),
        None => format!("error {code}"),
    }
}

/// A folder with the servers of the guests, and this engine.
fn bench(test: &str, engine: &str, limits: &str) -> Option<Bench> {
    bench_of(User::Own, test, engine, limits)
}

fn bench_of(user: User, test: &str, engine: &str, limits: &str) -> Option<Bench> {
    let equipment = Equipment::get(test, &[engine])?;
    let found = equipment.server(engine, &[])["command"].as_str().unwrap().to_owned();
    let more = |program: &Path| format!("{limits}\n[sandbox]\n{engine} = {program:?}\n");
    let program = Path::new(&found);
    let mut start = Command::new(program);
    start.arg("--version").stdout(Stdio::null());
    if user != User::Dropped || start.uid(NOBODY).gid(NOBODY).status().is_ok() {
        return programs::bench_of(user, test, &more(program));
    }
    // It is in root's own folder, so the user needs a copy.
    let bench = programs::bench_of(user, test, "")?;
    let own = bench.path().join(engine);
    link_or_copy(&fs::canonicalize(program).unwrap(), &own);
    let config = fs::read_to_string(bench.path().join("tidegate.toml")).unwrap();
    bench.write("tidegate.toml", &config.replacen("\n\n", &format!("\n{}\n", more(&own)), 1));
    Some(bench)
}

#[test]
fn an_engine_that_is_missing_is_an_error_with_a_remedy() {
    let bench = Bench::new();
    bench.write("tidegate.toml", "[sandbox]\ndeno = '/none/deno'");
    let answer = bench.serve().execute_with(json!({"code": "return 1", "engine": "deno"}));
    let error = json!({
        "code": "sandbox.no_engine",
        "message": "there is no `deno` on this machine",
        "hint": "omit `engine` to run it with `quickjs`, or ask the user to install `deno` on PATH \
                 or to set `sandbox.deno`; `tidegate doctor` shows what was found",
    });
    assert_eq!(answer["error"], error);
}

#[test]
fn an_engine_that_is_not_listed_is_refused_and_not_looked_for() {
    let bench = Bench::new();
    // It would exist if the engine were started.
    let trace = bench.path().join("started");
    let node = bench.write("node", &format!("#!/bin/sh\ntouch {}\n", trace.display()));
    fs::set_permissions(&node, fs::Permissions::from_mode(0o755)).unwrap();
    let sandbox = format!("[sandbox]\nnode = {}\n", json!(node));
    let asked = json!({"code": "return 1", "engine": "node"});
    bench.write("tidegate.toml", &format!("{sandbox}engines = ['quickjs', 'deno']"));
    let mut served = bench.serve();
    let answer = served.execute_with(asked.clone());
    let error = json!({
        "code": "sandbox.engine_denied",
        "message": "programs may not run with `node`",
        "hint": "omit `engine` to run it with `quickjs`; the user can allow others under \
                 `sandbox.engines`",
    });
    assert_eq!(answer["error"], error);
    assert!(!trace.exists());
    assert_eq!(served.execute("return 1")["output"], 1);
    let rows = query(&bench.state_dir().join("record.db"), "SELECT error_code FROM runs");
    assert_eq!(rows, ["sandbox.engine_denied", ""]);
    let file = bench.write("program.ts", "return 1");
    let output = bench.command(&["run", "--engine", "node", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let doctor = bench.command(&["doctor", "--json"]);
    let doctor: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let found =
        doctor["findings"].as_array().unwrap().iter().find(|one| one["name"] == "engine node");
    assert_eq!(found.unwrap()["message"], "disabled: it is not in `sandbox.engines`");
    assert!(!trace.exists());
    // The control: without the list, the gateway looks for it by starting it.
    bench.write("tidegate.toml", &sandbox);
    let answer = bench.serve().execute_with(asked);
    assert_eq!(answer["error"]["code"], "sandbox.no_engine");
    assert!(trace.exists());
}

/// Work that the engine does in other threads, while a call is under way.
#[test]
fn what_only_the_engine_can_finish_is_finished() {
    let test = "what_only_the_engine_can_finish_is_finished";
    let program = "
        const call = servers.hostile.echo({ text: 'hello' });
        const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode('abc'));
        const stream = new Blob(['a'.repeat(10_000)]).stream();
        let bytes = 0;
        for await (const piece of stream.pipeThrough(new CompressionStream('gzip'))) bytes += piece.length;
        const empty = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
        const { exports } = await WebAssembly.instantiate(await WebAssembly.compile(empty));
        return [Buffer.from(hash).toString('hex').slice(0, 8), bytes < 100, Object.keys(exports), await call];";
    for engine in ["deno", "node"] {
        let Some(bench) = bench(test, engine, "") else { return };
        let answer = bench.serve().execute_with(json!({"code": program, "engine": engine}));
        assert_eq!(answer["output"], json!(["ba7816bf", true, [], "hello"]), "{engine}: {answer}");
    }
}

/// When a gateway is killed, its engines in a loop end with it.
#[test]
fn nothing_of_an_engine_is_left_behind() {
    let test = "nothing_of_an_engine_is_left_behind";
    let each = |user| ["deno", "node"].map(|engine| (user, engine));
    for (user, engine) in users(test).into_iter().flat_map(each) {
        let Some(bench) = bench_of(user, test, engine, "") else { return };
        let mut served = bench.serve();
        let code = "await servers.hostile.echo({ text: 'started' }); for (;;) {}";
        let arguments = json!({"code": code, "engine": engine});
        served.begin("tools/call", json!({"name": "execute_code", "arguments": arguments}));
        let started = || descendants(served.pid()).len() >= 4;
        let deadline = Instant::now() + Duration::from_secs(30);
        // Hostile server with its guard, worker, engine.
        while !started() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(started(), "{engine} did not start");
        let all = descendants(served.pid());
        let pid = Pid::from_raw(i32::try_from(served.pid()).unwrap());
        kill(pid, Signal::SIGKILL).unwrap();
        assert_eq!(wait_until_gone(&all), Vec::<u32>::new(), "{engine} {user:?}");
    }
}

/// A stand-in for an engine that its program has taken over: it says that it is ready, and after
/// that anything.
#[test]
fn an_engine_that_breaks_the_protocol_ends_its_run_and_nothing_else() {
    let says = [
        ("nothing", ""),
        ("no frame", r"\377\377\377\377"),
        ("an empty frame", r"\000\000\000\000"),
        ("an unknown kind", r"\001\000\000\000\377"),
        ("half a frame", r"\377\000\000\000\100"),
        ("ready once more", r"\001\000\000\000\100"),
        ("a worker's hello", r"\011\000\000\000\001\003\000\000\000\000\000\000\000"),
        ("a worker's end", r"\012\000\000\000\005\000\000\000\000\000\000\000\000\000"),
        ("a check of the program", r"\012\000\000\000\003\000\000\000\000\006\000\000\000\000"),
    ];
    for (what, bytes) in says {
        let bench = Bench::new();
        // Asked for its version, it names itself; started as an engine, it reads our script and
        // the program, and then speaks.
        let script = format!(
            "#!/bin/bash\n[ \"$1\" = -p ] && printf '%s\\n22.1.0\\n' \"$0\" && exit\n\
             head -c 1000 > /dev/null\nprintf '\\001\\000\\000\\000\\100'\n\
             sleep 0.1\nprintf '{bytes}'\n"
        );
        let node = bench.write("node", &script);
        fs::set_permissions(&node, fs::Permissions::from_mode(0o755)).unwrap();
        bench.write("tidegate.toml", &format!("[sandbox]\nnode = {}", json!(node)));
        let mut served = bench.serve();
        let answer = served.execute_with(json!({"code": "return 1", "engine": "node"}));
        assert_eq!(answer["error"]["code"], "worker.died", "{what}: {answer}");
        assert_eq!(served.execute("return 1")["output"], 1, "{what}");
    }
}
