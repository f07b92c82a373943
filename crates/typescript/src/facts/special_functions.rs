//! Built-in functions that act on their arguments: they read, call or write them, or assemble
//! text.
//!
//! In: the path of a function and its arguments. Out: the result, and facts about the effects.

use std::rc::Rc;

use tidegate_model::reading::{AbstractValue, FactKind};

use super::calls::CallSite;
use super::expressions::GAP;
use super::value::{MAX_FOLDED_BYTES, Object, Value, ValueKind};
use super::{Evaluator, paths, strings};

/// Minimum elements or characters of something too large.
const MIN_BULK_SIZE: f64 = 50_000_000.0;

impl Evaluator<'_> {
    /// The value of such a call; `None` for other functions.
    pub(super) fn special(
        &mut self,
        path: &str,
        hidden: bool,
        arguments: &[Value],
        call: &CallSite<'_>,
    ) -> Option<Value> {
        self.bulk(path, call.kind, arguments, call.at);
        let first = arguments.first();
        let mut from: Vec<Rc<str>> = vec![path.into()];
        arguments.iter().for_each(|one| one.add_sources(&mut from, 1));
        let text = first.and_then(Value::as_text);
        match path {
            "String.fromCharCode" | "String.fromCodePoint" => strings::from_codes(arguments, from),
            "atob" => strings::from_base64(beginning(first?)?, from).map(|one| cut(one, first)),
            "Buffer.from" => match arguments.get(1).and_then(Value::as_text) {
                Some("base64" | "base64url") => {
                    strings::from_base64(beginning(first?)?, from).map(|one| cut(one, first))
                }
                Some("hex") => {
                    strings::from_hex(beginning(first?)?, from).map(|one| cut(one, first))
                }
                None => match &first?.shape {
                    ValueKind::List(list) => strings::from_codes(list, from),
                    _ => None,
                },
                Some(_) => None,
            },
            "decodeURIComponent" | "decodeURI" | "unescape" => strings::from_percent(text?, from),
            "String" | "Object.freeze" | "Object.seal" | "Promise.resolve" => {
                first.filter(|one| one.as_path().is_none()).cloned()
            }
            "path.join" | "path.posix.join" | "path.resolve" | "path.posix.resolve" => {
                joined(arguments, path.ends_with("resolve"), from)
            }
            "path.normalize" | "path.posix.normalize" => match &first?.shape {
                // The beginning stays the same.
                ValueKind::Text { text, .. } => Some(Value { from, ..Value::beginning(text) }),
                _ => None,
            },
            "parseInt" | "Number.parseInt" => parsed(text?, arguments.get(1)),
            "Reflect.get" => Some(self.member_by(first?, arguments.get(1)?, call.at)),
            "Object.getOwnPropertyDescriptor" | "Reflect.getOwnPropertyDescriptor" => {
                let value = self.member_by(first?, arguments.get(1)?, call.at);
                let entries = vec![("value".into(), value.clone()), ("get".into(), value)];
                Some(Value::of(ValueKind::Object(Rc::new(Object { entries, open: true }))))
            }
            "Object.getPrototypeOf" | "Reflect.getPrototypeOf" => Some(prototype(first?)),
            "Reflect.apply" | "Reflect.construct" => self.apply(path, hidden, arguments, call),
            "Reflect.set" | "Reflect.defineProperty" | "Object.defineProperty" => {
                let value = self.member_named(first?, arguments.get(1)?);
                let written = arguments.get(2).map(Value::known).unwrap_or_default();
                self.record_write(&value, vec![written], call.at);
                first.cloned()
            }
            "Object.assign" | "Object.defineProperties" => {
                let target = first?;
                if target.as_path().is_some_and(|path| !path.starts_with("?.")) {
                    let value = paths::computed(target, &Value::default());
                    self.record_write(&value, Vec::new(), call.at);
                }
                let mut all = target.clone();
                arguments.iter().skip(1).for_each(|one| one.add_sources(&mut all.from, 1));
                Some(all)
            }
            "Reflect.deleteProperty" => {
                let value = self.member_named(first?, arguments.get(1)?);
                let path = value.as_path()?.to_owned();
                self.record(FactKind::Remove, &path, call.at, Vec::new(), hidden);
                Some(Value::default())
            }
            _ => None,
        }
    }

    fn member_named(&mut self, base: &Value, key: &Value) -> Value {
        self.computed_member(base, key)
    }

    fn member_by(&mut self, base: &Value, key: &Value, at: u32) -> Value {
        let value = self.computed_member(base, key);
        self.record_read(&value, at);
        value
    }

    /// `Reflect.apply(f, this, list)`, `Reflect.construct(F, list)`.
    fn apply(
        &mut self,
        path: &str,
        hidden: bool,
        arguments: &[Value],
        call: &CallSite<'_>,
    ) -> Option<Value> {
        let function = arguments.first()?.clone();
        let (kind, place) = match path {
            "Reflect.apply" => (FactKind::Call, 2),
            _ => (FactKind::New, 1),
        };
        let list = match arguments.get(place).map(|one| &one.shape) {
            Some(ValueKind::List(list)) => Rc::clone(list),
            _ => Rc::new(arguments.get(place).cloned().into_iter().collect()),
        };
        match function.as_path() {
            // Otherwise a program could nest arbitrarily deep in one line.
            Some(inner) if inner.starts_with("Reflect.") => {
                let known = list.iter().map(Value::known).collect();
                self.record(kind, inner, call.at, known, hidden);
                Some(Value::default())
            }
            Some(_) => {
                let inner = CallSite {
                    kind,
                    base: None,
                    name: None,
                    function,
                    arguments: &list,
                    at: call.at,
                };
                Some(self.called(&inner))
            }
            None => Some(self.return_value_of(&function, &list)),
        }
    }

    /// Records a write to something that the program did not define.
    pub(super) fn record_write(&mut self, target: &Value, written: Vec<AbstractValue>, at: u32) {
        let ValueKind::Path { path, hidden } = &target.shape else { return };
        let unknown = path.starts_with("?.");
        let telling = path.split('.').any(|name| {
            name.starts_with("__")
                || matches!(
                    name,
                    "prototype" | "constructor" | "innerHTML" | "outerHTML" | "srcdoc"
                )
                || matches!(name, "cookie" | "prepareStackTrace" | "exports")
        });
        // The result of a call belongs to the program.
        let own = unknown || path.contains("()");
        if !own || telling {
            let (path, hidden) = (Rc::clone(path), *hidden);
            self.record(FactKind::Write, &path, at, written, hidden);
        }
    }

    /// Records something far larger than any program needs.
    fn bulk(&mut self, path: &str, kind: FactKind, arguments: &[Value], at: u32) {
        let size = |at: usize| arguments.get(at).and_then(Value::as_number);
        let what = match path {
            "Array" => "list",
            "Buffer.alloc" | "Buffer.allocUnsafe" | "Buffer.allocUnsafeSlow" => "list",
            "ArrayBuffer" | "SharedArrayBuffer" | "WebAssembly.Memory" => "list",
            "Array.from" => {
                let Some(ValueKind::Object(object)) = arguments.first().map(|one| &one.shape)
                else {
                    return;
                };
                let length = object.entries.iter().find(|(key, _)| &**key == "length");
                let length = length.and_then(|(_, value)| value.as_number());
                return self.record_bulk("list", length, at);
            }
            path if path.ends_with("Array") && kind == FactKind::New => "list",
            _ => return,
        };
        self.record_bulk(what, size(0), at);
    }

    /// The same for methods of texts and lists.
    pub(super) fn bulk_of_method(
        &mut self,
        base: &Value,
        name: &str,
        arguments: &[Value],
        at: u32,
    ) {
        let count = arguments.first().and_then(Value::as_number);
        let length = match &base.shape {
            ValueKind::Text { text, .. } => text.len() as f64,
            _ => 1.0,
        };
        match name {
            "repeat" => self.record_bulk("text", count.map(|count| count * length.max(1.0)), at),
            "padStart" | "padEnd" => self.record_bulk("text", count, at),
            _ => {}
        }
    }

    fn record_bulk(&mut self, what: &str, size: Option<f64>, at: u32) {
        if let Some(size) = size.filter(|size| *size >= MIN_BULK_SIZE) {
            self.record(FactKind::Bulk, what, at, vec![AbstractValue::number(size)], false);
        }
    }
}

/// The known beginning of a text.
fn beginning(value: &Value) -> Option<&str> {
    match &value.shape {
        ValueKind::Text { text, whole: true, .. } => Some(text),
        // A base64 group has four characters, a byte two digits.
        ValueKind::Text { text, .. } => text.get(..text.len() / 4 * 4),
        _ => None,
    }
}

/// The result for a beginning is a beginning.
fn cut(mut value: Value, of: Option<&Value>) -> Value {
    let was_whole = of.and_then(Value::as_text).is_some();
    if let ValueKind::Text { whole, .. } = &mut value.shape {
        *whole &= was_whole;
    }
    value
}

/// `path.join(…)` and `path.resolve(…)`, where an absolute part restarts the path. An unknown
/// part leaves only the beginning known.
fn joined(parts: &[Value], resolves: bool, from: Vec<Rc<str>>) -> Option<Value> {
    let (mut all, mut whole) = (String::new(), true);
    for part in parts {
        let known = part.as_piece();
        let root = resolves && known.as_ref().is_some_and(|(text, _)| text.starts_with('/'));
        if root {
            (all, whole) = (String::new(), true);
        }
        if !all.is_empty() && !all.ends_with('/') {
            all.push('/');
        }
        match known {
            Some((text, is_whole)) => {
                all.push_str(&text);
                whole &= is_whole;
            }
            None => {
                all.push(GAP);
                whole = false;
            }
        }
        if all.len() > MAX_FOLDED_BYTES {
            return None;
        }
    }
    let known = all.chars().any(|one| one != GAP && one != '/');
    known.then(|| match whole {
        true => Value::folded(&all, from),
        false => Value { from, ..Value::beginning(&all) },
    })
}

fn parsed(text: &str, base: Option<&Value>) -> Option<Value> {
    let base = base.and_then(Value::as_number).and_then(strings::index).unwrap_or(10);
    let base = u32::try_from(base).ok().filter(|base| (2..=36).contains(base))?;
    let number = i64::from_str_radix(text.trim(), base).ok()?;
    Some(Value::of(ValueKind::Number(number as f64)))
}

fn prototype(value: &Value) -> Value {
    match &value.shape {
        // Its constructor is accessed next.
        ValueKind::Function(_) => value.clone(),
        ValueKind::List(_) => Value::path("Array.prototype"),
        ValueKind::Text { .. } => Value::path("String.prototype"),
        ValueKind::Object(_) => Value::path("Object.prototype"),
        _ => paths::member(value, "__proto__", false),
    }
}
