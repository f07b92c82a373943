//! The decision.
//!
//! Today's rules: a server that the user configured is granted, any other is
//! not, and arguments must fit the tool's schema. Defaults refuse: an empty
//! policy permits nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use tidegate_model::{ToolCall, ToolDef};

use crate::arguments::{ArgumentProblem, Schemas};

/// The right to make one call, once.
///
/// Private field, no `Clone`: it cannot be forged, and using it consumes it.
#[derive(Debug)]
pub struct Permit {
    call: ToolCall,
}

impl Permit {
    /// Uses the permit up.
    pub fn into_call(self) -> ToolCall {
        self.call
    }
}

/// Why a call may not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denial {
    /// The server is not granted.
    NotGranted,
    /// The definition that was checked is not the one of the called tool.
    WrongDefinition,
    /// The arguments do not fit the tool's schema.
    Arguments(ArgumentProblem),
}

/// What is granted, and the compiled schemas of the tools that were called.
#[derive(Debug, Default)]
pub struct Policy {
    granted_servers: BTreeSet<String>,
    schemas: Schemas,
}

impl Policy {
    /// Grants all tools of the servers that the user configured.
    pub fn for_configured_servers<'a>(servers: impl IntoIterator<Item = &'a str>) -> Self {
        let granted_servers = servers.into_iter().map(str::to_owned).collect();
        Self { granted_servers, schemas: Schemas::default() }
    }

    /// Decides on one call.
    pub fn decide(&self, mut call: ToolCall, tool: &Arc<ToolDef>) -> Result<Permit, Denial> {
        if !self.granted_servers.contains(&call.tool.server) {
            return Err(Denial::NotGranted);
        }
        if call.tool.tool != tool.name {
            return Err(Denial::WrongDefinition);
        }
        self.schemas.check(&mut call, tool).map_err(Denial::Arguments)?;
        Ok(Permit { call })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use tidegate_model::{ToolCall, ToolDef, ToolRef};

    use super::{Denial, Policy};

    fn tool() -> Arc<ToolDef> {
        Arc::new(ToolDef {
            name: "read".into(),
            title: None,
            description: None,
            input_schema: json!({"type": "object"}),
            output_schema: None,
            annotations: None,
        })
    }

    fn call(server: &str, tool: &str) -> ToolCall {
        ToolCall { tool: ToolRef::new(server, tool), arguments: serde_json::Map::new() }
    }

    #[test]
    fn a_tool_of_a_configured_server_is_permitted() {
        let policy = Policy::for_configured_servers(["files"]);
        let permit = policy.decide(call("files", "read"), &tool()).unwrap();
        assert_eq!(permit.into_call(), call("files", "read"));
    }

    #[test]
    fn a_server_without_a_grant_is_refused() {
        let policy = Policy::for_configured_servers(["files"]);
        assert_eq!(policy.decide(call("Files", "read"), &tool()).unwrap_err(), Denial::NotGranted);
        let empty = Policy::default();
        assert_eq!(empty.decide(call("files", "read"), &tool()).unwrap_err(), Denial::NotGranted);
    }

    #[test]
    fn a_call_is_not_decided_by_another_tools_definition() {
        let policy = Policy::for_configured_servers(["files"]);
        let denial = policy.decide(call("files", "delete"), &tool()).unwrap_err();
        assert_eq!(denial, Denial::WrongDefinition);
    }
}
