//! Assignments: the new values of names and members.
//!
//! In: an assignment and its value. Out: updated values, and `write` facts for anything that
//! the program did not define.

use std::rc::Rc;

use oxc::ast::ast::{
    Argument, ArrayExpressionElement, AssignmentExpression, AssignmentTarget,
    AssignmentTargetMaybeDefault, AssignmentTargetProperty, Expression, MemberExpression,
    SimpleAssignmentTarget,
};
use oxc::semantic::SymbolId;
use oxc::span::GetSpan;
use oxc::syntax::operator::{AssignmentOperator, BinaryOperator};
use tidegate_model::reading::FactKind;

use super::value::{MAX_FOLDED_BYTES, Value, ValueKind, add_source};
use super::{Evaluator, paths};

/// Maximum length of a list that is tracked while it grows.
const MAX_PUSHED: usize = 64;

impl<'a> Evaluator<'_> {
    pub(super) fn assignment(&mut self, assignment: &AssignmentExpression<'a>) -> Value {
        let value = self.read(&assignment.right);
        if self.nesting.loops > 0 && self.doubles(assignment) {
            self.record(FactKind::Loop, "growing", assignment.span.start, Vec::new(), false);
        }
        let value = match assignment.operator {
            AssignmentOperator::Assign => value,
            AssignmentOperator::Addition => self.added(&assignment.left, &value),
            operator if operator.is_logical() => value,
            _ => Value::made_from(value.sources()),
        };
        self.assign(&assignment.left, value.clone());
        value
    }

    fn assign(&mut self, target: &AssignmentTarget<'a>, value: Value) {
        if let Some(simple) = target.as_simple_assignment_target() {
            return self.assign_simple(simple, value);
        }
        match target {
            AssignmentTarget::ObjectAssignmentTarget(object) => {
                for property in &object.properties {
                    self.assign_property(property, &value);
                }
            }
            AssignmentTarget::ArrayAssignmentTarget(array) => {
                for (at, element) in array.elements.iter().enumerate() {
                    if let Some(element) = element {
                        let member = match value.shape {
                            ValueKind::List(_) => paths::member(&value, &at.to_string(), false),
                            _ => Value::made_from(value.sources()),
                        };
                        self.assign_maybe(element, member);
                    }
                }
            }
            _ => {}
        }
    }

    fn assign_property(&mut self, property: &AssignmentTargetProperty<'a>, value: &Value) {
        match property {
            AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(property) => {
                let member = paths::member(value, property.binding.name.as_str(), false);
                self.record_read(&member, property.span.start);
                if let Some(symbol) = self.symbol(&property.binding) {
                    self.set(symbol, member);
                }
            }
            AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) => {
                let member = self.key_of(&property.name, value);
                self.record_read(&member, property.span.start);
                self.assign_maybe(&property.binding, member);
            }
        }
    }

    fn assign_maybe(&mut self, target: &AssignmentTargetMaybeDefault<'a>, value: Value) {
        if let AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(target) = target {
            let default = self.read(&target.init);
            self.assign(&target.binding, value.or(default));
        } else if let Some(target) = target.as_assignment_target() {
            self.assign(target, value);
        }
    }

    fn assign_simple(&mut self, target: &SimpleAssignmentTarget<'a>, value: Value) {
        match target {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(name) => match self.symbol(name) {
                Some(symbol) => self.set(symbol, value),
                None => {
                    let global = paths::global(name.name.as_str());
                    self.record_write(&global, vec![value.known()], name.span.start);
                }
            },
            other => {
                if let Some(member) = other.as_member_expression() {
                    self.assign_member(member, value);
                } else if let Some(inner) = other.get_expression()
                    && let Some(member) = inner.get_member_expr()
                {
                    self.assign_member(member, value);
                }
            }
        }
    }

    /// Assigns a member: tracked for objects of the program, recorded for anything else.
    fn assign_member(&mut self, member: &MemberExpression<'a>, value: Value) {
        let base = self.evaluate(member.object());
        let target = self.member_of(&base, member);
        let own = match (member.object().get_inner_expression(), &base.shape) {
            (Expression::Identifier(name), ValueKind::Object(object)) => {
                self.symbol(name).map(|symbol| (symbol, Rc::clone(object)))
            }
            _ => None,
        };
        if let Some((symbol, object)) = own {
            let mut changed = (*object).clone();
            match member.static_property_name() {
                Some(name) if changed.entries.len() < 64 && name != "__proto__" => {
                    changed.entries.push((name.into(), value));
                }
                _ => changed.open = true,
            }
            let from = base.from.clone();
            self.symbols.insert(symbol, Value { shape: ValueKind::Object(Rc::new(changed)), from });
            if target.as_path().is_none_or(|path| !path.contains("prototype")) {
                return;
            }
            return self.record_write(&target, Vec::new(), member.span().start);
        }
        self.record_write(&target, vec![value.known()], member.span().start);
    }

    /// Assigns a variable. A value that the program did not define stays an alternative: the
    /// variable may still hold it when it is used.
    pub(super) fn set(&mut self, symbol: SymbolId, value: Value) {
        let value = match self.symbols.remove(&symbol) {
            Some(old) if old.as_path().is_some() && value.as_path().is_none() => old.or(value),
            _ => value,
        };
        self.symbols.insert(symbol, value);
    }

    /// The value of `name += value`.
    fn added(&mut self, target: &AssignmentTarget<'a>, value: &Value) -> Value {
        let old = match target {
            AssignmentTarget::AssignmentTargetIdentifier(name) => {
                let symbol = self.symbol(name);
                symbol.and_then(|symbol| self.symbols.get(&symbol).cloned())
            }
            _ => None,
        };
        let mut from = value.sources();
        if let Some(old) = &old {
            old.sources().iter().for_each(|path| add_source(&mut from, path));
        }
        // In a loop, more will be added.
        let once = self.nesting.loops == 0;
        match (old.as_ref().and_then(Value::as_text), value.as_piece()) {
            (Some(old), Some((piece, whole))) if old.len() + piece.len() <= MAX_FOLDED_BYTES => {
                let (text, whole) = (format!("{old}{piece}").into(), whole && once);
                Value { shape: ValueKind::Text { text, whole, hidden: true }, from }
            }
            (Some(old), _) => Value {
                shape: ValueKind::Text { text: old.into(), whole: false, hidden: true },
                from,
            },
            _ => Value::made_from(from),
        }
    }

    /// `list.push(…)`.
    pub(super) fn push(
        &mut self,
        callee: &Expression<'a>,
        written: &[Argument<'a>],
        values: &[Value],
    ) {
        let Some(member) = callee.get_member_expr() else { return };
        let Expression::Identifier(name) = member.object().get_inner_expression() else { return };
        let Some(symbol) = self.symbol(name) else { return };
        let doubled = written.iter().any(|one| match one {
            Argument::SpreadElement(spread) => self.is_symbol(&spread.argument, symbol),
            _ => false,
        });
        if doubled && self.nesting.loops > 0 {
            self.record(FactKind::Loop, "growing", callee.span().start, Vec::new(), false);
        }
        if let Some(Value { shape: ValueKind::List(list), .. }) = self.symbols.get_mut(&symbol)
            && list.len() + values.len() <= MAX_PUSHED
        {
            Rc::make_mut(list).extend(values.iter().cloned());
        }
    }

    /// Whether an assignment doubles its target.
    fn doubles(&self, assignment: &AssignmentExpression<'a>) -> bool {
        let AssignmentTarget::AssignmentTargetIdentifier(name) = &assignment.left else {
            return false;
        };
        let Some(symbol) = self.symbol(name) else { return false };
        let needed = match assignment.operator {
            AssignmentOperator::Addition => 1,
            AssignmentOperator::Assign => 2,
            _ => return false,
        };
        // Doubling a number is harmless.
        let number = self.symbols.get(&symbol).is_some_and(|value| value.as_number().is_some());
        !number && self.count(&assignment.right, symbol, 6) >= needed
    }

    /// How often the result of an expression contains a variable.
    fn count(&self, expression: &Expression<'a>, symbol: SymbolId, depth: u32) -> usize {
        let Some(depth) = depth.checked_sub(1) else { return 0 };
        match expression.get_inner_expression() {
            Expression::Identifier(name) => usize::from(self.symbol(name) == Some(symbol)),
            Expression::BinaryExpression(sum) if sum.operator == BinaryOperator::Addition => {
                self.count(&sum.left, symbol, depth) + self.count(&sum.right, symbol, depth)
            }
            Expression::TemplateLiteral(template) => {
                let parts = template.expressions.iter().take(16);
                parts.map(|one| self.count(one, symbol, depth)).sum()
            }
            Expression::ArrayExpression(array) => {
                let spread = |one: &ArrayExpressionElement<'a>| match one {
                    ArrayExpressionElement::SpreadElement(spread) => {
                        usize::from(self.is_symbol(&spread.argument, symbol))
                    }
                    _ => 0,
                };
                array.elements.iter().take(16).map(spread).sum()
            }
            Expression::CallExpression(call) => {
                let Some(member) = call.callee.get_member_expr() else { return 0 };
                match member.static_property_name() {
                    Some("concat") => {
                        let arguments = call.arguments.iter().take(16);
                        let parameters_given = arguments.filter_map(Argument::as_expression);
                        let parameters_given: usize =
                            parameters_given.map(|one| self.count(one, symbol, depth)).sum();
                        parameters_given + self.count(member.object(), symbol, depth)
                    }
                    Some("repeat") => 2 * self.count(member.object(), symbol, depth),
                    _ => 0,
                }
            }
            _ => 0,
        }
    }

    pub(super) fn is_symbol(&self, expression: &Expression<'a>, symbol: SymbolId) -> bool {
        match expression.get_inner_expression() {
            Expression::Identifier(name) => self.symbol(name) == Some(symbol),
            _ => false,
        }
    }
}
