//! Reads a policy file into rules.
//!
//! In: the tree. Out: the defaults and the rules, with every name in them known. A rule that
//! could never match is refused, since its author relies on it.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};
use tidegate_model::{
    ArgumentRule, Decision, Effect, PolicyDefaults, PolicyExample, PolicyRule, RiskLevel,
    did_you_mean, visible_line,
};

use crate::error::{ConfigError, ConfigErrorKind};
use crate::keys::key::{Format, listed};
use crate::keys::policy::{
    DefaultsKey, EXAMPLE, ExampleKey, POLICY, POLICY_DEFAULTS, POLICY_TOP, PolicyKey, PolicyTopKey,
    RULE, RuleKey,
};
use crate::read::node::{Entry, Node, Value};
use crate::read::raw::RawText;
use crate::read::reader::{Reader, Unknown};
use crate::read::source::Source;
use crate::read::value::Reading;
use crate::settings::policy_source::PolicySource;

/// Length limits of a rule's name and reason in characters; models and people see both.
/// Chosen: one line, and a few sentences.
const LONGEST_NAME: usize = 80;
const LONGEST_REASON: usize = 500;

/// Reads a whole file.
pub(crate) fn read(
    source: &Source,
    format: Format,
    root: &Node,
    known: &PolicySource,
) -> Result<(PolicyDefaults, Vec<PolicyRule>), ConfigError> {
    let reader = PolicyReader { reader: Reader::new(source, format), known };
    let Value::Object(entries) = &root.value else { return Ok(Default::default()) };
    let mut defaults = PolicyDefaults::default();
    let mut rules = Vec::new();
    let scope = " at the top level of a policy";
    for (key, entry) in reader.reader.known(POLICY_TOP, entries, scope, Unknown::Refused)? {
        let reading = reader.reader.reading(key, entry, "");
        match key.id {
            PolicyTopKey::Defaults => defaults = reader.defaults(reading.section()?)?,
            PolicyTopKey::Rules => rules = reader.rules(&reading)?,
        }
    }
    Ok((defaults, rules))
}

impl<'a> Reader<'a> {
    /// `[policy]` of a configuration.
    pub(crate) fn policy(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `policy`";
        for (key, entry) in self.known(POLICY, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            match key.id {
                PolicyKey::File => self.raw.policy_file = Some(reading.text()?),
            }
        }
        Ok(())
    }
}

struct PolicyReader<'a> {
    reader: Reader<'a>,
    known: &'a PolicySource,
}

impl PolicyReader<'_> {
    fn defaults(&self, entries: &[Entry]) -> Result<PolicyDefaults, ConfigError> {
        let mut defaults = PolicyDefaults::default();
        let scope = " in `defaults`";
        for (key, entry) in self.reader.known(POLICY_DEFAULTS, entries, scope, Unknown::Refused)? {
            let word = word(&self.reader.reading(key, entry, scope))?;
            match key.id {
                DefaultsKey::ReadOnly => defaults.read_only = word,
                DefaultsKey::Additive => defaults.additive = word,
                DefaultsKey::Destructive => defaults.destructive = word,
                DefaultsKey::Unknown => defaults.unknown = word,
                DefaultsKey::Critical => defaults.critical = word,
            }
        }
        Ok(defaults)
    }

    fn rules(&self, reading: &Reading<'_>) -> Result<Vec<PolicyRule>, ConfigError> {
        let mut rules: Vec<PolicyRule> = Vec::new();
        let mut first: BTreeMap<String, String> = BTreeMap::new();
        for (index, (entries, offset)) in reading.sections()?.into_iter().enumerate() {
            let rule = self.rule(entries, offset, index)?;
            if let Some(place) = first.insert(rule.name.clone(), rule.place.clone()) {
                let message = format!("two rules are called `{}`, the first at {place}", rule.name);
                return Err(self.error(ConfigErrorKind::NameClash, offset, message));
            }
            rules.push(rule);
        }
        Ok(rules)
    }

    fn rule(
        &self,
        entries: &[Entry],
        offset: usize,
        index: usize,
    ) -> Result<PolicyRule, ConfigError> {
        let scope = format!(" in rule {}", index + 1);
        let (mut name, mut said) = (None, None);
        let mut rule =
            PolicyRule { place: self.place(offset), ..PolicyRule::new("", Decision::Deny) };
        for (key, entry) in self.reader.known(RULE, entries, &scope, Unknown::Refused)? {
            let reading = self.reader.reading(key, entry, &scope);
            match key.id {
                RuleKey::Name => name = Some(text_shown(&reading, LONGEST_NAME)?),
                RuleKey::Decision => said = Some(word(&reading)?),
                RuleKey::Server => rule.servers = self.named(&reading, &self.known.servers)?,
                RuleKey::Tool => rule.tools = self.tools(&reading)?,
                RuleKey::Profile => rule.profiles = self.named(&reading, &self.known.profiles)?,
                RuleKey::Arguments => rule.arguments = self.arguments(&reading)?,
                RuleKey::Sql => rule.sql = verbs(&reading)?,
                RuleKey::Risk => rule.risk = Some(level(&reading)?),
                RuleKey::Because => rule.because = Some(text_shown(&reading, LONGEST_REASON)?),
                RuleKey::Example => {
                    for (entries, offset) in reading.sections()? {
                        rule.examples.push(self.example(entries, offset, &scope)?);
                    }
                }
            }
        }
        rule.name = name.ok_or_else(|| self.missing("name", &scope, offset))?;
        rule.word = said.ok_or_else(|| self.missing("decision", &scope, offset))?;
        Ok(rule)
    }

    fn example(
        &self,
        entries: &[Entry],
        offset: usize,
        scope: &str,
    ) -> Result<PolicyExample, ConfigError> {
        let scope = format!(" in an example{scope}");
        let mut expected = None;
        let mut example = PolicyExample {
            call: None,
            arguments: None,
            profiles: vec![self.known.profile.clone()],
            risk: RiskLevel::Low,
            effect: Effect::Unknown,
            expected: Decision::Deny,
            place: self.place(offset),
        };
        for (key, entry) in self.reader.known(EXAMPLE, entries, &scope, Unknown::Refused)? {
            let reading = self.reader.reading(key, entry, &scope);
            match key.id {
                ExampleKey::Call => example.call = Some(self.call(&reading)?),
                ExampleKey::Arguments => {
                    example.arguments = Some(object(&reading, reading.section()?)?);
                }
                ExampleKey::Profile => {
                    example.profiles = self.named(&reading, &self.known.profiles)?;
                }
                ExampleKey::Risk => example.risk = level(&reading)?,
                ExampleKey::Effect => {
                    let words = Effect::ALL.map(|effect| (effect.as_str(), effect));
                    example.effect = reading.one_of(&words)?;
                }
                ExampleKey::Decision => expected = Some(word(&reading)?),
            }
        }
        example.expected = expected.ok_or_else(|| self.missing("decision", &scope, offset))?;
        Ok(example)
    }

    /// `server__tool` of a configured server.
    fn call(&self, reading: &Reading<'_>) -> Result<String, ConfigError> {
        let written = reading.text()?;
        let text = written.text.expose();
        let Some((server, tool)) = text.split_once("__").filter(|(_, tool)| !tool.is_empty())
        else {
            let message = format!("{} is not `server__tool`", written.label);
            return Err(reading.error(ConfigErrorKind::BadValue, message));
        };
        if tool.contains('*') {
            let message = format!("{} has a `*`, and an example is one call", written.label);
            return Err(reading.error(ConfigErrorKind::BadValue, message));
        }
        self.check_known(server, &written, &self.known.servers)?;
        Ok(text.clone())
    }

    /// Names with wildcards; a name without a wildcard must be known.
    fn named(&self, reading: &Reading<'_>, known: &[String]) -> Result<Vec<String>, ConfigError> {
        let name = |written: RawText| {
            let text = written.text.expose().clone();
            if !text.contains('*') {
                self.check_known(&text, &written, known)?;
            }
            Ok(text)
        };
        reading.texts()?.into_iter().map(name).collect()
    }

    fn check_known(
        &self,
        name: &str,
        written: &RawText,
        known: &[String],
    ) -> Result<(), ConfigError> {
        if known.iter().any(|known| known == name) {
            return Ok(());
        }
        let message = format!("{} names `{name}`, which is not configured", written.label);
        let mut error = self.error(ConfigErrorKind::BadName, written.offset, message);
        let near = did_you_mean(name, known.iter().map(String::as_str));
        let names: Vec<&str> = known.iter().map(String::as_str).collect();
        let all = (!names.is_empty()).then(|| format!("there are {}", listed(&names)));
        error.hint = near.or(all);
        Err(error)
    }

    /// Tool names as their server spells them. A name with the server's name before it would
    /// never match.
    fn tools(&self, reading: &Reading<'_>) -> Result<Vec<String>, ConfigError> {
        let tool = |written: RawText| {
            let text = written.text.expose().clone();
            let of_server = text.split_once("__").map(|(server, _)| server);
            if of_server.is_some_and(|name| self.known.servers.iter().any(|known| known == name)) {
                let message = format!("{} begins with the name of a server", written.label);
                let error = self.error(ConfigErrorKind::BadValue, written.offset, message);
                return Err(error.with_hint("write the server as `server` and the rest as `tool`"));
            }
            if text.is_empty() {
                let message = format!("{} is empty", written.label);
                return Err(self.error(ConfigErrorKind::BadValue, written.offset, message));
            }
            Ok(text)
        };
        reading.texts()?.into_iter().map(tool).collect()
    }

    fn arguments(&self, reading: &Reading<'_>) -> Result<Vec<ArgumentRule>, ConfigError> {
        let mut rules = Vec::new();
        for (key, values) in reading.texts_map()? {
            // `*` is allowed only as the whole key: `a.*` would mean a key of that name.
            let odd = key != "*" && (key.contains('*') || key.split('.').any(str::is_empty));
            if odd {
                let message = format!("{} has a key that is not a path", reading.label());
                let error = reading.error(ConfigErrorKind::BadValue, message);
                return Err(error.with_hint("write `\"*\"`, or names with dots between them"));
            }
            let values = values.into_iter().map(|value| value.text.expose().clone()).collect();
            rules.push(ArgumentRule { key, values });
        }
        Ok(rules)
    }

    fn missing(&self, key: &str, scope: &str, offset: usize) -> ConfigError {
        self.error(ConfigErrorKind::BadValue, offset, format!("there is no `{key}`{scope}"))
    }

    fn error(&self, kind: ConfigErrorKind, offset: usize, message: String) -> ConfigError {
        self.reader.source.error(kind, offset, message)
    }

    /// File name and line, without folders: models see where a rule is.
    fn place(&self, offset: usize) -> String {
        let place = self.reader.source.place(offset);
        let file = place.file.file_name().unwrap_or(place.file.as_os_str());
        format!("{}:{}", file.display(), place.line)
    }
}

fn word(reading: &Reading<'_>) -> Result<Decision, ConfigError> {
    reading.one_of(&Decision::ALL.map(|word| (word.as_str(), word)))
}

fn level(reading: &Reading<'_>) -> Result<RiskLevel, ConfigError> {
    reading.one_of(&RiskLevel::ALL.map(|level| (level.as_str(), level)))
}

/// A text that is shown to people and models.
fn text_shown(reading: &Reading<'_>, longest: usize) -> Result<String, ConfigError> {
    let text = reading.text()?.text.expose().clone();
    let problem = if text.trim().is_empty() {
        "is empty".to_owned()
    } else if text.chars().count() > longest {
        format!("is longer than {longest} characters")
    } else if *visible_line(&text) != *text {
        "has an invisible character".to_owned()
    } else {
        return Ok(text);
    };
    Err(reading.error(ConfigErrorKind::BadValue, format!("{} {problem}", reading.label())))
}

fn verbs(reading: &Reading<'_>) -> Result<Vec<String>, ConfigError> {
    let verb = |written: RawText| {
        let text = written.text.expose().clone();
        if text.is_empty() || !text.chars().all(|c| c.is_ascii_alphabetic()) {
            let message = format!("{} is not one word", written.label);
            let error = reading.error(ConfigErrorKind::BadValue, message);
            return Err(error.with_hint("write verbs such as `drop`"));
        }
        Ok(text)
    };
    reading.texts()?.into_iter().map(verb).collect()
}

/// The arguments of an example.
fn object(reading: &Reading<'_>, entries: &[Entry]) -> Result<Map<String, Json>, ConfigError> {
    entries.iter().map(|entry| Ok((entry.key.clone(), json(reading, &entry.node)?))).collect()
}

fn json(reading: &Reading<'_>, node: &Node) -> Result<Json, ConfigError> {
    Ok(match &node.value {
        Value::Null => Json::Null,
        Value::Bool(flag) => Json::Bool(*flag),
        Value::Integer(number) => Json::from(*number),
        Value::Text(text) => Json::String(text.clone()),
        Value::List(items) => {
            Json::Array(items.iter().map(|item| json(reading, item)).collect::<Result<_, _>>()?)
        }
        Value::Object(entries) => Json::Object(object(reading, entries)?),
        Value::Fraction | Value::Date => {
            let message = format!("{} has a fraction or a date", reading.label());
            let error = reading.source.error(ConfigErrorKind::WrongType, node.span.start, message);
            return Err(error.with_hint("write a whole number, or text"));
        }
    })
}
