//! An MCP server with one tool that waits for a given time.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt};
use rmcp::{ErrorData, ServerHandler};
use serde_json::json;

/// Serves until the client closes the connection.
pub async fn serve() -> anyhow::Result<()> {
    let running = Slow.serve(rmcp::transport::stdio_pipes()).await.context("no handshake")?;
    running.waiting().await.context("the connection broke")?;
    Ok(())
}

struct Slow;

impl ServerHandler for Slow {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("tidegate-slow", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({
            "type": "object",
            "properties": {"seconds": {"type": "integer", "minimum": 0}},
            "required": ["seconds"]
        });
        let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
        let tool =
            Tool::new("wait", "Answers after the given number of seconds.", Arc::new(schema));
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let seconds = arguments.get("seconds").and_then(serde_json::Value::as_u64).unwrap_or(0);
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(seconds)) => {}
            () = context.ct.cancelled() => {}
        }
        Ok(CallToolResult::success(vec![ContentBlock::text("done")]).into())
    }
}
