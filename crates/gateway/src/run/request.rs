//! What a program asks the world outside for: tools, addresses, commands.
//!
//! In: a request as the worker sent it. Out: JSON text for the program, or why
//! there is none. Counting and queueing are in `run/requests.rs`; deciding is
//! in `bridge.rs`, `fetch.rs` and `commands.rs`.

use std::sync::OnceLock;

use serde_json::{Map, Value};
use tidegate_model::{Answer, ErrorCode, RunError, ToolRef, whole_words};
use tidegate_wire::answer_json;

use crate::answer::shown::{has_binary, not_searched};
use crate::answer::weight::{VALUE_BYTES, values_in};
use crate::bridge::call::Caller;
use crate::consent::parking::Begun;
use crate::explain;
use crate::gateway::Gateway;
use crate::run::RunShared;

/// Argument bytes that may wait for their turn. A worker that floods the
/// gateway with calls must not fill its memory.
pub(crate) const WAITING_BYTES: u64 = 64 * 1024 * 1024;

/// Text up to this size is parsed on the spot. Chosen: a thread costs more.
const PARSED_AT_ONCE_BYTES: usize = 256 * 1024;

/// What a program can ask the world outside for. All of it is counted, queued
/// and cut off in the same way.
pub(crate) enum Request {
    Tool { name: String, arguments: String, raw: bool },
    Fetch(String),
    Command { name: String, request: String },
}

impl Request {
    pub(crate) fn is_command(&self) -> bool {
        matches!(self, Self::Command { .. })
    }

    /// What it holds in memory while it waits, and once it is parsed.
    pub(crate) fn bytes(&self) -> u64 {
        let (Self::Tool { arguments: text, .. }
        | Self::Fetch(text)
        | Self::Command { request: text, .. }) = self;
        text.len() as u64 + values_in(text, WAITING_BYTES / VALUE_BYTES) * VALUE_BYTES
    }
}

/// Does what was asked for, unless the run had its answer before it was broken off.
pub(crate) async fn journaled(run: &RunShared, request: Request) -> Result<String, RunError> {
    let RunShared { gateway, person, .. } = run;
    let source = Source::of(&request);
    let called = OnceLock::new();
    let outcome = match person.journal.as_ref().map(|journal| journal.begin(&request)) {
        Some(Begun::Known(outcome)) => outcome,
        begun => {
            let entry = if let Some(Begun::New(entry)) = begun { entry } else { None };
            let caller = run.caller(entry, &called);
            let outcome = fulfil(gateway, &caller, request).await;
            if let Some(journal) = &person.journal {
                journal.finish(entry, &outcome);
            }
            outcome
        }
    };
    let arrived = gateway.privacy.arrived(&person.context().session, outcome, &person.errors);
    let arrived = arrived.await;
    gateway.note_seen(&source.tool(&called), &arrived.counts);
    arrived.outcome
}

/// Where an answer is from, for reports.
enum Source {
    Tool,
    Other(&'static str, String),
}

impl Source {
    fn of(request: &Request) -> Self {
        match request {
            Request::Tool { .. } => Self::Tool,
            Request::Fetch(_) => Self::Other("", "fetch".to_owned()),
            Request::Command { name, .. } => Self::Other("commands", name.clone()),
        }
    }

    fn tool(self, called: &OnceLock<ToolRef>) -> ToolRef {
        match self {
            Self::Tool => called.get().cloned().unwrap_or_else(|| ToolRef::new("", "earlier")),
            Self::Other(server, name) => ToolRef::new(server, &name),
        }
    }
}

/// Does what was asked for. JSON text for the program, or why there is none.
async fn fulfil(
    gateway: &Gateway,
    caller: &Caller<'_>,
    request: Request,
) -> Result<String, RunError> {
    let Caller { run, permissions, .. } = caller;
    match request {
        Request::Tool { name, arguments, raw } => {
            call(gateway, caller, &name, arguments, raw).await
        }
        Request::Fetch(request) => {
            permissions.may_use_network().map_err(|refusal| explain::no_network(&refusal))?;
            changes_something(caller)?;
            gateway.fetch(caller, &request).await
        }
        Request::Command { name, request } => {
            changes_something(caller)?;
            let session = &caller.person.context().session;
            gateway.command(run, session, permissions, &name, &request).await
        }
    }
}

/// What a request to the network or a command does is not known, so it is not done twice.
fn changes_something(caller: &Caller<'_>) -> Result<(), RunError> {
    let journal = caller.person.journal.as_ref();
    journal.map_or(Ok(()), |journal| journal.send(caller.entry, true))
}

/// Makes a program's call and writes its answer as the program gets it.
async fn call(
    gateway: &Gateway,
    caller: &Caller<'_>,
    name: &str,
    arguments: String,
    raw: bool,
) -> Result<String, RunError> {
    let bytes = arguments.len() as u64;
    let parsed = match parse(arguments).await {
        Ok(parsed) => parsed,
        Err(arguments) => return Err(gateway.refuse_unnamed(caller, name, &arguments).await),
    };
    let answer = gateway.bridge_call(caller, name, parsed, bytes).await?;
    if let Some(tool) = caller.called.get().filter(|_| has_binary(&answer)) {
        caller.person.note(not_searched(tool));
    }
    if raw {
        return Ok(answer_json(&answer.into_raw()));
    }
    if answer.is_error {
        return Err(tool_failure(&answer, name));
    }
    Ok(answer_json(&answer.into_value()))
}

/// Arguments as an object, or the text again. Much text is parsed where the end
/// of the run need not wait for it.
async fn parse(arguments: String) -> Result<Map<String, Value>, String> {
    let parse = |text: String| serde_json::from_str(&text).map_err(|_| text);
    if arguments.len() < PARSED_AT_ONCE_BYTES {
        return parse(arguments);
    }
    let parsed = tokio::task::spawn_blocking(move || parse(arguments)).await;
    parsed.unwrap_or_else(|_| Err(String::new()))
}

/// A tool's own error, in the tool's words.
pub(crate) fn tool_failure(answer: &Answer, name: &str) -> RunError {
    let text = answer.text();
    let text = text.trim();
    let text = match text {
        "" => format!("`{name}` failed without saying why"),
        text if text.len() <= 2000 => format!("`{name}` failed: {text}"),
        text => {
            // No half of a value: it would not be known as personal.
            format!("`{name}` failed: {} …", whole_words(text, 2000).trim_end())
        }
    };
    RunError::new(ErrorCode::ToolFailed, text)
}
