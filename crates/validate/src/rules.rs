//! All rules that programs are matched against: the built-in ones and those of the user.
//!
//! In: rule files. Out: rules, their examples, and the findings of a program.

use tidegate_model::reading::Reading;
use tidegate_model::{Finding, Language};

use crate::findings::{RuleSet, findings};
use crate::index::Index;
use crate::rule::{Example, Exception, Rule};
use crate::rule_file::{RuleFile, parse};
use crate::rule_file_error::{RuleFileError, SourceFile};

/// The built-in rule files by name.
const BUILT_IN: [(&str, &str); 4] = [
    ("patterns/dangerous.toml", include_str!("../patterns/dangerous.toml")),
    ("patterns/safe.toml", include_str!("../patterns/safe.toml")),
    ("patterns/dangerous-python.toml", include_str!("../patterns/dangerous-python.toml")),
    ("patterns/safe-python.toml", include_str!("../patterns/safe-python.toml")),
];

/// Rules and exceptions, ready to be applied.
#[derive(Debug, Clone, Default)]
pub struct ValidationRules {
    rules: Vec<Rule>,
    exceptions: Vec<Exception>,
    index: Index,
    examples: Vec<Example>,
}

impl ValidationRules {
    /// The built-in rules. An error is a bug, which the tests find.
    pub fn built_in() -> Result<Self, RuleFileError> {
        let mut rules = Self::default();
        for (place, text) in BUILT_IN {
            rules.add(parse(SourceFile { text, place })?);
        }
        rules.examples.clear();
        Ok(rules)
    }

    /// Adds the rules and exceptions of a user's file. A rule replaces an existing one with
    /// the same id.
    pub fn with(mut self, text: &str, place: &str) -> Result<Self, RuleFileError> {
        self.add(parse(SourceFile { text, place })?);
        Ok(self)
    }

    /// The findings of a program, in source order.
    pub fn findings(&self, language: Language, reading: &Reading) -> Vec<Finding> {
        let set = RuleSet { rules: &self.rules, exceptions: &self.exceptions, index: &self.index };
        findings(set, language, reading)
    }

    /// The examples in the user's files.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }

    /// The examples of the built-in rules.
    pub fn built_in_examples() -> Result<Vec<Example>, RuleFileError> {
        let mut examples = Vec::new();
        for (place, text) in BUILT_IN {
            examples.extend(parse(SourceFile { text, place })?.examples);
        }
        Ok(examples)
    }

    /// The number of rules.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    fn add(&mut self, parsed: RuleFile) {
        self.rules.retain(|old| parsed.rules.iter().all(|new| new.id != old.id));
        self.rules.extend(parsed.rules);
        self.exceptions.extend(parsed.exceptions);
        self.examples.extend(parsed.examples);
        self.index = Index::new(&self.rules);
    }
}
