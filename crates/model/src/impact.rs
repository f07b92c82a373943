//! What a program would touch, as far as it is visible before the run.
//!
//! In: the references and facts of a program. Out: what a person reads before they approve
//! it. What the program computes while it runs is not included, but named: arguments by
//! [`CallImpact`], tools by `unseen`.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::ruling::{Decision, Effect, EffectSource};
use crate::tool::ToolRef;

/// What a program visibly touches.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Impact {
    /// The servers, each once.
    pub servers: Vec<String>,
    /// The tools, each once, in the order of the program.
    pub tools: Vec<ToolImpact>,
    /// Files of the program's own view.
    pub files: Vec<FileImpact>,
    /// The targets of `fetch`: an address, or `*` where it is computed.
    pub network: Vec<String>,
    /// Host commands by name; `*` where the name is computed.
    pub commands: Vec<String>,
    /// Whether it changes anything outside of the sandbox, or may.
    pub modifies_data: bool,
    /// Whether all of that can be undone; none if unknown.
    pub reversible: Option<bool>,
    /// Whether it calls tools whose names are computed, or hands a whole server to something
    /// that may.
    pub unseen: bool,
}

/// One tool of a program.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolImpact {
    /// `server__tool`.
    #[serde(serialize_with = "as_text")]
    pub tool: ToolRef,
    /// Its effect.
    pub effect: Effect,
    /// Where that information comes from.
    pub known_by: EffectSource,
    /// Whether its server claims that it reaches beyond the server.
    pub open_world: bool,
    /// How many places call it.
    pub places: usize,
    /// Whether one of them is in a loop.
    pub repeated: bool,
    /// The literal arguments of the first call that has some.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub arguments: Map<String, Value>,
    /// Every place that calls it.
    pub calls: Vec<CallImpact>,
    /// The statement or command in a literal argument that destroys something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destroys: Option<String>,
    /// The decision of the rules: the strictest possible one, if it depends on the arguments.
    pub decision: Decision,
    /// Whether the decision depends on the arguments.
    pub depends_on_arguments: bool,
    /// The reason for the decision.
    pub because: String,
}

/// One place in a program that calls a tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallImpact {
    /// Line of the program, from 1.
    pub line: u32,
    /// Column, in characters, from 1.
    pub column: u32,
    /// The arguments that are literals, including the literal parts of those in `computed`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub arguments: Map<String, Value>,
    /// The names of arguments that are computed while the program runs, at least in part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub computed: Vec<String>,
    /// Whether there may be further arguments, whose names are computed.
    pub open: bool,
    /// Whether it is in a loop.
    pub repeated: bool,
    /// The decision of the rules: the strictest possible one, if arguments are computed.
    pub decision: Decision,
}

impl CallImpact {
    /// Whether the program has all of its arguments as literals.
    pub fn is_literal(&self) -> bool {
        self.computed.is_empty() && !self.open
    }
}

/// One file of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileImpact {
    /// Its path as written; `*` where it is computed.
    pub path: String,
    /// `read`, `write` or `remove`.
    pub access: String,
}

fn as_text<S: serde::Serializer>(tool: &ToolRef, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(tool)
}
