//! Functions that call themselves, or have themselves called again, whatever happens:
//! at once, or by way of others.

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

use super::Reader;
use super::loops::Inside;

/// What has a function called later, without an end of its own.
const LATER: [&str; 6] =
    ["setTimeout", "setImmediate", "queueMicrotask", "requestAnimationFrame", "nextTick", "then"];

impl<'a> Reader<'_> {
    /// Looks at a function with a name.
    pub(super) fn self_call(&mut self, function: &Function<'a>) {
        if let (Some(name), Some(body)) = (&function.id, &function.body) {
            self.tell_self_call(name.symbol_id(), name.name.as_str(), &Body::Statements(body));
        }
    }

    /// The same of `const f = () => …`.
    pub(super) fn self_call_of(&mut self, declarator: &VariableDeclarator<'a>) {
        let BindingPattern::BindingIdentifier(name) = &declarator.id else { return };
        let body = match declarator.init.as_ref().map(Expression::get_inner_expression) {
            Some(Expression::ArrowFunctionExpression(function)) => match &function.body {
                ArrowFunctionBody::FunctionBody(body) => Body::Statements(body),
                body => match body.as_expression() {
                    Some(expression) => Body::Expression(expression),
                    None => return,
                },
            },
            Some(Expression::FunctionExpression(function)) => match &function.body {
                Some(body) => Body::Statements(body),
                None => return,
            },
            _ => return,
        };
        self.tell_self_call(name.symbol_id(), name.name.as_str(), &body);
    }

    /// The same of a method: `get x() { return this.x }`.
    pub(super) fn self_call_of_method(&mut self, method: &MethodDefinition<'a>) {
        let (Some(name), Some(body)) = (method.key.static_name(), &method.value.body) else {
            return;
        };
        let reads = method.kind == MethodDefinitionKind::Get;
        let of = Of::Method { name: &name, reads };
        if let Some(at) = self.certain(of, &Body::Statements(body)).found {
            self.tell(FactKind::Recursion, &name, at, Vec::new(), false);
        }
    }

    fn tell_self_call(&mut self, symbol: SymbolId, name: &str, body: &Body<'_, 'a>) {
        if !self.tells {
            return;
        }
        let sure = self.certain(Of::Function(symbol), body);
        let (found, calls) = (sure.found, sure.calls);
        match found {
            Some(at) => self.tell(FactKind::Recursion, name, at, Vec::new(), false),
            None if calls.is_empty() => {}
            None => {
                let at = match body {
                    Body::Statements(body) => body.span.start,
                    Body::Expression(expression) => expression.span().start,
                };
                self.certain_calls.insert(symbol, Certain { name: name.to_owned(), at, calls });
            }
        }
    }

    fn certain(&self, of: Of<'_>, body: &Body<'_, 'a>) -> Sure<'_> {
        let scoping = self.scoping;
        let (found, calls) = (None, Vec::new());
        let mut sure = Sure { scoping, of: of.owned(), done: false, found, later: false, calls };
        match body {
            Body::Statements(body) => sure.statements(&body.statements),
            Body::Expression(expression) => sure.visit_expression(expression),
        }
        sure
    }

    /// Functions that come back to themselves by way of others, whatever happens.
    pub(super) fn tell_cycles(&mut self) {
        let mut left = std::mem::take(&mut self.certain_calls);
        // What calls only functions that end, ends. Long chains take several rounds; so
        // many that they matter are not written by hand.
        for _ in 0..MOST_ROUNDS {
            let names: HashSet<SymbolId> = left.keys().copied().collect();
            let before = left.len();
            left.retain(|_, one| one.calls.iter().any(|call| names.contains(call)));
            if left.len() == before {
                break;
            }
        }
        let mut found: Vec<Certain> = left.into_values().collect();
        found.sort_by_key(|one| one.at);
        for one in found.into_iter().take(MOST_CYCLES) {
            self.tell(FactKind::Recursion, &one.name, one.at, Vec::new(), false);
        }
    }
}

/// How long chains of functions are followed, and how many that never end are told.
/// Chosen.
const MOST_ROUNDS: usize = 100;
const MOST_CYCLES: usize = 20;

/// How many functions that a function surely calls are kept. Chosen.
const MOST_CALLS: usize = 32;

/// A function with those that it calls whatever happens.
pub(super) struct Certain {
    name: String,
    at: u32,
    calls: Vec<SymbolId>,
}

/// What is looked at.
#[derive(Clone, Copy)]
enum Of<'n> {
    Function(SymbolId),
    Method { name: &'n str, reads: bool },
}

/// The same, to keep.
enum Itself {
    Function(SymbolId),
    Method { name: String, reads: bool },
}

impl Of<'_> {
    fn owned(self) -> Itself {
        match self {
            Self::Function(symbol) => Itself::Function(symbol),
            Self::Method { name, reads } => Itself::Method { name: name.to_owned(), reads },
        }
    }
}

enum Body<'b, 'a> {
    Statements(&'b FunctionBody<'a>),
    Expression(&'b Expression<'a>),
}

/// Whether something in a statement may leave the function.
fn may_leave(visit: impl FnOnce(&mut Inside)) -> bool {
    let mut inside = Inside::default();
    visit(&mut inside);
    inside.leaves || inside.yields
}

/// Visits what is sure to be done when a function is called.
struct Sure<'s> {
    scoping: &'s Scoping,
    of: Itself,
    /// What follows may not be reached.
    done: bool,
    found: Option<u32>,
    /// Something is handed over to be called later.
    later: bool,
    /// The other functions of the program that are surely called.
    calls: Vec<SymbolId>,
}

impl<'a> Sure<'_> {
    fn statements(&mut self, statements: &[Statement<'a>]) {
        for statement in statements {
            if self.done || self.found.is_some() {
                return;
            }
            self.visit_statement(statement);
        }
    }

    /// The function of the program that an expression names.
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
            Itself::Function(own) => self.symbol(expression) == Some(*own),
            Itself::Method { name, .. } => expression
                .get_inner_expression()
                .get_member_expr()
                .is_some_and(|member| is_own_member(member, name)),
        }
    }

    /// Something is called now, or later.
    fn calls(&mut self, expression: &Expression<'a>) {
        if let Some(symbol) = self.symbol(expression).filter(|_| self.calls.len() < MOST_CALLS) {
            self.calls.push(symbol);
        }
    }
}

/// `this.name`
fn is_own_member(member: &MemberExpression<'_>, name: &str) -> bool {
    matches!(member.object().get_inner_expression(), Expression::ThisExpression(_))
        && member.static_property_name() == Some(name)
}

impl<'a> Visit<'a> for Sure<'_> {
    fn visit_member_expression(&mut self, member: &MemberExpression<'a>) {
        if let Itself::Method { name, reads: true } = &self.of
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
        let later = name.is_some_and(|name| LATER.contains(&name));
        let given = call.arguments.iter().filter_map(|one| one.as_expression());
        for one in given.filter(|_| later) {
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

    // What is done only sometimes is not sure, and may leave the function.
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
