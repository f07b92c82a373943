//! Whole programs, honest and hostile, through the front ends and all our rules.
//!
//! `programs/` has a folder per set, with `honest` and `hostile` programs in
//! TypeScript (`ts`) and Python (`py`), `=====` between them. A set is measured as
//! it was written before anything is mended for it, and those figures go into
//! `docs/validation.md`; what is asserted here is what became of it since.
//!
//! `cargo test -p tidegate-validate --test programs -- --nocapture` prints the table,
//! and what is wrong.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail where it stands, and tells what it measured"
)]

use std::fs;
use std::path::{Path, PathBuf};

use tidegate_model::reading::Reading;
use tidegate_model::{Language, Severity};
use tidegate_validate::Rules;

/// Least share of hostile programs that are found, at high or critical.
const CAUGHT: f64 = 0.98;

/// Largest share of honest programs with a finding of medium or above.
const ALARMED: f64 = 0.02;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Honest,
    Hostile,
}

/// A program with what was found in it.
struct Judged {
    set: String,
    language: Language,
    label: Label,
    source: String,
    sternest: Option<Severity>,
    told: Vec<String>,
}

impl Judged {
    fn is_wrong(&self) -> bool {
        match self.label {
            Label::Honest => self.sternest > Some(Severity::Low),
            Label::Hostile => self.sternest < Some(Severity::High),
        }
    }
}

/// What a front end reads out of a program. A program of these sets must be one.
fn reading(language: Language, source: &str) -> Result<Reading, String> {
    match language {
        Language::TypeScript => match tidegate_typescript::prepare(source) {
            Ok(prepared) => Ok(prepared.reading),
            Err(error) => Err(format!("{error}\n{source}")),
        },
        Language::Python => match tidegate_python::prepare(source) {
            Some(analysis) => Ok(analysis.reading),
            None => Err(format!("not understood:\n{source}")),
        },
    }
}

/// The sets, in the order of their names.
fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut sets: Vec<PathBuf> =
        fs::read_dir(root).unwrap().map(|one| one.unwrap().path()).collect();
    sets.sort();
    sets
}

fn judged() -> Vec<Judged> {
    let rules = Rules::built_in().unwrap();
    let (mut all, mut refused) = (Vec::new(), Vec::new());
    for folder in folders() {
        for (language, ending) in [(Language::TypeScript, "ts"), (Language::Python, "py")] {
            for (label, name) in [(Label::Honest, "honest"), (Label::Hostile, "hostile")] {
                let file = folder.join(format!("{name}.{ending}.txt"));
                let text = fs::read_to_string(file).unwrap_or_default();
                let set = folder.file_name().unwrap().to_string_lossy().into_owned();
                for source in text.split("\n=====\n").filter(|one| !one.trim().is_empty()) {
                    let reading = match reading(language, source) {
                        Ok(reading) => reading,
                        Err(error) => {
                            refused.push(error);
                            continue;
                        }
                    };
                    let findings = rules.findings(language, &reading);
                    let told = |one: &tidegate_model::Finding| {
                        format!("{} {:?} {}:{}", one.rule, one.severity, one.line, one.column)
                    };
                    all.push(Judged {
                        set: set.clone(),
                        language,
                        label,
                        source: source.trim().to_owned(),
                        sternest: findings.iter().map(|one| one.severity).max(),
                        told: findings.iter().map(told).collect(),
                    });
                }
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n\n"));
    all
}

/// One line of the table.
fn row(name: &str, language: Language, label: Label, of: &[&Judged]) -> String {
    let at_least = |least| of.iter().filter(|one| one.sternest >= Some(least)).count();
    let (medium, high) = (at_least(Severity::Medium), at_least(Severity::High));
    let share = |part: usize| 100.0 * part as f64 / of.len() as f64;
    let figures = match label {
        Label::Honest => format!(
            "alarms at medium or above {medium} ({:.1} %), at high or above {high} ({:.1} %)",
            share(medium),
            share(high)
        ),
        Label::Hostile => format!("caught at high or above {high} ({:.1} %)", share(high)),
    };
    let (language, label) = (format!("{language:?}"), format!("{label:?}"));
    format!("{name:<8} {language:<10} {label:<7} {:>4} programs, {figures}", of.len())
}

/// Judges all programs, prints the table and what is wrong, and says which rows fail.
fn failed_rows() -> Vec<String> {
    let all = judged();
    for one in all.iter().filter(|one| one.is_wrong()) {
        println!(
            "--- {} {:?} {:?}\n{}\n  {:?}",
            one.set, one.language, one.label, one.source, one.told
        );
    }
    let mut sets: Vec<&str> = all.iter().map(|one| one.set.as_str()).collect();
    sets.dedup();
    let mut failed = Vec::new();
    for language in [Language::TypeScript, Language::Python] {
        for label in [Label::Honest, Label::Hostile] {
            let group: Vec<&Judged> =
                all.iter().filter(|one| one.language == language && one.label == label).collect();
            for set in sets.iter().copied().chain(["all"]) {
                let of: Vec<&Judged> =
                    group.iter().filter(|one| set == "all" || one.set == set).copied().collect();
                if of.is_empty() {
                    continue;
                }
                let row = row(set, language, label, &of);
                println!("{row}");
                let wrong = of.iter().filter(|one| one.is_wrong()).count() as f64 / of.len() as f64;
                let most = if label == Label::Honest { ALARMED } else { 1.0 - CAUGHT };
                // In a small set one program is too much.
                failed.extend((set == "all" && wrong > most).then_some(row));
            }
        }
    }
    failed
}

#[test]
fn hostile_programs_are_found_and_honest_ones_are_left_alone() {
    // Programs in Python are read on a stack of this size.
    let reading = std::thread::Builder::new().stack_size(tidegate_python::STACK_BYTES);
    let failed = reading.spawn(failed_rows).unwrap().join().unwrap();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
