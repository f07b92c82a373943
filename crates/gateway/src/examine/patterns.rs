//! Loads the rules about programs: ours, and those in the user's files.
//!
//! In: `[checks] patterns`. Out: rules, or the place in a file that is wrong and the
//! remedy. A bad file is an error at startup: a rule that is silently ignored is worse
//! than none. The examples in a file are tried on request, with the same reading that
//! programs get.

use std::path::{Path, PathBuf};

use thiserror::Error;
use tidegate_validate::{Example, RuleFileError, ValidationRules};

/// The largest rule file. Chosen: ours are a tenth of this.
const FILE_BYTES: u64 = 1024 * 1024;

/// Why rules about programs cannot be used.
#[derive(Debug, Error)]
pub enum PatternsError {
    /// A file cannot be read.
    #[error("error[config.patterns]: cannot read `{path}`, which `patterns` in `checks` names: {source}\n  hint: correct the path, or take it out of the list", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file contains an invalid rule.
    #[error("error[config.patterns]: {0}\n  hint: {hint}", hint = .0.hint)]
    Rule(#[from] RuleFileError),
}

/// Our rules and those in these files.
pub(crate) fn load(files: &[PathBuf]) -> Result<ValidationRules, PatternsError> {
    files.iter().try_fold(ValidationRules::built_in()?, |rules, path| {
        let text = read(path)
            .map_err(|source| PatternsError::Unreadable { path: path.clone(), source })?;
        Ok(rules.with(&text, &path.display().to_string())?)
    })
}

fn read(path: &Path) -> std::io::Result<String> {
    let length = std::fs::metadata(path)?.len();
    if length > FILE_BYTES {
        let message = format!("it has {length} bytes; the maximum is {FILE_BYTES}");
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, message));
    }
    std::fs::read_to_string(path)
}

/// An example of a user's rule whose result differs from what its file says.
pub struct FailedExample {
    /// The rule and the program.
    pub example: Example,
    /// The names of the rules that found something.
    pub found: Vec<String>,
}
