//! Analyses one program before it runs, in a jail, and exits.
//!
//! In: one program, over the wire. Out: its analysis ([`Prepared`](tidegate_model::Prepared)).
//! This is the guest side of the examination, entered when the executable is started as
//! `tidegate reader`. It links the parsers of both languages and no engine, and has no
//! credentials, no URLs and no environment.
//!
//! Invariant: a reader analyses a single program and never runs one. A program that takes over
//! the reader through a parser can only lie about itself, and each of its calls is decided on
//! regardless.
//!
//! A jail takes milliseconds to build, so most readers are forked from a process that is
//! already jailed and never sees a program (`tidegate reader SPEC --zygote`).

mod channel;
mod enter;
mod read;
#[cfg(target_os = "linux")]
mod zygote;

pub use enter::enter;
