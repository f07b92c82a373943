//! What a program would touch, as far as it can be seen before it runs.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::ruling::{Effect, EffectSource, Word};
use crate::tool::ToolRef;

/// All that a program can be seen to touch. What is computed while it runs is not in
/// here: `unseen` says that there is such a thing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Impact {
    /// The servers, each once.
    pub servers: Vec<String>,
    /// The tools, each once, in the order of the program.
    pub tools: Vec<ToolImpact>,
    /// Files of the program's own view.
    pub files: Vec<FileImpact>,
    /// Where `fetch` goes: an address, or `*` where that is computed.
    pub network: Vec<String>,
    /// Host commands by name; `*` where the name is computed.
    pub commands: Vec<String>,
    /// Whether anything is changed outside of the sandbox, or may be.
    pub modifies_data: bool,
    /// Whether all of that can be taken back; nothing if nobody says.
    pub reversible: Option<bool>,
    /// Whether tools are called whose names are computed.
    pub unseen: bool,
}

/// One tool of a program.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolImpact {
    /// `server__tool`.
    #[serde(serialize_with = "as_text")]
    pub tool: ToolRef,
    /// What it does.
    pub effect: Effect,
    /// How that is known.
    pub known_by: EffectSource,
    /// Whether it reaches beyond what its server holds, by its own word.
    pub open_world: bool,
    /// At how many places it is called.
    pub places: usize,
    /// Whether one of them is in a loop.
    pub repeated: bool,
    /// The arguments that are written out, of the first call that has some.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub arguments: Map<String, Value>,
    /// A verb of SQL that destroys, in an argument that is written out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// What the rules say to it: the sternest that could come, if that depends on the
    /// arguments.
    pub decision: Word,
    /// Whether it does.
    pub depends_on_arguments: bool,
    /// Why.
    pub because: String,
}

/// One file of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileImpact {
    /// Its path as written; `*` where that is computed.
    pub path: String,
    /// `read`, `write` or `remove`.
    pub access: String,
}

fn as_text<S: serde::Serializer>(tool: &ToolRef, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(tool)
}
