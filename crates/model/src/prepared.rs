//! A reader's report about a program before it runs.
//!
//! In: the front end of a language writes it in its own process. Out: the gateway checks and
//! judges it, and sends the executable form to the worker.
//!
//! Invariant: a program may have compromised its reader, so nothing here replaces the decision
//! on each call.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::reading::Reading;
use crate::reference::Reference;

/// A program as its reader reports it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Prepared {
    /// Its uses of servers and tools, in the order of the source.
    pub references: Vec<Reference>,
    /// What it does, as input for the rules of `validate`.
    pub reading: Reading,
    /// The program for a type checker, with its original lines; `None` if it must not be
    /// checked.
    pub check_text: Option<String>,
    /// Names in a program in Python.
    #[serde(skip_serializing_if = "PythonNames::is_empty")]
    pub python: PythonNames,
    /// The code for the engine, if it is not the source itself. It is sent separately from the
    /// rest, which is JSON.
    #[serde(skip)]
    pub executable: Option<Executable>,
}

/// JavaScript generated from a program in TypeScript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Executable {
    /// One parenthesised `async` arrow function.
    pub code: String,
    /// The [`LineMap`](crate::LineMap) to the program as bytes. Only the worker decodes it: the
    /// decoded form takes more memory than the bytes.
    pub line_map: Vec<u8>,
}

/// The names that a program in Python imports, stores and expects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PythonNames {
    /// The imported modules, each once.
    pub imports: Vec<Import>,
    /// The tools that it stores or passes on instead of calling: server and tool as written.
    pub uncalled_tools: Vec<(String, String)>,
    /// What it knows about the keys that it reads.
    pub hints: KeyHints,
}

/// The import of a module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The module, without its submodules.
    pub module: String,
    /// Line of the statement, from 1.
    pub line: u32,
    /// Column of the statement, in characters, from 1.
    pub column: u32,
    /// Whether the program certainly fails without the module.
    pub is_sure: bool,
}

/// What a program knows about the keys that it reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeyHints {
    /// Strings outside of the subscripts of reads, names of arguments, and attributes that are
    /// set.
    pub names: BTreeSet<String>,
    /// First and last line of each block that `except` guards.
    pub guarded: Vec<(u32, u32)>,
}

impl Prepared {
    /// JSON of at most `limit` bytes. Drops parts until it fits, the largest first; a reading
    /// that lost facts says so.
    pub fn to_json(&mut self, limit: usize) -> String {
        loop {
            // Plain data with text keys: writing it cannot fail.
            let json = serde_json::to_string(self).unwrap_or_default();
            if json.len() <= limit {
                return json;
            }
            if self.check_text.take().is_some() {
                continue;
            }
            if self.reading.facts.is_empty() {
                // Only names with many escapes get here. The run resolves each of them itself.
                *self = Self { executable: self.executable.take(), ..Self::default() };
                return serde_json::to_string(self).unwrap_or_default();
            }
            self.reading.facts.truncate(self.reading.facts.len() / 2);
            self.reading.complete = false;
        }
    }
}

impl PythonNames {
    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::Prepared;
    use crate::reading::{Fact, Reading};
    use crate::reference::Reference;

    fn long() -> Prepared {
        let fact = Fact { path: "x".repeat(100), ..Fact::default() };
        Prepared {
            references: vec![Reference { server: "crm".into(), ..Reference::default() }],
            reading: Reading { facts: vec![fact; 100], complete: true, ..Reading::default() },
            check_text: Some("y".repeat(10_000)),
            ..Prepared::default()
        }
    }

    #[test]
    fn what_fits_arrives_whole() {
        let mut sent = long();
        let json = sent.to_json(1 << 20);
        assert_eq!(serde_json::from_str::<Prepared>(&json).unwrap(), long());
        assert_eq!(sent, long());
    }

    #[test]
    fn what_does_not_fit_loses_the_largest_part_first_and_says_so() {
        let mut without_text = long();
        assert!(without_text.to_json(20_000).len() <= 20_000);
        assert_eq!(without_text, Prepared { check_text: None, ..long() });

        let mut half = long();
        assert!(half.to_json(10_000).len() <= 10_000);
        assert_eq!((half.reading.complete, half.references.len()), (false, 1));
        assert!(!half.reading.facts.is_empty());

        let mut least = long();
        assert_eq!(least.to_json(1), serde_json::to_string(&Prepared::default()).unwrap());
        assert_eq!(least, Prepared::default());
    }
}
