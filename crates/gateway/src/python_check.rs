//! Programs in Python before they run: read here, checked like all others.
//!
//! In: a program. Out: what was read out of it, then what is wrong with it, told by
//! the same code as for TypeScript (`check.rs`). Of a program that is not understood
//! nothing is known, which is said: its reading is not complete. Python itself says
//! what it does not understand.
//!
//! The source is hostile, and this process is not in a jail: the reading is bounded
//! (see [`analyse`]), on a thread with a stack of its own, few at a time.

use std::collections::BTreeSet;
use std::sync::Arc;

use tidegate_model::{ErrorCode, Language, Program, RunError, did_you_mean};
use tidegate_policy::Permissions;
use tidegate_python::{Analysis, Import, LONGEST_SOURCE, STACK_BYTES, analyse, without_fence};
use tokio::sync::{Semaphore, oneshot};

use crate::check::{CheckRequest, Examined, Reference, Sure};
use crate::gateway::Gateway;
use crate::python_types::Known;
use crate::view::View;

/// How many programs are read at once. Chosen: each takes milliseconds, and the
/// longest ones 60 MB.
const AT_ONCE: usize = 4;

/// Characters of a line of the program in an error, as in `failure.py`.
const SHOWN: usize = 120;

/// Packages that would make connections of their own, as in `failure.py`.
const CLIENTS: [&str; 4] = ["aiohttp", "httpx", "requests", "urllib3"];

/// Reads programs in Python.
pub(crate) struct PythonReader {
    room: Arc<Semaphore>,
}

impl Default for PythonReader {
    fn default() -> Self {
        Self { room: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

impl PythonReader {
    /// What is known of a program; nothing if it is not in Python.
    pub(crate) async fn read(&self, program: &Program) -> Option<Analysis> {
        if program.language != Language::Python {
            return None;
        }
        Some(self.understood(program).await.unwrap_or_default())
    }

    async fn understood(&self, program: &Program) -> Option<Analysis> {
        if program.source.len() > LONGEST_SOURCE {
            return None;
        }
        let turn = Arc::clone(&self.room).acquire_owned().await.ok()?;
        let source = program.source.clone();
        let (sender, read) = oneshot::channel();
        let thread = std::thread::Builder::new().name("python".to_owned()).stack_size(STACK_BYTES);
        let started = thread.spawn(move || {
            // The run may have been given up.
            let _ = sender.send(analyse(&source));
            drop(turn);
        });
        if let Err(error) = started {
            tracing::warn!(%error, "a program in Python is not checked");
            return None;
        }
        read.await.ok().flatten()
    }
}

impl Gateway {
    /// Checks a program and judges it. One that was not understood is judged as such,
    /// and left to Python to say what is wrong with it.
    pub(crate) async fn examine_python(
        &self,
        view: &View,
        permissions: &Permissions,
        program: &Program,
        reading: Option<Analysis>,
    ) -> Examined {
        let Some(analysis) = reading else {
            return self.examine(view, permissions, CheckRequest::default()).await;
        };
        let problems = match self.engines.python_modules() {
            Some(modules) => missing(&analysis.imports, modules, &program.source),
            None => Vec::new(),
        };
        let references = analysis.references.into_iter().map(Reference::from).collect();
        // Python itself says what it does not understand.
        let has_types = self.python_types.is_some() && analysis.understood;
        let text = has_types.then(|| plain_lines(&program.source));
        let python = Known { kept: analysis.kept, hints: analysis.hints };
        let reading = analysis.reading;
        let request = CheckRequest { references, text, reading, problems, python };
        self.examine(view, permissions, request).await
    }
}

impl From<tidegate_python::Reference> for Reference {
    fn from(read: tidegate_python::Reference) -> Self {
        Self {
            server: read.server,
            tool: read.tool,
            arguments: read.arguments,
            sure: Sure::default(),
            written: read.written,
            line: read.line,
            column: read.column,
            server_at: read.server_at,
            called: read.called,
            guarded: read.guarded,
            literals: read.literals,
            repeated: read.repeated,
        }
    }
}

/// The program itself, with one kind of line ends: everybody counts those the same.
fn plain_lines(source: &str) -> String {
    without_fence(source).replace("\r\n", "\n").replace('\r', "\n")
}

/// The imports that are sure to fail, in the words of Python, which would say them
/// later: perhaps after calls had their effect.
fn missing(imports: &[Import], modules: &BTreeSet<String>, source: &str) -> Vec<RunError> {
    let absent = imports.iter().filter(|one| one.is_sure && !modules.contains(&one.module));
    let problem = |import: &Import| {
        let Import { module, line, column, .. } = import;
        let written = source.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
        let written: String = written.trim().chars().take(SHOWN).collect();
        let message =
            format!("ModuleNotFoundError: No module named '{module}'\n  line {line}: {written}");
        let near = did_you_mean(module, modules.iter().map(String::as_str));
        let instead = match CLIENTS.contains(&module.as_str()) {
            true => "use `fetch(url)`, which needs no import; ",
            false => "",
        };
        let hint = format!(
            "{}{instead}only the standard library and `servers` can be imported; for `{module}` name a \
             virtual environment that has it in `python.packages`",
            near.map(|near| format!("{near} ")).unwrap_or_default()
        );
        let error = RunError::new(ErrorCode::Thrown, message).with_hint(hint);
        RunError { line: Some(*line), column: Some(*column), ..error }
    };
    absent.map(problem).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tidegate_python::Import;

    use super::missing;

    fn told(module: &str, is_sure: bool) -> Vec<String> {
        let modules: BTreeSet<String> = ["json", "os"].map(str::to_owned).into();
        let import = Import { module: module.to_owned(), line: 2, column: 1, is_sure };
        let source = format!("x = 1\nimport {module}\n");
        missing(&[import], &modules, &source).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_module_that_is_not_there_is_told_in_the_words_of_python() {
        assert_eq!(
            told("pandas", true),
            ["error[program.threw]: ModuleNotFoundError: No module named 'pandas'\n  \
              line 2: import pandas\n  at line 2, column 1 of your program\nhint: only the standard library and \
              `servers` can be imported; for `pandas` name a virtual environment that has it in \
              `python.packages`"]
        );
        assert_eq!(
            told("jsn", true),
            ["error[program.threw]: ModuleNotFoundError: No module named 'jsn'\n  \
              line 2: import jsn\n  at line 2, column 1 of your program\nhint: did you mean `json`? only the standard \
              library and `servers` can be imported; for `jsn` name a virtual environment that \
              has it in `python.packages`"]
        );
        assert_eq!(told("json", true), Vec::<String>::new());
        assert_eq!(told("pandas", false), Vec::<String>::new());
    }
}
