//! What a program does, read out of its syntax tree before it runs.
//!
//! In: the parsed program and its scopes. Out: a [`Reading`] for the rules of
//! `validate`, and of each call what is known of its arguments.
//!
//! The program is walked as if it ran, each expression once, with what is known of
//! every value: names are followed through aliases, destructuring and imports, and
//! text that is put together is put together. A few rounds, since a function may use
//! what is declared below it; only the last one tells. Nothing here is a proof: what
//! a program computes is not known, and what it then does is the jail's to stop.
//! Must stay true: the time is in proportion to the program, whatever it says.

mod assign;
mod bind;
mod calls;
mod evaluate;
mod feeding;
mod fold;
mod functions;
mod loops;
mod measures;
mod names;
mod paths;
mod recursion;
mod special;
mod value;
mod walk;

use std::collections::{HashMap, HashSet};

use oxc::ast::ast::Program;
use oxc::ast_visit::Visit;
use oxc::semantic::{Scoping, SymbolId};
use serde_json::{Map, Value as Json};
use tidegate_model::reading::{Fact, FactKind, Known, Reading};

use crate::lines::Lines;

use functions::FunctionInfo;
use recursion::Certain;
use value::Value;

/// How often the program is walked before it is told of.
const ROUNDS: u32 = 2;

/// How deep the tree is followed. Chosen: programs that people or models write stay
/// below 60; what is deeper is not read, and said not to be.
const DEEPEST: u32 = 400;

/// How many elements of lists are copied in all. Chosen: what a program of real use
/// has is a thousandth of it.
const MOST_COPIED: usize = 1_000_000;

/// Bytes of the literals of one call that are told.
const LONGEST_LITERALS: usize = 8 * 1024;

/// Bytes of the literals of all calls that are told.
const ALL_LITERALS: usize = 128 * 1024;

/// What was read.
pub(crate) struct Facts {
    pub(crate) reading: Reading,
    /// The arguments of calls of tools that are literals, by the end of the call.
    pub(crate) literals: HashMap<u32, Map<String, Json>>,
    /// The ends of calls that are made again and again.
    pub(crate) repeated: HashSet<u32>,
}

/// Reads a program.
pub(crate) fn facts(
    source: &str,
    program: &Program<'_>,
    scoping: &Scoping,
    lines: &Lines<'_>,
) -> Facts {
    let mut reader = Reader::new(scoping, lines);
    for _ in 0..ROUNDS {
        reader.visit_program(program);
    }
    reader.tells = true;
    reader.visit_program(program);
    reader.tell_cycles();
    let mut reading = reader.reading;
    reading.complete &= !reader.too_deep;
    measures::measure(source, program, lines, &mut reading);
    reading.measures.computed_members = reader.computed_members;
    reading.measures.folded_texts = reader.folded_texts;
    reading.facts.sort_by_key(|fact| (fact.line, fact.column));
    Facts { reading, literals: reader.literals, repeated: reader.repeated }
}

/// Walks a program and remembers.
struct Reader<'r> {
    scoping: &'r Scoping,
    lines: &'r Lines<'r>,
    symbols: HashMap<SymbolId, Value>,
    functions: Vec<FunctionInfo>,
    /// Functions by where they begin.
    by_place: HashMap<u32, usize>,
    /// The functions around what is visited, innermost last.
    inside: Vec<usize>,
    /// How many loops of the innermost function are around what is visited.
    loops: u32,
    /// How many loops without an end are around, for what looking for it may cost.
    endless: u32,
    depth: u32,
    too_deep: bool,
    /// Whether this is the round that tells.
    tells: bool,
    /// The value of the expression that was visited last.
    last: Value,
    reading: Reading,
    literals: HashMap<u32, Map<String, Json>>,
    literal_bytes: usize,
    repeated: HashSet<u32>,
    computed_members: u64,
    folded_texts: u64,
    /// Functions with those that they call whatever happens.
    certain_calls: HashMap<SymbolId, Certain>,
    /// How many values may still be copied.
    budget: usize,
}

impl<'r> Reader<'r> {
    fn new(scoping: &'r Scoping, lines: &'r Lines<'r>) -> Self {
        Self {
            scoping,
            lines,
            symbols: HashMap::new(),
            functions: Vec::new(),
            by_place: HashMap::new(),
            inside: Vec::new(),
            loops: 0,
            endless: 0,
            depth: 0,
            too_deep: false,
            tells: false,
            last: Value::default(),
            reading: Reading { complete: true, ..Reading::default() },
            literals: HashMap::new(),
            literal_bytes: 0,
            repeated: HashSet::new(),
            computed_members: 0,
            folded_texts: 0,
            certain_calls: HashMap::new(),
            budget: MOST_COPIED,
        }
    }

    /// Tells of something.
    fn tell(&mut self, kind: FactKind, path: &str, at: u32, arguments: Vec<Known>, hidden: bool) {
        if !self.tells {
            return;
        }
        let (line, column) = self.lines.place(at as usize);
        let repeated = self.is_repeated();
        let path = path.to_owned();
        self.reading.push(Fact { kind, path, line, column, arguments, repeated, hidden });
    }

    /// Whether so much may be copied. A program of many copies of a long list is not
    /// read to its end.
    fn pay(&mut self, copied: usize) -> bool {
        let left = self.budget.checked_sub(copied);
        self.too_deep |= left.is_none();
        self.budget = left.unwrap_or(0);
        left.is_some()
    }

    fn is_repeated(&self) -> bool {
        let function = self.inside.last().and_then(|at| self.functions.get(*at));
        self.loops > 0 || function.is_some_and(|function| function.repeated)
    }
}

#[cfg(test)]
mod tests;
