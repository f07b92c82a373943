//! Evaluates expressions, each of them once.
//!
//! In: an expression and how it is used. Out: what is known about its value. Its reads and
//! calls are recorded on the way.

use ruff_python_ast::{
    CmpOp, Comprehension, Expr, ExprCall, ExprCompare, ExprDict, ExprFString, ExprLambda,
    InterpolatedStringElement, Number, UnaryOp,
};
use ruff_text_size::Ranged;
use tidegate_model::reading::FactKind;

use super::arguments::Arguments;
use super::evaluator::Evaluator;
use super::folding::cost;
use super::frames::FrameKind;
use super::members::path_of_global;
use super::strings;
use super::value::{Function, FunctionBody, MAX_LIST_LENGTH, Value, ValueKind, union_sources};

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

/// When the elements of a comprehension are produced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Evaluation {
    Eager,
    /// One by one, on demand.
    Lazy,
}

impl<'a> Evaluator<'_, 'a> {
    /// The value of an expression that is read.
    pub(super) fn value(&mut self, expression: &'a Expr) -> Value<'a> {
        self.evaluate(expression, Use::Read)
    }

    pub(super) fn evaluate(&mut self, expression: &'a Expr, used: Use) -> Value<'a> {
        if self.nesting.replaying > 0 && !self.spend(1) {
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
                    self.record_read(&value, expression);
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

    fn record_read(&mut self, value: &Value<'a>, expression: &Expr) {
        for one in value.alternatives() {
            let Some(path) = one.as_path() else { continue };
            if !path.starts_with('?') && (!path.contains("()") || path.ends_with("[]")) {
                self.record_value(FactKind::Read, one, expression.start());
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
        let star_imports: Vec<Value<'a>> = self
            .star_imports
            .iter()
            .take(4)
            .map(|module| Value::path(&format!("{module}.{name}")))
            .collect();
        star_imports.into_iter().reduce(|one, other| one.or(&other)).unwrap_or_else(Value::unknown)
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
        if matches!(owner.kind, ValueKind::Dict(_)) && key.as_text().is_none() {
            self.record_token_comparison([&owner], subscript.start());
        }
        if !self.spend(cost(&owner)) {
            return Value::unknown_from(owner.from);
        }
        self.item(&owner, &key)
    }

    /// Operators, literals and everything else that creates a value.
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
            Expr::ListComp(one) => self.comprehension(&one.elt, &one.generators, Evaluation::Eager),
            Expr::SetComp(one) => self.comprehension(&one.elt, &one.generators, Evaluation::Eager),
            Expr::Generator(one) => self.comprehension(&one.elt, &one.generators, Evaluation::Lazy),
            Expr::DictComp(one) => {
                if let Some(key) = &one.key {
                    self.comprehension(key, &one.generators, Evaluation::Eager);
                }
                let values = self.comprehension(&one.value, &one.generators, Evaluation::Eager);
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
        // Testing whether something exists is harmless.
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
            self.record_token_comparison([&last, &right], one.start());
            result = compared(&last, one.ops.as_ref(), &right);
            last = right;
        }
        let path =
            |value: &Value<'a>| value.as_path().map(|path| super::value::with_source(path, &None));
        from.extend(path(&last));
        Value {
            kind: result.unwrap_or(ValueKind::Unknown),
            from: union_sources(&from),
            hidden: false,
        }
    }

    pub(super) fn lambda(&mut self, lambda: &'a ExprLambda, is_repeated: bool) -> Value<'a> {
        let parameters = lambda.parameters.as_deref();
        for parameter in parameters.into_iter().flat_map(|all| all.iter()) {
            self.values(parameter.default());
        }
        let around = self.frames.current;
        let function =
            Function { parameters, body: FunctionBody::Expression(&lambda.body), around };
        self.record_self_call(lambda);
        self.defer_function(function, is_repeated);
        Value::of(ValueKind::Function(function))
    }

    fn list(&mut self, elements: &'a [Expr]) -> Value<'a> {
        let has_star = elements.iter().any(Expr::is_starred_expr);
        let mut values = Vec::new();
        let mut from = None;
        for element in elements {
            let value = self.value(element);
            from = union_sources([&from, &value.from]);
            if values.len() < MAX_LIST_LENGTH {
                values.push(value);
            }
        }
        let kind = match elements.len() > MAX_LIST_LENGTH || has_star {
            true => ValueKind::Unknown,
            false => ValueKind::List(values.into()),
        };
        Value { kind, from, hidden: false }
    }

    fn dict(&mut self, dict: &'a ExprDict) -> Value<'a> {
        let mut entries = Vec::new();
        let mut from = None;
        for item in &dict.items {
            let key = item.key.as_ref().map_or_else(Value::unknown, |key| self.value(key));
            let value = self.value(&item.value);
            from = union_sources([&from, &value.from]);
            if entries.len() < MAX_LIST_LENGTH {
                entries.push((key, value));
            }
        }
        let fits = dict.items.len() <= MAX_LIST_LENGTH;
        let kind = if fits { ValueKind::Dict(entries.into()) } else { ValueKind::Unknown };
        Value { kind, from, hidden: false }
    }

    fn f_string(&mut self, text: &'a ExprFString) -> Value<'a> {
        let mut found = Value::of(ValueKind::Text("".into()));
        let mut is_folded = false;
        for element in text.value.elements() {
            let part = self.interpolation(element);
            is_folded |= matches!(element, InterpolatedStringElement::Interpolation(_));
            if self.spend(1) {
                found = strings::concat(&found, &part);
            }
        }
        for part in text.value.literals() {
            // Adjacent literals without the `f`.
            found = strings::concat(&found, &Value::text(&part.value));
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
                    self.record_width(&width, element.start());
                }
                match strings::shown(&value) {
                    Some(text) if one.format_spec.is_none() => {
                        Value::text(&text).with_from(value.from)
                    }
                    // One of several texts.
                    _ if matches!(value.kind, ValueKind::OneOf(_)) && one.format_spec.is_none() => {
                        value
                    }
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
        evaluation: Evaluation,
    ) -> Value<'a> {
        let around = self.frames.current;
        self.frames.enter(around, FrameKind::Inner);
        let mut iterated = Vec::new();
        for generator in generators {
            let all = self.value(&generator.iter);
            if evaluation == Evaluation::Eager {
                self.record_generator(generator, &all);
            }
            let one = self.element_of(&all);
            self.assign(&generator.target, &one);
            self.nesting.loops += 1;
            self.values(&generator.ifs);
            self.nesting.loops -= 1;
            iterated.push(all);
        }
        self.nesting.loops += 1;
        let example = self.value(element);
        self.nesting.loops -= 1;
        let found = match (generators, iterated.as_slice()) {
            ([only], [all]) if only.ifs.is_empty() => self.each(only, all, element),
            _ => None,
        };
        self.frames.current = around;
        let from = union_sources(iterated.iter().map(|all| &all.from).chain([&example.from]));
        // A lazy sequence may be arbitrarily long.
        let long = iterated.iter().filter_map(super::iteration::iteration_count).reduce(f64::max);
        let kind = match (found, long.filter(|_| evaluation == Evaluation::Lazy)) {
            (Some(all), _) => ValueKind::List(all.into()),
            (None, Some(count)) => ValueKind::Count(count),
            (None, None) => ValueKind::Unknown,
        };
        Value { kind, from, hidden: true }
    }

    /// Evaluates the elements of a comprehension over a literal.
    fn each(
        &mut self,
        generator: &'a Comprehension,
        all: &Value<'a>,
        element: &'a Expr,
    ) -> Option<Vec<Value<'a>>> {
        let all = self.elements(all)?;
        let mut found = Vec::new();
        self.nesting.replaying += 1;
        for one in all {
            if !self.spend(1) {
                break;
            }
            self.assign(&generator.target, &one);
            found.push(self.value(element));
        }
        self.nesting.replaying -= 1;
        Some(found)
    }

    fn call(&mut self, call: &'a ExprCall) -> Value<'a> {
        let at = call.start();
        // Methods of texts, lists and files are more than members.
        if let Expr::Attribute(attribute) = &*call.func {
            let owner = self.evaluate(&attribute.value, Use::Owner);
            let name = attribute.attr.id.as_str();
            let first = self.use_of_first_argument(&owner, name);
            let arguments = self.arguments(call, first);
            return self.method(call, &owner, name, arguments);
        }
        let callee = self.evaluate(&call.func, Use::Callee);
        let first = match callee.as_path() {
            Some(path) if takes_module_harmlessly(path) => Use::Owner,
            _ => Use::Read,
        };
        let arguments = self.arguments(call, first);
        self.record_tool_call(&callee, &arguments, call);
        self.apply(&callee, arguments, at)
    }

    fn use_of_first_argument(&self, owner: &Value<'a>, name: &str) -> Use {
        match owner.as_path().map(|path| &**path) {
            Some("object" | "type") if name == "__getattribute__" => Use::Owner,
            _ => Use::Read,
        }
    }

    fn arguments(&mut self, call: &'a ExprCall, first: Use) -> Arguments<'a> {
        let is_repeated = crate::repeats::calls_for_each_element(call);
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

/// Builtins to which passing a module is harmless.
fn takes_module_harmlessly(path: &str) -> bool {
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
            let bytes: Vec<u8> =
                literal.value.bytes().take(super::value::MAX_FOLDED_BYTES + 1).collect();
            match bytes.len() > super::value::MAX_FOLDED_BYTES {
                true => Value::unknown(),
                false => Value::of(ValueKind::Bytes(bytes.into())),
            }
        }
        Expr::NumberLiteral(literal) => Value::of(match &literal.value {
            Number::Int(number) => match number.as_u64() {
                Some(number) => ValueKind::Int(number.into()),
                None => ValueKind::Float(f64::MAX),
            },
            Number::Float(number) => ValueKind::Float(*number),
            Number::Complex { .. } => ValueKind::Unknown,
        }),
        Expr::BooleanLiteral(literal) => Value::of(ValueKind::Flag(literal.value)),
        Expr::NoneLiteral(_) => Value::of(ValueKind::None),
        _ => Value::unknown(),
    }
}

fn unary<'a>(operator: UnaryOp, value: &Value<'a>) -> Value<'a> {
    let kind = match (operator, &value.kind) {
        (UnaryOp::USub, ValueKind::Int(number)) => number.checked_neg().map(ValueKind::Int),
        (UnaryOp::USub, ValueKind::Float(number)) => Some(ValueKind::Float(-number)),
        (UnaryOp::UAdd, ValueKind::Int(number)) => Some(ValueKind::Int(*number)),
        (UnaryOp::Invert, ValueKind::Int(number)) => Some(ValueKind::Int(!number)),
        (UnaryOp::Not, kind) => super::value::truth(kind).map(|truth| ValueKind::Flag(!truth)),
        _ => None,
    };
    Value {
        kind: kind.unwrap_or(ValueKind::Unknown),
        from: value.from.clone(),
        hidden: value.hidden,
    }
}

fn compared<'a>(left: &Value<'a>, operators: &[CmpOp], right: &Value<'a>) -> Option<ValueKind<'a>> {
    let [operator] = operators else { return None };
    let (ValueKind::Int(left), ValueKind::Int(right)) = (&left.kind, &right.kind) else {
        return None;
    };
    let holds = match operator {
        CmpOp::Eq => left == right,
        CmpOp::NotEq => left != right,
        CmpOp::Lt => left < right,
        CmpOp::LtE => left <= right,
        CmpOp::Gt => left > right,
        CmpOp::GtE => left >= right,
        _ => return None,
    };
    Some(ValueKind::Flag(holds))
}
