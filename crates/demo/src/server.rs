//! Speaks MCP for a demo server, in both protocol eras.
//!
//! In: something that is [`Demo`]. Out: an MCP server on stdin and stdout.
//! A refusal the model can act on is a result with `isError`; only a tool that
//! does not exist is a protocol error, as the specification wants.

use anyhow::Context;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError, ServiceExt};
use rmcp::{ErrorData, ServerHandler};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What makes one demo server differ from another.
pub(crate) trait Demo: Send + Sync + 'static {
    /// Its name in the handshake.
    const NAME: &'static str;
    /// Its instructions for the client.
    const INSTRUCTIONS: &'static str;
    /// Its tools: a JSON list in MCP's own form.
    const TOOLS: &'static str;

    /// Handles one call.
    fn call(&self, tool: &str, arguments: JsonObject) -> Result<Reply, Refusal>;
}

/// The answer of a tool: structured, and the same as text for clients that know only text.
#[derive(Debug)]
pub(crate) struct Reply {
    structured: Value,
    text: String,
}

impl Reply {
    /// The text is the JSON, as most servers do it.
    pub(crate) fn json(structured: Value) -> Self {
        Self { text: structured.to_string(), structured }
    }

    /// The text is for reading, such as the contents of a file.
    pub(crate) fn with_text(structured: Value, text: String) -> Self {
        Self { structured, text }
    }
}

/// Why a tool refused a call.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// There is no such tool.
    UnknownTool,
    /// The arguments do not match the schema.
    BadArguments(serde_json::Error),
    /// The arguments match, but name something that does not exist.
    Failed(String),
}

impl Refusal {
    pub(crate) fn failed(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }

    /// The message for whoever called `tool`.
    pub(crate) fn text(&self, tool: &str) -> String {
        match self {
            Self::UnknownTool => format!("Unknown tool: `{tool}`"),
            Self::BadArguments(error) => {
                // serde names Rust's types; a client knows JSON's.
                let error = error.to_string().replace("usize", "integer").replace("u64", "integer");
                format!("Invalid arguments for `{tool}`: {error}")
            }
            Self::Failed(text) => text.clone(),
        }
    }
}

/// Reads the arguments of a call into the type that lists them.
pub(crate) fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Refusal> {
    serde_json::from_value(Value::Object(arguments)).map_err(Refusal::BadArguments)
}

/// The JSON of a value that always has one.
pub(crate) fn to_json(value: &impl Serialize) -> Value {
    // Fails only for maps whose keys are not text; the demo's types have none.
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// Serves until the client closes the connection.
pub(crate) async fn run<D: Demo>(demo: D) -> anyhow::Result<()> {
    let tools = serde_json::from_str(D::TOOLS).context("cannot read the demo's tool list")?;
    let running = match (Handler { demo, tools }).serve(rmcp::transport::stdio_pipes()).await {
        Ok(running) => running,
        // A client that leaves before the handshake is not an error.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot start demo server `{}`", D::NAME));
        }
    };
    running.waiting().await.with_context(|| format!("demo server `{}` failed", D::NAME))?;
    Ok(())
}

struct Handler<D> {
    demo: D,
    tools: Vec<Tool>,
}

impl<D: Demo> ServerHandler for Handler<D> {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(D::NAME, env!("CARGO_PKG_VERSION")))
            .with_instructions(D::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = request.name.as_ref();
        match self.demo.call(tool, request.arguments.unwrap_or_default()) {
            Ok(reply) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(reply.text)]);
                result.structured_content = Some(reply.structured);
                Ok(result.into())
            }
            Err(refusal @ Refusal::UnknownTool) => {
                Err(ErrorData::invalid_params(refusal.text(tool), None))
            }
            Err(refusal @ (Refusal::BadArguments(_) | Refusal::Failed(_))) => {
                Ok(CallToolResult::error(vec![ContentBlock::text(refusal.text(tool))]).into())
            }
        }
    }
}

/// Calls a tool without a transport, for the tests of each server: the
/// structured answer, or the text of the refusal.
#[cfg(test)]
pub(crate) fn call<D: Demo>(demo: &D, tool: &str, arguments: Value) -> Result<Value, String> {
    let Value::Object(arguments) = arguments else { panic!("arguments must be an object") };
    demo.call(tool, arguments).map(|reply| reply.structured).map_err(|error| error.text(tool))
}

/// Checks a tool list: it parses, and each tool is fully described.
#[cfg(test)]
pub(crate) fn check_tools<D: Demo>(demo: &D, expected: &[&str]) {
    let tools: Vec<Tool> = serde_json::from_str(D::TOOLS).unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, expected);
    for tool in &tools {
        let name = &tool.name;
        let lines = tool.description.as_deref().unwrap_or_default().lines().count();
        assert!((3..=8).contains(&lines), "`{name}` has a description of {lines} lines");
        assert!(tool.output_schema.is_some(), "`{name}` has no output schema");
        assert!(tool.annotations.as_ref().is_some_and(|a| a.read_only_hint.is_some()), "`{name}`");
        assert_eq!(tool.input_schema["additionalProperties"], Value::Bool(false), "`{name}`");
        // An argument that no schema knows is refused, so every tool is wired.
        let wrong = JsonObject::from_iter([("no_such_argument".to_owned(), Value::Null)]);
        assert!(matches!(demo.call(name, wrong), Err(Refusal::BadArguments(_))), "`{name}`");
    }
}
