//! The servers and tools that a program uses, found before it runs.
//!
//! In: the parsed program and a resolver for its names. Out: one [`Reference`] for each call,
//! import and destructuring that names a server, and for each tool that is used as a value
//! (`passed.rs`). Accessing `servers.crm.getLead` to see whether it exists is not a use, and a
//! use whose failure the program handles is marked as guarded: programs may probe.

mod passed;

use oxc::ast::ast::{
    BindingPattern, CallExpression, ConditionalExpression, Expression, IdentifierReference,
    IfStatement, ImportDeclaration, ImportExpression, LogicalExpression, MemberExpression, Program,
    TryStatement, VariableDeclarator,
};
use oxc::ast_visit::{Visit, walk};
use oxc::span::{GetSpan, Span};
use tidegate_model::{KnownArguments, NAME_LIMIT, Reference, ToolRef};

use crate::facts::Facts;
use crate::lines::Lines;
use crate::literal_arguments::LiteralOffsets;
use crate::resolver::{Name, Referent, Resolver, destructured, imported, literal, module};

/// Maximum references reported. A program with more repeats itself.
const MAX_REFERENCES: usize = 500;

/// Maximum argument positions reported in all references.
const MAX_POSITIONS: usize = 5000;

/// Maximum expressions of a condition that are examined. In `a && b && c` each part is a
/// condition of the rest, and a long chain would be visited once per part.
const MAX_PROBED: u32 = 100;

/// All uses of servers and tools in a program, in source order.
pub(crate) fn references(
    program: &Program<'_>,
    resolver: &Resolver<'_>,
    lines: &Lines<'_>,
    facts: &Facts,
) -> Vec<Reference> {
    let mut uses =
        ReferenceCollector { resolver, lines, facts, guards: 0, found: Vec::new(), places: 0 };
    uses.visit_program(program);
    uses.found.extend(passed::passed(program, resolver, lines));
    uses.found.sort_by_key(|reference| (reference.line, reference.column));
    uses.found
}

struct ReferenceCollector<'m, 's> {
    resolver: &'m Resolver<'s>,
    lines: &'m Lines<'m>,
    facts: &'m Facts,
    /// The number of enclosing guards.
    guards: u32,
    found: Vec<Reference>,
    /// The number of argument positions found.
    places: usize,
}

/// A use of a server or tool, besides its names.
#[derive(Default)]
struct Use {
    /// Its span, if its names have none of their own.
    span: Span,
    arguments: Option<(u32, u32)>,
    written: LiteralOffsets,
    called: bool,
    optional: bool,
    probable: bool,
}

impl ReferenceCollector<'_, '_> {
    fn add(&mut self, server: &Name, tool: Option<&Name>, of: Use) {
        let names = [Some(server), tool];
        let too_long = names.into_iter().flatten().any(|name| name.text.len() > NAME_LIMIT);
        if self.found.len() >= MAX_REFERENCES || too_long {
            return;
        }
        let place = |span: Span| {
            let span = if span == Span::default() { of.span } else { span };
            self.lines.place(span.start as usize)
        };
        let (line, column) = place(tool.unwrap_or(server).span);
        let server_at = Some(place(server.span)).filter(|at| *at != (line, column));
        self.places += of.written.len();
        // Facts about a call are stored by the end offset of its parentheses.
        let call = of.arguments.map(|(_, end)| end);
        self.found.push(Reference {
            server: server.text.clone(),
            tool: tool.map(|tool| tool.text.clone()),
            line,
            column,
            server_at,
            arguments: of.arguments.map(|brackets| self.lines.range(brackets)),
            written: of.written.in_lines(self.lines),
            called: of.called,
            guarded: self.guards > 0 || of.optional,
            probable: of.probable,
            passed: false,
            known: call.map(|end| self.known(end)).unwrap_or_default(),
            repeated: call.is_some_and(|end| self.facts.repeated.contains(&end)),
        });
    }

    /// The arguments of a call, as far as they are known.
    fn known(&self, end: u32) -> KnownArguments {
        let known = self.facts.tool_calls.get(&end).map(|call| call.arguments.clone());
        known.unwrap_or_else(KnownArguments::unknown)
    }

    /// A call of a tool that the resolver is not certain about.
    fn add_probable(&mut self, of: Use) {
        let call = of.arguments.and_then(|(_, end)| self.facts.tool_calls.get(&end));
        let Some((server, tool)) = call.and_then(|call| call.tool.clone()) else { return };
        let named = |text: String| Name { text, span: Span::default() };
        self.add(&named(server), Some(&named(tool)), Use { probable: true, ..of });
    }

    /// A referent that is imported or destructured in place.
    fn add_meaning(&mut self, referent: &Referent, of: Use) {
        match referent {
            Referent::Server(server) => self.add(server, None, of),
            Referent::Tool(server, tool) | Referent::ToolFile(server, tool) => {
                self.add(server, Some(tool), of);
            }
            Referent::Servers
            | Referent::CallByName
            | Referent::AsyncFunction
            | Referent::Promise(_) => {}
        }
    }

    fn add_call(&mut self, call: &CallExpression<'_>) {
        let of = Use {
            span: call.callee.span(),
            arguments: Some(self.argument_list(call)),
            optional: call.optional || is_optional(&call.callee),
            ..Use::default()
        };
        match self.resolver.of(&call.callee) {
            Some(Referent::Tool(server, tool)) => {
                // The place where a name was bound is a reference of its own.
                let inside = |name: Name| match of.span.contains_inclusive(name.span) {
                    true => name,
                    false => Name { span: Span::default(), ..name },
                };
                let (server, tool) = (inside(server), inside(tool));
                let written = self.written(call);
                self.add(&server, Some(&tool), Use { written, ..of });
            }
            Some(Referent::Server(server)) => {
                self.add(&Name { span: of.span, ..server }, None, Use { called: true, ..of });
            }
            Some(Referent::CallByName) => {
                let text = |at: usize| literal(call.arguments.get(at)?.as_expression()?);
                // `callMCPTool('crm', 'get_lead', {…})` works as well.
                let names = match (text(0), text(1)) {
                    (Some(server), Some(tool)) => Some((server, tool)),
                    (Some(name), None) => ToolRef::parts(name),
                    (None, _) => None,
                };
                let Some((server, tool)) = names else { return self.add_probable(of) };
                let named = |text: &str| Name { text: text.to_owned(), span: Span::default() };
                self.add(&named(server), Some(&named(tool)), of);
            }
            _ => self.add_probable(of),
        }
    }

    /// From the opening parenthesis to after the closing one.
    fn argument_list(&self, call: &CallExpression<'_>) -> (u32, u32) {
        let types = call.type_arguments.as_ref().map(|types| types.span.end);
        let behind = types.unwrap_or_else(|| call.callee.span().end);
        let between = self.lines.text(behind, call.span.end);
        let bracket = between.find('(').and_then(|at| u32::try_from(at).ok()).unwrap_or(0);
        (behind + bracket, call.span.end)
    }

    fn written(&self, call: &CallExpression<'_>) -> LiteralOffsets {
        let first = call.arguments.first().and_then(|argument| argument.as_expression());
        let most = MAX_POSITIONS.saturating_sub(self.places);
        first.map(|argument| LiteralOffsets::of(argument, most)).unwrap_or_default()
    }

    fn add_destructured(&mut self, pattern: &BindingPattern<'_>, referent: &Referent) {
        let BindingPattern::ObjectPattern(object) = pattern else { return };
        for property in &object.properties {
            let Some(referent) = destructured(referent, &property.key) else { continue };
            let optional = matches!(property.value, BindingPattern::AssignmentPattern(_));
            let of = Use { span: property.span, optional, ..Use::default() };
            match &property.value {
                // Its properties name it again.
                nested @ BindingPattern::ObjectPattern(object) if !object.properties.is_empty() => {
                    self.add_destructured(nested, &referent);
                }
                _ => self.add_meaning(&referent, of),
            }
        }
    }

    fn guarded(&mut self, guard: bool, visit: impl FnOnce(&mut Self)) {
        self.guards += u32::from(guard);
        visit(self);
        self.guards -= u32::from(guard);
    }

    /// Whether a condition tests for a server or tool: `'crm' in servers`.
    fn probes(&self, test: &Expression<'_>) -> bool {
        let mut probe = Probe { resolver: self.resolver, left: MAX_PROBED, found: false };
        probe.visit_expression(test);
        probe.found
    }
}

impl<'a> Visit<'a> for ReferenceCollector<'_, '_> {
    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.add_call(call);
        let method = call.callee.get_member_expr().and_then(MemberExpression::static_property_name);
        let caught = match method {
            Some("catch") => true,
            Some("then") => call.arguments.len() > 1,
            _ => false,
        };
        let settled = method == Some("allSettled");
        self.guarded(caught, |uses| uses.visit_expression(&call.callee));
        self.guarded(settled, |uses| uses.visit_arguments(&call.arguments));
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        if let Some(referent) = literal(&import.source).and_then(module) {
            let span = import.source.span();
            self.add_meaning(&referent, Use { span, ..Use::default() });
        }
        walk::walk_import_expression(self, import);
    }

    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        let Some(specifiers) = &import.specifiers else {
            let of = Use { span: import.source.span, ..Use::default() };
            if let Some(referent) = module(import.source.value.as_str()) {
                self.add_meaning(&referent, of);
            }
            return;
        };
        for specifier in specifiers {
            let used = self.resolver.is_value(specifier.local().symbol_id());
            let Some(referent) = imported(import, specifier).filter(|_| used) else { continue };
            self.add_meaning(&referent, Use { span: import.source.span, ..Use::default() });
        }
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if let Some(referent) = declarator.init.as_ref().and_then(|init| self.resolver.of(init)) {
            self.add_destructured(&declarator.id, &referent);
        }
        walk::walk_variable_declarator(self, declarator);
    }

    fn visit_try_statement(&mut self, statement: &TryStatement<'a>) {
        let caught = statement.handler.is_some();
        self.guarded(caught, |uses| uses.visit_block_statement(&statement.block));
        if let Some(handler) = &statement.handler {
            self.visit_catch_clause(handler);
        }
        if let Some(finalizer) = &statement.finalizer {
            self.visit_block_statement(finalizer);
        }
    }

    fn visit_if_statement(&mut self, statement: &IfStatement<'a>) {
        self.visit_expression(&statement.test);
        self.guarded(self.probes(&statement.test), |uses| {
            uses.visit_statement(&statement.consequent);
            if let Some(alternate) = &statement.alternate {
                uses.visit_statement(alternate);
            }
        });
    }

    fn visit_conditional_expression(&mut self, expression: &ConditionalExpression<'a>) {
        self.visit_expression(&expression.test);
        self.guarded(self.probes(&expression.test), |uses| {
            uses.visit_expression(&expression.consequent);
            uses.visit_expression(&expression.alternate);
        });
    }

    fn visit_logical_expression(&mut self, expression: &LogicalExpression<'a>) {
        self.visit_expression(&expression.left);
        self.guarded(self.probes(&expression.left), |uses| {
            uses.visit_expression(&expression.right);
        });
    }
}

/// Searches for a server or tool that is accessed but not called.
struct Probe<'m, 's> {
    resolver: &'m Resolver<'s>,
    /// How many expressions may still be examined.
    left: u32,
    found: bool,
}

impl<'a> Visit<'a> for Probe<'_, '_> {
    fn visit_expression(&mut self, expression: &Expression<'a>) {
        if let Some(left) = self.left.checked_sub(1) {
            self.left = left;
            walk::walk_expression(self, expression);
        }
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if self.resolver.of(&call.callee).is_none() {
            self.visit_expression(&call.callee);
        }
        self.visit_arguments(&call.arguments);
    }

    fn visit_identifier_reference(&mut self, name: &IdentifierReference<'a>) {
        let referent = self.resolver.identifier(name);
        self.found |= match referent {
            Some(
                Referent::Servers
                | Referent::Server(_)
                | Referent::ToolFile(..)
                | Referent::Tool(..),
            ) => true,
            None | Some(Referent::CallByName | Referent::AsyncFunction | Referent::Promise(_)) => {
                false
            }
        };
    }
}

/// Whether a member chain contains `?.`.
fn is_optional(expression: &Expression<'_>) -> bool {
    let mut at = expression;
    loop {
        let Some(member) = at.get_member_expr() else { return false };
        if member.optional() {
            return true;
        }
        at = member.object();
    }
}

#[cfg(test)]
mod tests;
