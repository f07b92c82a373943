//! Methods that change a list or dict of the program.
//!
//! In: a method call on a name. Out: the new value of the name, if it is still known.

use super::arguments::Arguments;
use super::evaluator::Evaluator;
use super::value::{MAX_LIST_LENGTH, Value, ValueKind, union_sources};

impl<'a> Evaluator<'_, 'a> {
    /// Applies a method to a list or dict.
    pub(super) fn change_list(
        &mut self,
        name: &'a str,
        owner: &Value<'a>,
        method: &str,
        arguments: &Arguments<'a>,
    ) {
        let ValueKind::List(list) = &owner.kind else {
            if let ValueKind::Dict(_) = owner.kind {
                let from = union_sources([&owner.from, &arguments.from()]);
                self.frames.change(name, Value::unknown_from(from));
            }
            return;
        };
        let from = union_sources([&owner.from, &arguments.from()]);
        let added = match (method, arguments.positional.as_slice()) {
            ("append" | "add", [one]) => Some(vec![one.clone()]),
            ("extend", [more]) => self.elements(more),
            _ => None,
        };
        let fits = |added: &Vec<Value<'a>>| list.len() + added.len() <= MAX_LIST_LENGTH;
        let kind = match added.filter(fits) {
            Some(added) if self.spend(1 + list.len() / 4) => {
                ValueKind::List(list.iter().cloned().chain(added).collect())
            }
            _ => ValueKind::Unknown,
        };
        self.frames.change(name, Value { kind, from, hidden: true });
    }
}

/// Whether a method changes a list or dict.
pub(super) fn is_mutating(name: &str) -> bool {
    matches!(
        name,
        "append"
            | "extend"
            | "insert"
            | "pop"
            | "remove"
            | "clear"
            | "sort"
            | "reverse"
            | "add"
            | "update"
            | "popitem"
            | "setdefault"
            | "discard"
    )
}
