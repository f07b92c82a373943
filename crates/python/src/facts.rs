//! What a program does, as facts that rules can judge.
//!
//! In: the statements of a program. Out: a [`Reading`]: imports, calls, reads and
//! writes of what is not the program's own, by what they stand for after aliases,
//! `getattr`, namespaces and texts that are put together were undone; loops that do
//! not end; and what was counted. The program is followed once, in its order, without
//! running anything (`statements`, `expressions`); functions are read after what is
//! around them, when it is known what their names stand for.
//!
//! Must stay true: time and memory grow with the source and no faster. Each
//! expression is followed once; what is followed again (a comprehension over a list
//! that is written out, a small function) is paid for from a budget, and a program
//! that spends all of it is not read completely.

mod arguments;
mod calls;
mod counting;
mod decoding;
mod expressions;
mod folding;
mod frames;
mod loops;
mod members;
mod names;
mod numbers;
mod scan;
mod statements;
mod texts;
mod value;

pub(crate) use members::is_builtin;
pub(crate) use scan::reading;

#[cfg(test)]
mod tests;
