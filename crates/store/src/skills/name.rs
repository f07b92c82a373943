//! Names of skills: which ones are valid, and the nearest valid one.

use std::fmt;

use crate::skills::error::SkillError;

/// Longest name, as in the Agent Skills format.
const MAX_CHARACTERS: usize = 64;

/// A name that is safe as the name of a folder: lower-case letters, digits and hyphens,
/// not starting with a hyphen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkillName(String);

impl SkillName {
    /// Checks a name. The error has the nearest valid name.
    pub fn parse(given: &str) -> Result<Self, SkillError> {
        let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        let fits = (1..=MAX_CHARACTERS).contains(&given.len())
            && given.bytes().all(allowed)
            && !given.starts_with('-');
        if fits {
            return Ok(Self(given.to_owned()));
        }
        Err(SkillError::BadName { given: clipped(given), nearest: nearest_form(given) })
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Untrusted text, short and harmless wherever it is shown.
pub(super) fn clipped(given: &str) -> String {
    let end = given.floor_char_boundary(100);
    let cut = if end < given.len() { "…" } else { "" };
    format!("{}{cut}", given[..end].escape_debug())
}

/// Turns `Count Words`, `countWords` and `count_words.py` into `count-words`.
fn nearest_form(given: &str) -> Option<String> {
    let given = given.strip_suffix(".py").or_else(|| given.strip_suffix(".ts")).unwrap_or(given);
    let mut name = String::new();
    let mut after_small = false;
    for character in given.chars() {
        if name.len() >= MAX_CHARACTERS {
            break;
        }
        let is_letter = character.is_ascii_alphanumeric();
        let is_border = !is_letter || (after_small && character.is_ascii_uppercase());
        if is_border && !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if is_letter {
            name.push(character.to_ascii_lowercase());
        }
        after_small = character.is_ascii_lowercase();
    }
    name.truncate(MAX_CHARACTERS);
    let name = name.trim_matches('-');
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::SkillName;
    use crate::skills::SkillError;

    #[test]
    fn names_that_are_safe_as_folders_are_taken_as_they_are() {
        for name in ["a", "0", "count-words", "a-", &"x".repeat(64)] {
            assert_eq!(SkillName::parse(name).unwrap().as_str(), name);
        }
    }

    #[test]
    fn other_names_are_refused_with_the_nearest_allowed_one() {
        let nearest = |given: &str| match SkillName::parse(given) {
            Err(SkillError::BadName { nearest, .. }) => nearest,
            other => panic!("{given}: {other:?}"),
        };
        for (given, form) in [
            ("Count Words", "count-words"),
            ("countWords", "count-words"),
            ("count_words.py", "count-words"),
            ("-count", "count"),
            ("../../etc/passwd", "etc-passwd"),
            ("a/b", "a-b"),
            ("a\0b", "a-b"),
            ("SKILL.md", "skill-md"),
            ("caf\u{e9}", "caf"),
        ] {
            assert_eq!(nearest(given).as_deref(), Some(form), "{given}");
        }
        assert_eq!(nearest(&"x".repeat(65)), Some("x".repeat(64)));
        for nothing in ["", ".", "..", "-", "\u{202e}", "日本"] {
            assert_eq!(nearest(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn a_refused_name_is_shown_without_effect_and_not_at_length() {
        let Err(SkillError::BadName { given, .. }) = SkillName::parse("\u{1b}[2J") else {
            panic!("allowed")
        };
        assert_eq!(given, "\\u{1b}[2J");
        let Err(error) = SkillName::parse(&"X".repeat(1_000_000)) else { panic!("allowed") };
        assert!(error.to_string().len() < 400, "{error}");
    }
}
