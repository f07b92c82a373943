//! Resolves the members of values to paths.
//!
//! In: an owner and a member name. Out: a value. Here the many names of one thing become one
//! path: the aliases of the global object, and constructors reached through `constructor`.

use std::rc::Rc;

use super::strings::index;
use super::value::{Value, ValueKind, add_source};

/// Names of the global object.
const GLOBAL: [&str; 7] = ["globalThis", "window", "self", "global", "top", "parent", "frames"];

/// Built-in functions, whose constructor is `Function`.
const FUNCTIONS: [&str; 33] = [
    "Array",
    "ArrayBuffer",
    "AsyncFunction",
    "BigInt",
    "Boolean",
    "Buffer",
    "Date",
    "Error",
    "Function",
    "Map",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "RangeError",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "TypeError",
    "URL",
    "Uint8Array",
    "WeakMap",
    "atob",
    "btoa",
    "callMCPTool",
    "decodeURIComponent",
    "eval",
    "fetch",
    "isNaN",
    "parseInt",
    "setTimeout",
    "structuredClone",
];

/// Maximum names in a path. Longer paths are unknown.
const MAX_PATH_NAMES: usize = 6;

/// The value of a global.
pub(super) fn global(name: &str) -> Value {
    match name {
        "undefined" => Value::of(ValueKind::Nothing),
        "NaN" => Value::of(ValueKind::Number(f64::NAN)),
        "Infinity" => Value::of(ValueKind::Number(f64::INFINITY)),
        name if GLOBAL.contains(&name) => Value::path("globalThis"),
        name => Value::path(name),
    }
}

/// A member of a value by its name; `hidden` if the name was assembled.
pub(super) fn member(base: &Value, name: &str, hidden: bool) -> Value {
    match &base.shape {
        ValueKind::Path { path, hidden: already } => {
            let shape = of_path(path, name, hidden || *already);
            let mut from = base.from.clone();
            if matches!(shape, ValueKind::Unknown) {
                add_source(&mut from, path);
            }
            Value { shape, from }
        }
        ValueKind::Text { text, .. } => match name {
            "length" => Value::of(ValueKind::Number(text.chars().count() as f64)),
            "constructor" => Value::path("String"),
            "__proto__" => Value::path("String.prototype"),
            name => match name.parse().ok().and_then(|at: usize| text.chars().nth(at)) {
                Some(one) => Value::folded(one.encode_utf8(&mut [0; 4]), base.from.clone()),
                None => method_of(base, "String", name, hidden),
            },
        },
        ValueKind::List(list) => match name {
            "length" => Value::default(),
            "constructor" => Value::path("Array"),
            "__proto__" => Value::path("Array.prototype"),
            name => match name.parse().ok().and_then(|at: usize| list.get(at)) {
                Some(value) => value.clone(),
                None => method_of(base, "Array", name, hidden),
            },
        },
        ValueKind::Object(object) => {
            let found = object.entries.iter().rev().find(|(key, _)| &**key == name);
            match (found, name) {
                (Some((_, value)), _) => value.clone(),
                (None, "constructor") => Value::path("Object"),
                (None, "__proto__") => Value::path("Object.prototype"),
                (None, _) if object.open => of_unknown(base, name, hidden),
                (None, _) => Value { shape: ValueKind::Own, from: base.from.clone() },
            }
        }
        ValueKind::Function(_) => match name {
            "constructor" => Value::path("Function"),
            "__proto__" => Value::path("Function.prototype"),
            _ => Value { shape: ValueKind::Own, from: base.from.clone() },
        },
        ValueKind::Number(_) if name == "constructor" => Value::path("Number"),
        ValueKind::Flag(_) if name == "constructor" => Value::path("Boolean"),
        ValueKind::Own if !matches!(name, "constructor" | "__proto__") => base.clone(),
        ValueKind::Unknown
        | ValueKind::Number(_)
        | ValueKind::Flag(_)
        | ValueKind::Null
        | ValueKind::Nothing
        | ValueKind::Own => of_unknown(base, name, hidden),
    }
}

/// A member whose name is unknown.
pub(super) fn computed(base: &Value, key: &Value) -> Value {
    let mut from = base.from.clone();
    key.add_sources(&mut from, 1);
    match (&base.shape, key.as_number().and_then(index)) {
        (ValueKind::Path { path, .. }, _) => {
            let path: Rc<str> = format!("{path}.[]").into();
            Value { shape: ValueKind::Path { path, hidden: false }, from }
        }
        (ValueKind::List(_) | ValueKind::Text { .. }, Some(at)) => {
            member(base, &at.to_string(), false)
        }
        // Any element: those that the program did not define are recorded.
        (ValueKind::List(list), None) => {
            let foreign = list.iter().find(|one| one.as_path().is_some());
            foreign.cloned().unwrap_or_else(|| Value::made_from(base.sources()))
        }
        (ValueKind::Object(object), _) => {
            let foreign = object.entries.iter().find(|(_, one)| one.as_path().is_some());
            foreign.map_or_else(|| Value::made_from(base.sources()), |(_, one)| one.clone())
        }
        _ => Value::made_from(from),
    }
}

/// The result of a call.
pub(super) fn result(callee: &str, from: Vec<Rc<str>>) -> Value {
    let far = callee.split('.').count() >= MAX_PATH_NAMES || callee.len() > 120;
    // Results of tools and of methods of texts and lists are data.
    let data = callee.starts_with("servers.")
        || callee.starts_with("?.")
        || callee == "callMCPTool"
        || callee.contains(".prototype.");
    match far || data {
        true => Value::made_from(from),
        false => Value { from, ..Value::path(format!("{callee}()")) },
    }
}

fn of_path(path: &str, name: &str, hidden: bool) -> ValueKind {
    let last = path.rsplit('.').next().unwrap_or_default();
    let function =
        FUNCTIONS.contains(&path) || last == "constructor" || path.contains(".prototype.");
    let path: Rc<str> = match name {
        "constructor" if function => "Function".into(),
        // The program may have a name `prototype` of its own.
        "constructor" if last == "prototype" => {
            path.strip_suffix(".prototype").unwrap_or(path).into()
        }
        "__proto__" if function => "Function.prototype".into(),
        // The default export of a module.
        "default" => path.into(),
        name if path == "globalThis" => match global(name).shape {
            ValueKind::Path { path, .. } => path,
            other => return other,
        },
        _ if path.split('.').count() >= MAX_PATH_NAMES || path.len() + name.len() > 160 => {
            return ValueKind::Unknown;
        }
        name => format!("{path}.{name}").into(),
    };
    ValueKind::Path { path, hidden }
}

fn of_unknown(base: &Value, name: &str, hidden: bool) -> Value {
    let path: Rc<str> = format!("?.{}", &name[..name.floor_char_boundary(120)]).into();
    Value { shape: ValueKind::Path { path, hidden }, from: base.from.clone() }
}

fn method_of(base: &Value, class: &str, name: &str, hidden: bool) -> Value {
    let path: Rc<str> =
        format!("{class}.prototype.{}", &name[..name.floor_char_boundary(120)]).into();
    Value { shape: ValueKind::Path { path, hidden }, from: base.from.clone() }
}
