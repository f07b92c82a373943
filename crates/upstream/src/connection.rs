//! One live connection: its tool list, its calls, its end.
//!
//! In: requests of the server's [`Server`](crate::server::Server). Out: tool lists and
//! answers, with names and texts of bounded length. The connection was opened in `open.rs`.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig,
    ErrorData, Implementation, PaginatedRequestParams, ProtocolVersion, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, Peer, RunningService, ServiceError};
use rmcp::{ClientHandler, RoleClient};
use serde_json::Value;
use tidegate_model::{
    Answer, ServerInfo, ToolCall, ToolDef, ToolList, cleaned_line, json_bytes, whole_words,
};
use tokio::sync::{Mutex, watch};

use crate::UpstreamError;
use crate::child::{ChildProcess, Termination};
use crate::large_answers::{NO_MEMORY, TOO_LARGE, UNREADABLE, claim};

/// Bounds for one tool list: a server that pages without end must not hold the gateway. What is
/// beyond is left out. Chosen: more than 170 real servers have together.
const MAX_TOOLS: usize = 5_000;
const MAX_LIST_BYTES: u64 = 32 * 1024 * 1024;
/// Bytes of one definition with its schemas.
const MAX_DEFINITION_BYTES: u64 = 256 * 1024;
const MAX_PAGES: usize = 2_000;
/// MCP asks for at most 128 characters; the longest name of 3,031 real tools has 57.
/// A tool with a longer name, or an empty one, is ignored.
const MAX_NAME_BYTES: usize = 256;
/// The longest description of 3,031 real tools has 14 KB.
const MAX_DESCRIPTION_BYTES: usize = 64 * 1024;

/// A live connection to one server.
pub(crate) struct Connection {
    server: String,
    service: RunningService<RoleClient, UpstreamClient>,
    child: Mutex<Option<ChildProcess>>,
    changes: watch::Sender<ToolChanges>,
    era: ProtocolEra,
}

/// How many changes of its tools a server has announced, and how many of them its last tool
/// list contains.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ToolChanges {
    pub(crate) announced: u64,
    pub(crate) listed: u64,
}

/// The two generations of MCP, which begin a connection differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProtocolEra {
    /// `initialize`, up to 2025-11-25.
    Sessions,
    /// `server/discover`, from 2026-07-28.
    Stateless,
}

/// The client side of MCP: identifies the gateway and counts announced changes. Requests of
/// servers are declined, which is rmcp's default.
#[derive(Clone)]
pub(crate) struct UpstreamClient {
    changes: watch::Sender<ToolChanges>,
}

impl UpstreamClient {
    pub(crate) fn new(changes: watch::Sender<ToolChanges>) -> Self {
        Self { changes }
    }
}

impl ClientHandler for UpstreamClient {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("tidegate", env!("CARGO_PKG_VERSION")),
        )
        // The newest revision has no `initialize`, and rmcp would send it there.
        .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        count_announced(&self.changes);
    }
}

fn count_announced(changes: &watch::Sender<ToolChanges>) {
    changes.send_modify(|changes| changes.announced += 1);
}

impl Connection {
    /// A connection whose handshake was completed.
    pub(crate) fn new(
        server: String,
        service: RunningService<RoleClient, UpstreamClient>,
        child: Option<ChildProcess>,
        changes: watch::Sender<ToolChanges>,
        era: ProtocolEra,
    ) -> Self {
        let connection = Self { server, service, child: Mutex::new(child), changes, era };
        connection.subscribe();
        connection
    }

    /// Subscribes to changes of tools, which servers of the stateless era announce to
    /// subscribers only.
    fn subscribe(&self) {
        if self.era == ProtocolEra::Sessions {
            return;
        }
        let peer: Peer<RoleClient> = self.service.peer().clone();
        let changes = self.changes.clone();
        tokio::spawn(async move {
            let filter = SubscriptionFilter::builder().tools_list_changed().build();
            // Not every server has subscriptions.
            let Ok(mut subscription) = peer.listen(filter).await else { return };
            while let Ok(Some(_)) = subscription.next().await {
                count_announced(&changes);
            }
        });
    }

    /// Changes when the server announces a change of its tools.
    pub(crate) fn changes(&self) -> watch::Receiver<ToolChanges> {
        self.changes.subscribe()
    }

    /// Records that the tool list contains the first `count` changes.
    pub(crate) fn mark_listed(&self, count: u64) {
        self.changes.send_modify(|changes| changes.listed = count);
    }

    /// Whether the server has announced changes that are not in the tool list.
    pub(crate) fn has_unlisted_changes(&self) -> bool {
        let changes = *self.changes.borrow();
        changes.announced > changes.listed
    }

    /// Waits until all changes announced so far are in the tool list.
    pub(crate) async fn changes_listed(&self) {
        let mut changes = self.changes();
        let announced = changes.borrow().announced;
        // Fails only without a sender, and this is one.
        let _ = changes.wait_for(|now| now.listed >= announced).await;
    }

    /// Whether the other side is gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.service.peer().is_transport_closed()
    }

    /// The server that answered the handshake.
    fn info(&self) -> ServerInfo {
        let Some(peer) = self.service.peer().peer_info() else { return ServerInfo::default() };
        let implementation = peer.server_info.as_ref();
        ServerInfo {
            name: implementation.map(|info| info.name.clone()).unwrap_or_default(),
            version: implementation.map(|info| info.version.clone()).unwrap_or_default(),
            protocol_version: peer.protocol_version.to_string(),
        }
    }

    /// All pages of the tool list.
    pub(crate) async fn list_tools(&self) -> Result<ToolList, UpstreamError> {
        let has_tools =
            self.service.peer().peer_info().is_none_or(|peer| peer.capabilities.tools.is_some());
        if !has_tools {
            return Ok(ToolList { info: self.info(), ..ToolList::default() });
        }
        let mut listed = Listed::default();
        let mut names = HashSet::new();
        let mut cursors = HashSet::new();
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let page = self.service.peer().list_tools(Some(params)).await;
            let page = page.map_err(|error| self.error(error, "tools/list"))?;
            for tool in page.tools {
                if tool.name.is_empty() || tool.name.len() > MAX_NAME_BYTES {
                    let bytes = tool.name.len();
                    tracing::warn!(
                        server = self.server,
                        bytes,
                        "ignoring a tool with an invalid name"
                    );
                } else if names.insert(tool.name.to_string()) {
                    listed.add(&self.server, tool_def(tool));
                } else {
                    tracing::warn!(server = self.server, tool = %tool.name, "ignoring a tool that is listed twice");
                }
            }
            cursor = page.next_cursor;
            match &cursor {
                None => return Ok(listed.finish(&self.server, self.info())),
                Some(_) if listed.tools.len() >= MAX_TOOLS => {
                    // How many follow is not known.
                    listed.left_out += 1;
                    return Ok(listed.finish(&self.server, self.info()));
                }
                Some(next) if cursors.insert(next.clone()) => {}
                Some(_) => break,
            }
        }
        Err(self.protocol_error("its tool list never ends"))
    }

    /// Calls a tool. Dropping the future cancels the call at the server.
    pub(crate) async fn call(&self, call: ToolCall) -> Result<Answer, UpstreamError> {
        let tool = call.tool.tool.clone();
        let params = CallToolRequestParams::new(call.tool.tool).with_arguments(call.arguments);
        match self.service.peer().call_tool_once(params).await {
            Ok(CallToolResponse::Complete(result)) => Ok(answer(result)),
            Ok(CallToolResponse::InputRequired(_)) => {
                Err(self.protocol_error("it asks for input from a person, which is not passed on"))
            }
            Ok(_) => Err(self.protocol_error("it started a task instead of answering")),
            Err(error) => Err(self.error(error, &tool)),
        }
    }

    /// Whether the server answers a ping. Servers of the stateless era have none and count as
    /// responsive.
    pub(crate) async fn is_responsive(&self, within: Duration) -> bool {
        use rmcp::model::{ClientRequest, PingRequest};
        if self.era == ProtocolEra::Stateless {
            return true;
        }
        let ping = ClientRequest::PingRequest(PingRequest::default());
        let answer = tokio::time::timeout(within, self.service.peer().send_request(ping)).await;
        // An error is an answer too.
        answer.is_ok() && !self.is_closed()
    }

    /// How the connection ended.
    pub(crate) async fn termination(&self) -> Termination {
        match self.child.lock().await.as_mut() {
            Some(child) => child.termination().await,
            None => Termination::without_output("the connection was closed"),
        }
    }

    /// Closes the connection and waits until its child is gone.
    pub(crate) async fn close(&self) {
        self.service.cancellation_token().cancel();
        if let Some(mut child) = self.child.lock().await.take() {
            child.wait().await;
        }
    }

    fn error(&self, error: ServiceError, request: &str) -> UpstreamError {
        let server = self.server.clone();
        match error {
            ServiceError::McpError(ErrorData { code, .. })
                if code.0 == TOO_LARGE || code.0 == NO_MEMORY =>
            {
                let limit = match code.0 {
                    TOO_LARGE => "64 MB of text, or 128 MB once it is parsed",
                    _ => "there is memory for beside other large answers, 256 MB in all",
                };
                UpstreamError::TooLarge { server, tool: clean(request), limit }
            }
            ServiceError::McpError(ErrorData { code, .. }) if code.0 == UNREADABLE => {
                self.protocol_error("its answer is malformed or nested more than 128 levels deep")
            }
            ServiceError::McpError(ErrorData { code, message, .. }) => {
                UpstreamError::Refused { server, code: code.0, message: clean(&message) }
            }
            ServiceError::UnexpectedResponse => self.protocol_error("its answer is not a result"),
            // Over HTTP the server may live on, but the session with it is over. `server.rs`
            // adds the reason when it detects the death.
            ServiceError::TransportSend(_)
            | ServiceError::TransportClosed
            | ServiceError::Cancelled { .. } => {
                UpstreamError::Died { server, reason: String::new(), last_output: String::new() }
            }
            other => self.protocol_error(&clean(&other.to_string())),
        }
    }

    fn protocol_error(&self, reason: &str) -> UpstreamError {
        UpstreamError::Protocol { server: self.server.clone(), reason: reason.to_owned() }
    }
}

/// The tools of a list so far.
#[derive(Default)]
struct Listed {
    tools: Vec<ToolDef>,
    bytes: u64,
    left_out: usize,
}

impl Listed {
    /// Adds a tool, unless it is too large or beyond what a server may have.
    fn add(&mut self, server: &str, tool: ToolDef) {
        let bytes = json_bytes(&tool);
        let fits = bytes <= MAX_DEFINITION_BYTES
            && self.bytes + bytes <= MAX_LIST_BYTES
            && self.tools.len() < MAX_TOOLS;
        if fits {
            self.bytes += bytes;
            self.tools.push(tool);
            return;
        }
        self.left_out += 1;
        if bytes > MAX_DEFINITION_BYTES {
            tracing::warn!(server, tool = %tool.name, bytes, "ignoring a tool whose definition is too large");
        }
    }

    fn finish(self, server: &str, info: ServerInfo) -> ToolList {
        let Self { tools, left_out, .. } = self;
        if left_out > 0 {
            tracing::warn!(server, left_out, "tools were left out: too many, or too large");
        }
        ToolList { info, tools, left_out }
    }
}

/// A server's text for an error message: one short line without hidden characters.
pub(crate) fn clean(text: &str) -> String {
    let head = whole_words(text, 600);
    let cut = if head.len() < text.len() { " …" } else { "" };
    format!("{}{cut}", cleaned_line(head))
}

fn answer(mut result: CallToolResult) -> Answer {
    let held = claim(&mut result);
    // Back to the JSON of MCP: what a server sends is passed on unchanged.
    let content = result.content.iter().filter_map(|block| serde_json::to_value(block).ok());
    Answer {
        content: content.collect(),
        structured: result.structured_content,
        is_error: result.is_error.unwrap_or(false),
        meta: result.meta.and_then(|meta| serde_json::to_value(meta).ok()),
        held,
    }
}

/// A description within its limit.
fn capped(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(MAX_DESCRIPTION_BYTES));
    text
}

fn tool_def(tool: Tool) -> ToolDef {
    let annotations = tool.annotations.and_then(|hints| serde_json::to_value(hints).ok());
    ToolDef {
        name: tool.name.into_owned(),
        title: tool.title,
        description: tool.description.map(|text| capped(text.into_owned())),
        input_schema: Value::Object(Arc::unwrap_or_clone(tool.input_schema)),
        output_schema: tool.output_schema.map(|schema| Value::Object(Arc::unwrap_or_clone(schema))),
        annotations: annotations.and_then(|hints| serde_json::from_value(hints).ok()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tidegate_model::{ServerInfo, ToolDef};

    use super::{Listed, MAX_DEFINITION_BYTES, MAX_LIST_BYTES, MAX_TOOLS, clean};

    fn tool(name: usize, bytes: u64) -> ToolDef {
        let text = "x".repeat(usize::try_from(bytes).unwrap());
        let tool =
            json!({"name": name.to_string(), "inputSchema": {"type": "object", "title": text}});
        serde_json::from_value(tool).unwrap()
    }

    #[test]
    fn g40_what_is_beyond_a_tool_list_is_left_out_and_counted() {
        let kept = |bytes: &[u64]| {
            let mut listed = Listed::default();
            for (name, bytes) in bytes.iter().enumerate() {
                listed.add("s", tool(name, *bytes));
            }
            let list = listed.finish("s", ServerInfo::default());
            (list.tools.len(), list.left_out)
        };
        assert_eq!(kept(&[10, MAX_DEFINITION_BYTES, 10]), (2, 1));
        assert_eq!(kept(&vec![1; MAX_TOOLS + 3]), (MAX_TOOLS, 3));
        let (tools, left_out) = kept(&[MAX_DEFINITION_BYTES - 500; 140]);
        assert_eq!(tools as u64, MAX_LIST_BYTES / (MAX_DEFINITION_BYTES - 500));
        assert_eq!(left_out, 140 - tools);
    }

    #[test]
    fn a_long_error_of_a_server_is_not_cut_in_the_middle_of_a_value() {
        let start = "y ".repeat(290);
        let text = format!("{start}contact quentin.marsh@mailbox.example now");
        assert_eq!(clean(&text), format!("{start}contact …"));
        assert_eq!(clean(" short\n error "), "short error");
    }
}
