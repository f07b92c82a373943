//! Analyses TypeScript programs before they run, and compiles them to JavaScript.
//!
//! In: the source as a model wrote it. Out: a [`Prepared`](tidegate_model::Prepared): the
//! servers and tools that the program uses, what else it does as facts for the rules of
//! `validate`, the text for a type checker, and the JavaScript that an engine runs, with a map
//! back to the original lines; or the syntax error. Pure: no clock, no disk, no network, no
//! engine.
//!
//! Invariant: runs only in the reader's process, never in the gateway's. The source is hostile
//! and the parser is large.

mod check_text;
mod facts;
mod fence;
mod lines;
mod literal_arguments;
mod nesting;
mod program;
mod references;
mod resolver;
mod source_map;
mod syntax_hints;
mod unawaited;

pub use program::prepare;
