//! How specific a rule is where it matches.
//!
//! Compared in the order of the fields: arguments, tool, server, profile, risk. The
//! order of the fields is the rule, so it must not be changed in passing.

use std::fmt;

/// How specific a rule is. The greater wins.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Specificity {
    pub(super) arguments: ArgumentCloseness,
    pub(super) tool: Closeness,
    pub(super) server: Closeness,
    pub(super) profile: Closeness,
    pub(super) risk: u8,
}

/// How closely one name or text was described: not at all, by a pattern with so many
/// characters, or exactly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Closeness {
    /// Anything.
    #[default]
    Any,
    /// A pattern with so many characters of its own.
    Pattern(usize),
    /// This and nothing else.
    Exact,
}

impl Closeness {
    pub(super) const fn pattern(characters: usize) -> Self {
        Self::Pattern(characters)
    }
}

/// How closely the arguments were described: the number of conditions, how many of them
/// are exact, how many are patterns, and the characters of these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ArgumentCloseness {
    conditions: usize,
    exact: usize,
    patterns: usize,
    characters: usize,
}

impl ArgumentCloseness {
    pub(super) fn add(&mut self, closeness: Closeness) {
        self.conditions += 1;
        match closeness {
            Closeness::Any => {}
            Closeness::Pattern(characters) => {
                self.patterns += 1;
                self.characters += characters;
            }
            Closeness::Exact => self.exact += 1,
        }
    }
}

/// What counts in it, in the order in which it counts.
impl fmt::Display for Specificity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.arguments.conditions > 0 {
            let ArgumentCloseness { conditions, exact, characters, .. } = self.arguments;
            let plural = if conditions == 1 { "" } else { "s" };
            parts.push(format!(
                "{conditions} argument{plural} ({exact} exact, {characters} characters)"
            ));
        }
        for (name, closeness) in
            [("tool", self.tool), ("server", self.server), ("profile", self.profile)]
        {
            match closeness {
                Closeness::Any => {}
                Closeness::Pattern(characters) => {
                    parts.push(format!("{name} by {characters} characters"));
                }
                Closeness::Exact => parts.push(format!("{name} exactly")),
            }
        }
        if self.risk > 0 {
            parts.push(format!("risk ({} of 4 levels left out)", self.risk - 1));
        }
        if parts.is_empty() { f.write_str("everything") } else { f.write_str(&parts.join(", ")) }
    }
}
