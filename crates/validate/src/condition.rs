//! What a rule asks of an argument.
//!
//! All that a condition names must hold of one and the same argument. The text of an
//! argument is what is known of it: of one that is put together at run time the
//! beginning.

use regex::Regex;
use tidegate_model::reading::{Fact, Form, Known, LONGEST_TEXT};

use crate::backtracking::{End, explodes};
use crate::path_pattern::PathPattern;

/// Which argument is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum At {
    /// Any of them.
    Any,
    /// The one at this place, from 0.
    Place(usize),
}

/// A condition on an argument.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    pub(crate) at: At,
    /// A key of the argument, if it is an object; with dots a key of a key.
    pub(crate) key: Vec<String>,
    pub(crate) text: Vec<Regex>,
    pub(crate) from: Vec<PathPattern>,
    pub(crate) over: Option<f64>,
    /// It is a regular expression that takes for ever on some texts.
    pub(crate) explodes: bool,
    pub(crate) form: Vec<FormName>,
    /// The condition is that this does not hold.
    pub(crate) not: bool,
}

/// The forms of values by name.
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
    /// There is no such argument.
    Absent,
}

impl Condition {
    pub(crate) fn holds(&self, fact: &Fact) -> bool {
        let held = match self.at {
            At::Any if fact.arguments.is_empty() => self.fits_absent(),
            At::Any => fact.arguments.iter().any(|known| self.fits(known)),
            At::Place(place) => match fact.arguments.get(place) {
                Some(known) => self.fits(known),
                None => self.fits_absent(),
            },
        };
        held != self.not
    }

    fn fits_absent(&self) -> bool {
        self.form.contains(&FormName::Absent)
    }

    fn fits(&self, known: &Known) -> bool {
        let mut at = known;
        for key in &self.key {
            let Form::Object(entries) = &at.form else { return self.fits_absent() };
            match entries.iter().find(|(name, _)| name == key) {
                Some((_, value)) => at = value,
                None => return self.fits_absent(),
            }
        }
        self.fits_value(at)
    }

    fn fits_value(&self, known: &Known) -> bool {
        let form = self.form.is_empty() || self.form.contains(&FormName::of(&known.form));
        let said = self.text.is_empty() || says(known, &self.text);
        let made = self.from.is_empty() || comes_from(known, &self.from);
        let large = self.over.is_none_or(
            |least| matches!(known.form, Form::Number(number) if number.abs() >= least),
        );
        form && said && made && large && (!self.explodes || is_exploding(known))
    }
}

/// Whether a text, or one in an object, is meant.
fn says(known: &Known, regexes: &[Regex]) -> bool {
    match &known.form {
        Form::Text(text) | Form::Begins(text) => regexes.iter().any(|regex| regex.is_match(text)),
        Form::Object(entries) => entries.iter().any(|(_, value)| says(value, regexes)),
        _ => false,
    }
}

/// Whether it is a pattern that takes for ever on some texts.
fn is_exploding(known: &Known) -> bool {
    match &known.form {
        // A text that is as long as they get may have been cut.
        Form::Text(text) if text.len() + 4 < LONGEST_TEXT => explodes(text, End::Known),
        Form::Text(text) | Form::Begins(text) => explodes(text, End::Open),
        _ => false,
    }
}

/// Whether a value, or one in it, was made of something.
fn comes_from(known: &Known, patterns: &[PathPattern]) -> bool {
    let own = known.from.iter().any(|path| patterns.iter().any(|one| one.matches(path)));
    own || match &known.form {
        Form::Object(entries) => entries.iter().any(|(_, value)| comes_from(value, patterns)),
        _ => false,
    }
}

impl FormName {
    fn of(form: &Form) -> Self {
        match form {
            Form::Unknown => Self::Unknown,
            Form::Text(_) => Self::Text,
            Form::Begins(_) => Self::Begins,
            Form::Number(_) => Self::Number,
            Form::Flag(_) => Self::Flag,
            Form::Function => Self::Function,
            Form::List => Self::List,
            Form::Object(_) => Self::Object,
        }
    }
}

#[cfg(test)]
mod tests {
    use regex::Regex;
    use tidegate_model::reading::{Fact, Form, Known};

    use super::{At, Condition, FormName};
    use crate::path_pattern::PathPattern;

    fn any() -> Condition {
        let (text, from, form, key) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Condition { at: At::Any, key, text, from, over: None, explodes: false, form, not: false }
    }

    fn fact(arguments: Vec<Known>) -> Fact {
        Fact { arguments, ..Fact::default() }
    }

    #[test]
    fn all_that_is_asked_must_hold_of_one_argument() {
        let text = vec![Regex::new("^a").unwrap()];
        let from = vec![PathPattern::parse("atob").unwrap()];
        let condition = Condition { text, from, ..any() };
        let decoded = Known { from: vec!["atob".into()], ..Known::text("abc") };
        let apart = vec![Known::text("abc"), Known::made_from(vec!["atob".into()])];
        assert!(condition.holds(&fact(vec![Known::number(1.0), decoded])));
        assert!(!condition.holds(&fact(apart)));
    }

    #[test]
    fn a_key_leads_into_an_object_and_sources_are_found_in_it() {
        let body = ("body".to_owned(), Known::made_from(vec!["document.cookie".into()]));
        let options = Known { form: Form::Object(vec![body]), from: Vec::new() };
        let from = vec![PathPattern::parse("document.cookie").unwrap()];
        let sent = fact(vec![Known::text("u"), options]);
        let key = vec!["body".to_owned()];
        assert!(Condition { from: from.clone(), key, ..any() }.holds(&sent));
        assert!(Condition { from: from.clone(), ..any() }.holds(&sent));
        let key = vec!["headers".to_owned()];
        assert!(!Condition { from, key, ..any() }.holds(&sent));
    }

    #[test]
    fn an_argument_that_is_not_there_is_absent_and_nothing_else() {
        let form = vec![FormName::Absent];
        let absent = Condition { at: At::Place(1), form, ..any() };
        assert!(absent.holds(&fact(vec![Known::default()])));
        assert!(!absent.holds(&fact(vec![Known::default(), Known::default()])));
        let large = Condition { over: Some(1e9), ..any() };
        assert!(!large.holds(&fact(Vec::new())));
        assert!(Condition { not: true, ..large }.holds(&fact(Vec::new())));
    }
}
