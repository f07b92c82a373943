//! Requests of a program to the outside: tools, addresses, commands.
//!
//! In: a request as the worker sent it. Out: JSON text for the program, or an error.
//! Requests were counted and queued before (`run/requests.rs`); they are decided in
//! `call.rs`, `fetch.rs` and `commands.rs`.

use std::sync::OnceLock;

use serde_json::{Map, Value};
use tidegate_model::{Answer, ErrorCode, RunError, ToolRef, VALUE_BYTES, values_in, whole_words};
use tidegate_policy::subject_of_text;
use tidegate_wire::answer_json;

use super::Bridge;
use crate::answer::shown::{has_binary, not_searched};
use crate::approvals::journal::Begun;
use crate::bridge::call::Caller;
use crate::explain;
use crate::explain::reported::{SERVER_SAYS, quoted};
use crate::privacy::{ForProgram, Unscanned};

/// Argument bytes that may wait for their turn. A worker that floods the
/// gateway with calls must not fill its memory.
pub(crate) const WAITING_BYTES: u64 = 64 * 1024 * 1024;

/// Text up to this size is parsed on the spot. Chosen: a thread costs more.
const PARSED_AT_ONCE_BYTES: usize = 256 * 1024;

/// How a program wants the answer of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerForm {
    /// The structured content or the text; an error of the tool is thrown.
    Value,
    /// The whole answer in MCP's form.
    Raw,
}

/// A request of a program to the outside. All kinds are counted, queued and cancelled in
/// the same way.
pub(crate) enum Request {
    Tool { name: String, arguments: String, form: AnswerForm },
    Fetch(String),
    Command { name: String, request: String },
}

impl Request {
    pub(crate) fn is_command(&self) -> bool {
        matches!(self, Self::Command { .. })
    }

    /// Identifies exactly this request: the journal of a resumed run finds the answer by
    /// it.
    pub(crate) fn key(&self) -> String {
        match self {
            Self::Tool { name, arguments, form } => {
                let kind = match form {
                    AnswerForm::Raw => "raw",
                    AnswerForm::Value => "tool",
                };
                subject_of_text(kind, &format!("{name}\0{arguments}"))
            }
            Self::Fetch(request) => subject_of_text("fetch", request),
            Self::Command { name, request } => {
                subject_of_text("command", &format!("{name}\0{request}"))
            }
        }
    }

    /// The memory that it takes while it waits, and once it is parsed.
    pub(crate) fn bytes(&self) -> u64 {
        let (Self::Tool { arguments: text, .. }
        | Self::Fetch(text)
        | Self::Command { request: text, .. }) = self;
        text.len() as u64 + values_in(text, WAITING_BYTES / VALUE_BYTES) * VALUE_BYTES
    }
}

impl Bridge {
    /// Performs a request of a program, unless it was answered before the run was resumed.
    pub(crate) async fn answer_request(&self, caller: Caller<'_>, request: Request) -> ForProgram {
        let Caller { person, called, .. } = caller;
        let source = Source::of(&request);
        let outcome = match person.journal.as_ref().map(|journal| journal.begin(request.key())) {
            Some(Begun::Known(outcome)) => outcome,
            begun => {
                let entry = if let Some(Begun::New(entry)) = begun { entry } else { None };
                let caller = Caller { entry, ..caller };
                let outcome = self.perform(&caller, request).await;
                if let Some(journal) = &person.journal {
                    journal.finish(entry, &outcome).await;
                }
                outcome
            }
        };
        let principal = &person.context().principal;
        let arrived = self.privacy.arrived(principal, outcome, &person.errors).await;
        self.privacy.note_seen(principal, &source.tool(called), &arrived.counts);
        arrived.outcome
    }

    async fn perform(
        &self,
        caller: &Caller<'_>,
        request: Request,
    ) -> Unscanned<Result<String, RunError>> {
        let performed = self.decided(caller, request).await;
        performed.unwrap_or_else(|error| Unscanned::new(Err(error)))
    }

    /// JSON text for the program, or its error.
    async fn decided(
        &self,
        caller: &Caller<'_>,
        request: Request,
    ) -> Result<Unscanned<Result<String, RunError>>, RunError> {
        let Caller { run, permissions, .. } = caller;
        match request {
            Request::Tool { name, arguments, form } => {
                self.call_for_program(caller, &name, arguments, form).await
            }
            Request::Fetch(request) => {
                permissions.may_use_network().map_err(|refusal| explain::no_network(&refusal))?;
                self.about_to(caller, &ToolRef::new("", "fetch")).await?;
                self.fetch(caller, &request).await
            }
            Request::Command { name, request } => {
                self.about_to(caller, &ToolRef::new("", "command")).await?;
                let principal = &caller.person.context().principal;
                self.command(run, principal, permissions, &name, &request).await
            }
        }
    }

    /// Makes a program's call and writes its answer as the program gets it.
    async fn call_for_program(
        &self,
        caller: &Caller<'_>,
        name: &str,
        arguments: String,
        form: AnswerForm,
    ) -> Result<Unscanned<Result<String, RunError>>, RunError> {
        let bytes = arguments.len() as u64;
        let parsed = match parse(arguments).await {
            Ok(parsed) => parsed,
            Err(arguments) => return Err(self.refuse_unnamed(caller, name, &arguments).await),
        };
        let answer = self.call(caller, name, parsed, bytes).await?;
        if let Some(tool) = caller.called.get().filter(|_| answer.fact(has_binary)) {
            caller.person.note(not_searched(tool));
        }
        Ok(match form {
            AnswerForm::Raw => answer.map(|answer| Ok(answer_json(&answer.into_raw()))),
            AnswerForm::Value => answer.map_with(name, |name, answer| match answer.is_error {
                true => Err(tool_failure(&answer, name)),
                false => Ok(answer_json(&answer.into_value())),
            }),
        })
    }
}

/// Where an answer comes from, for reports.
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

/// Arguments as an object, or the text again. Long text is parsed on a blocking thread, so
/// that the end of the run need not wait for it.
async fn parse(arguments: String) -> Result<Map<String, Value>, String> {
    let parse = |text: String| serde_json::from_str(&text).map_err(|_| text);
    if arguments.len() < PARSED_AT_ONCE_BYTES {
        return parse(arguments);
    }
    let parsed = tokio::task::spawn_blocking(move || parse(arguments)).await;
    parsed.unwrap_or_else(|_| Err(String::new()))
}

/// A tool's own error, in the words of its server, which are marked as such.
fn tool_failure(answer: &Answer, name: &str) -> RunError {
    let text = answer.text();
    let text = text.trim();
    // No half of a value: it would not be recognised as personal data.
    let said = quoted(whole_words(text, 2000));
    let message = match said.as_str() {
        "" => format!("`{name}` failed without saying why"),
        _ if text.len() <= 2000 => format!("`{name}` {SERVER_SAYS}: {said}"),
        said => format!("`{name}` {SERVER_SAYS}: {} …", said.trim_end()),
    };
    RunError::new(ErrorCode::ToolFailed, message)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{AnswerForm, Request};

    #[test]
    fn different_requests_have_different_keys() {
        let tool = |name: &str, arguments: &str, form| {
            Request::Tool { name: name.into(), arguments: arguments.into(), form }.key()
        };
        let command = |name: &str, request: &str| {
            Request::Command { name: name.into(), request: request.into() }.key()
        };
        let keys = [
            tool("a", "{}", AnswerForm::Value),
            tool("a", "{}", AnswerForm::Raw),
            tool("a", "{ }", AnswerForm::Value),
            tool("a{", "}", AnswerForm::Value),
            command("a", "{}"),
            command("a{", "}"),
            Request::Fetch("a{}".into()).key(),
        ];
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len());
        assert_eq!(tool("a", "{}", AnswerForm::Value), keys[0]);
    }
}
