//! How specific a matching rule is.
//!
//! In: how precisely each part of the rule matched. Out: an order; the greatest wins.
//! Compared in the order of the fields: arguments, tool, server, profile, risk. Equals go to
//! the strictest decision (`RuleSet` in `rules.rs`).
//! Invariant: the order of the fields decides between rules, so it must not change.

use std::fmt;

/// How specific a rule is. The greater wins.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Specificity {
    pub(super) arguments: ArgumentPrecision,
    pub(super) tool: Precision,
    pub(super) server: Precision,
    pub(super) profile: Precision,
    pub(super) risk: u8,
}

/// How precisely a rule describes one name or text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Precision {
    /// Matches anything.
    #[default]
    Any,
    /// A pattern with this many literal characters.
    Pattern(usize),
    /// Matches one text only.
    Exact,
}

impl Precision {
    pub(super) const fn pattern(characters: usize) -> Self {
        Self::Pattern(characters)
    }
}

/// How precisely a rule describes the arguments: the number of conditions, how many are
/// exact, how many are patterns, and the literal characters of those.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ArgumentPrecision {
    conditions: usize,
    exact: usize,
    patterns: usize,
    characters: usize,
}

impl ArgumentPrecision {
    pub(super) fn add(&mut self, precision: Precision) {
        self.conditions += 1;
        match precision {
            Precision::Any => {}
            Precision::Pattern(characters) => {
                self.patterns += 1;
                self.characters += characters;
            }
            Precision::Exact => self.exact += 1,
        }
    }
}

/// The parts that contribute, in order of precedence.
impl fmt::Display for Specificity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.arguments.conditions > 0 {
            let ArgumentPrecision { conditions, exact, characters, .. } = self.arguments;
            let plural = if conditions == 1 { "" } else { "s" };
            parts.push(format!(
                "{conditions} argument{plural} ({exact} exact, {characters} characters)"
            ));
        }
        for (name, precision) in
            [("tool", self.tool), ("server", self.server), ("profile", self.profile)]
        {
            match precision {
                Precision::Any => {}
                Precision::Pattern(characters) => {
                    parts.push(format!("{name} by {characters} characters"));
                }
                Precision::Exact => parts.push(format!("{name} exactly")),
            }
        }
        if self.risk > 0 {
            parts.push(format!("risk ({} of 4 levels left out)", self.risk - 1));
        }
        if parts.is_empty() { f.write_str("everything") } else { f.write_str(&parts.join(", ")) }
    }
}
