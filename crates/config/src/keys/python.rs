//! Keys of `[python]`.

use crate::keys::key::{Key, Kind, found, nothing, yes};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PythonKey {
    Path,
    Packages,
    Fork,
}

pub(crate) const PYTHON: &[Key<PythonKey>] = &[
    Key {
        id: PythonKey::Path,
        toml: &["path"],
        json: &[],
        kind: Kind::Text,
        default: found,
        doc: "The executable of Python, version 3.9 or later; if set, no other is searched for. \
              `~/` at the start is the home folder; a relative path counts from the workspace \
              folder.",
    },
    Key {
        id: PythonKey::Packages,
        toml: &["packages"],
        json: &[],
        kind: Kind::Text,
        default: nothing,
        doc: "A virtual environment whose packages programs can import. Programs can see these \
              packages and nothing else in the folder.",
    },
    Key {
        id: PythonKey::Fork,
        toml: &["fork"],
        json: &[],
        kind: Kind::Flag,
        default: yes,
        doc: "Whether a program runs in a process forked from one that has started Python and \
              imported its usual modules, jailed and without any program in it. `false` starts \
              Python anew for each program.",
    },
];
