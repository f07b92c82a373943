//! Loops that count away from where they would end: `while n >= 0: n += 1`.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{CmpOp, Expr, ExprContext, Operator, Stmt, StmtWhile, UnaryOp};

/// Whether a loop is one. What leaves it is not looked for.
pub(super) fn runs_away(one: &StmtWhile) -> bool {
    let Expr::Compare(test) = &*one.test else { return false };
    let (Expr::Name(name), [bound]) = (&*test.left, test.comparators.as_ref()) else {
        return false;
    };
    let up = match test.ops.as_ref() {
        [CmpOp::Gt | CmpOp::GtE] => true,
        [CmpOp::Lt | CmpOp::LtE] => false,
        _ => return false,
    };
    let mut steps = Steps { name: name.id.as_str(), up: 0, down: 0, other: 0 };
    steps.visit_body(&one.body);
    let (along, against) = if up { (steps.up, steps.down) } else { (steps.down, steps.up) };
    is_number(bound) && along > 0 && against == 0 && steps.other == 0
}

/// A number that is written out, with its sign.
fn is_number(expression: &Expr) -> bool {
    match expression {
        Expr::NumberLiteral(_) => true,
        Expr::UnaryOp(one) => one.op == UnaryOp::USub && one.operand.is_number_literal_expr(),
        _ => false,
    }
}

/// How a variable is changed in a loop.
struct Steps<'n> {
    name: &'n str,
    up: u32,
    down: u32,
    /// Neither is sure.
    other: u32,
}

impl<'a> Visitor<'a> for Steps<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::AugAssign(one) if is_named(&one.target, self.name) => {
                // A number without a sign is positive.
                match (one.op, one.value.is_number_literal_expr()) {
                    (Operator::Add, true) => self.up += 1,
                    (Operator::Sub, true) => self.down += 1,
                    _ => self.other += 1,
                }
            }
            // What they change, they change when they are called.
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
