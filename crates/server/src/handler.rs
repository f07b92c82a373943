//! Requests of clients, one function each.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ListToolsResult, MetaObject, PaginatedRequestParams, ProgressNotificationParam,
    ProgressToken, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tidegate_gateway::{
    Approver, Gateway, Progress, RunContext, SaveSkill, SearchRequest, SessionId,
};
use tidegate_model::{
    Answer, Engine, ErrorCode, Language, Program, Response, RunError, RunId, did_you_mean,
    visible_json,
};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::approver::{Eliciting, shows_forms};
use crate::held::{Asking, Held, Step, Work, fingerprint};
use crate::surface::{Surface, definitions, instructions};

/// Progress is told at most this often, and at least this often while a run
/// lives: some clients give up on a call that is silent for a minute.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);
const HEARTBEAT: Duration = Duration::from_secs(5);

/// The MCP server of one client.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) surface: Surface,
    /// Whose requests these are.
    pub(crate) session: SessionId,
    pub(crate) held: Arc<Held>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExecuteCode {
    #[serde(default)]
    code: Option<String>,
    /// A run that waits for an approval, instead of a program.
    #[serde(default)]
    resume: Option<String>,
    #[serde(default)]
    language: Option<String>,
    #[serde(default)]
    timeout_ms: Option<u64>,
    #[serde(default)]
    engine: Option<Engine>,
    /// Taken from clients that narrow a run; not in the schema, where every
    /// model would pay for it.
    #[serde(default)]
    profile: Option<String>,
}

/// Of `get_tool_definition` and `load_skill`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ByName {
    name: String,
}

/// Of `sanitize_pii` and `restore_pii`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ByText {
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallTool {
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
            let run = RunContext { session: self.session.clone(), ..RunContext::default() };
            tools = self.upstream_tools(&run).await;
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut run = RunContext {
            session: self.session.clone(),
            cancelled: context.ct.clone(),
            ..RunContext::default()
        };
        let offered = definitions(self.surface);
        let known = offered.iter().any(|tool| tool.name == request.name);
        match request.name.as_ref() {
            name if self.surface != Surface::Direct && !known => {
                let names = offered.iter().map(|tool| tool.name.as_ref());
                let hint = did_you_mean(name, names).unwrap_or_else(|| match self.surface {
                    // It has no `call_tool`.
                    Surface::Lean => "upstream tools are called in `execute_code`".into(),
                    Surface::Standard | Surface::Direct => {
                        "upstream tools are called with `call_tool` or in `execute_code`".into()
                    }
                });
                return Err(ErrorData::invalid_params(
                    format!("there is no tool `{name}`; {hint}"),
                    None,
                ));
            }
            _ => {}
        }
        let capabilities = context.client_capabilities();
        let can_ask = shows_forms(capabilities.as_ref());
        let asks_itself = context.protocol_version().is_none_or(|version| version.has_initialize());
        if can_ask && asks_itself {
            run.approver = Some(Arc::new(Eliciting(context.peer.clone())));
        }
        if asks_itself || !can_ask {
            let _reporter = reporter(&context, &run.progress);
            let result = self.perform(&request.name, request.arguments, &run).await;
            return Ok(CallToolResponse::Complete(result.unwrap_or_else(|error| failure(&error))));
        }
        let work = self.held.take(&request).unwrap_or_else(|| self.start(request, run));
        let _reporter = reporter(&context, &work.progress);
        match self.held.drive(work, &context.ct).await {
            Step::Done(result) => Ok(result.unwrap_or_else(|error| failure(&error)).into()),
            Step::Asks(question) => Ok(question),
            Step::Cancelled => Err(ErrorData::internal_error("cancelled", None)),
        }
    }
}

impl Handler {
    /// Starts the work on a request that may outlive it.
    fn start(&self, request: CallToolRequestParams, run: RunContext) -> Work {
        let (asking, questions) = mpsc::channel(1);
        let cancelled = CancellationToken::new();
        let fingerprint = fingerprint(&request);
        let approver: Option<Arc<dyn Approver>> = Some(Arc::new(Asking(asking)));
        let run = RunContext { cancelled: cancelled.clone(), approver, ..run };
        let (handler, progress) = (self.clone(), run.progress.clone());
        let task =
            tokio::spawn(
                async move { handler.perform(&request.name, request.arguments, &run).await },
            );
        Work { task, questions, cancelled, progress, request: fingerprint }
    }

    /// Does what a request asks for.
    async fn perform(
        &self,
        name: &str,
        arguments: Option<JsonObject>,
        run: &RunContext,
    ) -> Result<CallToolResult, RunError> {
        let arguments = arguments.unwrap_or_default();
        let answered = match name {
            _ if self.surface == Surface::Direct => self.pass_on(name, arguments, run).await,
            "execute_code" => self.execute_code(arguments, run).await,
            "search_tools" => self.about_tools(self.search_tools(arguments).await, run),
            "get_tool_definition" => {
                self.about_tools(self.get_tool_definition(arguments).await, run)
            }
            "save_skill" => self.about_tools(self.save_skill(arguments, run).await, run),
            "load_skill" => self.about_tools(self.load_skill(arguments, run).await, run),
            "list_skills" => self.about_tools(self.list_skills(arguments, run).await, run),
            "sanitize_pii" => self.sanitize_pii(arguments, run),
            "restore_pii" => self.restore_pii(arguments, run).await,
            _ => self.call_upstream(arguments, run).await,
        };
        answered.map_err(|error| self.gateway.shown_error(error, run))
    }

    /// Texts of ours about tools and skills, without personal data.
    fn about_tools(
        &self,
        answered: Result<CallToolResult, RunError>,
        run: &RunContext,
    ) -> Result<CallToolResult, RunError> {
        let mut result = answered?;
        for block in &mut result.content {
            if let ContentBlock::Text(text) = block {
                text.text = self.gateway.shown_text(&text.text, run);
            }
        }
        Ok(result)
    }

    fn sanitize_pii(
        &self,
        arguments: JsonObject,
        run: &RunContext,
    ) -> Result<CallToolResult, RunError> {
        let request: ByText = parse("sanitize_pii", arguments)?;
        let done = self.gateway.sanitize_pii(&request.text, run)?;
        let answer = json!({
            "text": done.text,
            "pii_tokenized": !done.counts.is_empty(),
            "pii_counts": done.counts,
        });
        Ok(CallToolResult::success(vec![ContentBlock::text(answer.to_string())]))
    }

    async fn restore_pii(
        &self,
        arguments: JsonObject,
        run: &RunContext,
    ) -> Result<CallToolResult, RunError> {
        let request: ByText = parse("restore_pii", arguments)?;
        let text = self.gateway.restore_pii(&request.text, run).await?;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
    }

    async fn execute_code(
        &self,
        arguments: JsonObject,
        run: &RunContext,
    ) -> Result<CallToolResult, RunError> {
        let request: ExecuteCode = parse("execute_code", arguments)?;
        let run = &RunContext { profile: request.profile, ..run.clone() };
        let code = match (request.code, request.resume) {
            (Some(code), None) => code,
            (None, Some(id)) => {
                let is_other_program = request.language.is_some()
                    || request.engine.is_some()
                    || request.timeout_ms.is_some();
                if is_other_program {
                    return Err(goes_on_as_it_was());
                }
                return answered(&self.gateway.resume(&RunId(id), run).await?);
            }
            (Some(_), Some(_)) => {
                let message = "`execute_code` takes `code` or `resume`, not both";
                return Err(RunError::new(ErrorCode::BadArgument, message)
                    .with_hint("leave `code` out to go on with a run"));
            }
            (None, None) => {
                let message = "`execute_code` needs `code`";
                return Err(RunError::new(ErrorCode::BadArgument, message)
                    .with_hint("send a program in TypeScript or Python"));
            }
        };
        let language = match request.language.as_deref() {
            None => Language::of(&code),
            Some(word) => Language::parse(word).ok_or_else(|| {
                let word = word.escape_debug();
                let message = format!("`language` must be `typescript` or `python`, got `{word}`");
                RunError::new(ErrorCode::BadArgument, message)
                    .with_hint("write the program in one of them, or leave `language` out")
            })?,
        };
        let timeout = request.timeout_ms.map(Duration::from_millis);
        let engine = request.engine;
        let program = Program { source: code, language, engine, timeout };
        answered(&self.gateway.execute(program, run).await)
    }

    async fn search_tools(&self, arguments: JsonObject) -> Result<CallToolResult, RunError> {
        let request: SearchRequest = parse("search_tools", arguments)?;
        let answer = self.gateway.search(&request).await;
        Ok(with_tokens(answer.to_string(), answer.definition_tokens()))
    }

    async fn get_tool_definition(&self, arguments: JsonObject) -> Result<CallToolResult, RunError> {
        let request: ByName = parse("get_tool_definition", arguments)?;
        let found = self.gateway.definition(&request.name).await?;
        Ok(with_tokens(found.to_string(), found.tokens))
    }

    async fn save_skill(
        &self,
        arguments: JsonObject,
        run: &RunContext,
    ) -> Result<CallToolResult, RunError> {
        let request: SaveSkill = parse("save_skill", arguments)?;
        let saved = self.gateway.save_skill(request, run).await?;
        Ok(CallToolResult::success(vec![ContentBlock::text(saved.to_string())]))
    }

    async fn load_skill(
        &self,
        arguments: JsonObject,
        run: &RunContext,
    ) -> Result<CallToolResult, RunError> {
        let request: ByName = parse("load_skill", arguments)?;
        let text = self.gateway.load_skill(&request.name, run).await?;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
    }

    async fn list_skills(
        &self,
        arguments: JsonObject,
        run: &RunContext,
    ) -> Result<CallToolResult, RunError> {
        let Nothing {} = parse("list_skills", arguments)?;
        let text = self.gateway.list_skills(run).await?;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
    }

    async fn call_upstream(
        &self,
        arguments: JsonObject,
        run: &RunContext,
    ) -> Result<CallToolResult, RunError> {
        let request: CallTool = parse("call_tool", arguments)?;
        self.pass_on(&request.name, request.arguments.unwrap_or_default(), run).await
    }

    async fn pass_on(
        &self,
        name: &str,
        arguments: JsonObject,
        run: &RunContext,
    ) -> Result<CallToolResult, RunError> {
        let shown = self.gateway.call_tool(name, arguments, run).await?;
        let mut result = passed_on(shown.answer);
        if !shown.pii_counts.is_empty() {
            let mut meta = MetaObject::new();
            meta.0.insert("tidegate/pii_counts".into(), json!(shown.pii_counts));
            result.meta = Some(meta);
        }
        Ok(result)
    }

    /// Every upstream tool as itself, named `<server>__<tool>`.
    async fn upstream_tools(&self, run: &RunContext) -> Vec<Tool> {
        let (catalog, _) = self.gateway.complete_catalog().await;
        let as_tool = |(id, _): (tidegate_model::ToolRef, &Arc<tidegate_model::ToolDef>)| {
            let tool = catalog.shown(&id)?;
            let mut value = serde_json::to_value(tool.as_ref()).ok()?;
            value["name"] = Value::String(id.to_string());
            if !catalog.notes(&id).is_empty() {
                let said = tool.description.as_deref().unwrap_or_default();
                value["description"] = Value::String(catalog.marked(&id, said));
            }
            // Who announces structured content must send it, and clients refuse
            // answers without; we send content only, see `passed_on`.
            value.as_object_mut()?.remove("outputSchema");
            // Tokens need no escapes: it stays JSON.
            serde_json::from_str(&self.gateway.shown_text(&value.to_string(), run)).ok()
        };
        catalog.tools().filter_map(as_tool).collect()
    }
}

/// The answer of a run as MCP has it.
fn answered(response: &Response) -> Result<CallToolResult, RunError> {
    // As text only: what reaches the model is counted once.
    let text = serde_json::to_string(response).map_err(|_| internal())?;
    // The model reads it as it stands.
    let content = vec![ContentBlock::text(visible_json(&text).into_owned())];
    Ok(match response.success {
        true => CallToolResult::success(content),
        false => CallToolResult::error(content),
    })
}

/// Definitions with their cost in `_meta`, where the client can read it and the
/// model does not pay for it.
fn with_tokens(text: String, tokens: Option<usize>) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    if let Some(tokens) = tokens {
        let mut meta = MetaObject::new();
        meta.0.insert("tidegate/tokens".into(), tokens.into());
        result.meta = Some(meta);
    }
    result
}

/// An upstream answer as our own: content only, since most servers send the
/// same once more as structured content.
fn passed_on(answer: Answer) -> CallToolResult {
    let mut content: Vec<ContentBlock> =
        answer.content.into_iter().filter_map(|block| serde_json::from_value(block).ok()).collect();
    if content.is_empty()
        && let Some(structured) = answer.structured
    {
        content.push(ContentBlock::text(structured.to_string()));
    }
    if answer.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) }
}

fn failure(error: &RunError) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}

fn parse<T: DeserializeOwned>(tool: &str, arguments: JsonObject) -> Result<T, RunError> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        RunError::new(ErrorCode::BadArgument, format!("`{tool}` got bad arguments: {error}"))
            .with_hint("look at the tool's input schema")
    })
}

fn goes_on_as_it_was() -> RunError {
    let message = "`language`, `engine` and `timeout_ms` cannot be changed when a run goes on";
    RunError::new(ErrorCode::BadArgument, message).with_hint("send `resume` alone")
}

fn internal() -> RunError {
    RunError::new(ErrorCode::Internal, "the answer could not be written")
}

/// Ends the progress reports with the request.
struct Reporter(tokio::task::AbortHandle);

impl Drop for Reporter {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Tells the client of a request how far it is, if it wants to know.
fn reporter(
    context: &RequestContext<RoleServer>,
    progress: &watch::Sender<Progress>,
) -> Option<Reporter> {
    let token = context.meta.get_progress_token()?;
    let reporting = tokio::spawn(report(context.peer.clone(), token, progress.subscribe()));
    Some(Reporter(reporting.abort_handle()))
}

/// Tells a client how its run is doing until the run ends.
async fn report(
    peer: Peer<RoleServer>,
    token: ProgressToken,
    mut progress: watch::Receiver<Progress>,
) {
    let started = Instant::now();
    let mut told = 0.0;
    loop {
        // Either something happened or it is time for a sign of life.
        let changed = tokio::time::timeout(HEARTBEAT, progress.changed()).await;
        if matches!(changed, Ok(Err(_))) {
            return;
        }
        let now = *progress.borrow_and_update();
        told += 1.0;
        let message = format!(
            "{} of {} tool calls done, {} s",
            now.calls_finished,
            now.calls_started,
            started.elapsed().as_secs()
        );
        let note = ProgressNotificationParam::new(token.clone(), told).with_message(message);
        if peer.notify_progress(note).await.is_err() {
            return;
        }
        tokio::time::sleep(PROGRESS_INTERVAL).await;
    }
}
