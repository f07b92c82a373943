//! Functions whose result is known, such as `getattr`, `__import__` and `vars`.
//!
//! In: the path of a function and its arguments. Out: the referent of its result. A function
//! that only names something returns the thing it names, so that indirect access leads to the
//! same path as direct access.

use std::rc::Rc;

use ruff_text_size::TextSize;
use tidegate_model::reading::FactKind;

use super::arguments::Arguments;
use super::evaluator::{Evaluator, FactDetails};
use super::file_paths::joined_path;
use super::folding::path_under;
use super::iteration::iterable;
use super::members::member_of;
use super::value::{Value, ValueKind, with_source};

impl<'a> Evaluator<'_, 'a> {
    /// The result of a function, if it is known.
    pub(super) fn special(
        &mut self,
        path: &Rc<str>,
        arguments: &Arguments<'a>,
        at: TextSize,
    ) -> Option<Value<'a>> {
        let first = arguments.positional.first();
        match &**path {
            "__import__" | "importlib.import_module" | "importlib.__import__" => {
                Some(self.imported(path, arguments, at))
            }
            "getattr"
            | "object.__getattribute__"
            | "type.__getattribute__"
            | "inspect.getattr_static" => {
                let [owner, name, ..] = arguments.positional.as_slice() else { return None };
                Some(self.named_member(owner, name, at))
            }
            "setattr" | "delattr" => {
                let [owner, name, ..] = arguments.positional.as_slice() else { return None };
                let member = self.named_member(owner, name, at);
                let kind = if &**path == "setattr" { FactKind::Write } else { FactKind::Remove };
                if member
                    .as_path()
                    .is_some_and(|path| !path.starts_with('?') || path.ends_with("__"))
                {
                    self.record_value(kind, &member, at);
                }
                Some(Value::unknown())
            }
            "vars" if first.is_some() => Some(member_of(first?, "__dict__").with_from(None)),
            "type" if arguments.positional.len() == 1 => match &first?.kind {
                ValueKind::Function(_) => Some(Value::path("types.FunctionType")),
                ValueKind::Path(path) if path.ends_with("__code__") => {
                    Some(Value::path("types.CodeType"))
                }
                _ => None,
            },
            "operator.attrgetter" | "operator.methodcaller" => {
                Some(Value::of(ValueKind::Getter(first?.as_text()?.clone())))
            }
            "functools.partial" | "functools.partialmethod" => {
                first.filter(|value| value.as_path().is_some()).cloned()
            }
            "pathlib.Path" | "pathlib.PurePath" | "pathlib.PosixPath" | "os.path.join" => {
                joined_path(arguments, path.starts_with("pathlib"))
            }
            "os.path.expanduser" | "os.path.abspath" | "os.path.realpath" | "os.path.normpath"
            | "os.fspath" | "os.path.expandvars" => first.cloned(),
            "pathlib.Path.home" => {
                Some(Value::of(ValueKind::File { text: "~".into(), whole: true }))
            }
            "pathlib.Path.cwd" | "os.getcwd" => {
                let (text, whole) = (".".into(), true);
                Some(Value::of(match &**path {
                    "os.getcwd" => ValueKind::Text(text),
                    _ => ValueKind::File { text, whole },
                }))
            }
            "glob.glob" | "glob.iglob" => matching_files(first?.as_text()?, path),
            "os.walk" => {
                let (start, _) = path_under("", true, &first?.kind);
                let root = Value::of(ValueKind::Prefix(start)).with_from(with_source(path, &None));
                let one = ValueKind::List([root, Value::unknown(), Value::unknown()].into());
                Some(Value::of(ValueKind::List([Value::of(one)].into())))
            }
            "range" | "enumerate" | "itertools.count" | "itertools.cycle" | "itertools.repeat"
            | "itertools.product" => iterable(path, arguments),
            path if path.ends_with(".__getattribute__") && arguments.positional.len() == 1 => {
                let owner = path.strip_suffix(".__getattribute__")?;
                Some(self.named_member(&Value::path(owner), first?, at))
            }
            "iter" if arguments.positional.len() == 2 => iterable(path, arguments),
            _ => self.item_by_call(path, arguments).or_else(|| self.folded(path, arguments, at)),
        }
    }

    fn imported(&mut self, path: &str, arguments: &Arguments<'a>, at: TextSize) -> Value<'a> {
        let name = arguments.get(0, "name").cloned().unwrap_or_else(Value::unknown);
        let mut found: Option<Value<'a>> = None;
        for one in name.alternatives() {
            let module = one.as_text().map(|name| match path {
                // `__import__('a.b')` returns `a`.
                "__import__" if arguments.positional.len() < 4 => {
                    name.split('.').next().unwrap_or(name).to_owned()
                }
                _ => name.to_string(),
            });
            let occurrences = FactDetails { arguments: vec![one.known()], hidden: true };
            let full = one.as_text().map_or("[]", |name| name);
            self.record(FactKind::Import, full, at, occurrences);
            let value = module.map_or_else(Value::unknown, |module| self.module(&module));
            let value = value.hidden_if(true);
            found = Some(found.map_or(value.clone(), |known| known.or(&value)));
        }
        found.unwrap_or_else(Value::unknown)
    }

    /// A member whose name is a value.
    fn named_member(&mut self, owner: &Value<'a>, name: &Value<'a>, at: TextSize) -> Value<'a> {
        let mut found: Option<Value<'a>> = None;
        for one in name.alternatives() {
            let value = match (&one.kind, owner.as_path()) {
                (ValueKind::Text(text), _) => {
                    let value = self.member(owner, text, at).hidden_if(true);
                    self.record_hidden(&value, at);
                    value
                }
                (_, Some(path)) if !path.starts_with('?') => {
                    let value = Value::path(&format!("{path}.[]"));
                    self.record_value(FactKind::Read, &value, at);
                    value
                }
                _ => Value::unknown_from(owner.from.clone()),
            };
            found = Some(found.map_or(value.clone(), |known| known.or(&value)));
        }
        found.unwrap_or_else(Value::unknown)
    }

    fn record_hidden(&mut self, value: &Value<'a>, at: TextSize) {
        for one in value.alternatives() {
            if one.as_path().is_some_and(|path| !path.starts_with('?') || path.ends_with("__")) {
                self.record_value(FactKind::Read, one, at);
            }
        }
    }

    /// `sys.modules.get('os')` and the like.
    fn item_by_call(&mut self, path: &str, arguments: &Arguments<'a>) -> Option<Value<'a>> {
        let (owner, method) = path.rsplit_once('.')?;
        let is_namespace = owner == "sys.modules"
            || owner.ends_with(".__dict__")
            || matches!(owner, "globals()" | "locals()" | "vars()" | "__builtins__");
        let asks = matches!(method, "get" | "__getitem__" | "pop" | "setdefault");
        let key = arguments.positional.first().filter(|_| is_namespace && asks)?;
        Some(self.item(&Value::path(owner), key).hidden_if(true))
    }
}

/// The list of files that match a pattern.
fn matching_files<'a>(pattern: &str, path: &Rc<str>) -> Option<Value<'a>> {
    let start = pattern.split(['*', '?', '[']).next().unwrap_or_default();
    let file = Value::of(ValueKind::Prefix(start.into())).with_from(with_source(path, &None));
    Some(Value::of(ValueKind::List([file].into())))
}
