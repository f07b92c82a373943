//! The shape of a syntax tree: its size, depth and branches.
//!
//! In: the statements of a program. Out: counts for its measures.

use ruff_python_ast::visitor::{
    Visitor, walk_comprehension, walk_except_handler, walk_expr, walk_match_case, walk_stmt,
};
use ruff_python_ast::{Comprehension, ExceptHandler, Expr, MatchCase, Stmt};
use ruff_text_size::{Ranged, TextSize};

/// Counts over a tree.
#[derive(Default)]
pub(crate) struct Shape {
    pub(crate) nodes: u64,
    pub(crate) depth: u64,
    pub(crate) branches: u64,
    pub(crate) most_branched: u64,
    /// The deepest nesting of lambdas, and its offset.
    pub(crate) lambdas: u32,
    pub(crate) lambdas_at: TextSize,
    at_depth: u64,
    in_lambdas: u32,
}

pub(crate) fn shape(body: &[Stmt]) -> Shape {
    let mut shape = Shape::default();
    shape.visit_body(body);
    shape
}

impl Shape {
    fn deeper(&mut self, walk: impl FnOnce(&mut Self)) {
        self.nodes += 1;
        self.at_depth += 1;
        self.depth = self.depth.max(self.at_depth);
        walk(self);
        self.at_depth -= 1;
    }
}

impl<'a> Visitor<'a> for Shape {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let before = self.branches;
        self.branches += match statement {
            Stmt::If(one) => {
                let others = one.elif_else_clauses.iter().filter(|clause| clause.test.is_some());
                1 + others.count() as u64
            }
            Stmt::While(_) | Stmt::For(_) | Stmt::Assert(_) => 1,
            _ => 0,
        };
        self.deeper(|shape| walk_stmt(shape, statement));
        if statement.is_function_def_stmt() {
            self.most_branched = self.most_branched.max(self.branches - before);
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        self.branches += match expression {
            Expr::If(_) => 1,
            Expr::BoolOp(one) => one.values.len().saturating_sub(1) as u64,
            _ => 0,
        };
        let is_lambda = expression.is_lambda_expr();
        self.in_lambdas += u32::from(is_lambda);
        if self.in_lambdas > self.lambdas {
            (self.lambdas, self.lambdas_at) = (self.in_lambdas, expression.start());
        }
        self.deeper(|shape| walk_expr(shape, expression));
        self.in_lambdas -= u32::from(is_lambda);
    }

    fn visit_comprehension(&mut self, one: &'a Comprehension) {
        self.branches += 1 + one.ifs.len() as u64;
        walk_comprehension(self, one);
    }

    fn visit_except_handler(&mut self, one: &'a ExceptHandler) {
        self.branches += 1;
        walk_except_handler(self, one);
    }

    fn visit_match_case(&mut self, one: &'a MatchCase) {
        self.branches += 1;
        walk_match_case(self, one);
    }
}
