//! The functions of a program: what they are given and what they give.

use oxc::ast::ast::{
    ArrowFunctionBody, ArrowFunctionExpression, Expression, FormalParameters, Function,
};
use oxc::ast_visit::{Visit, walk};
use oxc::syntax::scope::ScopeFlags;

use super::Reader;
use super::value::{Shape, Value};

/// What is known of a function.
#[derive(Debug, Default)]
pub(super) struct FunctionInfo {
    /// What it is called with, as far as was seen.
    pub(super) given: Vec<Option<Value>>,
    /// What it gives, as far as was seen.
    pub(super) returns: Option<Value>,
    /// Whether it is called in a loop, or for each of a list.
    pub(super) repeated: bool,
    /// Whether it is a generator without an end.
    pub(super) endless: bool,
    /// Which constructor makes such functions.
    pub(super) constructor: &'static str,
}

impl<'a> Reader<'_> {
    /// The number of a function, by where it begins.
    fn function_at(&mut self, start: u32, parameters: &FormalParameters<'a>) -> usize {
        if let Some(at) = self.by_place.get(&start) {
            return *at;
        }
        let given = vec![None; parameters.items.len()];
        self.functions.push(FunctionInfo { given, ..FunctionInfo::default() });
        self.by_place.insert(start, self.functions.len() - 1);
        self.functions.len() - 1
    }

    /// Visits a function, and gives its value. `arguments` of a call in place.
    pub(super) fn function(
        &mut self,
        function: &Function<'a>,
        arguments: Option<&[Value]>,
    ) -> Value {
        let at = self.function_at(function.span.start, &function.params);
        self.functions[at].constructor = match (function.r#async, function.generator) {
            (false, false) => "Function",
            (true, false) => "AsyncFunction",
            (false, true) => "GeneratorFunction",
            (true, true) => "AsyncGeneratorFunction",
        };
        if let Some(name) = &function.id {
            self.symbols.insert(name.symbol_id(), Value::of(Shape::Function(at)));
        }
        if let Some(arguments) = arguments {
            self.give(at, arguments);
        }
        self.within(at, |reader| walk::walk_function(reader, function, ScopeFlags::Function));
        Value::of(Shape::Function(at))
    }

    /// The same of an arrow function.
    pub(super) fn arrow(
        &mut self,
        function: &ArrowFunctionExpression<'a>,
        arguments: Option<&[Value]>,
    ) -> Value {
        let at = self.function_at(function.span.start, &function.params);
        self.functions[at].constructor =
            if function.r#async { "AsyncFunction" } else { "Function" };
        if let Some(arguments) = arguments {
            self.give(at, arguments);
        }
        self.within(at, |reader| {
            reader.visit_formal_parameters(&function.params);
            match &function.body {
                ArrowFunctionBody::FunctionBody(body) => reader.visit_function_body(body),
                body => {
                    if let Some(expression) = body.as_expression() {
                        let value = reader.read(expression);
                        reader.returned(value);
                    }
                }
            }
        });
        Value::of(Shape::Function(at))
    }

    fn within(&mut self, at: usize, visit: impl FnOnce(&mut Self)) {
        // In a function that is called elsewhere, the loops around it say nothing.
        let loops = std::mem::take(&mut self.loops);
        let endless = std::mem::take(&mut self.endless);
        self.functions[at].repeated |= loops > 0 || self.is_repeated();
        self.inside.push(at);
        visit(self);
        self.inside.pop();
        (self.loops, self.endless) = (loops, endless);
    }

    /// Remembers what a function is called with.
    pub(super) fn give(&mut self, at: usize, arguments: &[Value]) {
        self.functions[at].repeated |= self.is_repeated();
        for (given, argument) in self.functions[at].given.iter_mut().zip(arguments) {
            let value = match given.take() {
                // One of several: only where it comes from is sure.
                Some(old) if !same(&old, argument) => {
                    let plain = old.as_path().is_none() && argument.as_path().is_none();
                    let text = begins(&old).or_else(|| begins(argument));
                    let joined = old.or(argument.clone());
                    match text.filter(|_| plain) {
                        Some(shape) => Value { shape, from: joined.sources() },
                        None if plain => Value::made_from(joined.sources()),
                        None => joined,
                    }
                }
                _ => argument.clone(),
            };
            *given = Some(value);
        }
    }

    /// Remembers what the innermost function gives.
    pub(super) fn returned(&mut self, value: Value) {
        let Some(function) = self.inside.last().and_then(|at| self.functions.get_mut(*at)) else {
            return;
        };
        let joined = match function.returns.take() {
            Some(old) => old.or(value),
            None => value,
        };
        function.returns = Some(joined);
    }

    /// Whether an expression is a function that is written in place.
    pub(super) fn is_function(expression: &Expression<'_>) -> bool {
        matches!(
            expression.get_inner_expression(),
            Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_)
        )
    }
}

/// Whether two values are the same, as far as is worth to know.
fn same(one: &Value, other: &Value) -> bool {
    match (&one.shape, &other.shape) {
        (Shape::Text { text: a, .. }, Shape::Text { text: b, .. })
        | (Shape::Path { path: a, .. }, Shape::Path { path: b, .. }) => a == b,
        (Shape::Number(a), Shape::Number(b)) => a == b,
        (Shape::Flag(a), Shape::Flag(b)) => a == b,
        (Shape::Function(a), Shape::Function(b)) => a == b,
        (Shape::Unknown, Shape::Unknown) => one.from == other.from,
        _ => false,
    }
}

/// The text that a value is at one of its calls, for one of several values.
fn begins(value: &Value) -> Option<Shape> {
    match &value.shape {
        Shape::Text { text, .. } if !text.is_empty() => {
            Some(Shape::Text { text: text.clone(), whole: false, hidden: false })
        }
        _ => None,
    }
}
