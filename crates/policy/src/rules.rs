//! The user's rules, compiled: allow, ask or deny.
//!
//! In: what is about to happen, as a [`Subject`]. Out: a [`Ruling`]. Pure: no clock, no
//! disk, no network. The most specific rule that matches wins; of equally specific ones
//! the sternest; where none matches, the defaults decide by what the tool does.
//!
//! Invariant: what is in doubt is decided the stern way. Rules that ask or deny read
//! loosely (in any case, at any depth, one value is enough), rules that allow read
//! strictly (every value must fit, where the rule says). A rule is no wall: it never
//! opens what a grant, a profile or a quarantine closed, since those are asked first.

mod examples;
mod facts;
mod pattern;
mod specificity;
mod sql;

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};
use tidegate_model::{Effect, Level, PolicyDefaults, PolicyRule, ToolRef, Word};

use facts::{Facts, Key};
use pattern::{Pattern, PatternProblem, Reading};
use specificity::{ArgumentCloseness, Closeness};

pub use specificity::Specificity;

/// What is about to happen.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The tool that is called; none for a program as such.
    pub tool: Option<&'a ToolRef>,
    /// Its arguments; none if they are not known yet.
    pub arguments: Option<&'a Map<String, Value>>,
    /// The profiles of the run.
    pub profiles: &'a [&'a str],
    /// How risky the program is.
    pub level: Level,
    /// What the tool does.
    pub effect: Effect,
}

/// What the rules say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// The word.
    pub word: Word,
    /// Where it comes from.
    pub why: Why,
    /// Whether it can be milder or sterner once the arguments are known. Then the word
    /// is the sternest of those that could come.
    pub depends_on_arguments: bool,
}

/// Where a word comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// A rule of the user.
    Rule {
        /// Its name.
        name: Arc<str>,
        /// Where it is written.
        place: Arc<str>,
        /// Why it is there, in the user's words.
        because: Option<Arc<str>>,
    },
    /// No rule matches, and this is said to tools that do this.
    Effect(Effect),
    /// No rule matches, and this is said to programs of this risk.
    Risk(Level),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule { name, place, .. } => write!(f, "rule `{name}` at {place}"),
            Self::Effect(effect) => write!(f, "the default for `{effect}` tools"),
            Self::Risk(level) => write!(f, "the default for programs of `{level}` risk"),
        }
    }
}

/// One rule beside a subject, for explanations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Considered {
    /// The rule.
    pub name: Arc<str>,
    /// Where it is written.
    pub place: Arc<str>,
    /// What it says.
    pub word: Word,
    /// Whether it matches.
    pub fit: Fit,
}

/// Whether a rule matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fit {
    /// No; this part of it does not.
    No(RulePart),
    /// It depends on arguments that are not known.
    Could(Specificity),
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
    /// It speaks of calls, and this is a program.
    Program,
}

/// A rule that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rule `{rule}` at {place}: {problem}")]
pub struct RuleError {
    /// Its name.
    pub rule: String,
    /// Where it, or its example, is written.
    pub place: String,
    /// What is wrong.
    pub problem: RuleProblem,
}

/// Why a rule cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleProblem {
    /// Not a regular expression, or one too large.
    #[error("`{0}` is not a regular expression that can be used here")]
    Expression(String),
    /// `sql` in a rule that allows.
    #[error("`sql` is in a rule that allows, and finding verbs is a best effort")]
    SqlAllows,
    /// An example does not hold.
    #[error("the example expects `{expected}`, and `{came}` came out: {by}")]
    Example {
        /// What it expects.
        expected: Word,
        /// What came out.
        came: Word,
        /// What said so.
        by: String,
    },
}

impl RuleProblem {
    /// What to do next.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Expression(_) => {
                "expressions have neither look-around nor back-references, and are not larger \
                 than 256 KB when compiled"
            }
            Self::SqlAllows => "let a rule with `sql` ask or deny, and allow by another one",
            Self::Example { .. } => {
                "correct the rule or the example; `tidegate policy test` shows each step"
            }
        }
    }
}

/// The rules in force. None of them, and the defaults, by default.
#[derive(Debug, Default)]
pub struct Rules {
    rules: Vec<Compiled>,
    defaults: PolicyDefaults,
}

#[derive(Debug)]
struct Compiled {
    name: Arc<str>,
    place: Arc<str>,
    because: Option<Arc<str>>,
    word: Word,
    servers: Vec<Pattern>,
    tools: Vec<Pattern>,
    profiles: Vec<Pattern>,
    arguments: Vec<(Key, Vec<Pattern>)>,
    sql: Vec<String>,
    risk: Option<Level>,
}

impl Rules {
    /// Compiles rules and tries their examples, every one of which must hold.
    pub fn new(rules: &[PolicyRule], defaults: PolicyDefaults) -> Result<Self, RuleError> {
        let compiled = rules.iter().map(|rule| {
            Compiled::new(rule).map_err(|problem| RuleError {
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

    /// What is said where no rule matches.
    pub const fn defaults(&self) -> &PolicyDefaults {
        &self.defaults
    }

    /// What the rules say to a subject.
    pub fn rule(&self, subject: &Subject<'_>) -> Ruling {
        let facts = Facts::new(subject);
        let mut certain: Option<(Specificity, &Compiled)> = None;
        let mut possible: Option<(Word, Specificity, &Compiled)> = None;
        for rule in &self.rules {
            match rule.fit(&facts) {
                Fit::No(_) => {}
                Fit::Yes(specificity) => {
                    let better = |(best, winner): &(Specificity, &Compiled)| {
                        (&specificity, rule.word) > (best, winner.word)
                    };
                    if certain.as_ref().is_none_or(better) {
                        certain = Some((specificity, rule));
                    }
                }
                Fit::Could(specificity) => {
                    let sterner = |(word, best, _): &(Word, Specificity, &Compiled)| {
                        (rule.word, &specificity) > (*word, best)
                    };
                    if possible.as_ref().is_none_or(sterner) {
                        possible = Some((rule.word, specificity, rule));
                    }
                }
            }
        }
        let ruling = match certain {
            Some((_, rule)) => rule.ruling(),
            None => self.by_default(subject),
        };
        match possible {
            Some((word, _, rule)) if word > ruling.word => {
                Ruling { depends_on_arguments: true, ..rule.ruling() }
            }
            Some(_) => Ruling { depends_on_arguments: true, ..ruling },
            None => ruling,
        }
    }

    /// Every rule beside a subject, in the order of the file.
    pub fn explain(&self, subject: &Subject<'_>) -> Vec<Considered> {
        let facts = Facts::new(subject);
        let considered = |rule: &Compiled| Considered {
            name: Arc::clone(&rule.name),
            place: Arc::clone(&rule.place),
            word: rule.word,
            fit: rule.fit(&facts),
        };
        self.rules.iter().map(considered).collect()
    }

    fn by_default(&self, subject: &Subject<'_>) -> Ruling {
        let (word, why) = match (subject.tool, subject.level) {
            (Some(_), _) => (self.defaults.of(subject.effect), Why::Effect(subject.effect)),
            (None, Level::Critical) => (self.defaults.critical, Why::Risk(subject.level)),
            (None, level @ (Level::Low | Level::Medium | Level::High)) => {
                (Word::Allow, Why::Risk(level))
            }
        };
        Ruling { word, why, depends_on_arguments: false }
    }
}

impl Compiled {
    fn new(rule: &PolicyRule) -> Result<Self, RuleProblem> {
        let reading = match rule.word {
            Word::Allow => Reading::Strict,
            Word::Ask | Word::Deny => Reading::Loose,
        };
        let texts = |texts: &[String]| -> Result<Vec<Pattern>, RuleProblem> {
            let pattern = |text: &String| Pattern::new(text, reading);
            let compiled: Result<_, PatternProblem> = texts.iter().map(pattern).collect();
            compiled.map_err(|PatternProblem(text)| RuleProblem::Expression(text))
        };
        let names = |names: &[String]| -> Vec<Pattern> {
            names.iter().map(|name| Pattern::wildcard(name, reading)).collect()
        };
        let arguments = rule.arguments.iter();
        let arguments = arguments.map(|one| Ok((Key::new(&one.key), texts(&one.values)?)));
        if !rule.sql.is_empty() && rule.word == Word::Allow {
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

    fn ruling(&self) -> Ruling {
        let why = Why::Rule {
            name: Arc::clone(&self.name),
            place: Arc::clone(&self.place),
            because: self.because.clone(),
        };
        Ruling { word: self.word, why, depends_on_arguments: false }
    }

    /// The cheap parts first: most rules are about other tools.
    fn fit(&self, facts: &Facts<'_>) -> Fit {
        let mut specificity = Specificity::default();
        match &facts.tool {
            Some((server, tool)) => {
                let Some(closeness) = one_of(&self.servers, |pattern| server.fits(pattern)) else {
                    return Fit::No(RulePart::Server);
                };
                specificity.server = closeness;
                let Some(closeness) = one_of(&self.tools, |pattern| tool.fits(pattern)) else {
                    return Fit::No(RulePart::Tool);
                };
                specificity.tool = closeness;
            }
            // A program is judged by its risk. A rule without any would ask about every
            // program, also about those that call nothing.
            None if self.speaks_of_calls() => return Fit::No(RulePart::Program),
            None => {}
        }
        let in_force = |pattern: &Pattern| facts.profiles.iter().any(|name| name.fits(pattern));
        let Some(closeness) = one_of(&self.profiles, in_force) else {
            return Fit::No(RulePart::Profile);
        };
        specificity.profile = closeness;
        let Some(closeness) = self.fits_risk(facts.level) else { return Fit::No(RulePart::Risk) };
        specificity.risk = closeness;
        self.fit_arguments(facts, specificity)
    }

    fn fit_arguments(&self, facts: &Facts<'_>, mut specificity: Specificity) -> Fit {
        if self.arguments.is_empty() && self.sql.is_empty() {
            return Fit::Yes(specificity);
        }
        let Some(values) = facts.values() else {
            specificity.arguments = self.closest_arguments();
            return Fit::Could(specificity);
        };
        for (key, patterns) in &self.arguments {
            let fits = match self.word {
                Word::Allow => values.every(key, patterns),
                Word::Ask | Word::Deny => values.any(key, patterns),
            };
            let Some(closeness) = fits else { return Fit::No(RulePart::Arguments) };
            specificity.arguments.add(closeness);
        }
        if !self.sql.is_empty() {
            if !values.any_sql(&self.sql) {
                return Fit::No(RulePart::Sql);
            }
            specificity.arguments.add(Closeness::pattern(0));
        }
        Fit::Yes(specificity)
    }

    fn closest_arguments(&self) -> ArgumentCloseness {
        let mut all = ArgumentCloseness::default();
        for (_, patterns) in &self.arguments {
            all.add(patterns.iter().map(Pattern::closeness).max().unwrap_or_default());
        }
        if !self.sql.is_empty() {
            all.add(Closeness::pattern(0));
        }
        all
    }

    fn speaks_of_calls(&self) -> bool {
        let named = self.servers.len() + self.tools.len() + self.arguments.len() + self.sql.len();
        named > 0 || self.risk.is_none()
    }

    /// How many levels the rule leaves out, if it does not leave out this one.
    fn fits_risk(&self, level: Level) -> Option<u8> {
        let Some(bound) = self.risk else { return Some(0) };
        let holds = |level: Level| match self.word {
            Word::Allow => level <= bound,
            Word::Ask | Word::Deny => level >= bound,
        };
        // One more than what is left out: also `risk = "low"` on a denial says something.
        let left_out = Level::ALL.iter().filter(|&&other| !holds(other)).count();
        holds(level).then_some(1 + u8::try_from(left_out).unwrap_or(u8::MAX))
    }
}

/// Verbs of SQL after which something is gone or other than before.
const DESTROYING: [&str; 5] = ["drop", "delete", "truncate", "alter", "update"];

/// A verb of SQL that destroys, in an argument that holds SQL by its name.
pub fn destroying_sql(arguments: &Map<String, Value>) -> Option<&'static str> {
    fn texts<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::String(text) => found.push(text),
            Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
            Value::Object(object) => object.values().for_each(|value| texts(value, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut found = Vec::new();
    let holds_sql = |key: &str| {
        let key = key.to_ascii_lowercase();
        key.contains("sql") || ["query", "queries", "statement", "statements"].contains(&&*key)
    };
    let named = arguments.iter().filter(|(key, _)| holds_sql(key));
    named.for_each(|(_, value)| texts(value, &mut found));
    let lower: Vec<String> = found.into_iter().map(str::to_lowercase).collect();
    DESTROYING.into_iter().find(|verb| {
        let verbs = [(*verb).to_owned()];
        lower.iter().any(|text| sql::has_verb(text, &verbs))
    })
}

/// The closest of the patterns that match; without patterns, everything does.
fn one_of(patterns: &[Pattern], fits: impl Fn(&Pattern) -> bool) -> Option<Closeness> {
    if patterns.is_empty() {
        return Some(Closeness::default());
    }
    patterns.iter().filter(|pattern| fits(pattern)).map(Pattern::closeness).max()
}

#[cfg(test)]
mod tests;
