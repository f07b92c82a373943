//! Values in HTML and XML whose element or attribute says what they are.
//!
//! In: a place right behind a `>`, or the `=` of `value="…"`. Out: a find for the value.
//! `<lastName>Quux</lastName>`, `<p class="company">Quux</p>`, `<dt>Phone</dt><dd>…`,
//! `<input name="password" value="…">`. Looks a bounded way back.

use memchr::{memchr, memrchr, memrchr2};

use super::keys::KeyClass;
use super::labelled::{self, Reading};
use super::run::Run;

/// How far a tag reaches back.
const REACH: usize = 160;
/// How long a value may be.
const VALUE: usize = 300;

/// Reads the text of an element that starts at `start`, behind the `>`.
#[cold]
#[inline(never)]
pub(super) fn element(run: &mut Run<'_>, text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let close = start.checked_sub(1)?;
    let from = close.saturating_sub(REACH);
    let open = from + memrchr2(b'<', b'>', bytes.get(from..close)?)?;
    let tag = text.get(open + 1..close).filter(|_| bytes.get(open) == Some(&b'<'))?;
    let name = tag.split([' ', '\n', '\t']).next().unwrap_or_default();
    let class = match name {
        "dd" | "td" => told_before(run, text, open),
        _ => by_attribute(run, tag),
    };
    let class = class.or_else(|| telling(run.key(name)))?;
    let length = memchr(b'<', bytes.get(start..bytes.len().min(start + VALUE))?)?;
    value(run, text, start, start + length, class)
}

/// Reads `value="…"` or `content="…"` at the `=`, beside `name="…"` in the same tag.
pub(super) fn attribute(run: &mut Run<'_>, text: &str, sign: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let start = sign + 2;
    let quote = *bytes.get(sign + 1)?;
    let from = sign.saturating_sub(REACH);
    let open = from + memrchr2(b'<', b'>', bytes.get(from..sign)?)?;
    if bytes.get(open) != Some(&b'<') || !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let class = by_attribute(run, text.get(open + 1..sign)?)?;
    let length = memchr(quote, bytes.get(start..bytes.len().min(start + VALUE))?)?;
    value(run, text, start, start + length, class)
}

fn value(
    run: &mut Run<'_>,
    text: &str,
    start: usize,
    end: usize,
    class: KeyClass,
) -> Option<usize> {
    (labelled::value(run, text, start, end, class) == Reading::Done).then_some(end)
}

/// What the `dt` or `th` right before says.
fn told_before(run: &mut Run<'_>, text: &str, open: usize) -> Option<KeyClass> {
    let before = text.get(..open)?.trim_ascii_end();
    let head = before.strip_suffix("</dt>").or_else(|| before.strip_suffix("</th>"))?;
    let bytes = head.as_bytes();
    let from = bytes.len().saturating_sub(48);
    let start = from + memrchr(b'>', bytes.get(from..)?)? + 1;
    telling(run.key(head.get(start..)?.trim_end_matches([':', ' '])))
}

/// What `class`, `name`, `itemprop` or `id` say.
fn by_attribute(run: &mut Run<'_>, tag: &str) -> Option<KeyClass> {
    for (place, _) in tag.match_indices("=\"").take(6) {
        let (key, rest) = tag.split_at(place);
        let named = ["class", "name", "itemprop", "id", "property"]
            .iter()
            .any(|name| key.strip_suffix(name).is_some_and(|before| before.ends_with([' ', '\n'])));
        if !named {
            continue;
        }
        let words = rest.get(2..)?.split('"').next().unwrap_or_default();
        for word in words.split(' ').take(4) {
            if let Some(class) = telling(run.key(word)) {
                return Some(class);
            }
        }
    }
    None
}

fn telling(class: KeyClass) -> Option<KeyClass> {
    matches!(
        class,
        KeyClass::Person
            | KeyClass::Role
            | KeyClass::Org
            | KeyClass::Phone
            | KeyClass::Address
            | KeyClass::Birth
            | KeyClass::Password
            | KeyClass::Token
            | KeyClass::Ssn
            | KeyClass::NationalId
            | KeyClass::Custom
    )
    .then_some(class)
}

#[cfg(test)]
mod tests {
    use tidegate_model::{Detect, TextKind};

    use crate::{Detector, Options};

    fn found(text: &str) -> Vec<&str> {
        let detector = Detector::new(Options::default()).unwrap();
        detector.scan(text, TextKind::Auto).iter().map(|span| &text[span.range()]).collect()
    }

    #[test]
    fn elements_and_attributes_say_what_their_values_are() {
        assert_eq!(
            found("<person><firstName>Zyxa</firstName><lastName>Quux</lastName></person>"),
            ["Zyxa", "Quux"]
        );
        assert_eq!(found("<p class=\"card company\">Quux</p>"), ["Quux"]);
        assert_eq!(found("<dl><dt>Employer</dt><dd>Quux</dd></dl>"), ["Quux"]);
        assert_eq!(
            found("<input type=\"password\" name=\"password\" value=\"Kaktus7758!\">"),
            ["Kaktus7758!"]
        );
    }

    #[test]
    fn other_elements_are_text() {
        assert!(found("<li class=\"item\">Quux</li><h1>Pricing Plans</h1><b>Quux</b>").is_empty());
        assert!(found("<input name=\"colour\" value=\"Blue77xyz\">").is_empty());
    }
}
