//! Texts with wildcards, and regular expressions.
//!
//! A pattern of a rule that asks or denies reads loosely: case and hidden characters do
//! not count, and an expression may match anywhere. One of a rule that allows reads
//! strictly: it must match the whole text as it is. Both take time linear in the text.

use std::borrow::Cow;

use memchr::memmem::Finder;
use regex::{Regex, RegexBuilder};
use tidegate_model::is_hidden;

use super::specificity::Closeness;

/// What a compiled expression may take in memory. Chosen: as for host commands.
const EXPRESSION_BYTES: usize = 256 * 1024;

/// What stands before a regular expression.
const EXPRESSION: &str = "regex:";

/// How a text is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// As it is, and as a whole.
    Strict,
    /// In any case and without hidden characters.
    Loose,
}

/// Not a regular expression, or one too large.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PatternProblem(pub(super) String);

/// One compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    reading: Reading,
    shape: Shape,
}

#[derive(Debug)]
enum Shape {
    Any,
    Exact(String),
    Parts(Parts),
    Expression(Regex),
}

/// The texts around and between wildcards; all may be empty.
#[derive(Debug)]
struct Parts {
    first: String,
    /// Prepared: a decision looks for many of them in the same texts.
    middle: Vec<Finder<'static>>,
    last: String,
    /// The characters of all.
    length: usize,
}

/// A text in both readings; the loose one is made once, and only if it differs.
#[derive(Debug)]
pub(super) struct Text<'a> {
    strict: Cow<'a, str>,
    loose: Option<String>,
}

impl Pattern {
    /// Reads a text with wildcards, or `regex:` and an expression.
    pub(super) fn new(text: &str, reading: Reading) -> Result<Self, PatternProblem> {
        let Some(expression) = text.strip_prefix(EXPRESSION) else {
            return Ok(Self::wildcard(text, reading));
        };
        let whole = match reading {
            // A group of its own: `a|b` must not become `\Aa|b\z`.
            Reading::Strict => Cow::from(format!(r"\A(?:{expression})\z")),
            Reading::Loose => Cow::from(expression),
        };
        let built = RegexBuilder::new(&whole)
            .size_limit(EXPRESSION_BYTES)
            // A line end must not end what a rule sees.
            .dot_matches_new_line(true)
            .case_insensitive(reading == Reading::Loose)
            .build();
        let expression = built.map_err(|_| PatternProblem(expression.to_owned()))?;
        Ok(Self { reading, shape: Shape::Expression(expression) })
    }

    /// Reads a text with wildcards.
    pub(super) fn wildcard(text: &str, reading: Reading) -> Self {
        let own = match reading {
            Reading::Strict => Cow::from(text),
            Reading::Loose => loosened(text).map_or(Cow::from(text), Cow::from),
        };
        let parts: Vec<&str> = own.split('*').collect();
        let shape = match parts.as_slice() {
            [first, middle @ .., last] if !parts.iter().all(|part| part.is_empty()) => {
                Shape::Parts(Parts {
                    first: (*first).to_owned(),
                    middle: middle.iter().map(|part| Finder::new(*part).into_owned()).collect(),
                    last: (*last).to_owned(),
                    length: parts.iter().map(|part| part.chars().count()).sum(),
                })
            }
            [_] => Shape::Exact(own.into_owned()),
            _ => Shape::Any,
        };
        Self { reading, shape }
    }

    pub(super) fn closeness(&self) -> Closeness {
        match &self.shape {
            Shape::Any => Closeness::Any,
            Shape::Exact(_) => Closeness::Exact,
            Shape::Parts(parts) => Closeness::pattern(parts.length),
            // What an expression leaves open cannot be counted.
            Shape::Expression(_) => Closeness::pattern(0),
        }
    }

    fn matches(&self, text: &str) -> bool {
        match &self.shape {
            Shape::Any => true,
            Shape::Exact(own) => own == text,
            Shape::Parts(parts) => parts.matches(text.as_bytes()),
            Shape::Expression(expression) => expression.is_match(text),
        }
    }
}

impl<'a> Text<'a> {
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

    pub(super) fn fits(&self, pattern: &Pattern) -> bool {
        pattern.matches(match pattern.reading {
            Reading::Strict => self.strict(),
            Reading::Loose => self.loose(),
        })
    }
}

/// In lower case and without hidden characters, if that is another text. Line ends stay.
fn loosened(text: &str) -> Option<String> {
    if text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase() && byte >= b' ') {
        return None;
    }
    let seen = |c: &char| c.is_whitespace() || !is_hidden(*c);
    Some(text.chars().filter(seen).flat_map(char::to_lowercase).collect())
}

impl Parts {
    /// Each part after the one before, the first at the start and the last at the end. The
    /// leftmost place for a part in the middle leaves the most for what follows.
    fn matches(&self, text: &[u8]) -> bool {
        let mut rest = text;
        // Most have a wildcard at both ends. To compare nothing is not free: it was measured
        // at 100 ns, nearly all of a decision.
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
    use super::{Pattern, PatternProblem, Reading, Text};

    fn fits(pattern: &str, reading: Reading, text: &str) -> bool {
        Text::new(text).fits(&Pattern::new(pattern, reading).unwrap())
    }

    #[test]
    fn a_wildcard_stands_for_any_characters_and_the_rest_for_itself() {
        for reading in [Reading::Strict, Reading::Loose] {
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
                assert_eq!(fits(pattern, reading, text), expected, "{pattern} {text:?}");
            }
        }
    }

    #[test]
    fn what_denies_sees_through_case_and_hidden_characters_and_what_allows_does_not() {
        for (pattern, text) in [
            ("/etc/*", "/ETC/shadow"),
            ("*ÜBER*", "die über"),
            ("drop*", "dr\u{200b}op table"),
            ("drop*", "\u{feff}DROP"),
            ("regex:^drop", "DROP table"),
            ("regex:shadow", "/etc/shadow"),
            ("regex:a.b", "a\nb"),
        ] {
            assert!(fits(pattern, Reading::Loose, text), "{pattern} {text:?}");
            let strict = pattern == "regex:a.b";
            assert_eq!(fits(pattern, Reading::Strict, text), strict, "{pattern} {text:?}");
        }
        assert!(fits("regex:a|b", Reading::Strict, "b"));
        assert!(!fits("regex:a|b", Reading::Strict, "bx"));
    }

    #[test]
    fn an_expression_that_is_wrong_or_too_large_is_refused() {
        for text in ["(", "(?=a)", r"(a)\1", r"\w{1000}{1000}"] {
            let problem = Pattern::new(&format!("regex:{text}"), Reading::Loose).unwrap_err();
            assert_eq!(problem, PatternProblem(text.into()));
        }
    }
}
