//! Turns facts into findings.
//!
//! In: rules and a reading. Out: one finding per rule and line, at most [`MAX_FINDINGS`];
//! if there are more, the most severe. An incomplete reading is a finding of its own.

use std::collections::HashMap;

use tidegate_model::reading::{Fact, FactKind, Reading};
use tidegate_model::{Finding, Language, Severity};

use crate::index::Index;
use crate::rule::{Exception, PathCheck, Rule};

/// Maximum findings of one program.
const MAX_FINDINGS: usize = 200;

/// Maximum bytes of a path in a message.
const MAX_PATH_BYTES: usize = 80;

/// The rules and exceptions to apply.
#[derive(Clone, Copy)]
pub(crate) struct RuleSet<'r> {
    pub(crate) rules: &'r [Rule],
    pub(crate) exceptions: &'r [Exception],
    pub(crate) index: &'r Index,
}

pub(crate) fn findings(set: RuleSet<'_>, language: Language, reading: &Reading) -> Vec<Finding> {
    let active: Vec<bool> =
        set.rules.iter().map(|rule| rule.matcher.matches_program(language, reading)).collect();
    let exceptions: Vec<&Exception> = set
        .exceptions
        .iter()
        .filter(|exception| exception.matcher.matches_program(language, reading))
        .collect();
    // The most severe finding of each rule and line.
    let mut found: HashMap<(usize, u32), Finding> = HashMap::new();
    for fact in &reading.facts {
        for at in set.index.candidates(fact) {
            let rule = &set.rules[at];
            if !active[at] || !rule.matcher.matches_fact(fact, PathCheck::Done) {
                continue;
            }
            let Some(severity) = severity_after(rule, fact, &exceptions) else { continue };
            let finding = fact_finding(rule, severity, fact);
            let current = found.entry((at, fact.line)).or_insert_with(|| finding.clone());
            if current.severity < finding.severity {
                *current = finding;
            }
        }
    }
    let mut found: Vec<Finding> = found.into_values().collect();
    found.extend(measure_findings(set.rules, &active, reading));
    found.extend((!reading.complete).then(incomplete_reading));
    sorted(found)
}

/// The severity after all exceptions; none if one of them removes the finding.
fn severity_after(rule: &Rule, fact: &Fact, exceptions: &[&Exception]) -> Option<Severity> {
    let mut severity = rule.severity;
    for exception in exceptions {
        let about = exception.rules.iter().any(|pattern| pattern.matches(&rule.id));
        if about && exception.matcher.matches_fact(fact, PathCheck::Needed) {
            severity = severity.min(exception.severity?);
        }
    }
    Some(severity)
}

fn fact_finding(rule: &Rule, severity: Severity, fact: &Fact) -> Finding {
    let shown = fact.path.strip_prefix("?.").unwrap_or(&fact.path);
    let shown = &shown[..shown.floor_char_boundary(MAX_PATH_BYTES)];
    let message = match fact.kind {
        // Their paths are not names from the program.
        FactKind::Loop | FactKind::Bulk | FactKind::Syntax => {
            format!("{}: {}", rule.what, rule.why)
        }
        _ => format!("`{shown}` {}: {}", rule.what, rule.why),
    };
    let (line, column) = (fact.line, fact.column);
    finding(rule, severity, line, column, message)
}

/// The findings of rules about measures, which have no location.
fn measure_findings<'r>(
    rules: &'r [Rule],
    active: &'r [bool],
    reading: &'r Reading,
) -> impl Iterator<Item = Finding> + 'r {
    let about = |(rule, active): &(&Rule, &bool)| **active && rule.matcher.uses_only_measures();
    rules.iter().zip(active).filter(about).map(|(rule, _)| {
        let counts = rule.matcher.measures.shown(&reading.measures);
        let message = format!("{} ({counts}): {}", rule.what, rule.why);
        finding(rule, rule.severity, 1, 1, message)
    })
}

fn finding(rule: &Rule, severity: Severity, line: u32, column: u32, message: String) -> Finding {
    let (rule, suggestion) = (rule.id.clone(), rule.instead.clone());
    Finding { rule, severity, line, column, message, suggestion }
}

/// Unknown behaviour cannot be called harmless.
fn incomplete_reading() -> Finding {
    Finding {
        rule: "program.unread".to_owned(),
        severity: Severity::High,
        line: 1,
        column: 1,
        message: "part of the program could not be analysed, so what it does is unknown".to_owned(),
        suggestion: "write a shorter and simpler program".to_owned(),
    }
}

fn sorted(mut found: Vec<Finding>) -> Vec<Finding> {
    let place = |one: &Finding| (one.line, one.column, one.rule.clone());
    if found.len() > MAX_FINDINGS {
        found.sort_by_key(|one| (std::cmp::Reverse(one.severity), place(one)));
        found.truncate(MAX_FINDINGS);
    }
    found.sort_by_key(place);
    found
}
