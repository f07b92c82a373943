//! One live connection: handshake, tool list, calls.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig,
    ErrorData, Implementation, PaginatedRequestParams, ProtocolVersion, SubscriptionFilter, Tool,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, NotificationContext, Peer,
    RunningService, ServiceError,
};
use rmcp::{ClientHandler, RoleClient};
use serde_json::Value;
use tidegate_model::{
    Answer, ServerInfo, ServerSpec, ToolCall, ToolDef, ToolList, Transport, cleaned_line,
    whole_words,
};
use tokio::sync::{Mutex, watch};

use crate::UpstreamError;
use crate::child::{ChildProcess, Epitaph, Launcher};
use crate::http::{http_reason, http_transport};
use crate::stdio::{StdioTransport, UNREADABLE};

/// A server that pages for ever must not hold the gateway for ever.
const MAX_TOOLS: usize = 20_000;
const MAX_PAGES: usize = 2_000;
/// MCP asks for at most 128 characters; the longest name of 3,031 real tools has 57.
/// A tool with a longer one, or none, is left out.
const MAX_NAME_BYTES: usize = 256;
/// The longest description of 3,031 real tools has 14 KB.
const MAX_DESCRIPTION_BYTES: usize = 64 * 1024;

/// A live connection to one server.
pub(crate) struct Connection {
    server: String,
    service: RunningService<RoleClient, Client>,
    child: Mutex<Option<ChildProcess>>,
    changes: watch::Sender<Changes>,
    era: Era,
}

/// Changes of a server's tools, counted: those that the server has announced,
/// and those that its tool list has in it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Changes {
    pub(crate) announced: u64,
    pub(crate) listed: u64,
}

/// How a connection was established.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Era {
    /// `initialize`, up to 2025-11-25.
    Sessions,
    /// `server/discover`, from 2026-07-28.
    Stateless,
}

/// Our side of the protocol towards servers: says who we are and listens for
/// changed tools. Everything a server may ask of us is declined by default.
#[derive(Clone)]
struct Client {
    changes: watch::Sender<Changes>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("tidegate", env!("CARGO_PKG_VERSION")),
        )
        // The newest revision has no `initialize`, and rmcp would send it there.
        .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        announce(&self.changes);
    }
}

fn announce(changes: &watch::Sender<Changes>) {
    changes.send_modify(|changes| changes.announced += 1);
}

impl Connection {
    /// Starts or reaches a server and completes the handshake.
    pub(crate) async fn open(
        spec: &ServerSpec,
        launcher: &Launcher,
    ) -> Result<Self, UpstreamError> {
        // Nearly every server still speaks `initialize`, and those of both eras
        // answer it; only a server that refuses it is asked the new way.
        match Self::open_in(spec, launcher, Era::Sessions).await {
            Err(Failure::Refused(_)) => {
                Self::open_in(spec, launcher, Era::Stateless).await.map_err(Failure::into_error)
            }
            other => other.map_err(Failure::into_error),
        }
    }

    async fn open_in(spec: &ServerSpec, launcher: &Launcher, era: Era) -> Result<Self, Failure> {
        let (changes, _) = watch::channel(Changes::default());
        let client = Client { changes: changes.clone() };
        let lifecycle = match era {
            Era::Sessions => ClientLifecycleMode::Initialize,
            Era::Stateless => {
                ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::LATEST] }
            }
        };
        let (service, child) = match &spec.transport {
            Transport::Stdio { .. } => {
                let (mut child, pipes) = launcher.start(spec).map_err(Failure::Final)?;
                let transport = StdioTransport::new(pipes, child.last_words().clone());
                let handshake = client.serve_with_lifecycle(transport, lifecycle);
                match tokio::time::timeout(spec.connect_timeout, handshake).await {
                    Ok(Ok(service)) => (service, Some(child)),
                    Ok(Err(ClientInitializeError::JsonRpcError(error))) => {
                        return Err(Failure::refused(spec, &error));
                    }
                    Ok(Err(error)) => {
                        let end = match error {
                            ClientInitializeError::ConnectionClosed(_)
                            | ClientInitializeError::TransportError { .. } => child.epitaph().await,
                            other => Epitaph {
                                reason: clean(&other.to_string()),
                                said: child.last_words().text(),
                            },
                        };
                        return Err(Failure::start(spec, end));
                    }
                    Err(_) => return Err(Failure::silent(spec, child.last_words().text())),
                }
            }
            Transport::Http { url, headers } => {
                let transport = http_transport(url.expose(), headers, spec.max_concurrent)
                    .map_err(|reason| {
                        let reason = reason.to_owned();
                        Failure::start(spec, Epitaph { reason, said: String::new() })
                    })?;
                let handshake = client.serve_with_lifecycle(transport, lifecycle);
                match tokio::time::timeout(spec.connect_timeout, handshake).await {
                    Ok(Ok(service)) => (service, None),
                    Ok(Err(ClientInitializeError::JsonRpcError(error))) => {
                        return Err(Failure::refused(spec, &error));
                    }
                    Ok(Err(error)) => {
                        let end = Epitaph { reason: http_reason(&error), said: String::new() };
                        return Err(Failure::start(spec, end));
                    }
                    Err(_) => return Err(Failure::silent(spec, String::new())),
                }
            }
        };
        let connection =
            Self { server: spec.name.clone(), service, child: Mutex::new(child), changes, era };
        connection.subscribe();
        Ok(connection)
    }

    /// In the stateless era, changes are only told to those who ask.
    fn subscribe(&self) {
        if self.era == Era::Sessions {
            return;
        }
        let peer: Peer<RoleClient> = self.service.peer().clone();
        let changes = self.changes.clone();
        tokio::spawn(async move {
            let filter = SubscriptionFilter::builder().tools_list_changed().build();
            // A server without subscriptions says so; then there is nothing to hear.
            let Ok(mut subscription) = peer.listen(filter).await else { return };
            while let Ok(Some(_)) = subscription.next().await {
                announce(&changes);
            }
        });
    }

    /// Told when the server announces a change of its tools.
    pub(crate) fn changes(&self) -> watch::Receiver<Changes> {
        self.changes.subscribe()
    }

    /// Notes that the first so many changes are in the tool list.
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

    /// Who answered the handshake.
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
            return Ok(ToolList { info: self.info(), tools: Vec::new() });
        }
        let mut tools = Vec::new();
        let mut names = HashSet::new();
        let mut cursors = HashSet::new();
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let page = self.service.peer().list_tools(Some(params)).await;
            let page = page.map_err(|error| self.error(error))?;
            for tool in page.tools {
                if tool.name.is_empty() || tool.name.len() > MAX_NAME_BYTES {
                    let bytes = tool.name.len();
                    tracing::warn!(server = self.server, bytes, "a tool's name is no name");
                } else if names.insert(tool.name.to_string()) {
                    tools.push(tool_def(tool));
                } else {
                    tracing::warn!(server = self.server, tool = %tool.name, "tool listed twice");
                }
            }
            cursor = page.next_cursor;
            match &cursor {
                None => return Ok(ToolList { info: self.info(), tools }),
                Some(next) if tools.len() <= MAX_TOOLS && cursors.insert(next.clone()) => {}
                Some(_) => break,
            }
        }
        Err(self.protocol_error("its tool list never ends"))
    }

    /// Calls a tool. Dropping the future tells the server to cancel.
    pub(crate) async fn call(&self, call: ToolCall) -> Result<Answer, UpstreamError> {
        let params = CallToolRequestParams::new(call.tool.tool).with_arguments(call.arguments);
        match self.service.peer().call_tool_once(params).await {
            Ok(CallToolResponse::Complete(result)) => Ok(answer(result)),
            Ok(CallToolResponse::InputRequired(_)) => {
                Err(self.protocol_error("it asks for input from a person, which is not passed on"))
            }
            Ok(_) => Err(self.protocol_error("it started a task instead of answering")),
            Err(error) => Err(self.error(error)),
        }
    }

    /// Whether the server still answers. Servers of the stateless era have no
    /// ping; they are taken at their word.
    pub(crate) async fn is_responsive(&self, within: Duration) -> bool {
        use rmcp::model::{ClientRequest, PingRequest};
        if self.era == Era::Stateless {
            return true;
        }
        let ping = ClientRequest::PingRequest(PingRequest::default());
        let answer = tokio::time::timeout(within, self.service.peer().send_request(ping)).await;
        // An error is an answer too.
        answer.is_ok() && !self.is_closed()
    }

    /// How the server ended, for whoever waited for it.
    pub(crate) async fn epitaph(&self) -> Epitaph {
        match self.child.lock().await.as_mut() {
            Some(child) => child.epitaph().await,
            None => Epitaph { reason: "the connection was closed".to_owned(), said: String::new() },
        }
    }

    /// Closes the connection and waits until a child is gone.
    pub(crate) async fn close(&self) {
        self.service.cancellation_token().cancel();
        if let Some(mut child) = self.child.lock().await.take() {
            child.wait().await;
        }
    }

    fn error(&self, error: ServiceError) -> UpstreamError {
        let server = self.server.clone();
        match error {
            ServiceError::McpError(ErrorData { code, .. }) if code.0 == UNREADABLE => {
                self.protocol_error("its answer is malformed or nested more than 128 levels deep")
            }
            ServiceError::McpError(ErrorData { code, message, .. }) => {
                UpstreamError::Refused { server, code: code.0, message: clean(&message) }
            }
            ServiceError::UnexpectedResponse => self.protocol_error("its answer is not a result"),
            // Over HTTP the server may live on, but our session with it is over. The
            // reason is added where the death is noticed, see `server.rs`.
            ServiceError::TransportSend(_)
            | ServiceError::TransportClosed
            | ServiceError::Cancelled { .. } => {
                UpstreamError::Died { server, reason: String::new(), said: String::new() }
            }
            other => self.protocol_error(&clean(&other.to_string())),
        }
    }

    fn protocol_error(&self, reason: &str) -> UpstreamError {
        UpstreamError::Protocol { server: self.server.clone(), reason: reason.to_owned() }
    }
}

/// Why a connection could not be opened, and whether another era may help.
enum Failure {
    Refused(UpstreamError),
    Final(UpstreamError),
}

impl Failure {
    fn into_error(self) -> UpstreamError {
        match self {
            Self::Refused(error) | Self::Final(error) => error,
        }
    }

    fn refused(spec: &ServerSpec, error: &ErrorData) -> Self {
        let reason = format!("it refused the handshake: {}", clean(&error.message));
        Self::Refused(start_failed(spec, Epitaph { reason, said: String::new() }))
    }

    fn start(spec: &ServerSpec, end: Epitaph) -> Self {
        Self::Final(start_failed(spec, end))
    }

    fn silent(spec: &ServerSpec, said: String) -> Self {
        let reason =
            format!("no answer to the handshake within {} ms", spec.connect_timeout.as_millis());
        Self::Final(start_failed(spec, Epitaph { reason, said }))
    }
}

fn start_failed(spec: &ServerSpec, end: Epitaph) -> UpstreamError {
    UpstreamError::StartFailed { server: spec.name.clone(), reason: end.reason, said: end.said }
}

/// A server's text for an error message: one line, with nothing hidden in it, short.
fn clean(text: &str) -> String {
    let head = whole_words(text, 600);
    let cut = if head.len() < text.len() { " …" } else { "" };
    format!("{}{cut}", cleaned_line(head))
}

fn answer(result: CallToolResult) -> Answer {
    // Back to MCP's own JSON: what a server sent is passed on as it is.
    let content = result.content.iter().filter_map(|block| serde_json::to_value(block).ok());
    Answer {
        content: content.collect(),
        structured: result.structured_content,
        is_error: result.is_error.unwrap_or(false),
        meta: result.meta.and_then(|meta| serde_json::to_value(meta).ok()),
    }
}

/// A server's text is its own, but not without end.
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
    use super::clean;

    #[test]
    fn a_long_error_of_a_server_is_not_cut_in_the_middle_of_a_value() {
        let start = "y ".repeat(290);
        let text = format!("{start}contact quentin.marsh@mailbox.example now");
        assert_eq!(clean(&text), format!("{start}contact …"));
        assert_eq!(clean(" short\n error "), "short error");
    }
}
