//! Checks a program before it runs.
//!
//! In: what a reader has read out of the program. Out: warnings, or one error with all
//! problems, and the judgement of the program. The reader is not trusted: a wrong
//! reference gives its own program a wrong error.
//!
//! A server that cannot be started is skipped: the program gets the error at its call,
//! which it may never make.

use std::collections::{BTreeSet, HashSet};

use tidegate_catalog::{Catalog, Resolution};
use tidegate_config::PrivacyMode;
use tidegate_model::{Language, NAME_LIMIT, Prepared, Reference, RunError};
use tidegate_policy::Permissions;

use super::Examiner;
use crate::examine::judge::Judgement;
use crate::examine::missing_modules::missing_modules;
use crate::examine::python_types::PythonRequest;
use crate::examine::token_comparisons;
use crate::examine::type_check::TypeRequest;
use crate::explain;
use crate::tools::view::View;

/// How many problems one error reports. More are not read.
const MOST_PROBLEMS: usize = 5;

/// The result of examining a program before it runs.
pub(crate) struct Examined {
    /// Warnings, or why it cannot run.
    pub(crate) verdict: Result<Vec<String>, RunError>,
    pub(crate) judgement: Judgement,
}

impl Examiner {
    /// Checks a program that was read, and judges it. `modules` are the Python modules
    /// available here, if known.
    pub(super) async fn examine(
        &self,
        view: &View,
        permissions: &Permissions,
        source: &str,
        prepared: &Prepared,
        modules: Option<&BTreeSet<String>>,
    ) -> Examined {
        let mut verdict = self.check(view, source, prepared, modules).await;
        if let (Ok(warnings), PrivacyMode::Boundary) = (&mut verdict, self.privacy_mode) {
            warnings.extend(token_comparisons::warning(view.language, &prepared.reading));
        }
        // The check has looked up names that were unknown before.
        let catalog = self.tools.discovery.catalog();
        let judgement = self.judgement(view.language, permissions, &catalog, prepared);
        Examined { verdict, judgement }
    }

    /// Checks a program and gives warnings about it, or why it must not run.
    async fn check(
        &self,
        view: &View,
        source: &str,
        prepared: &Prepared,
        modules: Option<&BTreeSet<String>>,
    ) -> Result<Vec<String>, RunError> {
        let Prepared { references, python, .. } = prepared;
        let mut problems = match modules {
            Some(modules) => missing_modules(&python.imports, modules, source),
            None => Vec::new(),
        };
        problems.extend(self.unknown_names(view.language, references).await);
        // Stable: problems at one place stay in the order in which they were found.
        problems.sort_by_key(|problem| (problem.line, problem.column));
        if let Some(error) = combined(problems) {
            return Err(error);
        }
        // The program has not started to run, so it may see what was just learned.
        view.renew(self.tools.discovery.catalog());
        let Some(text) = &prepared.check_text else { return Ok(Vec::new()) };
        let catalog = view.catalog();
        match (view.language, &self.types, &self.python_types) {
            (Language::TypeScript, Some(types), _) => {
                types.check(&TypeRequest { catalog: &catalog, text, references }).await
            }
            (Language::Python, _, Some(types)) => {
                let known = python;
                types.check(&PythonRequest { catalog: &catalog, text, references, known }).await
            }
            (Language::TypeScript, None, _) | (Language::Python, _, None) => Ok(Vec::new()),
        }
    }

    /// The references that name nothing, each with its error. At most one more than is
    /// reported: looking for the nearest names is expensive, and the guest chooses the
    /// names.
    async fn unknown_names(&self, language: Language, references: &[Reference]) -> Vec<RunError> {
        let mut seen = HashSet::new();
        let asked: Vec<&Reference> = references
            .iter()
            .filter(|one| is_certain(one) && is_short(one) && seen.insert((&one.server, &one.tool)))
            .collect();
        let catalog = self.tools.discovery.catalog();
        // What a snapshot does not know may be new. For a call whose failure the program handles
        // no server is started ahead: it may not be made, and asks when it is.
        let is_looked_up = |one: &&Reference| {
            is_short(one)
                && !one.guarded
                && (is_certain(one) || one.arguments.is_some() || one.passed)
        };
        let unsure: BTreeSet<&str> = references
            .iter()
            .filter(is_looked_up)
            .filter_map(|one| server_to_ask(one, &catalog))
            .collect();
        let unsure: Vec<String> = unsure.into_iter().map(str::to_owned).collect();
        let absent = match unsure.is_empty() {
            true => Vec::new(),
            false => self.tools.discovery.learn(&unsure).await,
        };
        let catalog = self.tools.discovery.catalog();
        let is_reachable = |one: &&Reference| {
            catalog.server_name(&one.server).map_or(true, |name| !absent.iter().any(|a| a == name))
        };
        let mut said = HashSet::new();
        asked
            .into_iter()
            .filter(is_reachable)
            .filter_map(|one| problem(&catalog, language, one))
            // A server that does not exist has no tools either.
            .filter(|error| said.insert(error.message.clone()))
            .take(MOST_PROBLEMS + 1)
            .collect()
    }
}

/// Whether an unknown name is an error.
fn is_certain(reference: &Reference) -> bool {
    !reference.guarded && !reference.probable
}

fn is_short(reference: &Reference) -> bool {
    reference.server.len() <= NAME_LIMIT
        && reference.tool.as_ref().is_none_or(|tool| tool.len() <= NAME_LIMIT)
}

/// The server whose live tools are needed to judge a reference.
fn server_to_ask<'c>(reference: &Reference, catalog: &'c Catalog) -> Option<&'c str> {
    let name = catalog.server_name(&reference.server).ok()?;
    let tools = catalog.server(name)?;
    let known = match &reference.tool {
        Some(tool) => tools.find(tool).is_some(),
        None => !reference.called || !tools.functions.is_empty(),
    };
    (!known).then_some(name)
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
fn combined(problems: Vec<RunError>) -> Option<RunError> {
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

    use super::combined;

    fn problem(line: u32, message: &str, hint: &str) -> RunError {
        let error = RunError::new(ErrorCode::UnknownTool, message).with_hint(hint);
        RunError { line: Some(line), column: Some(7), ..error }
    }

    #[test]
    fn one_problem_stays_as_it_is_and_none_is_no_error() {
        let one = problem(3, "a", "b");
        assert_eq!(combined(vec![one.clone()]), Some(one));
        assert_eq!(combined(Vec::new()), None);
    }

    #[test]
    fn several_problems_become_one_error_with_the_place_of_the_first() {
        let problems = vec![problem(3, "a", "x"), problem(5, "b", "y"), problem(9, "c", "y")];
        let error = problem(3, "a; line 5: b; line 9: c", "line 3: x; line 5: y");
        assert_eq!(combined(problems), Some(error));
    }

    #[test]
    fn more_than_five_are_not_listed() {
        let problems = (1..=7).map(|line| problem(line, "a", "x")).collect();
        let error = problem(1, "a; line 2: a; line 3: a; line 4: a; line 5: a; and more", "x");
        assert_eq!(combined(problems), Some(error));
    }
}
