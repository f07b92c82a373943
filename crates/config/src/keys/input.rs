//! Keys of `[input]`.

use crate::keys::key::{Key, Kind};
use crate::quantity::show_size;
use crate::settings::Input;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputKey {
    Program,
    Arguments,
}

pub(crate) const INPUT: &[Key<InputKey>] = &[
    Key {
        id: InputKey::Program,
        toml: &["program"],
        json: &[],
        kind: Kind::Size { least: 1024 },
        default: || size(Input::default().program_bytes),
        doc: "The longest program that is accepted.",
    },
    Key {
        id: InputKey::Arguments,
        toml: &["arguments"],
        json: &[],
        kind: Kind::Size { least: 1024 },
        default: || size(Input::default().argument_bytes),
        doc: "The longest arguments of one call, as JSON.",
    },
];

fn size(bytes: u64) -> String {
    format!("`{}`", show_size(bytes))
}
