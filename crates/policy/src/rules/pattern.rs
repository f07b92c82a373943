//! Wildcard patterns and regular expressions.
//!
//! In: a pattern and a text. Out: whether they match, and how precise the pattern is.
//! Patterns of rules that ask or deny match loosely: case and hidden characters are
//! ignored, and a regular expression may match anywhere. Patterns of rules that allow match
//! strictly: the whole text, exactly as it is. Both take time linear in the text.

use std::borrow::Cow;

use memchr::memmem::Finder;
use regex::{Regex, RegexBuilder};
use tidegate_model::is_hidden;

use super::specificity::Precision;

/// Maximum memory of a compiled regular expression. Chosen: as for host commands.
const MAX_REGEX_BYTES: usize = 256 * 1024;

/// The prefix of a regular expression.
const REGEX_PREFIX: &str = "regex:";

/// How a pattern is compared with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchMode {
    /// The whole text, as it is.
    Strict,
    /// Ignoring case and hidden characters.
    Loose,
}

/// An invalid regular expression, or one that is too large.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PatternProblem(pub(super) String);

/// One compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    mode: MatchMode,
    kind: PatternKind,
}

#[derive(Debug)]
enum PatternKind {
    Any,
    Exact(String),
    WildcardParts(WildcardParts),
    Expression(Regex),
}

/// The texts around and between wildcards. Any of them may be empty.
#[derive(Debug)]
struct WildcardParts {
    first: String,
    /// Prebuilt: one decision searches the same texts for many of them.
    middle: Vec<Finder<'static>>,
    last: String,
    /// The characters of all parts.
    length: usize,
}

/// A text in both forms; the loose one is built once, and only if it differs.
#[derive(Debug)]
pub(super) struct MatchText<'a> {
    strict: Cow<'a, str>,
    loose: Option<String>,
}

impl Pattern {
    /// Compiles a wildcard pattern, or a regular expression after `regex:`.
    pub(super) fn new(text: &str, mode: MatchMode) -> Result<Self, PatternProblem> {
        let Some(expression) = text.strip_prefix(REGEX_PREFIX) else {
            return Ok(Self::wildcard(text, mode));
        };
        let whole = match mode {
            // A group of its own: `a|b` must not become `\Aa|b\z`.
            MatchMode::Strict => Cow::from(format!(r"\A(?:{expression})\z")),
            MatchMode::Loose => Cow::from(expression),
        };
        let built = RegexBuilder::new(&whole)
            .size_limit(MAX_REGEX_BYTES)
            // A line break must not hide the rest of a text from a rule.
            .dot_matches_new_line(true)
            .case_insensitive(mode == MatchMode::Loose)
            .build();
        let expression = built.map_err(|_| PatternProblem(expression.to_owned()))?;
        Ok(Self { mode, kind: PatternKind::Expression(expression) })
    }

    /// Compiles a wildcard pattern.
    pub(super) fn wildcard(text: &str, mode: MatchMode) -> Self {
        let own = match mode {
            MatchMode::Strict => Cow::from(text),
            MatchMode::Loose => loosened(text).map_or(Cow::from(text), Cow::from),
        };
        let parts: Vec<&str> = own.split('*').collect();
        let kind = match parts.as_slice() {
            [first, middle @ .., last] if !parts.iter().all(|part| part.is_empty()) => {
                PatternKind::WildcardParts(WildcardParts {
                    first: (*first).to_owned(),
                    middle: middle.iter().map(|part| Finder::new(*part).into_owned()).collect(),
                    last: (*last).to_owned(),
                    length: parts.iter().map(|part| part.chars().count()).sum(),
                })
            }
            [_] => PatternKind::Exact(own.into_owned()),
            _ => PatternKind::Any,
        };
        Self { mode, kind }
    }

    pub(super) fn precision(&self) -> Precision {
        match &self.kind {
            PatternKind::Any => Precision::Any,
            PatternKind::Exact(_) => Precision::Exact,
            PatternKind::WildcardParts(parts) => Precision::pattern(parts.length),
            // How much a regular expression leaves open cannot be counted.
            PatternKind::Expression(_) => Precision::pattern(0),
        }
    }

    fn matches(&self, text: &str) -> bool {
        match &self.kind {
            PatternKind::Any => true,
            PatternKind::Exact(own) => own == text,
            PatternKind::WildcardParts(parts) => parts.matches(text.as_bytes()),
            PatternKind::Expression(expression) => expression.is_match(text),
        }
    }
}

impl<'a> MatchText<'a> {
    pub(super) fn new(text: impl Into<Cow<'a, str>>) -> Self {
        let strict = text.into();
        let loose = loosened(&strict);
        Self { strict, loose }
    }

    pub(super) fn strict(&self) -> &str {
        &self.strict
    }

    pub(super) fn loose(&self) -> &str {
        self.loose.as_deref().unwrap_or(&self.strict)
    }

    pub(super) fn into_loose(self) -> String {
        self.loose.unwrap_or_else(|| self.strict.into_owned())
    }

    pub(super) fn fits(&self, pattern: &Pattern) -> bool {
        pattern.matches(match pattern.mode {
            MatchMode::Strict => self.strict(),
            MatchMode::Loose => self.loose(),
        })
    }
}

/// The text in lower case and without hidden characters, if that differs. Line breaks stay.
fn loosened(text: &str) -> Option<String> {
    if text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase() && byte >= b' ') {
        return None;
    }
    let seen = |c: &char| c.is_whitespace() || !is_hidden(*c);
    Some(text.chars().filter(seen).flat_map(char::to_lowercase).collect())
}

impl WildcardParts {
    /// Each part must follow the previous one, the first at the start and the last at the
    /// end. Taking the leftmost match of a middle part leaves the most for the rest.
    fn matches(&self, text: &[u8]) -> bool {
        let mut rest = text;
        // Most patterns have a wildcard at both ends. Comparing an empty part is not free: it
        // was measured at 100 ns, nearly all of a decision.
        if !self.first.is_empty() {
            let Some(behind) = rest.strip_prefix(self.first.as_bytes()) else { return false };
            rest = behind;
        }
        if !self.last.is_empty() {
            let Some(before) = rest.strip_suffix(self.last.as_bytes()) else { return false };
            rest = before;
        }
        for part in &self.middle {
            let Some(at) = part.find(rest) else { return false };
            rest = rest.get(at + part.needle().len()..).unwrap_or_default();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{MatchMode, MatchText, Pattern, PatternProblem};

    fn fits(pattern: &str, mode: MatchMode, text: &str) -> bool {
        MatchText::new(text).fits(&Pattern::new(pattern, mode).unwrap())
    }

    #[test]
    fn a_wildcard_matches_any_characters_and_the_rest_is_literal() {
        for mode in [MatchMode::Strict, MatchMode::Loose] {
            for (pattern, text, expected) in [
                ("*", "", true),
                ("", "", true),
                ("", "a", false),
                ("a*", "a", true),
                ("a*", "ba", false),
                ("*a", "ba", true),
                ("*a", "ab", false),
                ("a*a", "a", false),
                ("a*a", "aa", true),
                ("*b*c*", "abxcx", true),
                ("*b*c*", "acxbx", false),
                ("a**b", "ab", true),
                ("a.b", "axb", false),
                ("a?b", "axb", false),
                ("/etc/*", "/etc/a\nb", true),
                ("*ü*", "über", true),
            ] {
                assert_eq!(fits(pattern, mode, text), expected, "{pattern} {text:?}");
            }
        }
    }

    #[test]
    fn denials_ignore_case_and_hidden_characters_and_allowances_do_not() {
        for (pattern, text) in [
            ("/etc/*", "/ETC/shadow"),
            ("*ÜBER*", "die über"),
            ("drop*", "dr\u{200b}op table"),
            ("drop*", "\u{feff}DROP"),
            ("regex:^drop", "DROP table"),
            ("regex:shadow", "/etc/shadow"),
            ("regex:a.b", "a\nb"),
        ] {
            assert!(fits(pattern, MatchMode::Loose, text), "{pattern} {text:?}");
            let strict = pattern == "regex:a.b";
            assert_eq!(fits(pattern, MatchMode::Strict, text), strict, "{pattern} {text:?}");
        }
        assert!(fits("regex:a|b", MatchMode::Strict, "b"));
        assert!(!fits("regex:a|b", MatchMode::Strict, "bx"));
    }

    #[test]
    fn an_invalid_or_oversized_regular_expression_is_refused() {
        for text in ["(", "(?=a)", r"(a)\1", r"\w{1000}{1000}"] {
            let problem = Pattern::new(&format!("regex:{text}"), MatchMode::Loose).unwrap_err();
            assert_eq!(problem, PatternProblem(text.into()));
        }
    }
}
