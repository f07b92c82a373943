//! Loops that never end, wait forever or run for too long.
//!
//! In: a loop after it was visited. Out: `loop` facts. Only plain cases are reported: a loop
//! whose condition is always true and that nothing leaves, and one that only reads the clock.

use oxc::ast::ast::{
    ArrowFunctionExpression, AssignmentExpression, AssignmentTarget, AwaitExpression,
    BreakStatement, CallExpression, Class, DoWhileStatement, Expression, ForInStatement,
    ForOfStatement, ForStatement, Function, IdentifierReference, MemberExpression, ReturnStatement,
    SimpleAssignmentTarget, Statement, SwitchStatement, ThrowStatement, UpdateExpression,
    WhileStatement, YieldExpression,
};
use oxc::ast_visit::{Visit, walk};
use oxc::semantic::{Scoping, SymbolId};
use oxc::syntax::operator::{
    AssignmentOperator, BinaryOperator, LogicalOperator, UnaryOperator, UpdateOperator,
};
use oxc::syntax::scope::ScopeFlags;
use tidegate_model::reading::FactKind;

use super::Evaluator;
use super::value::{Value, ValueKind};

/// Maximum nesting of endless loops that are examined: each is searched completely.
const MAX_NESTED_ENDLESS: u32 = 20;

/// Iterations that a loop without `await` cannot finish within a run's time.
const MIN_LONG_ITERATIONS: f64 = 1e9;

/// Functions that return the time.
const CLOCKS: [&str; 5] =
    ["Date.now", "performance.now", "process.hrtime", "process.hrtime.bigint", "process.uptime"];

impl<'a> Evaluator<'_> {
    /// Checks a loop after it was visited. `update` is that of a `for`.
    pub(super) fn check_loop(
        &mut self,
        at: u32,
        test: Option<(&Expression<'a>, &Value)>,
        body: &Statement<'a>,
        update: Option<&Option<Expression<'a>>>,
    ) {
        let always = match test {
            None => true,
            Some((test, _)) => self.is_always(test, 8),
        };
        let clock = test.is_some_and(|(test, value)| {
            let compared = matches!(test.get_inner_expression(), Expression::BinaryExpression(_));
            let asked = value.as_path().and_then(|path| path.strip_suffix("()"));
            compared && value.from.iter().any(|path| CLOCKS.contains(&&**path))
                || asked.is_some_and(|path| CLOCKS.contains(&path))
        });
        let bound = test.and_then(|(test, _)| self.bound(test));
        let away = test.is_some_and(|(test, _)| {
            self.counts_away_from_bound(test, body, update)
                || self.nesting.loops <= MAX_NESTED_ENDLESS && self.feeds_its_condition(test, body)
        });
        let idle = is_empty(body)
            && test.is_some_and(|(test, _)| is_still(test))
            && update.is_none_or(Option::is_none);
        if !(always
            || clock
            || away
            || idle
            || bound.is_some_and(|bound| bound >= MIN_LONG_ITERATIONS))
        {
            return;
        }
        self.nesting.endless += 1;
        if self.nesting.endless > MAX_NESTED_ENDLESS {
            self.nesting.too_deep = true;
            return;
        }
        let mut inside = LoopBody::default();
        inside.visit_statement(body);
        if let Some((test, _)) = test {
            inside.visit_expression(test);
        }
        self.nesting.endless -= u32::from(!always);
        let leaves = inside.leaves;
        if inside.yields {
            // The consumer of a generator may stop.
            if let Some(function) = self.nesting.inside.last().filter(|_| always && !leaves) {
                self.functions.all[*function].endless = true;
            }
            return;
        }
        let path = match () {
            () if inside.waits && always && !leaves => "waiting",
            () if inside.waits => return,
            () if (always || away || idle) && !leaves => "endless",
            () if clock && !leaves => "spinning",
            () if always && inside.clock && !inside.calls => "spinning",
            () if bound.is_some_and(|bound| bound >= MIN_LONG_ITERATIONS) && !leaves => "long",
            () => return,
        };
        self.record(FactKind::Loop, path, at, Vec::new(), false);
    }

    /// Records a loop over a list that adds to it in each iteration.
    pub(super) fn check_for_each(&mut self, list: &Expression<'a>, body: &Statement<'a>, at: u32) {
        // Each is searched completely.
        if self.nesting.loops > MAX_NESTED_ENDLESS || !self.feeds_own_list(list, body) {
            return;
        }
        let mut inside = LoopBody::default();
        inside.visit_statement(body);
        if !inside.leaves && !inside.yields {
            let path = if inside.waits { "waiting" } else { "endless" };
            self.record(FactKind::Loop, path, at, Vec::new(), false);
        }
    }

    /// Records that an endless generator is consumed completely.
    pub(super) fn record_drained(
        &mut self,
        generator: &Expression<'a>,
        by: Option<&Statement<'a>>,
    ) {
        let Expression::CallExpression(call) = generator.get_inner_expression() else { return };
        let function = match call.callee.get_inner_expression() {
            Expression::Identifier(name) => {
                let value = self.symbol(name).and_then(|symbol| self.symbols.get(&symbol));
                match value.map(|value| &value.shape) {
                    Some(ValueKind::Function(function)) => Some(*function),
                    _ => None,
                }
            }
            Expression::FunctionExpression(function) => {
                self.functions.by_place.get(&function.span.start).copied()
            }
            _ => None,
        };
        let endless = function.is_some_and(|function| self.functions.all[function].endless);
        let stops = |body: &Statement<'a>| {
            let mut inside = LoopBody::default();
            inside.visit_statement(body);
            inside.leaves || inside.waits || inside.yields
        };
        if endless && !by.is_some_and(stops) {
            self.record(FactKind::Loop, "endless", call.span.start, Vec::new(), false);
        }
    }

    /// Whether a condition is always true.
    fn is_always(&mut self, test: &Expression<'a>, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        if let Expression::LogicalExpression(logical) = test.get_inner_expression() {
            let left = self.is_always(&logical.left, depth);
            return match logical.operator {
                LogicalOperator::Or => left || self.is_always(&logical.right, depth),
                LogicalOperator::And => left && self.is_always(&logical.right, depth),
                LogicalOperator::Coalesce => left,
            };
        }
        if !self.is_constant(test, depth) {
            return false;
        }
        // It was recorded when it was visited.
        let records = std::mem::take(&mut self.found.records);
        let truth = self.evaluate(test).truth();
        self.found.records = records;
        truth == Some(true)
    }

    /// Whether an expression always has the same value.
    fn is_constant(&self, expression: &Expression<'a>, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match expression.get_inner_expression() {
            Expression::BooleanLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::StringLiteral(_)
            | Expression::NullLiteral(_)
            | Expression::BigIntLiteral(_) => true,
            Expression::ArrayExpression(array) => array.elements.is_empty(),
            Expression::ObjectExpression(object) => object.properties.is_empty(),
            Expression::UnaryExpression(unary) => {
                unary.operator != UnaryOperator::Delete && self.is_constant(&unary.argument, depth)
            }
            Expression::BinaryExpression(binary) => {
                self.is_constant(&binary.left, depth) && self.is_constant(&binary.right, depth)
            }
            Expression::Identifier(name) => match self.symbol(name) {
                Some(symbol) => {
                    let plain = self.symbols.get(&symbol).is_some_and(|value| {
                        value.as_number().is_some() || matches!(value.truth(), Some(true))
                    });
                    let value = self.symbols.get(&symbol);
                    let list = value.is_some_and(|value| value.as_piece().is_none());
                    plain && !list && !self.scoping.symbol_is_mutated(symbol)
                }
                None => false,
            },
            _ => false,
        }
    }

    /// Whether a loop counts away from its bound: `i >= 0` while `i` only grows.
    fn counts_away_from_bound(
        &self,
        test: &Expression<'a>,
        body: &Statement<'a>,
        update: Option<&Option<Expression<'a>>>,
    ) -> bool {
        let Expression::BinaryExpression(binary) = test.get_inner_expression() else {
            return false;
        };
        let Expression::Identifier(name) = binary.left.get_inner_expression() else { return false };
        let up = match binary.operator {
            BinaryOperator::LessThan | BinaryOperator::LessEqualThan => false,
            BinaryOperator::GreaterThan | BinaryOperator::GreaterEqualThan => true,
            _ => return false,
        };
        let (Some(symbol), true) = (self.symbol(name), self.is_constant(&binary.right, 4)) else {
            return false;
        };
        let mut steps = CounterSteps { scoping: self.scoping, symbol, up: 0, down: 0, other: 0 };
        steps.visit_statement(body);
        if let Some(Some(update)) = update {
            steps.visit_expression(update);
        }
        let (along, against) = if up { (steps.up, steps.down) } else { (steps.down, steps.up) };
        along > 0 && against == 0 && steps.other == 0
    }

    /// The bound of a counting loop.
    fn bound(&self, test: &Expression<'a>) -> Option<f64> {
        let Expression::BinaryExpression(binary) = test.get_inner_expression() else { return None };
        match binary.operator {
            BinaryOperator::LessThan | BinaryOperator::LessEqualThan => {
                self.constant_number(&binary.right, 6)
            }
            BinaryOperator::GreaterThan | BinaryOperator::GreaterEqualThan => {
                self.constant_number(&binary.left, 6)
            }
            _ => None,
        }
    }

    fn constant_number(&self, expression: &Expression<'a>, depth: u32) -> Option<f64> {
        let depth = depth.checked_sub(1)?;
        match expression.get_inner_expression() {
            Expression::NumericLiteral(number) => Some(number.value),
            Expression::BigIntLiteral(number) => number.value.as_str().parse().ok(),
            Expression::Identifier(name) if name.name == "Infinity" => Some(f64::INFINITY),
            Expression::Identifier(name) => {
                let symbol = self.symbol(name)?;
                let fixed = !self.scoping.symbol_is_mutated(symbol);
                self.symbols.get(&symbol).filter(|_| fixed)?.as_number()
            }
            Expression::BinaryExpression(binary) => {
                let left = self.constant_number(&binary.left, depth)?;
                let right = self.constant_number(&binary.right, depth)?;
                match binary.operator {
                    BinaryOperator::Multiplication => Some(left * right),
                    BinaryOperator::Exponential => Some(left.powf(right)),
                    BinaryOperator::Addition => Some(left + right),
                    BinaryOperator::Subtraction => Some(left - right),
                    _ => None,
                }
            }
            Expression::StaticMemberExpression(member)
                if member.property.name.starts_with("MAX_") =>
            {
                Some(9_007_199_254_740_991.0)
            }
            _ => None,
        }
    }
}

fn is_empty(body: &Statement<'_>) -> bool {
    match body {
        Statement::EmptyStatement(_) => true,
        Statement::BlockStatement(block) => block.body.is_empty(),
        _ => false,
    }
}

/// Whether an expression has no side effects, so that it stays the same. A member may be
/// computed.
fn is_still(test: &Expression<'_>) -> bool {
    match test.get_inner_expression() {
        Expression::Identifier(_)
        | Expression::BooleanLiteral(_)
        | Expression::NumericLiteral(_) => true,
        Expression::UnaryExpression(unary) => {
            unary.operator == UnaryOperator::LogicalNot && is_still(&unary.argument)
        }
        Expression::BinaryExpression(binary) => is_still(&binary.left) && is_still(&binary.right),
        _ => false,
    }
}

/// How a loop changes a variable, including by functions in it.
struct CounterSteps<'s> {
    scoping: &'s Scoping,
    symbol: SymbolId,
    up: u32,
    down: u32,
    /// In an unknown direction.
    other: u32,
}

impl CounterSteps<'_> {
    fn is_same(&self, name: Option<&IdentifierReference<'_>>) -> bool {
        let symbol = |name: &IdentifierReference<'_>| {
            self.scoping.get_reference(name.reference_id()).symbol_id()
        };
        name.and_then(symbol) == Some(self.symbol)
    }
}

impl<'a> Visit<'a> for CounterSteps<'_> {
    fn visit_update_expression(&mut self, update: &UpdateExpression<'a>) {
        let SimpleAssignmentTarget::AssignmentTargetIdentifier(name) = &update.argument else {
            return walk::walk_update_expression(self, update);
        };
        if self.is_same(Some(name)) {
            match update.operator {
                UpdateOperator::Increment => self.up += 1,
                UpdateOperator::Decrement => self.down += 1,
            }
        }
    }

    fn visit_assignment_expression(&mut self, assignment: &AssignmentExpression<'a>) {
        self.visit_expression(&assignment.right);
        let AssignmentTarget::AssignmentTargetIdentifier(name) = &assignment.left else {
            return self.visit_assignment_target(&assignment.left);
        };
        if self.is_same(Some(name)) {
            let positive = match assignment.right.get_inner_expression() {
                Expression::NumericLiteral(number) => number.value > 0.0,
                _ => false,
            };
            // A remainder has the sign of its dividend.
            let remainder = matches!(assignment.right.get_inner_expression(),
                Expression::BinaryExpression(binary) if binary.operator == BinaryOperator::Remainder);
            match assignment.operator {
                AssignmentOperator::Remainder => {}
                AssignmentOperator::Assign if remainder => {}
                AssignmentOperator::Addition if positive => self.up += 1,
                AssignmentOperator::Subtraction if positive => self.down += 1,
                _ => self.other += 1,
            }
        }
    }

    // Destructured or bound by a loop: unknown.
    fn visit_assignment_target(&mut self, target: &AssignmentTarget<'a>) {
        self.other += u32::from(!target.is_simple_assignment_target());
        walk::walk_assignment_target(self, target);
    }
}

/// The effects of a loop body.
#[derive(Default)]
pub(super) struct LoopBody {
    /// Something leaves the loop.
    pub(super) leaves: bool,
    /// Something yields to others.
    waits: bool,
    /// It yields values to a consumer.
    pub(super) yields: bool,
    /// Something reads the clock.
    clock: bool,
    /// Something else is called.
    calls: bool,
    /// Loops and switches that a `break` leaves first.
    nested: u32,
}

impl LoopBody {
    fn nest(&mut self, visit: impl FnOnce(&mut Self)) {
        self.nested += 1;
        visit(self);
        self.nested -= 1;
    }
}

impl<'a> Visit<'a> for LoopBody {
    // Functions run elsewhere.
    fn visit_function(&mut self, _: &Function<'a>, _: ScopeFlags) {}
    fn visit_arrow_function_expression(&mut self, _: &ArrowFunctionExpression<'a>) {}
    fn visit_class(&mut self, _: &Class<'a>) {}

    fn visit_break_statement(&mut self, statement: &BreakStatement<'a>) {
        self.leaves |= self.nested == 0 || statement.label.is_some();
    }

    fn visit_return_statement(&mut self, statement: &ReturnStatement<'a>) {
        self.leaves = true;
        walk::walk_return_statement(self, statement);
    }

    fn visit_throw_statement(&mut self, statement: &ThrowStatement<'a>) {
        self.leaves = true;
        walk::walk_throw_statement(self, statement);
    }

    fn visit_await_expression(&mut self, _: &AwaitExpression<'a>) {
        self.waits = true;
    }

    fn visit_yield_expression(&mut self, _: &YieldExpression<'a>) {
        self.yields = true;
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        let object = call.callee.get_member_expr().map(MemberExpression::object);
        match object.and_then(Expression::get_identifier_reference).map(|name| name.name.as_str()) {
            Some("Date" | "performance") => self.clock = true,
            Some("Math" | "Number") => {}
            _ => self.calls = true,
        }
        walk::walk_call_expression(self, call);
    }

    fn visit_for_of_statement(&mut self, statement: &ForOfStatement<'a>) {
        self.waits |= statement.r#await;
        self.nest(|inside| walk::walk_for_of_statement(inside, statement));
    }

    fn visit_for_in_statement(&mut self, statement: &ForInStatement<'a>) {
        self.nest(|inside| walk::walk_for_in_statement(inside, statement));
    }

    fn visit_for_statement(&mut self, statement: &ForStatement<'a>) {
        self.nest(|inside| walk::walk_for_statement(inside, statement));
    }

    fn visit_while_statement(&mut self, statement: &WhileStatement<'a>) {
        self.nest(|inside| walk::walk_while_statement(inside, statement));
    }

    fn visit_do_while_statement(&mut self, statement: &DoWhileStatement<'a>) {
        self.nest(|inside| walk::walk_do_while_statement(inside, statement));
    }

    fn visit_switch_statement(&mut self, statement: &SwitchStatement<'a>) {
        self.nest(|inside| walk::walk_switch_statement(inside, statement));
    }
}
