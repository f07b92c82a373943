//! The options of a user: types to look for, custom rules, exclusions.
//!
//! In: `Options` as configured. Out: `Rules`, compiled once, or an error that names the rule and
//! the remedy.

use std::collections::HashSet;

use aho_corasick::{AhoCorasick, MatchKind};
use regex::{Regex, RegexBuilder};
use tidegate_model::DataType;

use crate::keys::folded_hash;

/// What to look for.
#[derive(Debug, Clone)]
pub struct Options {
    /// The types to report; all of them by default.
    pub types: Vec<DataType>,
    /// The user's own rules.
    pub rules: Vec<CustomRule>,
    /// Values that are never reported.
    pub exclusions: Vec<Exclusion>,
}

impl Default for Options {
    fn default() -> Self {
        Self { types: DataType::ALL.to_vec(), rules: Vec::new(), exclusions: Vec::new() }
    }
}

/// A user's own rule.
#[derive(Debug, Clone)]
pub enum CustomRule {
    /// Text that matches a regular expression.
    Pattern {
        /// The name in messages.
        name: String,
        /// The expression.
        regex: String,
        /// The type of a match.
        data_type: DataType,
    },
    /// Exact terms: names of projects, people, places.
    Terms {
        /// The name in messages.
        name: String,
        /// The terms.
        terms: Vec<String>,
        /// The type of a match.
        data_type: DataType,
    },
    /// Keys of JSON objects, tables and `key: value` lines; their whole values are reported as `CUSTOM`.
    Keys {
        /// The name in messages.
        name: String,
        /// The keys; case and separators do not matter.
        keys: Vec<String>,
    },
}

/// A value that is never reported.
#[derive(Debug, Clone)]
pub enum Exclusion {
    /// Exactly this text.
    Value(String),
    /// Any value that this expression matches as a whole.
    Pattern(String),
}

/// Why options were rejected.
#[derive(Debug, thiserror::Error)]
pub enum OptionsError {
    /// Not a regular expression, or too big.
    #[error(
        "{place}: `{regex}` is not a usable regular expression; correct it, or write a list of terms instead"
    )]
    Regex {
        /// The rule or exclusion.
        place: String,
        /// The expression as written.
        regex: String,
        /// Why.
        #[source]
        cause: Box<regex::Error>,
    },
    /// An expression that matches the empty text.
    #[error("{place}: `{regex}` matches the empty text; make it match at least one character")]
    MatchesEmpty {
        /// The rule or exclusion.
        place: String,
        /// The expression as written.
        regex: String,
    },
    /// A list without entries, or with an empty one.
    #[error("{place}: holds an empty entry; remove it")]
    Empty {
        /// The rule.
        place: String,
    },
    /// Too many terms to search for at once.
    #[error("{place}: the terms cannot be searched together; use fewer")]
    TooManyTerms {
        /// The rule.
        place: String,
        /// Why.
        #[source]
        cause: Box<aho_corasick::BuildError>,
    },
}

/// The compiled options.
#[derive(Debug)]
pub(crate) struct Rules {
    types: u16,
    pub(crate) patterns: Vec<(Regex, DataType)>,
    pub(crate) terms: Option<(AhoCorasick, Vec<DataType>)>,
    pub(crate) keys: HashSet<u64>,
    excluded: HashSet<String>,
    excluding: Vec<Regex>,
}

impl Rules {
    pub(crate) fn compile(options: Options) -> Result<Self, OptionsError> {
        let mut rules = Self {
            types: options.types.iter().fold(0, |bits, data_type| bits | bit(*data_type)),
            patterns: Vec::new(),
            terms: None,
            keys: HashSet::new(),
            excluded: HashSet::new(),
            excluding: Vec::new(),
        };
        let mut all_terms = Vec::new();
        let mut term_types = Vec::new();
        for rule in options.rules {
            match rule {
                CustomRule::Pattern { name, regex, data_type } => {
                    rules.patterns.push((compile(&format!("rule `{name}`"), &regex)?, data_type));
                }
                CustomRule::Terms { name, terms, data_type } => {
                    not_empty(&name, &terms)?;
                    term_types.extend(terms.iter().map(|_| data_type));
                    all_terms.extend(terms);
                }
                CustomRule::Keys { name, keys } => {
                    not_empty(&name, &keys)?;
                    rules.keys.extend(keys.iter().map(|key| folded_hash(key)));
                }
            }
        }
        if !all_terms.is_empty() {
            let searcher = AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(&all_terms)
                .map_err(|cause| OptionsError::TooManyTerms {
                    place: "the lists of terms".to_owned(),
                    cause: Box::new(cause),
                })?;
            rules.terms = Some((searcher, term_types));
        }
        for exclusion in options.exclusions {
            match exclusion {
                Exclusion::Value(value) => {
                    rules.excluded.insert(value);
                }
                Exclusion::Pattern(regex) => rules.excluding.push(compile("an exclusion", &regex)?),
            }
        }
        Ok(rules)
    }

    pub(crate) fn wants(&self, data_type: DataType) -> bool {
        self.types & bit(data_type) != 0
    }

    pub(crate) fn excludes(&self, value: &str) -> bool {
        self.excluded.contains(value)
            || self
                .excluding
                .iter()
                .any(|regex| regex.find(value).is_some_and(|found| found.len() == value.len()))
    }

    pub(crate) fn excludes_nothing(&self) -> bool {
        self.excluded.is_empty() && self.excluding.is_empty()
    }
}

fn bit(data_type: DataType) -> u16 {
    1 << (data_type as u16)
}

fn compile(place: &str, regex: &str) -> Result<Regex, OptionsError> {
    let compiled = RegexBuilder::new(regex).size_limit(1 << 20).build().map_err(|cause| {
        OptionsError::Regex {
            place: place.to_owned(),
            regex: regex.to_owned(),
            cause: Box::new(cause),
        }
    })?;
    if compiled.is_match("") {
        return Err(OptionsError::MatchesEmpty {
            place: place.to_owned(),
            regex: regex.to_owned(),
        });
    }
    Ok(compiled)
}

fn not_empty(name: &str, entries: &[String]) -> Result<(), OptionsError> {
    if entries.is_empty() || entries.iter().any(|entry| entry.trim().is_empty()) {
        return Err(OptionsError::Empty { place: format!("rule `{name}`") });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_expression_is_refused_with_its_place() {
        let rule = CustomRule::Pattern {
            name: "badge".to_owned(),
            regex: "(".to_owned(),
            data_type: DataType::Custom,
        };
        let error =
            Rules::compile(Options { rules: vec![rule], ..Options::default() }).unwrap_err();
        assert_eq!(
            error.to_string(),
            "rule `badge`: `(` is not a usable regular expression; correct it, or write a list of terms instead"
        );
    }

    #[test]
    fn an_expression_for_the_empty_text_is_refused() {
        let error = Rules::compile(Options {
            exclusions: vec![Exclusion::Pattern("x*".to_owned())],
            ..Options::default()
        })
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "an exclusion: `x*` matches the empty text; make it match at least one character"
        );
    }
}
