//! Keys of `[checks]`.

use crate::keys::key::{Key, Kind, found};
use crate::settings::checks::TypeCheck;

/// Keys of `[checks]`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckKey {
    Types,
    Tsc,
    Python,
    Patterns,
}

pub(crate) const CHECKS: &[Key<CheckKey>] = &[
    Key {
        id: CheckKey::Types,
        toml: &["types"],
        json: &[],
        kind: Kind::Word(TYPE_CHECK_WORDS),
        default: default_type_check,
        doc: TYPE_CHECK_DOC,
    },
    Key {
        id: CheckKey::Tsc,
        toml: &["tsc"],
        json: &[],
        kind: Kind::Text,
        default: found,
        doc: TSC_DOC,
    },
    Key {
        id: CheckKey::Python,
        toml: &["python"],
        json: &[],
        kind: Kind::Text,
        default: found,
        doc: PYTHON_CHECKER_DOC,
    },
    Key {
        id: CheckKey::Patterns,
        toml: &["patterns"],
        json: &[],
        kind: Kind::TextList,
        default: only_ours,
        doc: "Your own files with rules about what programs do, in addition to those of Tidegate. \
              `~/` at the start is the home folder; a relative path counts from the workspace \
              folder. See [validation.md](validation.md).",
    },
];

fn only_ours() -> String {
    "none".into()
}

pub(crate) const TYPE_CHECK_WORDS: &[&str] = &[
    TypeCheck::Auto.as_str(),
    TypeCheck::Off.as_str(),
    TypeCheck::Warn.as_str(),
    TypeCheck::Strict.as_str(),
];

pub(crate) const TYPE_CHECK_DOC: &str = "What the type check of a program does. `auto`: a program \
                                         whose arguments do not fit the declared input types is \
                                         refused before it runs; errors about results are warnings \
                                         in the answer. `off`: no type check. `warn`: every type \
                                         error is a warning. `strict`: every type error refuses \
                                         the program.";

pub(crate) const TSC_DOC: &str = "TypeScript's native compiler, version 7 or later; if set, no \
                                  other is searched for. `~/` at the start is the home folder; a \
                                  relative path counts from the workspace folder.";

pub(crate) const PYTHON_CHECKER_DOC: &str = "The type checker of Python, ty or pyright; if set, no \
                                             other is searched for. `~/` at the start is the home \
                                             folder; a relative path counts from the workspace \
                                             folder.";

pub(crate) fn default_type_check() -> String {
    format!("`{}`", TypeCheck::default().as_str())
}
