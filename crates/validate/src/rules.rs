//! All rules that programs are judged by: ours, and what users add.

use tidegate_model::reading::Reading;
use tidegate_model::{Finding, Language};

use crate::error::{RuleError, SourceFile};
use crate::file::{Parsed, parse};
use crate::findings::findings;
use crate::index::Index;
use crate::rule::{Example, Exception, Rule};

/// The rule files that come with us, by name.
const BUILT_IN: [(&str, &str); 4] = [
    ("patterns/dangerous.toml", include_str!("../patterns/dangerous.toml")),
    ("patterns/safe.toml", include_str!("../patterns/safe.toml")),
    ("patterns/dangerous-python.toml", include_str!("../patterns/dangerous-python.toml")),
    ("patterns/safe-python.toml", include_str!("../patterns/safe-python.toml")),
];

/// Rules and exceptions, ready to judge.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    pub(crate) rules: Vec<Rule>,
    pub(crate) exceptions: Vec<Exception>,
    pub(crate) index: Index,
    examples: Vec<Example>,
}

impl Rules {
    /// The rules that come with us. An error is a mistake of ours, and a test's to
    /// find.
    pub fn built_in() -> Result<Self, RuleError> {
        let mut rules = Self::default();
        for (place, text) in BUILT_IN {
            rules.add(parse(SourceFile { text, place })?);
        }
        rules.examples.clear();
        Ok(rules)
    }

    /// The same with the rules and exceptions of a user's file. A rule of the name of
    /// one that is there takes its place.
    pub fn with(mut self, text: &str, place: &str) -> Result<Self, RuleError> {
        self.add(parse(SourceFile { text, place })?);
        Ok(self)
    }

    /// What is worth a look in a program, in the order of the source.
    pub fn findings(&self, language: Language, reading: &Reading) -> Vec<Finding> {
        findings(self, language, reading)
    }

    /// The programs that the rules of users' files are to be tried on.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }

    /// The same of the rules that come with us.
    pub fn built_in_examples() -> Result<Vec<Example>, RuleError> {
        let mut examples = Vec::new();
        for (place, text) in BUILT_IN {
            examples.extend(parse(SourceFile { text, place })?.examples);
        }
        Ok(examples)
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    fn add(&mut self, parsed: Parsed) {
        self.rules.retain(|old| parsed.rules.iter().all(|new| new.id != old.id));
        self.rules.extend(parsed.rules);
        self.exceptions.extend(parsed.exceptions);
        self.examples.extend(parsed.examples);
        self.index = Index::new(&self.rules);
    }
}
