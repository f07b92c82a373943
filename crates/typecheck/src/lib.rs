//! Type-checks a program against generated declarations: TypeScript with the native compiler
//! of TypeScript 7, Python with ty or pyright. Each checker runs as a language server.
//!
//! In: declaration files and the text of a program. Out: the errors of the program, worded
//! for a model, with positions in its own text.
//! Owns the checker process, which reads text that models and servers wrote, and its scratch
//! folder. A check is an aid, not a security boundary: the caller may ignore every error of
//! this crate.
//! Invariants: a program cannot make the checker read a file outside of the scratch folder
//! and the checker's own library, no message contains a host path, and every check ends
//! within [`CHECK_DEADLINE`].

mod checker;
mod complaint;
mod confine;
mod diagnostic;
mod dialect;
mod error;
mod failures;
mod find;
mod frame;
mod launch;
mod message;
mod python;
mod python_files;
mod returns;
mod scratch;
mod server;
mod typescript_files;
mod unchecked;
mod world;

pub use checker::TypeChecker;
pub use complaint::Complaint;
pub use confine::{Confinement, Unconfined};
pub use diagnostic::{Code, Diagnostic};
pub use dialect::CHECK_DEADLINE;
pub use error::TypeCheckError;
pub use find::{
    FoundTypeScript, TYPESCRIPT_VERSION, find_typescript, install_folder, package_name,
};
pub use python::{FoundPython, PythonChecker, find_python};
pub use world::SourceFile;
