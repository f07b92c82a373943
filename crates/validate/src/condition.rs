//! Conditions of a rule on an argument.
//!
//! In: a fact. Out: whether the condition holds. All parts of a condition must hold for the
//! same argument. The text of an argument is its known part: for an argument that is computed
//! at run time, the beginning.

use regex::Regex;
use tidegate_model::reading::{AbstractValue, Fact, MAX_TEXT_BYTES, ValueForm};

use crate::backtracking::{PatternEnd, is_catastrophic};
use crate::path_pattern::PathPattern;

/// The argument that a condition is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ArgumentSelector {
    /// Any of them.
    Any,
    /// The one at this index.
    Index(usize),
}

/// A condition on an argument.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    pub(crate) at: ArgumentSelector,
    /// The path of keys to follow into the argument, if it is an object.
    pub(crate) key: Vec<String>,
    pub(crate) text: Vec<Regex>,
    pub(crate) from: Vec<PathPattern>,
    pub(crate) over: Option<f64>,
    /// It must be a regular expression that backtracks exponentially on some texts.
    pub(crate) catastrophic: bool,
    pub(crate) form: Vec<FormName>,
    /// Negates the condition.
    pub(crate) not: bool,
}

/// The forms of values, as rule files name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FormName {
    Unknown,
    Text,
    Begins,
    Number,
    Flag,
    Function,
    List,
    Object,
    /// The argument does not exist.
    Absent,
}

impl Condition {
    pub(crate) fn holds(&self, fact: &Fact) -> bool {
        let held = match self.at {
            ArgumentSelector::Any if fact.arguments.is_empty() => self.holds_if_absent(),
            ArgumentSelector::Any => fact.arguments.iter().any(|known| self.matches(known)),
            ArgumentSelector::Index(index) => match fact.arguments.get(index) {
                Some(known) => self.matches(known),
                None => self.holds_if_absent(),
            },
        };
        held != self.not
    }

    fn holds_if_absent(&self) -> bool {
        self.form.contains(&FormName::Absent)
    }

    fn matches(&self, known: &AbstractValue) -> bool {
        let mut at = known;
        for key in &self.key {
            let ValueForm::Object(entries) = &at.form else { return self.holds_if_absent() };
            match entries.iter().find(|(name, _)| name == key) {
                Some((_, value)) => at = value,
                None => return self.holds_if_absent(),
            }
        }
        self.matches_value(at)
    }

    fn matches_value(&self, known: &AbstractValue) -> bool {
        let form = self.form.is_empty() || self.form.contains(&FormName::of(&known.form));
        let text_matches = self.text.is_empty() || contains_match(known, &self.text);
        let source_matches = self.from.is_empty() || comes_from(known, &self.from);
        let large = self.over.is_none_or(
            |least| matches!(known.form, ValueForm::Number(number) if number.abs() >= least),
        );
        form && text_matches
            && source_matches
            && large
            && (!self.catastrophic || is_catastrophic_pattern(known))
    }
}

/// Whether a text, or one inside an object, matches.
fn contains_match(known: &AbstractValue, regexes: &[Regex]) -> bool {
    match &known.form {
        ValueForm::Text(text) | ValueForm::Begins(text) => {
            regexes.iter().any(|regex| regex.is_match(text))
        }
        ValueForm::Object(entries) => {
            entries.iter().any(|(_, value)| contains_match(value, regexes))
        }
        _ => false,
    }
}

/// Whether a text is a regular expression that backtracks exponentially on some texts.
fn is_catastrophic_pattern(known: &AbstractValue) -> bool {
    match &known.form {
        // A text of nearly the maximum length may have been cut.
        ValueForm::Text(text) if text.len() + 4 < MAX_TEXT_BYTES => {
            is_catastrophic(text, PatternEnd::Complete)
        }
        ValueForm::Text(text) | ValueForm::Begins(text) => {
            is_catastrophic(text, PatternEnd::Truncated)
        }
        _ => false,
    }
}

/// Whether a value, or one inside it, was derived from one of these paths.
fn comes_from(known: &AbstractValue, patterns: &[PathPattern]) -> bool {
    let own = known.from.iter().any(|path| patterns.iter().any(|one| one.matches(path)));
    own || match &known.form {
        ValueForm::Object(entries) => entries.iter().any(|(_, value)| comes_from(value, patterns)),
        _ => false,
    }
}

impl FormName {
    fn of(form: &ValueForm) -> Self {
        match form {
            ValueForm::Unknown => Self::Unknown,
            ValueForm::Text(_) => Self::Text,
            ValueForm::Begins(_) => Self::Begins,
            ValueForm::Number(_) => Self::Number,
            ValueForm::Flag(_) => Self::Flag,
            ValueForm::Function => Self::Function,
            ValueForm::List => Self::List,
            ValueForm::Object(_) => Self::Object,
        }
    }
}

#[cfg(test)]
mod tests {
    use regex::Regex;
    use tidegate_model::reading::{AbstractValue, Fact, ValueForm};

    use super::{ArgumentSelector, Condition, FormName};
    use crate::path_pattern::PathPattern;

    fn any() -> Condition {
        let (text, from, form, key) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Condition {
            at: ArgumentSelector::Any,
            key,
            text,
            from,
            over: None,
            catastrophic: false,
            form,
            not: false,
        }
    }

    fn fact(arguments: Vec<AbstractValue>) -> Fact {
        Fact { arguments, ..Fact::default() }
    }

    #[test]
    fn all_parts_must_hold_for_the_same_argument() {
        let text = vec![Regex::new("^a").unwrap()];
        let from = vec![PathPattern::parse("atob").unwrap()];
        let condition = Condition { text, from, ..any() };
        let decoded = AbstractValue { from: vec!["atob".into()], ..AbstractValue::text("abc") };
        let apart = vec![AbstractValue::text("abc"), AbstractValue::made_from(vec!["atob".into()])];
        assert!(condition.holds(&fact(vec![AbstractValue::number(1.0), decoded])));
        assert!(!condition.holds(&fact(apart)));
    }

    #[test]
    fn a_key_selects_a_member_and_sources_are_found_inside_objects() {
        let body = ("body".to_owned(), AbstractValue::made_from(vec!["document.cookie".into()]));
        let options = AbstractValue { form: ValueForm::Object(vec![body]), from: Vec::new() };
        let from = vec![PathPattern::parse("document.cookie").unwrap()];
        let sent = fact(vec![AbstractValue::text("u"), options]);
        let key = vec!["body".to_owned()];
        assert!(Condition { from: from.clone(), key, ..any() }.holds(&sent));
        assert!(Condition { from: from.clone(), ..any() }.holds(&sent));
        let key = vec!["headers".to_owned()];
        assert!(!Condition { from, key, ..any() }.holds(&sent));
    }

    #[test]
    fn a_missing_argument_is_absent_and_nothing_else() {
        let form = vec![FormName::Absent];
        let absent = Condition { at: ArgumentSelector::Index(1), form, ..any() };
        assert!(absent.holds(&fact(vec![AbstractValue::default()])));
        assert!(!absent.holds(&fact(vec![AbstractValue::default(), AbstractValue::default()])));
        let large = Condition { over: Some(1e9), ..any() };
        assert!(!large.holds(&fact(Vec::new())));
        assert!(Condition { not: true, ..large }.holds(&fact(Vec::new())));
    }
}
