//! Tools that wait for a person to accept them, with their current and accepted
//! definitions.

use tidegate_model::{Change, ServerSpec, ToolDef, ToolRef};
use tidegate_store::StoreError;

use crate::tools::Tools;

/// A tool that differs from its accepted definition. Both definitions are exactly as the
/// server sent them: a person must see what is hidden in them.
#[derive(Debug, Clone)]
pub struct Unaccepted {
    /// Which tool.
    pub id: ToolRef,
    /// How it differs.
    pub change: Change,
    /// The accepted definition; `None` for a new tool.
    pub accepted: Option<ToolDef>,
    /// The definition that the server lists now.
    pub now: ToolDef,
}

/// Reviews tools that differ from their accepted definitions.
pub struct ToolReview<'a>(&'a Tools);

impl<'a> ToolReview<'a> {
    /// A review of these tools.
    pub fn new(tools: &'a Tools) -> Self {
        Self(tools)
    }

    /// The tools of a server that wait for a person, according to the last list it sent.
    pub fn unaccepted(&self, server: &str) -> Vec<Unaccepted> {
        let Some(spec) = self.spec(server) else { return Vec::new() };
        let acceptance = &self.0.discovery.acceptance;
        let Some(list) = self.0.discovery.sent(spec) else { return Vec::new() };
        let mut changes = acceptance.changes(spec, &list, None);
        let mut unaccepted = Vec::new();
        for now in list.tools {
            let Some((change, _)) = changes.remove(&now.name) else { continue };
            let accepted = acceptance.accepted(spec, &now.name);
            let id = ToolRef::new(server, &now.name);
            unaccepted.push(Unaccepted { id, change, accepted, now });
        }
        unaccepted
    }

    /// Accepts exactly these definitions of a server's tools.
    pub fn accept(&self, server: &str, tools: &[Unaccepted]) -> Result<(), StoreError> {
        let Some(spec) = self.spec(server) else { return Ok(()) };
        let tools: Vec<ToolDef> = tools.iter().map(|tool| tool.now.clone()).collect();
        self.0.discovery.acceptance.accept(spec, &tools)
    }

    fn spec(&self, server: &str) -> Option<&ServerSpec> {
        self.0.discovery.specs.iter().find(|spec| spec.name == server)
    }
}
