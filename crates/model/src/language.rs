//! Which language a program is written in.

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

    /// The language that a word of a request means: models write many.
    pub fn parse(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "typescript" | "ts" | "javascript" | "js" | "mjs" | "mts" | "tsx" | "jsx" => {
                Some(Self::TypeScript)
            }
            "python" | "py" | "python3" => Some(Self::Python),
            _ => None,
        }
    }

    /// The language that a program seems to be written in: what its Markdown
    /// fence says, else what its lines look like. TypeScript if nothing does.
    pub fn of(source: &str) -> Self {
        guess::language(source)
    }
}

#[cfg(test)]
mod tests;
