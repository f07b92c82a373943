//! Type-checks a TypeScript program against the tools it uses, before it runs.
//!
//! In: the program in a form that TypeScript accepts, and where it uses which tools. Out:
//! an error that ends the run before it starts, or warnings that are sent with its
//! answer.
//!
//! Models write JavaScript with a few types: most of what TypeScript would complain about
//! runs well. So the program is checked again with fewer types known, to find out what an
//! error is about. An error that remains when results can be anything, and is about
//! something written out in the arguments of a tool, is certainly a mistake: the call
//! would be refused when it is made, perhaps after others had their effect. The reader
//! knows from the syntax tree what is written out. An error that disappears without the
//! types of results is about results. These types can be wrong, and a program may look
//! for missing values on purpose, so that is a warning.

use std::collections::BTreeMap;

use tidegate_catalog::{Catalog, ResultTypes, folder_name};
use tidegate_config::TypeCheck;
use tidegate_model::{Reference, RunError, ToolRef};
use tidegate_typecheck::{Diagnostic, SourceFile, TypeCheckError, TypeChecker};

use crate::examine::type_report::{Problem, Severity, verdict};

/// Larger declarations are not checked against: reading them takes longer than the check
/// is worth. Chosen, not tuned.
const DECLARATION_BYTES: usize = 4 * 1024 * 1024;

/// Codes that say "this value does not fit there".
const MISMATCHES: [u32; 8] = [2322, 2345, 2559, 2739, 2740, 2741, 2769, 2820];

/// Codes that say "this object lacks properties", or that a part of it does not fit.
const MISSING: [u32; 3] = [2739, 2740, 2741];
const NOT_ASSIGNABLE: [u32; 2] = [2322, 2345];

/// "There is no such property": most schemas allow more than they name.
const UNKNOWN_KEY: u32 = 2353;

/// "There is no such property. Did you mean …?"
const MISSPELT_KEY: u32 = 2561;

/// Codes that say "more arguments are expected".
const TOO_FEW_ARGUMENTS: [u32; 2] = [2554, 2555];

/// The TypeScript checker of a gateway, and its mode.
pub(crate) struct Types {
    checker: TypeChecker,
    mode: TypeCheck,
}

/// The input of a check.
pub(crate) struct TypeRequest<'a> {
    pub(crate) catalog: &'a Catalog,
    /// The source, in which `return` at the top level is `throw`.
    pub(crate) text: &'a str,
    pub(crate) references: &'a [Reference],
}

impl Types {
    pub(crate) fn new(checker: TypeChecker, mode: TypeCheck) -> Self {
        Self { checker, mode }
    }

    /// Starts the compiler ahead of the first program.
    pub(crate) fn warm_up(&self) {
        self.checker.warm_up();
    }

    /// Warnings about a program, or why it must not run.
    pub(crate) async fn check(&self, request: &TypeRequest<'_>) -> Result<Vec<String>, RunError> {
        match self.problems(request).await {
            Ok(problems) => {
                verdict(&problems, |one| message(request, one), |one| signature(request, one))
            }
            Err(error) => {
                // A check is an aid: without it the program runs as it is.
                tracing::debug!(%error, "the program is not type-checked");
                Ok(Vec::new())
            }
        }
    }

    async fn problems(&self, request: &TypeRequest<'_>) -> Result<Vec<Problem>, TypeCheckError> {
        let servers = Servers::of(request);
        if servers.paths.is_empty() {
            return Ok(Vec::new());
        }
        let all = self.diagnostics(request, &servers, ResultTypes::All).await?;
        if all.is_empty() {
            return Ok(Vec::new());
        }
        let same = |severity: Severity| {
            let problem = |diagnostic: &Diagnostic| Problem::new(diagnostic.clone(), severity);
            all.iter().map(problem).collect()
        };
        match self.mode {
            TypeCheck::Off => Ok(Vec::new()),
            TypeCheck::Warn => Ok(same(Severity::Warning)),
            TypeCheck::Strict => Ok(same(Severity::Error)),
            TypeCheck::Auto => {
                let inputs = self.diagnostics(request, &servers, ResultTypes::Ignored).await?;
                let declared = match servers.have_observed {
                    true => self.diagnostics(request, &servers, ResultTypes::Declared).await?,
                    false => all.clone(),
                };
                Ok(judged(request, &all, &declared, &inputs))
            }
        }
    }

    async fn diagnostics(
        &self,
        request: &TypeRequest<'_>,
        servers: &Servers,
        results: ResultTypes,
    ) -> Result<Vec<Diagnostic>, TypeCheckError> {
        let files = servers.files(request, results);
        let bytes: usize = files.iter().map(|file| file.text.len()).sum();
        if bytes > DECLARATION_BYTES {
            return Ok(Vec::new());
        }
        let program = format!("{}\n{}", request.text, servers.declaration(request));
        let found = self.checker.check(&files, &program).await?;
        Ok(found.into_iter().filter_map(|one| in_characters(one, request.text)).collect())
    }
}

/// A diagnostic with columns in characters, as everywhere else; `None` if it is about our
/// own lines after the program.
pub(crate) fn in_characters(diagnostic: Diagnostic, text: &str) -> Option<Diagnostic> {
    let line = |number: u32| text.lines().nth(number.checked_sub(1)? as usize);
    let column = character_column(line(diagnostic.line)?, diagnostic.column);
    let end_column = line(diagnostic.end_line)
        .map_or(diagnostic.end_column, |line| character_column(line, diagnostic.end_column));
    Some(Diagnostic { column, end_column, ..diagnostic })
}

/// Converts a column from UTF-16 units to characters, both from 1.
fn character_column(line: &str, column: u32) -> u32 {
    let mut units = 1;
    let mut characters = 1;
    for c in line.chars() {
        if units >= column as usize {
            break;
        }
        units += c.len_utf16();
        characters += 1;
    }
    characters
}

/// The servers that a program uses: each spelling it writes, with the server's
/// exact name and the folder of its declarations.
struct Servers {
    paths: BTreeMap<String, (String, String)>,
    have_observed: bool,
}

impl Servers {
    fn of(request: &TypeRequest<'_>) -> Self {
        let mut paths = BTreeMap::new();
        let mut have_observed = false;
        for reference in request.references.iter().filter(|one| !one.passed) {
            let Ok(name) = request.catalog.server_name(&reference.server) else { continue };
            let Some(api) = request.catalog.api(name) else { continue };
            have_observed |= api.has_observed();
            // An import names the folder as the program spells it.
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            let folder = match reference.server.chars().all(plain) {
                true => reference.server.clone(),
                false => folder_name(name),
            };
            paths.insert(reference.server.clone(), (name.to_owned(), folder));
        }
        Self { paths, have_observed }
    }

    fn files(&self, request: &TypeRequest<'_>, results: ResultTypes) -> Vec<SourceFile> {
        let mut files = Vec::new();
        let mut index = String::new();
        for (name, folder) in self.paths.values() {
            let Some(api) = request.catalog.api(name) else { continue };
            let path = format!("servers/{folder}/index.ts");
            files.push(SourceFile { path, text: api.declarations(results) });
            if folder.starts_with(|c: char| c.is_ascii_alphabetic()) && !folder.contains('-') {
                index.push_str(&format!("export * as {folder} from \"./{folder}\"\n"));
            }
        }
        for reference in request.references {
            let Some(tool) = &reference.tool else { continue };
            let Some((name, folder)) = self.paths.get(&reference.server) else { continue };
            // One file per tool, if the program imports the tool from it.
            let path = format!("servers/{folder}/{tool}");
            let function = request.catalog.server(name).and_then(|tools| tools.function_of(tool));
            if let Some(function) = function.filter(|_| request.text.contains(&path)) {
                let text = format!(
                    "export {{{function} as default}} from \"./index\"\nexport * from \"./index\"\n"
                );
                let file = SourceFile { path: format!("{path}.ts"), text: text.into() };
                if !files.contains(&file) {
                    files.push(file);
                }
            }
        }
        files.push(SourceFile { path: "servers/index.ts".to_owned(), text: index.into() });
        files
    }

    /// What the program sees as `servers`.
    fn declaration(&self, request: &TypeRequest<'_>) -> String {
        let mut members = String::new();
        for (written, (name, folder)) in &self.paths {
            let module = format!("typeof import(\"./servers/{folder}\")");
            members.push_str(&format!("{written:?}: {module}"));
            let Some(tools) = request.catalog.server(name) else { continue };
            // Spellings that mean a tool and are neither its name nor its function.
            let mut known: Vec<&str> = Vec::new();
            for reference in request.references.iter().filter(|one| one.server == *written) {
                let Some(tool) = reference.tool.as_deref() else { continue };
                let Some(function) = tools.function_of(tool) else { continue };
                if tool != function && !known.contains(&tool) {
                    known.push(tool);
                    members.push_str(&format!(" & {{ {tool:?}: {module}[{function:?}] }}"));
                }
            }
            members.push('\n');
        }
        format!("declare global {{ const servers: {{\n{members}[server: string]: any }} }}\n")
    }
}

/// The errors that count, with their severity.
fn judged(
    request: &TypeRequest<'_>,
    all: &[Diagnostic],
    declared: &[Diagnostic],
    inputs: &[Diagnostic],
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for diagnostic in all {
        let is_in = |others: &[Diagnostic]| others.iter().any(|other| is_same(diagnostic, other));
        if is_in(inputs) {
            if is_wrong_argument(request, diagnostic) {
                problems.push(Problem::new(diagnostic.clone(), Severity::Error));
            } else if is_surplus_key(request, diagnostic) {
                problems.push(Problem::new(diagnostic.clone(), Severity::Warning));
            }
        } else {
            let problem = Problem::new(diagnostic.clone(), Severity::Warning);
            problems.push(Problem { observed: !is_in(declared), ..problem });
        }
    }
    problems
}

fn is_same(one: &Diagnostic, other: &Diagnostic) -> bool {
    (one.line, one.column, &one.code) == (other.line, other.column, &other.code)
}

/// Whether this is about something written out in the arguments of a tool.
fn is_wrong_argument(request: &TypeRequest<'_>, diagnostic: &Diagnostic) -> bool {
    let Some(reference) = called_at(request, diagnostic) else { return false };
    // A program may catch the error of the call.
    if reference.guarded {
        return false;
    }
    let (place, code, sure) = (start(diagnostic), diagnostic.code.number(), &reference.written);
    // Of several allowed types, TypeScript reports why one does not fit. The cause may be
    // the value of a variable.
    let is_missing = MISSING.contains(&code)
        || NOT_ASSIGNABLE.contains(&code) && says_missing(&diagnostic.message);
    is_missing && sure.objects.contains(&place)
        || MISMATCHES.contains(&code) && sure.values.contains(&place)
        || code == MISSPELT_KEY && sure.keys.contains(&place)
        || TOO_FEW_ARGUMENTS.contains(&code) && has_no_arguments(request.text, reference)
}

/// Whether this is about a key in the arguments that the schema does not name. If the
/// schema does not allow it either, the call reports that.
fn is_surplus_key(request: &TypeRequest<'_>, diagnostic: &Diagnostic) -> bool {
    let reference = called_at(request, diagnostic);
    let is_key = |reference: &Reference| reference.written.keys.contains(&start(diagnostic));
    diagnostic.code.number() == UNKNOWN_KEY && reference.is_some_and(is_key)
}

fn start(diagnostic: &Diagnostic) -> (u32, u32) {
    (diagnostic.line, diagnostic.column)
}

fn says_missing(message: &str) -> bool {
    message.starts_with("Property '") && message.contains("' is missing in type '")
}

/// The call that an error is about: the innermost one whose arguments enclose it, or
/// whose name it marks up to the opening bracket.
fn called_at<'a>(request: &TypeRequest<'a>, diagnostic: &Diagnostic) -> Option<&'a Reference> {
    let place = start(diagnostic);
    let end = (diagnostic.end_line, diagnostic.end_column);
    let is_about = |reference: &&Reference| {
        reference.arguments.is_some_and(|(line, column, end_line, end_column)| {
            let opening = (line, column);
            opening == end || opening <= place && place < (end_line, end_column)
        })
    };
    request.references.iter().filter(is_about).max_by_key(|reference| reference.arguments)
}

/// Whether the brackets of a call are empty.
fn has_no_arguments(text: &str, reference: &Reference) -> bool {
    let Some((line, column, ..)) = reference.arguments else { return false };
    let inside = text_at(text, (line, column)).strip_prefix('(');
    inside.is_some_and(|inside| inside.trim_start().starts_with(')'))
}

/// The text from a line and column on; columns count characters from 1.
fn text_at(text: &str, (line, column): (u32, u32)) -> &str {
    let mut start = 0;
    for _ in 1..line {
        match text[start..].find('\n') {
            Some(end) => start += end + 1,
            None => return "",
        }
    }
    let rest = &text[start..];
    let skipped = column.saturating_sub(1) as usize;
    rest.char_indices().nth(skipped).map_or("", |(at, _)| &rest[at..])
}

/// The compiler's message, with the argument that it is about.
fn message(request: &TypeRequest<'_>, diagnostic: &Diagnostic) -> String {
    let message = diagnostic.message.strip_suffix('.').unwrap_or(&diagnostic.message);
    let text = text_at(request.text, start(diagnostic));
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let name = &text[..text.find(|c| !is_name(c)).unwrap_or(text.len())];
    let is_property = text[name.len()..].trim_start().starts_with([':', ',', '}']);
    let is_named = name.is_empty() || message.contains(&format!("'{name}'"));
    match called_at(request, diagnostic) {
        Some(_) if is_property && !is_named => format!("`{name}`: {message}"),
        _ => message.to_owned(),
    }
}

/// The tool's signature, if the mistake is in its arguments.
fn signature(request: &TypeRequest<'_>, diagnostic: &Diagnostic) -> Option<String> {
    let reference = called_at(request, diagnostic)?;
    let server = request.catalog.server_name(&reference.server).ok()?;
    let tool = request.catalog.server(server)?.find(reference.tool.as_deref()?)?;
    request.catalog.signature(&ToolRef::new(server, &tool.name))
}

#[cfg(test)]
mod tests;
