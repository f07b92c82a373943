//! Calls: what is called with what, and what comes of it.
//!
//! In: what the callee stands for and the arguments. Out: what is known of the
//! result. Functions that only name something (`getattr`, `__import__`, `vars`) give
//! what they name; those that take text apart and put it together give the text.

use std::rc::Rc;

use ruff_python_ast::{Expr, ExprCall, Operator, Parameters, Stmt};
use ruff_text_size::{Ranged, TextSize};
use tidegate_model::reading::FactKind;

use super::arguments::Arguments;
use super::decoding::{by_codec, decoded};
use super::folding::{beneath, cost};
use super::frames::FrameKind;
use super::members::member_of;
use super::numbers::{LARGE_SIZE, magnitude};
use super::scan::{Scan, Told};
use super::texts;
use super::value::{Body, Function, Kind, LONGEST, Value, also_from, union};

/// How deep functions of the program's own are followed into each other.
const DEEPEST: u32 = 8;

/// How many statements of a function of the program's own are followed.
const MOST_STATEMENTS: usize = 8;

impl<'a> Scan<'_, 'a> {
    /// A method of something.
    pub(super) fn method(
        &mut self,
        call: &'a ExprCall,
        owner: &Value<'a>,
        name: &'a str,
        arguments: Arguments<'a>,
    ) -> Value<'a> {
        let at = call.start();
        if let Some(text) = owner.as_text().filter(|_| matches!(name, "format" | "format_map")) {
            self.tell_format(&text.clone(), at);
        }
        let formats = owner.as_path().is_some_and(|path| &**path == "string.Formatter()")
            && matches!(name, "format" | "vformat");
        if let Some(text) =
            arguments.positional.first().filter(|_| formats).and_then(Value::as_text)
        {
            self.tell_format(&text.clone(), at);
        }
        if let Expr::Attribute(attribute) = &*call.func
            && let Expr::Name(held) = &*attribute.value
            && is_changing(name)
        {
            self.change_list(held.id.as_str(), owner, name, &arguments);
            if let ("extend", [given]) = (name, &*call.arguments.args) {
                self.growth(&attribute.value, Operator::Add, given);
            }
        }
        if name == "join" && matches!(owner.kind, Kind::Text(_) | Kind::Bytes(_)) {
            let all = arguments.positional.first();
            self.tell_drained(all.and_then(super::loops::turns), at);
        }
        if self.again == 0 || self.spend(1) {
            let parts: usize = arguments.positional.iter().map(cost).sum();
            if self.spend(cost(owner) + parts)
                && let Some(value) = texts::method(owner, name, &arguments.positional)
            {
                return value;
            }
        }
        if let Kind::File { text, whole } = &owner.kind {
            return self.method_of_file(text, *whole, owner, (name, arguments), at);
        }
        let place = match &*call.func {
            Expr::Attribute(attribute) => attribute.attr.start(),
            _ => at,
        };
        self.tell_padding(owner, name, &arguments, at);
        let callee = self.member(owner, name, place);
        self.note_tool(&callee, &arguments, call.arguments.start());
        self.apply(&callee, arguments, at)
    }

    /// Notes what the call of a tool is given.
    pub(super) fn note_tool(&mut self, callee: &Value<'a>, given: &Arguments<'a>, at: TextSize) {
        let Some(path) = callee.as_path().filter(|_| self.again == 0) else { return };
        let is_tool = path.starts_with("servers.");
        if !is_tool && &**path != "call_tool" {
            return;
        }
        let object = given.positional.iter().find(|one| matches!(one.kind, Kind::Dict(_)));
        let object = object.filter(|_| !is_tool || given.positional.len() == 1);
        let repeated = self.loops > 0;
        let named = given.named.iter().map(|(name, value)| (*name, value));
        self.noted.add(at, repeated, super::value::literals(object, named));
    }

    /// `'x'.ljust(10**9)`
    fn tell_padding(&mut self, owner: &Value<'a>, name: &str, given: &Arguments<'a>, at: TextSize) {
        let pads = matches!(name, "ljust" | "rjust" | "center" | "zfill");
        let width = given.positional.first().and_then(|one| magnitude(&one.kind));
        let is_text = !matches!(owner.kind, Kind::Path(_));
        if let Some(width) = width.filter(|width| pads && is_text && *width >= LARGE_SIZE) {
            self.tell_bulk("text", width, at);
        }
    }

    /// Calls what something stands for.
    pub(super) fn apply(
        &mut self,
        callee: &Value<'a>,
        mut arguments: Arguments<'a>,
        at: TextSize,
    ) -> Value<'a> {
        match &callee.kind {
            Kind::Path(path) => {
                let path = Rc::clone(path);
                self.call_path(&path, callee, &arguments, at)
            }
            Kind::OneOf(all) => {
                let mut found: Option<Value<'a>> = None;
                for one in all.iter() {
                    if let Some(path) = one.as_path() {
                        let value = self.call_path(&path.clone(), one, &arguments, at);
                        found = Some(found.map_or(value.clone(), |known| known.or(&value)));
                    }
                }
                found.unwrap_or_else(|| Value::unknown_from(arguments.from()))
            }
            Kind::Getter(name) if !arguments.positional.is_empty() => {
                let owner = arguments.positional.remove(0);
                let member = self.member(&owner, name, at).hidden_if(true);
                self.tell_value(FactKind::Call, &member, at);
                member
            }
            Kind::Function(function) => self.inline(*function, &arguments),
            _ => Value::unknown_from(union([&callee.from, &arguments.from()])),
        }
    }

    fn call_path(
        &mut self,
        path: &Rc<str>,
        callee: &Value<'a>,
        arguments: &Arguments<'a>,
        at: TextSize,
    ) -> Value<'a> {
        let from = union([&callee.from, &arguments.from()]);
        let made = self.special(path, arguments, at);
        // What only names something is told by what it names.
        if !(made.is_some() && matches!(&**path, "getattr" | "vars" | "chr" | "ord")) {
            for arguments in arguments.known_each() {
                let told = Told { arguments, hidden: callee.hidden };
                self.tell(FactKind::Call, path, at, told);
            }
        }
        if let Some(value) = made {
            return value;
        }
        if path.starts_with('?') {
            return Value::unknown_from(from);
        }
        let from = also_from(path, &from);
        match path.matches("()").count() < 3 {
            true => Value::path(&format!("{path}()")).with_from(from),
            false => Value::unknown_from(from),
        }
    }

    /// What is known of the result of some functions.
    fn special(
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
                    self.tell_value(kind, &member, at);
                }
                Some(Value::unknown())
            }
            "vars" if first.is_some() => Some(member_of(first?, "__dict__").with_from(None)),
            "type" if arguments.positional.len() == 1 => match &first?.kind {
                Kind::Function(_) => Some(Value::path("types.FunctionType")),
                Kind::Path(path) if path.ends_with("__code__") => {
                    Some(Value::path("types.CodeType"))
                }
                _ => None,
            },
            "operator.attrgetter" | "operator.methodcaller" => {
                Some(Value::of(Kind::Getter(first?.as_text()?.clone())))
            }
            "functools.partial" | "functools.partialmethod" => {
                first.filter(|value| value.as_path().is_some()).cloned()
            }
            "pathlib.Path" | "pathlib.PurePath" | "pathlib.PosixPath" | "os.path.join" => {
                joined_path(arguments, path.starts_with("pathlib"))
            }
            "os.path.expanduser" | "os.path.abspath" | "os.path.realpath" | "os.path.normpath"
            | "os.fspath" | "os.path.expandvars" => first.cloned(),
            "pathlib.Path.home" => Some(Value::of(Kind::File { text: "~".into(), whole: true })),
            "pathlib.Path.cwd" | "os.getcwd" => {
                let (text, whole) = (".".into(), true);
                Some(Value::of(match &**path {
                    "os.getcwd" => Kind::Text(text),
                    _ => Kind::File { text, whole },
                }))
            }
            "glob.glob" | "glob.iglob" => {
                let text = first?.as_text()?;
                let start = text.split(['*', '?', '[']).next().unwrap_or_default();
                let one = Value::of(Kind::Begins(start.into())).with_from(also_from(path, &None));
                Some(Value::of(Kind::List([one].into())))
            }
            "os.walk" => {
                let (start, _) = beneath("", true, &first?.kind);
                let root = Value::of(Kind::Begins(start)).with_from(also_from(path, &None));
                let one = Kind::List([root, Value::unknown(), Value::unknown()].into());
                Some(Value::of(Kind::List([Value::of(one)].into())))
            }
            "range" | "enumerate" | "itertools.count" | "itertools.cycle" | "itertools.repeat"
            | "itertools.product" => super::loops::counted(path, arguments),
            path if path.ends_with(".__getattribute__") && arguments.positional.len() == 1 => {
                let owner = path.strip_suffix(".__getattribute__")?;
                Some(self.named_member(&Value::path(owner), first?, at))
            }
            "iter" if arguments.positional.len() == 2 => super::loops::counted(path, arguments),
            _ => self.item_by_call(path, arguments).or_else(|| self.folded(path, arguments, at)),
        }
    }

    fn imported(&mut self, path: &str, arguments: &Arguments<'a>, at: TextSize) -> Value<'a> {
        let name = arguments.get(0, "name").cloned().unwrap_or_else(Value::unknown);
        let mut found: Option<Value<'a>> = None;
        for one in name.alternatives() {
            let module = one.as_text().map(|name| match path {
                // `__import__('a.b')` gives `a`.
                "__import__" if arguments.positional.len() < 4 => {
                    name.split('.').next().unwrap_or(name).to_owned()
                }
                _ => name.to_string(),
            });
            let told = Told { arguments: vec![one.known()], hidden: true };
            let full = one.as_text().map_or("[]", |name| name);
            self.tell(FactKind::Import, full, at, told);
            let value = module.map_or_else(Value::unknown, |module| self.module(&module));
            let value = value.hidden_if(true);
            found = Some(found.map_or(value.clone(), |known| known.or(&value)));
        }
        found.unwrap_or_else(Value::unknown)
    }

    /// A member by a name that is a value.
    fn named_member(&mut self, owner: &Value<'a>, name: &Value<'a>, at: TextSize) -> Value<'a> {
        let mut found: Option<Value<'a>> = None;
        for one in name.alternatives() {
            let value = match (&one.kind, owner.as_path()) {
                (Kind::Text(text), _) => {
                    let value = self.member(owner, text, at).hidden_if(true);
                    self.tell_hidden(&value, at);
                    value
                }
                (_, Some(path)) if !path.starts_with('?') => {
                    let value = Value::path(&format!("{path}.[]"));
                    self.tell_value(FactKind::Read, &value, at);
                    value
                }
                _ => Value::unknown_from(owner.from.clone()),
            };
            found = Some(found.map_or(value.clone(), |known| known.or(&value)));
        }
        found.unwrap_or_else(Value::unknown)
    }

    fn tell_hidden(&mut self, value: &Value<'a>, at: TextSize) {
        for one in value.alternatives() {
            if one.as_path().is_some_and(|path| !path.starts_with('?') || path.ends_with("__")) {
                self.tell_value(FactKind::Read, one, at);
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

    /// Functions on texts, bytes, numbers and lists that are written out.
    fn folded(&mut self, path: &str, arguments: &Arguments<'a>, at: TextSize) -> Option<Value<'a>> {
        self.tell_size(path, arguments, at);
        let first = arguments.positional.first();
        let cost: usize = arguments.positional.iter().map(cost).sum();
        if !self.spend(cost) {
            return None;
        }
        let from = arguments.from();
        let kind = match path {
            "chr" => match first?.kind {
                Kind::Int(code) => Kind::Text(texts::character(code)?.to_string().into()),
                _ => return None,
            },
            "ord" => {
                let mut letters = first?.as_text()?.chars();
                Kind::Int(u32::from(letters.next()?).into())
            }
            "str" => Kind::Text(match &first?.kind {
                Kind::Bytes(bytes) => std::str::from_utf8(bytes).ok()?.into(),
                _ => texts::shown(first?)?.into(),
            }),
            "int" => Kind::Int(number(arguments)?),
            "bytes" | "bytearray" => match &first?.kind {
                Kind::List(list) => Kind::Bytes(texts::bytes_of(list)?.into()),
                Kind::Text(text) => Kind::Bytes(text.as_bytes().into()),
                Kind::Bytes(bytes) => Kind::Bytes(bytes.clone()),
                _ => return None,
            },
            "list" | "tuple" | "iter" => Kind::List(self.elements(first?)?.into()),
            "reversed" => {
                let mut all = self.elements(first?)?;
                all.reverse();
                Kind::List(all.into())
            }
            "sorted" => Kind::List(sorted(self.elements(first?)?, arguments)?.into()),
            "map" => return self.mapped(arguments),
            "str.join" => {
                let (between, all) = (first?.as_text()?.clone(), arguments.positional.get(1)?);
                Kind::Text(texts::concatenated(&self.elements(all)?, &between)?.into())
            }
            "bytes.decode" | "codecs.decode" | "codecs.encode" => {
                let codec = arguments.get(1, "encoding").and_then(Value::as_text);
                let found = by_codec(codec.map_or("utf-8", |codec| codec), &bytes_of(first?)?)?;
                Kind::Text(String::from_utf8(found).ok()?.into())
            }
            _ => Kind::Bytes(decoded(path, &bytes_of(first?)?)?.into()),
        };
        Some(Value { kind, from: also_from(&path.into(), &from), hidden: true })
    }

    /// `map(chr, [111, 115])`.
    fn mapped(&mut self, arguments: &Arguments<'a>) -> Option<Value<'a>> {
        let [function, all] = arguments.positional.as_slice() else { return None };
        let all = self.elements(all)?;
        self.again += 1;
        let mut found = Vec::new();
        for one in all {
            if !self.spend(1) {
                break;
            }
            found.push(self.apply(function, Arguments::one(one), TextSize::default()));
        }
        self.again -= 1;
        Some(Value { kind: Kind::List(found.into()), from: arguments.from(), hidden: true })
    }

    /// A function of the program's own: what it gives, if it is small and plain.
    fn inline(&mut self, function: Function<'a>, arguments: &Arguments<'a>) -> Value<'a> {
        let unknown = Value::unknown_from(arguments.from());
        if self.inlined >= DEEPEST || !self.spend(4) {
            return unknown;
        }
        let result = match function.body {
            Body::Expression(body) => Some(body),
            Body::Statements(body) if body.len() <= MOST_STATEMENTS => match body.last() {
                Some(Stmt::Return(one)) => one.value.as_deref(),
                _ => None,
            },
            Body::Statements(_) => None,
        };
        let Some(result) = result else { return unknown };
        let (frames, mark) = (self.frames.count(), self.frames.mark());
        let before = self.frames.enter(function.around, FrameKind::Function);
        self.again += 1;
        self.inlined += 1;
        let parameters =
            function.parameters.into_iter().flat_map(Parameters::iter_non_variadic_params);
        for (at, parameter) in parameters.enumerate() {
            let name = parameter.parameter.name.id.as_str();
            let given = arguments.get(at, name).cloned();
            self.frames.set(name, given.unwrap_or_else(Value::unknown));
        }
        if let Body::Statements(body) = function.body
            && body[..body.len() - 1].iter().all(is_plain)
        {
            self.body(&body[..body.len() - 1]);
        }
        let value = self.value(result);
        self.inlined -= 1;
        self.again -= 1;
        self.frames.take_back(mark);
        self.frames.current = before;
        self.frames.forget(frames);
        let from = union([&value.from, &unknown.from]);
        match value.kind {
            // It belongs to a frame that is gone.
            Kind::Function(_) => unknown,
            _ => Value { from, ..value },
        }
    }

    /// `'{0.__globals__}'.format(f)`: a member by a name in a text.
    fn tell_format(&mut self, text: &str, at: TextSize) {
        for field in text.split('{').skip(1) {
            let width = field.split('}').next().unwrap_or_default();
            self.tell_width(&Value::text(width), at);
            let field = field.split(['}', ':', '!']).next().unwrap_or_default();
            for name in field.split(['.', '[', ']']).skip(1) {
                self.member(&Value::unknown(), name, at);
            }
        }
    }

    /// Sizes that are given as a number: `bytearray(10**10)`.
    fn tell_size(&mut self, path: &str, arguments: &Arguments<'a>, at: TextSize) {
        let number = |at: usize| arguments.positional.get(at).and_then(|one| magnitude(&one.kind));
        let (what, size) = match path {
            "bytes"
            | "bytearray"
            | "os.urandom"
            | "random.randbytes"
            | "secrets.token_bytes"
            | "ctypes.create_string_buffer" => ("text", number(0)),
            "numpy.zeros" | "numpy.ones" | "numpy.empty" | "numpy.full" | "numpy.arange" => {
                let shape = arguments.positional.first().map(|one| &one.kind);
                let product = |list: &[Value<'a>]| {
                    list.iter().map(|one| magnitude(&one.kind)).product::<Option<f64>>()
                };
                let size = match shape {
                    Some(Kind::List(list)) => product(list),
                    Some(kind) => magnitude(kind),
                    None => None,
                };
                ("list", size)
            }
            "math.factorial" => {
                ("number", number(0).filter(|size| *size >= 1e6).map(|size| size * 1e3))
            }
            "pow" if arguments.positional.len() == 2 => {
                let bits = number(0)
                    .zip(number(1))
                    .map(|(base, exponent)| exponent * base.abs().max(1.0).log2());
                ("number", bits.filter(|bits| *bits >= 1e7).map(|bits| bits.max(LARGE_SIZE)))
            }
            "list"
            | "tuple"
            | "set"
            | "frozenset"
            | "sorted"
            | "sum"
            | "max"
            | "min"
            | "len"
            | "dict"
            | "collections.deque"
            | "collections.Counter"
            | "str.join" => {
                // `str.join(between, all)`: the last one is gone through.
                let all = arguments.positional.last();
                self.tell_drained(all.and_then(super::loops::turns), at);
                ("list", all.and_then(super::loops::turns))
            }
            _ => return,
        };
        if let Some(size) = size.filter(|size| *size >= LARGE_SIZE) {
            self.tell_bulk(what, size, at);
        }
    }

    /// A list of the program's own that a method changes.
    fn change_list(
        &mut self,
        name: &'a str,
        owner: &Value<'a>,
        method: &str,
        arguments: &Arguments<'a>,
    ) {
        let Kind::List(list) = &owner.kind else {
            if let Kind::Dict(_) = owner.kind {
                let from = union([&owner.from, &arguments.from()]);
                self.frames.change(name, Value::unknown_from(from));
            }
            return;
        };
        let from = union([&owner.from, &arguments.from()]);
        let added = match (method, arguments.positional.as_slice()) {
            ("append" | "add", [one]) => Some(vec![one.clone()]),
            ("extend", [more]) => self.elements(more),
            _ => None,
        };
        let fits = |added: &Vec<Value<'a>>| list.len() + added.len() <= super::value::LONGEST_LIST;
        let kind = match added.filter(fits) {
            Some(added) if self.spend(1 + list.len() / 4) => {
                Kind::List(list.iter().cloned().chain(added).collect())
            }
            _ => Kind::Unknown,
        };
        self.frames.change(name, Value { kind, from, hidden: true });
    }

    fn method_of_file(
        &mut self,
        text: &Rc<str>,
        whole: bool,
        owner: &Value<'a>,
        (name, mut arguments): (&str, Arguments<'a>),
        at: TextSize,
    ) -> Value<'a> {
        let same = |text: Rc<str>, whole| {
            Value::of(Kind::File { text, whole }).with_from(owner.from.clone())
        };
        match name {
            "joinpath" => {
                let mut found = (text.clone(), whole);
                for part in &arguments.positional {
                    found = beneath(&found.0, found.1, &part.kind);
                }
                return same(found.0, found.1);
            }
            "resolve" | "absolute" | "expanduser" => return owner.clone(),
            "iterdir" | "glob" | "rglob" => {
                let path = format!("pathlib.Path().{name}");
                arguments.positional.insert(0, owner.clone());
                let told = Told { arguments: arguments.known(), hidden: false };
                self.tell(FactKind::Call, &path, at, told);
                let (start, _) = beneath(text, whole, &Kind::Unknown);
                return Value::of(Kind::List([same(start, false)].into()));
            }
            _ => {}
        }
        // The file itself counts as the first argument.
        arguments.positional.insert(0, owner.clone());
        let callee = member_of(owner, name).with_from(owner.from.clone());
        self.apply(&callee, arguments, at)
    }
}

/// `sorted(all)`, as far as its order is known.
fn sorted<'a>(mut all: Vec<Value<'a>>, arguments: &Arguments<'a>) -> Option<Vec<Value<'a>>> {
    if texts::stands_for_many(&all) {
        return Some(all);
    }
    let is_plain = all.iter().all(|one| one.as_text().is_some());
    if !is_plain || arguments.get(1, "key").is_some() {
        return None;
    }
    all.sort_by(|one, other| one.as_text().cmp(&other.as_text()));
    match arguments.get(1, "reverse").map(|one| &one.kind) {
        None | Some(Kind::Flag(false)) => {}
        Some(Kind::Flag(true)) => all.reverse(),
        Some(_) => return None,
    }
    Some(all)
}

/// Methods that change a list or dict.
fn is_changing(name: &str) -> bool {
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

/// Statements that can be followed again without telling anything.
fn is_plain(statement: &Stmt) -> bool {
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

/// The bytes of a text or of bytes.
fn bytes_of(value: &Value<'_>) -> Option<Vec<u8>> {
    match &value.kind {
        Kind::Text(text) if text.len() <= LONGEST => Some(text.as_bytes().to_vec()),
        Kind::Bytes(bytes) => Some(bytes.to_vec()),
        _ => None,
    }
}

fn number(arguments: &Arguments<'_>) -> Option<i128> {
    let first = arguments.positional.first()?;
    match (&first.kind, arguments.get(1, "base").map(|base| &base.kind)) {
        (Kind::Int(number), None) => Some(*number),
        (Kind::Flag(flag), None) => Some((*flag).into()),
        (Kind::Text(text), None) => text.trim().parse().ok(),
        (Kind::Text(text), Some(Kind::Int(base))) => {
            let base = u32::try_from(*base).ok().filter(|base| (2..=36).contains(base))?;
            let text = text.trim();
            let digits =
                text.strip_prefix("0x").or_else(|| text.strip_prefix("0b")).unwrap_or(text);
            i128::from_str_radix(digits, base).ok()
        }
        _ => None,
    }
}

/// `os.path.join(…)` and `Path(…)`.
fn joined_path<'a>(arguments: &Arguments<'a>, is_file: bool) -> Option<Value<'a>> {
    let mut found: (Rc<str>, bool) = ("".into(), true);
    for part in &arguments.positional {
        found = beneath(&found.0, found.1, &part.kind);
    }
    let (text, whole) = found;
    let from = arguments.from();
    let kind = match (is_file, whole) {
        (true, _) => Kind::File { text, whole },
        (false, true) => Kind::Text(text),
        (false, false) => Kind::Begins(text),
    };
    Some(Value { kind, from, hidden: false })
}
