//! The language of a program.
//!
//! In: the word in a request, or the source. Out: TypeScript or Python.

use serde::{Deserialize, Serialize};

mod fence;
mod guess;

pub use fence::fenced_lines;

/// The languages a program can be written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// TypeScript, or JavaScript, which is the same with fewer types.
    #[default]
    TypeScript,
    /// Python.
    Python,
}

impl Language {
    /// The word for it in requests and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TypeScript => "typescript",
            Self::Python => "python",
        }
    }

    /// The language that a word stands for. Models use many different words.
    pub fn parse(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "typescript" | "ts" | "javascript" | "js" | "mjs" | "mts" | "tsx" | "jsx" => {
                Some(Self::TypeScript)
            }
            "python" | "py" | "python3" => Some(Self::Python),
            _ => None,
        }
    }

    /// The language of a source: the one that its Markdown fence names, otherwise a guess from
    /// its lines, otherwise TypeScript.
    pub fn of(source: &str) -> Self {
        guess::language(source)
    }
}

#[cfg(test)]
mod tests;
