//! Loops that move away from their bound: `while n >= 0: n += 1`, or over a list that they
//! extend: `for x in q: q.append(x)`.
//!
//! In: a loop. Out: whether it can never end by its condition.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{CmpOp, Expr, ExprContext, Operator, Stmt, StmtWhile, UnaryOp};

/// Whether a loop counts away from its bound. Exits are not considered.
pub(super) fn counts_away_from_bound(one: &StmtWhile) -> bool {
    let Expr::Compare(test) = &*one.test else { return false };
    let (Expr::Name(name), [bound]) = (&*test.left, test.comparators.as_ref()) else {
        return false;
    };
    let up = match test.ops.as_ref() {
        [CmpOp::Gt | CmpOp::GtE] => true,
        [CmpOp::Lt | CmpOp::LtE] => false,
        _ => return false,
    };
    let mut steps = CounterSteps { name: name.id.as_str(), up: 0, down: 0, other: 0 };
    steps.visit_body(&one.body);
    let (along, against) = if up { (steps.up, steps.down) } else { (steps.down, steps.up) };
    is_number(bound) && along > 0 && against == 0 && steps.other == 0
}

/// Whether a loop runs while a list is not empty, and adds to that list.
pub(super) fn feeds_its_condition(one: &StmtWhile) -> bool {
    let mut test = &*one.test;
    if let Expr::Compare(compared) = test
        && let [CmpOp::Gt | CmpOp::GtE | CmpOp::NotEq] = compared.ops.as_ref()
    {
        test = &compared.left;
    }
    if let Expr::Call(call) = test
        && is_named(&call.func, "len")
        && let [list] = call.arguments.args.as_ref()
    {
        test = list;
    }
    feeds_own_list(test, &one.body)
}

/// Whether a body adds to this list in each iteration and does nothing else with it. Exits
/// are not considered.
pub(super) fn feeds_own_list(list: &Expr, body: &[Stmt]) -> bool {
    let Expr::Name(name) = list else { return false };
    let mut uses = ListUses { name: name.id.as_str(), all: 0, adding: 0, skips: false };
    // Most loops add nothing, and nested loops are examined several times.
    if !body.iter().any(|one| uses.is_adding_statement(one)) {
        return false;
    }
    let mut grows = false;
    for statement in body {
        // Statements after a `continue` may never run.
        grows |= !uses.skips && uses.is_adding_statement(statement);
        uses.visit_stmt(statement);
    }
    grows && uses.all == uses.adding
}

/// How a body uses a list.
struct ListUses<'n> {
    name: &'n str,
    all: u32,
    /// Uses that add to it or read one of its elements.
    adding: u32,
    skips: bool,
}

impl ListUses<'_> {
    fn is_adding_statement(&self, statement: &Stmt) -> bool {
        matches!(statement, Stmt::Expr(one) if self.is_adding(&one.value))
    }

    fn is_adding(&self, expression: &Expr) -> bool {
        let Expr::Call(call) = expression else { return false };
        let Expr::Attribute(method) = &*call.func else { return false };
        matches!(method.attr.as_str(), "append" | "insert" | "appendleft")
            && is_named(&method.value, self.name)
    }
}

impl<'a> Visitor<'a> for ListUses<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        self.skips |= statement.is_continue_stmt();
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        let reads = matches!(expression, Expr::Subscript(one)
            if one.ctx == ExprContext::Load && is_named(&one.value, self.name));
        self.adding += u32::from(reads || self.is_adding(expression));
        self.all += u32::from(is_named(expression, self.name));
        walk_expr(self, expression);
    }
}

/// A number literal with an optional sign.
fn is_number(expression: &Expr) -> bool {
    match expression {
        Expr::NumberLiteral(_) => true,
        Expr::UnaryOp(one) => one.op == UnaryOp::USub && one.operand.is_number_literal_expr(),
        _ => false,
    }
}

/// How a loop changes a variable.
struct CounterSteps<'n> {
    name: &'n str,
    up: u32,
    down: u32,
    /// In an unknown direction.
    other: u32,
}

impl<'a> Visitor<'a> for CounterSteps<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::AugAssign(one) if is_named(&one.target, self.name) => {
                // A literal without a sign is positive.
                match (one.op, one.value.is_number_literal_expr()) {
                    (Operator::Add, true) => self.up += 1,
                    (Operator::Sub, true) => self.down += 1,
                    _ => self.other += 1,
                }
            }
            // They change it when they are called.
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => self.other += 1,
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Name(name) = expression
            && name.ctx != ExprContext::Load
        {
            self.other += u32::from(name.id == self.name);
        }
        walk_expr(self, expression);
    }
}

fn is_named(expression: &Expr, name: &str) -> bool {
    matches!(expression, Expr::Name(one) if one.id == name)
}
