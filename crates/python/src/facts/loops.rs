//! Loops that do not end, and values that grow without end.
//!
//! In: a loop and the value of its condition or iterable. Out: facts. A loop that anything in
//! it can leave (`break`, `return`, `raise`, `yield`, a call that exits) is not reported, and
//! a loop that waits yields to others.

use std::collections::HashSet;

use ruff_python_ast::{CmpOp, Comprehension, Expr, Operator, StmtFor, StmtWhile};
use ruff_text_size::{Ranged, TextSize};
use tidegate_model::reading::{AbstractValue, FactKind};

use super::evaluator::{Evaluator, FactDetails};
use super::iteration::iteration_count;
use super::loop_body::{LoopBody, is_clock};
use super::runaway::{counts_away_from_bound, feeds_its_condition, feeds_own_list};
use super::value::{Value, ValueKind, truth};

/// Iterations that take longer than any run is allowed to. Chosen: Python manages about ten
/// million per second.
const MIN_LONG_ITERATIONS: f64 = 1e9;

/// Tool calls in one loop that no honest program makes. Chosen.
const MIN_FLOOD_CALLS: f64 = 1e5;

impl<'a> Evaluator<'_, 'a> {
    pub(super) fn record_while(&mut self, one: &'a StmtWhile, test: &Value<'a>) {
        let loop_body = LoopBody::of(&one.body);
        let is_endless = constant_truth(&test.kind)
            .unwrap_or_else(|| compares_with_itself(&one.test) || counts_away_from_bound(one))
            || feeds_its_condition(one);
        let leaves = loop_body.leaves || (self.nesting.guards > 0 && loop_body.may_raise);
        let at = one.start();
        if is_endless && !leaves {
            self.record_loop(loop_body.kind(), at, None);
        }
        let asks_clock = test.from.iter().flat_map(|from| from.iter()).any(|path| is_clock(path));
        // The body does nothing but read the clock.
        let spins = is_endless
            && loop_body.leaves
            && loop_body.clock
            && !loop_body.works
            && !loop_body.waits;
        if spins || asks_clock && !loop_body.calls && !loop_body.waits && !loop_body.leaves {
            self.record_loop("spinning", at, None);
        }
    }

    pub(super) fn record_for(&mut self, one: &'a StmtFor, iterated: &Value<'a>) {
        let count = match feeds_own_list(&one.iter, &one.body) {
            true => f64::INFINITY,
            false => match iteration_count(iterated) {
                Some(count) => count,
                None => return,
            },
        };
        let loop_body = LoopBody::of(&one.body);
        if loop_body.leaves {
            return;
        }
        let at = one.start();
        match count.is_infinite() {
            true => self.record_loop(loop_body.kind(), at, None),
            false if count >= MIN_LONG_ITERATIONS => self.record_loop("long", at, Some(count)),
            false if count >= MIN_FLOOD_CALLS && loop_body.uses_servers => {
                self.record_loop("flood", at, Some(count));
            }
            false => {}
        }
    }

    pub(super) fn record_generator(&mut self, one: &'a Comprehension, iterated: &Value<'a>) {
        let Some(count) = iteration_count(iterated) else { return };
        let at = one.start();
        match count.is_infinite() {
            true => self.record_loop("endless", at, None),
            false if count >= MIN_LONG_ITERATIONS => self.record_loop("long", at, Some(count)),
            false => {}
        }
    }

    /// Records that a whole iterable is consumed.
    pub(super) fn record_drained(&mut self, count: Option<f64>, at: TextSize) {
        match count {
            Some(count) if count.is_infinite() => self.record_loop("endless", at, None),
            Some(count) if count >= MIN_LONG_ITERATIONS => {
                self.record_loop("long", at, Some(count));
            }
            _ => {}
        }
    }

    fn record_loop(&mut self, path: &str, at: TextSize, count: Option<f64>) {
        let arguments = count.map(AbstractValue::number).into_iter().collect();
        self.record(FactKind::Loop, path, at, FactDetails { arguments, hidden: false });
    }

    /// Remembers which names hold texts and lists when a loop starts.
    pub(super) fn note_sequences(&mut self, changed: &[&'a str]) -> HashSet<&'a str> {
        let is_sequence = |name: &&'a str| {
            let value = self.frames.get(name);
            let kind = value.map(|value| value.kind);
            matches!(
                kind,
                Some(
                    ValueKind::Text(_)
                        | ValueKind::Prefix(_)
                        | ValueKind::Bytes(_)
                        | ValueKind::List(_)
                )
            )
        };
        let found: HashSet<&'a str> = changed.iter().copied().filter(is_sequence).collect();
        let all = self.sequences.union(&found).copied().collect();
        std::mem::replace(&mut self.sequences, all)
    }

    pub(super) fn forget_sequences(&mut self, before: HashSet<&'a str>) {
        self.sequences = before;
    }

    /// `text += text` in a loop: doubles in each iteration.
    pub(super) fn record_growth(&mut self, target: &'a Expr, operator: Operator, value: &'a Expr) {
        let Expr::Name(name) = target else { return };
        if self.nesting.loops == 0 || !self.sequences.contains(name.id.as_str()) {
            return;
        }
        let grows = match operator {
            Operator::Add => matches!(value, Expr::Name(other) if other.id == name.id),
            Operator::Mult => true,
            _ => false,
        };
        if grows {
            self.record_loop("growing", target.start(), None);
        }
    }

    /// `text = text + text` in a loop.
    pub(super) fn record_growth_of_assignment(&mut self, target: &'a Expr, value: &'a Expr) {
        let (Expr::Name(name), Expr::BinOp(operation)) = (target, value) else { return };
        let is_same = |side: &Expr| matches!(side, Expr::Name(other) if other.id == name.id);
        if is_same(&operation.left) {
            self.record_growth(target, operation.op, &operation.right);
        }
    }
}

/// Whether a value stays truthy: a list may be emptied.
fn constant_truth(kind: &ValueKind<'_>) -> Option<bool> {
    if let ValueKind::List(_) | ValueKind::Dict(_) = kind { None } else { truth(kind) }
}

/// `x == x`
fn compares_with_itself(test: &Expr) -> bool {
    let Expr::Compare(one) = test else { return false };
    let holds = matches!(one.ops.as_ref(), [CmpOp::Eq | CmpOp::Is | CmpOp::LtE | CmpOp::GtE]);
    match (&*one.left, one.comparators.as_ref()) {
        (Expr::Name(left), [Expr::Name(right)]) => holds && left.id == right.id,
        _ => false,
    }
}
