//! The requests of one MCP client.
//!
//! In: `tools/list` and `tools/call`. Out: the answer of the gateway as MCP, and progress
//! during a run. Invariant: every answer is built from a [`Shown`] value.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tidegate_gateway::{
    Approver, OpenSession, Progress, RunContext, SaveSkill, SearchRequest, Shown,
};
use tidegate_model::{ErrorCode, RunError, did_you_mean};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::approver::{ElicitationApprover, supports_forms};
use crate::execute_code::{ExecuteCode, RequestedRun};
use crate::pending::{DeferredApprover, PendingRequests, RequestWork, WorkOutcome, fingerprint};
use crate::surface::{Surface, definitions, instructions};
use crate::tool_result::ToolResult;

/// The shortest and the longest time between two progress notifications of a run. Some
/// clients give up on a call that is silent for a minute.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);
const PROGRESS_HEARTBEAT: Duration = Duration::from_secs(5);

/// The MCP server of one client.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) surface: Surface,
    /// Open while this client is connected or one of its requests is under way.
    pub(crate) session: Arc<OpenSession>,
    pub(crate) pending: Arc<PendingRequests>,
}

/// The arguments of `get_tool_definition` and `load_skill`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NameArguments {
    name: String,
}

/// The arguments of `sanitize_pii` and `restore_pii`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextArguments {
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoArguments {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallToolArguments {
    name: String,
    #[serde(default)]
    arguments: Option<Map<String, Value>>,
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("tidegate", env!("CARGO_PKG_VERSION")));
        match instructions(self.surface) {
            Some(text) => config.with_instructions(text),
            None => config,
        }
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = definitions(self.surface);
        if self.surface == Surface::Direct {
            let run =
                RunContext { principal: self.session.principal().clone(), ..RunContext::default() };
            let listed = self.session.gateway().upstream_tools(&run).await;
            let listed = listed.iter().cloned();
            tools = listed.filter_map(|tool| serde_json::from_value(tool).ok()).collect();
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut run = RunContext {
            principal: self.session.principal().clone(),
            cancelled: context.ct.clone(),
            ..RunContext::default()
        };
        if let Some(error) = self.unknown_tool(&request.name) {
            let error = self.session.gateway().show_error(error, &run);
            return Err(ErrorData::invalid_params(error.message.clone(), None));
        }
        let capabilities = context.client_capabilities();
        let can_ask = supports_forms(capabilities.as_ref());
        let can_ask_within_request =
            context.protocol_version().is_none_or(|version| version.has_initialize());
        if can_ask && can_ask_within_request {
            run.approver = Some(Arc::new(ElicitationApprover(context.peer.clone())));
        }
        if can_ask_within_request || !can_ask {
            let _reporter = reporter(&context, &run.progress);
            let result = self.perform(&request.name, request.arguments, &run).await;
            return Ok(CallToolResponse::Complete(result.into()));
        }
        let work = self.pending.take(&request).unwrap_or_else(|| self.start(request, run));
        let _reporter = reporter(&context, &work.progress);
        match self.pending.drive(work, &context.ct).await {
            WorkOutcome::Done(result) => Ok(CallToolResponse::Complete(result.into())),
            WorkOutcome::InputRequired(question) => Ok(question),
            WorkOutcome::Cancelled => Err(ErrorData::internal_error("cancelled", None)),
        }
    }
}

impl Handler {
    /// Starts the work on a request, which may outlive the request.
    fn start(&self, request: CallToolRequestParams, run: RunContext) -> RequestWork {
        let (asking, questions) = mpsc::channel(1);
        let cancelled = CancellationToken::new();
        let fingerprint = fingerprint(&request);
        let approver: Option<Arc<dyn Approver>> = Some(Arc::new(DeferredApprover(asking)));
        let run = RunContext { cancelled: cancelled.clone(), approver, ..run };
        let (handler, progress) = (self.clone(), run.progress.clone());
        let task =
            tokio::spawn(
                async move { handler.perform(&request.name, request.arguments, &run).await },
            );
        RequestWork { task, questions, cancelled, progress, request: fingerprint }
    }

    /// The error for a tool that this surface does not have.
    fn unknown_tool(&self, name: &str) -> Option<RunError> {
        let offered = definitions(self.surface);
        let names = || offered.iter().map(|tool| tool.name.as_ref());
        if self.surface == Surface::Direct || names().any(|known| known == name) {
            return None;
        }
        let hint = did_you_mean(name, names()).unwrap_or_else(|| match self.surface {
            // That surface has no `call_tool`.
            Surface::Lean => "upstream tools are called in `execute_code`".into(),
            Surface::Standard | Surface::Direct => {
                "upstream tools are called with `call_tool` or in `execute_code`".into()
            }
        });
        let message = format!("there is no tool `{name}`; {hint}");
        Some(RunError::new(ErrorCode::BadArgument, message))
    }

    /// Performs a request; an error becomes a result too.
    async fn perform(
        &self,
        name: &str,
        arguments: Option<JsonObject>,
        run: &RunContext,
    ) -> ToolResult {
        let answered = self.answer(name, arguments.unwrap_or_default(), run).await;
        answered.unwrap_or_else(Into::into)
    }

    /// The answer to a request. An arm or an error that is not built from a [`Shown`]
    /// value does not compile.
    async fn answer(
        &self,
        name: &str,
        arguments: JsonObject,
        run: &RunContext,
    ) -> Result<ToolResult, Shown<RunError>> {
        let gateway = self.session.gateway();
        Ok(match name {
            _ if self.surface == Surface::Direct => {
                gateway.call_tool(name, arguments, run).await?.into()
            }
            "execute_code" => {
                let request: ExecuteCode = self.parse(name, arguments, run)?;
                let run = &request.context(run).map_err(|error| gateway.show_error(error, run))?;
                match request.requested_run().map_err(|error| gateway.show_error(error, run))? {
                    RequestedRun::Run(program) => gateway.execute(program, run).await.into(),
                    RequestedRun::Resume(id) => gateway.resume(&id, run).await?.into(),
                }
            }
            "search_tools" => {
                let request: SearchRequest = self.parse(name, arguments, run)?;
                gateway.search_tools(&request, run).await.into()
            }
            "get_tool_definition" => {
                let request: NameArguments = self.parse(name, arguments, run)?;
                gateway.tool_definition(&request.name, run).await?.into()
            }
            "save_skill" => {
                let request: SaveSkill = self.parse(name, arguments, run)?;
                gateway.save_skill(request, run).await?.into()
            }
            "load_skill" => {
                let request: NameArguments = self.parse(name, arguments, run)?;
                gateway.load_skill(&request.name, run).await?.into()
            }
            "list_skills" => {
                let NoArguments {} = self.parse(name, arguments, run)?;
                gateway.list_skills(run).await?.into()
            }
            "sanitize_pii" => {
                let request: TextArguments = self.parse(name, arguments, run)?;
                gateway.sanitize_pii(&request.text, run)?.into()
            }
            "restore_pii" => {
                let request: TextArguments = self.parse(name, arguments, run)?;
                gateway.restore_pii(&request.text, run).await?.into()
            }
            _ => {
                let request: CallToolArguments = self.parse(name, arguments, run)?;
                let arguments = request.arguments.unwrap_or_default();
                gateway.call_tool(&request.name, arguments, run).await?.into()
            }
        })
    }

    fn parse<T: DeserializeOwned>(
        &self,
        tool: &str,
        arguments: JsonObject,
        run: &RunContext,
    ) -> Result<T, Shown<RunError>> {
        serde_json::from_value(Value::Object(arguments)).map_err(|error| {
            let message = format!("`{tool}` got invalid arguments: {error}");
            let error = RunError::new(ErrorCode::BadArgument, message)
                .with_hint("compare them with the tool's input schema");
            self.session.gateway().show_error(error, run)
        })
    }
}

/// Stops the progress notifications when the request ends.
struct Reporter(tokio::task::AbortHandle);

impl Drop for Reporter {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Starts progress notifications, if the client has asked for them.
fn reporter(
    context: &RequestContext<RoleServer>,
    progress: &watch::Sender<Progress>,
) -> Option<Reporter> {
    let token = context.meta.get_progress_token()?;
    let reporting = tokio::spawn(report(context.peer.clone(), token, progress.subscribe()));
    Some(Reporter(reporting.abort_handle()))
}

/// Sends progress notifications until the run ends.
async fn report(
    peer: Peer<RoleServer>,
    token: ProgressToken,
    mut progress: watch::Receiver<Progress>,
) {
    let started = Instant::now();
    let mut sent = 0.0;
    loop {
        // Either the run made progress, or the heartbeat is due.
        let changed = tokio::time::timeout(PROGRESS_HEARTBEAT, progress.changed()).await;
        if matches!(changed, Ok(Err(_))) {
            return;
        }
        let now = *progress.borrow_and_update();
        sent += 1.0;
        let message = format!(
            "{} of {} tool calls done, {} s",
            now.calls_finished,
            now.calls_started,
            started.elapsed().as_secs()
        );
        let notification =
            ProgressNotificationParam::new(token.clone(), sent).with_message(message);
        if peer.notify_progress(notification).await.is_err() {
            return;
        }
        tokio::time::sleep(PROGRESS_INTERVAL).await;
    }
}
