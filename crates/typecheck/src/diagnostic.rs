//! Converts the report of a language server into the errors of a program.
//!
//! In: the `result` of `textDocument/diagnostic`. Out: at most ten errors, ordered by
//! position, without duplicates.

use std::ops::Range;

use serde::Deserialize;

use crate::complaint::Complaint;
use crate::message::{Paths, shorten};

/// The most errors that are reported. A model fixes a few at a time; more cost tokens.
const MAX_ERRORS: usize = 10;
const ERROR: u32 = 1;
/// "A 'return' statement can only be used within a function body": programs may
/// return at the top (see `returns`).
const TOP_LEVEL_RETURN: u32 = 1108;
/// The messages about implicit `any` and about style: models leave parameters untyped, and
/// the program still runs.
const IMPLICIT_ANY: Range<u32> = 7000..7100;

/// The kind of an error, in the checker's own terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Code {
    /// TypeScript's number of the message, such as 2345.
    TypeScript(u32),
    /// The complaint of a Python checker.
    Python(Complaint),
}

impl Code {
    /// TypeScript's number; 0, which TypeScript does not use, for Python.
    pub fn number(&self) -> u32 {
        match self {
            Self::TypeScript(number) => *number,
            Self::Python(_) => 0,
        }
    }
}

/// An error in a program. Lines and columns count from 1, columns in UTF-16
/// units as everywhere in JavaScript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Line where it starts.
    pub line: u32,
    /// Column where it starts.
    pub column: u32,
    /// Line where it ends.
    pub end_line: u32,
    /// Column after its end.
    pub end_column: u32,
    /// The kind of the error.
    pub code: Code,
    /// One or two lines, without host paths.
    pub message: String,
}

/// The answer to `textDocument/diagnostic`.
#[derive(Deserialize)]
pub(crate) struct Report {
    #[serde(default)]
    items: Vec<Item>,
}

#[derive(Deserialize)]
pub(crate) struct Item {
    range: TextRange,
    #[serde(default = "error")]
    severity: u32,
    #[serde(default)]
    pub(crate) code: ItemCode,
    pub(crate) message: String,
}

/// TypeScript numbers its messages, other checkers name a rule; syntax errors have no rule.
#[derive(Deserialize, Default)]
#[serde(untagged)]
pub(crate) enum ItemCode {
    Number(u32),
    Rule(String),
    #[default]
    None,
}

#[derive(Deserialize)]
struct TextRange {
    start: Position,
    end: Position,
}

#[derive(Deserialize)]
struct Position {
    line: u32,
    character: u32,
}

impl ItemCode {
    fn number(&self) -> u32 {
        match self {
            Self::Number(number) => *number,
            Self::Rule(_) | Self::None => 0,
        }
    }
}

/// The protocol leaves an absent severity to the client.
fn error() -> u32 {
    ERROR
}

impl Report {
    /// Where the program returns at the top: line and column, counted from 0.
    pub(crate) fn top_level_returns(&self) -> Vec<(u32, u32)> {
        let returns = self.items.iter().filter(|item| item.code.number() == TOP_LEVEL_RETURN);
        returns.map(|item| (item.range.start.line, item.range.start.character)).collect()
    }

    pub(crate) fn errors(self, paths: &Paths) -> Vec<Diagnostic> {
        let counted = |item: &Item| {
            let code = item.code.number();
            code != TOP_LEVEL_RETURN && !IMPLICIT_ANY.contains(&code)
        };
        deduplicated(self.in_order().filter(counted).map(|item| item.into_diagnostic(paths)))
    }

    /// The items of severity error, ordered by position.
    pub(crate) fn in_order(self) -> impl Iterator<Item = Item> {
        let mut items: Vec<Item> =
            self.items.into_iter().filter(|item| item.severity == ERROR).collect();
        items.sort_by_key(|item| {
            let TextRange { start, end } = &item.range;
            (start.line, start.character, end.line, end.character)
        });
        items.into_iter()
    }
}

/// Removes repeated errors, and keeps at most ten.
pub(crate) fn deduplicated(found: impl Iterator<Item = Diagnostic>) -> Vec<Diagnostic> {
    let mut errors: Vec<Diagnostic> = Vec::new();
    for error in found {
        if errors.last() != Some(&error) {
            errors.push(error);
        }
        if errors.len() == MAX_ERRORS {
            break;
        }
    }
    errors
}

impl Item {
    fn into_diagnostic(self, paths: &Paths) -> Diagnostic {
        let code = Code::TypeScript(self.code.number());
        let message = shorten(&self.message, paths);
        self.to_diagnostic(code, message)
    }

    /// The error at this position, with this message.
    pub(crate) fn to_diagnostic(&self, code: Code, message: String) -> Diagnostic {
        let TextRange { start, end } = &self.range;
        Diagnostic {
            line: start.line.saturating_add(1),
            column: start.character.saturating_add(1),
            end_line: end.line.saturating_add(1),
            end_column: end.character.saturating_add(1),
            code,
            message,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Code, Diagnostic, Report};
    use crate::message::Paths;

    fn item(line: u32, severity: u32, code: u32) -> Value {
        json!({
            "range": {"start": {"line": line, "character": 4}, "end": {"line": line, "character": 9}},
            "severity": severity,
            "code": code,
            "source": "ts",
            "message": "Wrong.",
        })
    }

    fn errors(items: &[Value]) -> Vec<Diagnostic> {
        let report: Report =
            serde_json::from_value(json!({"kind": "full", "items": items})).unwrap();
        report.errors(&Paths { shown: Vec::new() })
    }

    fn expected(line: u32, code: u32) -> Diagnostic {
        let (code, message) = (Code::TypeScript(code), "Wrong.".to_owned());
        Diagnostic { line, column: 5, end_line: line, end_column: 10, code, message }
    }

    #[test]
    fn errors_come_in_order_and_once_and_count_from_one() {
        let items = [item(3, 1, 2322), item(0, 1, 2304), item(3, 1, 2322), item(1, 4, 6133)];
        assert_eq!(errors(&items), [expected(1, 2304), expected(4, 2322)]);
    }

    #[test]
    fn a_return_at_the_top_is_no_error() {
        assert_eq!(errors(&[item(0, 1, 1108)]), []);
    }

    #[test]
    fn an_untyped_parameter_is_no_error() {
        assert_eq!(errors(&[item(0, 1, 7006), item(0, 1, 7053)]), []);
    }

    #[test]
    fn there_are_ten_at_most() {
        let items: Vec<Value> = (0..20).map(|line| item(line, 1, 2304)).collect();
        let lines: Vec<u32> = errors(&items).iter().map(|error| error.line).collect();
        assert_eq!(lines, (1..=10).collect::<Vec<_>>());
    }
}
