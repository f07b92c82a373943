//! Which servers and tools a program uses, found before it runs.
//!
//! In: the statements of a program and what its names stand for. Out: one
//! [`Reference`] for each call and import that names a server. Reading
//! `servers.crm.get_lead` without calling it is no use of it, and a use that the
//! program itself is prepared to see fail is marked as guarded: programs may probe.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprCall, Stmt};
use ruff_text_size::Ranged;
use serde_json::{Map, Value};
use tidegate_model::{Reference, ToolRef, Written};

use crate::analysis::Lines;
use crate::bindings::{Imported, MODULE, ScopeId};
use crate::literals::Noted;
use crate::meanings::{Meaning, Meanings, Name, literal};
use crate::written::written;

/// How many references are told. A program with more repeats itself.
const MOST: usize = 500;

/// How many places in the arguments of all calls are told.
const MOST_PLACES: usize = 5000;

/// How much of a condition is looked at.
const PROBED: u32 = 100;

/// All uses of servers and tools in a program, in the order of the source, and the
/// tools that it names without calling them.
pub(crate) fn references<'a>(
    body: &'a [Stmt],
    meanings: &Meanings<'_, 'a>,
    lines: &Lines<'_>,
    noted: &Noted,
) -> (Vec<Reference>, Vec<(String, String)>) {
    let (found, kept) = (Vec::new(), Vec::new());
    let mut uses =
        Uses { meanings, lines, noted, scope: MODULE, guards: 0, places: MOST_PLACES, found, kept };
    uses.visit_body(body);
    uses.found.sort_by_key(|reference| (reference.line, reference.column));
    (uses.found, uses.kept)
}

struct Uses<'m, 'b, 'a> {
    meanings: &'m Meanings<'b, 'a>,
    lines: &'m Lines<'m>,
    noted: &'m Noted,
    scope: ScopeId,
    /// In how many guards the visit is.
    guards: u32,
    /// How many places of arguments may still be told.
    places: usize,
    found: Vec<Reference>,
    kept: Vec<(String, String)>,
}

/// How a server or tool is used.
#[derive(Default)]
struct Use {
    arguments: Option<(u32, u32, u32, u32)>,
    written: Written,
    called: bool,
    literals: Map<String, Value>,
    repeated: bool,
}

impl<'a> Uses<'_, '_, 'a> {
    fn add(&mut self, server: Name<'_>, tool: Option<Name<'_>>, of: Use) {
        if self.found.len() >= MOST {
            return;
        }
        let (line, column) = self.lines.place(tool.unwrap_or(server).at);
        let server_at = Some(self.lines.place(server.at)).filter(|at| *at != (line, column));
        self.found.push(Reference {
            server: server.text.to_owned(),
            tool: tool.map(|tool| tool.text.to_owned()),
            line,
            column,
            server_at,
            arguments: of.arguments,
            written: of.written,
            called: of.called,
            guarded: self.guards > 0,
            literals: of.literals,
            repeated: of.repeated,
        });
    }

    fn add_import(&mut self, imported: Imported<'a>) {
        match self.meanings.imported(imported) {
            Some(Meaning::Server(server)) => self.add(server, None, Use::default()),
            Some(Meaning::Tool(server, tool)) => self.add(server, Some(tool), Use::default()),
            Some(Meaning::Servers | Meaning::CallByName | Meaning::Python(_)) | None => {}
        }
    }

    fn add_call(&mut self, call: &'a ExprCall) {
        let (start, end) = (call.arguments.start(), call.arguments.end());
        let callee = call.func.range();
        let Some(meaning) = self.meanings.of(&call.func, self.scope) else { return };
        let ends = (self.lines.place(start), self.lines.place(end));
        let arguments = Some((ends.0.0, ends.0.1, ends.1.0, ends.1.1));
        // Where a name was bound is elsewhere, and its own reference.
        let here = |name: Name<'a>| match callee.contains_inclusive(name.at) {
            true => name,
            false => Name { at: callee.start(), ..name },
        };
        let (literals, repeated) = self.noted.of(start);
        match meaning {
            Meaning::Tool(server, tool) => {
                let written = written(&call.arguments, self.lines, self.places);
                self.places -= written.len();
                let of = Use { arguments, written, called: false, literals, repeated };
                self.add(here(server), Some(here(tool)), of);
            }
            Meaning::Server(server) => {
                let server = Name { at: callee.start(), ..server };
                self.add(server, None, Use { arguments, called: true, ..Use::default() });
            }
            Meaning::CallByName => {
                let Some((server, tool)) = named_tool(call) else { return };
                let named = |text| Name { text, at: callee.start() };
                let of = Use { arguments, literals, repeated, ..Use::default() };
                self.add(named(server), Some(named(tool)), of);
            }
            Meaning::Servers | Meaning::Python(_) => {}
        }
    }

    fn is_tool(&self, expression: &'a Expr) -> bool {
        matches!(self.meanings.of(expression, self.scope), Some(Meaning::Tool(..)))
    }

    /// A tool that is named and not called here: how it is called is not known.
    fn keep(&mut self, expression: &'a Expr) {
        if let Some(Meaning::Tool(server, tool)) = self.meanings.of(expression, self.scope)
            && self.kept.len() < MOST
        {
            self.kept.push((server.text.to_owned(), tool.text.to_owned()));
        }
    }

    /// Enters the scope that a statement opens, and gives the one around it.
    fn enter(&mut self, opened: Option<ScopeId>) -> ScopeId {
        let outer = self.scope;
        self.scope = opened.unwrap_or(outer);
        outer
    }

    fn guarded(&mut self, guard: bool, visit: impl FnOnce(&mut Self)) {
        self.guards += u32::from(guard);
        visit(self);
        self.guards -= u32::from(guard);
    }

    /// Whether a condition asks what is there: `"crm" in servers`.
    fn probes(&self, test: &'a Expr) -> bool {
        let (meanings, scope) = (self.meanings, self.scope);
        let mut probe = Probe { meanings, scope, left: PROBED, found: false };
        probe.visit_expr(test);
        probe.found
    }

    /// Whether `with` swallows what is raised in it.
    fn suppresses(expression: &Expr) -> bool {
        let Expr::Call(call) = expression else { return false };
        match &*call.func {
            Expr::Name(name) => name.id == "suppress",
            Expr::Attribute(attribute) => attribute.attr.id == "suppress",
            _ => false,
        }
    }

    fn visit_branches(&mut self, guard: bool, branches: &[&'a [Stmt]]) {
        self.guarded(guard, |uses| {
            for branch in branches {
                uses.visit_body(branch);
            }
        });
    }
}

/// The server and the tool that `call_tool` is given.
fn named_tool(call: &ExprCall) -> Option<(&str, &str)> {
    let text = |at: usize| literal(call.arguments.args.get(at)?);
    let by_name = || literal(&call.arguments.find_keyword("name")?.value);
    // `call_tool("crm", "get_lead", {…})` works as well.
    match (text(0).or_else(by_name), text(1)) {
        (Some(server), Some(tool)) => Some((server, tool)),
        (Some(name), None) => ToolRef::parts(name),
        (None, _) => None,
    }
}

/// Whether a call gives what was raised instead of raising it.
fn collects_errors(call: &ExprCall) -> bool {
    let keyword = call.arguments.find_keyword("return_exceptions");
    keyword.is_some_and(|keyword| !matches!(&keyword.value, Expr::BooleanLiteral(it) if !it.value))
}

impl<'a> Visitor<'a> for Uses<'_, '_, 'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let inside = self.meanings.bindings().opened(statement);
        match statement {
            Stmt::FunctionDef(function) => {
                for decorator in &function.decorator_list {
                    self.visit_decorator(decorator);
                }
                self.visit_parameters(&function.parameters);
                let outer = self.enter(inside);
                self.visit_body(&function.body);
                self.scope = outer;
            }
            Stmt::ClassDef(class) => {
                for decorator in &class.decorator_list {
                    self.visit_decorator(decorator);
                }
                class.arguments.iter().for_each(|bases| self.visit_arguments(bases));
                let outer = self.enter(inside);
                self.visit_body(&class.body);
                self.scope = outer;
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    let (module, module_at) = (alias.name.id.as_str(), alias.name.start());
                    self.add_import(Imported { module, module_at, member: None });
                }
            }
            Stmt::ImportFrom(import) => {
                let Some(module) = import.module.as_ref().filter(|_| import.level == 0) else {
                    return;
                };
                let (text, module_at) = (module.id.as_str(), module.start());
                for alias in &import.names {
                    let name = alias.name.id.as_str();
                    let member = (name != "*").then(|| (name, alias.name.start()));
                    self.add_import(Imported { module: text, module_at, member });
                }
            }
            Stmt::Try(one) => {
                self.visit_branches(!one.handlers.is_empty(), &[&one.body]);
                for handler in &one.handlers {
                    self.visit_except_handler(handler);
                }
                self.visit_branches(false, &[&one.orelse, &one.finalbody]);
            }
            Stmt::With(with) => {
                let suppresses = with.items.iter().any(|one| Self::suppresses(&one.context_expr));
                for item in &with.items {
                    self.visit_with_item(item);
                }
                self.visit_branches(suppresses, &[&with.body]);
            }
            Stmt::If(one) => {
                self.visit_expr(&one.test);
                let mut guard = self.probes(&one.test);
                self.visit_branches(guard, &[&one.body]);
                for clause in &one.elif_else_clauses {
                    if let Some(test) = &clause.test {
                        self.guarded(guard, |uses| uses.visit_expr(test));
                        guard |= self.probes(test);
                    }
                    self.visit_branches(guard, &[&clause.body]);
                }
            }
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Call(call) => {
                self.add_call(call);
                if !self.is_tool(&call.func) {
                    self.visit_expr(&call.func);
                }
                self.guarded(collects_errors(call), |uses| uses.visit_arguments(&call.arguments));
            }
            Expr::If(one) => {
                self.visit_expr(&one.test);
                self.guarded(self.probes(&one.test), |uses| {
                    uses.visit_expr(&one.body);
                    uses.visit_expr(&one.orelse);
                });
            }
            Expr::BoolOp(one) => {
                let mut guard = false;
                for value in &one.values {
                    self.guarded(guard, |uses| uses.visit_expr(value));
                    guard |= self.probes(value);
                }
            }
            Expr::Name(_) | Expr::Attribute(_) if self.is_tool(expression) => self.keep(expression),
            _ => walk_expr(self, expression),
        }
    }
}

/// Looks for a server or tool that is read and not called.
struct Probe<'m, 'b, 'a> {
    meanings: &'m Meanings<'b, 'a>,
    scope: ScopeId,
    /// How many expressions may still be looked at.
    left: u32,
    found: bool,
}

impl<'a> Visitor<'a> for Probe<'_, '_, 'a> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
        match (expression, self.meanings.of(expression, self.scope)) {
            (_, Some(Meaning::Servers | Meaning::Server(_) | Meaning::Tool(..))) => {
                self.found = true;
            }
            (Expr::Call(call), _) => {
                if self.meanings.of(&call.func, self.scope).is_none() {
                    self.visit_expr(&call.func);
                }
                self.visit_arguments(&call.arguments);
            }
            _ => walk_expr(self, expression),
        }
    }
}

#[cfg(test)]
mod tests;
