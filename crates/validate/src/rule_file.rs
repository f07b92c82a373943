//! Parses rule files.
//!
//! In: TOML. Out: rules, exceptions and examples, or an error with its line. Built-in and
//! user files have the same format. Unknown keys, invalid names, patterns that cannot match
//! and rules without a condition are errors: a rule that silently never fires is worse than
//! none.

use std::collections::BTreeMap;
use std::ops::Range;

use regex::RegexBuilder;
use serde::Deserialize;
use tidegate_model::reading::FactKind;
use tidegate_model::{Language, Severity};
use toml_edit::de::{Error, from_str};
use toml_edit::{Document, Item};

use crate::condition::{ArgumentSelector, Condition, FormName};
use crate::path_pattern::PathPattern;
use crate::rule::{Example, Exception, Expected, Matcher, Rule};
use crate::rule_file_error::{RuleFileError, SourceFile};
use crate::thresholds::Thresholds;

/// Maximum size of a compiled regular expression, in bytes. Chosen: the built-in ones need
/// a tenth.
const MAX_REGEX_BYTES: usize = 256 * 1024;

/// The content of a rule file.
#[derive(Debug, Default)]
pub(crate) struct RuleFile {
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
    /// For readers of the file: it is never shown.
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

/// Parses a rule file.
pub(crate) fn parse(file: SourceFile<'_>) -> Result<RuleFile, RuleFileError> {
    let raw: RawFile = from_str(file.text).map_err(|error| syntax_error(&file, &error))?;
    let document = Document::parse(file.text).ok();
    let spans = |table: &str| -> Vec<Range<usize>> {
        let tables =
            document.as_ref().and_then(|one| one.get(table)).and_then(Item::as_array_of_tables);
        tables.into_iter().flatten().map(|one| one.span().unwrap_or_default()).collect()
    };
    let (rules, exceptions) = (spans("rule"), spans("exception"));
    let span_at = |spans: &[Range<usize>], at: usize| spans.get(at).cloned().unwrap_or_default();
    let mut content = RuleFile::default();
    for (at, rule) in raw.rule.into_iter().enumerate() {
        let parser = EntryParser { file, span: span_at(&rules, at), id: rule.id.clone() };
        parser.rule(rule, &mut content)?;
    }
    for (at, exception) in raw.exception.into_iter().enumerate() {
        let parser = EntryParser { file, span: span_at(&exceptions, at), id: exception.id.clone() };
        parser.exception(exception, &mut content)?;
    }
    Ok(content)
}

fn syntax_error(file: &SourceFile<'_>, error: &Error) -> RuleFileError {
    // Only the first line: the rest quotes the file.
    let fact = error.message().lines().next().unwrap_or("not valid TOML");
    let hint = "see `docs/validation.md` for the format";
    RuleFileError::new(file, &error.span().unwrap_or_default(), fact, hint)
}

/// Parses one rule or exception.
struct EntryParser<'s> {
    file: SourceFile<'s>,
    span: Range<usize>,
    id: String,
}

impl EntryParser<'_> {
    fn error(&self, message: impl Into<String>, hint: impl Into<String>) -> RuleFileError {
        let message = format!("rule `{}`: {}", self.id, message.into());
        RuleFileError::new(&self.file, &self.span, message, hint)
    }

    fn rule(&self, raw: RawRule, into: &mut RuleFile) -> Result<(), RuleFileError> {
        self.check_id()?;
        if into.rules.iter().any(|rule| rule.id == raw.id) {
            return Err(self.error("the id is used twice", "choose another `id`"));
        }
        let matcher = self.matcher(raw.matcher)?;
        for (text, name) in [(&raw.what, "what"), (&raw.why, "why"), (&raw.instead, "instead")] {
            if text.trim().is_empty() {
                return Err(self.error(format!("`{name}` is empty"), "describe it in a few words"));
            }
        }
        if raw.bad.is_empty() {
            let hint = "add at least one program to `bad` that it must find";
            return Err(self.error("no example in `bad`", hint));
        }
        self.examples(&matcher, raw.bad, Expected::Finding, into);
        self.examples(&matcher, raw.good, Expected::NoFinding, into);
        let RawRule { id, severity, what, why, instead, .. } = raw;
        into.rules.push(Rule { id, severity, matcher, what, why, instead });
        Ok(())
    }

    fn exception(&self, raw: RawException, into: &mut RuleFile) -> Result<(), RuleFileError> {
        self.check_id()?;
        let matcher = self.matcher(raw.matcher)?;
        if raw.good.is_empty() {
            let hint = "add at least one program to `good` that it makes harmless";
            return Err(self.error("no example in `good`", hint));
        }
        self.examples(&matcher, raw.good, Expected::Harmless, into);
        self.examples(&matcher, raw.bad, Expected::Harmful, into);
        let rules = self.paths("rules", raw.rules)?;
        into.exceptions.push(Exception { rules, matcher, severity: raw.severity });
        Ok(())
    }

    fn check_id(&self) -> Result<(), RuleFileError> {
        let allowed =
            |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || "._".contains(one);
        match !self.id.is_empty() && self.id.len() <= 80 && self.id.chars().all(allowed) {
            true => Ok(()),
            false => Err(self.error(
                "invalid `id`",
                "use lower-case letters, digits, dots and underscores, such as `code.eval`",
            )),
        }
    }

    /// Adds examples, which are written in the first language of their rule.
    fn examples(
        &self,
        of: &Matcher,
        sources: Vec<String>,
        expected: Expected,
        into: &mut RuleFile,
    ) {
        let language = of.languages.first().copied().unwrap_or(Language::TypeScript);
        let example = |source| Example { id: self.id.clone(), language, source, expected };
        into.examples.extend(sources.into_iter().map(example));
    }

    fn matcher(&self, raw: RawMatcher) -> Result<Matcher, RuleFileError> {
        let mut measures = Thresholds::default();
        for (name, least) in &raw.measure {
            if !measures.add(name, *least) {
                let names: Vec<&str> = Thresholds::names().collect();
                let hint = format!("the measures are: {}", names.join(", "));
                return Err(self.error(format!("unknown measure `{name}`"), hint));
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
        if matcher.uses_only_measures() && matcher.measures.is_empty() {
            let hint = "set `path`, `kind` or `measure` in `match`";
            return Err(self.error("it matches everything", hint));
        }
        Ok(matcher)
    }

    fn paths(&self, key: &str, texts: Vec<String>) -> Result<Vec<PathPattern>, RuleFileError> {
        let parse = |text: String| {
            PathPattern::parse(&text).ok_or_else(|| {
                let hint = "write names separated by dots, such as `fs.rm*` or `**.__proto__`";
                self.error(format!("`{text}` in `{key}` is not a valid path"), hint)
            })
        };
        texts.into_iter().map(parse).collect()
    }

    fn condition(&self, raw: RawCondition) -> Result<Condition, RuleFileError> {
        let regex = |text: &String| {
            RegexBuilder::new(text).size_limit(MAX_REGEX_BYTES).build().map_err(|error| {
                let fact = error.to_string().lines().last().unwrap_or_default().to_owned();
                self.error(
                    format!("`{text}` is not a valid regular expression: {fact}"),
                    "correct it",
                )
            })
        };
        let key = raw.key.map(|key| key.split('.').map(str::to_owned).collect());
        let condition = Condition {
            at: raw.at.map_or(ArgumentSelector::Any, ArgumentSelector::Index),
            key: key.unwrap_or_default(),
            text: raw.text.iter().map(regex).collect::<Result<_, _>>()?,
            from: self.paths("from", raw.from)?,
            over: raw.over,
            catastrophic: raw.explodes,
            form: raw.form,
            not: raw.not,
        };
        let has_condition = !condition.text.is_empty()
            || !condition.from.is_empty()
            || !condition.form.is_empty()
            || condition.over.is_some()
            || condition.catastrophic;
        match has_condition {
            true => Ok(condition),
            false => Err(self.error(
                "a condition on an argument is empty",
                "set `text`, `from`, `form`, `over` or `explodes`",
            )),
        }
    }
}
