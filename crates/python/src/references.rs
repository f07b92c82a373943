//! The servers and tools that a program uses, found before it runs.
//!
//! In: the statements of a program and a resolver for its names. Out: one [`Reference`] for
//! each call and import that names a server, and for each tool that is used as a value.
//! Accessing `servers.crm.get_lead` to see whether it exists is not a use, and a use whose
//! failure the program handles is marked as guarded: programs may probe.

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{BoolOp, Comprehension, Expr, ExprCall, Stmt};
use ruff_text_size::Ranged;
use tidegate_model::{KnownArguments, LiteralArguments, Reference, ToolRef};

use crate::bindings::{Imported, MODULE, ScopeId};
use crate::lines::Lines;
use crate::literal_arguments::written;
use crate::resolver::{Name, Referent, Resolver, literal};
use crate::tool_calls::ToolCalls;

mod passed;

use passed::{DESCRIBING, LOOKING};

/// Maximum references reported. A program with more repeats itself.
const MAX_REFERENCES: usize = 500;

/// Maximum positions reported in the arguments of all calls.
const MAX_POSITIONS: usize = 5000;

/// Maximum expressions of a condition that are examined.
const MAX_PROBED: u32 = 100;

/// All uses of servers and tools in source order, and the tools that are named without being
/// called.
pub(crate) fn references<'a>(
    body: &'a [Stmt],
    resolver: &Resolver<'_, 'a>,
    lines: &Lines<'_>,
    tool_calls: &ToolCalls,
) -> (Vec<Reference>, Vec<(String, String)>) {
    let (found, uncalled_tools) = (Vec::new(), Vec::new());
    let mut collector = ReferenceCollector {
        resolver,
        lines,
        tool_calls,
        scope: MODULE,
        guards: 0,
        places: MAX_POSITIONS,
        found,
        uncalled_tools,
    };
    collector.visit_body(body);
    collector.found.sort_by_key(|reference| (reference.line, reference.column));
    (collector.found, collector.uncalled_tools)
}

struct ReferenceCollector<'m, 'b, 'a> {
    resolver: &'m Resolver<'b, 'a>,
    lines: &'m Lines<'m>,
    tool_calls: &'m ToolCalls,
    scope: ScopeId,
    /// The number of enclosing guards.
    guards: u32,
    /// How many argument positions may still be reported.
    places: usize,
    found: Vec<Reference>,
    uncalled_tools: Vec<(String, String)>,
}

/// How a server or tool is used.
#[derive(Default)]
struct Use {
    arguments: Option<(u32, u32, u32, u32)>,
    written: LiteralArguments,
    called: bool,
    known: KnownArguments,
    repeated: bool,
    probable: bool,
    passed: bool,
}

impl<'a> ReferenceCollector<'_, '_, 'a> {
    fn add(&mut self, server: Name<'_>, tool: Option<Name<'_>>, of: Use) {
        if self.found.len() >= MAX_REFERENCES {
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
            probable: of.probable,
            passed: of.passed,
            known: of.known,
            repeated: of.repeated,
        });
    }

    fn add_import(&mut self, imported: Imported<'a>) {
        match self.resolver.imported(imported) {
            Some(Referent::Server(server)) => self.add(server, None, Use::default()),
            Some(Referent::Tool(server, tool)) => self.add(server, Some(tool), Use::default()),
            Some(Referent::Servers | Referent::CallByName | Referent::Python(_)) | None => {}
        }
    }

    fn add_call(&mut self, call: &'a ExprCall) {
        let (start, end) = (call.arguments.start(), call.arguments.end());
        let callee = call.func.range();
        let ends = (self.lines.place(start), self.lines.place(end));
        let arguments = Some((ends.0.0, ends.0.1, ends.1.0, ends.1.1));
        // The place where a name was bound is a reference of its own.
        let here = |name: Name<'a>| match callee.contains_inclusive(name.at) {
            true => name,
            false => Name { at: callee.start(), ..name },
        };
        let (known, repeated) = self.tool_calls.of(start);
        let probable = |collector: &mut Self, known: KnownArguments| {
            let Some((server, tool)) = collector.tool_calls.tool(start).cloned() else { return };
            let named = |text| Name { text, at: callee.start() };
            let of = Use { arguments, known, repeated, probable: true, ..Use::default() };
            collector.add(named(&server), Some(named(&tool)), of);
        };
        match self.resolver.of(&call.func, self.scope) {
            Some(Referent::Tool(server, tool)) => {
                let written = written(&call.arguments, self.lines, self.places);
                self.places -= written.len();
                let of = Use { arguments, written, known, repeated, ..Use::default() };
                self.add(here(server), Some(here(tool)), of);
            }
            Some(Referent::Server(server)) => {
                let server = Name { at: callee.start(), ..server };
                self.add(server, None, Use { arguments, called: true, ..Use::default() });
            }
            Some(Referent::CallByName) => {
                let Some((server, tool)) = named_tool(call) else {
                    return probable(self, known);
                };
                let named = |text| Name { text, at: callee.start() };
                let of = Use { arguments, known, repeated, ..Use::default() };
                self.add(named(server), Some(named(tool)), of);
            }
            Some(Referent::Servers | Referent::Python(_)) | None => probable(self, known),
        }
    }

    /// Enters the scope that a statement opens, and returns the enclosing one.
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

    /// Whether a condition tests for a server or tool: `"crm" in servers`.
    fn probes(&self, test: &'a Expr) -> bool {
        let (resolver, scope) = (self.resolver, self.scope);
        let mut probe = Probe { resolver, scope, left: MAX_PROBED, found: false };
        probe.visit_expr(test);
        probe.found
    }

    /// Whether a `with` suppresses exceptions.
    fn suppresses(expression: &Expr) -> bool {
        let Expr::Call(call) = expression else { return false };
        match &*call.func {
            Expr::Name(name) => name.id == "suppress",
            Expr::Attribute(attribute) => attribute.attr.id == "suppress",
            _ => false,
        }
    }

    fn visit_branches(&mut self, guard: bool, branches: &[&'a [Stmt]]) {
        self.guarded(guard, |collector| {
            for branch in branches {
                collector.visit_body(branch);
            }
        });
    }
}

/// The server and tool passed to `call_tool`.
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

/// Whether a call returns exceptions instead of raising them.
fn collects_errors(call: &ExprCall) -> bool {
    let keyword = call.arguments.find_keyword("return_exceptions");
    keyword.is_some_and(|keyword| !matches!(&keyword.value, Expr::BooleanLiteral(it) if !it.value))
}

impl<'a> Visitor<'a> for ReferenceCollector<'_, '_, 'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let inside = self.resolver.bindings().opened(statement);
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
                self.visit_used(&one.test);
                let mut guard = self.probes(&one.test);
                self.visit_branches(guard, &[&one.body]);
                for clause in &one.elif_else_clauses {
                    if let Some(test) = &clause.test {
                        self.guarded(guard, |collector| collector.visit_used(test));
                        guard |= self.probes(test);
                    }
                    self.visit_branches(guard, &[&clause.body]);
                }
            }
            _ => self.visit_plain(statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Call(call) => {
                self.add_call(call);
                if self.named(&call.func).is_none() {
                    self.visit_expr(&call.func);
                }
                let looks =
                    matches!(&*call.func, Expr::Name(name) if LOOKING.contains(&name.id.as_str()));
                self.guarded(collects_errors(call), |collector| match looks {
                    true => {
                        call.arguments.args.iter().for_each(|one| collector.visit_used(one));
                        call.arguments.keywords.iter().for_each(|one| collector.visit_keyword(one));
                    }
                    false => collector.visit_arguments(&call.arguments),
                });
            }
            Expr::If(one) => {
                self.visit_used(&one.test);
                self.guarded(self.probes(&one.test), |collector| {
                    collector.visit_expr(&one.body);
                    collector.visit_expr(&one.orelse);
                });
            }
            Expr::BoolOp(one) => {
                let mut guard = false;
                for (at, value) in one.values.iter().enumerate() {
                    let is_test = one.op == BoolOp::And && at + 1 < one.values.len();
                    self.guarded(guard, |collector| match is_test {
                        true => collector.visit_used(value),
                        false => collector.visit_expr(value),
                    });
                    guard |= self.probes(value);
                }
            }
            Expr::UnaryOp(one) => self.visit_used(&one.operand),
            Expr::Compare(one) => {
                self.visit_used(&one.left);
                one.comparators.iter().for_each(|value| self.visit_used(value));
            }
            Expr::Named(one) => self.visit_assigned(&one.target, &one.value),
            // A member whose name is computed.
            Expr::Subscript(one)
                if self.named(expression).is_none() && self.is_server(&one.value) =>
            {
                self.visit_expr(&one.slice);
            }
            Expr::Attribute(one) if DESCRIBING.contains(&one.attr.as_str()) => {
                self.visit_used(&one.value);
            }
            Expr::Attribute(one)
                if self.named(expression).is_none() && self.is_server(&one.value) => {}
            _ => match self.named(expression) {
                Some(referent) => {
                    self.record_uncalled(&referent);
                    self.add_passed(&referent, expression.start());
                }
                None => walk_expr(self, expression),
            },
        }
    }

    fn visit_comprehension(&mut self, one: &'a Comprehension) {
        self.visit_target(&one.target);
        self.visit_used(&one.iter);
        one.ifs.iter().for_each(|test| self.visit_used(test));
    }
}

/// Searches for a server or tool that is accessed but not called.
struct Probe<'m, 'b, 'a> {
    resolver: &'m Resolver<'b, 'a>,
    scope: ScopeId,
    /// How many expressions may still be examined.
    left: u32,
    found: bool,
}

impl<'a> Visitor<'a> for Probe<'_, '_, 'a> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
        match (expression, self.resolver.of(expression, self.scope)) {
            (_, Some(Referent::Servers | Referent::Server(_) | Referent::Tool(..))) => {
                self.found = true;
            }
            (Expr::Call(call), _) => {
                if self.resolver.of(&call.func, self.scope).is_none() {
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
