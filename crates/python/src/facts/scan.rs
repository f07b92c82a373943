//! One program while it is followed.
//!
//! In: the statements. Out: the facts, with their places. Holds what all parts of the
//! reading share: the frames, what is to be read later, and what may still be spent.

use std::collections::{HashMap, HashSet, VecDeque};

use ruff_python_ast::Stmt;
use ruff_text_size::TextSize;
use tidegate_model::reading::{Fact, FactKind, Known, MOST_FACTS, Measures, Reading};

use super::frames::{FrameKind, Frames};
use super::names;
use super::value::{Body, Function, Value};
use crate::analysis::Lines;
use crate::literals::Noted;
use crate::measures::Placed;
use crate::repeats::Repeats;

/// What may be spent on following something again, in expressions and elements.
/// Chosen: some tenths of a second; honest programs spend a hundredth of it.
const BUDGET: u32 = 1_000_000;

/// How often the same name and kind of a thing that is not known is told. Chosen: a
/// rule tells a line once, and nobody reads the hundredth.
const MOST_ALIKE: u32 = 100;

/// What a program does.
pub(crate) fn reading<'a>(
    body: &'a [Stmt],
    lines: &Lines<'_>,
    repeats: &Repeats<'a>,
    (measures, seen): (Measures, Placed),
) -> (Reading, Noted) {
    let mut scan = Scan::new(repeats);
    scan.frames.shared = names::shared(body);
    scan.body(body);
    while let Some(later) = scan.later.pop_front() {
        scan.read_later(&later);
    }
    scan.tell_cycles();
    scan.facts.extend(seen);
    let noted = std::mem::take(&mut scan.noted);
    (scan.into_reading(lines, measures), noted)
}

/// One program.
pub(super) struct Scan<'r, 'a> {
    pub(super) frames: Frames<'a>,
    pub(super) repeats: &'r Repeats<'a>,
    /// Modules from which everything is imported.
    pub(super) stars: Vec<&'a str>,
    /// Functions that are read when all around them is known.
    later: VecDeque<Later<'a>>,
    /// In how many loops this is.
    pub(super) loops: u32,
    /// In how many things that are followed again: nothing is told of those.
    pub(super) again: u32,
    /// In how many functions of the program's own that are followed again.
    pub(super) inlined: u32,
    /// In how many guards with `except`.
    pub(super) guards: u32,
    /// What calls of tools are given.
    pub(super) noted: Noted,
    /// Functions with those that they call whatever happens.
    pub(super) certain_calls: HashMap<&'a str, (TextSize, Vec<&'a str>)>,
    /// Names that hold texts and lists when the loops around begin.
    pub(super) sequences: HashSet<&'a str>,
    budget: u32,
    facts: Vec<(TextSize, Fact)>,
    pub(super) computed: u64,
    pub(super) folded: u64,
    told: HashMap<(FactKind, String), u32>,
    pub(super) complete: bool,
}

/// A function whose body is read later.
struct Later<'a> {
    function: Function<'a>,
    loops: u32,
}

impl<'r, 'a> Scan<'r, 'a> {
    fn new(repeats: &'r Repeats<'a>) -> Self {
        Self {
            frames: Frames::new(),
            repeats,
            stars: Vec::new(),
            later: VecDeque::new(),
            loops: 0,
            again: 0,
            inlined: 0,
            guards: 0,
            noted: Noted::default(),
            certain_calls: HashMap::new(),
            sequences: HashSet::new(),
            budget: BUDGET,
            facts: Vec::new(),
            computed: 0,
            folded: 0,
            told: HashMap::new(),
            complete: true,
        }
    }

    /// Tells a fact.
    pub(super) fn tell(&mut self, kind: FactKind, path: &str, at: TextSize, of: Told) {
        if self.again > 0 {
            return;
        }
        if self.facts.len() >= MOST_FACTS {
            self.complete = false;
            return;
        }
        // What says nothing must not crowd out what does.
        if path.starts_with('?') || is_plain(path) {
            let known = self.told.entry((kind, path.to_owned())).or_default();
            *known += 1;
            if *known > MOST_ALIKE {
                return;
            }
        }
        self.computed += u64::from(path.ends_with(".[]") && !path.starts_with('?'));
        self.folded += u64::from(of.hidden);
        let repeated = self.loops > 0;
        let (path, hidden, arguments) = (path.to_owned(), of.hidden, of.arguments);
        self.facts.push((at, Fact { kind, path, line: 0, column: 0, arguments, repeated, hidden }));
    }

    pub(super) fn tell_value(&mut self, kind: FactKind, value: &Value<'a>, at: TextSize) {
        for one in value.alternatives() {
            if let Some(path) = one.as_path() {
                let told = Told { hidden: one.hidden, arguments: Vec::new() };
                self.tell(kind, &path.clone(), at, told);
            }
        }
    }

    /// Pays for following something again; false if there is nothing left to pay.
    pub(super) fn spend(&mut self, cost: usize) -> bool {
        let cost = u32::try_from(cost).unwrap_or(u32::MAX);
        match self.budget.checked_sub(cost) {
            Some(left) => {
                self.budget = left;
                true
            }
            None => {
                self.budget = 0;
                self.complete = false;
                false
            }
        }
    }

    pub(super) fn read_function_later(&mut self, function: Function<'a>, is_repeated: bool) {
        if self.again == 0 {
            let loops = u32::from(is_repeated || self.loops > 0);
            self.later.push_back(Later { function, loops });
        }
    }

    fn read_later(&mut self, later: &Later<'a>) {
        self.loops = later.loops;
        let before = self.frames.enter(later.function.around, FrameKind::Function);
        for parameter in later.function.parameters.into_iter().flat_map(|all| all.iter()) {
            // A default is what it may well be; all else is up to who calls.
            let default = parameter.default().filter(|default| default.is_name_expr());
            self.again += 1;
            let value = default.map_or_else(Value::unknown, |default| self.value(default));
            self.again -= 1;
            self.frames.set(parameter.name().id.as_str(), value.widened());
        }
        match later.function.body {
            Body::Statements(body) => self.body(body),
            Body::Expression(body) => {
                self.value(body);
            }
        }
        self.frames.current = before;
        self.loops = 0;
    }

    fn into_reading(mut self, lines: &Lines<'_>, mut measures: Measures) -> Reading {
        measures.computed_members = self.computed;
        measures.folded_texts = self.folded;
        self.facts.sort_by_key(|(at, _)| *at);
        let mut reading = Reading { facts: Vec::new(), measures, complete: self.complete };
        let mut places = lines.places();
        for (at, mut fact) in self.facts {
            (fact.line, fact.column) = places.place(at);
            reading.push(fact);
        }
        reading
    }
}

/// Builtins that every program calls, and that no rule is about.
fn is_plain(path: &str) -> bool {
    matches!(path, "print" | "len" | "str" | "int" | "float" | "range" | "sorted" | "sum" | "list")
        || path.starts_with("json.")
        || path.starts_with("servers.")
}

/// What else is told of a fact.
#[derive(Default)]
pub(super) struct Told {
    pub(super) arguments: Vec<Known>,
    pub(super) hidden: bool,
}

/// Names that are written to from functions inside.
pub(super) type Shared<'a> = HashSet<&'a str>;
