//! The front matter of a SKILL.md: `name`, `description` and `triggers`.
//!
//! The subset of YAML that people write there: `key: value` with a plain, quoted or
//! folded value, and lists in one line or in several. Other keys are skipped. Front
//! matter written here reads back unchanged.

use tidegate_model::cleaned_line;

/// Longest description, as in the Agent Skills format.
pub(super) const DESCRIPTION_CHARACTERS: usize = 1024;
/// How many triggers, and how long one may be. Chosen: they are a few words each.
const TRIGGERS: usize = 32;
const TRIGGER_CHARACTERS: usize = 128;

/// The parsed front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FrontMatter {
    pub(super) name: String,
    /// In one line, without invisible characters.
    pub(super) description: String,
    pub(super) triggers: Vec<String>,
}

impl FrontMatter {
    /// The front matter of a text, or what is wrong with it.
    pub(super) fn read(text: &str) -> Result<Self, &'static str> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = text.lines();
        if lines.next().map(str::trim_end) != Some("---") {
            return Err("does not begin with a line `---`");
        }
        let mut head = Vec::new();
        loop {
            match lines.next().map(str::trim_end) {
                None => return Err("has no second line `---`, which ends its head"),
                Some("---") => break,
                Some(line) => head.push(line),
            }
        }
        let scalar = |key| entry(&head, key).map(|(first, rest)| scalar(first, rest));
        let name = scalar("name").ok_or("has no `name` in its head")?;
        let description = scalar("description").ok_or("has no `description` in its head")?;
        let description = cleaned_line(&description);
        if description.is_empty() {
            return Err("has an empty `description`");
        }
        if description.chars().count() > DESCRIPTION_CHARACTERS {
            return Err("has a `description` of more than 1,024 characters");
        }
        let triggers: Vec<String> = entry(&head, "triggers")
            .map(|(first, rest)| list(first, rest))
            .unwrap_or_default()
            .iter()
            .map(|trigger| cleaned_line(trigger))
            .filter(|trigger| !trigger.is_empty())
            .collect();
        let long = |trigger: &String| trigger.chars().count() > TRIGGER_CHARACTERS;
        if triggers.len() > TRIGGERS || triggers.iter().any(long) {
            return Err("has more than 32 `triggers`, or one of more than 128 characters");
        }
        Ok(Self { name, description, triggers })
    }

    /// The front matter as text, including both lines `---`.
    pub(super) fn write(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let triggers: Vec<String> = self.triggers.iter().map(|trigger| quoted(trigger)).collect();
        let Self { name, description, .. } = self;
        // YAML reads some names as a number or as `true`; in quotes they are text.
        format!(
            "---\nname: {}\ndescription: {}\ntriggers: [{}]\n---\n",
            quoted(name),
            quoted(description),
            triggers.join(", ")
        )
    }
}

/// The value of an unindented key, and the lines after it that belong to it.
fn entry<'a, 'b>(head: &'b [&'a str], key: &str) -> Option<(&'a str, &'b [&'a str])> {
    let value = |line: &&'a str| line.strip_prefix(key)?.trim_start().strip_prefix(':');
    let at = head.iter().position(|line| value(line).is_some())?;
    let rest = &head[at + 1..];
    // A list may be unindented too.
    let belongs = |line: &&str| line.is_empty() || line.starts_with([' ', '\t', '-']);
    let end = rest.iter().position(|line| !belongs(line)).unwrap_or(rest.len());
    Some((value(&head[at])?.trim(), &rest[..end]))
}

fn scalar(first: &str, rest: &[&str]) -> String {
    // `|` and `>` with their modifiers only say how lines are joined; we join them all.
    let first = if first.starts_with(['|', '>']) { "" } else { first };
    let lines = [first].into_iter().chain(rest.iter().map(|line| line.trim()));
    unquoted(lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ").trim())
}

fn list(first: &str, rest: &[&str]) -> Vec<String> {
    if let Some(inner) = first.strip_prefix('[') {
        let whole = [inner].into_iter().chain(rest.iter().map(|line| line.trim()));
        let whole = whole.collect::<Vec<_>>().join(" ");
        let inner = whole.trim_end().strip_suffix(']').unwrap_or(&whole);
        return items(inner).into_iter().map(unquoted).collect();
    }
    let item = |line: &&str| line.trim_start().strip_prefix('-').map(|item| unquoted(item.trim()));
    rest.iter().filter_map(item).collect()
}

/// The items of a list in one line. A comma inside quotes does not separate items.
fn items(inner: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quote, mut escaped) = (0, None, false);
    for (at, character) in inner.char_indices() {
        match (quote, character) {
            _ if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(open), close) if open == close => quote = None,
            (None, '"' | '\'') if inner[start..at].trim().is_empty() => quote = Some(character),
            (None, ',') => {
                parts.push(inner[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(inner[start..].trim());
    parts
}

fn unquoted(text: &str) -> String {
    if text.starts_with('"')
        && let Ok(text) = serde_json::from_str(text)
    {
        return text;
    }
    let inner = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    match inner {
        Some(inner) => inner.replace("''", "'"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::FrontMatter;

    fn front(name: &str, description: &str, triggers: &[&str]) -> FrontMatter {
        let triggers = triggers.iter().map(|&trigger| trigger.to_owned()).collect();
        FrontMatter { name: name.into(), description: description.into(), triggers }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for matter in [
            front("a", "Plain", &[]),
            front(
                "true",
                "quote \" and \\ and --- and: more # no comment",
                &["a, b", "c\", d", "'"],
            ),
            front("x-1", "日本 é", &["one"]),
        ] {
            let text = format!("{}\nThe text.\n", matter.write());
            assert_eq!(FrontMatter::read(&text), Ok(matter));
        }
    }

    #[test]
    fn heads_as_people_write_them_are_read() {
        let expected =
            front("pdf", "Reads a PDF. Use when there is one.", &["read a pdf", "forms"]);
        for text in [
            "---\nname: pdf\ndescription: Reads a PDF. Use when there is one.\ntriggers: [read a pdf, forms]\n---\n",
            "---\r\nname: 'pdf'\r\ndescription: >-\r\n  Reads a PDF.\r\n  Use when there is one.\r\nlicense: MIT\r\ntriggers:\r\n  - read a pdf\r\n  - \"forms\"\r\n---\r\nText",
            "\u{feff}---\nmetadata:\n  name: other\nname: pdf\ntriggers:\n- read a pdf\n- forms\ndescription: |\n  Reads a PDF.\n\n  Use when there is one.\n---",
        ] {
            assert_eq!(FrontMatter::read(text), Ok(expected.clone()), "{text}");
        }
    }

    #[test]
    fn a_damaged_head_is_told_apart() {
        let long = format!("---\nname: a\ndescription: {}\n---\n", "x".repeat(1025));
        let triggers =
            format!("---\nname: a\ndescription: b\ntriggers: [{}]\n---", "a,".repeat(40));
        for (text, problem) in [
            ("", "does not begin with a line `---`"),
            ("# Title\n---\n", "does not begin with a line `---`"),
            ("---\nname: a\n", "has no second line `---`, which ends its head"),
            ("---\ndescription: b\n---\n", "has no `name` in its head"),
            ("---\nname: a\n---\ndescription: b\n", "has no `description` in its head"),
            ("---\nname: a\ndescription: \"\u{202e}\"\n---\n", "has an empty `description`"),
            (&long, "has a `description` of more than 1,024 characters"),
            (&triggers, "has more than 32 `triggers`, or one of more than 128 characters"),
        ] {
            assert_eq!(FrontMatter::read(text), Err(problem));
        }
    }

    #[test]
    fn a_description_cannot_hide_anything() {
        let text = "---\nname: a\ndescription: \"one\\u202e\\u001b[2J\\ntwo\"\n---\n";
        assert_eq!(FrontMatter::read(text).unwrap().description, "one two");
    }
}
