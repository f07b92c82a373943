//! Reads one value as the type that its key requires.
//!
//! In: a node and its key's `Kind`. Out: the value, or an error that gives the
//! expected and the actual type, never the value itself.

use std::time::Duration;

use tidegate_model::{Secret, did_you_mean};

use crate::error::{ConfigError, ConfigErrorKind};
use crate::keys::key::{Format, Kind, MIN_MEMORY, listed};
use crate::quantity::{LARGEST, LONGEST, parse_duration, parse_size};
use crate::read::node::{Entry, Node, Value, duplicate};
use crate::read::raw::RawText;
use crate::read::source::Source;

/// A value about to be read.
pub(crate) struct Reading<'a> {
    pub(crate) source: &'a Source,
    pub(crate) format: Format,
    pub(crate) kind: &'a Kind,
    pub(crate) node: &'a Node,
    /// The key alone, such as `args`.
    pub(crate) key: String,
    /// Where the key is, such as " in server `git`".
    pub(crate) scope: &'a str,
}

impl<'a> Reading<'a> {
    pub(crate) fn text(&self) -> Result<RawText, ConfigError> {
        match &self.node.value {
            Value::Text(text) => Ok(RawText {
                text: Secret::new(text.clone()),
                offset: self.node.span.start,
                label: self.label(),
            }),
            Value::Integer(_) | Value::Fraction | Value::Bool(_) => {
                Err(self.wrong_type().with_hint("write it in quotes"))
            }
            _ => Err(self.wrong_type()),
        }
    }

    pub(crate) fn text_list(&self) -> Result<Vec<RawText>, ConfigError> {
        let Value::List(items) = &self.node.value else {
            return Err(self.wrong_type());
        };
        let item = |(index, node)| self.inner(format!("{}[{index}]", self.key), node).text();
        items.iter().enumerate().map(item).collect()
    }

    /// One text or several, at least one.
    pub(crate) fn texts(&self) -> Result<Vec<RawText>, ConfigError> {
        match &self.node.value {
            Value::Text(_) => Ok(vec![self.text()?]),
            // An empty list could mean either nothing or anything.
            Value::List(items) if items.is_empty() => {
                let message = format!("{} is empty", self.label());
                let hint = "remove the key to allow any value";
                Err(self.error(ConfigErrorKind::BadValue, message).with_hint(hint))
            }
            _ => self.text_list(),
        }
    }

    /// Names, each with one text or several.
    pub(crate) fn texts_map(&self) -> Result<Vec<(String, Vec<RawText>)>, ConfigError> {
        let read = |entry: &'a Entry| {
            let name = format!("{}.{}", self.key, entry.key);
            let inner = Reading { kind: &Kind::Texts, ..self.inner(name, &entry.node) };
            Ok((entry.key.clone(), inner.texts()?))
        };
        self.section()?.iter().map(read).collect()
    }

    /// Each of a list of sections, with where it is written.
    pub(crate) fn sections(&self) -> Result<Vec<(&'a [Entry], usize)>, ConfigError> {
        let Value::List(items) = &self.node.value else { return Err(self.wrong_type()) };
        let inside = |node: &'a Node| match &node.value {
            Value::Object(entries) => Ok((entries.as_slice(), node.span.start)),
            _ => Err(self.wrong_type()),
        };
        items.iter().map(inside).collect()
    }

    pub(crate) fn text_map(&self) -> Result<Vec<(String, RawText)>, ConfigError> {
        let entries = self.section()?;
        if let Some((again, first)) = duplicate(entries) {
            let place = self.source.place(first.key_span.start);
            let message = format!(
                "duplicate key `{}.{}`{}, first written at line {}, column {}",
                self.key, again.key, self.scope, place.line, place.column
            );
            let offset = again.key_span.start;
            return Err(self.source.error(ConfigErrorKind::DuplicateKey, offset, message));
        }
        let read = |entry: &'a Entry| {
            let name = format!("{}.{}", self.key, entry.key);
            Ok((entry.key.clone(), self.inner(name, &entry.node).text()?))
        };
        entries.iter().map(read).collect()
    }

    pub(crate) fn section(&self) -> Result<&'a [Entry], ConfigError> {
        match &self.node.value {
            Value::Object(entries) => Ok(entries),
            _ => Err(self.wrong_type()),
        }
    }

    pub(crate) fn flag(&self) -> Result<bool, ConfigError> {
        match self.node.value {
            Value::Bool(flag) => Ok(flag),
            _ => Err(self.wrong_type()),
        }
    }

    /// A text that is one of the kind's words.
    pub(crate) fn word(&self) -> Result<RawText, ConfigError> {
        let (Value::Text(text), Kind::Word(words)) = (&self.node.value, self.kind) else {
            return Err(self.wrong_type());
        };
        if words.contains(&text.as_str()) {
            return self.text();
        }
        let message = format!("{} is none of {}", self.label(), listed(words));
        let mut error = self.error(ConfigErrorKind::BadValue, message);
        error.hint = did_you_mean(text, words.iter().copied());
        Err(error)
    }

    /// A text that is one of the kind's words, as its value.
    pub(crate) fn one_of<T: Copy>(&self, meanings: &[(&str, T)]) -> Result<T, ConfigError> {
        let written = self.word()?;
        let found = meanings.iter().find(|(word, _)| word == written.text.expose());
        found.map(|&(_, meaning)| meaning).ok_or_else(|| self.wrong_type())
    }

    /// A list of the kind's words, as their values.
    pub(crate) fn some_of<T: Copy>(&self, meanings: &[(&str, T)]) -> Result<Vec<T>, ConfigError> {
        let (items, words) = match (&self.node.value, self.kind) {
            (Value::List(items), Kind::WordList(words) | Kind::Words(words)) => (items, words),
            (Value::Text(_), Kind::Words(words)) => {
                let kind = Kind::Word(words);
                let one = Reading { kind: &kind, key: self.key.clone(), ..*self };
                return one.one_of(meanings).map(|meaning| vec![meaning]);
            }
            _ => return Err(self.wrong_type()),
        };
        let kind = Kind::Word(words);
        let item = |(index, node)| {
            let key = format!("{}[{index}]", self.key);
            Reading { kind: &kind, node, key, ..*self }.one_of(meanings)
        };
        items.iter().enumerate().map(item).collect()
    }

    pub(crate) fn duration(&self) -> Result<Duration, ConfigError> {
        let milliseconds = match &self.node.value {
            // Negative numbers are out of range, as zero is.
            Value::Integer(number) => u64::try_from(*number).unwrap_or(0),
            Value::Text(text) => parse_duration(text).ok_or_else(|| {
                let message = format!("{} is not a duration", self.label());
                self.error(ConfigErrorKind::BadValue, message)
                    .with_hint("write a whole number and `ms`, `s`, `m` or `h`, such as \"30s\"")
            })?,
            _ => return Err(self.wrong_type()),
        };
        let duration = Duration::from_millis(milliseconds);
        if duration.is_zero() || duration > LONGEST { Err(self.range()) } else { Ok(duration) }
    }

    pub(crate) fn size(&self) -> Result<u64, ConfigError> {
        let bytes = match &self.node.value {
            Value::Integer(number) => u64::try_from(*number).unwrap_or(0),
            Value::Text(text) => parse_size(text).ok_or_else(|| {
                let message = format!("{} is not a size", self.label());
                self.error(ConfigErrorKind::BadValue, message)
                    .with_hint("write a whole number and `KB`, `MB` or `GB`, such as \"256MB\"")
            })?,
            _ => return Err(self.wrong_type()),
        };
        let least = if let Kind::Size { least } = self.kind { *least } else { 1 };
        if (least..=LARGEST).contains(&bytes) {
            return Ok(bytes);
        }
        let bare_number = matches!(self.node.value, Value::Integer(_));
        let error = self.range();
        Err(if bare_number && least == MIN_MEMORY && bytes < least {
            error.with_hint("write a unit, such as \"256MB\"; a number alone counts bytes")
        } else {
            error
        })
    }

    pub(crate) fn count(&self) -> Result<u32, ConfigError> {
        let Value::Integer(number) = self.node.value else {
            return Err(self.wrong_type());
        };
        let most = if let Kind::Count { most } = self.kind { *most } else { u32::MAX };
        match u32::try_from(number) {
            Ok(count) if (1..=most).contains(&count) => Ok(count),
            _ => Err(self.range()),
        }
    }

    /// The key and where it is, such as "`url` in server `git`".
    pub(crate) fn label(&self) -> String {
        format!("`{}`{}", self.key, self.scope)
    }

    pub(crate) fn error(&self, kind: ConfigErrorKind, message: String) -> ConfigError {
        self.source.error(kind, self.node.span.start, message)
    }

    fn wrong_type(&self) -> ConfigError {
        let expected = self.kind.expected(self.format);
        let got = self.node.type_name(self.format);
        let message = format!("{} expects {expected}, got {got}", self.label());
        self.error(ConfigErrorKind::WrongType, message)
    }

    fn range(&self) -> ConfigError {
        let (least, most) = self.kind.range().unwrap_or_default();
        let message = format!("{} must be from {least} to {most}", self.label());
        self.error(ConfigErrorKind::BadValue, message)
    }

    /// A text inside this value.
    fn inner(&self, key: String, node: &'a Node) -> Reading<'a> {
        let Reading { source, format, scope, .. } = *self;
        Reading { source, format, kind: &Kind::Text, node, key, scope }
    }
}
