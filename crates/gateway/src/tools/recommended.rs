//! Servers and skills that a search recommends beside the tools that it found.
//!
//! In: what fits a query. Out: a few lines in a small share of the answer's tokens. They
//! are for the person: a known server's tools cannot be called, and nothing is installed
//! here. Strangers wrote the texts, so hidden characters are removed from them.

use std::fmt;

use serde::Serialize;
use tidegate_catalog::RecommendationReason;
use tidegate_model::{cleaned_line, shown_name};

use crate::tokens;
use crate::tools::suggestions::Fitting;

/// Most tokens of a recommendation. Chosen.
pub(crate) const MAX_TOKENS: usize = 100;
/// Bytes of a line about a tool or a skill, and of a tool's name. Chosen: what it does,
/// not how.
const LINE_BYTES: usize = 90;
const NAME_BYTES: usize = 64;

/// Recommendations in addition to the configured tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Recommended {
    /// Servers that are not configured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<RecommendedServer>,
    /// Skills that can be loaded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<RecommendedSkill>,
}

/// A known server that is not configured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecommendedServer {
    /// Its name in its catalog.
    pub server: String,
    /// The tool that fits best. It cannot be called.
    pub tool: String,
    /// What the tool does.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Why it is recommended.
    pub reason: &'static str,
    /// The command that starts it, if its catalog gives one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
}

/// A skill that fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecommendedSkill {
    /// Its name, for `load_skill`.
    pub name: String,
    /// What it does.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
}

const NAMED: &str = "named in the query";
const BETTER: &str = "fits better than what is configured";

impl RecommendedServer {
    pub(crate) fn new(fitting: Fitting, command: Vec<String>) -> Self {
        let reason = match fitting.reason {
            RecommendationReason::Named => NAMED,
            RecommendationReason::Better => BETTER,
        };
        Self {
            server: fitting.name,
            tool: cut(&shown_name(&fitting.tool), NAME_BYTES),
            text: cut(&cleaned_line(&fitting.line), LINE_BYTES),
            reason,
            command,
        }
    }
}

impl Recommended {
    /// Whether there is nothing to recommend.
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty() && self.skills.is_empty()
    }

    pub(crate) fn add_skill(&mut self, name: &str, text: &str) {
        /// As many as are found by their descriptions.
        const MAX_SKILLS: usize = 2;
        let there = self.skills.iter().any(|skill| skill.name == name);
        if !there && self.skills.len() < MAX_SKILLS {
            let text = cut(&cleaned_line(text), LINE_BYTES);
            self.skills.push(RecommendedSkill { name: name.to_owned(), text });
        }
    }

    /// As much of it as fits into this many tokens: first without texts, then fewer.
    pub(crate) fn within(mut self, most: usize) -> Self {
        let fits = |this: &Self| tokens::count(&this.to_string()) <= most;
        if !fits(&self) {
            self.servers.iter_mut().for_each(|server| server.text.clear());
            self.skills.iter_mut().for_each(|skill| skill.text.clear());
        }
        while !self.is_empty() && !fits(&self) {
            if self.skills.pop().is_none() {
                self.servers.pop();
            }
        }
        self
    }
}

/// As a model reads it.
impl fmt::Display for Recommended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(first) = self.servers.first() {
            writeln!(f, "Not configured, {}; only the user can add it:", first.reason)?;
        }
        for server in &self.servers {
            write!(f, "{}: {}", server.server, server.tool)?;
            write_text(f, &server.text)?;
            match server.command.as_slice() {
                [] => writeln!(f)?,
                command => writeln!(f, " ({})", command.join(" "))?,
            }
        }
        if !self.skills.is_empty() {
            writeln!(f, "Skills, read with load_skill:")?;
        }
        for skill in &self.skills {
            write!(f, "{}", skill.name)?;
            write_text(f, &skill.text)?;
            writeln!(f)?;
        }
        Ok(())
    }
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    if text.is_empty() { Ok(()) } else { write!(f, "  {text}") }
}

/// Cuts a text to this many bytes.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let end = text.floor_char_boundary(most);
    if end < text.len() { format!("{}…", &text[..end]) } else { text.to_owned() }
}
