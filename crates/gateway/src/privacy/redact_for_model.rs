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

use crate::explain::reported::author_prefix;

use super::own_text::{self, OwnText};
use super::redacted::{Redacted, RedactedErrors};
use super::search::{SearchBudget, Searched, Withheld};
use super::unscanned::Unscanned;
use super::{Privacy, Session, is_from_outside};

/// How many values of each type.
pub(crate) type Counts = BTreeMap<DataType, u32>;

/// Adds counts to others.
pub(super) fn add(counts: &mut Counts, more: &Counts) {
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

/// Whose words the text of an error is.
#[derive(Clone, Copy)]
enum Words {
    /// Ours, with quotations in quotation marks.
    Ours,
    /// It may have unmarked words of others.
    Of(Origin),
}

/// Texts on their way to the model.
pub(crate) struct Leaving<'a> {
    privacy: &'a Privacy,
    session: Arc<Session>,
    redacted: Option<&'a RedactedErrors>,
    sending: Sending,
    budget: SearchBudget,
    /// The last text of which a part is not shown.
    withheld: Option<Withheld>,
    pub(crate) counts: Counts,
}

/// When tokens are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sending {
    /// At once: everything is sent.
    All,
    /// When [`Leaving::sent`] is told what is sent.
    Some,
}

impl<'a> Leaving<'a> {
    pub(super) fn new(privacy: &'a Privacy, session: Arc<Session>) -> Self {
        Self {
            privacy,
            session,
            redacted: None,
            sending: Sending::All,
            budget: SearchBudget::ANSWER,
            withheld: None,
            counts: Counts::new(),
        }
    }

    /// For an answer of which only a part is sent.
    pub(crate) fn send_later(&mut self) {
        self.sending = Sending::Some;
    }

    /// For a text that its sender gets back whole.
    pub(crate) fn search_whole(&mut self) {
        self.budget = SearchBudget::WHOLE;
    }

    /// This text is sent: stores its tokens.
    pub(crate) fn sent(&self, text: &str) {
        if !self.is_off() {
            self.privacy.mark_sent(&self.session, text);
        }
    }

    /// Takes the note about a text of which a part is not shown.
    pub(crate) fn take_withheld(&mut self) -> Option<Withheld> {
        self.withheld.take()
    }

    /// How many values the session has dropped since its client was last told.
    pub(crate) fn newly_dropped(&self) -> usize {
        self.session.newly_dropped()
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
        let mut budget = self.budget;
        // If it is too much, it is not shown either.
        let encoded = &mut Counts::new();
        let _ = self.privacy.remember_encoded(&self.session, text, &mut budget, encoded);
        let _ = self.privacy.remember(&self.session, text, TextKind::Auto, &mut budget);
    }

    /// Remembers what is personal by its form in a text about tools or skills.
    pub(super) fn remember_unmistakable(&self, text: &str) -> Result<(), RunError> {
        let budget = &mut { SearchBudget::ARRIVAL };
        let (privacy, session) = (self.privacy, &self.session);
        privacy.remember_selected(session, text, TextKind::Text, budget, unmistakable).map(drop)
    }

    /// A text of a run or a tool that is not known to be JSON.
    pub(crate) fn text(&mut self, text: &str) -> Redacted {
        self.redact(Origin::Data, text)
    }

    /// The same, without a note about what is not shown: see [`Leaving::take_withheld`].
    pub(crate) fn start_of_text(&mut self, text: &str) -> String {
        self.searched(text, TextKind::Auto)
    }

    /// The output of a program, as JSON: if a part of it is not shown, the rest as a string.
    pub(crate) fn start_of_json(&mut self, text: &str) -> String {
        if let Ok(string) = serde_json::from_str::<String>(text) {
            return Value::String(self.start_of_text(&string)).to_string();
        }
        let searched = self.searched(text, TextKind::Json);
        match self.withheld {
            Some(_) => Value::String(searched).to_string(),
            None => searched,
        }
    }

    /// Replaces personal data in a text by tokens.
    pub(crate) fn redact(&mut self, origin: Origin, text: &str) -> Redacted {
        let kind = match origin {
            Origin::Data => TextKind::Auto,
            Origin::OwnWords | Origin::AboutTools | Origin::ToolName => TextKind::Text,
        };
        if origin == Origin::Data {
            let searched = self.searched(text, kind);
            return Redacted::searched(match self.withheld {
                Some(withheld) => format!("{searched}\n[{withheld}]"),
                None => searched,
            });
        }
        let redacted = self.replaced(text, kind, |values, spans| match origin {
            Origin::Data | Origin::OwnWords => values.tokenize(text, &unmistakable(spans)),
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
        let searched = self.searched(text, TextKind::Json);
        match self.withheld {
            Some(withheld) => Value::String(format!("{searched}\n[{withheld}]")).to_string(),
            None => searched,
        }
    }

    pub(crate) fn error(&mut self, error: RunError) -> RunError {
        let (message, hint) = match error.code {
            // What a guest says about the program follows words of ours, without quotation marks.
            ErrorCode::Syntax | ErrorCode::Type | ErrorCode::BadOutput => {
                (Words::Of(Origin::OwnWords), Words::Of(Origin::OwnWords))
            }
            code if code == ErrorCode::Thrown || is_from_outside(code) => {
                (Words::Of(Origin::Data), Words::Of(Origin::OwnWords))
            }
            // Whatever our words quote came from the model or is known.
            _ => (Words::Ours, Words::Ours),
        };
        let message = self.part_of_error(message, &error.message);
        let hint = error.hint.map(|text| self.part_of_error(hint, &text));
        RunError { message, hint, ..error }
    }

    /// A text that the gateway words, with quotations in it, which are from `quoted`. A server
    /// could have our words replaced by listing them as names; so a known value is replaced
    /// among them only if it has more than letters, and in quotations as everywhere.
    pub(crate) fn own_text(&mut self, quoted: Origin, text: &str) -> Redacted {
        let mut shown = String::with_capacity(text.len());
        for part in own_text::parts(text) {
            match part {
                OwnText::Quoted(part) => shown.push_str(&self.redact(quoted, part)),
                OwnText::Words(part) => {
                    shown.push_str(&self.replaced(part, TextKind::Text, |values, spans| {
                        values.tokenize_if(part, &unmistakable(spans), &|_, value| {
                            !own_text::may_be_our_words(value)
                        })
                    }));
                }
            }
        }
        Redacted::searched(shown)
    }

    /// A text of an error. What is already redacted in it stays.
    fn part_of_error(&mut self, words: Words, text: &str) -> String {
        let text = &*without_half_word(text);
        match self.redacted.and_then(|errors| errors.split(text)) {
            // A program may have put something around it.
            Some((before, own, after)) => {
                let before = self.message(words, before);
                format!("{before}{own}{}", self.message(words, after))
            }
            None => self.message(words, text).into_string(),
        }
    }

    fn message(&mut self, words: Words, text: &str) -> Redacted {
        match words {
            Words::Ours => self.own_text(Origin::OwnWords, text),
            Words::Of(origin) => {
                let (author, said) = text.split_at(author_prefix(text));
                let author = self.own_text(Origin::OwnWords, author);
                Redacted::join(&[&author, &self.redact(origin, said)])
            }
        }
    }

    /// A text in an answer of a server, with the text that is encoded in it.
    fn text_of_server(&mut self, text: &str) -> String {
        if self.privacy.is_off() {
            return text.to_owned();
        }
        let (budget, counts) = (&mut self.budget, &mut self.counts);
        let text = self.privacy.without_encoded(&self.session, text.to_owned(), budget, counts);
        self.text(&text).into_string()
    }

    /// A value with tokens in all of its strings.
    pub(crate) fn value(&mut self, value: &Value) -> Value {
        if self.privacy.is_off() {
            return value.clone();
        }
        let (budget, counts) = (&mut self.budget, &mut self.counts);
        let text = self.privacy.without_encoded(&self.session, value.to_string(), budget, counts);
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

    /// A text of a run or a tool, as far as the budget of the answer allows it to be searched.
    fn searched(&mut self, text: &str, kind: TextKind) -> String {
        self.withheld = None;
        if self.privacy.is_off() {
            return text.to_owned();
        }
        let Searched { done, withheld } =
            self.privacy.search(&self.session, text, kind, &mut self.budget);
        if self.sending == Sending::All {
            self.privacy.mark_sent(&self.session, &done.text);
        }
        self.withheld = withheld;
        add(&mut self.counts, &done.counts);
        done.text
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
