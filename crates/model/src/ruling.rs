//! Rules about calls, as data: what a policy says, and what it says it about.
//!
//! Made by the configuration, which checks every pattern; compiled and decided on
//! in `policy`. Nothing here decides.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a policy says to a call or a program, the mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// It happens.
    Allow,
    /// A person is asked.
    Ask,
    /// It does not happen.
    Deny,
}

impl Word {
    /// Every word.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Deny];

    /// How it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How risky a program or a call is, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// A score of 0 to 24.
    Low,
    /// 25 to 49.
    Medium,
    /// 50 to 74.
    High,
    /// 75 and above.
    Critical,
}

impl Level {
    /// Every level.
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Critical];

    /// The level of a score from 0 to 100.
    pub const fn of_score(score: u8) -> Self {
        match score {
            0..=24 => Self::Low,
            25..=49 => Self::Medium,
            50..=74 => Self::High,
            75.. => Self::Critical,
        }
    }

    /// How it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a tool does, as far as anybody says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Changes nothing.
    ReadOnly,
    /// Adds, and destroys nothing.
    Additive,
    /// May destroy something.
    Destructive,
    /// Nobody says.
    Unknown,
}

impl Effect {
    /// Every effect.
    pub const ALL: [Self; 4] = [Self::ReadOnly, Self::Additive, Self::Destructive, Self::Unknown];

    /// How it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read_only",
            Self::Additive => "additive",
            Self::Destructive => "destructive",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// From what it is known what a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectSource {
    /// `[tools]` of the configuration.
    User,
    /// The annotations of the tool.
    Claim,
    /// A verb in the tool's name.
    Name,
    /// Nothing.
    Nothing,
}

/// One rule. What is absent or empty holds for everything.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyRule {
    /// What it is called in explanations.
    pub name: String,
    /// What it says.
    pub word: Word,
    /// Names of servers, one of which must match; `*` stands for any characters.
    pub servers: Vec<String>,
    /// Names of tools as their servers spell them, one of which must match.
    pub tools: Vec<String>,
    /// Names of profiles, one of which must match a profile of the run.
    pub profiles: Vec<String>,
    /// What arguments must be; all of them.
    pub arguments: Vec<ArgumentRule>,
    /// Verbs of SQL, one of which must be in an argument.
    pub sql: Vec<String>,
    /// How risky it must be: at least so to ask and deny, at most so to allow.
    pub risk: Option<Level>,
    /// Why, in the user's words; told to whoever meets the rule.
    pub because: Option<String>,
    /// Decisions that the user expects, checked whenever the rules are loaded.
    pub examples: Vec<PolicyExample>,
    /// Where it is written, such as `policy.toml:12`.
    pub place: String,
}

impl PolicyRule {
    /// A rule that holds for everything.
    pub fn new(name: impl Into<String>, word: Word) -> Self {
        Self {
            name: name.into(),
            word,
            servers: Vec::new(),
            tools: Vec::new(),
            profiles: Vec::new(),
            arguments: Vec::new(),
            sql: Vec::new(),
            risk: None,
            because: None,
            examples: Vec::new(),
            place: String::new(),
        }
    }
}

/// What one argument must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentRule {
    /// Its key, dotted if it is inside of another, or `*` for any.
    pub key: String,
    /// Texts with `*` for any characters, or `regex:` with an expression; one must match.
    pub values: Vec<String>,
}

/// A call, and what the rules must say to it.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyExample {
    /// `server__tool`; absent for a program as such.
    pub call: Option<String>,
    /// Its arguments; absent if they are not known yet.
    pub arguments: Option<Map<String, Value>>,
    /// The profiles of the run.
    pub profiles: Vec<String>,
    /// How risky it is.
    pub risk: Level,
    /// What the tool does.
    pub effect: Effect,
    /// What must come out.
    pub expected: Word,
    /// Where it is written, such as `policy.toml:20`.
    pub place: String,
}

/// What is said where no rule matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyDefaults {
    /// To calls of tools that change nothing.
    pub read_only: Word,
    /// To calls of tools that add, and destroy nothing.
    pub additive: Word,
    /// To calls of tools that may destroy something.
    pub destructive: Word,
    /// To calls of tools of which nobody says what they do.
    pub unknown: Word,
    /// To programs whose risk is critical.
    pub critical: Word,
}

impl Default for PolicyDefaults {
    fn default() -> Self {
        Self {
            read_only: Word::Allow,
            additive: Word::Allow,
            destructive: Word::Ask,
            unknown: Word::Allow,
            critical: Word::Ask,
        }
    }
}

impl PolicyDefaults {
    /// What is said to a call of a tool with this effect.
    pub const fn of(&self, effect: Effect) -> Word {
        match effect {
            Effect::ReadOnly => self.read_only,
            Effect::Additive => self.additive,
            Effect::Destructive => self.destructive,
            Effect::Unknown => self.unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Level, Word};

    #[test]
    fn a_score_has_the_level_of_its_quarter() {
        let levels = [0, 24, 25, 49, 50, 74, 75, 100, 255].map(Level::of_score);
        let [low, medium, high, critical] = Level::ALL;
        let expected = [low, low, medium, medium, high, high, critical, critical, critical];
        assert_eq!(levels, expected);
    }

    #[test]
    fn deny_is_the_sternest_word() {
        assert_eq!(Word::ALL.iter().max(), Some(&Word::Deny));
        assert_eq!(serde_json::to_string(&Word::ALL).unwrap(), r#"["allow","ask","deny"]"#);
    }
}
