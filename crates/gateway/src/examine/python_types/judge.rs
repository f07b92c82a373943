//! Decides which type errors of a Python program count, how much, and how they are
//! worded.
//!
//! In: the checker's errors with all types of results, with declared ones, and with none.
//! Out: problems. Pure.

use std::mem::discriminant;

use tidegate_config::TypeCheck;
use tidegate_model::{ArgumentPassing, Reference, ToolRef, did_you_mean};
use tidegate_typecheck::{Code, Complaint, Diagnostic};

use super::PythonRequest;
use super::stubs::Stubs;
use crate::examine::type_report::{Problem, Severity};

/// Rules about undefined names.
const UNDEFINED: [&str; 2] = ["unresolved-reference", "reportUndefinedVariable"];

/// Operations that are impossible on an answer, as both checkers name them. Other
/// complaints are not always true: to a checker, the classes of answers are not exactly
/// dicts.
const IMPOSSIBLE: [&str; 8] = [
    "unsupported-operator",
    "not-iterable",
    "call-non-callable",
    "non-subscriptable",
    "not-subscriptable",
    "reportOperatorIssue",
    "reportIndexIssue",
    "reportAttributeAccessIssue",
];

pub(super) struct Judge<'a> {
    pub(super) request: &'a PythonRequest<'a>,
    pub(super) stubs: &'a Stubs,
}

/// How much an error counts before the mode is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// The call would be refused.
    Sure,
    /// It is about a tool: its arguments, or its results.
    OfTools,
    /// It is about the rest of the program.
    Rest,
}

impl Judge<'_> {
    pub(super) fn problems(
        &self,
        mode: TypeCheck,
        all: &[Diagnostic],
        declared: &[Diagnostic],
        inputs: &[Diagnostic],
    ) -> Vec<Problem> {
        let problem = |diagnostic: &Diagnostic| {
            let is_in =
                |others: &[Diagnostic]| others.iter().any(|other| is_same(diagnostic, other));
            let is_about_results = !is_in(inputs);
            let severity = severity(mode, self.weight(diagnostic, is_about_results)?)?;
            let observed = is_about_results && !is_in(declared);
            Some(Problem { observed, ..Problem::new(diagnostic.clone(), severity) })
        };
        all.iter().filter_map(problem).collect()
    }

    /// `None` if the program may well be right.
    fn weight(&self, diagnostic: &Diagnostic, is_about_results: bool) -> Option<Weight> {
        let Code::Python(complaint) = &diagnostic.code else { return None };
        if let Some(reference) = self.called_at(diagnostic)
            && let Some(weight) = self.of_call(reference, diagnostic, complaint)
        {
            // A program may catch the error of the call.
            let may_be_caught = reference.guarded && weight == Weight::Sure;
            return (!may_be_caught).then_some(weight);
        }
        match complaint {
            // Arguments can be changed on their way to a tool, and to a checker, a list
            // of answers is not a `list[dict]`.
            Complaint::Mismatch { .. } if is_about_results => None,
            Complaint::Mismatch { found } if self.called_at(diagnostic).is_some() => {
                // With `**`, a checker does not know which value goes where.
                let call = self.called_at(diagnostic).filter(|call| call.written.is_whole);
                call.filter(|_| is_scalar(found)).map(|_| Weight::Rest)
            }
            Complaint::UnknownKey(name) if is_about_results => {
                (!self.expects(name, diagnostic.line)).then_some(Weight::OfTools)
            }
            Complaint::Other(rule) if UNDEFINED.contains(&rule.as_str()) => {
                (!self.request.text.contains("import *")).then_some(Weight::Rest)
            }
            Complaint::Other(rule) if is_about_results => {
                IMPOSSIBLE.contains(&rule.as_str()).then_some(Weight::OfTools)
            }
            _ if is_about_results => None,
            _ => Some(Weight::Rest),
        }
    }

    /// How much an error in the arguments of a tool counts; `None` if it is about
    /// something that is not written there.
    fn of_call(
        &self,
        reference: &Reference,
        diagnostic: &Diagnostic,
        complaint: &Complaint,
    ) -> Option<Weight> {
        let (place, written) = (start(diagnostic), &reference.written);
        match complaint {
            Complaint::UnknownArgument(name) if written.keys.contains(&place) => {
                Some(match self.near_argument(reference, name) {
                    Some(_) => Weight::Sure,
                    // Most schemas allow more than they name.
                    None => Weight::OfTools,
                })
            }
            Complaint::Arguments if ends_with(reference, diagnostic) => {
                let is_sure = written.is_whole && written.passing != ArgumentPassing::Unknown;
                is_sure.then_some(Weight::Sure)
            }
            Complaint::Arguments => written.objects.contains(&place).then_some(Weight::Sure),
            // To a checker, a dict with undeclared keys does not match the declared type.
            Complaint::Mismatch { found } => {
                let is_sure = written.values.contains(&place) && !found.contains("dict[");
                is_sure.then_some(Weight::Sure)
            }
            _ => None,
        }
    }

    /// Whether the program itself writes this key, asks for it, or catches the error.
    fn expects(&self, key: &str, line: u32) -> bool {
        let hints = &self.request.known.hints;
        hints.names.contains(key)
            || hints.guarded.iter().any(|(first, last)| (*first..=*last).contains(&line))
    }

    /// The call that an error is about: the one that it marks as a whole, otherwise the
    /// innermost one whose brackets enclose it.
    fn called_at(&self, diagnostic: &Diagnostic) -> Option<&Reference> {
        let references = self.request.references;
        if let Some(whole) = references.iter().find(|one| ends_with(one, diagnostic)) {
            return Some(whole);
        }
        let place = start(diagnostic);
        let is_about = |reference: &&Reference| {
            reference.arguments.is_some_and(|(line, column, end_line, end_column)| {
                (line, column) <= place && place < (end_line, end_column)
            })
        };
        references.iter().filter(is_about).max_by_key(|reference| reference.arguments)
    }

    /// The argument that was probably meant, unless it is given too.
    fn near_argument(&self, reference: &Reference, name: &str) -> Option<String> {
        let catalog = self.request.catalog;
        let tools = catalog.server(catalog.server_name(&reference.server).ok()?)?;
        let tool = tools.find(reference.tool.as_deref()?)?;
        let functions = tools.python_functions();
        let (.., parameters) = functions.iter().find(|(_, own, _)| *own == tool.name)?;
        let is_free = |name: &&str| !reference.written.names.iter().any(|given| given == name);
        let by_name = reference.written.passing == ArgumentPassing::Named;
        let names = parameters.iter().map(|(written, own, _)| match by_name {
            true => written.as_str(),
            false => *own,
        });
        did_you_mean(name, names.filter(is_free))
    }

    /// The checker's message, with the nearest name.
    pub(super) fn message(&self, diagnostic: &Diagnostic) -> String {
        let message = diagnostic.message.clone();
        let Code::Python(complaint) = &diagnostic.code else { return message };
        let near = match complaint {
            Complaint::UnknownArgument(name) => {
                self.called_at(diagnostic).and_then(|reference| self.near_argument(reference, name))
            }
            Complaint::UnknownKey(name) => {
                let quoted = message.split(['`', '"']).skip(1).step_by(2);
                let keys: Vec<String> = quoted
                    .flat_map(|class| self.stubs.keys_of(self.request.catalog, class))
                    .collect();
                did_you_mean(name, keys.iter().map(String::as_str))
            }
            Complaint::Arguments | Complaint::Mismatch { .. } | Complaint::Other(_) => None,
        };
        match near {
            Some(near) => format!("{message}; {near}"),
            None => message,
        }
    }

    /// The tool's signature, if the mistake is in its arguments.
    pub(super) fn signature(&self, diagnostic: &Diagnostic) -> Option<String> {
        let catalog = self.request.catalog;
        let reference = self.called_at(diagnostic)?;
        let server = catalog.server_name(&reference.server).ok()?;
        let tool = catalog.server(server)?.find(reference.tool.as_deref()?)?;
        catalog.python_signature(&ToolRef::new(server, &tool.name))
    }
}

fn severity(mode: TypeCheck, weight: Weight) -> Option<Severity> {
    match (mode, weight) {
        (TypeCheck::Off, _) | (TypeCheck::Auto, Weight::Rest) => None,
        (TypeCheck::Warn, _) | (TypeCheck::Auto, Weight::OfTools) => Some(Severity::Warning),
        (TypeCheck::Strict, _) | (TypeCheck::Auto, Weight::Sure) => Some(Severity::Error),
    }
}

/// Types are described in more or less detail, depending on what else is known.
fn is_same(one: &Diagnostic, other: &Diagnostic) -> bool {
    let kinds = match (&one.code, &other.code) {
        (Code::Python(one), Code::Python(other)) => discriminant(one) == discriminant(other),
        (one, other) => one == other,
    };
    kinds && start(one) == start(other)
}

fn start(diagnostic: &Diagnostic) -> (u32, u32) {
    (diagnostic.line, diagnostic.column)
}

/// Whether an error marks the whole call.
fn ends_with(reference: &Reference, diagnostic: &Diagnostic) -> bool {
    reference.arguments.is_some_and(|(line, column, end_line, end_column)| {
        (end_line, end_column) == (diagnostic.end_line, diagnostic.end_column)
            && start(diagnostic) <= (line, column)
    })
}

/// Whether a value of this type reaches a tool unchanged.
fn is_scalar(found: &str) -> bool {
    matches!(found, "int" | "float" | "bool")
        || found.starts_with("Literal[") && !found.contains(" | ")
}
