//! Resolves the referent of a member.
//!
//! In: an owner and the name or key of a member. Out: its path. Indirect ways of naming a
//! member (`vars(os)['system']`, `sys.modules['os']`, `print.__self__`) lead to the same path
//! as direct access.

use ruff_text_size::TextSize;
use tidegate_model::reading::FactKind;

use super::evaluator::{Evaluator, FactDetails};
use super::value::{Value, ValueKind};
use crate::builtins::{builtin, is_builtin};

/// Modules that are members of other modules: `shutil.os.system`.
const INNER_MODULES: [&str; 14] = [
    "os",
    "_os",
    "sys",
    "_sys",
    "subprocess",
    "builtins",
    "_builtins",
    "socket",
    "_socket",
    "importlib",
    "ctypes",
    "shutil",
    "_shutil",
    "posix",
];

/// Dunder names that honest programs read.
const HARMLESS_DUNDERS: [&str; 30] = [
    "__name__",
    "__doc__",
    "__class__",
    "__dict__",
    "__init__",
    "__module__",
    "__qualname__",
    "__file__",
    "__version__",
    "__len__",
    "__iter__",
    "__next__",
    "__enter__",
    "__exit__",
    "__aenter__",
    "__aexit__",
    "__str__",
    "__repr__",
    "__eq__",
    "__hash__",
    "__annotations__",
    "__dataclass_fields__",
    "__members__",
    "__cause__",
    "__context__",
    "__traceback__",
    "__contains__",
    "__post_init__",
    "__all__",
    "__path__",
];

/// Members of frames, code and generators, which lead to all names of the process.
const FRAME_MEMBERS: [&str; 16] = [
    "gi_frame",
    "cr_frame",
    "ag_frame",
    "tb_frame",
    "f_globals",
    "f_builtins",
    "f_locals",
    "f_back",
    "f_code",
    "gi_code",
    "cr_code",
    "gi_yieldfrom",
    "co_consts",
    "co_code",
    "func_globals",
    "func_code",
];

impl<'a> Evaluator<'_, 'a> {
    /// The value of an attribute.
    pub(super) fn member(&mut self, owner: &Value<'a>, name: &str, at: TextSize) -> Value<'a> {
        let is_climbing =
            is_dunder(name) && !HARMLESS_DUNDERS.contains(&name) || FRAME_MEMBERS.contains(&name);
        let mut found: Option<Value<'a>> = None;
        for one in owner.alternatives() {
            let is_own = matches!(one.kind, ValueKind::Class | ValueKind::Function(_));
            if name == "__class__" && is_literal(&one.kind) {
                self.record(FactKind::Read, "literal.__class__", at, FactDetails::default());
            }
            let value = member_of(one, name).with_from(one.from.clone());
            let value = value.hidden_if(one.hidden);
            if is_climbing
                && !(is_own && matches!(name, "__subclasses__" | "__mro__" | "__bases__"))
            {
                self.record_value(FactKind::Read, &value, at);
            }
            found = Some(found.map_or(value.clone(), |known| known.or(&value)));
        }
        found.unwrap_or_else(Value::unknown)
    }

    /// The value at a key or index.
    pub(super) fn item(&mut self, owner: &Value<'a>, key: &Value<'a>) -> Value<'a> {
        let mut found: Option<Value<'a>> = None;
        for one in owner.alternatives() {
            for key in key.alternatives() {
                let value = match &one.kind {
                    ValueKind::Path(path) => self.item_of_path(path, key).hidden_if(one.hidden),
                    _ => self.element_at(one, key),
                };
                let value = match value.from {
                    None => value.with_from(one.from.clone()),
                    Some(_) => value,
                };
                found = Some(found.map_or(value.clone(), |known| known.or(&value)));
            }
        }
        found.unwrap_or_else(Value::unknown)
    }

    fn item_of_path(&self, path: &str, key: &Value<'a>) -> Value<'a> {
        let name = key.as_text();
        let hidden = |value: Value<'a>| value.hidden_if(true);
        match (path, name) {
            ("sys.modules", Some(name)) => hidden(self.module(name)),
            // The program itself.
            ("sys.modules", None) if key.as_path().is_some_and(|path| &**path == "__name__") => {
                Value::unknown()
            }
            ("__builtins__" | "builtins.__dict__" | "__builtins__.__dict__", Some(name)) => {
                hidden(Value::path(name))
            }
            ("globals()" | "locals()" | "vars()", Some(name)) => {
                let known = self.frames.in_module(name).or_else(|| self.frames.get(name));
                let value = known.or_else(|| path_of_global(name).map(Value::path));
                hidden(value.unwrap_or_else(Value::unknown))
            }
            ("globals()" | "locals()" | "vars()", None) => Value::path("globals().[]"),
            _ if path.starts_with('?') => Value::unknown(),
            _ => match (path.strip_suffix(".__dict__"), name) {
                (Some(owner), Some(name)) => hidden(member_of(&Value::path(owner), name)),
                (Some(owner), None) => Value::path(&format!("{owner}.[]")),
                (None, _) if path.contains("()") => Value::unknown(),
                (None, Some(name)) => Value::path(&format!("{path}.{name}")),
                (None, None) => Value::path(&format!("{path}.[]")),
            },
        }
    }

    fn element_at(&self, owner: &Value<'a>, key: &Value<'a>) -> Value<'a> {
        let all = match &owner.kind {
            ValueKind::Dict(entries) => {
                // The last write wins.
                let same = |(known, value): &(Value<'a>, Value<'a>)| {
                    let is_same = match (&known.kind, &key.kind) {
                        (ValueKind::Text(one), ValueKind::Text(other)) => one == other,
                        (ValueKind::Int(one), ValueKind::Int(other)) => one == other,
                        _ => return None,
                    };
                    is_same.then(|| value.clone())
                };
                if let Some(value) = entries.iter().rev().find_map(same) {
                    return value;
                }
                entries.iter().map(|(_, value)| value.clone()).collect()
            }
            _ => match super::strings::elements(owner) {
                Some(all) => all,
                None => return Value::unknown_from(owner.from.clone()),
            },
        };
        if super::strings::stands_for_many(&all) {
            return one_of(&all);
        }
        if let (ValueKind::Int(at), false) = (&key.kind, matches!(owner.kind, ValueKind::Dict(_))) {
            let place = if *at < 0 { at + all.len() as i128 } else { *at };
            let found = usize::try_from(place).ok().and_then(|place| all.get(place));
            return found.cloned().unwrap_or_else(Value::unknown);
        }
        one_of(&all)
    }

    /// The elements that iterating yields, as one value.
    pub(super) fn element_of(&mut self, value: &Value<'a>) -> Value<'a> {
        match &value.kind {
            ValueKind::List(list) => one_of(list),
            ValueKind::Dict(entries) => {
                let keys: Vec<Value<'a>> = entries.iter().map(|(key, _)| key.clone()).collect();
                one_of(&keys)
            }
            _ => Value::unknown_from(value.from.clone()),
        }
    }

    /// The value of a module.
    pub(super) fn module(&self, path: &str) -> Value<'a> {
        Value::path(path)
    }
}

/// Any one of these values.
fn one_of<'a>(values: &[Value<'a>]) -> Value<'a> {
    let short_range = values.iter().take(9).cloned();
    let found = short_range.reduce(|one, other| one.or(&other)).unwrap_or_else(Value::unknown);
    if values.len() > 8 { found.widened() } else { found }
}

/// The member of a single owner.
pub(super) fn member_of<'a>(owner: &Value<'a>, name: &str) -> Value<'a> {
    let path = match &owner.kind {
        ValueKind::Path(path) => path,
        ValueKind::File { .. } => return Value::path(&format!("pathlib.Path().{name}")),
        ValueKind::Class => return Value::unknown(),
        _ => return Value::path(&format!("?.{name}")),
    };
    if path.starts_with('?') {
        return Value::path(&format!("?.{name}"));
    }
    match (&**path, name) {
        (_, "__call__") => owner.clone(),
        ("builtins" | "__builtins__", "__dict__") => Value::path("builtins.__dict__"),
        ("builtins" | "__builtins__", name) => {
            Value::path(name).hidden_if(&**path == "__builtins__")
        }
        ("servers", name) if is_helper(name) => Value::path(name),
        (function, "__self__") if is_builtin(function) => Value::path("builtins"),
        (module, name) if INNER_MODULES.contains(&name) && may_hold_modules(module, name) => {
            Value::path(name.trim_start_matches('_')).hidden_if(true)
        }
        (path, name) => Value::path(&format!("{path}.{name}")),
    }
}

fn may_hold_modules(module: &str, name: &str) -> bool {
    let root = module.split('.').next().unwrap_or(module);
    !module.contains("()")
        && !module.ends_with(name)
        && !matches!(root, "servers" | "asyncio" | "multiprocessing" | "zmq" | "gevent")
        && !is_builtin(root)
}

fn is_literal(kind: &ValueKind<'_>) -> bool {
    matches!(
        kind,
        ValueKind::Text(_)
            | ValueKind::Bytes(_)
            | ValueKind::Int(_)
            | ValueKind::Float(_)
            | ValueKind::Flag(_)
            | ValueKind::None
            | ValueKind::List(_)
            | ValueKind::Dict(_)
    )
}

pub(super) fn is_dunder(name: &str) -> bool {
    name.len() > 4 && name.starts_with("__") && name.ends_with("__")
}

/// Whether a name is a helper that the guest provides besides `servers`, as in `api.py`.
fn is_helper(name: &str) -> bool {
    name == "call_tool" || crate::resolver::HELPERS.contains(&name)
}

/// The path of a name that the program does not bind.
pub(super) fn path_of_global(name: &str) -> Option<&'static str> {
    let own = builtin(name);
    let helper = || crate::resolver::HELPERS.iter().find(|known| **known == name);
    let ours = || ["servers", "call_tool"].into_iter().find(|known| *known == name);
    own.or_else(|| helper().copied()).or_else(ours)
}
