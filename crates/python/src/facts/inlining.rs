//! Evaluates small functions of the program at their calls.
//!
//! In: a function and arguments. Out: its return value, if the function is small and simple.
//! Bounded by nesting depth, function size and the budget.

use ruff_python_ast::{Parameters, Stmt};

use super::arguments::Arguments;
use super::evaluator::Evaluator;
use super::frames::FrameKind;
use super::value::{Function, FunctionBody, Value, ValueKind, union_sources};

/// Maximum nesting of inlined calls.
const MAX_INLINE_DEPTH: u32 = 8;

/// Maximum statements of an inlined function.
const MAX_INLINE_STATEMENTS: usize = 8;

impl<'a> Evaluator<'_, 'a> {
    /// The return value of a function, if it is small and simple.
    pub(super) fn inline(
        &mut self,
        function: Function<'a>,
        arguments: &Arguments<'a>,
    ) -> Value<'a> {
        let unknown = Value::unknown_from(arguments.from());
        if self.nesting.inlined >= MAX_INLINE_DEPTH || !self.spend(4) {
            return unknown;
        }
        let result = match function.body {
            FunctionBody::Expression(body) => Some(body),
            FunctionBody::Statements(body) if body.len() <= MAX_INLINE_STATEMENTS => {
                match body.last() {
                    Some(Stmt::Return(one)) => one.value.as_deref(),
                    _ => None,
                }
            }
            FunctionBody::Statements(_) => None,
        };
        let Some(result) = result else { return unknown };
        let (frames, mark) = (self.frames.count(), self.frames.mark());
        let before = self.frames.enter(function.around, FrameKind::Function);
        self.nesting.replaying += 1;
        self.nesting.inlined += 1;
        let parameters =
            function.parameters.into_iter().flat_map(Parameters::iter_non_variadic_params);
        for (at, parameter) in parameters.enumerate() {
            let name = parameter.parameter.name.id.as_str();
            let given = arguments.get(at, name).cloned();
            self.frames.set(name, given.unwrap_or_else(Value::unknown));
        }
        if let FunctionBody::Statements(body) = function.body
            && body[..body.len() - 1].iter().all(is_replayable)
        {
            self.body(&body[..body.len() - 1]);
        }
        let value = self.value(result);
        self.nesting.inlined -= 1;
        self.nesting.replaying -= 1;
        self.frames.undo(mark);
        self.frames.current = before;
        self.frames.forget(frames);
        let from = union_sources([&value.from, &unknown.from]);
        match value.kind {
            // It belongs to a frame that no longer exists.
            ValueKind::Function(_) => unknown,
            _ => Value { from, ..value },
        }
    }
}

/// Statements that can be evaluated again without recording anything.
fn is_replayable(statement: &Stmt) -> bool {
    matches!(
        statement,
        Stmt::Assign(_)
            | Stmt::AugAssign(_)
            | Stmt::AnnAssign(_)
            | Stmt::Expr(_)
            | Stmt::Import(_)
            | Stmt::ImportFrom(_)
    )
}
