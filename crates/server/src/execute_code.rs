//! The arguments of `execute_code`: a program to run, or a run to go on with.

use std::time::Duration;

use serde::Deserialize;
use tidegate_model::{Engine, ErrorCode, Language, Program, RunError, RunId};

/// The arguments as a client sends them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExecuteCode {
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
    pub(crate) profile: Option<String>,
}

/// What they ask for.
pub(crate) enum Task {
    Run(Program),
    Resume(RunId),
}

impl ExecuteCode {
    pub(crate) fn task(self) -> Result<Task, RunError> {
        let code = match (self.code, self.resume) {
            (Some(code), None) => code,
            (None, Some(id)) => {
                let is_other_program =
                    self.language.is_some() || self.engine.is_some() || self.timeout_ms.is_some();
                return if is_other_program {
                    Err(goes_on_as_it_was())
                } else {
                    Ok(Task::Resume(RunId(id)))
                };
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
        let language = match self.language.as_deref() {
            None => Language::of(&code),
            Some(word) => Language::parse(word).ok_or_else(|| {
                let word = word.escape_debug();
                let message = format!("`language` must be `typescript` or `python`, got `{word}`");
                RunError::new(ErrorCode::BadArgument, message)
                    .with_hint("write the program in one of them, or leave `language` out")
            })?,
        };
        let timeout = self.timeout_ms.map(Duration::from_millis);
        Ok(Task::Run(Program { source: code, language, engine: self.engine, timeout }))
    }
}

fn goes_on_as_it_was() -> RunError {
    let message = "`language`, `engine` and `timeout_ms` cannot be changed when a run goes on";
    RunError::new(ErrorCode::BadArgument, message).with_hint("send `resume` alone")
}
