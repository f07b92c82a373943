//! Evaluates expressions.
//!
//! In: an expression. Out: what is known about its value. Its reads are recorded.

use std::rc::Rc;

use oxc::ast::ast::{
    ArrayExpressionElement, BinaryExpression, ChainElement, Expression, MemberExpression,
    ObjectExpression, ObjectPropertyKind, PropertyKind, TemplateLiteral, UnaryExpression,
};
use oxc::ast_visit::walk;
use oxc::span::GetSpan;
use oxc::syntax::operator::{BinaryOperator, UnaryOperator};
use tidegate_model::reading::{AbstractValue, FactKind};

use super::value::{MAX_FOLDED_BYTES, MAX_LIST_LENGTH, Object, Value, ValueKind, add_source};
use super::{Evaluator, MAX_DEPTH, paths};

/// Members that are recorded for any owner.
const NOTABLE_MEMBERS: [&str; 24] = [
    "constructor",
    "prototype",
    "cookie",
    "innerHTML",
    "outerHTML",
    "srcdoc",
    "caller",
    "callee",
    "localStorage",
    "sessionStorage",
    "indexedDB",
    "mainModule",
    "binding",
    "getBuiltinModule",
    "document",
    "contentWindow",
    "defaultView",
    "ownerDocument",
    "onerror",
    "onmessage",
    "exports",
    "stackTraceLimit",
    "prepareStackTrace",
    "domain",
];

impl<'a> Evaluator<'_> {
    /// The value of an expression that is read.
    pub(super) fn read(&mut self, expression: &Expression<'a>) -> Value {
        let value = self.evaluate(expression);
        // Calls are already recorded.
        let inner = expression.get_inner_expression();
        if matches!(inner, Expression::Identifier(_)) || inner.get_member_expr().is_some() {
            self.record_read(&value, place(inner));
        }
        value
    }

    /// Records a read of something that the program did not define.
    pub(super) fn record_read(&mut self, value: &Value, at: u32) {
        let ValueKind::Path { path, hidden } = &value.shape else { return };
        let last = path.rsplit('.').next().unwrap_or_default();
        let own = path.starts_with("?.") || path.contains("()");
        let telling = !own || last.starts_with("__") || NOTABLE_MEMBERS.contains(&last);
        if telling && !path.starts_with("servers.") {
            let (path, hidden) = (Rc::clone(path), *hidden);
            self.record(FactKind::Read, &path, at, Vec::new(), hidden);
        }
    }

    /// The value of an expression.
    pub(super) fn evaluate(&mut self, expression: &Expression<'a>) -> Value {
        if self.nesting.depth >= MAX_DEPTH {
            self.nesting.too_deep = true;
            return Value::default();
        }
        self.nesting.depth += 1;
        let value = self.evaluate_inner(expression.get_inner_expression());
        self.nesting.depth -= 1;
        value
    }

    fn evaluate_inner(&mut self, expression: &Expression<'a>) -> Value {
        if let Some(member) = expression.as_member_expression() {
            return self.member(member);
        }
        match expression {
            Expression::StringLiteral(text) => Value::text(text.value.as_str()),
            Expression::NumericLiteral(number) => Value::of(ValueKind::Number(number.value)),
            Expression::BigIntLiteral(number) => {
                Value::of(ValueKind::Number(number.value.as_str().parse().unwrap_or(f64::MAX)))
            }
            Expression::BooleanLiteral(flag) => Value::of(ValueKind::Flag(flag.value)),
            Expression::NullLiteral(_) => Value::of(ValueKind::Null),
            Expression::RegExpLiteral(regex) => {
                let pattern = AbstractValue::text(regex.regex.pattern.text.as_str());
                self.record(FactKind::Syntax, "pattern", regex.span.start, vec![pattern], false);
                self.record_token_pattern(regex.regex.pattern.text.as_str(), regex.span.start);
                Value::of(ValueKind::Own)
            }
            Expression::TemplateLiteral(template) => self.template(template),
            Expression::Identifier(name) => self.name(name),
            Expression::ArrayExpression(array) => self.list(&array.elements),
            Expression::ObjectExpression(object) => self.object(object),
            Expression::FunctionExpression(function) => {
                self.self_call(function);
                self.function(function, None)
            }
            Expression::ArrowFunctionExpression(function) => self.arrow(function, None),
            Expression::AssignmentExpression(assignment) => self.assignment(assignment),
            Expression::AwaitExpression(awaited) => self.evaluate(&awaited.argument),
            Expression::BinaryExpression(binary) => self.binary(binary),
            Expression::CallExpression(call) => self.call(call),
            Expression::NewExpression(new) => self.new_object(new),
            Expression::TaggedTemplateExpression(tagged) => self.tagged(tagged),
            Expression::ImportExpression(import) => self.dynamic_import(import),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(call) => self.call(call),
                ChainElement::TSNonNullExpression(inner) => self.evaluate(&inner.expression),
                element => match element.as_member_expression() {
                    Some(member) => self.member(member),
                    None => Value::default(),
                },
            },
            Expression::ConditionalExpression(choice) => {
                self.read(&choice.test);
                let one = self.read(&choice.consequent);
                let other = self.read(&choice.alternate);
                one.or(other)
            }
            Expression::LogicalExpression(logical) => {
                let one = self.read(&logical.left);
                let other = self.read(&logical.right);
                one.or(other)
            }
            Expression::SequenceExpression(sequence) => {
                let mut last = Value::default();
                for (at, one) in sequence.expressions.iter().enumerate() {
                    let is_last = at + 1 == sequence.expressions.len();
                    last = if is_last { self.evaluate(one) } else { self.read(one) };
                }
                last
            }
            Expression::UnaryExpression(unary) => self.unary(unary),
            Expression::ClassExpression(_) => {
                walk::walk_expression(self, expression);
                Value::of(ValueKind::Own)
            }
            other => {
                walk::walk_expression(self, other);
                Value::default()
            }
        }
    }

    /// The value of a member.
    pub(super) fn member(&mut self, member: &MemberExpression<'a>) -> Value {
        let base = self.evaluate(member.object());
        let value = self.member_of(&base, member);
        if let MemberExpression::ComputedMemberExpression(computed) = member
            && matches!(base.shape, ValueKind::Object(_))
            && !matches!(computed.expression, Expression::StringLiteral(_))
        {
            self.record_token_comparison([&base], computed.span.start);
        }
        value
    }

    /// The same for an owner that is already evaluated.
    pub(super) fn member_of(&mut self, base: &Value, member: &MemberExpression<'a>) -> Value {
        match member {
            MemberExpression::StaticMemberExpression(member) => self
                .constructor_of(base, member.property.name.as_str())
                .unwrap_or_else(|| paths::member(base, member.property.name.as_str(), false)),
            MemberExpression::ComputedMemberExpression(member) => {
                let key = self.read(&member.expression);
                self.computed_member(base, &key)
            }
            MemberExpression::PrivateFieldExpression(_) => Value::of(ValueKind::Own),
        }
    }

    /// A member whose name is a value.
    pub(super) fn computed_member(&mut self, base: &Value, key: &Value) -> Value {
        if let Some(name) = key.as_text() {
            let name = name.replace('.', "_");
            return self
                .constructor_of(base, &name)
                .unwrap_or_else(|| paths::member(base, &name, key.is_hidden()));
        }
        if self.found.records && base.as_path().is_some_and(is_global) && key.as_number().is_none()
        {
            self.found.computed_members += 1;
        }
        paths::computed(base, key)
    }

    /// The constructor of functions of that kind.
    fn constructor_of(&self, base: &Value, name: &str) -> Option<Value> {
        let ValueKind::Function(at) = base.shape else { return None };
        (name == "constructor").then(|| Value::path(self.functions.all[at].constructor))
    }

    fn template(&mut self, template: &TemplateLiteral<'a>) -> Value {
        let mut pieces = Pieces::default();
        for (at, quasi) in template.quasis.iter().enumerate() {
            let text = quasi.value.cooked.as_ref().map_or("", |text| text.as_str());
            pieces.add(&Value::text(text));
            if let Some(expression) = template.expressions.get(at) {
                let value = self.read(expression);
                pieces.add(&value);
            }
        }
        self.concatenated(pieces, template.expressions.is_empty())
    }

    fn list(&mut self, elements: &[ArrayExpressionElement<'a>]) -> Value {
        let mut list = Vec::new();
        let mut from = Vec::new();
        for element in elements {
            let value = match element {
                ArrayExpressionElement::SpreadElement(spread) => {
                    let value = self.read(&spread.argument);
                    self.record_drained(&spread.argument, None);
                    if let ValueKind::List(more) = &value.shape
                        && self.pay(more.len())
                    {
                        let room = MAX_LIST_LENGTH.saturating_sub(list.len());
                        list.extend(more.iter().take(room).cloned());
                        continue;
                    }
                    value.add_sources(&mut from, 1);
                    Value::made_from(value.sources())
                }
                ArrayExpressionElement::Elision(_) => Value::of(ValueKind::Nothing),
                element => match element.as_expression() {
                    Some(expression) => self.read(expression),
                    None => Value::default(),
                },
            };
            if list.len() < MAX_LIST_LENGTH {
                list.push(value);
            }
        }
        Value { shape: ValueKind::List(Rc::new(list)), from }
    }

    fn object(&mut self, object: &ObjectExpression<'a>) -> Value {
        let mut made = Object::default();
        let mut from = Vec::new();
        for property in &object.properties {
            match property {
                ObjectPropertyKind::SpreadProperty(spread) => {
                    let value = self.read(&spread.argument);
                    match &value.shape {
                        ValueKind::Object(more) if self.pay(more.entries.len()) => {
                            made.entries.extend(more.entries.iter().cloned());
                            made.open |= more.open;
                        }
                        _ => made.open = true,
                    }
                    value.add_sources(&mut from, 1);
                }
                ObjectPropertyKind::ObjectProperty(property) => {
                    let name = match property.key.static_name() {
                        Some(name) => Some(name.to_string()),
                        None => property.key.as_expression().and_then(|key| {
                            let key = self.read(key);
                            key.as_text().map(str::to_owned)
                        }),
                    };
                    let value = self.read(&property.value);
                    match name {
                        Some(name) if property.kind == PropertyKind::Init => {
                            made.entries.push((name.into(), value));
                        }
                        _ => made.open = true,
                    }
                }
            }
            made.open |= made.entries.len() > MAX_LIST_LENGTH;
            made.entries.truncate(MAX_LIST_LENGTH);
        }
        Value { shape: ValueKind::Object(Rc::new(made)), from }
    }

    fn unary(&mut self, unary: &UnaryExpression<'a>) -> Value {
        match unary.operator {
            // `typeof` is harmless.
            UnaryOperator::Typeof => {
                self.evaluate(&unary.argument);
                Value::default()
            }
            UnaryOperator::Delete => {
                let value = self.evaluate(&unary.argument);
                if let ValueKind::Path { path, hidden } = &value.shape
                    && (!path.starts_with("?.") && !path.contains("()") || path.contains("__"))
                {
                    let (path, hidden) = (Rc::clone(path), *hidden);
                    self.record(FactKind::Remove, &path, unary.span.start, Vec::new(), hidden);
                }
                Value::default()
            }
            UnaryOperator::LogicalNot => {
                let value = self.read(&unary.argument);
                match value.truth() {
                    Some(truth) => Value::of(ValueKind::Flag(!truth)),
                    None => Value::made_from(value.sources()),
                }
            }
            UnaryOperator::Void => {
                self.read(&unary.argument);
                Value::of(ValueKind::Nothing)
            }
            UnaryOperator::UnaryNegation | UnaryOperator::UnaryPlus | UnaryOperator::BitwiseNot => {
                let value = self.read(&unary.argument);
                match (value.as_number(), unary.operator) {
                    (Some(number), UnaryOperator::UnaryNegation) => {
                        Value::of(ValueKind::Number(-number))
                    }
                    (Some(number), UnaryOperator::UnaryPlus) => {
                        Value::of(ValueKind::Number(number))
                    }
                    _ => Value::made_from(value.sources()),
                }
            }
        }
    }

    fn binary(&mut self, binary: &BinaryExpression<'a>) -> Value {
        if binary.operator != BinaryOperator::Addition {
            let left = self.read(&binary.left);
            let right = self.read(&binary.right);
            if binary.operator.is_equality() || binary.operator == BinaryOperator::In {
                self.record_token_comparison([&left, &right], binary.span.start);
            }
            return arithmetic(binary.operator, &left, &right);
        }
        // A sum of a thousand texts is a deeply nested tree: it is walked iteratively.
        let mut operands = vec![&binary.right];
        let mut first = &binary.left;
        while let Expression::BinaryExpression(inner) = first.get_inner_expression() {
            if inner.operator != BinaryOperator::Addition {
                break;
            }
            operands.push(&inner.right);
            first = &inner.left;
        }
        let first = self.read(first);
        let mut number = first.as_number();
        let mut pieces = Pieces::default();
        pieces.add(&first);
        for operand in operands.into_iter().rev() {
            let value = self.read(operand);
            number = number.zip(value.as_number()).map(|(one, other)| one + other);
            pieces.add(&value);
        }
        match number {
            Some(number) => Value { shape: ValueKind::Number(number), from: pieces.from },
            None => self.concatenated(pieces, false),
        }
    }

    /// A text from pieces; `plain` if it was written as one literal.
    fn concatenated(&mut self, pieces: Pieces, plain: bool) -> Value {
        let Pieces { text, known, whole, from, texts } = pieces;
        if !known {
            return Value::made_from(from);
        }
        // A long text that is split over lines hides nothing.
        let hidden = !plain && whole && texts > 1 && !text.contains(char::is_whitespace);
        if hidden && self.found.records {
            self.found.folded_texts += 1;
        }
        Value { shape: ValueKind::Text { text: text.into(), whole, hidden }, from }
    }
}

/// Stands for an unknown part of a text.
pub(super) const GAP: char = '…';

/// A text being assembled.
struct Pieces {
    text: String,
    /// Whether any of it is known.
    known: bool,
    /// Whether all of it is known.
    whole: bool,
    from: Vec<Rc<str>>,
    texts: u32,
}

impl Default for Pieces {
    fn default() -> Self {
        Self { text: String::new(), known: false, whole: true, from: Vec::new(), texts: 0 }
    }
}

impl Pieces {
    fn add(&mut self, value: &Value) {
        let mut sources = Vec::new();
        value.add_sources(&mut sources, 1);
        sources.iter().for_each(|path| add_source(&mut self.from, path));
        let room = MAX_FOLDED_BYTES.saturating_sub(self.text.len());
        if room == 0 {
            self.whole = false;
            return;
        }
        match value.as_piece() {
            Some((piece, whole)) => {
                self.texts += u32::from(!piece.is_empty());
                self.known |= matches!(value.shape, ValueKind::Text { .. });
                let end = piece.floor_char_boundary(room);
                self.text.push_str(&piece[..end]);
                self.whole &= whole && end == piece.len();
            }
            None => {
                self.whole = false;
                if !self.text.ends_with(GAP) {
                    self.text.push(GAP);
                }
            }
        }
    }
}

fn arithmetic(operator: BinaryOperator, left: &Value, right: &Value) -> Value {
    let mut from = left.sources();
    right.sources().iter().for_each(|path| add_source(&mut from, path));
    let shape = match (left.as_number(), right.as_number()) {
        (Some(one), Some(other)) => match operator {
            BinaryOperator::Subtraction => ValueKind::Number(one - other),
            BinaryOperator::Multiplication => ValueKind::Number(one * other),
            BinaryOperator::Division => ValueKind::Number(one / other),
            BinaryOperator::Remainder => ValueKind::Number(one % other),
            BinaryOperator::Exponential => ValueKind::Number(one.powf(other)),
            BinaryOperator::ShiftLeft if (0.0..31.0).contains(&other) => {
                ValueKind::Number(one * other.exp2())
            }
            BinaryOperator::BitwiseXOR if one.fract() == 0.0 && other.fract() == 0.0 => {
                #[expect(clippy::cast_possible_truncation, reason = "as the language does it")]
                let xored = (one as i32) ^ (other as i32);
                ValueKind::Number(f64::from(xored))
            }
            BinaryOperator::StrictEquality | BinaryOperator::Equality => {
                ValueKind::Flag(one == other)
            }
            BinaryOperator::StrictInequality | BinaryOperator::Inequality => {
                ValueKind::Flag(one != other)
            }
            BinaryOperator::LessThan => ValueKind::Flag(one < other),
            BinaryOperator::GreaterThan => ValueKind::Flag(one > other),
            BinaryOperator::LessEqualThan => ValueKind::Flag(one <= other),
            BinaryOperator::GreaterEqualThan => ValueKind::Flag(one >= other),
            _ => ValueKind::Unknown,
        },
        _ => ValueKind::Unknown,
    };
    Value { shape, from }
}

/// Whether computed members of this path are counted.
fn is_global(path: &str) -> bool {
    !path.starts_with("?.")
        && !path.starts_with("servers")
        && !path.contains("()")
        && !path.starts_with("process.env")
}

/// The offset at which an expression is reported: for a member, that of its name.
pub(super) fn place(expression: &Expression<'_>) -> u32 {
    match expression.get_inner_expression() {
        Expression::StaticMemberExpression(member) => member.property.span.start,
        Expression::ChainExpression(chain) => match &chain.expression {
            ChainElement::StaticMemberExpression(member) => member.property.span.start,
            other => other.span().start,
        },
        other => other.span().start,
    }
}
