//! Programs as models and attackers write them.
//!
//! Each program is a file `tests/guests/<folder>/<name>.ts` whose header says which outcome is
//! expected. The whole outcome is compared, so a key that is missing there must be missing in the
//! answer:
//!
//! ```text
//! // expect: output JSON              or: nothing
//! // expect: error CODE at line L, column C: MESSAGE
//! // hint: HINT                       of the error
//! // logs: JSON                       or: any
//! // calls: N                         tool calls that the gateway counted
//! // timeout: N ms                    what the request asks for
//! // within: N ms                     the most `metrics.execution_ms` may be
//! // sent as: CRLF                    line ends are changed on the way
//! // language: typescript             what the request says; without it, the source decides
//! // python: 3.11                     the oldest version that supports the program
//! ```
//!
//! `{n}` in a message stands for a measured number, `{used}` for the text about the memory used.
//!
//! Programs in Python (`tests/guests/python`, see `python/guests.rs`) have the same
//! header behind `# `. Before Python 3.11 errors have no column.
//!
//! A limit stops the engine wherever it happens to be, so the place of a
//! `limit.` error is compared only if the header has one.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::jail::attacker::{User, users};
use crate::support::{Bench, Equipment, Served, WHATEVER_THE_RISK, query};

/// Follows each program that may have done harm: the server still answers, and no global is left
/// behind.
const HELLO: &str = "const text = await servers.hostile.echo({ text: 'hello' });
    return { text, globals: Object.keys(globalThis), inherited: Object.keys(Object.prototype) };";

/// The most physical memory that the gateway may use. By trial: 70 MB after the first run, 155 MB
/// after all of `limits`.
const GATEWAY_BYTES: u64 = 300 * 1024 * 1024;

/// The limits that the guests of `limits` are written for.
pub(crate) const LIMITS: &str = "memory = \"64MB\"\noutput = \"8MB\"\ntool_calls = 500";

#[test]
fn allowed_programs_give_their_output() {
    let test = "allowed_programs_give_their_output";
    let Some(bench) = bench(test, "") else { return };
    let mut served = bench.serve();
    run_folder(&bench, &mut served, "allowed", |_| Vec::new());
}

/// An allowed program also passes with the type checker enabled.
#[test]
fn allowed_programs_pass_the_type_check() {
    let test = "allowed_programs_pass_the_type_check";
    let Some(equipment) = Equipment::get(test, &["tsc"]) else { return };
    let tsc = equipment.server("tsc", &[])["command"].to_string();
    let Some(bench) = bench(test, &format!("[checks]\ntsc = {tsc}")) else { return };
    let mut served = bench.serve();
    run_folder(&bench, &mut served, "allowed", |_| Vec::new());
}

#[test]
fn denied_programs_are_told_what_to_change() {
    let test = "denied_programs_are_told_what_to_change";
    let Some(bench) = bench(test, "") else { return };
    let mut served = bench.serve();
    run_folder(&bench, &mut served, "denied", still_works);
}

#[test]
fn g22_hostile_programs_harm_nobody_but_themselves() {
    for user in users("g22_hostile_programs_harm_nobody_but_themselves") {
        let test = "g22_hostile_programs_harm_nobody_but_themselves";
        let Some(bench) = bench_of(user, test, "") else { return };
        let mut served = bench.serve();
        run_folder(&bench, &mut served, "hostile", still_works);
    }
}

#[test]
fn g23_programs_without_end_are_stopped_at_their_limits() {
    let test = "g23_programs_without_end_are_stopped_at_their_limits";
    // In parallel: most of the time is spent waiting for deadlines.
    std::thread::scope(|scope| {
        for user in users(test) {
            scope.spawn(move || {
                let Some(bench) = bench_of(user, test, LIMITS) else { return };
                let mut served = bench.serve();
                run_folder(&bench, &mut served, "limits", still_works);
                let peak = status_bytes(served.pid(), "VmHWM:");
                assert!(peak < GATEWAY_BYTES, "{user:?}: the gateway has used {peak} bytes");
            });
        }
    });
}

/// Programs are parsed where they run. Nesting that overflows the stack ends only that run.
#[test]
fn a_source_nested_without_end_costs_its_own_run_only() {
    let bench = Bench::with_servers(json!({}));
    let mut served = bench.serve();
    let nested = |open: &str, close: &str, depth: usize| {
        format!("const x: any = {}1{}; return 'parsed'", open.repeat(depth), close.repeat(depth))
    };
    for (open, close) in [("(", ")"), ("[", "]"), ("{a:", "}"), ("`${", "}`"), ("- ", "")] {
        // The control: a depth that a person or a model may write.
        let answer = served.execute(&nested(open, close, 100));
        assert_eq!(answer["output"], "parsed", "{open}: {answer}");
        let answer = served.execute(&nested(open, close, 100_000));
        let code = answer["error"]["code"].as_str().unwrap_or_default();
        assert!(
            ["worker.died", "limit.stack", "program.syntax"].contains(&code),
            "{open}: {answer}"
        );
        assert_eq!(served.execute("return 1")["output"], 1, "after {open}");
    }
}

#[test]
fn a_large_output_is_summarised_and_kept_whole() {
    let bench = Bench::with_servers(json!({}));
    let mut served = bench.serve();
    let answer = served.execute(
        "return Array.from({ length: 10_000 }, (_, n) => ({ n, name: `row ${n} ✓`, tags: ['a', null] }))",
    );
    let rows: Vec<Value> = (0..10_000)
        .map(|n| json!({"n": n, "name": format!("row {n} ✓"), "tags": ["a", null]}))
        .collect();
    let kept = kept(&bench, &answer);
    assert_eq!(kept, json!(rows).to_string());
    assert_eq!(
        answer["summary"].as_str().unwrap().lines().next().unwrap(),
        "list of 10000 × {n: number, name: text, tags: list of 2 × mixed values}"
    );
    assert_small(&answer);
}

#[test]
fn a_long_text_is_cut_in_the_middle_and_kept_whole() {
    let bench = Bench::with_servers(json!({}));
    let mut served = bench.serve();
    let answer = served.execute("return 'Anfang 🌊 '.repeat(20_000) + 'Ende 🏁'");
    let text = "Anfang 🌊 ".repeat(20_000) + "Ende 🏁";
    assert_eq!(kept(&bench, &answer), text);
    let summary = answer["summary"].as_str().unwrap();
    assert!(summary.starts_with("Anfang 🌊 Anfang 🌊 "), "{summary}");
    assert!(summary.ends_with(" Ende 🏁"), "{summary}");
    assert_small(&answer);
}

#[test]
fn printed_text_is_kept_whole_if_it_is_the_output() {
    let bench = Bench::with_servers(json!({}));
    let mut served = bench.serve();
    let answer = served.execute("for (let n = 0; n < 5000; n++) console.log(`line ${n}`)");
    let lines: Vec<String> = (0..5000).map(|n| format!("line {n}")).collect();
    assert_eq!(kept(&bench, &answer), lines.join("\n"));
    assert_small(&answer);
}

#[test]
fn a_long_error_message_is_cut() {
    let bench = Bench::with_servers(json!({}));
    let mut served = bench.serve();
    let answer = served.execute("throw new Error('xyz '.repeat(1_000_000))");
    let said = format!("{}… (4000000 characters in all)", "xyz ".repeat(500));
    let message = format!("the program threw: {said}");
    let error = json!({"code": "program.threw", "message": message, "line": 1, "column": 24});
    assert_eq!(answer["error"], error);
}

/// A folder with the demo servers, the hostile one and these limits.
pub(crate) fn bench(test: &str, limits: &str) -> Option<Bench> {
    bench_of(User::Own, test, limits)
}

/// The same for this user.
pub(crate) fn bench_of(user: User, test: &str, limits: &str) -> Option<Bench> {
    let equipment = Equipment::get(test, &["hostile"])?;
    let bench = Bench::of(user).asks_nobody();
    // The time limit is far above the needs of any program on a busy machine. The risk does not
    // count: this tests the jail and the engines, not the checks before them.
    let risk = WHATEVER_THE_RISK.trim_start();
    let mut config = format!("{risk}[limits]\ntime = \"20s\"\n{limits}\n");
    let mut add = |name: &str, command: &Value, arguments: &Value| {
        // Text and lists are written the same way in JSON and TOML.
        write!(config, "\n[servers.{name}]\ncommand = {command}\nargs = {arguments}\n").unwrap();
    };
    for name in ["crm", "drive", "tracker"] {
        let executable = bench.tidegate().get_program().to_str().unwrap().to_owned();
        add(name, &json!(executable), &json!(["demo-server", name]));
    }
    let hostile = bench.in_reach(equipment.server("hostile", &[]));
    add("hostile", &hostile["command"], &hostile["args"]);
    bench.write("tidegate.toml", &config);
    Some(bench)
}

/// Runs every program of a folder, in the order of their names, and reports all unexpected
/// outcomes.
pub(crate) fn run_folder(
    bench: &Bench,
    served: &mut Served,
    folder: &str,
    after: impl Fn(&mut Served) -> Vec<String>,
) {
    let mut failures = String::new();
    let mut ended = BTreeMap::new();
    // The start of a server is not part of the measured time.
    served.execute("await servers.hostile.echo({ text: '' })");
    for file in guests(folder) {
        let guest = Guest::read(&file);
        if guest.python.is_some_and(|least| python_version(served) < least) {
            continue;
        }
        let answer = served.execute_with(guest.request());
        note_ending(&mut ended, &answer);
        let mut problems = guest.problems(&answer);
        problems.extend(after(served));
        for problem in problems {
            writeln!(failures, "{}: {problem}", file.display()).unwrap();
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
    assert_recorded(bench, &ended);
}

/// Remembers how a run ended, by its id.
pub(crate) fn note_ending(ended: &mut BTreeMap<String, String>, answer: &Value) {
    let code = answer["error"]["code"].as_str().unwrap_or_default();
    let outcome = if answer["success"] == true { "succeeded" } else { "failed" };
    let run = answer["run_id"].as_str().unwrap().to_owned();
    ended.insert(run, format!("{outcome}|{code}"));
}

/// The record must have the outcomes that were answered.
pub(crate) fn assert_recorded(bench: &Bench, ended: &BTreeMap<String, String>) {
    let rows =
        query(&bench.state_dir().join("record.db"), "SELECT id, outcome, error_code FROM runs");
    let rows = rows.iter().filter_map(|row| row.split_once('|'));
    let recorded: BTreeMap<String, String> = rows
        .filter(|(run, _)| ended.contains_key(*run))
        .map(|(run, end)| (run.to_owned(), end.to_owned()))
        .collect();
    assert_eq!(&recorded, ended);
}

/// The minor version of the Python that programs run in.
pub(crate) fn python_version(served: &mut Served) -> u64 {
    let code = "import sys\nsys.version_info[1]";
    let answer = served.execute_with(json!({"code": code, "language": "python"}));
    answer["output"].as_u64().unwrap_or_else(|| panic!("{answer}"))
}

/// The programs of a folder, in the order of their names.
pub(crate) fn guests(folder: &str) -> Vec<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guests").join(folder);
    let mut files: Vec<_> = fs::read_dir(&path).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "no programs in `{folder}`");
    files
}

fn still_works(served: &mut Served) -> Vec<String> {
    let expected = json!({"text": "hello", "globals": ["performance"], "inherited": []});
    let answer = served.execute(HELLO);
    if answer["output"] == expected {
        return Vec::new();
    }
    vec![format!("the next run failed: {answer}")]
}

/// A program and its expected outcome.
pub(crate) struct Guest {
    source: String,
    expect: String,
    hint: Option<String>,
    logs: Option<String>,
    calls: Option<u64>,
    timeout_ms: Option<u64>,
    within_ms: Option<u64>,
    /// For a program in Python, the minor version that it needs.
    pub(crate) python: Option<u64>,
    language: Option<&'static str>,
}

impl Guest {
    pub(crate) fn read(file: &Path) -> Self {
        let source = fs::read_to_string(file).unwrap();
        let mut guest = Self {
            expect: String::new(),
            hint: None,
            logs: None,
            calls: None,
            timeout_ms: None,
            within_ms: None,
            python: None,
            language: None,
            source,
        };
        let mut crlf = false;
        let is_python = file.extension().is_some_and(|ending| ending == "py");
        let mark = if is_python { "# " } else { "// " };
        guest.language = is_python.then_some("python");
        let number = |text: &str| text.trim_end_matches(" ms").parse().unwrap();
        // The header of a fenced program stands inside the fence.
        let lines = guest.source.lines().skip_while(|line| !line.starts_with(mark));
        for line in lines.map_while(|line| line.strip_prefix(mark)) {
            match line.split_once(": ") {
                Some(("expect", text)) => guest.expect = text.to_owned(),
                Some(("hint", text)) => guest.hint = Some(text.to_owned()),
                Some(("logs", text)) => guest.logs = Some(text.to_owned()),
                Some(("calls", text)) => guest.calls = Some(number(text)),
                Some(("timeout", text)) => guest.timeout_ms = Some(number(text)),
                Some(("within", text)) => guest.within_ms = Some(number(text)),
                Some(("language", "typescript")) => guest.language = Some("typescript"),
                Some(("python", text)) => guest.python = text.strip_prefix("3.").map(number),
                Some(("sent as", "CRLF")) => crlf = true,
                _ => break,
            }
        }
        assert!(!guest.expect.is_empty(), "{} expects nothing", file.display());
        if crlf {
            guest.source = guest.source.replace('\n', "\r\n");
        }
        guest
    }

    pub(crate) fn request(&self) -> Value {
        let mut request = json!({"code": self.source});
        if let Some(timeout) = self.timeout_ms {
            request["timeout_ms"] = json!(timeout);
        }
        if let Some(language) = self.language {
            request["language"] = json!(language);
        }
        request
    }

    /// Whether it calls tools.
    pub(crate) fn needs_servers(&self) -> bool {
        self.source.contains("servers.") || self.source.contains("call_tool")
    }

    /// All differences from the expected outcome.
    pub(crate) fn problems(&self, answer: &Value) -> Vec<String> {
        let mut problems = Vec::new();
        let mut check = |what: &str, expected: Option<String>, got: Option<String>| {
            if expected != got {
                let [expected, got] = [expected, got].map(|it| it.unwrap_or("nothing".to_owned()));
                problems.push(format!("{what}\n  expected {expected}\n       got {got}"));
            }
        };
        let (mut expected, got) = (self.expected_outcome(), self.outcome(answer));
        if self.language == Some("python") && answer["error"].get("column").is_none() {
            expected = without_column(&expected);
        }
        check("outcome", Some(with_numbers_of(&got, &expected)), Some(got));
        let hint = answer["error"]["hint"].as_str().map(visible);
        check("hint", self.hint.clone(), hint);
        if self.logs.as_deref() != Some("any") {
            let logs = self.logs.as_deref().map(normal);
            check("logs", logs, answer.get("logs").map(Value::to_string));
        }
        let metrics = &answer["metrics"];
        if let Some(calls) = self.calls {
            let got = metrics["tool_calls"].to_string();
            check("tool calls", Some(calls.to_string()), Some(got));
        }
        if let Some(within) = self.within_ms {
            let took = metrics["execution_ms"].as_f64().unwrap();
            let late = (took > within as f64).then(|| format!("{took} ms"));
            check(&format!("longer than {within} ms"), None, late);
        }
        problems
    }

    pub(crate) fn expected_outcome(&self) -> String {
        match self.expect.strip_prefix("output ") {
            Some(value) => format!("output {}", normal(value)),
            None => self.expect.clone(),
        }
    }

    /// The outcome, written as in a header.
    fn outcome(&self, answer: &Value) -> String {
        let Some(error) = answer.get("error") else {
            return match answer.get("output") {
                Some(output) => format!("output {output}"),
                None => "nothing".to_owned(),
            };
        };
        let code = error["code"].as_str().unwrap_or_default();
        let message = visible(error["message"].as_str().unwrap_or_default());
        let place = match (error.get("line"), error.get("column")) {
            _ if !self.expect.contains(" at line ") && code.starts_with("limit.") => String::new(),
            (Some(line), Some(column)) => format!(" at line {line}, column {column}"),
            (Some(line), None) if self.language == Some("python") => format!(" at line {line}"),
            _ => String::new(),
        };
        format!("error {code}{place}: {message}")
    }
}

/// The expected text, with each `{n}` replaced by the number at the same place in the other text,
/// as long as the texts are equal up to there.
fn with_numbers_of(got: &str, expected: &str) -> String {
    if let Some(start) = expected.strip_suffix("{used}") {
        let said = got.strip_prefix(start).unwrap_or_default();
        let refused = " of physical memory and asked for more";
        let amount = said.strip_prefix("it used ").unwrap_or_default();
        let amount = amount.strip_suffix(refused).unwrap_or(amount);
        let number = amount.strip_suffix(" MB").or_else(|| amount.strip_suffix(" KB"));
        let is_number = number.is_some_and(|number| number.parse::<f64>().is_ok());
        return if is_number { got.to_owned() } else { expected.to_owned() };
    }
    let mut filled = String::new();
    let mut pieces = expected.split("{n}");
    filled.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let rest = got.get(filled.len()..).filter(|_| got.starts_with(&filled)).unwrap_or_default();
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        filled.push_str(if end == 0 { "{n}" } else { &rest[..end] });
        filled.push_str(piece);
    }
    filled
}

fn without_column(outcome: &str) -> String {
    match outcome.split_once(", column ") {
        Some((before, after)) => {
            format!("{before}{}", after.trim_start_matches(|c: char| c.is_ascii_digit()))
        }
        None => outcome.to_owned(),
    }
}

/// JSON as `serde_json` writes it.
fn normal(text: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    value.to_string()
}

/// Text in one line; characters that move the cursor or change the reading direction are escaped.
fn visible(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => shown.extend(c.escape_unicode()),
            c if c.is_control() => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// The stored output that the handle of an answer names. The answer itself has no output.
fn kept(bench: &Bench, answer: &Value) -> String {
    assert_eq!(answer.get("output"), None);
    let handle = answer["handle"].as_str().unwrap_or_else(|| panic!("no handle in {answer}"));
    fs::read_to_string(bench.state_dir().join(handle)).unwrap()
}

fn assert_small(answer: &Value) {
    let tokens = answer["metrics"]["tokens_in_summary"].as_u64().unwrap();
    assert!(tokens < 500, "the summary has {tokens} tokens");
}

/// A figure of `/proc/<pid>/status`.
pub(crate) fn status_bytes(pid: u32, key: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
