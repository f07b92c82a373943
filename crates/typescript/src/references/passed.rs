//! Tools and servers that are used as values: `ids.map(servers.crm.wipe)`.
//!
//! In: the parsed program and a resolver for its names. Out: one [`Reference`] for each tool
//! that something else may call, and for each server that is handed over as a whole. A use
//! that only asks whether something exists, lists names or gives it another name is none.

use oxc::ast::ast::{
    BinaryExpression, BindingPattern, CallExpression, ComputedMemberExpression,
    ConditionalExpression, Expression, ExpressionStatement, ForInStatement, ForStatementLeft,
    IfStatement, LogicalExpression, Program, StaticMemberExpression, UnaryExpression,
    VariableDeclarator, WhileStatement,
};
use oxc::ast_visit::{Visit, walk};
use oxc::span::{GetSpan, Span};
use oxc::syntax::operator::LogicalOperator;
use tidegate_model::{KnownArguments, NAME_LIMIT, Reference};

use crate::lines::Lines;
use crate::resolver::{Referent, Resolver, destructured};

/// Maximum uses reported. A program with more repeats itself.
const MAX_PASSED: usize = 500;

/// Globals that look at names only, and their methods; none for a function.
const LOOKING: &[(&str, &[&str])] = &[
    ("Array", &["isArray"]),
    ("Boolean", &[]),
    ("JSON", &["stringify"]),
    ("Object", &["getOwnPropertyNames", "hasOwn", "keys"]),
    ("Reflect", &["has", "ownKeys"]),
    ("String", &[]),
    ("console", &["debug", "error", "info", "log", "warn"]),
];

/// The uses, in source order.
pub(super) fn passed(
    program: &Program<'_>,
    resolver: &Resolver<'_>,
    lines: &Lines<'_>,
) -> Vec<Reference> {
    let mut passed = Passed { resolver, lines, found: Vec::new() };
    passed.visit_program(program);
    passed.found
}

struct Passed<'m, 's> {
    resolver: &'m Resolver<'s>,
    lines: &'m Lines<'m>,
    found: Vec<Reference>,
}

impl Passed<'_, '_> {
    fn add(&mut self, referent: &Referent, span: Span) {
        let (server, tool) = match referent {
            Referent::Tool(server, tool) | Referent::ToolFile(server, tool) => {
                (server.text.clone(), Some(tool.text.clone()))
            }
            // Which of its tools are called is not known.
            Referent::Servers | Referent::Server(_) | Referent::CallByName => (String::new(), None),
            Referent::AsyncFunction | Referent::Promise(_) => return,
        };
        let too_long = [Some(&server), tool.as_ref()]
            .into_iter()
            .flatten()
            .any(|name| name.len() > NAME_LIMIT);
        if self.found.len() >= MAX_PASSED || too_long {
            return;
        }
        let (line, column) = self.lines.place(span.start as usize);
        self.found.push(Reference {
            server,
            tool,
            line,
            column,
            probable: true,
            passed: true,
            known: KnownArguments::unknown(),
            repeated: true,
            ..Reference::default()
        });
    }

    /// The tool or server that an expression refers to.
    fn named(&self, expression: &Expression<'_>) -> Option<Referent> {
        self.resolver
            .of(expression)
            .filter(|one| !matches!(one, Referent::AsyncFunction | Referent::Promise(_)))
    }

    /// Visits what is used in place: called, or looked at.
    fn visit_used(&mut self, expression: &Expression<'_>) {
        if self.named(expression).is_none() {
            self.visit_expression(expression);
        }
    }

    /// Visits a condition.
    fn visit_test(&mut self, expression: &Expression<'_>) {
        match expression.get_inner_expression() {
            Expression::LogicalExpression(one) => {
                self.visit_test(&one.left);
                self.visit_test(&one.right);
            }
            Expression::UnaryExpression(one) => self.visit_test(&one.argument),
            _ => self.visit_used(expression),
        }
    }

    /// Names that are given to a referent: those that the resolver follows are none of ours.
    fn bind(&mut self, pattern: &BindingPattern<'_>, referent: &Referent, span: Span) {
        match pattern {
            BindingPattern::BindingIdentifier(name) if self.resolver.knows(name.symbol_id()) => {}
            BindingPattern::ObjectPattern(object) if object.rest.is_none() => {
                for property in &object.properties {
                    match destructured(referent, &property.key) {
                        Some(member) => self.bind(&property.value, &member, property.span),
                        None => self.add(referent, span),
                    }
                }
            }
            _ => self.add(referent, span),
        }
    }

    /// Whether a function only looks at names.
    fn only_looks(&self, callee: &Expression<'_>) -> bool {
        let member = callee.get_member_expr();
        let (object, method) = match member {
            Some(member) => (member.object(), member.static_property_name()),
            None => (callee, None),
        };
        LOOKING.iter().any(|(global, methods)| {
            let is_listed = match method {
                Some(method) => methods.contains(&method),
                None => member.is_none() && methods.is_empty(),
            };
            is_listed && self.resolver.is_global(object, global)
        })
    }
}

impl<'a> Visit<'a> for Passed<'_, '_> {
    fn visit_expression(&mut self, expression: &Expression<'a>) {
        match self.named(expression) {
            Some(referent) => self.add(&referent, expression.span()),
            None => walk::walk_expression(self, expression),
        }
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.visit_used(&call.callee);
        let only_looks = self.only_looks(&call.callee);
        for argument in &call.arguments {
            match argument.as_expression().filter(|_| only_looks) {
                Some(expression) => self.visit_used(expression),
                None => self.visit_argument(argument),
            }
        }
    }

    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        let property = member.property.name.as_str();
        match self.named(&member.object) {
            Some(Referent::Servers | Referent::Server(_)) => {}
            Some(_) if matches!(property, "name" | "length") => {}
            _ => self.visit_expression(&member.object),
        }
    }

    fn visit_computed_member_expression(&mut self, member: &ComputedMemberExpression<'a>) {
        if !matches!(self.named(&member.object), Some(Referent::Servers | Referent::Server(_))) {
            self.visit_expression(&member.object);
        }
        self.visit_expression(&member.expression);
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        let Some(init) = &declarator.init else { return };
        match self.named(init) {
            Some(referent) => self.bind(&declarator.id, &referent, init.span()),
            None => walk::walk_variable_declarator(self, declarator),
        }
    }

    fn visit_expression_statement(&mut self, statement: &ExpressionStatement<'a>) {
        self.visit_used(&statement.expression);
    }

    fn visit_if_statement(&mut self, statement: &IfStatement<'a>) {
        self.visit_test(&statement.test);
        self.visit_statement(&statement.consequent);
        if let Some(alternate) = &statement.alternate {
            self.visit_statement(alternate);
        }
    }

    fn visit_while_statement(&mut self, statement: &WhileStatement<'a>) {
        self.visit_test(&statement.test);
        self.visit_statement(&statement.body);
    }

    fn visit_for_in_statement(&mut self, statement: &ForInStatement<'a>) {
        if let ForStatementLeft::VariableDeclaration(declaration) = &statement.left {
            self.visit_variable_declaration(declaration);
        }
        self.visit_used(&statement.right);
        self.visit_statement(&statement.body);
    }

    fn visit_conditional_expression(&mut self, expression: &ConditionalExpression<'a>) {
        self.visit_test(&expression.test);
        self.visit_expression(&expression.consequent);
        self.visit_expression(&expression.alternate);
    }

    fn visit_logical_expression(&mut self, expression: &LogicalExpression<'a>) {
        match expression.operator {
            LogicalOperator::And => self.visit_test(&expression.left),
            LogicalOperator::Or | LogicalOperator::Coalesce => {
                self.visit_expression(&expression.left);
            }
        }
        self.visit_expression(&expression.right);
    }

    fn visit_unary_expression(&mut self, expression: &UnaryExpression<'a>) {
        self.visit_test(&expression.argument);
    }

    fn visit_binary_expression(&mut self, expression: &BinaryExpression<'a>) {
        self.visit_used(&expression.left);
        self.visit_used(&expression.right);
    }
}
