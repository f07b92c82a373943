//! Rule files: TOML into rules, exceptions and examples, or an error with its place.
//!
//! The form is the same for ours and for those of users. An unknown key, a name that
//! is none, a pattern that cannot match and a rule that is about nothing are errors:
//! a rule that silently never fires is worse than none.

use std::collections::BTreeMap;
use std::ops::Range;

use regex::RegexBuilder;
use serde::Deserialize;
use tidegate_model::reading::FactKind;
use tidegate_model::{Language, Severity};
use toml_edit::de::{Error, from_str};
use toml_edit::{Document, Item};

use crate::condition::{At, Condition, FormName};
use crate::error::{RuleError, SourceFile};
use crate::path_pattern::PathPattern;
use crate::rule::{Example, Exception, Expected, Matcher, Rule};
use crate::thresholds::Thresholds;

/// Largest compiled expression of a rule, in bytes. Chosen: ours take a tenth.
const REGEX_BYTES: usize = 256 * 1024;

/// What a file holds.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) rules: Vec<Rule>,
    pub(crate) exceptions: Vec<Exception>,
    pub(crate) examples: Vec<Example>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(default)]
    rule: Vec<RawRule>,
    #[serde(default)]
    exception: Vec<RawException>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    id: String,
    severity: Severity,
    what: String,
    why: String,
    instead: String,
    #[serde(default)]
    bad: Vec<String>,
    #[serde(default)]
    good: Vec<String>,
    #[serde(rename = "match")]
    matcher: RawMatcher,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawException {
    id: String,
    rules: Vec<String>,
    severity: Option<Severity>,
    /// For people: it is told nowhere.
    #[serde(rename = "why")]
    _why: String,
    #[serde(default)]
    bad: Vec<String>,
    #[serde(default)]
    good: Vec<String>,
    #[serde(rename = "match")]
    matcher: RawMatcher,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMatcher {
    #[serde(default)]
    language: Vec<Language>,
    #[serde(default)]
    kind: Vec<FactKind>,
    #[serde(default)]
    path: Vec<String>,
    #[serde(default)]
    argument: Vec<RawCondition>,
    hidden: Option<bool>,
    repeated: Option<bool>,
    #[serde(default)]
    along_with: Vec<String>,
    #[serde(default)]
    without: Vec<String>,
    #[serde(default)]
    measure: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCondition {
    at: Option<usize>,
    key: Option<String>,
    #[serde(default)]
    text: Vec<String>,
    #[serde(default)]
    from: Vec<String>,
    over: Option<f64>,
    #[serde(default)]
    explodes: bool,
    #[serde(default)]
    form: Vec<FormName>,
    #[serde(default)]
    not: bool,
}

/// Reads a rule file.
pub(crate) fn parse(file: SourceFile<'_>) -> Result<Parsed, RuleError> {
    let raw: RawFile = from_str(file.text).map_err(|error| unreadable(&file, &error))?;
    let document = Document::parse(file.text).ok();
    let spans = |table: &str| -> Vec<Range<usize>> {
        let tables =
            document.as_ref().and_then(|one| one.get(table)).and_then(Item::as_array_of_tables);
        tables.into_iter().flatten().map(|one| one.span().unwrap_or_default()).collect()
    };
    let (rules, exceptions) = (spans("rule"), spans("exception"));
    let place = |spans: &[Range<usize>], at: usize| spans.get(at).cloned().unwrap_or_default();
    let mut parsed = Parsed::default();
    for (at, rule) in raw.rule.into_iter().enumerate() {
        let reader = Reader { file, span: place(&rules, at), id: rule.id.clone() };
        reader.rule(rule, &mut parsed)?;
    }
    for (at, exception) in raw.exception.into_iter().enumerate() {
        let reader = Reader { file, span: place(&exceptions, at), id: exception.id.clone() };
        reader.exception(exception, &mut parsed)?;
    }
    Ok(parsed)
}

fn unreadable(file: &SourceFile<'_>, error: &Error) -> RuleError {
    // The first line only: the rest of it quotes the file.
    let fact = error.message().lines().next().unwrap_or("not valid TOML");
    let hint = "write it as `docs/validation.md` says";
    RuleError::new(file, &error.span().unwrap_or_default(), fact, hint)
}

/// Reads one rule or exception.
struct Reader<'s> {
    file: SourceFile<'s>,
    span: Range<usize>,
    id: String,
}

impl Reader<'_> {
    fn error(&self, message: impl Into<String>, hint: impl Into<String>) -> RuleError {
        let message = format!("rule `{}`: {}", self.id, message.into());
        RuleError::new(&self.file, &self.span, message, hint)
    }

    fn rule(&self, raw: RawRule, into: &mut Parsed) -> Result<(), RuleError> {
        self.check_id()?;
        if into.rules.iter().any(|rule| rule.id == raw.id) {
            return Err(self.error("there is another one of this name", "give it another `id`"));
        }
        let matcher = self.matcher(raw.matcher)?;
        for (text, name) in [(&raw.what, "what"), (&raw.why, "why"), (&raw.instead, "instead")] {
            if text.trim().is_empty() {
                return Err(self.error(format!("`{name}` is empty"), "say it in a few words"));
            }
        }
        if raw.bad.is_empty() {
            let hint = "give at least one program in `bad` that it must find";
            return Err(self.error("it has no example", hint));
        }
        self.examples(&matcher, raw.bad, Expected::Finding, into);
        self.examples(&matcher, raw.good, Expected::NoFinding, into);
        let RawRule { id, severity, what, why, instead, .. } = raw;
        into.rules.push(Rule { id, severity, matcher, what, why, instead });
        Ok(())
    }

    fn exception(&self, raw: RawException, into: &mut Parsed) -> Result<(), RuleError> {
        self.check_id()?;
        let matcher = self.matcher(raw.matcher)?;
        if raw.good.is_empty() {
            let hint = "give at least one program in `good` that it makes harmless";
            return Err(self.error("it has no example", hint));
        }
        self.examples(&matcher, raw.good, Expected::Harmless, into);
        self.examples(&matcher, raw.bad, Expected::Harmful, into);
        let rules = self.paths("rules", raw.rules)?;
        into.exceptions.push(Exception { rules, matcher, severity: raw.severity });
        Ok(())
    }

    fn check_id(&self) -> Result<(), RuleError> {
        let allowed =
            |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || "._".contains(one);
        match !self.id.is_empty() && self.id.len() <= 80 && self.id.chars().all(allowed) {
            true => Ok(()),
            false => Err(self.error(
                "`id` is no name",
                "use small letters, digits, dots and underscores, such as `code.eval`",
            )),
        }
    }

    /// An example is written in the first language of its rule.
    fn examples(&self, of: &Matcher, sources: Vec<String>, expected: Expected, into: &mut Parsed) {
        let language = of.languages.first().copied().unwrap_or(Language::TypeScript);
        let example = |source| Example { id: self.id.clone(), language, source, expected };
        into.examples.extend(sources.into_iter().map(example));
    }

    fn matcher(&self, raw: RawMatcher) -> Result<Matcher, RuleError> {
        let mut measures = Thresholds::default();
        for (name, least) in &raw.measure {
            if !measures.add(name, *least) {
                let names: Vec<&str> = Thresholds::names().collect();
                let hint = format!("the measures are: {}", names.join(", "));
                return Err(self.error(format!("there is no measure `{name}`"), hint));
            }
        }
        let conditions = raw.argument.into_iter().map(|one| self.condition(one));
        let matcher = Matcher {
            languages: raw.language,
            kinds: raw.kind,
            paths: self.paths("path", raw.path)?,
            conditions: conditions.collect::<Result<_, _>>()?,
            hidden: raw.hidden,
            repeated: raw.repeated,
            along_with: self.paths("along_with", raw.along_with)?,
            without: self.paths("without", raw.without)?,
            measures,
        };
        if matcher.is_about_counts() && matcher.measures.is_empty() {
            let hint = "give `path`, `kind` or `measure` in `match`";
            return Err(self.error("it is about everything", hint));
        }
        Ok(matcher)
    }

    fn paths(&self, key: &str, texts: Vec<String>) -> Result<Vec<PathPattern>, RuleError> {
        let parse = |text: String| {
            PathPattern::parse(&text).ok_or_else(|| {
                let hint = "write names with dots between them, such as `fs.rm*` or `**.__proto__`";
                self.error(format!("`{text}` in `{key}` is no path"), hint)
            })
        };
        texts.into_iter().map(parse).collect()
    }

    fn condition(&self, raw: RawCondition) -> Result<Condition, RuleError> {
        let regex = |text: &String| {
            RegexBuilder::new(text).size_limit(REGEX_BYTES).build().map_err(|error| {
                let fact = error.to_string().lines().last().unwrap_or_default().to_owned();
                self.error(format!("`{text}` is no regular expression: {fact}"), "mend it")
            })
        };
        let key = raw.key.map(|key| key.split('.').map(str::to_owned).collect());
        let condition = Condition {
            at: raw.at.map_or(At::Any, At::Place),
            key: key.unwrap_or_default(),
            text: raw.text.iter().map(regex).collect::<Result<_, _>>()?,
            from: self.paths("from", raw.from)?,
            over: raw.over,
            explodes: raw.explodes,
            form: raw.form,
            not: raw.not,
        };
        let asks = !condition.text.is_empty()
            || !condition.from.is_empty()
            || !condition.form.is_empty()
            || condition.over.is_some()
            || condition.explodes;
        match asks {
            true => Ok(condition),
            false => Err(self.error(
                "a condition on an argument asks nothing",
                "give `text`, `from`, `form`, `over` or `explodes`",
            )),
        }
    }
}
