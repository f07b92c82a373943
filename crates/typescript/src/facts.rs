//! Derives what a program does from its syntax tree, before it runs.
//!
//! In: the parsed program and its scopes. Out: a [`Reading`] for the rules of `validate`, and
//! the tool and the known arguments of each tool call.
//!
//! The program is evaluated abstractly, each expression once per round: names are followed
//! through aliases, destructuring and imports, and text assembled from pieces is assembled.
//! There are a few rounds, since a function may use what is declared below it; only the last
//! one records facts. None of this is a proof: computed values are unknown, and the jail
//! limits what the program can do with them.
//! Invariant: the time is proportional to the size of the program, whatever it contains.

mod assign;
mod bindings;
mod calls;
mod expressions;
mod functions;
mod growing_lists;
mod loops;
mod measures;
mod names;
mod paths;
mod recursion;
mod special_functions;
mod statements;
mod strings;
mod token_comparisons;
mod value;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use oxc::ast::ast::Program;
use oxc::ast_visit::Visit;
use oxc::semantic::{Scoping, SymbolId};
use tidegate_model::KnownArguments;
use tidegate_model::reading::{AbstractValue, Fact, FactKind, Reading};

use crate::lines::Lines;

use functions::FunctionInfo;
use recursion::UnconditionalCalls;
use value::Value;

/// Rounds before facts are recorded.
const ROUNDS: u32 = 2;

/// Maximum depth of the tree. Chosen: programs written by people and models stay below 60;
/// deeper parts make the reading incomplete.
const MAX_DEPTH: u32 = 400;

/// Maximum list elements copied in total. Chosen: real programs need a thousandth of that.
const MAX_COPIED: usize = 1_000_000;

/// Maximum bytes of literals reported for one call.
const MAX_CALL_LITERAL_BYTES: usize = 8 * 1024;

/// Maximum bytes of literals reported for all calls.
const MAX_LITERAL_BYTES: usize = 128 * 1024;

/// The result of the evaluation.
pub(crate) struct Facts {
    pub(crate) reading: Reading,
    /// Tool calls, by the end offset of the call.
    pub(crate) tool_calls: HashMap<u32, ToolCallFacts>,
    /// The end offsets of repeated calls.
    pub(crate) repeated: HashSet<u32>,
}

/// A tool call.
#[derive(Debug, Clone)]
pub(crate) struct ToolCallFacts {
    /// Server and tool, as far as they are known.
    pub(crate) tool: Option<(String, String)>,
    pub(crate) arguments: KnownArguments,
}

/// Evaluates a program.
pub(crate) fn facts(
    source: &str,
    program: &Program<'_>,
    scoping: &Scoping,
    lines: &Lines<'_>,
) -> Facts {
    let mut evaluator = Evaluator::new(scoping, lines);
    for _ in 0..ROUNDS {
        evaluator.visit_program(program);
    }
    evaluator.found.records = true;
    evaluator.visit_program(program);
    evaluator.record_cycles();
    let mut reading = evaluator.found.reading;
    reading.complete &= !evaluator.nesting.too_deep;
    measures::measure(source, program, lines, &mut reading);
    reading.measures.computed_members = evaluator.found.computed_members;
    reading.measures.folded_texts = evaluator.found.folded_texts;
    reading.facts.sort_by_key(|fact| (fact.line, fact.column));
    Facts { reading, tool_calls: evaluator.found.tool_calls, repeated: evaluator.found.repeated }
}

/// The state of the evaluation.
struct Evaluator<'r> {
    scoping: &'r Scoping,
    lines: &'r Lines<'r>,
    symbols: HashMap<SymbolId, Value>,
    functions: Functions,
    nesting: Nesting,
    /// The value of the most recently visited expression.
    last: Value,
    found: Found,
    /// The number of values that may still be copied.
    budget: usize,
}

/// The functions of the program.
#[derive(Default)]
struct Functions {
    all: Vec<FunctionInfo>,
    /// Functions by their start offset.
    by_place: HashMap<u32, usize>,
    /// Functions, with those that they call unconditionally.
    unconditional_calls: HashMap<SymbolId, UnconditionalCalls>,
}

/// What encloses the place that is evaluated.
#[derive(Default)]
struct Nesting {
    /// The enclosing functions, innermost last.
    inside: Vec<usize>,
    /// The number of enclosing loops in the innermost function.
    loops: u32,
    /// The number of enclosing endless loops, which bounds the cost of detecting them.
    endless: u32,
    depth: u32,
    too_deep: bool,
}

/// What the evaluation has found.
struct Found {
    /// Whether this round records facts.
    records: bool,
    reading: Reading,
    tool_calls: HashMap<u32, ToolCallFacts>,
    literal_bytes: usize,
    repeated: HashSet<u32>,
    computed_members: u64,
    folded_texts: u64,
    /// A token that is in a set or a key of a map.
    tokens_in_sets: Option<Rc<str>>,
}

impl<'r> Evaluator<'r> {
    fn new(scoping: &'r Scoping, lines: &'r Lines<'r>) -> Self {
        Self {
            scoping,
            lines,
            symbols: HashMap::new(),
            functions: Functions::default(),
            nesting: Nesting::default(),
            last: Value::default(),
            found: Found {
                records: false,
                reading: Reading { complete: true, ..Reading::default() },
                tool_calls: HashMap::new(),
                literal_bytes: 0,
                repeated: HashSet::new(),
                computed_members: 0,
                folded_texts: 0,
                tokens_in_sets: None,
            },
            budget: MAX_COPIED,
        }
    }

    /// Records a fact.
    fn record(
        &mut self,
        kind: FactKind,
        path: &str,
        at: u32,
        arguments: Vec<AbstractValue>,
        hidden: bool,
    ) {
        if !self.found.records {
            return;
        }
        let (line, column) = self.lines.place(at as usize);
        let repeated = self.is_repeated();
        let path = path.to_owned();
        self.found.reading.push(Fact { kind, path, line, column, arguments, repeated, hidden });
    }

    /// Pays for copies; false if the budget is exhausted, which makes the reading incomplete.
    fn pay(&mut self, copied: usize) -> bool {
        let left = self.budget.checked_sub(copied);
        self.nesting.too_deep |= left.is_none();
        self.budget = left.unwrap_or(0);
        left.is_some()
    }

    fn is_repeated(&self) -> bool {
        let function = self.nesting.inside.last().and_then(|at| self.functions.all.get(*at));
        self.nesting.loops > 0 || function.is_some_and(|function| function.repeated)
    }
}

#[cfg(test)]
mod tests;
