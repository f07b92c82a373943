//! The keys that a program itself writes or tests for.
//!
//! In: the statements of a program. Out: the names that it writes or tests for, and the lines
//! that handle errors. A type checker sees neither: `lead["score"] = 5` adds a key,
//! `if "score" in lead` tests for one.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_keyword, walk_stmt};
use ruff_python_ast::{Expr, ExprContext, Keyword, Stmt};
use ruff_text_size::Ranged;
use tidegate_model::KeyHints;

use crate::lines::Lines;

/// Longer texts are not names.
const MAX_NAME_BYTES: usize = 100;
/// Maximum names collected. A program with more consists of data.
const MAX_NAMES: usize = 10_000;

pub(crate) fn key_hints(body: &[Stmt], lines: &Lines<'_>) -> KeyHints {
    let mut collector = KeyCollector { lines, found: KeyHints::default() };
    collector.visit_body(body);
    collector.found
}

struct KeyCollector<'l> {
    lines: &'l Lines<'l>,
    found: KeyHints,
}

impl KeyCollector<'_> {
    fn name(&mut self, name: &str) {
        if name.len() <= MAX_NAME_BYTES && self.found.names.len() < MAX_NAMES {
            self.found.names.insert(name.to_owned());
        }
    }
}

impl<'a> Visitor<'a> for KeyCollector<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::Try(guard) = statement
            && let (Some(first), Some(last)) = (guard.body.first(), guard.body.last())
            && !guard.handlers.is_empty()
        {
            let lines = (self.lines.line(first.start()), self.lines.line(last.end()));
            self.found.guarded.push(lines);
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Subscript(subscript)
                if subscript.ctx == ExprContext::Load
                    && subscript.slice.is_string_literal_expr() =>
            {
                self.visit_expr(&subscript.value);
            }
            Expr::StringLiteral(literal) => self.name(literal.value.to_str()),
            Expr::Attribute(attribute) => {
                if attribute.ctx != ExprContext::Load {
                    self.name(attribute.attr.id.as_str());
                }
                self.visit_expr(&attribute.value);
            }
            _ => walk_expr(self, expression),
        }
    }

    fn visit_keyword(&mut self, keyword: &'a Keyword) {
        if let Some(name) = &keyword.arg {
            self.name(name.id.as_str());
        }
        walk_keyword(self, keyword);
    }
}

#[cfg(test)]
mod tests {
    use crate::prepare;

    #[test]
    fn keys_that_are_written_or_tested_are_collected_and_those_only_read_are_not() {
        let source = "a['one'] = 1\na.two = 2\nif 'three' in a: pass\nb = {'four': a['five'].six}\n\
                      f(seven=a.get('eight'))\ndel a['nine']\na['ten'] += 1\n";
        let names: Vec<String> = prepare(source).unwrap().python.hints.names.into_iter().collect();
        assert_eq!(names, ["eight", "four", "nine", "one", "seven", "ten", "three", "two"]);
    }

    #[test]
    fn guarded_lines_are_collected() {
        let source = "try:\n    a\n    b\nexcept KeyError:\n    c\ntry:\n    d\nfinally:\n    e\n";
        assert_eq!(prepare(source).unwrap().python.hints.guarded, [(2, 3)]);
    }
}
