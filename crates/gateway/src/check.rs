//! What is wrong with a program, found before it runs.
//!
//! In: the references that the worker read out of the program's source (of Python:
//! that we did, `python_check.rs`), and the source as a type checker can take it. Out: nothing, or one error with all that
//! was found. The worker is not believed in anything here: a wrong reference
//! costs its own program a wrong error.
//!
//! A server that cannot be started is passed over: the program is told at its
//! call, and may never get there.

use std::collections::{BTreeSet, HashSet};

use serde::Deserialize;
use serde_json::{Map, Value};
use tidegate_catalog::{Catalog, Resolution};
use tidegate_model::reading::Reading;
use tidegate_model::{ErrorCode, Language, RunError};
use tidegate_policy::Permissions;
use tidegate_python::Written;
use tidegate_wire::NAME_LIMIT;

use crate::explain;
use crate::gateway::Gateway;
use crate::judge::Judgement;
use crate::python_types::{Known, PythonRequest};
use crate::type_check::TypeRequest;
use crate::view::View;

/// How many problems one error tells. More are not read.
const MOST_PROBLEMS: usize = 5;

/// What is known of a program.
#[derive(Default, Deserialize)]
pub(crate) struct CheckRequest {
    pub(crate) references: Vec<Reference>,
    /// The program for the type checker, with the lines it was written in;
    /// nothing if it must not be given to one.
    pub(crate) text: Option<String>,
    /// What the rules of `validate` judge. As the worker sent it: not yet bounded.
    #[serde(default)]
    pub(crate) reading: Reading,
    /// What is wrong with it besides, found by the gateway itself.
    #[serde(skip)]
    pub(crate) problems: Vec<RunError>,
    /// What else is known of a program in Python.
    #[serde(skip)]
    pub(crate) python: Known,
}

/// One use of a server or tool.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reference {
    /// As written.
    pub(crate) server: String,
    /// As written; none where only the server is named.
    pub(crate) tool: Option<String>,
    /// The brackets with the arguments of a call: line and column of both ends.
    pub(crate) arguments: Option<(u32, u32, u32, u32)>,
    /// What of the arguments is sure to be as it is written.
    #[serde(default)]
    pub(crate) sure: Sure,
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// The same of a call in Python, which the worker does not read.
    #[serde(skip)]
    pub(crate) written: Written,
    /// Where the server is named, if elsewhere.
    pub(crate) server_at: Option<(u32, u32)>,
    #[serde(default)]
    pub(crate) called: bool,
    /// Whether the program is prepared for it to fail.
    pub(crate) guarded: bool,
    /// The arguments that are written as literals; the rest is absent.
    #[serde(default)]
    pub(crate) literals: Map<String, Value>,
    /// Whether it is in a loop, or in a function that is called for each of a list.
    #[serde(default)]
    pub(crate) repeated: bool,
}

/// What was found out about a program before it runs.
pub(crate) struct Examined {
    /// Warnings, or why it cannot run.
    pub(crate) verdict: Result<Vec<String>, RunError>,
    pub(crate) judgement: Judgement,
}

/// Lines and columns in the arguments of a call where a type error is about
/// nothing that a variable holds.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Sure {
    /// Objects with all their keys written out, and the keys that have such values.
    pub(crate) objects: Vec<(u32, u32)>,
    /// Literals: the argument itself, the keys that have such values, elements.
    pub(crate) values: Vec<(u32, u32)>,
    /// Keys that are written out.
    pub(crate) keys: Vec<(u32, u32)>,
}

impl Gateway {
    /// Examines what a worker has read out of its program.
    pub(crate) async fn examine_said(
        &self,
        view: &View,
        permissions: &Permissions,
        body: &str,
    ) -> Result<Examined, RunError> {
        let request: CheckRequest = serde_json::from_str(body).map_err(|_| {
            RunError::new(ErrorCode::WorkerDied, "the worker sent a check that cannot be read")
        })?;
        Ok(self.examine(view, permissions, request).await)
    }

    /// Checks a program and judges it.
    pub(crate) async fn examine(
        &self,
        view: &View,
        permissions: &Permissions,
        mut request: CheckRequest,
    ) -> Examined {
        let verdict = self.check(view, &mut request).await;
        let reading = std::mem::take(&mut request.reading).bounded();
        // Names that were not known before the check are by now, if they ever will be.
        let catalog = self.discovery.catalog();
        let references = &request.references;
        let judgement = self.judge(view.language, permissions, &catalog, &reading, references);
        Examined { verdict, judgement }
    }

    /// Checks a program and gives warnings about it, or why it must not run.
    async fn check(
        &self,
        view: &View,
        request: &mut CheckRequest,
    ) -> Result<Vec<String>, RunError> {
        let mut problems = std::mem::take(&mut request.problems);
        problems.extend(self.unknown_names(view.language, &request.references).await);
        // Those of one place in the order in which they were found.
        problems.sort_by_key(|problem| (problem.line, problem.column));
        if let Some(error) = told_at_once(problems) {
            return Err(error);
        }
        // Nothing of the program has run: it may see what was learned just now.
        view.renew(self.discovery.catalog());
        let Some(text) = &request.text else { return Ok(Vec::new()) };
        let catalog = view.catalog();
        let references = &request.references;
        match (view.language, &self.types, &self.python_types) {
            (Language::TypeScript, Some(types), _) => {
                types.check(&TypeRequest { catalog: &catalog, text, references }).await
            }
            (Language::Python, _, Some(types)) => {
                let known = &request.python;
                types.check(&PythonRequest { catalog: &catalog, text, references, known }).await
            }
            (Language::TypeScript, None, _) | (Language::Python, _, None) => Ok(Vec::new()),
        }
    }

    /// The references that name nothing, each with its error. One more than are
    /// told: looking for the nearest names is dear, and the worker chooses them.
    async fn unknown_names(&self, language: Language, references: &[Reference]) -> Vec<RunError> {
        let mut seen = HashSet::new();
        let asked: Vec<&Reference> = references
            .iter()
            .filter(|one| !one.guarded && one.is_short() && seen.insert((&one.server, &one.tool)))
            .collect();
        let catalog = self.discovery.catalog();
        // What a snapshot does not know may be new.
        let unsure: BTreeSet<&str> =
            asked.iter().filter_map(|one| one.server_to_ask(&catalog)).collect();
        let unsure: Vec<String> = unsure.into_iter().map(str::to_owned).collect();
        let absent = match unsure.is_empty() {
            true => Vec::new(),
            false => self.discovery.learn(&unsure).await,
        };
        let catalog = self.discovery.catalog();
        let told = |one: &&Reference| {
            catalog.server_name(&one.server).map_or(true, |name| !absent.iter().any(|a| a == name))
        };
        let mut said = HashSet::new();
        asked
            .into_iter()
            .filter(told)
            .filter_map(|one| problem(&catalog, language, one))
            // A server that is not there has no tools either.
            .filter(|error| said.insert(error.message.clone()))
            .take(MOST_PROBLEMS + 1)
            .collect()
    }
}

impl Reference {
    fn is_short(&self) -> bool {
        self.server.len() <= NAME_LIMIT
            && self.tool.as_ref().is_none_or(|tool| tool.len() <= NAME_LIMIT)
    }

    /// The server whose live tools are needed to judge this.
    fn server_to_ask<'c>(&self, catalog: &'c Catalog) -> Option<&'c str> {
        let name = catalog.server_name(&self.server).ok()?;
        let tools = catalog.server(name)?;
        let known = match &self.tool {
            Some(tool) => tools.find(tool).is_some(),
            None => !self.called || !tools.functions.is_empty(),
        };
        (!known).then_some(name)
    }
}

/// What is wrong with a reference, as far as the catalog knows.
fn problem(catalog: &Catalog, language: Language, reference: &Reference) -> Option<RunError> {
    let server = match catalog.server_name(&reference.server) {
        Ok(server) => server,
        Err(hint) => {
            let error = explain::unknown_server(&reference.server, &hint);
            let place = reference.server_at.unwrap_or((reference.line, reference.column));
            return Some(placed(error, place));
        }
    };
    let error = match &reference.tool {
        None if reference.called => {
            let names = catalog.server(server).map(|tools| tools.names_in(language));
            explain::called_server(server, language, &names.unwrap_or_default())
        }
        None => return None,
        Some(tool) => match catalog.resolve_in(language, &format!("{server}__{tool}")) {
            Resolution::Tool { .. } => return None,
            Resolution::NotListed { server } => explain::no_tools(&server),
            Resolution::UnknownTool { server, given, hint } => {
                explain::unknown_tool(&server, &given, &hint)
            }
            Resolution::UnknownServer { given, hint } => explain::unknown_server(&given, &hint),
        },
    };
    Some(placed(error, (reference.line, reference.column)))
}

fn placed(error: RunError, (line, column): (u32, u32)) -> RunError {
    RunError { line: Some(line), column: Some(column), ..error }
}

/// All problems in one error: code and place are those of the first.
fn told_at_once(problems: Vec<RunError>) -> Option<RunError> {
    let more = problems.len() > MOST_PROBLEMS;
    let mut problems = problems.into_iter().take(MOST_PROBLEMS);
    let mut all = problems.next()?;
    let mut hints: Vec<(Option<u32>, String)> = Vec::new();
    hints.extend(all.hint.take().map(|hint| (all.line, hint)));
    for one in problems {
        let line = one.line.unwrap_or_default();
        all.message.push_str(&format!("; line {line}: {}", one.message));
        hints.extend(one.hint.map(|hint| (one.line, hint)));
    }
    if more {
        all.message.push_str("; and more");
    }
    // The same server twice gives the same list twice.
    let mut said = HashSet::new();
    hints.retain(|(_, hint)| said.insert(hint.clone()));
    let hints: Vec<String> = match hints.as_slice() {
        [(_, only)] => vec![only.clone()],
        several => several
            .iter()
            .map(|(line, hint)| format!("line {}: {hint}", line.unwrap_or_default()))
            .collect(),
    };
    all.hint = (!hints.is_empty()).then(|| hints.join("; "));
    Some(all.clipped())
}

#[cfg(test)]
mod tests {
    use tidegate_model::{ErrorCode, RunError};

    use super::told_at_once;

    fn problem(line: u32, message: &str, hint: &str) -> RunError {
        let error = RunError::new(ErrorCode::UnknownTool, message).with_hint(hint);
        RunError { line: Some(line), column: Some(7), ..error }
    }

    #[test]
    fn one_problem_is_told_as_it_is_and_none_not_at_all() {
        let one = problem(3, "a", "b");
        assert_eq!(told_at_once(vec![one.clone()]), Some(one));
        assert_eq!(told_at_once(Vec::new()), None);
    }

    #[test]
    fn several_problems_become_one_error_with_the_place_of_the_first() {
        let problems = vec![problem(3, "a", "x"), problem(5, "b", "y"), problem(9, "c", "y")];
        let told = problem(3, "a; line 5: b; line 9: c", "line 3: x; line 5: y");
        assert_eq!(told_at_once(problems), Some(told));
    }

    #[test]
    fn more_than_five_are_not_listed() {
        let problems = (1..=7).map(|line| problem(line, "a", "x")).collect();
        let told = problem(1, "a; line 2: a; line 3: a; line 4: a; line 5: a; and more", "x");
        assert_eq!(told_at_once(problems), Some(told));
    }
}
