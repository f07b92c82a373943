//! The functions of a program: their arguments and return values.
//!
//! In: functions and their calls. Out: what is known about their parameters and results.

use oxc::ast::ast::{
    ArrowFunctionBody, ArrowFunctionExpression, Expression, FormalParameters, Function,
};
use oxc::ast_visit::{Visit, walk};
use oxc::syntax::scope::ScopeFlags;

use super::Evaluator;
use super::value::{Value, ValueKind};

/// The known properties of a function.
#[derive(Debug, Default)]
pub(super) struct FunctionInfo {
    /// The arguments seen so far.
    pub(super) parameters_given: Vec<Option<Value>>,
    /// The return value seen so far.
    pub(super) returns: Option<Value>,
    /// Whether it is called in a loop, or for each element of a list.
    pub(super) repeated: bool,
    /// Whether it is an endless generator.
    pub(super) endless: bool,
    /// The constructor of such functions.
    pub(super) constructor: &'static str,
}

impl<'a> Evaluator<'_> {
    /// The index of a function, by its start offset.
    fn function_at(&mut self, start: u32, parameters: &FormalParameters<'a>) -> usize {
        if let Some(at) = self.functions.by_place.get(&start) {
            return *at;
        }
        let parameters_given = vec![None; parameters.items.len()];
        self.functions.all.push(FunctionInfo { parameters_given, ..FunctionInfo::default() });
        self.functions.by_place.insert(start, self.functions.all.len() - 1);
        self.functions.all.len() - 1
    }

    /// Visits a function and returns its value. `arguments` are those of an immediate call.
    pub(super) fn function(
        &mut self,
        function: &Function<'a>,
        arguments: Option<&[Value]>,
    ) -> Value {
        let at = self.function_at(function.span.start, &function.params);
        self.functions.all[at].constructor = match (function.r#async, function.generator) {
            (false, false) => "Function",
            (true, false) => "AsyncFunction",
            (false, true) => "GeneratorFunction",
            (true, true) => "AsyncGeneratorFunction",
        };
        if let Some(name) = &function.id {
            self.symbols.insert(name.symbol_id(), Value::of(ValueKind::Function(at)));
        }
        if let Some(arguments) = arguments {
            self.record_arguments(at, arguments);
        }
        self.inside_function(at, |evaluator| {
            walk::walk_function(evaluator, function, ScopeFlags::Function);
        });
        Value::of(ValueKind::Function(at))
    }

    /// The same for an arrow function.
    pub(super) fn arrow(
        &mut self,
        function: &ArrowFunctionExpression<'a>,
        arguments: Option<&[Value]>,
    ) -> Value {
        let at = self.function_at(function.span.start, &function.params);
        self.functions.all[at].constructor =
            if function.r#async { "AsyncFunction" } else { "Function" };
        if let Some(arguments) = arguments {
            self.record_arguments(at, arguments);
        }
        self.inside_function(at, |evaluator| {
            evaluator.visit_formal_parameters(&function.params);
            match &function.body {
                ArrowFunctionBody::FunctionBody(body) => evaluator.visit_function_body(body),
                body => {
                    if let Some(expression) = body.as_expression() {
                        let value = evaluator.read(expression);
                        evaluator.record_return(value);
                    }
                }
            }
        });
        Value::of(ValueKind::Function(at))
    }

    fn inside_function(&mut self, at: usize, visit: impl FnOnce(&mut Self)) {
        // A function may be called elsewhere, so enclosing loops do not count.
        let loops = std::mem::take(&mut self.nesting.loops);
        let endless = std::mem::take(&mut self.nesting.endless);
        self.functions.all[at].repeated |= loops > 0 || self.is_repeated();
        self.nesting.inside.push(at);
        visit(self);
        self.nesting.inside.pop();
        (self.nesting.loops, self.nesting.endless) = (loops, endless);
    }

    /// Records the arguments of a call.
    pub(super) fn record_arguments(&mut self, at: usize, arguments: &[Value]) {
        self.functions.all[at].repeated |= self.is_repeated();
        for (parameters_given, argument) in
            self.functions.all[at].parameters_given.iter_mut().zip(arguments)
        {
            let value = match parameters_given.take() {
                // Several values: only the sources are certain.
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
            *parameters_given = Some(value);
        }
    }

    /// Records a return value of the innermost function.
    pub(super) fn record_return(&mut self, value: Value) {
        let Some(function) =
            self.nesting.inside.last().and_then(|at| self.functions.all.get_mut(*at))
        else {
            return;
        };
        let joined = match function.returns.take() {
            Some(old) => old.or(value),
            None => value,
        };
        function.returns = Some(joined);
    }

    /// Whether an expression is a function literal.
    pub(super) fn is_function(expression: &Expression<'_>) -> bool {
        matches!(
            expression.get_inner_expression(),
            Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_)
        )
    }
}

/// Whether two values are the same, as far as it matters.
fn same(one: &Value, other: &Value) -> bool {
    match (&one.shape, &other.shape) {
        (ValueKind::Text { text: a, .. }, ValueKind::Text { text: b, .. })
        | (ValueKind::Path { path: a, .. }, ValueKind::Path { path: b, .. }) => a == b,
        (ValueKind::Number(a), ValueKind::Number(b)) => a == b,
        (ValueKind::Flag(a), ValueKind::Flag(b)) => a == b,
        (ValueKind::Function(a), ValueKind::Function(b)) => a == b,
        (ValueKind::Unknown, ValueKind::Unknown) => one.from == other.from,
        _ => false,
    }
}

/// The text of a value as a possible beginning, for one of several values.
fn begins(value: &Value) -> Option<ValueKind> {
    match &value.shape {
        ValueKind::Text { text, .. } if !text.is_empty() => {
            Some(ValueKind::Text { text: text.clone(), whole: false, hidden: false })
        }
        _ => None,
    }
}
