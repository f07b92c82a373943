//! Calls: their callee, their arguments and the known part of the result.
//!
//! In: the callee and the arguments. Out: facts, and the value of the result.

use std::rc::Rc;

use ruff_python_ast::{Expr, ExprCall, Operator};
use ruff_text_size::{Ranged, TextSize};
use tidegate_model::ToolRef;
use tidegate_model::reading::FactKind;

use super::arguments::Arguments;
use super::evaluator::{Evaluator, FactDetails};
use super::folding::cost;
use super::iteration::iteration_count;
use super::mutation::is_mutating;
use super::strings;
use super::value::{Value, ValueKind, union_sources, with_source};
use crate::tool_calls::ToolCallFacts;

impl<'a> Evaluator<'_, 'a> {
    /// Calls a method.
    pub(super) fn method(
        &mut self,
        call: &'a ExprCall,
        owner: &Value<'a>,
        name: &'a str,
        arguments: Arguments<'a>,
    ) -> Value<'a> {
        let at = call.start();
        self.record_token_search(owner, name, &arguments, at);
        if let Some(text) = owner.as_text().filter(|_| matches!(name, "format" | "format_map")) {
            self.record_format(&text.clone(), at);
        }
        let formats = owner.as_path().is_some_and(|path| &**path == "string.Formatter()")
            && matches!(name, "format" | "vformat");
        if let Some(text) =
            arguments.positional.first().filter(|_| formats).and_then(Value::as_text)
        {
            self.record_format(&text.clone(), at);
        }
        if let Expr::Attribute(attribute) = &*call.func
            && let Expr::Name(held) = &*attribute.value
            && is_mutating(name)
        {
            self.change_list(held.id.as_str(), owner, name, &arguments);
            if let ("extend", [given]) = (name, &*call.arguments.args) {
                self.record_growth(&attribute.value, Operator::Add, given);
            }
        }
        if name == "join" && matches!(owner.kind, ValueKind::Text(_) | ValueKind::Bytes(_)) {
            let all = arguments.positional.first();
            self.record_drained(all.and_then(iteration_count), at);
        }
        if self.nesting.replaying == 0 || self.spend(1) {
            let parts: usize = arguments.positional.iter().map(cost).sum();
            if self.spend(cost(owner) + parts)
                && let Some(value) = strings::method(owner, name, &arguments.positional)
            {
                return value;
            }
        }
        if let ValueKind::File { text, whole } = &owner.kind {
            return self.method_of_file(text, *whole, owner, (name, arguments), at);
        }
        let place = match &*call.func {
            Expr::Attribute(attribute) => attribute.attr.start(),
            _ => at,
        };
        self.record_padding(owner, name, &arguments, at);
        let callee = self.member(owner, name, place);
        self.record_tool_call(&callee, &arguments, call);
        self.apply(&callee, arguments, at)
    }

    /// Records the tool and the arguments of a tool call.
    pub(super) fn record_tool_call(
        &mut self,
        callee: &Value<'a>,
        given: &Arguments<'a>,
        call: &'a ExprCall,
    ) {
        let Some(path) = callee.as_path().filter(|_| self.nesting.replaying == 0) else { return };
        let text = |at: usize| given.positional.get(at).and_then(Value::as_text);
        let (tool, positional) = match path.strip_prefix("servers.") {
            Some("call_tool") => (None, given.positional.as_slice()),
            Some(names) => (names.split_once('.'), given.positional.as_slice()),
            None if &**path == "call_tool" => (None, given.positional.as_slice()),
            None => return,
        };
        let is_by_name = path.ends_with("call_tool") && tool.is_none();
        let (tool, positional) = match (text(0), text(1)) {
            _ if !is_by_name => (tool, positional),
            // `call_tool("crm", "get_lead", {…})` works as well.
            (Some(server), Some(tool)) => {
                (Some((&**server, &**tool)), positional.get(2..).unwrap_or_default())
            }
            (Some(name), None) => (ToolRef::parts(name), positional.get(1..).unwrap_or_default()),
            (None, _) => (None, positional.get(1..).unwrap_or_default()),
        };
        let is_name = |name: &str| !name.is_empty() && !name.contains(['.', '[', '(']);
        let tool = tool.filter(|(server, tool)| is_name(server) && is_name(tool));
        let tool = tool.map(|(server, tool)| (server.to_owned(), tool.to_owned()));
        let has_star = call.arguments.args.iter().any(Expr::is_starred_expr);
        let mut arguments = super::value::known_arguments(positional, &given.named);
        arguments.open |= has_star;
        let call_facts = ToolCallFacts { tool, arguments };
        self.tool_calls.add(call.arguments.start(), self.nesting.loops > 0, call_facts);
    }

    /// Calls a value.
    pub(super) fn apply(
        &mut self,
        callee: &Value<'a>,
        mut arguments: Arguments<'a>,
        at: TextSize,
    ) -> Value<'a> {
        match &callee.kind {
            ValueKind::Path(path) => {
                let path = Rc::clone(path);
                self.call_path(&path, callee, &arguments, at)
            }
            ValueKind::OneOf(all) => {
                let mut found: Option<Value<'a>> = None;
                for one in all.iter() {
                    if let Some(path) = one.as_path() {
                        let value = self.call_path(&path.clone(), one, &arguments, at);
                        found = Some(found.map_or(value.clone(), |known| known.or(&value)));
                    }
                }
                found.unwrap_or_else(|| Value::unknown_from(arguments.from()))
            }
            ValueKind::Getter(name) if !arguments.positional.is_empty() => {
                let owner = arguments.positional.remove(0);
                let member = self.member(&owner, name, at).hidden_if(true);
                self.record_value(FactKind::Call, &member, at);
                member
            }
            ValueKind::Function(function) => self.inline(*function, &arguments),
            _ => Value::unknown_from(union_sources([&callee.from, &arguments.from()])),
        }
    }

    fn call_path(
        &mut self,
        path: &Rc<str>,
        callee: &Value<'a>,
        arguments: &Arguments<'a>,
        at: TextSize,
    ) -> Value<'a> {
        let from = union_sources([&callee.from, &arguments.from()]);
        self.record_token_pattern(path, arguments, at);
        let result = self.special(path, arguments, at);
        // A function that only names something is reported as the thing it names.
        if !(result.is_some() && matches!(&**path, "getattr" | "vars" | "chr" | "ord")) {
            for arguments in arguments.known_each() {
                let occurrences = FactDetails { arguments, hidden: callee.hidden };
                self.record(FactKind::Call, path, at, occurrences);
            }
        }
        if let Some(value) = result {
            return value;
        }
        if path.starts_with('?') {
            return Value::unknown_from(from);
        }
        let from = with_source(path, &from);
        match path.matches("()").count() < 3 {
            true => Value::path(&format!("{path}()")).with_from(from),
            false => Value::unknown_from(from),
        }
    }
}
