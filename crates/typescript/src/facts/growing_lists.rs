//! Loops over a list that they extend in each iteration: `for (const x of q) q.push(x)`.
//!
//! In: a loop. Out: whether it never ends. Only plain cases count: the list grows
//! unconditionally, nothing else happens to it, and nothing leaves the loop.

use oxc::ast::ast::{
    Argument, CallExpression, ComputedMemberExpression, ContinueStatement, Expression,
    IdentifierReference, Statement,
};
use oxc::ast_visit::{Visit, walk};
use oxc::semantic::{Scoping, SymbolId};
use oxc::syntax::operator::BinaryOperator;

use super::Evaluator;

impl<'a> Evaluator<'_> {
    /// Whether a loop runs while a list is not empty, and its body adds to that list. Exits
    /// are not considered.
    pub(super) fn feeds_its_condition(&self, test: &Expression<'a>, body: &Statement<'a>) -> bool {
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
                self.feeds_own_list(&member.object, body)
            }
            _ => false,
        }
    }

    /// Whether a body adds to this list in each iteration.
    pub(super) fn feeds_own_list(&self, list: &Expression<'a>, body: &Statement<'a>) -> bool {
        let Expression::Identifier(name) = list.get_inner_expression() else { return false };
        let Some(symbol) = self.symbol(name) else { return false };
        let mut uses = ListUses { scoping: self.scoping, symbol, all: 0, adding: 0, skips: false };
        let statements = match body {
            Statement::BlockStatement(block) => block.body.as_slice(),
            one => std::slice::from_ref(one),
        };
        // Most loops add nothing, and nested loops are examined several times.
        if !statements.iter().any(|one| uses.is_adding(one)) {
            return false;
        }
        let mut grows = false;
        for statement in statements {
            // Statements after a `continue` may never run.
            grows |= !uses.skips && uses.is_adding(statement);
            uses.visit_statement(statement);
        }
        grows && uses.all == uses.adding
    }
}

/// How a body uses a list.
struct ListUses<'s> {
    scoping: &'s Scoping,
    symbol: SymbolId,
    all: u32,
    /// Uses that add to it or read one of its elements.
    adding: u32,
    skips: bool,
}

impl ListUses<'_> {
    fn is_same(&self, expression: &Expression<'_>) -> bool {
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
        // A spread may be empty.
        let adds = call.arguments.iter().any(Argument::is_expression);
        match call.callee.get_inner_expression() {
            Expression::StaticMemberExpression(member) => {
                let name = member.property.name.as_str();
                adds && matches!(name, "push" | "unshift") && self.is_same(&member.object)
            }
            _ => false,
        }
    }
}

impl<'a> Visit<'a> for ListUses<'_> {
    fn visit_identifier_reference(&mut self, name: &IdentifierReference<'a>) {
        let symbol = self.scoping.get_reference(name.reference_id()).symbol_id();
        self.all += u32::from(symbol == Some(self.symbol));
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.adding += u32::from(self.is_push(call));
        walk::walk_call_expression(self, call);
    }

    fn visit_computed_member_expression(&mut self, member: &ComputedMemberExpression<'a>) {
        self.adding += u32::from(self.is_same(&member.object));
        walk::walk_computed_member_expression(self, member);
    }

    fn visit_continue_statement(&mut self, _: &ContinueStatement<'a>) {
        self.skips = true;
    }
}
