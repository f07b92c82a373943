//! One use of a server or tool in a program, found before the program runs.
//!
//! Written by the reader of each language and read by the checks of the gateway, so the
//! two sides agree on one form. A reader may have been taken over by the program that it
//! read: a wrong reference costs that program a wrong error, and decides nothing.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Longest name of a server or tool that is looked up. Real ones are below 130 bytes.
pub const NAME_LIMIT: usize = 512;

/// A line and a column of the program as written, both from 1, columns in characters.
pub type Position = (u32, u32);

/// One use of a server or tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reference {
    /// The server, as written.
    pub server: String,
    /// The tool, as written; none where only the server is named.
    pub tool: Option<String>,
    /// Where the tool is named, else the server. From 1.
    pub line: u32,
    /// Column of the same, in characters, from 1.
    pub column: u32,
    /// Where the server is named, if that is another place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_at: Option<Position>,
    /// The brackets with the arguments of a call: line and column of both ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<(u32, u32, u32, u32)>,
    /// What of the arguments is written in place.
    #[serde(skip_serializing_if = "Written::is_empty")]
    pub written: Written,
    /// Whether the server itself is called, like a function.
    #[serde(skip_serializing_if = "is_false")]
    pub called: bool,
    /// Whether the program is prepared for it not to be there.
    #[serde(skip_serializing_if = "is_false")]
    pub guarded: bool,
    /// The arguments that are written as literals; the rest is absent.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub literals: Map<String, Value>,
    /// Whether it is in a loop, or in a function that is called for each of a list.
    #[serde(skip_serializing_if = "is_false")]
    pub repeated: bool,
}

/// What of a call's arguments is written in place: positions at which a type error must
/// be right, since it is about nothing that a variable holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Written {
    /// How the arguments are passed; only known in Python.
    #[serde(skip_serializing_if = "is_unknown")]
    pub passing: Passing,
    /// Whether all of them are there: none comes from `*` or `**`.
    #[serde(skip_serializing_if = "is_false")]
    pub is_whole: bool,
    /// Names of arguments, or keys of the dict, that are written out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Objects whose keys are all written out, and in TypeScript the keys that have such
    /// values.
    pub objects: Vec<Position>,
    /// Literals, and the names and keys that have such values.
    pub values: Vec<Position>,
    /// Names and keys that are written out.
    pub keys: Vec<Position>,
}

/// How the arguments of a call in Python are passed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Passing {
    /// By name or position.
    Named,
    /// As one dict that is written in place.
    Object,
    /// Only the run shows it.
    #[default]
    Unknown,
}

impl Written {
    /// How many positions it lists.
    pub fn len(&self) -> usize {
        self.objects.len() + self.values.len() + self.keys.len()
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

fn is_false(value: &bool) -> bool {
    !*value
}

fn is_unknown(passing: &Passing) -> bool {
    *passing == Passing::Unknown
}
