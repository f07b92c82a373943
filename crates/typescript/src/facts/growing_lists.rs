//! Loops over a list that they make longer with each turn: `for (const x of q) q.push(x)`.
//!
//! Only what is plain is told: the list grows whatever happens, nothing else is done
//! with it, and nothing leaves the loop.

use oxc::ast::ast::{
    Argument, CallExpression, ComputedMemberExpression, ContinueStatement, Expression,
    IdentifierReference, Statement,
};
use oxc::ast_visit::{Visit, walk};
use oxc::semantic::{Scoping, SymbolId};
use oxc::syntax::operator::BinaryOperator;

use super::Reader;

impl<'a> Reader<'_> {
    /// Whether a loop goes on as long as there is something in a list, to which its body
    /// adds. What leaves the loop is not looked for.
    pub(super) fn feeds_its_test(&self, test: &Expression<'a>, body: &Statement<'a>) -> bool {
        let test = match test.get_inner_expression() {
            Expression::BinaryExpression(binary) => match binary.operator {
                BinaryOperator::GreaterThan
                | BinaryOperator::GreaterEqualThan
                | BinaryOperator::StrictInequality
                | BinaryOperator::Inequality
                    if matches!(&binary.right, Expression::NumericLiteral(_)) =>
                {
                    binary.left.get_inner_expression()
                }
                _ => return false,
            },
            test => test,
        };
        match test {
            Expression::StaticMemberExpression(member) if member.property.name == "length" => {
                self.feeds(&member.object, body)
            }
            _ => false,
        }
    }

    /// Whether a body adds to this list with each turn.
    pub(super) fn feeds(&self, list: &Expression<'a>, body: &Statement<'a>) -> bool {
        let Expression::Identifier(name) = list.get_inner_expression() else { return false };
        let Some(symbol) = self.symbol(name) else { return false };
        let mut uses = Uses { scoping: self.scoping, symbol, all: 0, adding: 0, skips: false };
        let statements = match body {
            Statement::BlockStatement(block) => block.body.as_slice(),
            one => std::slice::from_ref(one),
        };
        // Most loops add nothing, and each is looked into inside of others.
        if !statements.iter().any(|one| uses.is_adding(one)) {
            return false;
        }
        let mut grows = false;
        for statement in statements {
            // What stands behind a `continue` may never be reached.
            grows |= !uses.skips && uses.is_adding(statement);
            uses.visit_statement(statement);
        }
        grows && uses.all == uses.adding
    }
}

/// What a body does with a list.
struct Uses<'s> {
    scoping: &'s Scoping,
    symbol: SymbolId,
    all: u32,
    /// Those that add to it, or ask for one of its elements.
    adding: u32,
    skips: bool,
}

impl Uses<'_> {
    fn is_it(&self, expression: &Expression<'_>) -> bool {
        matches!(expression.get_inner_expression(), Expression::Identifier(name)
            if self.scoping.get_reference(name.reference_id()).symbol_id() == Some(self.symbol))
    }

    fn is_adding(&self, statement: &Statement<'_>) -> bool {
        let Statement::ExpressionStatement(one) = statement else { return false };
        match one.expression.get_inner_expression() {
            Expression::CallExpression(call) => self.is_push(call),
            _ => false,
        }
    }

    fn is_push(&self, call: &CallExpression<'_>) -> bool {
        // What is spread may be nothing.
        let adds = call.arguments.iter().any(Argument::is_expression);
        match call.callee.get_inner_expression() {
            Expression::StaticMemberExpression(member) => {
                let name = member.property.name.as_str();
                adds && matches!(name, "push" | "unshift") && self.is_it(&member.object)
            }
            _ => false,
        }
    }
}

impl<'a> Visit<'a> for Uses<'_> {
    fn visit_identifier_reference(&mut self, name: &IdentifierReference<'a>) {
        let symbol = self.scoping.get_reference(name.reference_id()).symbol_id();
        self.all += u32::from(symbol == Some(self.symbol));
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.adding += u32::from(self.is_push(call));
        walk::walk_call_expression(self, call);
    }

    fn visit_computed_member_expression(&mut self, member: &ComputedMemberExpression<'a>) {
        self.adding += u32::from(self.is_it(&member.object));
        walk::walk_computed_member_expression(self, member);
    }

    fn visit_continue_statement(&mut self, _: &ContinueStatement<'a>) {
        self.skips = true;
    }
}
