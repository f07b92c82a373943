//! The arguments of `execute_code`: a program to run, or a run to resume.
//!
//! In: the JSON of a client. Out: exactly one of the two, or an error with the next step.

use std::time::Duration;

use serde::Deserialize;
use tidegate_gateway::RunContext;
use tidegate_model::{
    Engine, ErrorCode, Language, Program, RunError, RunId, RunOptions, SandboxKind,
};

/// The arguments as a client sends them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExecuteCode {
    #[serde(default)]
    code: Option<String>,
    /// A run that waits for an approval; replaces `code`.
    #[serde(default)]
    resume: Option<String>,
    #[serde(default)]
    language: Option<String>,
    #[serde(default)]
    timeout_ms: Option<u64>,
    #[serde(default)]
    engine: Option<Engine>,
    /// A stronger sandbox than the program needs.
    #[serde(default)]
    sandbox: Option<SandboxKind>,
    #[serde(default)]
    memory_mb: Option<u64>,
    /// Whether a person approves the program in any case.
    #[serde(default)]
    ask: Option<bool>,
    /// A label for people.
    #[serde(default)]
    action: Option<String>,
    /// Accepted from clients that narrow a run; not in the schema, where it would cost every
    /// model tokens.
    #[serde(default)]
    profile: Option<String>,
}

/// What the client wants to run.
pub(crate) enum RequestedRun {
    Run(Program),
    Resume(RunId),
}

impl ExecuteCode {
    /// The context of the request, narrowed by its arguments.
    pub(crate) fn context(&self, context: &RunContext) -> Result<RunContext, RunError> {
        let wrong = |message: &str| Err(RunError::new(ErrorCode::BadArgument, message));
        let most = RunOptions::ACTION_CHARS;
        if self.action.as_ref().is_some_and(|action| action.chars().count() > most) {
            return wrong(&format!("`action` has at most {most} characters"));
        }
        if self.memory_mb == Some(0) {
            return wrong("`memory_mb` must be at least 1");
        }
        let options = RunOptions {
            memory_bytes: self.memory_mb.map(|megabytes| megabytes.saturating_mul(1 << 20)),
            needs_approval: self.ask == Some(true),
            action: self.action.clone(),
        };
        let (profile, sandbox) = (self.profile.clone(), self.sandbox);
        Ok(RunContext { profile, sandbox, options, ..context.clone() })
    }

    pub(crate) fn requested_run(self) -> Result<RequestedRun, RunError> {
        let code = match (self.code, self.resume) {
            (Some(code), None) => code,
            (None, Some(id)) => {
                let changes_the_run = self.language.is_some()
                    || self.engine.is_some()
                    || self.timeout_ms.is_some()
                    || self.memory_mb.is_some()
                    || self.ask.is_some()
                    || self.action.is_some();
                return if changes_the_run {
                    Err(unchangeable_on_resume())
                } else {
                    Ok(RequestedRun::Resume(RunId(id)))
                };
            }
            (Some(_), Some(_)) => {
                let message = "`execute_code` takes `code` or `resume`, not both";
                return Err(RunError::new(ErrorCode::BadArgument, message)
                    .with_hint("omit `code` to resume a run"));
            }
            (None, None) => {
                let message = "`execute_code` needs `code`";
                return Err(RunError::new(ErrorCode::BadArgument, message)
                    .with_hint("send a program in TypeScript or Python"));
            }
        };
        let language = match self.language.as_deref() {
            None => Language::of(&code),
            Some(word) => Language::parse(word).ok_or_else(|| {
                let word = word.escape_debug();
                let message = format!("`language` must be `typescript` or `python`, got `{word}`");
                RunError::new(ErrorCode::BadArgument, message)
                    .with_hint("write the program in one of them, or omit `language`")
            })?,
        };
        let timeout = self.timeout_ms.map(Duration::from_millis);
        Ok(RequestedRun::Run(Program { source: code, language, engine: self.engine, timeout }))
    }
}

fn unchangeable_on_resume() -> RunError {
    let message = "`language`, `engine`, `timeout_ms`, `memory_mb`, `ask` and `action` cannot be \
                   changed when a run is resumed";
    RunError::new(ErrorCode::BadArgument, message).with_hint("send `resume` alone")
}
