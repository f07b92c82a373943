//! Analyses a program: from its source to everything known about it.
//!
//! In: the source. Out: [`Prepared`]. The source is hostile and the parser is large, so the
//! work is bounded before it starts: by the length of the source and by the depth of its tree
//! (`depth.rs`), on a stack that such a tree cannot overflow. A panic only ends this analysis.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ruff_python_parser::parse_module;
use tidegate_model::{Prepared, PythonNames};

use crate::bindings::Bindings;
use crate::imports::imports;
use crate::key_hints::key_hints;
use crate::lines::Lines;
use crate::references::references;
use crate::repeats::Repeats;
use crate::resolver::Resolver;
use crate::{depth, facts, fence, measures};

/// Longer programs are not analysed. Ten times the longest program that a model has the tokens
/// to write; a tree takes up to a hundred times the memory of its source.
pub const LONGEST_SOURCE: usize = 512 * 1024;

/// The stack that an analysis needs at most. Measured: the deepest accepted trees take
/// between 1 and 2 MB without optimisation.
pub const STACK_BYTES: usize = 16 * 1024 * 1024;

/// Analyses a program; `None` if it does not parse. Must be called on a thread with
/// [`STACK_BYTES`] of stack.
pub fn prepare(source: &str) -> Option<Prepared> {
    if source.len() > LONGEST_SOURCE {
        return None;
    }
    // A panic of the parser must only fail this analysis.
    catch_unwind(AssertUnwindSafe(|| read(source))).ok().flatten()
}

fn read(source: &str) -> Option<Prepared> {
    let source = fence::without_fence(source);
    if !depth::is_shallow(&source) {
        return None;
    }
    let parsed = parse_module(&source).ok()?;
    let lines = Lines::new(&source);
    let body = parsed.suite();
    let bindings = Bindings::of(body);
    let resolver = Resolver::new(&bindings);
    let repeats = Repeats::of(body);
    let measured = measures::measure(&source, parsed.tokens(), body);
    let (reading, tool_calls) = facts::reading(body, &lines, &repeats, measured);
    let (references, uncalled_tools) = references(body, &resolver, &lines, &tool_calls);
    let python = PythonNames {
        imports: imports(body, &lines),
        uncalled_tools,
        hints: key_hints(body, &lines),
    };
    // With these line endings, all tools count lines alike.
    let check_text = Some(source.replace("\r\n", "\n").replace('\r', "\n"));
    Some(Prepared { references, reading, check_text, python, executable: None })
}

#[cfg(test)]
mod tests;
