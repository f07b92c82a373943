//! One compiled rule, and whether it matches.
//!
//! In: a rule of the user, then inputs. Out: whether it matches, and how specifically.

use std::sync::Arc;

use tidegate_model::{Decision, PolicyRule, RiskLevel};

use super::error::RuleProblem;
use super::input::{ArgumentKey, NormalizedInput};
use super::pattern::{MatchMode, Pattern, PatternProblem};
use super::specificity::{ArgumentPrecision, Precision, Specificity};
use super::{Ruling, RulingReason};

/// Whether a rule matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleMatch {
    /// No: this part does not match.
    No(RulePart),
    /// It depends on arguments that are not known yet.
    Maybe(Specificity),
    /// Yes.
    Yes(Specificity),
}

/// The part of a rule that does not match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RulePart {
    /// `server`.
    Server,
    /// `tool`.
    Tool,
    /// `profile`.
    Profile,
    /// `risk`.
    Risk,
    /// `arguments`.
    Arguments,
    /// `sql`.
    Sql,
    /// The rule is about calls, and the input is a program.
    Program,
}

/// One rule with its patterns compiled.
#[derive(Debug)]
pub(super) struct CompiledRule {
    pub(super) name: Arc<str>,
    pub(super) place: Arc<str>,
    because: Option<Arc<str>>,
    pub(super) word: Decision,
    servers: Vec<Pattern>,
    tools: Vec<Pattern>,
    profiles: Vec<Pattern>,
    arguments: Vec<(ArgumentKey, Vec<Pattern>)>,
    sql: Vec<String>,
    risk: Option<RiskLevel>,
}

impl CompiledRule {
    pub(super) fn new(rule: &PolicyRule) -> Result<Self, RuleProblem> {
        let mode = match rule.word {
            Decision::Allow => MatchMode::Strict,
            Decision::Ask | Decision::Deny => MatchMode::Loose,
        };
        let texts = |texts: &[String]| -> Result<Vec<Pattern>, RuleProblem> {
            let pattern = |text: &String| Pattern::new(text, mode);
            let compiled: Result<_, PatternProblem> = texts.iter().map(pattern).collect();
            compiled.map_err(|PatternProblem(text)| RuleProblem::Expression(text))
        };
        let names = |names: &[String]| -> Vec<Pattern> {
            names.iter().map(|name| Pattern::wildcard(name, mode)).collect()
        };
        let arguments = rule.arguments.iter();
        let arguments = arguments.map(|one| Ok((ArgumentKey::new(&one.key), texts(&one.values)?)));
        if !rule.sql.is_empty() && rule.word == Decision::Allow {
            return Err(RuleProblem::SqlAllows);
        }
        Ok(Self {
            name: rule.name.as_str().into(),
            place: rule.place.as_str().into(),
            because: rule.because.as_deref().map(Into::into),
            word: rule.word,
            servers: names(&rule.servers),
            tools: names(&rule.tools),
            profiles: names(&rule.profiles),
            arguments: arguments.collect::<Result<_, _>>()?,
            sql: rule.sql.iter().map(|verb| verb.to_lowercase()).collect(),
            risk: rule.risk,
        })
    }

    pub(super) fn ruling(&self) -> Ruling {
        let why = RulingReason::Rule {
            name: Arc::clone(&self.name),
            place: Arc::clone(&self.place),
            because: self.because.clone(),
        };
        Ruling { word: self.word, why, depends_on_arguments: false }
    }

    /// Whether the rule matches. Cheap parts come first: most rules are about other tools.
    pub(super) fn evaluate(&self, input: &NormalizedInput<'_>) -> RuleMatch {
        let mut specificity = Specificity::default();
        match &input.tool {
            Some((server, tool)) => {
                let Some(precision) = best_match(&self.servers, |pattern| server.fits(pattern))
                else {
                    return RuleMatch::No(RulePart::Server);
                };
                specificity.server = precision;
                let Some(precision) = best_match(&self.tools, |pattern| tool.fits(pattern)) else {
                    return RuleMatch::No(RulePart::Tool);
                };
                specificity.tool = precision;
            }
            // Programs are judged by their risk. A rule without one would otherwise ask about
            // every program, including those that call nothing.
            None if self.is_about_calls() => return RuleMatch::No(RulePart::Program),
            None => {}
        }
        let is_active = |pattern: &Pattern| input.profiles.iter().any(|name| name.fits(pattern));
        let Some(precision) = best_match(&self.profiles, is_active) else {
            return RuleMatch::No(RulePart::Profile);
        };
        specificity.profile = precision;
        let Some(precision) = self.fits_risk(input.level) else {
            return RuleMatch::No(RulePart::Risk);
        };
        specificity.risk = precision;
        self.fit_arguments(input, specificity)
    }

    fn fit_arguments(
        &self,
        input: &NormalizedInput<'_>,
        mut specificity: Specificity,
    ) -> RuleMatch {
        if self.arguments.is_empty() && self.sql.is_empty() {
            return RuleMatch::Yes(specificity);
        }
        let Some(values) = input.values() else {
            specificity.arguments = self.highest_argument_precision();
            return RuleMatch::Maybe(specificity);
        };
        for (key, patterns) in &self.arguments {
            let fits = match self.word {
                Decision::Allow => values.every(key, patterns),
                Decision::Ask | Decision::Deny => values.any(key, patterns),
            };
            let Some(precision) = fits else { return RuleMatch::No(RulePart::Arguments) };
            specificity.arguments.add(precision);
        }
        if !self.sql.is_empty() {
            if !values.any_sql(&self.sql) {
                return RuleMatch::No(RulePart::Sql);
            }
            specificity.arguments.add(Precision::pattern(0));
        }
        RuleMatch::Yes(specificity)
    }

    fn highest_argument_precision(&self) -> ArgumentPrecision {
        let mut all = ArgumentPrecision::default();
        for (_, patterns) in &self.arguments {
            all.add(patterns.iter().map(Pattern::precision).max().unwrap_or_default());
        }
        if !self.sql.is_empty() {
            all.add(Precision::pattern(0));
        }
        all
    }

    fn is_about_calls(&self) -> bool {
        let named = self.servers.len() + self.tools.len() + self.arguments.len() + self.sql.len();
        named > 0 || self.risk.is_none()
    }

    /// One more than the number of risk levels that the rule excludes, unless it excludes
    /// this one.
    fn fits_risk(&self, level: RiskLevel) -> Option<u8> {
        let Some(bound) = self.risk else { return Some(0) };
        let holds = |level: RiskLevel| match self.word {
            Decision::Allow => level <= bound,
            Decision::Ask | Decision::Deny => level >= bound,
        };
        // One more, because `risk = "low"` on a denial excludes nothing and still counts.
        let excluded = RiskLevel::ALL.iter().filter(|&&other| !holds(other)).count();
        holds(level).then_some(1 + u8::try_from(excluded).unwrap_or(u8::MAX))
    }
}

/// The highest precision of the patterns that match. Without patterns, everything matches.
fn best_match(patterns: &[Pattern], fits: impl Fn(&Pattern) -> bool) -> Option<Precision> {
    if patterns.is_empty() {
        return Some(Precision::default());
    }
    patterns.iter().filter(|pattern| fits(pattern)).map(Pattern::precision).max()
}
