//! Reads one program before it runs, in a jail, and ends.
//!
//! The guest side of the examination: entered first thing when the executable is started
//! as `tidegate reader`. It says hello, gets one program, answers with what it has read
//! ([`Prepared`](tidegate_model::Prepared)) and ends. It links the parsers of both
//! languages and no engine; it has no credential, no URL, no environment. A program may
//! take it over through a parser: then it can lie about that one program, whose calls
//! are decided one by one all the same, and about nothing else, since it never reads a
//! second one and is not the process that runs the first.
//!
//! A jail takes milliseconds to build, so most readers are forked from a process that is
//! in one already and never sees a program (`tidegate reader SPEC --zygote`).

mod channel;
mod enter;
mod read;
#[cfg(target_os = "linux")]
mod zygote;

pub use enter::enter;
