//! The expressions of a program, each followed once.
//!
//! In: an expression and how it is used. Out: what is known of its value. What it
//! reads and calls is told on the way.

use ruff_python_ast::{
    CmpOp, Comprehension, Expr, ExprCall, ExprCompare, ExprDict, ExprFString, ExprLambda,
    InterpolatedStringElement, Number, UnaryOp,
};
use ruff_text_size::Ranged;
use tidegate_model::reading::FactKind;

use super::arguments::Arguments;
use super::folding::cost;
use super::frames::FrameKind;
use super::members::path_of_global;
use super::scan::Scan;
use super::texts;
use super::value::{Body, Function, Kind, LONGEST_LIST, Value, union};

/// How an expression is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// For its value.
    Read,
    /// To be called.
    Callee,
    /// For one of its members.
    Owner,
}

/// When what a comprehension gives is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Drawn {
    Now,
    /// One after the other, as whoever has it asks.
    Later,
}

impl<'a> Scan<'_, 'a> {
    /// The value of an expression that is read.
    pub(super) fn value(&mut self, expression: &'a Expr) -> Value<'a> {
        self.evaluate(expression, Use::Read)
    }

    pub(super) fn evaluate(&mut self, expression: &'a Expr, used: Use) -> Value<'a> {
        if self.again > 0 && !self.spend(1) {
            return Value::unknown();
        }
        match expression {
            Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_) => {
                let value = match expression {
                    Expr::Name(name) => self.name(name.id.as_str()),
                    Expr::Attribute(attribute) => {
                        let owner = self.evaluate(&attribute.value, Use::Owner);
                        self.member(&owner, attribute.attr.id.as_str(), attribute.attr.start())
                    }
                    _ => self.subscript(expression),
                };
                let is_builtins = value.as_path().is_some_and(|path| &**path == "__builtins__");
                if used == Use::Read || is_builtins {
                    self.tell_read(&value, expression);
                }
                value
            }
            Expr::Call(call) => self.call(call),
            Expr::Named(named) => {
                let value = self.value(&named.value);
                if let Expr::Name(name) = &*named.target {
                    self.frames.set_outside(name.id.as_str(), value.clone());
                }
                value
            }
            Expr::Await(one) => self.evaluate(&one.value, used),
            Expr::Starred(one) => {
                let value = self.value(&one.value);
                self.element_of(&value)
            }
            _ => self.computed(expression),
        }
    }

    fn tell_read(&mut self, value: &Value<'a>, expression: &Expr) {
        for one in value.alternatives() {
            let Some(path) = one.as_path() else { continue };
            if !path.starts_with('?') && (!path.contains("()") || path.ends_with("[]")) {
                self.tell_value(FactKind::Read, one, expression.start());
            }
        }
    }

    fn name(&mut self, name: &'a str) -> Value<'a> {
        if let Some(value) = self.frames.get(name) {
            return value;
        }
        if let Some(path) = path_of_global(name) {
            return Value::path(path);
        }
        let stars: Vec<Value<'a>> = self
            .stars
            .iter()
            .take(4)
            .map(|module| Value::path(&format!("{module}.{name}")))
            .collect();
        stars.into_iter().reduce(|one, other| one.or(&other)).unwrap_or_else(Value::unknown)
    }

    fn subscript(&mut self, expression: &'a Expr) -> Value<'a> {
        let Expr::Subscript(subscript) = expression else { return Value::unknown() };
        let owner = self.evaluate(&subscript.value, Use::Owner);
        if let Expr::Slice(slice) = &*subscript.slice {
            let parts = [&slice.lower, &slice.upper, &slice.step];
            let bounds = parts.map(|part| part.as_ref().map(|part| self.value(part).kind));
            return self.sliced(&owner, bounds);
        }
        let key = self.value(&subscript.slice);
        if !self.spend(cost(&owner)) {
            return Value::unknown_from(owner.from);
        }
        self.item(&owner, &key)
    }

    /// Operators, literals and all else that makes a value.
    fn computed(&mut self, expression: &'a Expr) -> Value<'a> {
        match expression {
            Expr::BinOp(one) => {
                let left = self.value(&one.left);
                let right = self.value(&one.right);
                self.operate(&left, one.op, &right, one.start())
            }
            Expr::UnaryOp(one) => {
                let value = self.value(&one.operand);
                unary(one.op, &value)
            }
            Expr::BoolOp(one) => {
                let values: Vec<Value<'a>> = one.values.iter().map(|one| self.value(one)).collect();
                values
                    .into_iter()
                    .reduce(|one, other| one.or(&other))
                    .unwrap_or_else(Value::unknown)
            }
            Expr::Compare(one) => self.compare(one),
            Expr::If(one) => {
                self.value(&one.test);
                let (body, other) = (self.value(&one.body), self.value(&one.orelse));
                body.or(&other)
            }
            Expr::Lambda(lambda) => self.lambda(lambda, false),
            Expr::List(list) => self.list(&list.elts),
            Expr::Tuple(tuple) => self.list(&tuple.elts),
            Expr::Set(set) => self.list(&set.elts),
            Expr::Dict(dict) => self.dict(dict),
            Expr::FString(text) => self.f_string(text),
            _ => self.produced(expression),
        }
    }

    fn produced(&mut self, expression: &'a Expr) -> Value<'a> {
        match expression {
            Expr::ListComp(one) => self.comprehension(&one.elt, &one.generators, Drawn::Now),
            Expr::SetComp(one) => self.comprehension(&one.elt, &one.generators, Drawn::Now),
            Expr::Generator(one) => self.comprehension(&one.elt, &one.generators, Drawn::Later),
            Expr::DictComp(one) => {
                if let Some(key) = &one.key {
                    self.comprehension(key, &one.generators, Drawn::Now);
                }
                let values = self.comprehension(&one.value, &one.generators, Drawn::Now);
                Value::unknown_from(values.from)
            }
            Expr::Yield(one) => {
                one.value.as_ref().map_or_else(Value::unknown, |one| self.value(one))
            }
            Expr::YieldFrom(one) => self.value(&one.value),
            Expr::TString(text) => {
                for element in text.value.elements() {
                    self.interpolation(element);
                }
                Value::unknown()
            }
            _ => literal(expression),
        }
    }

    fn compare(&mut self, one: &'a ExprCompare) -> Value<'a> {
        // Whether something is there is a harmless question.
        let owned =
            matches!(one.ops.as_ref(), [CmpOp::In | CmpOp::NotIn | CmpOp::Is | CmpOp::IsNot]);
        let left = self.value(&one.left);
        let mut from = vec![left.from.clone()];
        let mut last = left;
        let mut result = None;
        for right in &one.comparators {
            let used = if owned { Use::Owner } else { Use::Read };
            let right = self.evaluate(right, used);
            from.push(right.from.clone());
            result = compared(&last, one.ops.as_ref(), &right);
            last = right;
        }
        let path =
            |value: &Value<'a>| value.as_path().map(|path| super::value::also_from(path, &None));
        from.extend(path(&last));
        Value { kind: result.unwrap_or(Kind::Unknown), from: union(&from), hidden: false }
    }

    pub(super) fn lambda(&mut self, lambda: &'a ExprLambda, is_repeated: bool) -> Value<'a> {
        let parameters = lambda.parameters.as_deref();
        for parameter in parameters.into_iter().flat_map(|all| all.iter()) {
            self.values(parameter.default());
        }
        let around = self.frames.current;
        let function = Function { parameters, body: Body::Expression(&lambda.body), around };
        self.tell_self_call(lambda);
        self.read_function_later(function, is_repeated);
        Value::of(Kind::Function(function))
    }

    fn list(&mut self, elements: &'a [Expr]) -> Value<'a> {
        let has_star = elements.iter().any(Expr::is_starred_expr);
        let mut values = Vec::new();
        let mut from = None;
        for element in elements {
            let value = self.value(element);
            from = union([&from, &value.from]);
            if values.len() < LONGEST_LIST {
                values.push(value);
            }
        }
        let kind = match elements.len() > LONGEST_LIST || has_star {
            true => Kind::Unknown,
            false => Kind::List(values.into()),
        };
        Value { kind, from, hidden: false }
    }

    fn dict(&mut self, dict: &'a ExprDict) -> Value<'a> {
        let mut entries = Vec::new();
        let mut from = None;
        for item in &dict.items {
            let key = item.key.as_ref().map_or_else(Value::unknown, |key| self.value(key));
            let value = self.value(&item.value);
            from = union([&from, &value.from]);
            if entries.len() < LONGEST_LIST {
                entries.push((key, value));
            }
        }
        let fits = dict.items.len() <= LONGEST_LIST;
        let kind = if fits { Kind::Dict(entries.into()) } else { Kind::Unknown };
        Value { kind, from, hidden: false }
    }

    fn f_string(&mut self, text: &'a ExprFString) -> Value<'a> {
        let mut found = Value::of(Kind::Text("".into()));
        let mut is_folded = false;
        for element in text.value.elements() {
            let part = self.interpolation(element);
            is_folded |= matches!(element, InterpolatedStringElement::Interpolation(_));
            if self.spend(1) {
                found = texts::joined(&found, &part);
            }
        }
        for part in text.value.literals() {
            // What stands beside it, without the `f`.
            found = texts::joined(&found, &Value::text(&part.value));
        }
        found.hidden = is_folded;
        found
    }

    fn interpolation(&mut self, element: &'a InterpolatedStringElement) -> Value<'a> {
        match element {
            InterpolatedStringElement::Literal(literal) => Value::text(&literal.value),
            InterpolatedStringElement::Interpolation(one) => {
                let value = self.value(&one.expression);
                for inner in one.format_spec.iter().flat_map(|spec| spec.elements.iter()) {
                    let width = self.interpolation(inner);
                    self.tell_width(&width, element.start());
                }
                match texts::shown(&value) {
                    Some(text) if one.format_spec.is_none() => {
                        Value::text(&text).with_from(value.from)
                    }
                    // One of several texts.
                    _ if matches!(value.kind, Kind::OneOf(_)) && one.format_spec.is_none() => value,
                    _ => {
                        let from = Arguments::one(value).from();
                        Value::unknown_from(from)
                    }
                }
            }
        }
    }

    fn comprehension(
        &mut self,
        element: &'a Expr,
        generators: &'a [Comprehension],
        drawn: Drawn,
    ) -> Value<'a> {
        let around = self.frames.current;
        self.frames.enter(around, FrameKind::Inner);
        let mut iterated = Vec::new();
        for generator in generators {
            let all = self.value(&generator.iter);
            if drawn == Drawn::Now {
                self.tell_generator(generator, &all);
            }
            let one = self.element_of(&all);
            self.assign(&generator.target, &one);
            self.loops += 1;
            self.values(&generator.ifs);
            self.loops -= 1;
            iterated.push(all);
        }
        self.loops += 1;
        let example = self.value(element);
        self.loops -= 1;
        let found = match (generators, iterated.as_slice()) {
            ([only], [all]) if only.ifs.is_empty() => self.each(only, all, element),
            _ => None,
        };
        self.frames.current = around;
        let from = union(iterated.iter().map(|all| &all.from).chain([&example.from]));
        // What is not drawn yet may be as long as it likes.
        let long = iterated.iter().filter_map(super::loops::turns).reduce(f64::max);
        let kind = match (found, long.filter(|_| drawn == Drawn::Later)) {
            (Some(all), _) => Kind::List(all.into()),
            (None, Some(count)) => Kind::Count(count),
            (None, None) => Kind::Unknown,
        };
        Value { kind, from, hidden: true }
    }

    /// Each element of a comprehension over something that is written out.
    fn each(
        &mut self,
        generator: &'a Comprehension,
        all: &Value<'a>,
        element: &'a Expr,
    ) -> Option<Vec<Value<'a>>> {
        let all = self.elements(all)?;
        let mut found = Vec::new();
        self.again += 1;
        for one in all {
            if !self.spend(1) {
                break;
            }
            self.assign(&generator.target, &one);
            found.push(self.value(element));
        }
        self.again -= 1;
        Some(found)
    }

    fn call(&mut self, call: &'a ExprCall) -> Value<'a> {
        let at = call.start();
        // A method of a text, of a list or of a file is not a member of it alone.
        if let Expr::Attribute(attribute) = &*call.func {
            let owner = self.evaluate(&attribute.value, Use::Owner);
            let name = attribute.attr.id.as_str();
            let first = self.takes_owner(&owner, name);
            let arguments = self.arguments(call, first);
            return self.method(call, &owner, name, arguments);
        }
        let callee = self.evaluate(&call.func, Use::Callee);
        let first = match callee.as_path() {
            Some(path) if asks_only(path) => Use::Owner,
            _ => Use::Read,
        };
        let arguments = self.arguments(call, first);
        self.note_tool(&callee, &arguments, call.arguments.start());
        self.apply(&callee, arguments, at)
    }

    fn takes_owner(&self, owner: &Value<'a>, name: &str) -> Use {
        match owner.as_path().map(|path| &**path) {
            Some("object" | "type") if name == "__getattribute__" => Use::Owner,
            _ => Use::Read,
        }
    }

    fn arguments(&mut self, call: &'a ExprCall, first: Use) -> Arguments<'a> {
        let is_repeated = crate::repeats::goes_over_a_list(call);
        let mut arguments = Arguments::default();
        for (at, argument) in call.arguments.args.iter().enumerate() {
            let value = match argument {
                Expr::Lambda(lambda) => self.lambda(lambda, is_repeated),
                _ if at == 0 => self.evaluate(argument, first),
                _ => self.value(argument),
            };
            arguments.positional.push(value);
        }
        for keyword in &call.arguments.keywords {
            let value = self.value(&keyword.value);
            if let Some(name) = &keyword.arg {
                arguments.named.push((name.id.as_str(), value));
            } else {
                arguments.named.push(("**", value));
            }
        }
        arguments
    }
}

/// Builtins to which giving a module says nothing yet.
fn asks_only(path: &str) -> bool {
    matches!(
        path,
        "getattr"
            | "hasattr"
            | "setattr"
            | "delattr"
            | "vars"
            | "isinstance"
            | "callable"
            | "importlib.reload"
            | "inspect.getsource"
            | "inspect.getdoc"
    )
}

fn literal<'a>(expression: &Expr) -> Value<'a> {
    match expression {
        Expr::StringLiteral(literal) => Value::text(literal.value.to_str()),
        Expr::BytesLiteral(literal) => {
            let bytes: Vec<u8> = literal.value.bytes().take(super::value::LONGEST + 1).collect();
            match bytes.len() > super::value::LONGEST {
                true => Value::unknown(),
                false => Value::of(Kind::Bytes(bytes.into())),
            }
        }
        Expr::NumberLiteral(literal) => Value::of(match &literal.value {
            Number::Int(number) => match number.as_u64() {
                Some(number) => Kind::Int(number.into()),
                None => Kind::Float(f64::MAX),
            },
            Number::Float(number) => Kind::Float(*number),
            Number::Complex { .. } => Kind::Unknown,
        }),
        Expr::BooleanLiteral(literal) => Value::of(Kind::Flag(literal.value)),
        Expr::NoneLiteral(_) => Value::of(Kind::None),
        _ => Value::unknown(),
    }
}

fn unary<'a>(operator: UnaryOp, value: &Value<'a>) -> Value<'a> {
    let kind = match (operator, &value.kind) {
        (UnaryOp::USub, Kind::Int(number)) => number.checked_neg().map(Kind::Int),
        (UnaryOp::USub, Kind::Float(number)) => Some(Kind::Float(-number)),
        (UnaryOp::UAdd, Kind::Int(number)) => Some(Kind::Int(*number)),
        (UnaryOp::Invert, Kind::Int(number)) => Some(Kind::Int(!number)),
        (UnaryOp::Not, kind) => super::loops::truth(kind).map(|truth| Kind::Flag(!truth)),
        _ => None,
    };
    Value { kind: kind.unwrap_or(Kind::Unknown), from: value.from.clone(), hidden: value.hidden }
}

fn compared<'a>(left: &Value<'a>, operators: &[CmpOp], right: &Value<'a>) -> Option<Kind<'a>> {
    let [operator] = operators else { return None };
    let (Kind::Int(left), Kind::Int(right)) = (&left.kind, &right.kind) else { return None };
    let holds = match operator {
        CmpOp::Eq => left == right,
        CmpOp::NotEq => left != right,
        CmpOp::Lt => left < right,
        CmpOp::LtE => left <= right,
        CmpOp::Gt => left > right,
        CmpOp::GtE => left >= right,
        _ => return None,
    };
    Some(Kind::Flag(holds))
}
