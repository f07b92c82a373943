//! The rules of a policy, as data: decisions, and the conditions for them.
//!
//! In: the configuration, which checks every pattern. Out: `policy` compiles them and decides.
//! Nothing here decides.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The decision of a policy on a call or a program, the most permissive first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// It may happen.
    Allow,
    /// It needs a person's approval.
    Ask,
    /// It may not happen.
    Deny,
}

impl Decision {
    /// Every decision.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Deny];

    /// The word for it in configurations and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How risky a program or a call is, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    /// A score of 0 to 24.
    Low,
    /// 25 to 49.
    Medium,
    /// 50 to 74.
    High,
    /// 75 and above.
    Critical,
}

impl RiskLevel {
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

    /// The word for it in configurations and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

impl fmt::Display for RiskLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The effect of a tool, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Changes nothing.
    ReadOnly,
    /// Adds, and destroys nothing.
    Additive,
    /// May destroy something.
    Destructive,
    /// Not known.
    Unknown,
}

impl Effect {
    /// Every effect.
    pub const ALL: [Self; 4] = [Self::ReadOnly, Self::Additive, Self::Destructive, Self::Unknown];

    /// The word for it in configurations and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read_only",
            Self::Additive => "additive",
            Self::Destructive => "destructive",
            Self::Unknown => "unknown",
        }
    }

    /// The order of effects, the mildest first. An unknown one may be anything.
    pub const fn strictness(self) -> u8 {
        match self {
            Self::ReadOnly => 0,
            Self::Additive => 1,
            Self::Unknown => 2,
            Self::Destructive => 3,
        }
    }

    /// Whether it may do more than another one.
    pub const fn is_stricter_than(self, other: Self) -> bool {
        self.strictness() > other.strictness()
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Where the information about a tool's effect comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectSource {
    /// `[tools]` of the configuration.
    User,
    /// The annotations of the tool.
    Claim,
    /// A verb in the tool's name.
    Name,
    /// What the arguments make the tool execute.
    Arguments,
    /// It is not known.
    Nothing,
}

/// One rule. An absent or empty condition matches everything.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyRule {
    /// Its name in explanations.
    pub name: String,
    /// Its decision.
    pub word: Decision,
    /// Names of servers, one of which must match; `*` stands for any characters.
    pub servers: Vec<String>,
    /// Names of tools as their servers spell them, one of which must match.
    pub tools: Vec<String>,
    /// Names of profiles, one of which must match a profile of the run.
    pub profiles: Vec<String>,
    /// Conditions on arguments, all of which must match.
    pub arguments: Vec<ArgumentRule>,
    /// SQL verbs, one of which must be in an argument.
    pub sql: Vec<String>,
    /// The risk level: the lowest that matches for `ask` and `deny`, the highest for `allow`.
    pub risk: Option<RiskLevel>,
    /// The user's reason, which is shown where the rule applies.
    pub because: Option<String>,
    /// The decisions that the user expects, checked whenever the rules are loaded.
    pub examples: Vec<PolicyExample>,
    /// Its position, such as `policy.toml:12`.
    pub place: String,
}

impl PolicyRule {
    /// A rule that matches everything.
    pub fn new(name: impl Into<String>, word: Decision) -> Self {
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

/// A condition on one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentRule {
    /// The argument's key, dotted for a nested one, or `*` for any.
    pub key: String,
    /// Texts with `*` for any characters, or `regex:` with an expression; one must match.
    pub values: Vec<String>,
}

/// A call, and the decision that the rules must give.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyExample {
    /// `server__tool`; absent for a program as a whole.
    pub call: Option<String>,
    /// Its arguments; absent if they are not known yet.
    pub arguments: Option<Map<String, Value>>,
    /// The profiles of the run.
    pub profiles: Vec<String>,
    /// Its risk.
    pub risk: RiskLevel,
    /// The tool's effect.
    pub effect: Effect,
    /// The expected decision.
    pub expected: Decision,
    /// Its position, such as `policy.toml:20`.
    pub place: String,
}

/// The decisions where no rule matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyDefaults {
    /// For calls of tools that change nothing.
    pub read_only: Decision,
    /// For calls of tools that add, and destroy nothing.
    pub additive: Decision,
    /// For calls of tools that may destroy something.
    pub destructive: Decision,
    /// For calls of tools with unknown effects.
    pub unknown: Decision,
    /// For programs of critical risk.
    pub critical: Decision,
}

impl Default for PolicyDefaults {
    fn default() -> Self {
        Self {
            read_only: Decision::Allow,
            additive: Decision::Allow,
            destructive: Decision::Ask,
            unknown: Decision::Allow,
            critical: Decision::Ask,
        }
    }
}

impl PolicyDefaults {
    /// The decision on a call of a tool with this effect.
    pub const fn of(&self, effect: Effect) -> Decision {
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
    use super::{Decision, RiskLevel};

    #[test]
    fn a_score_has_the_level_of_its_quarter() {
        let levels = [0, 24, 25, 49, 50, 74, 75, 100, 255].map(RiskLevel::of_score);
        let [low, medium, high, critical] = RiskLevel::ALL;
        let expected = [low, low, medium, medium, high, high, critical, critical, critical];
        assert_eq!(levels, expected);
    }

    #[test]
    fn deny_is_the_strictest_decision() {
        assert_eq!(Decision::ALL.iter().max(), Some(&Decision::Deny));
        assert_eq!(serde_json::to_string(&Decision::ALL).unwrap(), r#"["allow","ask","deny"]"#);
    }
}
