//! Calls: their effects and results.
//!
//! In: the callee and the arguments. Out: facts, and the value of the result.

use std::rc::Rc;

use oxc::ast::ast::{
    Argument, CallExpression, Expression, ImportExpression, NewExpression, TaggedTemplateExpression,
};
use oxc::span::GetSpan;
use tidegate_model::reading::{AbstractValue, FactKind};
use tidegate_model::{KnownArguments, ToolRef};

use super::bindings::module_path;
use super::expressions::place;
use super::value::{Value, ValueKind};
use super::{Evaluator, MAX_CALL_LITERAL_BYTES, MAX_LITERAL_BYTES, ToolCallFacts, paths, strings};

/// Methods that call a function for each element.
const FOR_EACH: [&str; 16] = [
    "map",
    "forEach",
    "filter",
    "flatMap",
    "reduce",
    "reduceRight",
    "some",
    "every",
    "find",
    "findIndex",
    "findLast",
    "sort",
    "from",
    "setInterval",
    "pMap",
    "eachLimit",
];

/// Methods that call a function with the value of their owner.
const PROMISE_METHODS: [&str; 3] = ["then", "catch", "finally"];

/// A call being evaluated.
pub(super) struct CallSite<'c> {
    pub(super) kind: FactKind,
    /// The owner, if it is a method.
    pub(super) base: Option<Value>,
    /// The name of the method.
    pub(super) name: Option<Rc<str>>,
    pub(super) function: Value,
    pub(super) arguments: &'c [Value],
    pub(super) at: u32,
}

impl<'a> Evaluator<'_> {
    pub(super) fn call(&mut self, call: &CallExpression<'a>) -> Value {
        let callee = call.callee.get_inner_expression();
        if Self::is_function(callee) {
            return self.call_in_place(callee, &call.arguments);
        }
        let (base, name, function) = self.callee(callee);
        let each = name.as_deref().is_some_and(|name| FOR_EACH.contains(&name));
        self.nesting.loops += u32::from(each);
        let arguments = self.arguments(&call.arguments);
        self.nesting.loops -= u32::from(each);
        self.record_tool_call(&function, &arguments, call.span.end);
        self.record_polluting(&function, &arguments, place(callee));
        if function.as_path() == Some("Array.from")
            && let Some(all) = call.arguments.first().and_then(Argument::as_expression)
        {
            self.record_drained(all, None);
        }
        if name.as_deref() == Some("push") {
            self.push(callee, &call.arguments, &arguments);
        }
        let at = place(callee);
        let kind = FactKind::Call;
        self.called(&CallSite { kind, base, name, function, arguments: &arguments, at })
    }

    /// `(function (f) {…})(eval)`: the arguments are known.
    fn call_in_place(&mut self, callee: &Expression<'a>, arguments: &[Argument<'a>]) -> Value {
        let arguments = self.arguments(arguments);
        let function = match callee {
            Expression::FunctionExpression(function) => {
                self.self_call(function);
                self.function(function, Some(&arguments))
            }
            Expression::ArrowFunctionExpression(function) => self.arrow(function, Some(&arguments)),
            _ => Value::default(),
        };
        self.return_value_of(&function, &arguments)
    }

    /// The owner, the name and the value of a callee.
    fn callee(&mut self, callee: &Expression<'a>) -> (Option<Value>, Option<Rc<str>>, Value) {
        if let Some(member) = callee.as_member_expression() {
            let base = self.evaluate(member.object());
            let function = self.member_of(&base, member);
            let name = match (member.static_property_name(), function.as_path()) {
                (Some(name), _) => Some(name.into()),
                (None, Some(path)) => path.rsplit('.').next().map(Rc::from),
                (None, None) => None,
            };
            return (Some(base), name, function);
        }
        let function = self.evaluate(callee);
        let name = match callee {
            Expression::Identifier(name) => Some(name.name.as_str().into()),
            _ => None,
        };
        (None, name, function)
    }

    pub(super) fn arguments(&mut self, arguments: &[Argument<'a>]) -> Vec<Value> {
        let mut values = Vec::with_capacity(arguments.len().min(64));
        for argument in arguments {
            match argument {
                Argument::SpreadElement(spread) => {
                    let value = self.read(&spread.argument);
                    match &value.shape {
                        ValueKind::List(list) if self.pay(list.len()) => {
                            values.extend(list.iter().cloned());
                        }
                        _ => values.push(Value::made_from(value.sources())),
                    }
                }
                argument => {
                    if let Some(expression) = argument.as_expression() {
                        let value = self.read(expression);
                        values.push(value);
                    }
                }
            }
        }
        values
    }

    /// Records that a function gets the path to a prototype as text:
    /// `set(object, '__proto__.admin', true)`.
    fn record_polluting(&mut self, function: &Value, arguments: &[Value], at: u32) {
        let first = function.as_path().and_then(|path| path.split('.').next());
        if !self.found.records || matches!(first, Some("console" | "servers" | "callMCPTool")) {
            return;
        }
        let texts = || arguments.iter().filter_map(Value::as_text);
        let listed = || {
            arguments.iter().any(|one| match &one.shape {
                ValueKind::List(list) => steps_to_prototype(list),
                _ => false,
            })
        };
        if texts().any(leads_to_prototype) || listed() {
            self.record(FactKind::Syntax, "prototype_path", at, Vec::new(), false);
        }
    }

    /// Records the tool and the arguments of a tool call.
    fn record_tool_call(&mut self, function: &Value, arguments: &[Value], end: u32) {
        if !self.found.records {
            return;
        }
        if self.is_repeated() {
            self.found.repeated.insert(end);
        }
        let Some((path, arguments)) = tool_path(function, arguments) else { return };
        let (tool, given) = match path.strip_prefix("servers.") {
            Some(names) => (names.split_once('.'), arguments.first()),
            None => {
                let text = |at: usize| arguments.get(at).and_then(Value::as_text);
                match (text(0), text(1)) {
                    // `callMCPTool('crm', 'get_lead', {…})` works as well.
                    (Some(server), Some(tool)) => (Some((server, tool)), arguments.get(2)),
                    (Some(name), None) => (ToolRef::parts(name), arguments.get(1)),
                    (None, _) => (None, arguments.get(1)),
                }
            }
        };
        let is_name = |name: &str| !name.is_empty() && !name.contains(['.', '[', '(']);
        let tool = tool.filter(|(server, tool)| is_name(server) && is_name(tool));
        let tool = tool.map(|(server, tool)| (server.to_owned(), tool.to_owned()));
        let mut arguments = given.map(Value::arguments).unwrap_or_default();
        let bytes = serde_json::to_string(&arguments).map_or(usize::MAX, |text| text.len());
        self.found.literal_bytes = self.found.literal_bytes.saturating_add(bytes);
        if bytes > MAX_CALL_LITERAL_BYTES || self.found.literal_bytes > MAX_LITERAL_BYTES {
            arguments = KnownArguments::unknown();
        }
        self.found.tool_calls.insert(end, ToolCallFacts { tool, arguments });
    }

    /// Records a call and returns its value.
    pub(super) fn called(&mut self, call: &CallSite<'_>) -> Value {
        self.record_token_search(call);
        if let (Some(base), Some(name)) = (&call.base, call.name.as_deref()) {
            self.bulk_of_method(base, name, call.arguments, call.at);
            if let Some(value) = strings::method(base, name, call.arguments) {
                return value;
            }
            if matches!((&base.shape, name), (ValueKind::Function(_), "bind" | "call" | "apply")) {
                return self.call_through(base, name, call.arguments);
            }
        }
        self.pass_on(call);
        match &call.function.shape {
            ValueKind::Path { path, hidden } => {
                let (path, hidden) = (Rc::clone(path), *hidden);
                self.call_path(&path, hidden, call)
            }
            shape => {
                if matches!(shape, ValueKind::Unknown) && has_text(call.arguments) {
                    let known: Vec<AbstractValue> =
                        call.arguments.iter().map(Value::known).collect();
                    self.record(call.kind, "?()", call.at, known, false);
                }
                let mut result = self.return_value_of(&call.function, call.arguments);
                if let Some(base) = &call.base {
                    base.add_sources(&mut result.from, 1);
                }
                result
            }
        }
    }

    fn call_path(&mut self, path: &str, hidden: bool, call: &CallSite<'_>) -> Value {
        let inner = |suffix: &str| {
            path.strip_suffix(suffix).filter(|rest| !matches!(*rest, "?" | "Reflect"))
        };
        let through = |arguments: &[Value]| -> Value {
            Value { from: arguments.iter().flat_map(Value::sources).collect(), ..Value::default() }
        };
        if let Some(target) = inner(".bind") {
            self.record(FactKind::Read, target, call.at, Vec::new(), hidden);
            return Value { from: through(call.arguments).from, ..Value::path(target) };
        }
        if let Some(target) = inner(".call") {
            let rest = call.arguments.get(1..).unwrap_or_default();
            return self.call_target(target, hidden, rest, call);
        }
        if let Some(target) = inner(".apply") {
            let rest = match call.arguments.get(1).map(|one| &one.shape) {
                Some(ValueKind::List(list)) => list.to_vec(),
                _ => call.arguments.get(1..).unwrap_or_default().to_vec(),
            };
            return self.call_target(target, hidden, &rest, call);
        }
        self.call_target(path, hidden, call.arguments, call)
    }

    fn call_target(
        &mut self,
        path: &str,
        hidden: bool,
        arguments: &[Value],
        call: &CallSite<'_>,
    ) -> Value {
        if is_require(path) {
            return self.import_module(arguments.first(), call.at, hidden);
        }
        if let Some(value) = self.special(path, hidden, arguments, call) {
            return value;
        }
        let known: Vec<AbstractValue> = arguments.iter().map(Value::known).collect();
        self.record(call.kind, path, call.at, known, hidden);
        let mut from = Vec::new();
        super::value::add_source(&mut from, &path.into());
        if path == "Date" {
            from.push("Date.now".into());
        }
        arguments.iter().for_each(|one| one.add_sources(&mut from, 2));
        if let Some(base) = &call.base {
            base.from.iter().for_each(|path| super::value::add_source(&mut from, path));
        }
        paths::result(path, from)
    }

    /// `f.call(…)`, `f.apply(…)`, `f.bind(…)` of a function of the program.
    fn call_through(&mut self, function: &Value, name: &str, arguments: &[Value]) -> Value {
        match (name, arguments.get(1).map(|one| &one.shape)) {
            ("bind", _) => function.clone(),
            ("apply", Some(ValueKind::List(list))) => {
                let list = Rc::clone(list);
                self.return_value_of(function, &list)
            }
            ("call", _) => self.return_value_of(function, arguments.get(1..).unwrap_or_default()),
            _ => Value::default(),
        }
    }

    /// The return value of a function of the program; records its arguments.
    pub(super) fn return_value_of(&mut self, function: &Value, arguments: &[Value]) -> Value {
        if let ValueKind::Function(at) = function.shape {
            self.record_arguments(at, arguments);
            return self.functions.all[at].returns.clone().unwrap_or_default();
        }
        let mut from = function.from.clone();
        arguments.iter().for_each(|one| one.add_sources(&mut from, 1));
        Value::made_from(from)
    }

    /// Passes the value of the owner to the callbacks of a method.
    fn pass_on(&mut self, call: &CallSite<'_>) {
        let Some(name) = call.name.as_deref() else { return };
        let each = FOR_EACH.contains(&name);
        if !each && !PROMISE_METHODS.contains(&name) {
            return;
        }
        let mut from = Vec::new();
        if let Some(base) = &call.base {
            base.add_sources(&mut from, 2);
        }
        call.arguments.iter().take(1).for_each(|one| one.add_sources(&mut from, 2));
        for argument in call.arguments {
            if let ValueKind::Function(at) = argument.shape {
                let parameters_given = Value::made_from(from.clone());
                self.record_arguments(at, &[parameters_given.clone(), parameters_given]);
                self.functions.all[at].repeated |= each;
            }
        }
    }

    pub(super) fn new_object(&mut self, new: &NewExpression<'a>) -> Value {
        let (base, name, function) = self.callee(new.callee.get_inner_expression());
        let arguments = self.arguments(&new.arguments);
        let at = place(&new.callee);
        if function.as_path().is_none_or(|path| path.starts_with("?.")) {
            let mut from = Vec::new();
            arguments.iter().for_each(|one| one.add_sources(&mut from, 1));
            return Value { shape: ValueKind::Own, from };
        }
        let kind = FactKind::New;
        self.called(&CallSite { kind, base, name, function, arguments: &arguments, at })
    }

    pub(super) fn tagged(&mut self, tagged: &TaggedTemplateExpression<'a>) -> Value {
        let (base, name, function) = self.callee(tagged.tag.get_inner_expression());
        let text: String = tagged.quasi.quasis.iter().map(|one| one.value.raw.as_str()).collect();
        let mut arguments = vec![Value::text(&text)];
        for expression in &tagged.quasi.expressions {
            let value = self.read(expression);
            arguments.push(value);
        }
        if function.as_path() == Some("String.raw") {
            return arguments.swap_remove(0);
        }
        let (kind, at) = (FactKind::Call, place(&tagged.tag));
        self.called(&CallSite { kind, base, name, function, arguments: &arguments, at })
    }

    pub(super) fn dynamic_import(&mut self, import: &ImportExpression<'a>) -> Value {
        let name = self.read(&import.source);
        self.import_module(Some(&name), import.source.span().start, false)
    }

    /// A module by its name, if that is known.
    pub(super) fn import_module(&mut self, name: Option<&Value>, at: u32, hidden: bool) -> Value {
        let unknown = Value::default();
        let name = name.unwrap_or(&unknown);
        let path = match &name.shape {
            ValueKind::Text { text, whole: true, .. } => module_path(text),
            ValueKind::Text { text, .. } if crate::resolver::in_tree(text).is_some() => {
                "servers.[]".to_owned()
            }
            _ => "[]".to_owned(),
        };
        let hidden = hidden || name.is_hidden();
        self.record(FactKind::Import, &path, at, vec![name.known()], hidden);
        match path == "[]" {
            true => Value::made_from(name.sources()),
            false => Value::of(ValueKind::Path { path: path.into(), hidden }),
        }
    }
}

/// The path of a called tool or of `callMCPTool`, with the arguments that it gets.
fn tool_path(function: &Value, arguments: &[Value]) -> Option<(Rc<str>, Vec<Value>)> {
    let path: Rc<str> = function.as_path()?.into();
    let is_tool = |path: &str| path == "callMCPTool" || path.starts_with("servers.");
    let listed = |list: Option<&Value>| match list.map(|list| &list.shape) {
        Some(ValueKind::List(list)) => list.to_vec(),
        _ => vec![Value::default()],
    };
    if &*path == "Reflect.apply" {
        let target = arguments.first()?.as_path().filter(|path| is_tool(path))?;
        return Some((target.into(), listed(arguments.get(2))));
    }
    if !is_tool(&path) {
        return None;
    }
    if let Some(target) = path.strip_suffix(".call") {
        return Some((target.into(), arguments.get(1..).unwrap_or_default().to_vec()));
    }
    if let Some(target) = path.strip_suffix(".apply") {
        return Some((target.into(), listed(arguments.get(1))));
    }
    Some((path, arguments.to_vec()))
}

fn has_text(arguments: &[Value]) -> bool {
    arguments.iter().any(|one| matches!(one.shape, ValueKind::Text { .. }))
}

fn is_require(path: &str) -> bool {
    matches!(
        path,
        "require"
            | "module.require"
            | "process.mainModule.require"
            | "process.getBuiltinModule"
            | "module.createRequire()"
            | "Module.createRequire()"
            | "require.main.require"
    )
}

/// `['__proto__', 'x']`. A list of names to exclude contains nothing else.
fn steps_to_prototype(list: &[Value]) -> bool {
    let names = ["__proto__", "constructor", "prototype"];
    list.windows(2).take(12).any(|pair| match (pair[0].as_text(), pair[1].as_text()) {
        (Some("__proto__"), Some(next)) => !names.contains(&next) && !next.starts_with("__"),
        _ => false,
    })
}

/// `__proto__.x`, `a.constructor.prototype.x`: names separated by dots.
fn leads_to_prototype(text: &str) -> bool {
    let names: Vec<&str> = text.split('.').take(12).collect();
    let named = |name: &&str| {
        !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || "_$[]'".contains(one))
    };
    let before_last = names.len().saturating_sub(1);
    let leads = names[..before_last].iter().enumerate().any(|(at, name)| {
        *name == "__proto__" || *name == "prototype" && at > 0 && names[at - 1] == "constructor"
    });
    leads && names.iter().all(named)
}
