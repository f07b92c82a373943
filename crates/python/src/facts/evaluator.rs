//! The state of evaluating one program.
//!
//! In: the statements. Out: the facts with their positions. Holds what all parts of the
//! evaluation share: the frames, deferred functions and the remaining budget.

use std::collections::{HashMap, HashSet, VecDeque};

use ruff_python_ast::Stmt;
use ruff_text_size::TextSize;
use tidegate_model::reading::{AbstractValue, Fact, FactKind, MAX_FACTS, Measures, Reading};

use super::frames::{FrameKind, Frames};
use super::names;
use super::value::{Function, FunctionBody, Value};
use crate::lines::Lines;
use crate::measures::LocatedFacts;
use crate::repeats::Repeats;
use crate::tool_calls::ToolCalls;

/// The budget for evaluating something again, in expressions and elements. Chosen: some
/// tenths of a second; honest programs spend a hundredth of it.
const BUDGET: u32 = 1_000_000;

/// Maximum equal facts about unknown or ordinary things. Chosen: a rule reports a line once,
/// and nobody reads the hundredth.
const MAX_REPEATED_FACTS: u32 = 100;

/// Evaluates a program.
pub(crate) fn reading<'a>(
    body: &'a [Stmt],
    lines: &Lines<'_>,
    repeats: &Repeats<'a>,
    (measures, seen): (Measures, LocatedFacts),
) -> (Reading, ToolCalls) {
    let mut evaluator = Evaluator::new(repeats);
    evaluator.frames.shared_names = names::shared_names(body);
    evaluator.body(body);
    while let Some(deferred) = evaluator.deferred.pop_front() {
        evaluator.read_deferred(&deferred);
    }
    evaluator.record_cycles();
    evaluator.found.facts.extend(seen);
    let tool_calls = std::mem::take(&mut evaluator.tool_calls);
    (evaluator.into_reading(lines, measures), tool_calls)
}

/// The state of evaluating one program.
pub(super) struct Evaluator<'r, 'a> {
    pub(super) frames: Frames<'a>,
    pub(super) repeats: &'r Repeats<'a>,
    /// Modules imported with `*`.
    pub(super) star_imports: Vec<&'a str>,
    /// Functions that are evaluated once their surroundings are known.
    deferred: VecDeque<DeferredFunction<'a>>,
    pub(super) nesting: Nesting,
    /// The arguments of tool calls.
    pub(super) tool_calls: ToolCalls,
    /// Functions, with those that they call unconditionally.
    pub(super) unconditional_calls: HashMap<&'a str, (TextSize, Vec<&'a str>)>,
    /// Names that hold texts and lists when the enclosing loops start.
    pub(super) sequences: HashSet<&'a str>,
    budget: u32,
    pub(super) found: Found,
}

/// What encloses the place that is evaluated, each as a number.
#[derive(Default)]
pub(super) struct Nesting {
    pub(super) loops: u32,
    /// Re-evaluations, which record nothing.
    pub(super) replaying: u32,
    /// Inlined functions.
    pub(super) inlined: u32,
    /// `try` statements with `except`.
    pub(super) guards: u32,
}

/// What the evaluation has found.
#[derive(Default)]
pub(super) struct Found {
    facts: Vec<(TextSize, Fact)>,
    pub(super) computed: u64,
    pub(super) folded: u64,
    occurrences: HashMap<(FactKind, String), u32>,
    /// Whether a part was left out, since the program is too large.
    pub(super) incomplete: bool,
}

/// A function whose body is evaluated later.
struct DeferredFunction<'a> {
    function: Function<'a>,
    loops: u32,
}

impl<'r, 'a> Evaluator<'r, 'a> {
    fn new(repeats: &'r Repeats<'a>) -> Self {
        Self {
            frames: Frames::new(),
            repeats,
            star_imports: Vec::new(),
            deferred: VecDeque::new(),
            nesting: Nesting::default(),
            tool_calls: ToolCalls::default(),
            unconditional_calls: HashMap::new(),
            sequences: HashSet::new(),
            budget: BUDGET,
            found: Found::default(),
        }
    }

    /// Records a fact.
    pub(super) fn record(&mut self, kind: FactKind, path: &str, at: TextSize, of: FactDetails) {
        if self.nesting.replaying > 0 {
            return;
        }
        if self.found.facts.len() >= MAX_FACTS {
            self.found.incomplete = true;
            return;
        }
        // Uninformative facts must not crowd out informative ones.
        if path.starts_with('?') || is_ordinary(path) {
            let known = self.found.occurrences.entry((kind, path.to_owned())).or_default();
            *known += 1;
            if *known > MAX_REPEATED_FACTS {
                return;
            }
        }
        self.found.computed += u64::from(path.ends_with(".[]") && !path.starts_with('?'));
        self.found.folded += u64::from(of.hidden);
        let repeated = self.nesting.loops > 0;
        let (path, hidden, arguments) = (path.to_owned(), of.hidden, of.arguments);
        self.found
            .facts
            .push((at, Fact { kind, path, line: 0, column: 0, arguments, repeated, hidden }));
    }

    pub(super) fn record_value(&mut self, kind: FactKind, value: &Value<'a>, at: TextSize) {
        for one in value.alternatives() {
            if let Some(path) = one.as_path() {
                let occurrences = FactDetails { hidden: one.hidden, arguments: Vec::new() };
                self.record(kind, &path.clone(), at, occurrences);
            }
        }
    }

    /// Pays for evaluating something again; false if the budget is exhausted.
    pub(super) fn spend(&mut self, cost: usize) -> bool {
        let cost = u32::try_from(cost).unwrap_or(u32::MAX);
        match self.budget.checked_sub(cost) {
            Some(left) => {
                self.budget = left;
                true
            }
            None => {
                self.budget = 0;
                self.found.incomplete = true;
                false
            }
        }
    }

    pub(super) fn defer_function(&mut self, function: Function<'a>, is_repeated: bool) {
        if self.nesting.replaying == 0 {
            let loops = u32::from(is_repeated || self.nesting.loops > 0);
            self.deferred.push_back(DeferredFunction { function, loops });
        }
    }

    fn read_deferred(&mut self, deferred: &DeferredFunction<'a>) {
        self.nesting.loops = deferred.loops;
        let before = self.frames.enter(deferred.function.around, FrameKind::Function);
        for parameter in deferred.function.parameters.into_iter().flat_map(|all| all.iter()) {
            // The default is a likely value; everything else depends on the caller.
            let default = parameter.default().filter(|default| default.is_name_expr());
            self.nesting.replaying += 1;
            let value = default.map_or_else(Value::unknown, |default| self.value(default));
            self.nesting.replaying -= 1;
            self.frames.set(parameter.name().id.as_str(), value.widened());
        }
        match deferred.function.body {
            FunctionBody::Statements(body) => self.body(body),
            FunctionBody::Expression(body) => {
                self.value(body);
            }
        }
        self.frames.current = before;
        self.nesting.loops = 0;
    }

    fn into_reading(mut self, lines: &Lines<'_>, mut measures: Measures) -> Reading {
        measures.computed_members = self.found.computed;
        measures.folded_texts = self.found.folded;
        self.found.facts.sort_by_key(|(at, _)| *at);
        let mut reading = Reading { facts: Vec::new(), measures, complete: !self.found.incomplete };
        let mut places = lines.places();
        for (at, mut fact) in self.found.facts {
            (fact.line, fact.column) = places.place(at);
            reading.push(fact);
        }
        reading
    }
}

/// Paths that every program uses and that no rule is about.
fn is_ordinary(path: &str) -> bool {
    matches!(path, "print" | "len" | "str" | "int" | "float" | "range" | "sorted" | "sum" | "list")
        || path.starts_with("json.")
        || path.starts_with("servers.")
}

/// The details of a fact.
#[derive(Default)]
pub(super) struct FactDetails {
    pub(super) arguments: Vec<AbstractValue>,
    pub(super) hidden: bool,
}
