//! The spelling of a value: exactly what its token replaced.
//!
//! In: a place in a text or in JSON. Out: the text that the place stands for, and how it is
//! written there. Two spellings of one value have two tokens, so that each comes back byte
//! for byte; [`SessionValues::equals`](super::SessionValues::equals) says that they are the
//! same value.
//!
//! JSON has two readers: a tool gets the string that `J\u00f6rg` stands for, and whoever
//! writes the text of a JSON file back needs the escapes. So a string with unnecessary
//! escapes remembers both.

use std::borrow::Cow;

use serde_json::Value;

/// Where a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In text.
    Text,
    /// In a string of a JSON text, inside this many JSON texts: one, or more if the string
    /// is a JSON text itself.
    JsonString(usize),
    /// It is, or is part of, a number of a JSON text. The token gets quotes.
    JsonNumber,
}

/// How a value is written in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Spelling<'a> {
    /// These bytes, in text, or in JSON with only the necessary escapes.
    Text(Cow<'a, str>),
    /// In JSON with other escapes: the string, and its bytes in the JSON text.
    Json { text: Cow<'a, str>, raw: Cow<'a, str> },
    /// A JSON number.
    Number(Cow<'a, str>),
}

impl<'a> Spelling<'a> {
    /// The spelling of these bytes of a text.
    pub(crate) fn of(bytes: &'a str, place: Place) -> Self {
        match place {
            Place::JsonNumber => Self::Number(Cow::Borrowed(bytes)),
            Place::JsonString(depth) if bytes.contains('\\') => {
                let mut raw = Cow::Borrowed(bytes);
                for _ in 1..depth {
                    raw = unescaped(&raw).map_or(raw, Cow::Owned);
                }
                match unescaped(&raw) {
                    Some(text) if escaped(&text) == raw => Self::Text(Cow::Owned(text)),
                    Some(text) => Self::Json { text: Cow::Owned(text), raw },
                    None => Self::Text(raw),
                }
            }
            Place::Text | Place::JsonString(_) => Self::Text(Cow::Borrowed(bytes)),
        }
    }

    /// The same, without a copy.
    pub(crate) fn borrowed(&self) -> Spelling<'_> {
        match self {
            Self::Text(text) => Spelling::Text(Cow::Borrowed(text)),
            Self::Json { text, raw } => {
                Spelling::Json { text: Cow::Borrowed(text), raw: Cow::Borrowed(raw) }
            }
            Self::Number(digits) => Spelling::Number(Cow::Borrowed(digits)),
        }
    }

    /// What is inserted into a string inside this many JSON texts.
    pub(crate) fn in_json(&self, depth: usize) -> Cow<'_, str> {
        let (mut text, levels) = match self {
            Self::Json { raw, .. } if depth > 0 => (Cow::Borrowed(&**raw), depth - 1),
            Self::Text(text) | Self::Number(text) | Self::Json { text, .. } => {
                (Cow::Borrowed(&**text), depth)
            }
        };
        for _ in 0..levels {
            text = Cow::Owned(escaped(&text));
        }
        text
    }

    /// What is inserted into text.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Number(text) | Self::Json { text, .. } => text,
        }
    }

    /// What distinguishes it from other spellings of the same type.
    pub(crate) fn raw(&self) -> &str {
        match self {
            Self::Text(raw) | Self::Number(raw) | Self::Json { raw, .. } => raw,
        }
    }

    /// A number for each kind, for hashing.
    pub(crate) fn kind(&self) -> u64 {
        match self {
            Self::Text(_) => 1,
            Self::Json { .. } => 2,
            Self::Number(_) => 3,
        }
    }

    pub(crate) fn into_owned(self) -> Spelling<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Text(text) => Spelling::Text(owned(text)),
            Self::Json { text, raw } => Spelling::Json { text: owned(text), raw: owned(raw) },
            Self::Number(text) => Spelling::Number(owned(text)),
        }
    }

    /// The text under which the vault stores a spelling of `value`. A plain value is stored
    /// as it is.
    pub(crate) fn stored(&self, value: &str) -> String {
        match self {
            Self::Text(text) if text == value && !value.starts_with(MARK) => value.to_owned(),
            _ => format!(
                "{MARK}{}",
                serde_json::json!([self.kind(), self.text(), self.raw(), value])
            ),
        }
    }

    /// The value and the spelling of a stored text.
    pub(crate) fn of_stored(stored: &str) -> (String, Spelling<'static>) {
        let plain = || (stored.to_owned(), Spelling::Text(Cow::Owned(stored.to_owned())));
        let Some(fields) = stored.strip_prefix(MARK) else { return plain() };
        let Ok((kind, text, raw, value)) =
            serde_json::from_str::<(u64, String, String, String)>(fields)
        else {
            return plain();
        };
        let spelling = match kind {
            2 => Spelling::Json { text: Cow::Owned(text), raw: Cow::Owned(raw) },
            3 => Spelling::Number(Cow::Owned(text)),
            _ => Spelling::Text(Cow::Owned(text)),
        };
        (value, spelling)
    }
}

/// Begins a stored spelling that is more than a value. No value has this character.
const MARK: char = '\u{0}';

/// The text of a JSON string, given without its quotes.
pub(crate) fn unescaped(raw: &str) -> Option<String> {
    serde_json::from_str(&format!("\"{raw}\"")).ok()
}

/// A text as a JSON string without its quotes, with only the necessary escapes.
pub(crate) fn escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{Place, Spelling};

    #[test]
    fn a_spelling_remembers_the_string_and_its_escapes() {
        let text = |text: &'static str| Spelling::Text(Cow::Borrowed(text));
        let json = |text: &'static str, raw: &'static str| Spelling::Json {
            text: Cow::Borrowed(text),
            raw: Cow::Borrowed(raw),
        };
        for (bytes, place, expected) in [
            (r"J\u00f6rg", Place::Text, text(r"J\u00f6rg")),
            (r"J\u00f6rg", Place::JsonString(1), json("Jörg", r"J\u00f6rg")),
            (r#"O\"N"#, Place::JsonString(1), text(r#"O"N"#)),
            ("a\\/b", Place::JsonString(1), json("a/b", "a\\/b")),
            (r"J\\u00f6rg", Place::JsonString(1), text(r"J\u00f6rg")),
            (r"J\\u00f6rg", Place::JsonString(2), json("Jörg", r"J\u00f6rg")),
            (r#"O\\\"N"#, Place::JsonString(2), text(r#"O"N"#)),
            ("49301", Place::JsonNumber, Spelling::Number(Cow::Borrowed("49301"))),
            // Cut inside an escape.
            (r"a\", Place::JsonString(1), text(r"a\")),
        ] {
            let spelling = Spelling::of(bytes, place);
            assert_eq!(spelling, expected, "{bytes}");
            if let Place::JsonString(depth) = place
                && super::unescaped(bytes).is_some()
            {
                assert_eq!(spelling.in_json(depth), bytes);
            }
        }
    }

    #[test]
    fn every_spelling_is_the_same_after_it_was_stored() {
        for (value, spelling) in [
            ("a@b.c", Spelling::Text(Cow::Borrowed("a@b.c"))),
            ("a@b.c", Spelling::Text(Cow::Borrowed("A@b.c"))),
            ("Jörg", Spelling::Json { text: "Jörg".into(), raw: r"J\u00f6rg".into() }),
            ("+49301", Spelling::Number("49301".into())),
            ("\0[1]", Spelling::Text("\0[1]".into())),
            ("[3,\"\"]", Spelling::Text("[3,\"\"]".into())),
        ] {
            let stored = spelling.stored(value);
            assert_eq!(Spelling::of_stored(&stored), (value.to_owned(), spelling));
        }
        assert_eq!(Spelling::Text("a@b.c".into()).stored("a@b.c"), "a@b.c");
    }
}
