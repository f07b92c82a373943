//! What expressions give.

use std::rc::Rc;

use oxc::ast::ast::{
    ArrayExpressionElement, BinaryExpression, ChainElement, Expression, MemberExpression,
    ObjectExpression, ObjectPropertyKind, PropertyKind, TemplateLiteral, UnaryExpression,
};
use oxc::ast_visit::walk;
use oxc::span::GetSpan;
use oxc::syntax::operator::{BinaryOperator, UnaryOperator};
use tidegate_model::reading::{FactKind, Known};

use super::value::{LONGEST_FOLDED, LONGEST_LIST, Object, Shape, Value, add_source};
use super::{DEEPEST, Reader, paths};

/// Members that are worth a fact whatever they are of.
const TELLING: [&str; 24] = [
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

impl<'a> Reader<'_> {
    /// The value of an expression that is used as such.
    pub(super) fn read(&mut self, expression: &Expression<'a>) -> Value {
        let value = self.evaluate(expression);
        // Calls have told of themselves.
        let inner = expression.get_inner_expression();
        if matches!(inner, Expression::Identifier(_)) || inner.get_member_expr().is_some() {
            self.tell_read(&value, place(inner));
        }
        value
    }

    /// Tells that something which is not the program's own is used.
    pub(super) fn tell_read(&mut self, value: &Value, at: u32) {
        let Shape::Path { path, hidden } = &value.shape else { return };
        let last = path.rsplit('.').next().unwrap_or_default();
        let own = path.starts_with("?.") || path.contains("()");
        let telling = !own || last.starts_with("__") || TELLING.contains(&last);
        if telling && !path.starts_with("servers.") {
            let (path, hidden) = (Rc::clone(path), *hidden);
            self.tell(FactKind::Read, &path, at, Vec::new(), hidden);
        }
    }

    /// The value of an expression.
    pub(super) fn evaluate(&mut self, expression: &Expression<'a>) -> Value {
        if self.depth >= DEEPEST {
            self.too_deep = true;
            return Value::default();
        }
        self.depth += 1;
        let value = self.evaluate_inner(expression.get_inner_expression());
        self.depth -= 1;
        value
    }

    fn evaluate_inner(&mut self, expression: &Expression<'a>) -> Value {
        if let Some(member) = expression.as_member_expression() {
            return self.member(member);
        }
        match expression {
            Expression::StringLiteral(text) => Value::text(text.value.as_str()),
            Expression::NumericLiteral(number) => Value::of(Shape::Number(number.value)),
            Expression::BigIntLiteral(number) => {
                Value::of(Shape::Number(number.value.as_str().parse().unwrap_or(f64::MAX)))
            }
            Expression::BooleanLiteral(flag) => Value::of(Shape::Flag(flag.value)),
            Expression::NullLiteral(_) => Value::of(Shape::Nothing),
            Expression::RegExpLiteral(regex) => {
                let pattern = Known::text(regex.regex.pattern.text.as_str());
                self.tell(FactKind::Syntax, "pattern", regex.span.start, vec![pattern], false);
                Value::of(Shape::Own)
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
                Value::of(Shape::Own)
            }
            other => {
                walk::walk_expression(self, other);
                Value::default()
            }
        }
    }

    /// A member of something.
    pub(super) fn member(&mut self, member: &MemberExpression<'a>) -> Value {
        let base = self.evaluate(member.object());
        self.member_of(&base, member)
    }

    /// The same of a value that is known already.
    pub(super) fn member_of(&mut self, base: &Value, member: &MemberExpression<'a>) -> Value {
        match member {
            MemberExpression::StaticMemberExpression(member) => self
                .constructor_of(base, member.property.name.as_str())
                .unwrap_or_else(|| paths::member(base, member.property.name.as_str(), false)),
            MemberExpression::ComputedMemberExpression(member) => {
                let key = self.read(&member.expression);
                self.computed_member(base, &key)
            }
            MemberExpression::PrivateFieldExpression(_) => Value::of(Shape::Own),
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
        if self.tells && base.as_path().is_some_and(is_global) && key.as_number().is_none() {
            self.computed_members += 1;
        }
        paths::computed(base, key)
    }

    /// What makes functions of that kind.
    fn constructor_of(&self, base: &Value, name: &str) -> Option<Value> {
        let Shape::Function(at) = base.shape else { return None };
        (name == "constructor").then(|| Value::path(self.functions[at].constructor))
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
        self.put_together(pieces, template.expressions.is_empty())
    }

    fn list(&mut self, elements: &[ArrayExpressionElement<'a>]) -> Value {
        let mut list = Vec::new();
        let mut from = Vec::new();
        for element in elements {
            let value = match element {
                ArrayExpressionElement::SpreadElement(spread) => {
                    let value = self.read(&spread.argument);
                    self.drained(&spread.argument, None);
                    if let Shape::List(more) = &value.shape
                        && self.pay(more.len())
                    {
                        let room = LONGEST_LIST.saturating_sub(list.len());
                        list.extend(more.iter().take(room).cloned());
                        continue;
                    }
                    value.add_sources(&mut from, 1);
                    Value::made_from(value.sources())
                }
                ArrayExpressionElement::Elision(_) => Value::of(Shape::Nothing),
                element => match element.as_expression() {
                    Some(expression) => self.read(expression),
                    None => Value::default(),
                },
            };
            if list.len() < LONGEST_LIST {
                list.push(value);
            }
        }
        Value { shape: Shape::List(Rc::new(list)), from }
    }

    fn object(&mut self, object: &ObjectExpression<'a>) -> Value {
        let mut made = Object::default();
        let mut from = Vec::new();
        for property in &object.properties {
            match property {
                ObjectPropertyKind::SpreadProperty(spread) => {
                    let value = self.read(&spread.argument);
                    match &value.shape {
                        Shape::Object(more) if self.pay(more.entries.len()) => {
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
            made.open |= made.entries.len() > LONGEST_LIST;
            made.entries.truncate(LONGEST_LIST);
        }
        Value { shape: Shape::Object(Rc::new(made)), from }
    }

    fn unary(&mut self, unary: &UnaryExpression<'a>) -> Value {
        match unary.operator {
            // To ask what something is does nothing with it.
            UnaryOperator::Typeof => {
                self.evaluate(&unary.argument);
                Value::default()
            }
            UnaryOperator::Delete => {
                let value = self.evaluate(&unary.argument);
                if let Shape::Path { path, hidden } = &value.shape
                    && (!path.starts_with("?.") && !path.contains("()") || path.contains("__"))
                {
                    let (path, hidden) = (Rc::clone(path), *hidden);
                    self.tell(FactKind::Remove, &path, unary.span.start, Vec::new(), hidden);
                }
                Value::default()
            }
            UnaryOperator::LogicalNot => {
                let value = self.read(&unary.argument);
                match value.truth() {
                    Some(truth) => Value::of(Shape::Flag(!truth)),
                    None => Value::made_from(value.sources()),
                }
            }
            UnaryOperator::Void => {
                self.read(&unary.argument);
                Value::of(Shape::Nothing)
            }
            UnaryOperator::UnaryNegation | UnaryOperator::UnaryPlus | UnaryOperator::BitwiseNot => {
                let value = self.read(&unary.argument);
                match (value.as_number(), unary.operator) {
                    (Some(number), UnaryOperator::UnaryNegation) => {
                        Value::of(Shape::Number(-number))
                    }
                    (Some(number), UnaryOperator::UnaryPlus) => Value::of(Shape::Number(number)),
                    _ => Value::made_from(value.sources()),
                }
            }
        }
    }

    fn binary(&mut self, binary: &BinaryExpression<'a>) -> Value {
        if binary.operator != BinaryOperator::Addition {
            let left = self.read(&binary.left);
            let right = self.read(&binary.right);
            return arithmetic(binary.operator, &left, &right);
        }
        // A sum of a thousand texts is a tower of sums: it is walked flat.
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
            Some(number) => Value { shape: Shape::Number(number), from: pieces.from },
            None => self.put_together(pieces, false),
        }
    }

    /// A text out of pieces; `plain` if it was written in one.
    fn put_together(&mut self, pieces: Pieces, plain: bool) -> Value {
        let Pieces { text, known, whole, from, texts } = pieces;
        if !known {
            return Value::made_from(from);
        }
        // Line after line of a long text is nothing that hides.
        let hidden = !plain && whole && texts > 1 && !text.contains(char::is_whitespace);
        if hidden && self.tells {
            self.folded_texts += 1;
        }
        Value { shape: Shape::Text { text: text.into(), whole, hidden }, from }
    }
}

/// Stands in a text for what is not known of it.
pub(super) const GAP: char = '…';

/// A text while it is put together.
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
        let room = LONGEST_FOLDED.saturating_sub(self.text.len());
        if room == 0 {
            self.whole = false;
            return;
        }
        match value.as_piece() {
            Some((piece, whole)) => {
                self.texts += u32::from(!piece.is_empty());
                self.known |= matches!(value.shape, Shape::Text { .. });
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
            BinaryOperator::Subtraction => Shape::Number(one - other),
            BinaryOperator::Multiplication => Shape::Number(one * other),
            BinaryOperator::Division => Shape::Number(one / other),
            BinaryOperator::Remainder => Shape::Number(one % other),
            BinaryOperator::Exponential => Shape::Number(one.powf(other)),
            BinaryOperator::ShiftLeft if (0.0..31.0).contains(&other) => {
                Shape::Number(one * other.exp2())
            }
            BinaryOperator::BitwiseXOR if one.fract() == 0.0 && other.fract() == 0.0 => {
                #[expect(clippy::cast_possible_truncation, reason = "as the language does it")]
                let xored = (one as i32) ^ (other as i32);
                Shape::Number(f64::from(xored))
            }
            BinaryOperator::StrictEquality | BinaryOperator::Equality => Shape::Flag(one == other),
            BinaryOperator::StrictInequality | BinaryOperator::Inequality => {
                Shape::Flag(one != other)
            }
            BinaryOperator::LessThan => Shape::Flag(one < other),
            BinaryOperator::GreaterThan => Shape::Flag(one > other),
            BinaryOperator::LessEqualThan => Shape::Flag(one <= other),
            BinaryOperator::GreaterEqualThan => Shape::Flag(one >= other),
            _ => Shape::Unknown,
        },
        _ => Shape::Unknown,
    };
    Value { shape, from }
}

/// Whether computing a member of this is worth counting.
fn is_global(path: &str) -> bool {
    !path.starts_with("?.")
        && !path.starts_with("servers")
        && !path.contains("()")
        && !path.starts_with("process.env")
}

/// Where an expression is best said to be: a member where it is named.
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
