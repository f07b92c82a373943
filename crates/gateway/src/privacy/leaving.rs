//! What goes towards the model, without personal data.
//!
//! In: texts, JSON, errors, answers of tools. Out: the same with tokens in the place of
//! what is known or found, counted by type over all of it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use tidegate_model::{self as model, DataType, ErrorCode, RunError};
use tidegate_privacy::{SessionValues, Span, TextKind, Tokenized};

use super::{Privacy, Session, is_from_outside};

/// How many values of each type.
pub(crate) type Counts = BTreeMap<DataType, u32>;

/// Adds counts to others.
fn add(counts: &mut Counts, more: &Counts) {
    for (data_type, count) in more {
        *counts.entry(*data_type).or_default() += count;
    }
}

/// Texts on their way to the model.
pub(crate) struct Leaving<'a> {
    privacy: &'a Privacy,
    session: Arc<Session>,
    pub(crate) counts: Counts,
}

impl<'a> Leaving<'a> {
    pub(super) fn new(privacy: &'a Privacy, session: Arc<Session>) -> Self {
        Self { privacy, session, counts: Counts::new() }
    }

    /// Prose, logs, code: any text that is not known to be JSON.
    pub(crate) fn text(&mut self, text: &str) -> String {
        self.replaced(text, TextKind::Auto, |values, spans| match is_json(text) {
            // Read as JSON again by whoever gets it.
            true => values.tokenize_json(text, spans),
            false => values.tokenize(text, spans),
        })
    }

    /// A JSON document, which stays one.
    pub(crate) fn json(&mut self, text: &str) -> String {
        // A text that is all of the document is read as a text.
        if let Ok(string) = serde_json::from_str::<String>(text) {
            return Value::String(self.text(&string)).to_string();
        }
        self.replaced(text, TextKind::Json, |values, spans| values.tokenize_json(text, spans))
    }

    /// Our own words about tools and skills, in which names of servers, products and
    /// functions must stay what they are: only what cannot be one of them is replaced.
    pub(crate) fn about_tools(&mut self, text: &str) -> String {
        self.replaced(text, TextKind::Text, |values, spans| {
            values.tokenize_some(text, &unmistakable(spans), &is_no_name_of_ours)
        })
    }

    /// Our own words with a value of somebody among them: what is known is replaced, and
    /// found is only what cannot be a name of ours.
    pub(crate) fn own_words(&mut self, text: &str) -> String {
        self.replaced(text, TextKind::Text, |values, spans| {
            values.tokenize(text, &unmistakable(spans))
        })
    }

    /// The name of a tool, by which a person or a model must know it again: replaced is
    /// what can be told by itself to be personal, whatever else the session knows.
    pub(crate) fn name(&mut self, name: &str) -> String {
        self.replaced(name, TextKind::Text, |values, spans| {
            let spans = unmistakable(spans);
            let found: Vec<&str> =
                spans.iter().filter_map(|span| name.get(span.start..span.end)).collect();
            values.tokenize_some(name, &spans, &|_, value| found.contains(&value))
        })
    }

    pub(crate) fn error(&mut self, error: RunError) -> RunError {
        let message = &*without_half_word(&error.message);
        // Whatever else our words quote came from the model or is known.
        let replace = match error.code == ErrorCode::Thrown || is_from_outside(error.code) {
            true => Self::text,
            false => Self::own_words,
        };
        let clean = self.session.clean_part(message);
        let message = match clean.and_then(|clean| Some((message.split_once(&*clean)?, clean))) {
            // A program may have put something around it.
            Some(((before, after), clean)) => {
                format!("{}{clean}{}", replace(self, before), replace(self, after))
            }
            None => replace(self, message),
        };
        let hint = error.hint.map(|hint| match self.session.clean_part(&hint) {
            Some(clean) if *clean == *hint => hint,
            _ => self.own_words(&without_half_word(&hint)),
        });
        RunError { message, hint, ..error }
    }

    /// A value with tokens in all of its strings.
    pub(crate) fn value(&mut self, value: &Value) -> Value {
        serde_json::from_str(&self.json(&value.to_string())).unwrap_or(Value::Null)
    }

    /// A content block of MCP. What says of what type it is stays as it is.
    pub(crate) fn block(&mut self, block: &Map<String, Value>) -> Map<String, Value> {
        let field = |(key, value): (&String, &Value)| {
            let shown = match (key.as_str(), value) {
                ("type" | "annotations", _) => value.clone(),
                ("resource", Value::Object(inner)) => Value::Object(self.block(inner)),
                (_, Value::String(text)) => Value::String(self.text(text)),
                (_, other) => self.value(other),
            };
            (key.clone(), shown)
        };
        block.iter().map(field).collect()
    }

    fn replaced(
        &mut self,
        text: &str,
        kind: TextKind,
        replace: impl FnOnce(&mut SessionValues, &[Span]) -> Tokenized,
    ) -> String {
        if self.privacy.is_off() {
            return text.to_owned();
        }
        let spans = self.privacy.detector.scan(text, kind);
        let done = replace(&mut self.session.values(), &spans);
        self.privacy.keep(&self.session, done.new);
        add(&mut self.counts, &done.counts);
        done.text
    }
}

fn is_json(text: &str) -> bool {
    let trimmed = text.trim_start();
    trimmed.starts_with(['{', '['])
        && serde_json::from_str::<serde::de::IgnoredAny>(trimmed).is_ok()
}

fn unmistakable(spans: &[Span]) -> Vec<Span> {
    spans.iter().filter(|span| is_unmistakable(span.data_type)).copied().collect()
}

/// Whether a known value cannot be the name of a server, a product or a function.
fn is_no_name_of_ours(data_type: DataType, value: &str) -> bool {
    match data_type {
        DataType::Person | DataType::Org => value.contains(' '),
        DataType::IpAddress | DataType::Address | DataType::BirthDate => true,
        other => is_unmistakable(other),
    }
}

/// Types whose values look like nothing else.
fn is_unmistakable(data_type: DataType) -> bool {
    match data_type {
        DataType::Email
        | DataType::Phone
        | DataType::Ssn
        | DataType::NationalId
        | DataType::CreditCard
        | DataType::Iban
        | DataType::Secret
        | DataType::Custom => true,
        DataType::IpAddress
        | DataType::Person
        | DataType::Org
        | DataType::Address
        | DataType::BirthDate => false,
    }
}

/// Without the last word, if the text was cut there: half of a value is not known. Of a
/// name of several words that was cut between them, the first ones stay.
fn without_half_word(text: &str) -> Cow<'_, str> {
    let Some((cut, mark)) = cut_and_mark(text) else { return Cow::Borrowed(text) };
    let whole = match model::without_half_word(cut) {
        "" => cut,
        whole => whole,
    };
    match mark {
        "…" => Cow::Borrowed(whole.trim_end()),
        mark => Cow::Owned(format!("{whole}{mark}")),
    }
}

/// A text that was cut, and what says so: `…`, or `… (2218 characters in all)`, which may
/// stand in quotes.
fn cut_and_mark(text: &str) -> Option<(&str, &str)> {
    let (cut, rest) = text.split_at(text.rfind('…')?);
    let is_mark = rest == "…"
        || rest.strip_prefix("… (").is_some_and(|rest| {
            let rest = rest.trim_start_matches(|char: char| char.is_ascii_digit());
            rest.trim_end_matches('`') == " characters in all)"
        });
    is_mark.then_some((cut, rest))
}

#[cfg(test)]
mod tests {
    use super::without_half_word;

    #[test]
    fn half_a_value_at_the_end_of_a_cut_text_goes() {
        assert_eq!(without_half_word("to ann@x.org, bob@y.o…"), "to ann@x.org,");
        assert_eq!(without_half_word("to ann@x.org"), "to ann@x.org");
        assert_eq!(without_half_word("ann…"), "ann");
        assert_eq!(without_half_word("to <ann@x.org><bob@y.o…"), "to <ann@x.org><");
        assert_eq!(
            without_half_word("w bob@y.o… (2218 characters in all)"),
            "w … (2218 characters in all)"
        );
        assert_eq!(
            without_half_word("threw `w bob@y.o… (22 characters in all)`"),
            "threw `w … (22 characters in all)`"
        );
        let whole = "w … (2218 characters in all) and more";
        assert_eq!(without_half_word(whole), whole);
    }
}
