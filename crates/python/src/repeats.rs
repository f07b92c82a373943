//! Finds the functions of a program that are called repeatedly.
//!
//! In: the statements of a program. Out: the names of functions that are called or passed on
//! in a loop or comprehension, or given to something that calls them for each element, and
//! of those that such functions call.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprCall, Stmt};

/// The names of functions that are called repeatedly.
pub(crate) struct Repeats<'a> {
    names: HashSet<&'a str>,
}

impl<'a> Repeats<'a> {
    pub(crate) fn of(body: &'a [Stmt]) -> Self {
        let mut collector = RepeatCollector::default();
        collector.visit_body(body);
        let mut names = HashSet::new();
        let mut open: Vec<&'a str> = collector.repeated.into_iter().collect();
        while let Some(name) = open.pop() {
            if names.insert(name) {
                open.extend(collector.used_in.get(name).into_iter().flatten());
            }
        }
        Self { names }
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
    }
}

/// Whether a call invokes its argument for each element of a list.
pub(crate) fn calls_for_each_element(call: &ExprCall) -> bool {
    let name = match &*call.func {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(attribute) => attribute.attr.id.as_str(),
        _ => "",
    };
    matches!(
        name,
        "map"
            | "starmap"
            | "imap"
            | "imap_unordered"
            | "filter"
            | "apply"
            | "gather"
            | "reduce"
            | "map_async"
            | "starmap_async"
            | "sort"
            | "sorted"
    )
}

#[derive(Default)]
struct RepeatCollector<'a> {
    loops: u32,
    /// The enclosing functions.
    inside: Vec<&'a str>,
    repeated: HashSet<&'a str>,
    /// The names that each function uses.
    used_in: HashMap<&'a str, HashSet<&'a str>>,
}

impl<'a> RepeatCollector<'a> {
    fn repeat(&mut self, walk: impl FnOnce(&mut Self)) {
        self.loops += 1;
        walk(self);
        self.loops -= 1;
    }
}

impl<'a> Visitor<'a> for RepeatCollector<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => {
                self.inside.push(function.name.id.as_str());
                let loops = std::mem::take(&mut self.loops);
                walk_stmt(self, statement);
                self.loops = loops;
                self.inside.pop();
            }
            Stmt::While(_) => self.repeat(|collector| walk_stmt(collector, statement)),
            Stmt::For(one) => {
                self.visit_expr(&one.iter);
                self.repeat(|collector| collector.visit_body(&one.body));
                self.visit_body(&one.orelse);
            }
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => {
                self.repeat(|collector| walk_expr(collector, expression));
            }
            Expr::Call(call) if calls_for_each_element(call) => {
                self.visit_expr(&call.func);
                // A call in an argument happens once.
                for argument in &call.arguments.args {
                    match argument {
                        Expr::Name(_) | Expr::Lambda(_) => {
                            self.repeat(|collector| collector.visit_expr(argument));
                        }
                        _ => self.visit_expr(argument),
                    }
                }
                call.arguments.keywords.iter().for_each(|one| self.visit_expr(&one.value));
            }
            Expr::Name(name) => {
                let name = name.id.as_str();
                if self.loops > 0 {
                    self.repeated.insert(name);
                }
                if let Some(around) = self.inside.last() {
                    self.used_in.entry(around).or_default().insert(name);
                }
            }
            _ => walk_expr(self, expression),
        }
    }
}

#[cfg(test)]
mod tests {
    use ruff_python_parser::parse_module;

    use super::Repeats;

    #[test]
    fn functions_that_are_called_repeatedly_are_found() {
        for (source, expected) in [
            ("def f(): pass\nfor x in y: f()", true),
            ("def f(): pass\n[f() for x in y]", true),
            ("def f(): pass\nmap(f, y)", true),
            ("async def f(i): pass\nawait asyncio.gather(*[f(i) for i in y])", true),
            ("def g(): f()\ndef f(): pass\nwhile x: g()", true),
            ("pool.map(f, y)", true),
            ("f()\nfor x in y: g()", false),
            ("for x in f(): g()", false),
            ("await asyncio.gather(f(1), f(2))", false),
            ("for x in y:\n    def g(): f()", false),
        ] {
            let parsed = parse_module(source).unwrap();
            assert_eq!(Repeats::of(parsed.suite()).contains("f"), expected, "{source}");
        }
    }
}
