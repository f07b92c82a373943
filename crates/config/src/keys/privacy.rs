//! Keys of `[privacy]`.

use tidegate_model::Decision;

use crate::keys::key::{Key, Kind, nothing};
use crate::quantity::show_duration;
use crate::settings::privacy::{BinaryContent, Privacy, PrivacyMode};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PrivacyKey {
    Mode,
    Types,
    Patterns,
    Keys,
    Terms,
    Exclude,
    Receive,
    Binary,
    Restore,
    Expires,
}

const MODES: &[&str] =
    &[PrivacyMode::Off.as_str(), PrivacyMode::Boundary.as_str(), PrivacyMode::Strict.as_str()];

const BINARY: &[&str] = &[BinaryContent::Handle.as_str(), BinaryContent::Pass.as_str()];

const RESTORE: &[&str] =
    &[Decision::Allow.as_str(), Decision::Ask.as_str(), Decision::Deny.as_str()];

/// The names of `DataType`.
pub(crate) const TYPES: &[&str] = &[
    "EMAIL",
    "PHONE",
    "SSN",
    "NATIONAL_ID",
    "CREDIT_CARD",
    "IBAN",
    "IP_ADDRESS",
    "PERSON",
    "ORG",
    "ADDRESS",
    "BIRTH_DATE",
    "SECRET",
    "CUSTOM",
];

pub(crate) const PRIVACY: &[Key<PrivacyKey>] = &[
    Key {
        id: PrivacyKey::Mode,
        toml: &["mode"],
        json: &[],
        kind: Kind::Word(MODES),
        default: default_mode,
        doc: "Where personal data is replaced by tokens such as `[EMAIL_1]`. `boundary`: on its \
              way to the model; programs see real values. `strict`: before programs see it. \
              `off`: nowhere.",
    },
    Key {
        id: PrivacyKey::Types,
        toml: &["types"],
        json: &[],
        kind: Kind::WordList(TYPES),
        default: all,
        doc: "The types of personal data that are detected.",
    },
    Key {
        id: PrivacyKey::Patterns,
        toml: &["patterns"],
        json: &[],
        kind: Kind::TextList,
        default: nothing,
        doc: "Regular expressions for further personal data; reported as `CUSTOM`.",
    },
    Key {
        id: PrivacyKey::Keys,
        toml: &["keys"],
        json: &[],
        kind: Kind::TextList,
        default: nothing,
        doc: "Keys of JSON, tables and `key: value` lines whose whole values are personal. Case and separators are ignored.",
    },
    Key {
        id: PrivacyKey::Terms,
        toml: &["terms"],
        json: &[],
        kind: Kind::TextList,
        default: nothing,
        doc: "Terms that are personal wherever they occur, such as names of projects.",
    },
    Key {
        id: PrivacyKey::Exclude,
        toml: &["exclude"],
        json: &[],
        kind: Kind::TextList,
        default: nothing,
        doc: "Text that is never personal: exact text, or `regex:…` for text that an expression \
              matches from start to end.",
    },
    Key {
        id: PrivacyKey::Receive,
        toml: &["receive"],
        json: &[],
        kind: Kind::TextsMap,
        default: everything,
        doc: "The types of personal data that a server may receive for tokens in its arguments, by \
              server name; `\"*\"` stands for every server that is not named. `\"none\"` alone \
              means no type.",
    },
    Key {
        id: PrivacyKey::Binary,
        toml: &["binary"],
        json: &[],
        kind: Kind::Word(BINARY),
        default: default_binary,
        doc: "Images and other content of `call_tool` and the direct surface that cannot be \
              searched. `handle`: it is stored, and the model gets its handle. `pass`: the model \
              gets it.",
    },
    Key {
        id: PrivacyKey::Restore,
        toml: &["restore"],
        json: &[],
        kind: Kind::Word(RESTORE),
        default: default_restore,
        doc: "Whether the model gets real values with `restore_pii`.",
    },
    Key {
        id: PrivacyKey::Expires,
        toml: &["expires"],
        json: &[],
        kind: Kind::Duration,
        default: default_expiry,
        doc: "How long a token can be restored.",
    },
];

fn default_mode() -> String {
    format!("`{}`", PrivacyMode::default().as_str())
}

fn all() -> String {
    "all".into()
}

fn everything() -> String {
    "every server may receive all types".into()
}

fn default_binary() -> String {
    format!("`{}`", BinaryContent::default().as_str())
}

fn default_restore() -> String {
    format!("`{}`", Privacy::default().restore.as_str())
}

fn default_expiry() -> String {
    format!("`{}`", show_duration(Privacy::default().expires))
}

#[cfg(test)]
mod tests {
    use tidegate_model::DataType;

    #[test]
    fn the_words_for_types_are_their_names() {
        assert_eq!(super::TYPES, DataType::ALL.map(DataType::as_str));
    }
}
