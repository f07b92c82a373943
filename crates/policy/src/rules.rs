//! The user's rules, compiled: allow, ask or deny.
//!
//! In: a call or a program, as a [`RuleInput`]. Out: a [`Ruling`]. Pure: no clock, no
//! disk, no network. The most specific matching rule wins; among equally specific ones the
//! strictest; if none matches, the defaults decide by the tool's effect.
//!
//! Invariant: when in doubt, the decision is strict. Rules that ask or deny match loosely
//! (any case, any depth, one value is enough), rules that allow match strictly (every
//! value, exactly where the rule says). A rule never overrides a missing grant, a profile
//! or a quarantine: those are checked first.

mod compiled;
mod error;
mod examples;
mod input;
mod pattern;
mod specificity;

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};
use tidegate_model::{Decision, Effect, PolicyDefaults, PolicyRule, RiskLevel, ToolRef};

use compiled::CompiledRule;
use input::NormalizedInput;

pub use compiled::{RuleMatch, RulePart};
pub use error::{RuleError, RuleProblem};
pub use specificity::Specificity;

/// The call or the program that rules decide on.
#[derive(Debug, Clone, Copy)]
pub struct RuleInput<'a> {
    /// The tool being called; none for a program as a whole.
    pub tool: Option<&'a ToolRef>,
    /// The arguments, if known yet.
    pub arguments: Option<&'a Map<String, Value>>,
    /// The profiles of the run.
    pub profiles: &'a [&'a str],
    /// The risk level of the program.
    pub level: RiskLevel,
    /// What the tool does.
    pub effect: Effect,
}

/// The outcome of all rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// Allow, ask or deny.
    pub word: Decision,
    /// The reason for it.
    pub why: RulingReason,
    /// Whether the arguments, which are not known yet, can change it. Then this is the
    /// strictest possible outcome.
    pub depends_on_arguments: bool,
}

impl Ruling {
    /// This ruling, or a stricter one.
    #[must_use]
    pub fn at_least(self, word: Decision, why: impl FnOnce() -> RulingReason) -> Self {
        if word <= self.word {
            return self;
        }
        Self { word, why: why(), depends_on_arguments: false }
    }
}

/// The reason for a ruling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RulingReason {
    /// A rule of the user.
    Rule {
        /// Its name.
        name: Arc<str>,
        /// Where it is defined.
        place: Arc<str>,
        /// Why it exists, in the user's words.
        because: Option<Arc<str>>,
    },
    /// No rule matches: the default for tools with this effect.
    Effect(Effect),
    /// No rule matches: the default for programs of this risk.
    Risk(RiskLevel),
    /// The configuration decides on programs of this risk, whatever the rules allow.
    Level(RiskLevel),
    /// A profile requires approval.
    Profile(Arc<str>),
    /// The request itself requires approval.
    Request,
}

impl fmt::Display for RulingReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule { name, place, .. } => write!(f, "rule `{name}` at {place}"),
            Self::Effect(effect) => write!(f, "the default for `{effect}` tools"),
            Self::Risk(level) => write!(f, "the default for programs of `{level}` risk"),
            Self::Level(level) => write!(f, "`risk.{level}` of the configuration"),
            Self::Profile(name) => write!(f, "`approval_required` of profile `{name}`"),
            Self::Request => f.write_str("the request itself"),
        }
    }
}

/// How one rule evaluates, for explanations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleEvaluation {
    /// The name of the rule.
    pub name: Arc<str>,
    /// Where it is defined.
    pub place: Arc<str>,
    /// What it decides if it matches.
    pub word: Decision,
    /// Whether it matches.
    pub fit: RuleMatch,
}

/// The compiled rules and the defaults. By default there are no rules.
#[derive(Debug, Default)]
pub struct Rules {
    rules: Vec<CompiledRule>,
    defaults: PolicyDefaults,
}

impl Rules {
    /// Compiles rules and tests their examples, all of which must pass.
    pub fn new(rules: &[PolicyRule], defaults: PolicyDefaults) -> Result<Self, RuleError> {
        let compiled = rules.iter().map(|rule| {
            CompiledRule::new(rule).map_err(|problem| RuleError {
                rule: rule.name.clone(),
                place: rule.place.clone(),
                problem,
            })
        });
        let compiled = Self { rules: compiled.collect::<Result<_, _>>()?, defaults };
        examples::check(&compiled, rules)?;
        Ok(compiled)
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The decisions where no rule matches.
    pub const fn defaults(&self) -> &PolicyDefaults {
        &self.defaults
    }

    /// Decides on an input.
    pub fn rule(&self, input: &RuleInput<'_>) -> Ruling {
        let normalized = NormalizedInput::new(input);
        let mut certain: Option<(Specificity, &CompiledRule)> = None;
        let mut possible: Option<(Decision, Specificity, &CompiledRule)> = None;
        for rule in &self.rules {
            match rule.evaluate(&normalized) {
                RuleMatch::No(_) => {}
                RuleMatch::Yes(specificity) => {
                    let better = |(best, winner): &(Specificity, &CompiledRule)| {
                        (&specificity, rule.word) > (best, winner.word)
                    };
                    if certain.as_ref().is_none_or(better) {
                        certain = Some((specificity, rule));
                    }
                }
                RuleMatch::Maybe(specificity) => {
                    let stricter = |(word, best, _): &(Decision, Specificity, &CompiledRule)| {
                        (rule.word, &specificity) > (*word, best)
                    };
                    if possible.as_ref().is_none_or(stricter) {
                        possible = Some((rule.word, specificity, rule));
                    }
                }
            }
        }
        let ruling = match certain {
            Some((_, rule)) => rule.ruling(),
            None => self.by_default(input),
        };
        match possible {
            Some((word, _, rule)) if word > ruling.word => {
                Ruling { depends_on_arguments: true, ..rule.ruling() }
            }
            Some(_) => Ruling { depends_on_arguments: true, ..ruling },
            None => ruling,
        }
    }

    /// How each rule evaluates, in the order of the file.
    pub fn explain(&self, input: &RuleInput<'_>) -> Vec<RuleEvaluation> {
        let normalized = NormalizedInput::new(input);
        let evaluation = |rule: &CompiledRule| RuleEvaluation {
            name: Arc::clone(&rule.name),
            place: Arc::clone(&rule.place),
            word: rule.word,
            fit: rule.evaluate(&normalized),
        };
        self.rules.iter().map(evaluation).collect()
    }

    fn by_default(&self, input: &RuleInput<'_>) -> Ruling {
        let (word, why) = match (input.tool, input.level) {
            (Some(_), _) => (self.defaults.of(input.effect), RulingReason::Effect(input.effect)),
            (None, RiskLevel::Critical) => {
                (self.defaults.critical, RulingReason::Risk(input.level))
            }
            (None, level @ (RiskLevel::Low | RiskLevel::Medium | RiskLevel::High)) => {
                (Decision::Allow, RulingReason::Risk(level))
            }
        };
        Ruling { word, why, depends_on_arguments: false }
    }
}

#[cfg(test)]
mod tests;
