//! Rules, exceptions and their examples.
//!
//! In: facts. Out: whether a rule or exception matches them.

use tidegate_model::reading::{Fact, FactKind, Reading};
use tidegate_model::{Finding, Language, Severity};

use crate::condition::Condition;
use crate::path_pattern::PathPattern;
use crate::thresholds::Thresholds;

/// What a rule or an exception matches.
#[derive(Debug, Clone)]
pub(crate) struct Matcher {
    pub(crate) languages: Vec<Language>,
    pub(crate) kinds: Vec<FactKind>,
    /// Empty: any path.
    pub(crate) paths: Vec<PathPattern>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) hidden: Option<bool>,
    pub(crate) repeated: Option<bool>,
    /// Paths of which one must be somewhere in the program.
    pub(crate) along_with: Vec<PathPattern>,
    /// Paths of which none may be in the program.
    pub(crate) without: Vec<PathPattern>,
    pub(crate) measures: Thresholds,
}

impl Matcher {
    /// Whether the conditions on the program as a whole hold.
    pub(crate) fn matches_program(&self, language: Language, reading: &Reading) -> bool {
        let has = |patterns: &[PathPattern]| {
            reading.facts.iter().any(|fact| patterns.iter().any(|one| one.matches(&fact.path)))
        };
        (self.languages.is_empty() || self.languages.contains(&language))
            && self.measures.reached(&reading.measures)
            && (self.along_with.is_empty() || has(&self.along_with))
            && (self.without.is_empty() || !has(&self.without))
    }

    /// Whether a fact matches. The path is compared only if that is still needed.
    pub(crate) fn matches_fact(&self, fact: &Fact, path: PathCheck) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&fact.kind))
            && self.hidden.is_none_or(|hidden| hidden == fact.hidden)
            && self.repeated.is_none_or(|repeated| repeated == fact.repeated)
            && (path == PathCheck::Done
                || self.paths.is_empty()
                || self.paths.iter().any(|pattern| pattern.matches(&fact.path)))
            && self.conditions.iter().all(|condition| condition.holds(fact))
    }

    /// Whether this matches measures instead of facts.
    pub(crate) fn uses_only_measures(&self) -> bool {
        self.paths.is_empty() && self.kinds.is_empty()
    }
}

/// Whether the path of a fact still has to be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathCheck {
    Done,
    Needed,
}

/// A rule: whatever it matches becomes a finding.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) severity: Severity,
    pub(crate) matcher: Matcher,
    pub(crate) what: String,
    pub(crate) why: String,
    pub(crate) instead: String,
}

/// An exception: facts that it matches are not findings of these rules, or less severe ones.
#[derive(Debug, Clone)]
pub(crate) struct Exception {
    /// Ids of rules; may contain `*`.
    pub(crate) rules: Vec<PathPattern>,
    pub(crate) matcher: Matcher,
    /// The maximum severity; none removes the finding.
    pub(crate) severity: Option<Severity>,
}

/// A program that tests a rule or an exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The id of the rule or exception.
    pub id: String,
    /// The language of the program.
    pub language: Language,
    /// The program.
    pub source: String,
    /// The expected outcome.
    pub expected: Expected,
}

impl Example {
    /// Whether the findings are as expected.
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

/// The expected findings of an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// At least one of the rule itself.
    Finding,
    /// None of the rule itself.
    NoFinding,
    /// None above low: the exception applies.
    Harmless,
    /// At least one above low: the exception does not apply.
    Harmful,
}
