//! The modules that a program imports.
//!
//! In: the statements of a program. Out: the first import of each module, and whether it is
//! certain to run: at the top level, outside any condition or `try`, in a program that does
//! not change where modules come from. The caller knows which modules exist: that depends on
//! the installed Python.

use std::collections::HashSet;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::{Ranged, TextSize};
use tidegate_model::Import;

use crate::lines::Lines;

/// Maximum modules reported.
const MAX_MODULES: usize = 200;

/// The modules that a program imports, in source order, except `servers`.
pub(crate) fn imports(body: &[Stmt], lines: &Lines<'_>) -> Vec<Import> {
    let mut collector = ImportCollector::default();
    collector.visit_body(body);
    let changes_import_path = collector.changes_import_path;
    let import = |(module, at, is_sure): (&str, TextSize, bool)| {
        let (line, column) = lines.place(at);
        Import { module: module.to_owned(), line, column, is_sure: is_sure && !changes_import_path }
    };
    collector.found.into_iter().map(import).collect()
}

#[derive(Default)]
struct ImportCollector<'a> {
    /// The number of enclosing statements.
    depth: u32,
    /// Whether the program may have ended before.
    ended: bool,
    found: Vec<(&'a str, TextSize, bool)>,
    seen: HashSet<&'a str>,
    /// Whether the program may change where modules come from.
    changes_import_path: bool,
}

impl<'a> ImportCollector<'a> {
    fn add(&mut self, module: &'a str, at: TextSize) {
        let root = module.split('.').next().unwrap_or(module);
        self.changes_import_path |= matches!(root, "importlib" | "imp" | "runpy" | "builtins");
        if root != "servers" && self.found.len() < MAX_MODULES && self.seen.insert(root) {
            self.found.push((root, at, self.depth == 0 && !self.ended));
        }
    }
}

impl<'a> Visitor<'a> for ImportCollector<'a> {
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
                    self.changes_import_path |= module.id == "sys";
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
        self.changes_import_path |= match expression {
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
