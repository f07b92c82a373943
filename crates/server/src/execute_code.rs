//! The arguments of `execute_code`: a program to run, or a run to resume.
//!
//! In: the JSON of a client. Out: exactly one of the two, or an error with the next step.

use std::time::Duration;

use serde::Deserialize;
use tidegate_model::{Engine, ErrorCode, Language, Program, RunError, RunId};

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
    /// Accepted from clients that narrow a run; not in the schema, where it would cost every
    /// model tokens.
    #[serde(default)]
    pub(crate) profile: Option<String>,
}

/// What the client wants to run.
pub(crate) enum RequestedRun {
    Run(Program),
    Resume(RunId),
}

impl ExecuteCode {
    pub(crate) fn requested_run(self) -> Result<RequestedRun, RunError> {
        let code = match (self.code, self.resume) {
            (Some(code), None) => code,
            (None, Some(id)) => {
                let changes_the_run =
                    self.language.is_some() || self.engine.is_some() || self.timeout_ms.is_some();
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
    let message = "`language`, `engine` and `timeout_ms` cannot be changed when a run is resumed";
    RunError::new(ErrorCode::BadArgument, message).with_hint("send `resume` alone")
}
