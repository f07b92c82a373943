//! Expands variables in texts.
//!
//! `${NAME}`, `${NAME:-default}`, `${env:NAME}` and `${workspaceFolder}` are
//! replaced. A `$` before anything but `{` is left unchanged, and so is `$$`; before
//! a `{`, `$${` writes a plain `${`.
//! Inserted text is not expanded again: a variable cannot refer to another one.

use std::path::Path;

use crate::environment::Environment;
use crate::error::{ConfigError, ConfigErrorKind};
use crate::read::raw::RawText;
use crate::read::source::Source;

/// The sources of variables.
pub(crate) struct Expander<'a> {
    pub(crate) source: &'a Source,
    pub(crate) env: &'a Environment,
    /// The value of `${workspaceFolder}`.
    pub(crate) workspace: &'a Path,
}

impl Expander<'_> {
    /// The text with its variables replaced; no longer marked as secret.
    pub(crate) fn expand(&self, written: &RawText) -> Result<String, ConfigError> {
        let mut rest = written.text.expose().as_str();
        let mut expanded = String::with_capacity(rest.len());
        while let Some(at) = rest.find("${") {
            let (before, from_dollar) = rest.split_at(at);
            if let Some(before) = before.strip_suffix('$') {
                expanded.push_str(before);
                expanded.push_str("${");
                rest = &from_dollar[2..];
                continue;
            }
            expanded.push_str(before);
            let Some((inside, after)) = from_dollar[2..].split_once('}') else {
                return Err(self
                    .error(ConfigErrorKind::BadVariable, written, "has a `${` without its `}`")
                    .with_hint("write `$${` for a plain `${`"));
            };
            expanded.push_str(&self.variable(inside, written)?);
            rest = after;
        }
        expanded.push_str(rest);
        if expanded.contains('\0') {
            return Err(self.error(ConfigErrorKind::BadValue, written, "has a NUL character"));
        }
        Ok(expanded)
    }

    /// The value of the text between the braces.
    fn variable(&self, inside: &str, written: &RawText) -> Result<String, ConfigError> {
        if inside == "workspaceFolder" {
            return Ok(self.workspace.to_string_lossy().into_owned());
        }
        if inside.starts_with("input:") {
            return Err(self
                .error(ConfigErrorKind::BadVariable, written, "asks for an `${input:...}`")
                .with_hint("only VS Code can ask; use a variable such as `${API_KEY}`"));
        }
        let named = inside.strip_prefix("env:").unwrap_or(inside);
        let (name, default) = match named.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (named, None),
        };
        // The text between the braces is not shown: it may be a secret.
        if !is_name(name) || default.is_some_and(|default| default.contains("${")) {
            return Err(self
                .error(
                    ConfigErrorKind::BadVariable,
                    written,
                    "has a `${...}` that is not a \
                                                               variable",
                )
                .with_hint("write `${NAME}` or `${NAME:-default}`, or `$${` for a plain `${`"));
        }
        // As in a shell: with `:-`, an empty variable counts as not set.
        match (self.env.get(name), default) {
            (Some(""), Some(default)) | (None, Some(default)) => Ok(default.to_owned()),
            (Some(value), _) => Ok(value.to_owned()),
            (None, None) => {
                let fact = format!("needs the variable `{name}`, which is not set");
                Err(self.error(ConfigErrorKind::UnsetVariable, written, &fact).with_hint(format!(
                    "export `{name}`, or write a default: `${{{name}:-default}}`"
                )))
            }
        }
    }

    fn error(&self, kind: ConfigErrorKind, written: &RawText, fact: &str) -> ConfigError {
        self.source.error(kind, written.offset, format!("{} {fact}", written.label))
    }
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tidegate_model::Secret;

    use super::Expander;
    use crate::Environment;
    use crate::read::raw::RawText;
    use crate::read::source::Source;

    fn expand(text: &str) -> Result<String, String> {
        let source = Source::from_bytes(Path::new("tidegate.toml"), Vec::new()).unwrap();
        let env = Environment::from_pairs([
            ("USER", "ann"),
            ("EMPTY", ""),
            ("TRICK", "${USER}"),
            ("NUL", "a\0b"),
        ]);
        let expander = Expander { source: &source, env: &env, workspace: Path::new("/p") };
        let written = RawText {
            text: Secret::new(text.into()),
            offset: 0,
            label: "`url` in server `x`".into(),
        };
        expander.expand(&written).map_err(|error| error.to_string())
    }

    #[test]
    fn variables_are_replaced_in_every_accepted_form() {
        assert_eq!(expand("a${USER}b${env:USER}c").unwrap(), "aannbannc");
        assert_eq!(expand("${NOBODY:-you}${env:NOBODY:-}${USER:-you}").unwrap(), "youann");
        assert_eq!(expand("${workspaceFolder}/bin").unwrap(), "/p/bin");
        assert_eq!(expand("[${EMPTY}][${EMPTY:-full}]").unwrap(), "[][full]");
    }

    #[test]
    fn other_dollars_stay_as_they_are() {
        assert_eq!(expand("pa$$word $USER $ $").unwrap(), "pa$$word $USER $ $");
        assert_eq!(expand("$${USER} $$${USER}").unwrap(), "${USER} $${USER}");
    }

    #[test]
    fn a_value_is_not_expanded_again() {
        assert_eq!(expand("${TRICK}").unwrap(), "${USER}");
    }

    #[test]
    fn an_unset_variable_is_named() {
        assert_eq!(
            expand("secret-${NOBODY}").unwrap_err(),
            "error[config.unset_variable]: `url` in server `x` needs the variable `NOBODY`, which \
             is not set\n  at tidegate.toml:1:1\n\
             hint: export `NOBODY`, or write a default: `${NOBODY:-default}`"
        );
    }

    #[test]
    fn an_input_of_vs_code_is_refused() {
        assert_eq!(
            expand("${input:key}").unwrap_err(),
            "error[config.bad_variable]: `url` in server `x` asks for an `${input:...}`\n  \
             at tidegate.toml:1:1\n\
             hint: only VS Code can ask; use a variable such as `${API_KEY}`"
        );
    }

    #[test]
    fn what_is_no_variable_is_refused_without_being_shown() {
        for text in ["${}", "${a b}", "${1A}", "${command:x}", "${A:-${B}}", "${A-b}"] {
            assert_eq!(
                expand(text).unwrap_err(),
                "error[config.bad_variable]: `url` in server `x` has a `${...}` that is not a \
                 variable\n\
                   \x20 at tidegate.toml:1:1\n\
                 hint: write `${NAME}` or `${NAME:-default}`, or `$${` for a plain `${`",
                "{text}"
            );
        }
        assert_eq!(
            expand("hunter2${USER").unwrap_err(),
            "error[config.bad_variable]: `url` in server `x` has a `${` without its `}`\n  \
             at tidegate.toml:1:1\nhint: write `$${` for a plain `${`"
        );
    }

    #[test]
    fn a_nul_character_is_refused() {
        assert_eq!(
            expand("${NUL}").unwrap_err(),
            "error[config.bad_value]: `url` in server `x` has a NUL character\n  \
             at tidegate.toml:1:1"
        );
    }
}
