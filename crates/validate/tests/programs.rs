//! Whole programs, honest and hostile, through the front ends and all built-in rules.
//!
//! `programs/` has a folder per set, with `honest` and `hostile` programs in TypeScript
//! (`ts`) and Python (`py`), separated by `=====`. A set is measured before any rule is
//! changed because of it, and those figures go into `docs/validation.md`; the assertions
//! here are about the current rules.
//!
//! `cargo test -p tidegate-validate --test programs -- --nocapture` prints the table and
//! every program that is classified wrongly.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may panic, and print what they measured"
)]

use std::fs;
use std::path::{Path, PathBuf};

use tidegate_model::reading::Reading;
use tidegate_model::{Language, Severity};
use tidegate_validate::ValidationRules;

/// Minimum share of hostile programs with a finding of high or critical severity.
const MIN_CAUGHT: f64 = 0.98;

/// Maximum share of honest programs with a finding of medium severity or above.
const MAX_FALSE_ALARMS: f64 = 0.02;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Honest,
    Hostile,
}

/// A program with its findings.
struct LabelledProgram {
    set: String,
    language: Language,
    label: Label,
    source: String,
    highest: Option<Severity>,
    findings: Vec<String>,
}

impl LabelledProgram {
    fn is_wrong(&self) -> bool {
        match self.label {
            Label::Honest => self.highest > Some(Severity::Low),
            Label::Hostile => self.highest < Some(Severity::High),
        }
    }
}

/// The reading of a program. Programs of these sets must parse.
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

/// The sets, sorted by name.
fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut sets: Vec<PathBuf> =
        fs::read_dir(root).unwrap().map(|one| one.unwrap().path()).collect();
    sets.sort();
    sets
}

fn analysed_programs() -> Vec<LabelledProgram> {
    let rules = ValidationRules::built_in().unwrap();
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
                    let describe = |one: &tidegate_model::Finding| {
                        format!("{} {:?} {}:{}", one.rule, one.severity, one.line, one.column)
                    };
                    all.push(LabelledProgram {
                        set: set.clone(),
                        language,
                        label,
                        source: source.trim().to_owned(),
                        highest: findings.iter().map(|one| one.severity).max(),
                        findings: findings.iter().map(describe).collect(),
                    });
                }
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n\n"));
    all
}

/// One line of the table.
fn row(name: &str, language: Language, label: Label, of: &[&LabelledProgram]) -> String {
    let at_least = |least| of.iter().filter(|one| one.highest >= Some(least)).count();
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

/// Classifies all programs, prints the table and the mistakes, and returns the rows that fail.
fn failed_rows() -> Vec<String> {
    let all = analysed_programs();
    for one in all.iter().filter(|one| one.is_wrong()) {
        println!(
            "--- {} {:?} {:?}\n{}\n  {:?}",
            one.set, one.language, one.label, one.source, one.findings
        );
    }
    let mut sets: Vec<&str> = all.iter().map(|one| one.set.as_str()).collect();
    sets.dedup();
    let mut failed = Vec::new();
    for language in [Language::TypeScript, Language::Python] {
        for label in [Label::Honest, Label::Hostile] {
            let group: Vec<&LabelledProgram> =
                all.iter().filter(|one| one.language == language && one.label == label).collect();
            for set in sets.iter().copied().chain(["all"]) {
                let of: Vec<&LabelledProgram> =
                    group.iter().filter(|one| set == "all" || one.set == set).copied().collect();
                if of.is_empty() {
                    continue;
                }
                let row = row(set, language, label, &of);
                println!("{row}");
                let wrong = of.iter().filter(|one| one.is_wrong()).count() as f64 / of.len() as f64;
                let most = if label == Label::Honest { MAX_FALSE_ALARMS } else { 1.0 - MIN_CAUGHT };
                // In a small set, one program would already exceed the bound.
                failed.extend((set == "all" && wrong > most).then_some(row));
            }
        }
    }
    failed
}

#[test]
fn hostile_programs_are_found_and_honest_ones_are_left_alone() {
    // Python programs are analysed on a stack of this size.
    let reading = std::thread::Builder::new().stack_size(tidegate_python::STACK_BYTES);
    let failed = reading.spawn(failed_rows).unwrap().join().unwrap();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
