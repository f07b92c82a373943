//! The names that functions and loops change.
//!
//! In: statements. Out: names written outside their function, and names changed by a loop.

use std::collections::HashSet;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprContext, Stmt};

/// Names that functions write outside themselves.
pub(super) fn shared_names(body: &[Stmt]) -> HashSet<&str> {
    struct Finder<'a>(HashSet<&'a str>);
    impl<'a> Visitor<'a> for Finder<'a> {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            let names = match statement {
                Stmt::Global(one) => one.names.as_slice(),
                Stmt::Nonlocal(one) => one.names.as_slice(),
                _ => &[],
            };
            self.0.extend(names.iter().map(|name| name.id.as_str()));
            walk_stmt(self, statement);
        }
        fn visit_expr(&mut self, _: &'a Expr) {}
    }
    let mut finder = Finder(HashSet::new());
    finder.visit_body(body);
    finder.0
}

/// Names that a loop changes, by assignment or by a method that may mutate them.
pub(super) fn changed_in(body: &[Stmt]) -> Vec<&str> {
    struct Finder<'a>(HashSet<&'a str>);
    impl<'a> Visitor<'a> for Finder<'a> {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            match statement {
                // Their assignments are local.
                Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
                Stmt::Import(_) | Stmt::ImportFrom(_) => {}
                _ => walk_stmt(self, statement),
            }
        }

        fn visit_expr(&mut self, expression: &'a Expr) {
            match expression {
                Expr::Name(name) if name.ctx != ExprContext::Load => {
                    self.0.insert(name.id.as_str());
                }
                Expr::Subscript(one) if one.ctx != ExprContext::Load => {
                    if let Expr::Name(name) = &*one.value {
                        self.0.insert(name.id.as_str());
                    }
                }
                Expr::Call(call) => {
                    if let Expr::Attribute(attribute) = &*call.func
                        && let Expr::Name(name) = &*attribute.value
                    {
                        self.0.insert(name.id.as_str());
                    }
                }
                _ => {}
            }
            walk_expr(self, expression);
        }
    }
    let mut finder = Finder(HashSet::new());
    finder.visit_body(body);
    finder.0.into_iter().collect()
}
