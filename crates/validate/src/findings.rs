//! From facts to findings.
//!
//! One per rule and line, at most [`MOST`]; of more than that the sternest. What was
//! not read at all is a finding too.

use std::collections::HashMap;

use tidegate_model::reading::{Fact, FactKind, Reading};
use tidegate_model::{Finding, Language, Severity};

use crate::rule::{Exception, PathIs, Rule};
use crate::rules::Rules;

/// How many findings are told.
const MOST: usize = 200;

/// How much of a path is shown.
const SHOWN: usize = 80;

pub(crate) fn findings(rules: &Rules, language: Language, reading: &Reading) -> Vec<Finding> {
    let active: Vec<bool> =
        rules.rules.iter().map(|rule| rule.matcher.fits_program(language, reading)).collect();
    let exceptions: Vec<&Exception> = rules
        .exceptions
        .iter()
        .filter(|exception| exception.matcher.fits_program(language, reading))
        .collect();
    // By rule and line, with the sternest of each.
    let mut found: HashMap<(usize, u32), Finding> = HashMap::new();
    for fact in &reading.facts {
        for at in rules.index.fitting(fact) {
            let rule = &rules.rules[at];
            if !active[at] || !rule.matcher.fits_fact(fact, PathIs::Known) {
                continue;
            }
            let Some(severity) = excepted(rule, fact, &exceptions) else { continue };
            let finding = told(rule, severity, fact);
            let kept = found.entry((at, fact.line)).or_insert_with(|| finding.clone());
            if kept.severity < finding.severity {
                *kept = finding;
            }
        }
    }
    let mut found: Vec<Finding> = found.into_values().collect();
    found.extend(counted(rules, &active, reading));
    found.extend((!reading.complete).then(unread));
    in_order(found)
}

/// The severity after the exceptions; none if one of them takes the finding away.
fn excepted(rule: &Rule, fact: &Fact, exceptions: &[&Exception]) -> Option<Severity> {
    let mut severity = rule.severity;
    for exception in exceptions {
        let about = exception.rules.iter().any(|pattern| pattern.matches(&rule.id));
        if about && exception.matcher.fits_fact(fact, PathIs::Open) {
            severity = severity.min(exception.severity?);
        }
    }
    Some(severity)
}

fn told(rule: &Rule, severity: Severity, fact: &Fact) -> Finding {
    let shown = fact.path.strip_prefix("?.").unwrap_or(&fact.path);
    let shown = &shown[..shown.floor_char_boundary(SHOWN)];
    let message = match fact.kind {
        // These have no name of the program's in their path.
        FactKind::Loop | FactKind::Bulk | FactKind::Syntax => {
            format!("{}: {}", rule.what, rule.why)
        }
        _ => format!("`{shown}` {}: {}", rule.what, rule.why),
    };
    let (line, column) = (fact.line, fact.column);
    finding(rule, severity, line, column, message)
}

/// The findings of what was counted: they have no place.
fn counted<'r>(
    rules: &'r Rules,
    active: &'r [bool],
    reading: &'r Reading,
) -> impl Iterator<Item = Finding> + 'r {
    let about = |(rule, active): &(&Rule, &bool)| **active && rule.matcher.is_about_counts();
    rules.rules.iter().zip(active).filter(about).map(|(rule, _)| {
        let counts = rule.matcher.measures.shown(&reading.measures);
        let message = format!("{} ({counts}): {}", rule.what, rule.why);
        finding(rule, rule.severity, 1, 1, message)
    })
}

fn finding(rule: &Rule, severity: Severity, line: u32, column: u32, message: String) -> Finding {
    let (rule, suggestion) = (rule.id.clone(), rule.instead.clone());
    Finding { rule, severity, line, column, message, suggestion }
}

/// What is not known cannot be called harmless.
fn unread() -> Finding {
    Finding {
        rule: "program.unread".to_owned(),
        severity: Severity::High,
        line: 1,
        column: 1,
        message: "not all of the program could be read: what it does is not known".to_owned(),
        suggestion: "write a shorter and plainer program".to_owned(),
    }
}

fn in_order(mut found: Vec<Finding>) -> Vec<Finding> {
    let place = |one: &Finding| (one.line, one.column, one.rule.clone());
    if found.len() > MOST {
        found.sort_by_key(|one| (std::cmp::Reverse(one.severity), place(one)));
        found.truncate(MOST);
    }
    found.sort_by_key(place);
    found
}
