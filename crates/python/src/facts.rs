//! Derives what a program does, as facts that rules can match.
//!
//! In: the statements of a program. Out: a [`Reading`](tidegate_model::reading::Reading):
//! imports, calls, reads and writes of everything that the program did not define itself, named
//! by what they refer to after aliases, `getattr`, namespaces and assembled text are resolved;
//! loops that do not end; and measures. The program is evaluated once, in order, without running
//! anything (`statements`, `expressions`); function bodies are evaluated after their
//! surroundings, when the referents of their names are known.
//!
//! Invariant: time and memory are linear in the source. Each expression is evaluated once.
//! Evaluating one again (a comprehension over a literal list, a small function) is paid for
//! from a budget, and a program that exhausts it is not analysed completely.

mod arguments;
mod builtin_calls;
mod calls;
mod decoding;
mod evaluator;
mod expressions;
mod file_paths;
mod folding;
mod frames;
mod inlining;
mod iteration;
mod loop_body;
mod loops;
mod members;
mod mutation;
mod names;
mod numbers;
mod recursion;
mod runaway;
mod sizes;
mod special_functions;
mod statements;
mod strings;
mod token_comparisons;
mod value;

pub(crate) use evaluator::reading;

#[cfg(test)]
mod tests;
