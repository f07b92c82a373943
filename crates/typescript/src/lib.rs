//! Reads programs in TypeScript before they run, and makes JavaScript of them.
//!
//! In: the source as a model wrote it. Out: a
//! [`Prepared`](tidegate_model::Prepared): which servers and tools the program uses,
//! what else it does as facts for the rules of `validate`, the text for a type checker,
//! and the JavaScript that an engine runs, with a map back to the program's own lines;
//! or the syntax error. Pure: no clock, no disk, no network, no engine.
//!
//! The source is hostile and the parser is large: this runs in the reader's process
//! only, never in the gateway's.

mod check_text;
mod facts;
mod fence;
mod lines;
mod meanings;
mod nesting;
mod program;
mod references;
mod source_map;
mod syntax_hints;
mod unawaited;
mod written;

pub use program::prepare;
