//! A rule and an exception, ready to be asked.

use tidegate_model::reading::{Fact, FactKind, Reading};
use tidegate_model::{Finding, Language, Severity};

use crate::condition::Condition;
use crate::path_pattern::PathPattern;
use crate::thresholds::Thresholds;

/// What a rule or an exception is about.
#[derive(Debug, Clone)]
pub(crate) struct Matcher {
    pub(crate) languages: Vec<Language>,
    pub(crate) kinds: Vec<FactKind>,
    /// None: whatever the path.
    pub(crate) paths: Vec<PathPattern>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) hidden: Option<bool>,
    pub(crate) repeated: Option<bool>,
    /// What else must be in the program, anywhere.
    pub(crate) along_with: Vec<PathPattern>,
    /// What must not be in the program.
    pub(crate) without: Vec<PathPattern>,
    pub(crate) measures: Thresholds,
}

impl Matcher {
    /// Whether this is about programs of that language as a whole.
    pub(crate) fn fits_program(&self, language: Language, reading: &Reading) -> bool {
        let has = |patterns: &[PathPattern]| {
            reading.facts.iter().any(|fact| patterns.iter().any(|one| one.matches(&fact.path)))
        };
        (self.languages.is_empty() || self.languages.contains(&language))
            && self.measures.reached(&reading.measures)
            && (self.along_with.is_empty() || has(&self.along_with))
            && (self.without.is_empty() || !has(&self.without))
    }

    /// Whether a fact is meant; the path only if that is not known already.
    pub(crate) fn fits_fact(&self, fact: &Fact, path: PathIs) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&fact.kind))
            && self.hidden.is_none_or(|hidden| hidden == fact.hidden)
            && self.repeated.is_none_or(|repeated| repeated == fact.repeated)
            && (path == PathIs::Known
                || self.paths.is_empty()
                || self.paths.iter().any(|pattern| pattern.matches(&fact.path)))
            && self.conditions.iter().all(|condition| condition.holds(fact))
    }

    /// Whether this is about counts alone.
    pub(crate) fn is_about_counts(&self) -> bool {
        self.paths.is_empty() && self.kinds.is_empty()
    }
}

/// Whether somebody has compared the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathIs {
    Known,
    Open,
}

/// A rule: what it is about gives a finding.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) severity: Severity,
    pub(crate) matcher: Matcher,
    pub(crate) what: String,
    pub(crate) why: String,
    pub(crate) instead: String,
}

/// An exception: what it is about gives no finding of these rules, or a milder one.
#[derive(Debug, Clone)]
pub(crate) struct Exception {
    /// Names of rules, with `*`.
    pub(crate) rules: Vec<PathPattern>,
    pub(crate) matcher: Matcher,
    /// None: no finding.
    pub(crate) severity: Option<Severity>,
}

/// A program that a rule or an exception has as its test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The rule or the exception.
    pub id: String,
    /// The language that it is written in.
    pub language: Language,
    /// The program.
    pub source: String,
    /// What must come out.
    pub expected: Expected,
}

impl Example {
    /// Whether these are findings as they must be.
    pub fn holds(&self, findings: &[Finding]) -> bool {
        let own = || findings.iter().any(|finding| finding.rule == self.id);
        let harmful = || findings.iter().any(|finding| finding.severity > Severity::Low);
        match self.expected {
            Expected::Finding => own(),
            Expected::NoFinding => !own(),
            Expected::Harmless => !harmful(),
            Expected::Harmful => harmful(),
        }
    }
}

/// What the findings of an example must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Among them is one of the rule itself.
    Finding,
    /// None is of the rule itself.
    NoFinding,
    /// None is above low: an exception holds.
    Harmless,
    /// One is above low: an exception does not reach so far.
    Harmful,
}
