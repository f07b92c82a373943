//! Evaluates statements in order.
//!
//! In: statements. Out: the values of names after them (`frames.rs`), and facts about imports,
//! writes, loops and functions.

use ruff_python_ast::visitor::{Visitor, walk_pattern};
use ruff_python_ast::{
    ExceptHandler, Expr, ExprContext, Operator, Pattern, Stmt, StmtClassDef, StmtFor,
    StmtFunctionDef, StmtImport, StmtImportFrom, StmtMatch, StmtTry, StmtWhile,
};
use ruff_text_size::{Ranged, TextSize};
use tidegate_model::reading::FactKind;

use super::arguments::Arguments;
use super::evaluator::{Evaluator, FactDetails};
use super::expressions::Use;
use super::frames::{Changes, FrameKind};
use super::members::path_of_global;
use super::names;
use super::value::{Function, FunctionBody, Value, ValueKind, union_sources};

impl<'a> Evaluator<'_, 'a> {
    pub(super) fn body(&mut self, body: &'a [Stmt]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.function(function),
            Stmt::ClassDef(class) => self.class(class),
            Stmt::Assign(assign) => {
                let value = self.value(&assign.value);
                for target in &assign.targets {
                    self.assign(target, &value);
                    self.record_growth_of_assignment(target, &assign.value);
                    self.note_unconditional_calls_of_lambda(target, &assign.value);
                }
            }
            Stmt::AnnAssign(assign) => {
                self.value(&assign.annotation);
                if let Some(value) = &assign.value {
                    let value = self.value(value);
                    self.assign(&assign.target, &value);
                }
            }
            Stmt::AugAssign(assign) => {
                self.add_to(&assign.target, assign.op, &assign.value);
            }
            Stmt::Delete(delete) => delete.targets.iter().for_each(|target| self.delete(target)),
            Stmt::Import(import) => self.import(import),
            Stmt::ImportFrom(import) => self.import_from(import),
            Stmt::Global(global) => {
                for name in &global.names {
                    self.frames.declare_global(name.id.as_str());
                }
            }
            _ => self.compound(statement),
        }
    }

    fn compound(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::If(one) => {
                self.value(&one.test);
                let mut branches = vec![self.branch(|evaluator| evaluator.body(&one.body))];
                let mut is_whole = false;
                for clause in &one.elif_else_clauses {
                    if let Some(test) = &clause.test {
                        self.value(test);
                    }
                    is_whole |= clause.test.is_none();
                    branches.push(self.branch(|evaluator| evaluator.body(&clause.body)));
                }
                self.join(&branches, !is_whole);
            }
            Stmt::While(one) => self.while_loop(one),
            Stmt::For(one) => self.for_loop(one),
            Stmt::Try(one) => self.try_statement(one),
            Stmt::With(with) => {
                for item in &with.items {
                    let value = self.value(&item.context_expr);
                    if let Some(target) = &item.optional_vars {
                        self.assign(target, &value);
                    }
                }
                self.body(&with.body);
            }
            Stmt::Match(one) => self.match_statement(one),
            _ => self.simple(statement),
        }
    }

    fn simple(&mut self, statement: &'a Stmt) {
        let values: [Option<&'a Expr>; 2] = match statement {
            Stmt::Expr(one) => [Some(&one.value), None],
            Stmt::Return(one) => [one.value.as_deref(), None],
            Stmt::Raise(one) => [one.exc.as_deref(), one.cause.as_deref()],
            Stmt::Assert(one) => [Some(&one.test), one.msg.as_deref()],
            Stmt::TypeAlias(one) => [Some(&one.value), None],
            _ => [None, None],
        };
        for value in values.into_iter().flatten() {
            self.value(value);
        }
    }

    fn branch(&mut self, walk: impl FnOnce(&mut Self)) -> Changes<'a> {
        let mark = self.frames.mark();
        walk(self);
        self.frames.undo(mark)
    }

    fn join(&mut self, branches: &[Changes<'a>], may_pass: bool) {
        self.frames.join(branches, may_pass, |name| path_of_global(name).map(Value::path));
    }

    /// The body of a loop, in which the values of changed names are uncertain.
    fn loop_body_of(&mut self, changed: &[&'a str], walk: impl FnOnce(&mut Self)) {
        let branch = self.branch(|evaluator| {
            for name in changed {
                if let Some(value) = evaluator.frames.get(name) {
                    evaluator.frames.set(name, value.widened());
                }
            }
            evaluator.nesting.loops += 1;
            walk(evaluator);
            evaluator.nesting.loops -= 1;
        });
        self.join(&[branch], true);
    }

    fn while_loop(&mut self, one: &'a StmtWhile) {
        let changed = names::changed_in(&one.body);
        let grown = self.note_sequences(&changed);
        self.loop_body_of(&changed, |evaluator| {
            let test = evaluator.value(&one.test);
            evaluator.record_while(one, &test);
            evaluator.body(&one.body);
        });
        self.forget_sequences(grown);
        self.body(&one.orelse);
    }

    fn for_loop(&mut self, one: &'a StmtFor) {
        let iterated = self.value(&one.iter);
        self.record_for(one, &iterated);
        let changed = names::changed_in(&one.body);
        let grown = self.note_sequences(&changed);
        self.loop_body_of(&changed, |evaluator| {
            let element = evaluator.element_of(&iterated);
            evaluator.assign(&one.target, &element);
            evaluator.body(&one.body);
        });
        self.forget_sequences(grown);
        self.body(&one.orelse);
    }

    fn try_statement(&mut self, one: &'a StmtTry) {
        self.nesting.guards += u32::from(!one.handlers.is_empty());
        let tried = self.branch(|evaluator| evaluator.body(&one.body));
        self.nesting.guards -= u32::from(!one.handlers.is_empty());
        self.join(&[tried], !one.handlers.is_empty());
        let mut branches = vec![self.branch(|evaluator| evaluator.body(&one.orelse))];
        for handler in &one.handlers {
            let ExceptHandler::ExceptHandler(caught) = handler;
            if let Some(kind) = &caught.type_ {
                self.value(kind);
            }
            branches.push(self.branch(|evaluator| {
                if let Some(name) = &caught.name {
                    evaluator.frames.set(name.id.as_str(), Value::unknown());
                }
                evaluator.body(&caught.body);
            }));
        }
        self.join(&branches, false);
        self.body(&one.finalbody);
    }

    fn match_statement(&mut self, one: &'a StmtMatch) {
        self.value(&one.subject);
        let mut branches = Vec::new();
        for case in &one.cases {
            branches.push(self.branch(|evaluator| {
                PatternBindings { evaluator }.visit_pattern(&case.pattern);
                if let Some(guard) = &case.guard {
                    evaluator.value(guard);
                }
                evaluator.body(&case.body);
            }));
        }
        self.join(&branches, true);
    }

    fn function(&mut self, function: &'a StmtFunctionDef) {
        let name = function.name.id.as_str();
        let (body, parameters) =
            (FunctionBody::Statements(&function.body), Some(&*function.parameters));
        let own = Function { parameters, body, around: self.frames.current };
        let value = Value::of(ValueKind::Function(own));
        for parameter in function.parameters.iter() {
            self.values(parameter.default().into_iter().chain(parameter.annotation()));
        }
        self.values(function.returns.as_deref());
        let decorated = self.decorators(&function.decorator_list, &value);
        if is_special(name) && self.frames.is_in_class() {
            let path = format!("def.{name}");
            self.record(FactKind::Syntax, &path, function.name.start(), FactDetails::default());
        }
        self.frames.set(name, if decorated { Value::unknown() } else { value });
        self.note_unconditional_calls(function);
        if self.frames.is_in_class() {
            self.record_self_reference(function);
        }
        self.defer_function(own, self.repeats.contains(name));
    }

    fn class(&mut self, class: &'a StmtClassDef) {
        let value = Value::of(ValueKind::Class);
        if let Some(arguments) = &class.arguments {
            self.values(&arguments.args);
            self.values(arguments.keywords.iter().map(|keyword| &keyword.value));
        }
        let decorated = self.decorators(&class.decorator_list, &value);
        let around = self.frames.current;
        self.frames.enter(around, FrameKind::Class);
        self.body(&class.body);
        self.frames.current = around;
        let value = if decorated { Value::unknown() } else { value };
        self.frames.set(class.name.id.as_str(), value);
    }

    /// Calls decorators and returns whether there are any.
    fn decorators(&mut self, all: &'a [ruff_python_ast::Decorator], value: &Value<'a>) -> bool {
        for decorator in all {
            let callee = self.evaluate(&decorator.expression, Use::Callee);
            let arguments = Arguments::one(value.clone());
            self.apply(&callee, arguments, decorator.expression.start());
        }
        !all.is_empty()
    }

    pub(super) fn values(&mut self, all: impl IntoIterator<Item = &'a Expr>) {
        for one in all {
            self.value(one);
        }
    }

    fn import(&mut self, import: &'a StmtImport) {
        for alias in &import.names {
            let module = alias.name.id.as_str();
            self.record(FactKind::Import, module, alias.start(), FactDetails::default());
            // `import a.b` binds `a`.
            let root = module.split('.').next().unwrap_or(module);
            let (name, path) = match &alias.asname {
                Some(name) => (name.id.as_str(), module),
                None => (root, root),
            };
            self.frames.set(name, self.module(path));
        }
    }

    fn import_from(&mut self, import: &'a StmtImportFrom) {
        let module = import.module.as_ref().filter(|_| import.level == 0);
        for alias in &import.names {
            let member = alias.name.id.as_str();
            let name = alias.asname.as_ref().unwrap_or(&alias.name).id.as_str();
            let Some(module) = module.map(|module| module.id.as_str()) else {
                self.frames.set(name, Value::unknown());
                continue;
            };
            self.record(
                FactKind::Import,
                &format!("{module}.{member}"),
                alias.start(),
                FactDetails::default(),
            );
            if member == "*" {
                self.star_imports.push(module);
                continue;
            }
            let owner = self.module(module);
            let value = self.member(&owner, member, alias.start());
            self.frames.set(name, value);
        }
    }

    /// Assigns a value to a target.
    pub(super) fn assign(&mut self, target: &'a Expr, value: &Value<'a>) {
        match target {
            Expr::Name(name) => {
                if name.id == "__builtins__" {
                    self.record(
                        FactKind::Write,
                        "__builtins__",
                        name.start(),
                        FactDetails::default(),
                    );
                }
                self.frames.set(name.id.as_str(), value.clone());
            }
            Expr::Attribute(attribute) => {
                let owner = self.evaluate(&attribute.value, Use::Owner);
                let at = attribute.start();
                let path = self.member(&owner, attribute.attr.id.as_str(), at);
                self.record_write(FactKind::Write, &path, value, at);
            }
            Expr::Subscript(subscript) => self.assign_item(subscript, value),
            Expr::Tuple(tuple) => self.assign_each(&tuple.elts, value),
            Expr::List(list) => self.assign_each(&list.elts, value),
            Expr::Starred(starred) => self.assign(&starred.value, &value.widened()),
            _ => {}
        }
    }

    fn assign_each(&mut self, targets: &'a [Expr], value: &Value<'a>) {
        let has_star = targets.iter().any(Expr::is_starred_expr);
        match &value.kind {
            ValueKind::List(values) if values.len() == targets.len() && !has_star => {
                for (target, value) in targets.iter().zip(values.iter()) {
                    self.assign(target, value);
                }
            }
            _ => {
                let part = Value::unknown_from(value.from.clone());
                targets.iter().for_each(|target| self.assign(target, &part));
            }
        }
    }

    fn assign_item(&mut self, subscript: &'a ruff_python_ast::ExprSubscript, value: &Value<'a>) {
        let owner = self.evaluate(&subscript.value, Use::Owner);
        let key = self.value(&subscript.slice);
        let at = subscript.start();
        if owner.as_path().is_some() {
            let path = self.item(&owner, &key);
            self.record_write(FactKind::Write, &path, value, at);
        }
        // An object of the program: its sources are tracked, not always its content.
        if let Expr::Name(name) = &*subscript.value
            && owner.as_path().is_none()
        {
            let from = union_sources([&owner.from, &value.from]);
            let changed = match (&owner.kind, &key.kind) {
                (ValueKind::Dict(entries), ValueKind::Text(_))
                    if entries.len() < super::value::MAX_LIST_LENGTH =>
                {
                    let mut entries = entries.to_vec();
                    entries.push((key, value.clone()));
                    Value { kind: ValueKind::Dict(entries.into()), from, hidden: false }
                }
                _ => Value::unknown_from(from),
            };
            if self.spend(1 + super::folding::cost(&changed)) {
                self.frames.change(name.id.as_str(), changed);
            }
        }
    }

    fn record_write(&mut self, kind: FactKind, path: &Value<'a>, value: &Value<'a>, at: TextSize) {
        for one in path.alternatives() {
            let Some(path) = one.as_path() else { continue };
            // A member that the program defines, unless it is a dunder.
            if path.starts_with('?') && !path.ends_with("__") {
                continue;
            }
            let occurrences = FactDetails { hidden: one.hidden, arguments: vec![value.known()] };
            self.record(kind, &path.clone(), at, occurrences);
        }
    }

    fn delete(&mut self, target: &'a Expr) {
        match target {
            Expr::Name(name) => {
                if self.frames.get(name.id.as_str()).is_none() {
                    let path = path_of_global(name.id.as_str());
                    if let Some(path) = path {
                        self.record(FactKind::Remove, path, name.start(), FactDetails::default());
                    }
                }
                self.frames.remove(name.id.as_str());
            }
            Expr::Attribute(_) | Expr::Subscript(_) => {
                let path = self.evaluate(target, Use::Owner);
                self.record_write(FactKind::Remove, &path, &Value::unknown(), target.start());
            }
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|one| self.delete(one)),
            Expr::List(list) => list.elts.iter().for_each(|one| self.delete(one)),
            _ => {}
        }
    }

    fn add_to(&mut self, target: &'a Expr, operator: Operator, value: &'a Expr) {
        let right = self.value(value);
        let left = match target {
            Expr::Name(name) => self.frames.get(name.id.as_str()).unwrap_or_else(Value::unknown),
            _ => self.evaluate(target, Use::Owner),
        };
        self.record_growth(target, operator, value);
        let result = self.operate(&left, operator, &right, target.start());
        if let Expr::Name(name) = target {
            debug_assert_ne!(name.ctx, ExprContext::Load);
            self.frames.set(name.id.as_str(), result);
        } else {
            self.record_write(FactKind::Write, &left, &right, target.start());
        }
    }
}

/// Methods by which a class overrides the behaviour of the language.
fn is_special(name: &str) -> bool {
    matches!(
        name,
        "__reduce__"
            | "__reduce_ex__"
            | "__setstate__"
            | "__del__"
            | "__getattribute__"
            | "__class_getitem__"
            | "__init_subclass__"
            | "__prepare__"
            | "__instancecheck__"
    )
}

/// Names that a pattern binds, and values that it compares.
struct PatternBindings<'s, 'r, 'a> {
    evaluator: &'s mut Evaluator<'r, 'a>,
}

impl<'a> Visitor<'a> for PatternBindings<'_, '_, 'a> {
    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let name = match pattern {
            Pattern::MatchAs(one) => one.name.as_ref(),
            Pattern::MatchStar(one) => one.name.as_ref(),
            Pattern::MatchMapping(one) => one.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.evaluator.frames.set(name.id.as_str(), Value::unknown());
        }
        walk_pattern(self, pattern);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        let compared = self.evaluator.evaluate(expression, Use::Owner);
        self.evaluator.record_token_comparison([&compared], expression.start());
    }
}
