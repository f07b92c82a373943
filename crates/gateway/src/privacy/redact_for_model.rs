//! Redacts what goes to the model.
//!
//! In: texts, JSON, errors, answers of tools. Out: the same with known and detected
//! personal data replaced by tokens, and the total counts by type.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use tidegate_model::{self as model, DataType, ErrorCode, RunError, Span, TextKind};
use tidegate_privacy::{SessionValues, Tokenized};

use super::redacted::{Redacted, RedactedErrors};
use super::unscanned::Unscanned;
use super::{Privacy, Session, is_from_outside};

/// How many values of each type.
pub(crate) type Counts = BTreeMap<DataType, u32>;

/// Adds counts to others.
fn add(counts: &mut Counts, more: &Counts) {
    for (data_type, count) in more {
        *counts.entry(*data_type).or_default() += count;
    }
}

/// Where a text comes from. It decides what counts as personal data in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Prose, logs or code of a run or a tool: whatever is known or looks personal.
    Data,
    /// Our own words with a value in them: whatever is known, and what cannot be anything
    /// else.
    OwnWords,
    /// Our own text about tools and skills: names of servers, products and functions stay
    /// as they are.
    AboutTools,
    /// The name of a tool, by which a person or a model must recognise it: only what is
    /// personal by its form, whatever else the session knows.
    ToolName,
}

/// Texts on their way to the model.
pub(crate) struct Leaving<'a> {
    privacy: &'a Privacy,
    session: Arc<Session>,
    redacted: Option<&'a RedactedErrors>,
    pub(crate) counts: Counts,
}

impl<'a> Leaving<'a> {
    pub(super) fn new(privacy: &'a Privacy, session: Arc<Session>) -> Self {
        Self { privacy, session, redacted: None, counts: Counts::new() }
    }

    /// Keeps the errors of this request as they are: they were redacted when they were
    /// made.
    pub(crate) fn keeping(self, errors: &'a RedactedErrors) -> Self {
        Self { redacted: Some(errors), ..self }
    }

    pub(crate) fn is_off(&self) -> bool {
        self.privacy.is_off()
    }

    /// Opens content from outside, to be redacted part by part.
    pub(crate) fn open<T>(&self, content: Unscanned<T>) -> T {
        content.open()
    }

    /// Remembers the values in a text, before another part of the same answer is shown.
    pub(crate) fn remember(&self, text: &str) {
        self.privacy.remember_encoded(&self.session, text, &mut Counts::new());
        let spans = self.privacy.detector.scan(text, TextKind::Auto);
        self.session.values().remember(text, &spans);
    }

    /// Remembers what is personal by its form in a text about tools or skills.
    pub(super) fn remember_unmistakable(&self, text: &str) {
        let spans = unmistakable(&self.privacy.detector.scan(text, TextKind::Text));
        self.session.values().remember(text, &spans);
    }

    /// A text of a run or a tool that is not known to be JSON.
    pub(crate) fn text(&mut self, text: &str) -> Redacted {
        self.redact(Origin::Data, text)
    }

    /// Replaces personal data in a text by tokens.
    pub(crate) fn redact(&mut self, origin: Origin, text: &str) -> Redacted {
        let kind = match origin {
            Origin::Data => TextKind::Auto,
            Origin::OwnWords | Origin::AboutTools | Origin::ToolName => TextKind::Text,
        };
        let redacted = self.replaced(text, kind, |values, spans| match origin {
            // The recipient parses it again.
            Origin::Data if is_json(text) => values.tokenize_json(text, spans),
            Origin::Data => values.tokenize(text, spans),
            Origin::OwnWords => values.tokenize(text, &unmistakable(spans)),
            Origin::AboutTools => {
                values.tokenize_if(text, &unmistakable(spans), &is_no_name_of_ours)
            }
            Origin::ToolName => {
                let spans = unmistakable(spans);
                let found: Vec<&str> =
                    spans.iter().filter_map(|span| text.get(span.start..span.end)).collect();
                values.tokenize_if(text, &spans, &|_, value| found.contains(&value))
            }
        });
        Redacted::searched(redacted)
    }

    /// Redacts a JSON document, which stays valid.
    pub(crate) fn json(&mut self, text: &str) -> String {
        // A document that is one string is read as text.
        if let Ok(string) = serde_json::from_str::<String>(text) {
            return Value::String(self.text(&string).into_string()).to_string();
        }
        self.replaced(text, TextKind::Json, |values, spans| values.tokenize_json(text, spans))
    }

    pub(crate) fn error(&mut self, error: RunError) -> RunError {
        // Whatever else our words quote came from the model or is known.
        let origin = match error.code == ErrorCode::Thrown || is_from_outside(error.code) {
            true => Origin::Data,
            false => Origin::OwnWords,
        };
        let message = self.part_of_error(origin, &error.message);
        let hint = error.hint.map(|hint| self.part_of_error(Origin::OwnWords, &hint));
        RunError { message, hint, ..error }
    }

    /// A text of an error. What is already redacted in it stays.
    fn part_of_error(&mut self, origin: Origin, text: &str) -> String {
        let text = &*without_half_word(text);
        match self.redacted.and_then(|errors| errors.split(text)) {
            // A program may have put something around it.
            Some((before, own, after)) => {
                let (before, after) = (self.redact(origin, before), self.redact(origin, after));
                format!("{before}{own}{after}")
            }
            None => self.redact(origin, text).into_string(),
        }
    }

    /// A text in an answer of a server, with the text that is encoded in it.
    fn text_of_server(&mut self, text: &str) -> String {
        if self.privacy.is_off() {
            return text.to_owned();
        }
        let text = self.privacy.without_encoded(&self.session, text.to_owned(), &mut self.counts);
        self.text(&text).into_string()
    }

    /// A value with tokens in all of its strings.
    pub(crate) fn value(&mut self, value: &Value) -> Value {
        if self.privacy.is_off() {
            return value.clone();
        }
        let text = self.privacy.without_encoded(&self.session, value.to_string(), &mut self.counts);
        serde_json::from_str(&self.json(&text)).unwrap_or(Value::Null)
    }

    /// A content block of MCP. A type that is none is searched like any text.
    pub(crate) fn block(&mut self, block: &Map<String, Value>) -> Map<String, Value> {
        let field = |(key, value): (&String, &Value)| {
            let shown = match (key.as_str(), value) {
                ("type", Value::String(kind)) if is_type(kind) => value.clone(),
                ("resource", Value::Object(inner)) => Value::Object(self.block(inner)),
                (_, Value::String(text)) => Value::String(self.text_of_server(text)),
                (_, other) => self.value(other),
            };
            let is_own = FIELDS.contains(&key.as_str());
            (if is_own { key.clone() } else { self.text_of_server(key) }, shown)
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

/// The fields of content blocks.
const FIELDS: [&str; 14] = [
    "type",
    "text",
    "data",
    "mimeType",
    "resource",
    "uri",
    "blob",
    "name",
    "title",
    "description",
    "size",
    "icons",
    "annotations",
    "_meta",
];

/// Whether this is a type of a content block.
fn is_type(kind: &str) -> bool {
    ["text", "image", "audio", "resource", "resource_link"].contains(&kind)
}

pub(super) fn is_json(text: &str) -> bool {
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

/// Whether values of this type look like nothing else.
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

/// Drops the last word if the text was cut there: half of a value is not recognised. If a
/// name of several words was cut between them, the first ones stay.
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

/// A text that was cut, and the mark that says so: `…`, or `… (2218 characters in all)`,
/// which may be in quotes.
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
