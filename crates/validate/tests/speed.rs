//! Measures how long analysing a program of two hundred lines takes. It prints and asserts
//! nothing: timings say as much about the machine as about the code.
//!
//! `cargo test --release -p tidegate-validate --test speed -- --ignored --nocapture`

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may panic, and print what they measured"
)]

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Instant;

use tidegate_model::Language;
use tidegate_validate::ValidationRules;

/// Runs per measurement; the median is printed.
const RUNS: usize = 200;

/// At least this many lines of honest programs, each in its own function.
fn program(language: Language, lines: usize) -> String {
    let ending = if language == Language::Python { "py" } else { "ts" };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/first");
    let text = fs::read_to_string(root.join(format!("honest.{ending}.txt"))).unwrap();
    let mut all = String::new();
    let has_no_import = |one: &&str| !one.contains("import ") && !one.contains("from ");
    for (at, source) in text.split("\n=====\n").filter(has_no_import).enumerate() {
        let body = source.trim().replace('\n', "\n    ");
        all += &match language {
            Language::Python => format!("async def part{at}():\n    {body}\n"),
            Language::TypeScript => format!("async function part{at}() {{\n    {body}\n}}\n"),
        };
        if all.lines().count() >= lines {
            break;
        }
    }
    all
}

fn median(mut times: Vec<u128>) -> u128 {
    times.sort_unstable();
    times[times.len() / 2]
}

#[test]
#[ignore = "prints a time and asserts nothing"]
fn time_to_analyse_a_program_of_two_hundred_lines() {
    let timed = || {
        let rules = ValidationRules::built_in().unwrap();
        for language in [Language::TypeScript, Language::Python] {
            let source = program(language, 200);
            let (mut reading_times, mut matching_times, mut facts) = (Vec::new(), Vec::new(), 0);
            for _ in 0..RUNS {
                let begin = Instant::now();
                let reading = match language {
                    Language::TypeScript => tidegate_typescript::prepare(&source).unwrap().reading,
                    Language::Python => tidegate_python::prepare(&source).unwrap().reading,
                };
                reading_times.push(begin.elapsed().as_micros());
                let begin = Instant::now();
                let findings = rules.findings(language, &reading);
                matching_times.push(begin.elapsed().as_micros());
                facts = reading.facts.len();
                assert!(findings.len() <= 200);
            }
            println!(
                "{language:?}: {} lines, {} bytes, {facts} facts; parsed in {} µs, matched in {} µs",
                source.lines().count(),
                source.len(),
                median(reading_times),
                median(matching_times)
            );
        }
    };
    thread::Builder::new().stack_size(64 << 20).spawn(timed).unwrap().join().unwrap();
}
