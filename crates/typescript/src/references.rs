//! Which servers and tools a program uses, found before it runs.
//!
//! In: the parsed program and what its names stand for. Out: one [`Reference`]
//! for each call, import and destructuring that names a server; or the first
//! place where a call's promise is used as if it were the result.
//!
//! Reading `servers.crm.getLead` without calling it is no use of it, and a use
//! that the program itself is prepared to see fail is marked as guarded:
//! programs may probe.

use oxc::ast::ast::{
    BindingPattern, CallExpression, ConditionalExpression, Expression, IdentifierReference,
    IfStatement, ImportDeclaration, ImportExpression, LogicalExpression, MemberExpression, Program,
    TryStatement, VariableDeclarator,
};
use oxc::ast_visit::{Visit, walk};
use oxc::span::{GetSpan, Span};
use tidegate_model::{NAME_LIMIT, Reference, ToolRef};

use crate::facts::Facts;
use crate::lines::Lines;
use crate::meanings::{Meaning, Meanings, Name, destructured, imported, literal, module};
use crate::written::WrittenOffsets;

/// How many references are told. A program with more repeats itself.
const MOST: usize = 500;

/// How many places of arguments are told, in all references together.
const MOST_WRITTEN: usize = 5000;

/// How much of a condition is looked at. In `a && b && c` each part is a
/// condition of the rest, and a long one would be read once per part.
const PROBED: u32 = 100;

/// All uses of servers and tools in a program, in the order of the source.
pub(crate) fn references(
    program: &Program<'_>,
    meanings: &Meanings<'_>,
    lines: &Lines<'_>,
    facts: &Facts,
) -> Vec<Reference> {
    let mut uses = Uses { meanings, lines, facts, guards: 0, found: Vec::new(), places: 0 };
    uses.visit_program(program);
    uses.found.sort_by_key(|reference| (reference.line, reference.column));
    uses.found
}

struct Uses<'m, 's> {
    meanings: &'m Meanings<'s>,
    lines: &'m Lines<'m>,
    facts: &'m Facts,
    /// In how many guards the visit is.
    guards: u32,
    found: Vec<Reference>,
    /// How many places of arguments were found.
    places: usize,
}

/// What is known of a use besides its names.
#[derive(Default)]
struct Use {
    /// Where it is, if its names have no place of their own.
    span: Span,
    arguments: Option<(u32, u32)>,
    written: WrittenOffsets,
    called: bool,
    optional: bool,
}

impl Uses<'_, '_> {
    fn add(&mut self, server: &Name, tool: Option<&Name>, of: Use) {
        let names = [Some(server), tool];
        let too_long = names.into_iter().flatten().any(|name| name.text.len() > NAME_LIMIT);
        if self.found.len() >= MOST || too_long {
            return;
        }
        let place = |span: Span| {
            let span = if span == Span::default() { of.span } else { span };
            self.lines.place(span.start as usize)
        };
        let (line, column) = place(tool.unwrap_or(server).span);
        let server_at = Some(place(server.span)).filter(|at| *at != (line, column));
        self.places += of.written.len();
        // Facts about a call are kept under the end of its brackets.
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
            literals: call
                .and_then(|end| self.facts.literals.get(&end).cloned())
                .unwrap_or_default(),
            repeated: call.is_some_and(|end| self.facts.repeated.contains(&end)),
        });
    }

    /// A meaning that is used where it stands: imported or destructured.
    fn add_meaning(&mut self, meaning: &Meaning, of: Use) {
        match meaning {
            Meaning::Server(server) => self.add(server, None, of),
            Meaning::Tool(server, tool) | Meaning::ToolFile(server, tool) => {
                self.add(server, Some(tool), of);
            }
            Meaning::Servers
            | Meaning::CallByName
            | Meaning::AsyncFunction
            | Meaning::Promise(_) => {}
        }
    }

    fn add_call(&mut self, call: &CallExpression<'_>) {
        let of = Use {
            span: call.callee.span(),
            arguments: Some(self.argument_list(call)),
            optional: call.optional || is_optional(&call.callee),
            ..Use::default()
        };
        match self.meanings.of(&call.callee) {
            Some(Meaning::Tool(server, tool)) => {
                // Where it was bound is elsewhere, and its own reference.
                let inside = |name: Name| match of.span.contains_inclusive(name.span) {
                    true => name,
                    false => Name { span: Span::default(), ..name },
                };
                let (server, tool) = (inside(server), inside(tool));
                let written = self.written(call);
                self.add(&server, Some(&tool), Use { written, ..of });
            }
            Some(Meaning::Server(server)) => {
                self.add(&Name { span: of.span, ..server }, None, Use { called: true, ..of });
            }
            Some(Meaning::CallByName) => {
                let text = |at: usize| literal(call.arguments.get(at)?.as_expression()?);
                // `callMCPTool('crm', 'get_lead', {…})` works as well.
                let names = match (text(0), text(1)) {
                    (Some(server), Some(tool)) => Some((server, tool)),
                    (Some(name), None) => ToolRef::parts(name),
                    (None, _) => None,
                };
                let Some((server, tool)) = names else { return };
                let named = |text: &str| Name { text: text.to_owned(), span: Span::default() };
                self.add(&named(server), Some(&named(tool)), of);
            }
            _ => {}
        }
    }

    /// From the opening bracket to behind the closing one.
    fn argument_list(&self, call: &CallExpression<'_>) -> (u32, u32) {
        let types = call.type_arguments.as_ref().map(|types| types.span.end);
        let behind = types.unwrap_or_else(|| call.callee.span().end);
        let between = self.lines.text(behind, call.span.end);
        let bracket = between.find('(').and_then(|at| u32::try_from(at).ok()).unwrap_or(0);
        (behind + bracket, call.span.end)
    }

    fn written(&self, call: &CallExpression<'_>) -> WrittenOffsets {
        let first = call.arguments.first().and_then(|argument| argument.as_expression());
        let most = MOST_WRITTEN.saturating_sub(self.places);
        first.map(|argument| WrittenOffsets::of(argument, most)).unwrap_or_default()
    }

    fn add_destructured(&mut self, pattern: &BindingPattern<'_>, meaning: &Meaning) {
        let BindingPattern::ObjectPattern(object) = pattern else { return };
        for property in &object.properties {
            let Some(meaning) = destructured(meaning, &property.key) else { continue };
            let optional = matches!(property.value, BindingPattern::AssignmentPattern(_));
            let of = Use { span: property.span, optional, ..Use::default() };
            match &property.value {
                // What is taken out of it names it again.
                nested @ BindingPattern::ObjectPattern(object) if !object.properties.is_empty() => {
                    self.add_destructured(nested, &meaning);
                }
                _ => self.add_meaning(&meaning, of),
            }
        }
    }

    fn guarded(&mut self, guard: bool, visit: impl FnOnce(&mut Self)) {
        self.guards += u32::from(guard);
        visit(self);
        self.guards -= u32::from(guard);
    }

    /// Whether a condition asks what is there: `'crm' in servers`.
    fn probes(&self, test: &Expression<'_>) -> bool {
        let mut probe = Probe { meanings: self.meanings, left: PROBED, found: false };
        probe.visit_expression(test);
        probe.found
    }
}

impl<'a> Visit<'a> for Uses<'_, '_> {
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
        if let Some(meaning) = literal(&import.source).and_then(module) {
            let span = import.source.span();
            self.add_meaning(&meaning, Use { span, ..Use::default() });
        }
        walk::walk_import_expression(self, import);
    }

    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        let Some(specifiers) = &import.specifiers else {
            let of = Use { span: import.source.span, ..Use::default() };
            if let Some(meaning) = module(import.source.value.as_str()) {
                self.add_meaning(&meaning, of);
            }
            return;
        };
        for specifier in specifiers {
            let used = self.meanings.is_value(specifier.local().symbol_id());
            let Some(meaning) = imported(import, specifier).filter(|_| used) else { continue };
            self.add_meaning(&meaning, Use { span: import.source.span, ..Use::default() });
        }
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if let Some(meaning) = declarator.init.as_ref().and_then(|init| self.meanings.of(init)) {
            self.add_destructured(&declarator.id, &meaning);
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

/// Looks for a server or tool that is read and not called.
struct Probe<'m, 's> {
    meanings: &'m Meanings<'s>,
    /// How many expressions may still be looked at.
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
        if self.meanings.of(&call.callee).is_none() {
            self.visit_expression(&call.callee);
        }
        self.visit_arguments(&call.arguments);
    }

    fn visit_identifier_reference(&mut self, name: &IdentifierReference<'a>) {
        let meaning = self.meanings.identifier(name);
        self.found |= match meaning {
            Some(
                Meaning::Servers | Meaning::Server(_) | Meaning::ToolFile(..) | Meaning::Tool(..),
            ) => true,
            None | Some(Meaning::CallByName | Meaning::AsyncFunction | Meaning::Promise(_)) => {
                false
            }
        };
    }
}

/// Whether a chain of members has a `?.`.
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
