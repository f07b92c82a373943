//! Which modules a program imports.
//!
//! In: the statements of a program. Out: the first import of each module, and
//! whether it is sure to be made: at the top of the program, outside of any
//! condition and guard, in a program that does not change where modules come from.
//! What modules there are is for the caller to know: it depends on the Python.

use std::collections::HashSet;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::{Ranged, TextSize};
use tidegate_model::Import;

use crate::analysis::Lines;

/// How many modules are told.
const MOST: usize = 200;

/// The modules that a program imports, in the order of the source; `servers` is
/// not among them.
pub(crate) fn imports(body: &[Stmt], lines: &Lines<'_>) -> Vec<Import> {
    let mut reader = Reader::default();
    reader.visit_body(body);
    let changes = reader.changes;
    let import = |(module, at, is_sure): (&str, TextSize, bool)| {
        let (line, column) = lines.place(at);
        Import { module: module.to_owned(), line, column, is_sure: is_sure && !changes }
    };
    reader.found.into_iter().map(import).collect()
}

#[derive(Default)]
struct Reader<'a> {
    /// In how many statements the visit is.
    depth: u32,
    /// Whether the program may have ended.
    ended: bool,
    found: Vec<(&'a str, TextSize, bool)>,
    known: HashSet<&'a str>,
    /// Whether the program may change where modules come from.
    changes: bool,
}

impl<'a> Reader<'a> {
    fn add(&mut self, module: &'a str, at: TextSize) {
        let root = module.split('.').next().unwrap_or(module);
        self.changes |= matches!(root, "importlib" | "imp" | "runpy" | "builtins");
        if root != "servers" && self.found.len() < MOST && self.known.insert(root) {
            self.found.push((root, at, self.depth == 0 && !self.ended));
        }
    }
}

impl<'a> Visitor<'a> for Reader<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    self.add(alias.name.id.as_str(), import.start());
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import.module.as_ref().filter(|_| import.level == 0);
                if let Some(module) = module {
                    self.changes |= module.id == "sys";
                    self.add(module.id.as_str(), import.start());
                }
            }
            _ => {
                self.ended |= matches!(statement, Stmt::Return(_) | Stmt::Raise(_));
                self.depth += 1;
                walk_stmt(self, statement);
                self.depth -= 1;
            }
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression {
            let name = match &*call.func {
                Expr::Name(name) => name.id.as_str(),
                Expr::Attribute(attribute) => attribute.attr.id.as_str(),
                _ => "",
            };
            self.ended |= matches!(name, "exit" | "quit" | "_exit");
        }
        self.changes |= match expression {
            Expr::Attribute(attribute) => match attribute.attr.id.as_str() {
                "modules" | "meta_path" | "path_hooks" | "path_importer_cache" => true,
                "path" => !matches!(&*attribute.value, Expr::Name(name) if name.id == "os"),
                _ => false,
            },
            Expr::Name(name) => {
                matches!(name.id.as_str(), "exec" | "__import__" | "__builtins__")
            }
            _ => false,
        };
        walk_expr(self, expression);
    }
}

#[cfg(test)]
mod tests;
