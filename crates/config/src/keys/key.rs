//! One key: how it is spelled in each format, what it takes, and its text for the reference page.

use std::time::Duration;

use crate::quantity::{LARGEST, LONGEST, show_duration, show_size};

/// The two languages a configuration can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// `tidegate.toml`.
    Toml,
    /// A client's file: JSON, with comments and trailing commas.
    Json,
}

/// One key of a section.
pub(crate) struct Key<Id: 'static> {
    /// What the reader matches on.
    pub(crate) id: Id,
    /// Spellings in `tidegate.toml`; none if the key is not for that file.
    pub(crate) toml: &'static [&'static str],
    /// Spellings in a client's file, the preferred one first.
    pub(crate) json: &'static [&'static str],
    /// What the key takes.
    pub(crate) kind: Kind,
    /// What holds if the key is absent, for the reference page.
    pub(crate) default: fn() -> String,
    /// What the key does, for the reference page.
    pub(crate) doc: &'static str,
}

impl<Id> Key<Id> {
    /// How the key is spelled in a format.
    pub(crate) fn spellings(&self, format: Format) -> &'static [&'static str] {
        match format {
            Format::Toml => self.toml,
            Format::Json => self.json,
        }
    }
}

/// What a key takes.
pub(crate) enum Kind {
    /// Text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of text.
    TextList,
    /// A list of these words.
    WordList(&'static [&'static str]),
    /// One of these words, or a list of them.
    Words(&'static [&'static str]),
    /// Names with text.
    TextMap,
    /// `true` or `false`.
    Flag,
    /// A duration, from 1 ms to 1 day.
    Duration,
    /// A size, from `least` to 1 TiB.
    Size { least: u64 },
    /// A whole number from 1 to `most`.
    Count { most: u32 },
    /// Text, or a list of text.
    Texts,
    /// Names with text or lists of text.
    TextsMap,
    /// More keys.
    Section,
    /// A list of sections.
    Sections,
    /// Anything: a client's own key. If ignoring it changes what the file
    /// means, `warning` says how.
    Foreign { warning: Option<&'static str> },
}

impl Kind {
    /// What the key takes, with an article, in the words of the format.
    pub(crate) fn expected(&self, format: Format) -> String {
        let table = match format {
            Format::Toml => "a table",
            Format::Json => "an object",
        };
        match self {
            Self::Text => "text".into(),
            Self::Word(words) => format!("one of {}", listed(words)),
            Self::TextList => "a list of text".into(),
            Self::WordList(words) => format!("a list of {}", listed(words)),
            Self::Words(words) => format!("one of {} or a list of them", listed(words)),
            Self::TextMap => format!("{table} of text"),
            Self::Flag => "true or false".into(),
            Self::Duration => "a duration such as \"30s\"".into(),
            Self::Size { .. } => "a size such as \"256MB\"".into(),
            Self::Count { .. } => "a whole number".into(),
            Self::Texts => "text or a list of text".into(),
            Self::TextsMap => format!("{table} of text or lists of text"),
            Self::Section => table.into(),
            Self::Sections => "a list of tables".into(),
            Self::Foreign { .. } => "anything".into(),
        }
    }

    /// The smallest and the largest value, as text, if the kind has a range.
    pub(crate) fn range(&self) -> Option<(String, String)> {
        match self {
            Self::Duration => {
                Some((show_duration(Duration::from_millis(1)), show_duration(LONGEST)))
            }
            Self::Size { least } => Some((show_size(*least), show_size(LARGEST))),
            Self::Count { most } => Some(("1".into(), most.to_string())),
            Self::Text
            | Self::Word(_)
            | Self::TextList
            | Self::WordList(_)
            | Self::Words(_)
            | Self::TextMap
            | Self::Flag
            | Self::Texts
            | Self::TextsMap
            | Self::Section
            | Self::Sections
            | Self::Foreign { .. } => None,
        }
    }
}

/// Words in back-ticks with commas between.
pub(crate) fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}

/// Less memory than this does not hold an engine; a smaller number is surely
/// one without its unit.
pub(crate) const MIN_MEMORY: u64 = 1 << 20;

pub(crate) fn nothing() -> String {
    String::new()
}

pub(crate) fn see_below() -> String {
    "see below".into()
}

pub(crate) fn found() -> String {
    "the first that is found".into()
}

pub(crate) fn yes() -> String {
    "`true`".into()
}

pub(crate) fn no() -> String {
    "`false`".into()
}

pub(crate) fn process() -> String {
    "`process`".into()
}
