//! Relays messages between the engine's process and the gateway.
//!
//! In: frames from the child. Out: calls, questions and logs through the [`Host`], which
//! counts and limits them as for QuickJS, and the outcome.
//! Invariant: the child is hostile once it has the program; an unexpected frame ends the run.

use std::io;
use std::time::{Duration, Instant};

use serde_json::json;
use tidegate_model::{LineMap, RunError, did_you_mean};
use tidegate_wire::{
    EngineLimit, Failure, FromEngine, FromGuest, Phase, RunRequest, Thrown, ToEngine,
};

use crate::globals::{API, EAGER, LAZY, error_json};
use crate::host::Host;
use crate::thrown::{
    as_bad_output, as_rejection, as_syntax_error, explain, lost, stuck, with_mistake_hint,
};
use crate::v8::arguments::ExternalEngine;
use crate::v8::child::{Child, Received, peak_memory_bytes};
use crate::v8::exit;

const BOOTSTRAP: &str = include_str!("bootstrap.js");

/// How long an engine may take to start. Chosen: below the time in which a worker must say
/// hello, far above the usual tenth of a second.
const START_TIMEOUT: Duration = Duration::from_secs(8);

/// An engine with its globals, ready for one program.
pub(crate) struct V8 {
    child: Child,
}

impl V8 {
    /// Starts the engine and builds the globals.
    pub(crate) fn start(external: &ExternalEngine) -> io::Result<Self> {
        let mut child = Child::start(external)?;
        child.send(&ToEngine::Script(script()))?;
        match child.receive(Some(Instant::now() + START_TIMEOUT)) {
            Received::Message(FromEngine::Ready) => Ok(Self { child }),
            Received::Message(_) | Received::TimedOut | Received::Broken => {
                Err(io::Error::other(child.end()))
            }
        }
    }

    /// Runs one program to its end.
    pub(crate) fn run(
        &mut self,
        host: &Host,
        request: &RunRequest,
    ) -> Result<Option<String>, Failure> {
        let executable = request.executable.as_ref().ok_or_else(lost)?;
        if self.child.send(&ToEngine::Program(executable.code.clone())).is_err() {
            return Err(exit::explain(&self.child.end()));
        }
        loop {
            let message = match self.child.receive(host.deadline()) {
                Received::Message(message) => message,
                Received::TimedOut => return Err(EngineLimit::Time.into()),
                Received::Broken => return Err(exit::explain(&self.child.end())),
            };
            if let Some(outcome) = self.take(message, host, request) {
                return outcome;
            }
        }
    }

    /// Kills the engine and returns its peak memory in bytes.
    pub(crate) fn end(&mut self) -> u64 {
        self.child.end();
        peak_memory_bytes()
    }

    /// Handles one message. Returns the outcome if it was the last one.
    fn take(
        &mut self,
        message: FromEngine,
        host: &Host,
        request: &RunRequest,
    ) -> Option<Result<Option<String>, Failure>> {
        let answer = match message {
            FromEngine::Guest(message) => match relayed(message, host)? {
                Ok(answer) => answer,
                Err(error) => return Some(Err(error)),
            },
            FromEngine::Wait { milliseconds } => {
                let until = Instant::now() + Duration::from_millis(u64::from(milliseconds));
                match host.next_reply(Some(until)) {
                    Ok(Some((id, outcome))) => reply(id, outcome),
                    Ok(None) => ToEngine::Nothing,
                    Err(_) => return Some(Err(lost())),
                }
            }
            FromEngine::Nearest { name, candidates } => nearest(&name, &candidates),
            FromEngine::Returned { output } => return Some(checked_output(output, host)),
            FromEngine::Threw { phase, thrown } => {
                return Some(Err(failure(phase, thrown, host, request)));
            }
            FromEngine::Stuck => return Some(Err(stuck())),
            FromEngine::Ready => return Some(Err(lost())),
        };
        // If this fails the child is gone, and the next receive reports it.
        let _ = self.child.send(&answer);
        None
    }
}

/// Passes a message on to the gateway. Returns the answer for the child, if it gets one now.
fn relayed(message: FromGuest, host: &Host) -> Option<Result<ToEngine, Failure>> {
    let gone = |sent: io::Result<()>| sent.err().map(|_| Err(lost()));
    match message {
        FromGuest::Log { level, text } => match host.print(level, &text) {
            Ok(true) => None,
            Ok(false) => Some(Err(EngineLimit::Output.into())),
            Err(_) => Some(Err(lost())),
        },
        FromGuest::Prepared(_)
        | FromGuest::Hello { .. }
        | FromGuest::Done { .. }
        | FromGuest::Failed { .. } => Some(Err(lost())),
        FromGuest::Ask { question, body, .. } => {
            let answered = host.ask(question, body);
            Some(answered.map(|(id, outcome)| reply(id, outcome)).map_err(|_| lost()))
        }
        message
        @ (FromGuest::Call { .. } | FromGuest::Fetch { .. } | FromGuest::Command { .. }) => {
            gone(host.request(&message))
        }
    }
}

fn reply(id: u32, outcome: Result<String, RunError>) -> ToEngine {
    match outcome {
        Ok(text) => ToEngine::Reply { id, ok: true, text },
        Err(error) => ToEngine::Reply { id, ok: false, text: error_json(id, error) },
    }
}

fn nearest(name: &str, candidates: &str) -> ToEngine {
    let candidates: Vec<String> = serde_json::from_str(candidates).unwrap_or_default();
    match did_you_mean(name, candidates.iter().map(String::as_str)) {
        Some(text) => ToEngine::Reply { id: 0, ok: true, text },
        None => ToEngine::Nothing,
    }
}

fn checked_output(output: Option<String>, host: &Host) -> Result<Option<String>, Failure> {
    let bytes = output.as_ref().map_or(0, String::len) as u64;
    if !host.count_output(bytes) {
        return Err(EngineLimit::Output.into());
    }
    Ok(output)
}

fn failure(phase: Phase, thrown: Thrown, host: &Host, request: &RunRequest) -> Failure {
    let map =
        request.executable.as_ref().map(|executable| LineMap::from_bytes(&executable.line_map));
    let error = with_mistake_hint(explain(thrown, &map.unwrap_or_default()), &request.source, host);
    match phase {
        Phase::Compile => as_syntax_error(error),
        Phase::Run => error,
        Phase::Rejection => as_rejection(error),
        Phase::Output => as_bad_output(error),
    }
}

/// Our script and the scripts that it loads, as one function of `io`.
fn script() -> String {
    let lazy: serde_json::Map<String, serde_json::Value> =
        LAZY.iter().map(|script| (script.name.to_owned(), json!(script.source))).collect();
    let eager = EAGER.map(|script| (script.name, script.source));
    let scripts = json!({"api": API.source, "eager": eager, "lazy": lazy});
    // JSON is valid JavaScript, and all of this text is ours. The brackets are needed since
    // `return` followed by a comment and a line break would end the statement.
    format!("(function (io) {{ return ({BOOTSTRAP})(io, {scripts}); }})")
}
