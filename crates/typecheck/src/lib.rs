//! Checks a program against generated declarations: one in TypeScript with
//! TypeScript 7's native compiler, one in Python with ty or pyright, each kept alive
//! as a language server.
//!
//! In: declaration files and the text of a program. Out: the errors of the
//! program, worded for a model, with the places in its own text.
//! Owns: the compiler process, which reads text that models and servers wrote,
//! and its scratch folder. A check is an aid, not a wall: whatever goes wrong
//! here is an error that the caller may ignore.
//! Must stay true: a program cannot make the compiler read a file outside of
//! the scratch folder and the compiler's own library, no message holds a host
//! path, and every check ends within [`CHECK_DEADLINE`].

mod checker;
mod confine;
mod diagnostic;
mod dialect;
mod error;
mod failures;
mod find;
mod frame;
mod message;
mod python;
mod refuse;
mod returns;
mod scratch;
mod server;
mod typescript_files;
mod world;

pub use checker::TypeChecker;
pub use confine::{Confinement, Unconfined};
pub use diagnostic::{Code, Diagnostic};
pub use dialect::CHECK_DEADLINE;
pub use error::TypeCheckError;
pub use find::{Found, TYPESCRIPT_VERSION, find, install_folder, package_name};
pub use python::{Complaint, FoundPython, PythonChecker, find_python};
pub use world::SourceFile;
