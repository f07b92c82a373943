//! Loops and functions that do not end, and those that grow without end.
//!
//! In: a loop with what is known of its condition, or a function. Out: facts. A loop
//! that anything in it can end (`break`, `return`, `raise`, `yield`, a call that
//! leaves) is none of them, and one that waits gives way to others.

use std::collections::HashSet;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{
    CmpOp, Comprehension, Expr, ExprLambda, Operator, Stmt, StmtFor, StmtFunctionDef, StmtWhile,
};
use ruff_text_size::{Ranged, TextSize};
use tidegate_model::reading::{FactKind, Known};

use super::arguments::Arguments;
use super::counting::{feeds, feeds_its_test, runs_away};
use super::numbers::magnitude;
use super::scan::{Scan, Told};
use super::value::{Body, Function, Kind, LONGEST_LIST, Value};

/// Turns of a loop that take longer than any run may. Chosen: Python makes some ten
/// millions in a second.
const LONG: f64 = 1e9;

/// How long chains of functions are followed, and how many that never end are told.
/// Chosen.
const MOST_ROUNDS: usize = 100;
const MOST_CYCLES: usize = 20;

/// Calls of tools in one loop that no honest program makes. Chosen.
const FLOOD: f64 = 1e5;

impl<'a> Scan<'_, 'a> {
    pub(super) fn tell_while(&mut self, one: &'a StmtWhile, test: &Value<'a>) {
        let exits = Exits::of(&one.body);
        let is_endless = constant_truth(&test.kind)
            .unwrap_or_else(|| is_itself(&one.test) || runs_away(one))
            || feeds_its_test(one);
        let leaves = exits.leaves || (self.guards > 0 && exits.may_raise);
        let at = one.start();
        if is_endless && !leaves {
            self.tell_loop(exits.kind(), at, None);
        }
        let asks_clock = test.from.iter().flat_map(|from| from.iter()).any(|path| is_clock(path));
        // It does nothing but ask what time it is.
        let spins = is_endless && exits.leaves && exits.clock && !exits.works && !exits.waits;
        if spins || asks_clock && !exits.calls && !exits.waits && !exits.leaves {
            self.tell_loop("spinning", at, None);
        }
    }

    pub(super) fn tell_for(&mut self, one: &'a StmtFor, iterated: &Value<'a>) {
        let count = match feeds(&one.iter, &one.body) {
            true => f64::INFINITY,
            false => match turns(iterated) {
                Some(count) => count,
                None => return,
            },
        };
        let exits = Exits::of(&one.body);
        if exits.leaves {
            return;
        }
        let at = one.start();
        match count.is_infinite() {
            true => self.tell_loop(exits.kind(), at, None),
            false if count >= LONG => self.tell_loop("long", at, Some(count)),
            false if count >= FLOOD && exits.uses_servers => {
                self.tell_loop("flood", at, Some(count));
            }
            false => {}
        }
    }

    pub(super) fn tell_generator(&mut self, one: &'a Comprehension, iterated: &Value<'a>) {
        let Some(count) = turns(iterated) else { return };
        let at = one.start();
        match count.is_infinite() {
            true => self.tell_loop("endless", at, None),
            false if count >= LONG => self.tell_loop("long", at, Some(count)),
            false => {}
        }
    }

    /// All of something is asked for.
    pub(super) fn tell_drained(&mut self, count: Option<f64>, at: TextSize) {
        match count {
            Some(count) if count.is_infinite() => self.tell_loop("endless", at, None),
            Some(count) if count >= LONG => self.tell_loop("long", at, Some(count)),
            _ => {}
        }
    }

    fn tell_loop(&mut self, path: &str, at: TextSize, count: Option<f64>) {
        let arguments = count.map(Known::number).into_iter().collect();
        self.tell(FactKind::Loop, path, at, Told { arguments, hidden: false });
    }

    /// Remembers which names hold texts and lists when a loop begins.
    pub(super) fn note_sequences(&mut self, changed: &[&'a str]) -> HashSet<&'a str> {
        let is_sequence = |name: &&'a str| {
            let value = self.frames.get(name);
            let kind = value.map(|value| value.kind);
            matches!(kind, Some(Kind::Text(_) | Kind::Begins(_) | Kind::Bytes(_) | Kind::List(_)))
        };
        let found: HashSet<&'a str> = changed.iter().copied().filter(is_sequence).collect();
        let all = self.sequences.union(&found).copied().collect();
        std::mem::replace(&mut self.sequences, all)
    }

    pub(super) fn forget_sequences(&mut self, before: HashSet<&'a str>) {
        self.sequences = before;
    }

    /// `text += text` in a loop: twice as much with each turn.
    pub(super) fn growth(&mut self, target: &'a Expr, operator: Operator, value: &'a Expr) {
        let Expr::Name(name) = target else { return };
        if self.loops == 0 || !self.sequences.contains(name.id.as_str()) {
            return;
        }
        let grows = match operator {
            Operator::Add => matches!(value, Expr::Name(other) if other.id == name.id),
            Operator::Mult => true,
            _ => false,
        };
        if grows {
            self.tell_loop("growing", target.start(), None);
        }
    }

    /// `text = text + text` in a loop.
    pub(super) fn growth_of_assignment(&mut self, target: &'a Expr, value: &'a Expr) {
        let (Expr::Name(name), Expr::BinOp(operation)) = (target, value) else { return };
        let is_same = |side: &Expr| matches!(side, Expr::Name(other) if other.id == name.id);
        if is_same(&operation.left) {
            self.growth(target, operation.op, &operation.right);
        }
    }

    /// Notes which functions a function calls whatever happens.
    pub(super) fn note_certain_calls(&mut self, function: &'a StmtFunctionDef) {
        let mut calls = CertainCalls { found: Vec::new() };
        calls.statements(&function.body);
        self.note_calls(function.name.id.as_str(), function.name.start(), calls.found);
    }

    /// A method that calls itself whatever happens, or a property that reads itself.
    pub(super) fn tell_own_call(&mut self, method: &'a StmtFunctionDef) {
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
        let mut members = OwnMembers { own, name: method.name.id.as_str(), reads, found: false };
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
            self.tell(FactKind::Recursion, &method.name.id, method.name.start(), Told::default());
        }
    }

    /// The same of `f = lambda n: f(n + 1)`.
    pub(super) fn note_certain_calls_of(&mut self, target: &'a Expr, value: &'a Expr) {
        if let (Expr::Name(name), Expr::Lambda(lambda)) = (target, value) {
            let mut calls = CertainCalls { found: Vec::new() };
            calls.visit_expr(&lambda.body);
            self.note_calls(name.id.as_str(), lambda.start(), calls.found);
        }
    }

    fn note_calls(&mut self, name: &'a str, at: TextSize, found: Vec<&'a str>) {
        // A name that two functions have says nothing.
        let known = self.certain_calls.contains_key(name);
        if !found.is_empty() && self.again == 0 && !self.frames.is_in_class() {
            let found = if known { Vec::new() } else { found };
            self.certain_calls.insert(name, (at, found));
        }
    }

    /// Functions that come back to themselves, whatever happens.
    pub(super) fn tell_cycles(&mut self) {
        let mut left = std::mem::take(&mut self.certain_calls);
        // What calls only functions that end, ends. Long chains of calls take several
        // rounds; so many that they matter are not written by hand.
        for _ in 0..MOST_ROUNDS {
            let names: HashSet<&str> = left.keys().copied().collect();
            let before = left.len();
            left.retain(|_, (_, calls)| calls.iter().any(|name| names.contains(name)));
            if left.len() == before {
                for (name, (at, _)) in left.into_iter().take(MOST_CYCLES) {
                    self.tell(FactKind::Recursion, name, at, Told::default());
                }
                return;
            }
        }
    }

    /// `lambda f: f(f)`.
    pub(super) fn tell_self_call(&mut self, lambda: &'a ExprLambda) {
        let Expr::Call(call) = &*lambda.body else { return };
        let (Expr::Name(callee), [Expr::Name(argument)]) = (&*call.func, &*call.arguments.args)
        else {
            return;
        };
        let mut parameters = lambda.parameters.iter().flat_map(|all| all.iter());
        if callee.id == argument.id && parameters.any(|one| one.name().id == callee.id) {
            self.tell(FactKind::Recursion, "lambda", lambda.start(), Told::default());
        }
    }
}

/// How many turns going through something takes, if they are many.
pub(super) fn turns(value: &Value<'_>) -> Option<f64> {
    match value.kind {
        Kind::Count(count) => Some(count),
        _ => None,
    }
}

/// What going through numbers and the like gives: all of them if they are few.
pub(super) fn counted<'a>(path: &str, arguments: &Arguments<'a>) -> Option<Value<'a>> {
    let number = |at: usize| arguments.positional.get(at).and_then(|one| magnitude(&one.kind));
    let count = match path {
        "range" => {
            let (first, last, step) = match arguments.positional.len() {
                1 => (0.0, number(0)?, 1.0),
                2 => (number(0)?, number(1)?, 1.0),
                3 => (number(0)?, number(1)?, number(2)?),
                _ => return None,
            };
            ((last - first) / step).ceil().max(0.0)
        }
        "itertools.count" | "itertools.cycle" => f64::INFINITY,
        "itertools.repeat" if arguments.positional.len() < 2 && arguments.named.is_empty() => {
            f64::INFINITY
        }
        // `iter(int, 1)` never gives the 1 that it waits for.
        "iter" if arguments.positional.len() == 2 => {
            // Nor does a function that always gives the same.
            let constant = matches!(arguments.positional[0].kind,
                Kind::Function(Function { body: Body::Expression(body), .. }) if body.is_literal_expr());
            let callee = arguments.positional[0].as_path().map(|path| &**path);
            match callee {
                _ if constant => f64::INFINITY,
                Some("int" | "str" | "list" | "dict" | "float" | "bool" | "tuple" | "set") => {
                    f64::INFINITY
                }
                _ => return None,
            }
        }
        "itertools.product" => {
            let size = |one: &Value<'a>| turns(one).or_else(|| super::texts::length(&one.kind));
            let all: f64 = arguments.positional.iter().map(size).product::<Option<f64>>()?;
            let repeat = arguments.named.iter().find(|(name, _)| *name == "repeat");
            all.powf(repeat.and_then(|(_, times)| magnitude(&times.kind)).unwrap_or(1.0))
        }
        "enumerate" | "reversed" => turns(arguments.positional.first()?)?,
        _ => return None,
    };
    if path == "range" && count <= LONGEST_LIST as f64 {
        return few(arguments);
    }
    Some(Value::of(Kind::Count(count)))
}

fn few<'a>(arguments: &Arguments<'a>) -> Option<Value<'a>> {
    let exact = |value: &Value<'a>| match value.kind {
        Kind::Int(number) => Some(number),
        _ => None,
    };
    let bounds: Option<Vec<i128>> = arguments.positional.iter().map(exact).collect();
    let (first, last, step) = match bounds?.as_slice() {
        [last] => (0, *last, 1),
        [first, last] => (*first, *last, 1),
        [first, last, step] if *step != 0 => (*first, *last, *step),
        _ => return None,
    };
    let (mut at, mut found) = (first, Vec::new());
    while (step > 0 && at < last || step < 0 && at > last) && found.len() < LONGEST_LIST {
        found.push(Value::of(Kind::Int(at)));
        at = at.checked_add(step)?;
    }
    Some(Value::of(Kind::List(found.into())))
}

fn is_clock(path: &str) -> bool {
    let name = path.strip_prefix("time.").or_else(|| path.strip_prefix("datetime.datetime."));
    let clocks =
        ["time", "monotonic", "perf_counter", "time_ns", "monotonic_ns", "process_time", "now"];
    name.is_some_and(|name| clocks.contains(&name))
}

/// Whether a value counts as true.
pub(super) fn truth(kind: &Kind<'_>) -> Option<bool> {
    match kind {
        Kind::Flag(flag) => Some(*flag),
        Kind::Int(number) => Some(*number != 0),
        Kind::Float(number) => Some(*number != 0.0),
        Kind::None => Some(false),
        Kind::Text(text) => Some(!text.is_empty()),
        Kind::List(list) => Some(!list.is_empty()),
        Kind::Function(_) | Kind::Class => Some(true),
        _ => None,
    }
}

/// The same of what stays as it is: a list may be emptied.
fn constant_truth(kind: &Kind<'_>) -> Option<bool> {
    if let Kind::List(_) | Kind::Dict(_) = kind { None } else { truth(kind) }
}

/// `x == x`
fn is_itself(test: &Expr) -> bool {
    let Expr::Compare(one) = test else { return false };
    let holds = matches!(one.ops.as_ref(), [CmpOp::Eq | CmpOp::Is | CmpOp::LtE | CmpOp::GtE]);
    match (&*one.left, one.comparators.as_ref()) {
        (Expr::Name(left), [Expr::Name(right)]) => holds && left.id == right.id,
        _ => false,
    }
}

/// What the body of a loop does besides going on.
#[derive(Default)]
struct Exits {
    /// It can end the loop.
    leaves: bool,
    /// It gives way to others.
    waits: bool,
    calls: bool,
    /// It asks for the time.
    clock: bool,
    /// It calls something else than the time.
    works: bool,
    /// It calls something that raises in the end, as `next` does.
    may_raise: bool,
    uses_servers: bool,
    /// In how many loops this is.
    inner: u32,
}

impl Exits {
    /// What a loop is called that nothing ends.
    fn kind(&self) -> &'static str {
        match (self.waits, self.uses_servers) {
            (_, true) => "calling",
            (true, false) => "waiting",
            (false, false) => "endless",
        }
    }

    fn of(body: &[Stmt]) -> Self {
        let mut exits = Self::default();
        exits.visit_body(body);
        exits
    }
}

impl<'a> Visitor<'a> for Exits {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            Stmt::Break(_) => self.leaves |= self.inner == 0,
            Stmt::Return(_) | Stmt::Raise(_) => {
                self.leaves = true;
                walk_stmt(self, statement);
            }
            Stmt::While(_) | Stmt::For(_) => {
                self.inner += 1;
                walk_stmt(self, statement);
                self.inner -= 1;
            }
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Yield(_) | Expr::YieldFrom(_) => self.leaves = true,
            Expr::Await(_) => self.waits = true,
            Expr::Lambda(_) => return,
            Expr::Name(name) => {
                self.uses_servers |= matches!(name.id.as_str(), "servers" | "call_tool" | "fetch");
            }
            Expr::Call(call) => {
                self.calls = true;
                let name = match &*call.func {
                    Expr::Name(name) => name.id.as_str(),
                    Expr::Attribute(attribute) => attribute.attr.id.as_str(),
                    _ => "",
                };
                let clock = is_clock(&format!("time.{name}"));
                self.clock |= clock;
                self.works |= !clock;
                self.leaves |= matches!(name, "exit" | "quit" | "_exit" | "abort");
                self.may_raise |= matches!(
                    name,
                    "next"
                        | "__next__"
                        | "anext"
                        | "pop"
                        | "popleft"
                        | "popitem"
                        | "get_nowait"
                        | "send"
                        | "throw"
                        | "input"
                        | "index"
                        | "remove"
                );
            }
            _ => {}
        }
        walk_expr(self, expression);
    }
}

/// Looks for functions that are called, or handed to whoever calls them later.
struct CertainCalls<'a> {
    found: Vec<&'a str>,
}

impl<'a> CertainCalls<'a> {
    /// Goes through statements as long as they are sure to be reached.
    fn statements(&mut self, body: &'a [Stmt]) -> bool {
        for statement in body {
            match statement {
                Stmt::Expr(one) => self.visit_expr(&one.value),
                Stmt::Assign(one) => self.visit_expr(&one.value),
                Stmt::Return(one) => {
                    one.value.iter().for_each(|value| self.visit_expr(value));
                    return false;
                }
                Stmt::For(one) if is_some(&one.iter) && !Exits::of(&one.body).leaves => {
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
                // From here on it may have returned.
                _ => return false,
            }
        }
        true
    }
}

/// Whether there is surely something to go through: `range(10)`, `[1]`.
fn is_some(expression: &Expr) -> bool {
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

/// Whether a comprehension surely gives something.
fn gives_some(generators: &[Comprehension]) -> bool {
    generators.iter().all(|one| one.ifs.is_empty() && is_some(&one.iter))
}

impl<'a> Visitor<'a> for CertainCalls<'a> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        let name = |one: &'a Expr| match one {
            Expr::Name(name) => Some(name.id.as_str()),
            Expr::Attribute(attribute) => Some(attribute.attr.id.as_str()),
            _ => None,
        };
        match expression {
            Expr::ListComp(one) if gives_some(&one.generators) => self.visit_expr(&one.elt),
            Expr::SetComp(one) if gives_some(&one.generators) => self.visit_expr(&one.elt),
            // What may not happen.
            Expr::Lambda(_)
            | Expr::If(_)
            | Expr::BoolOp(_)
            | Expr::ListComp(_)
            | Expr::SetComp(_)
            | Expr::DictComp(_)
            | Expr::Generator(_) => return,
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

/// Looks for what a method surely does with the member that it is itself.
struct OwnMembers<'n> {
    own: &'n str,
    name: &'n str,
    /// Reading it is calling it.
    reads: bool,
    found: bool,
}

impl OwnMembers<'_> {
    fn is_it(&self, expression: &Expr) -> bool {
        let Expr::Attribute(member) = expression else { return false };
        member.attr.id == self.name
            && matches!(&*member.value, Expr::Name(name) if name.id == self.own)
    }
}

impl<'a> Visitor<'a> for OwnMembers<'_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            // What may not happen.
            Expr::Lambda(_)
            | Expr::If(_)
            | Expr::BoolOp(_)
            | Expr::ListComp(_)
            | Expr::SetComp(_)
            | Expr::DictComp(_)
            | Expr::Generator(_) => return,
            Expr::Call(call) => self.found |= !self.reads && self.is_it(&call.func),
            _ => self.found |= self.reads && self.is_it(expression),
        }
        walk_expr(self, expression);
    }
}
