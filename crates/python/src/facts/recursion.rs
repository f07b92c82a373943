//! Functions that call themselves unconditionally.
//!
//! In: functions and lambdas. Out: `recursion` facts: for cycles of functions that certainly
//! call each other, methods that certainly use themselves, and `lambda f: f(f)`.

use std::collections::HashSet;

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Comprehension, Expr, ExprLambda, Stmt, StmtFunctionDef};
use ruff_text_size::{Ranged, TextSize};
use tidegate_model::reading::FactKind;

use super::evaluator::{Evaluator, FactDetails};
use super::loop_body::LoopBody;

/// Maximum length of call chains followed, and maximum cycles reported. Chosen.
const MAX_ROUNDS: usize = 100;
const MAX_CYCLES: usize = 20;

impl<'a> Evaluator<'_, 'a> {
    /// Records the functions that a function calls unconditionally.
    pub(super) fn note_unconditional_calls(&mut self, function: &'a StmtFunctionDef) {
        let mut calls = UnconditionalCalls { found: Vec::new() };
        calls.statements(&function.body);
        self.note_calls(function.name.id.as_str(), function.name.start(), calls.found);
    }

    /// Records a method that calls itself unconditionally, or a property that reads itself.
    pub(super) fn record_self_reference(&mut self, method: &'a StmtFunctionDef) {
        let Some(own) = method.parameters.iter_non_variadic_params().next() else { return };
        let mut names = method.decorator_list.iter().map(|one| match &one.expression {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(attribute) => attribute.attr.id.as_str(),
            _ => "",
        });
        let reads = names.any(|name| matches!(name, "property" | "cached_property"));
        if !reads && !method.decorator_list.is_empty() {
            return;
        }
        let own = own.parameter.name.id.as_str();
        let mut members = SelfReference { own, name: method.name.id.as_str(), reads, found: false };
        for statement in &method.body {
            match statement {
                Stmt::Expr(one) => members.visit_expr(&one.value),
                Stmt::Assign(one) => members.visit_expr(&one.value),
                Stmt::Return(one) => {
                    one.value.iter().for_each(|value| members.visit_expr(value));
                    break;
                }
                Stmt::AugAssign(_) | Stmt::Pass(_) | Stmt::AnnAssign(_) => {}
                _ => break,
            }
        }
        if members.found {
            self.record(
                FactKind::Recursion,
                &method.name.id,
                method.name.start(),
                FactDetails::default(),
            );
        }
    }

    /// The same for `f = lambda n: f(n + 1)`.
    pub(super) fn note_unconditional_calls_of_lambda(&mut self, target: &'a Expr, value: &'a Expr) {
        if let (Expr::Name(name), Expr::Lambda(lambda)) = (target, value) {
            let mut calls = UnconditionalCalls { found: Vec::new() };
            calls.visit_expr(&lambda.body);
            self.note_calls(name.id.as_str(), lambda.start(), calls.found);
        }
    }

    fn note_calls(&mut self, name: &'a str, at: TextSize, found: Vec<&'a str>) {
        // A name shared by two functions is ambiguous.
        let known = self.unconditional_calls.contains_key(name);
        if !found.is_empty() && self.nesting.replaying == 0 && !self.frames.is_in_class() {
            let found = if known { Vec::new() } else { found };
            self.unconditional_calls.insert(name, (at, found));
        }
    }

    /// Records functions that unconditionally lead back to themselves.
    pub(super) fn record_cycles(&mut self) {
        let mut left = std::mem::take(&mut self.unconditional_calls);
        // A function that only calls functions that end, ends. Long call chains need several
        // rounds; nobody writes chains of this length.
        for _ in 0..MAX_ROUNDS {
            let names: HashSet<&str> = left.keys().copied().collect();
            let before = left.len();
            left.retain(|_, (_, calls)| calls.iter().any(|name| names.contains(name)));
            if left.len() == before {
                for (name, (at, _)) in left.into_iter().take(MAX_CYCLES) {
                    self.record(FactKind::Recursion, name, at, FactDetails::default());
                }
                return;
            }
        }
    }

    /// `lambda f: f(f)`.
    pub(super) fn record_self_call(&mut self, lambda: &'a ExprLambda) {
        let Expr::Call(call) = &*lambda.body else { return };
        let (Expr::Name(callee), [Expr::Name(argument)]) = (&*call.func, &*call.arguments.args)
        else {
            return;
        };
        let mut parameters = lambda.parameters.iter().flat_map(|all| all.iter());
        if callee.id == argument.id && parameters.any(|one| one.name().id == callee.id) {
            self.record(FactKind::Recursion, "lambda", lambda.start(), FactDetails::default());
        }
    }
}

/// Collects functions that are called, or passed to something that calls them later.
struct UnconditionalCalls<'a> {
    found: Vec<&'a str>,
}

impl<'a> UnconditionalCalls<'a> {
    /// Visits statements as long as they are certain to be reached.
    fn statements(&mut self, body: &'a [Stmt]) -> bool {
        for statement in body {
            match statement {
                Stmt::Expr(one) => self.visit_expr(&one.value),
                Stmt::Assign(one) => self.visit_expr(&one.value),
                Stmt::Return(one) => {
                    one.value.iter().for_each(|value| self.visit_expr(value));
                    return false;
                }
                Stmt::For(one) if is_nonempty(&one.iter) && !LoopBody::of(&one.body).leaves => {
                    if !self.statements(&one.body) {
                        return false;
                    }
                }
                Stmt::Import(_)
                | Stmt::ImportFrom(_)
                | Stmt::AugAssign(_)
                | Stmt::Global(_)
                | Stmt::Nonlocal(_)
                | Stmt::FunctionDef(_)
                | Stmt::AnnAssign(_)
                | Stmt::Pass(_) => {}
                // From here on, the function may have returned.
                _ => return false,
            }
        }
        true
    }
}

/// Whether an iterable is certainly not empty: `range(10)`, `[1]`.
fn is_nonempty(expression: &Expr) -> bool {
    match expression {
        Expr::Call(call) => {
            let is_range = matches!(&*call.func, Expr::Name(name) if name.id == "range");
            let positive = |one: &Expr| match one {
                Expr::NumberLiteral(number) => {
                    number.value.as_int().is_some_and(|number| *number != 0)
                }
                _ => false,
            };
            is_range && matches!(&*call.arguments.args, [one] if positive(one))
        }
        Expr::List(list) => !list.elts.is_empty(),
        Expr::Tuple(tuple) => !tuple.elts.is_empty(),
        Expr::StringLiteral(text) => !text.value.is_empty(),
        _ => false,
    }
}

/// Whether a comprehension is certainly not empty.
fn is_nonempty_comprehension(generators: &[Comprehension]) -> bool {
    generators.iter().all(|one| one.ifs.is_empty() && is_nonempty(&one.iter))
}

/// Whether the parts of an expression may not run when it does.
fn may_not_run(expression: &Expr) -> bool {
    matches!(
        expression,
        Expr::Lambda(_)
            | Expr::If(_)
            | Expr::BoolOp(_)
            | Expr::ListComp(_)
            | Expr::SetComp(_)
            | Expr::DictComp(_)
            | Expr::Generator(_)
    )
}

impl<'a> Visitor<'a> for UnconditionalCalls<'a> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        let name = |one: &'a Expr| match one {
            Expr::Name(name) => Some(name.id.as_str()),
            Expr::Attribute(attribute) => Some(attribute.attr.id.as_str()),
            _ => None,
        };
        match expression {
            Expr::ListComp(one) if is_nonempty_comprehension(&one.generators) => {
                self.visit_expr(&one.elt);
            }
            Expr::SetComp(one) if is_nonempty_comprehension(&one.generators) => {
                self.visit_expr(&one.elt);
            }
            one if may_not_run(one) => return,
            Expr::Call(call) => {
                let starts =
                    matches!(name(&call.func), Some("Thread" | "Timer" | "Process" | "submit"));
                if let Expr::Name(callee) = &*call.func {
                    self.found.push(callee.id.as_str());
                }
                let given = call.arguments.args.iter();
                let given = given.chain(call.arguments.keywords.iter().map(|one| &one.value));
                let named = given.filter(|one| starts && one.is_name_expr()).filter_map(name);
                self.found.extend(named);
            }
            _ => {}
        }
        walk_expr(self, expression);
    }
}

/// Detects whether a method certainly uses the member that it implements.
struct SelfReference<'n> {
    own: &'n str,
    name: &'n str,
    /// Reading it calls it: a property.
    reads: bool,
    found: bool,
}

impl SelfReference<'_> {
    fn is_own_member(&self, expression: &Expr) -> bool {
        let Expr::Attribute(member) = expression else { return false };
        member.attr.id == self.name
            && matches!(&*member.value, Expr::Name(name) if name.id == self.own)
    }
}

impl<'a> Visitor<'a> for SelfReference<'_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            one if may_not_run(one) => return,
            Expr::Call(call) => self.found |= !self.reads && self.is_own_member(&call.func),
            _ => self.found |= self.reads && self.is_own_member(expression),
        }
        walk_expr(self, expression);
    }
}
