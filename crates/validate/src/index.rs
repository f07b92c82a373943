//! Finds the rules that may match a fact without trying all of them.
//!
//! In: rules, then facts. Out: candidate rules. A program has hundreds of facts and there
//! are hundreds of patterns, but most patterns are whole paths or start or end with a
//! literal name, so few are left to try.

use std::collections::HashMap;

use tidegate_model::reading::Fact;

use crate::path_pattern::PathPattern;
use crate::rule::Rule;

/// Rules by the form of their paths. Numbers are indices into the list of rules.
#[derive(Debug, Default, Clone)]
pub(crate) struct Index {
    exact: HashMap<String, Vec<usize>>,
    first: HashMap<String, Vec<(usize, PathPattern)>>,
    last: HashMap<String, Vec<(usize, PathPattern)>>,
    other: Vec<(usize, PathPattern)>,
    /// Rules about kinds of facts, with any path.
    pathless: Vec<usize>,
}

impl Index {
    pub(crate) fn new(rules: &[Rule]) -> Self {
        let mut index = Self::default();
        for (at, rule) in rules.iter().enumerate() {
            if rule.matcher.paths.is_empty() && !rule.matcher.uses_only_measures() {
                index.pathless.push(at);
            }
            rule.matcher.paths.iter().for_each(|pattern| index.add(at, pattern));
        }
        index
    }

    fn add(&mut self, at: usize, pattern: &PathPattern) {
        let entry = (at, pattern.clone());
        if let Some(path) = pattern.exact() {
            self.exact.entry(path).or_default().push(at);
        } else if let Some(first) = pattern.first() {
            self.first.entry(first.to_owned()).or_default().push(entry);
        } else if let Some(last) = pattern.last() {
            self.last.entry(last.to_owned()).or_default().push(entry);
        } else {
            self.other.push(entry);
        }
    }

    /// The rules whose paths match, in no particular order and possibly repeated.
    pub(crate) fn candidates(&self, fact: &Fact) -> Vec<usize> {
        let path = fact.path.as_str();
        let first = path.split('.').next().unwrap_or_default();
        let last = path.rsplit('.').next().unwrap_or_default();
        let checked = self.first.get(first).into_iter().chain(self.last.get(last)).flatten();
        // Searching for one name is faster than comparing all of them.
        let other = self.other.iter().filter(|(_, pattern)| pattern.may_match(path));
        let checked = checked.chain(other).filter(|(_, pattern)| pattern.matches(path));
        let exact = self.exact.get(path).into_iter().flatten().copied();
        exact.chain(checked.map(|(at, _)| *at)).chain(self.pathless.iter().copied()).collect()
    }
}
