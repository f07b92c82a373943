//! Functions that call themselves unconditionally, directly, through others or by scheduling.
//!
//! In: functions. Out: `recursion` facts.

use std::collections::HashSet;

use oxc::ast::ast::{
    ArrowFunctionBody, ArrowFunctionExpression, BindingPattern, CallExpression, Class,
    ConditionalExpression, DoWhileStatement, Expression, ForInStatement, ForOfStatement,
    ForStatement, Function, FunctionBody, IfStatement, LogicalExpression, MemberExpression,
    MethodDefinition, MethodDefinitionKind, ReturnStatement, Statement, SwitchStatement,
    ThrowStatement, TryStatement, VariableDeclarator, WhileStatement,
};
use oxc::ast_visit::{Visit, walk};
use oxc::semantic::{Scoping, SymbolId};
use oxc::span::GetSpan;
use oxc::syntax::scope::ScopeFlags;
use tidegate_model::reading::FactKind;

use super::Evaluator;
use super::loops::LoopBody;

/// Functions that schedule a callback.
const SCHEDULERS: [&str; 6] =
    ["setTimeout", "setImmediate", "queueMicrotask", "requestAnimationFrame", "nextTick", "then"];

impl<'a> Evaluator<'_> {
    /// Checks a named function.
    pub(super) fn self_call(&mut self, function: &Function<'a>) {
        if let (Some(name), Some(body)) = (&function.id, &function.body) {
            self.record_self_call(
                name.symbol_id(),
                name.name.as_str(),
                &CodeBody::Statements(body),
            );
        }
    }

    /// The same for `const f = () => …`.
    pub(super) fn self_call_of(&mut self, declarator: &VariableDeclarator<'a>) {
        let BindingPattern::BindingIdentifier(name) = &declarator.id else { return };
        let body = match declarator.init.as_ref().map(Expression::get_inner_expression) {
            Some(Expression::ArrowFunctionExpression(function)) => match &function.body {
                ArrowFunctionBody::FunctionBody(body) => CodeBody::Statements(body),
                body => match body.as_expression() {
                    Some(expression) => CodeBody::Expression(expression),
                    None => return,
                },
            },
            Some(Expression::FunctionExpression(function)) => match &function.body {
                Some(body) => CodeBody::Statements(body),
                None => return,
            },
            _ => return,
        };
        self.record_self_call(name.symbol_id(), name.name.as_str(), &body);
    }

    /// The same for a method: `get x() { return this.x }`.
    pub(super) fn self_call_of_method(&mut self, method: &MethodDefinition<'a>) {
        let (Some(name), Some(body)) = (method.key.static_name(), &method.value.body) else {
            return;
        };
        let reads = method.kind == MethodDefinitionKind::Get;
        let of = FunctionRef::Method { name: &name, reads };
        if let Some(at) = self.certain(of, &CodeBody::Statements(body)).found {
            self.record(FactKind::Recursion, &name, at, Vec::new(), false);
        }
    }

    fn record_self_call(&mut self, symbol: SymbolId, name: &str, body: &CodeBody<'_, 'a>) {
        if !self.found.records {
            return;
        }
        let sure = self.certain(FunctionRef::Function(symbol), body);
        let (found, calls) = (sure.found, sure.calls);
        match found {
            Some(at) => self.record(FactKind::Recursion, name, at, Vec::new(), false),
            None if calls.is_empty() => {}
            None => {
                let at = match body {
                    CodeBody::Statements(body) => body.span.start,
                    CodeBody::Expression(expression) => expression.span().start,
                };
                self.functions
                    .unconditional_calls
                    .insert(symbol, UnconditionalCalls { name: name.to_owned(), at, calls });
            }
        }
    }

    fn certain(&self, of: FunctionRef<'_>, body: &CodeBody<'_, 'a>) -> CertainVisitor<'_> {
        let scoping = self.scoping;
        let (found, calls) = (None, Vec::new());
        let mut sure =
            CertainVisitor { scoping, of: of.owned(), done: false, found, later: false, calls };
        match body {
            CodeBody::Statements(body) => sure.statements(&body.statements),
            CodeBody::Expression(expression) => sure.visit_expression(expression),
        }
        sure
    }

    /// Records functions that unconditionally lead back to themselves.
    pub(super) fn record_cycles(&mut self) {
        let mut left = std::mem::take(&mut self.functions.unconditional_calls);
        // A function that only calls functions that end, ends. Long call chains need several
        // rounds; nobody writes chains of this length.
        for _ in 0..MAX_ROUNDS {
            let names: HashSet<SymbolId> = left.keys().copied().collect();
            let before = left.len();
            left.retain(|_, one| one.calls.iter().any(|call| names.contains(call)));
            if left.len() == before {
                break;
            }
        }
        let mut found: Vec<UnconditionalCalls> = left.into_values().collect();
        found.sort_by_key(|one| one.at);
        for one in found.into_iter().take(MAX_CYCLES) {
            self.record(FactKind::Recursion, &one.name, one.at, Vec::new(), false);
        }
    }
}

/// Maximum length of call chains followed, and maximum cycles reported. Chosen.
const MAX_ROUNDS: usize = 100;
const MAX_CYCLES: usize = 20;

/// Maximum unconditional calls kept for one function. Chosen.
const MAX_CALLS: usize = 32;

/// A function with those that it calls unconditionally.
pub(super) struct UnconditionalCalls {
    name: String,
    at: u32,
    calls: Vec<SymbolId>,
}

/// The function being checked.
#[derive(Clone, Copy)]
enum FunctionRef<'n> {
    Function(SymbolId),
    Method { name: &'n str, reads: bool },
}

/// The same, owned.
enum OwnedFunctionRef {
    Function(SymbolId),
    Method { name: String, reads: bool },
}

impl FunctionRef<'_> {
    fn owned(self) -> OwnedFunctionRef {
        match self {
            Self::Function(symbol) => OwnedFunctionRef::Function(symbol),
            Self::Method { name, reads } => {
                OwnedFunctionRef::Method { name: name.to_owned(), reads }
            }
        }
    }
}

enum CodeBody<'b, 'a> {
    Statements(&'b FunctionBody<'a>),
    Expression(&'b Expression<'a>),
}

/// Whether something in a statement may leave the function.
fn may_leave(visit: impl FnOnce(&mut LoopBody)) -> bool {
    let mut inside = LoopBody::default();
    visit(&mut inside);
    inside.leaves || inside.yields
}

/// Visits code that certainly runs when a function is called.
struct CertainVisitor<'s> {
    scoping: &'s Scoping,
    of: OwnedFunctionRef,
    /// Whether the rest may not be reached.
    done: bool,
    found: Option<u32>,
    /// Whether callbacks being passed on are called later.
    later: bool,
    /// The other functions of the program that are certainly called.
    calls: Vec<SymbolId>,
}

impl<'a> CertainVisitor<'_> {
    fn statements(&mut self, statements: &[Statement<'a>]) {
        for statement in statements {
            if self.done || self.found.is_some() {
                return;
            }
            self.visit_statement(statement);
        }
    }

    /// The function that an expression names.
    fn symbol(&self, expression: &Expression<'a>) -> Option<SymbolId> {
        match expression.get_inner_expression() {
            Expression::Identifier(name) => {
                self.scoping.get_reference(name.reference_id()).symbol_id()
            }
            _ => None,
        }
    }

    fn is_self(&self, expression: &Expression<'a>) -> bool {
        match &self.of {
            OwnedFunctionRef::Function(own) => self.symbol(expression) == Some(*own),
            OwnedFunctionRef::Method { name, .. } => expression
                .get_inner_expression()
                .get_member_expr()
                .is_some_and(|member| is_own_member(member, name)),
        }
    }

    /// Records a call, now or later.
    fn calls(&mut self, expression: &Expression<'a>) {
        if let Some(symbol) = self.symbol(expression).filter(|_| self.calls.len() < MAX_CALLS) {
            self.calls.push(symbol);
        }
    }
}

/// `this.name`
fn is_own_member(member: &MemberExpression<'_>, name: &str) -> bool {
    matches!(member.object().get_inner_expression(), Expression::ThisExpression(_))
        && member.static_property_name() == Some(name)
}

impl<'a> Visit<'a> for CertainVisitor<'_> {
    fn visit_member_expression(&mut self, member: &MemberExpression<'a>) {
        if let OwnedFunctionRef::Method { name, reads: true } = &self.of
            && is_own_member(member, name)
        {
            self.found.get_or_insert(member.span().start);
        }
        walk::walk_member_expression(self, member);
    }

    fn visit_function(&mut self, _: &Function<'a>, _: ScopeFlags) {}
    fn visit_class(&mut self, _: &Class<'a>) {}

    fn visit_arrow_function_expression(&mut self, function: &ArrowFunctionExpression<'a>) {
        // `setTimeout(() => f())`
        if self.later {
            match &function.body {
                ArrowFunctionBody::FunctionBody(body) => self.statements(&body.statements),
                body => {
                    if let Some(expression) = body.as_expression() {
                        self.visit_expression(expression);
                    }
                }
            }
        }
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if self.is_self(&call.callee) {
            self.found.get_or_insert(call.span.start);
        }
        self.calls(&call.callee);
        let name = match call.callee.get_inner_expression() {
            Expression::Identifier(name) => Some(name.name.as_str()),
            callee => callee.get_member_expr().and_then(MemberExpression::static_property_name),
        };
        let later = name.is_some_and(|name| SCHEDULERS.contains(&name));
        let parameters_given = call.arguments.iter().filter_map(|one| one.as_expression());
        for one in parameters_given.filter(|_| later) {
            if self.is_self(one) {
                self.found.get_or_insert(call.callee.span().start);
            }
            self.calls(one);
        }
        self.visit_expression(&call.callee);
        let outer = std::mem::replace(&mut self.later, later);
        call.arguments.iter().for_each(|argument| self.visit_argument(argument));
        self.later = outer;
    }

    // Conditional code may not run, and may leave the function.
    fn visit_if_statement(&mut self, statement: &IfStatement<'a>) {
        self.visit_expression(&statement.test);
        self.done |= may_leave(|inside| inside.visit_if_statement(statement));
    }

    fn visit_switch_statement(&mut self, statement: &SwitchStatement<'a>) {
        self.visit_expression(&statement.discriminant);
        self.done |= may_leave(|inside| inside.visit_switch_statement(statement));
    }

    fn visit_try_statement(&mut self, statement: &TryStatement<'a>) {
        self.statements(&statement.block.body);
        self.done = true;
    }

    fn visit_while_statement(&mut self, statement: &WhileStatement<'a>) {
        self.done |= may_leave(|inside| inside.visit_while_statement(statement));
    }

    fn visit_do_while_statement(&mut self, statement: &DoWhileStatement<'a>) {
        self.done |= may_leave(|inside| inside.visit_do_while_statement(statement));
    }

    fn visit_for_statement(&mut self, statement: &ForStatement<'a>) {
        self.done |= may_leave(|inside| inside.visit_for_statement(statement));
    }

    fn visit_for_of_statement(&mut self, statement: &ForOfStatement<'a>) {
        self.done |= may_leave(|inside| inside.visit_for_of_statement(statement));
    }

    fn visit_for_in_statement(&mut self, statement: &ForInStatement<'a>) {
        self.done |= may_leave(|inside| inside.visit_for_in_statement(statement));
    }

    fn visit_return_statement(&mut self, statement: &ReturnStatement<'a>) {
        walk::walk_return_statement(self, statement);
        self.done = true;
    }

    fn visit_throw_statement(&mut self, statement: &ThrowStatement<'a>) {
        walk::walk_throw_statement(self, statement);
        self.done = true;
    }

    fn visit_conditional_expression(&mut self, expression: &ConditionalExpression<'a>) {
        self.visit_expression(&expression.test);
    }

    fn visit_logical_expression(&mut self, expression: &LogicalExpression<'a>) {
        self.visit_expression(&expression.left);
    }
}
