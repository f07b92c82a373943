//! One use of a server or tool in a program, found before the program runs.
//!
//! In: the reader of each language writes it. Out: the checks of the gateway read it, so both
//! sides share one form.
//!
//! Invariant: a reference decides nothing. A program may have compromised its reader; a wrong
//! reference gives that program a wrong error.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The longest name of a server or tool that is looked up. Real ones are below 130 bytes.
pub const NAME_LIMIT: usize = 512;

/// A line and a column of the program as written, both from 1, columns in characters.
pub type Position = (u32, u32);

/// One use of a server or tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reference {
    /// The server's name as written.
    pub server: String,
    /// The tool's name as written; none where only the server is named.
    pub tool: Option<String>,
    /// Line of the tool's name, otherwise of the server's, from 1.
    pub line: u32,
    /// Column of the same, in characters, from 1.
    pub column: u32,
    /// Position of the server's name, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_at: Option<Position>,
    /// The parentheses of a call: line and column of both ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<(u32, u32, u32, u32)>,
    /// The arguments that are written in the call itself.
    #[serde(skip_serializing_if = "LiteralArguments::is_empty")]
    pub written: LiteralArguments,
    /// Whether the server itself is called, like a function.
    #[serde(skip_serializing_if = "is_false")]
    pub called: bool,
    /// Whether the program handles its absence.
    #[serde(skip_serializing_if = "is_false")]
    pub guarded: bool,
    /// Whether it was found by following values: the program may mean something else, so an
    /// unknown name is no error.
    #[serde(skip_serializing_if = "is_false")]
    pub probable: bool,
    /// The arguments of a call, as far as they are known.
    #[serde(skip_serializing_if = "KnownArguments::is_empty")]
    pub known: KnownArguments,
    /// Whether it is used as a value and not called here: `ids.map(servers.crm.wipe)`. What
    /// gets it may call it, again and again. Without a tool, all of a server is.
    #[serde(skip_serializing_if = "is_false")]
    pub passed: bool,
    /// Whether it is in a loop, or in a function that is called for each item of a list.
    #[serde(skip_serializing_if = "is_false")]
    pub repeated: bool,
}

/// The arguments of a call, as far as they are known before the program runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KnownArguments {
    /// Arguments with literal values, and the literal parts of others.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub literals: Map<String, Value>,
    /// The names of arguments whose values are computed, at least in part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub computed: Vec<String>,
    /// Arguments by position, in Python; none where the value is computed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub positional: Vec<Option<Value>>,
    /// Whether there may be further arguments.
    #[serde(skip_serializing_if = "is_false")]
    pub open: bool,
}

impl KnownArguments {
    /// Nothing is known.
    pub fn unknown() -> Self {
        Self { open: true, ..Self::default() }
    }

    /// Adds an argument: its value, or the literal parts of it, and whether that is all of it.
    /// A later one of the same name replaces it.
    pub fn add(&mut self, name: String, value: Option<Value>, is_whole: bool) {
        self.remove(&name);
        if !is_whole {
            self.computed.push(name.clone());
        }
        if let Some(value) = value {
            self.literals.insert(name, value);
        }
    }

    /// Removes an argument.
    pub fn remove(&mut self, name: &str) {
        self.computed.retain(|known| known != name);
        self.literals.remove(name);
    }

    /// Whether it is the same as no arguments.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The arguments that are written in the call itself. A type error at one of these positions
/// is certain, since it does not depend on the value of a variable.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LiteralArguments {
    /// How the arguments are passed; known in Python only.
    #[serde(skip_serializing_if = "is_unknown")]
    pub passing: ArgumentPassing,
    /// Whether all arguments are listed: none comes from `*` or `**`.
    #[serde(skip_serializing_if = "is_false")]
    pub is_whole: bool,
    /// Names of arguments, or keys of the dict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Objects whose keys are all literal, and in TypeScript the keys with such values.
    pub objects: Vec<Position>,
    /// Literals, and the names and keys with such values.
    pub values: Vec<Position>,
    /// Literal names and keys.
    pub keys: Vec<Position>,
}

/// How the arguments of a call in Python are passed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentPassing {
    /// By name or position.
    Named,
    /// As one dict literal.
    Object,
    /// Unknown until the run.
    #[default]
    Unknown,
}

impl LiteralArguments {
    /// The number of positions.
    pub fn len(&self) -> usize {
        self.objects.len() + self.values.len() + self.keys.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

fn is_false(value: &bool) -> bool {
    !*value
}

fn is_unknown(passing: &ArgumentPassing) -> bool {
    *passing == ArgumentPassing::Unknown
}
