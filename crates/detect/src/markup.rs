//! Values in HTML and XML, named by their element or attribute.
//!
//! In: the offset right after a `>`, or the `=` of `value="…"`. Out: a candidate for the value.
//! Understands `<lastName>Quux</lastName>`, `<p class="company">Quux</p>`,
//! `<dt>Phone</dt><dd>…`, `<input name="password" value="…">`. Searches a bounded distance back.

use memchr::{memchr, memrchr, memrchr2};

use crate::keyed_value::{self, Outcome};
use crate::keys::KeyClass;
use crate::scan::Scan;

/// How far back a tag may begin.
const REACH: usize = 160;
/// How long a value may be.
const VALUE: usize = 300;

/// Reads the text of an element that starts at `start`, after the `>`.
#[cold]
#[inline(never)]
pub(crate) fn element(scan: &mut Scan<'_>, text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let close = start.checked_sub(1)?;
    let from = close.saturating_sub(REACH);
    let open = from + memrchr2(b'<', b'>', bytes.get(from..close)?)?;
    let tag = text.get(open + 1..close).filter(|_| bytes.get(open) == Some(&b'<'))?;
    let name = tag.split([' ', '\n', '\t']).next().unwrap_or_default();
    let class = match name {
        "dd" | "td" => preceding_header(scan, text, open),
        _ => by_attribute(scan, tag),
    };
    let class = class.or_else(|| informative(scan.key(name)))?;
    let length = memchr(b'<', bytes.get(start..bytes.len().min(start + VALUE))?)?;
    value(scan, text, start, start + length, class)
}

/// Reads `value="…"` or `content="…"` at the `=`, beside `name="…"` in the same tag.
pub(crate) fn attribute(scan: &mut Scan<'_>, text: &str, sign: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let start = sign + 2;
    let quote = *bytes.get(sign + 1)?;
    let from = sign.saturating_sub(REACH);
    let open = from + memrchr2(b'<', b'>', bytes.get(from..sign)?)?;
    if bytes.get(open) != Some(&b'<') || !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let class = by_attribute(scan, text.get(open + 1..sign)?)?;
    let length = memchr(quote, bytes.get(start..bytes.len().min(start + VALUE))?)?;
    value(scan, text, start, start + length, class)
}

fn value(
    scan: &mut Scan<'_>,
    text: &str,
    start: usize,
    end: usize,
    class: KeyClass,
) -> Option<usize> {
    (keyed_value::value(scan, text, start, end, class) == Outcome::Consumed).then_some(end)
}

/// The class of the `dt` or `th` right before.
fn preceding_header(scan: &mut Scan<'_>, text: &str, open: usize) -> Option<KeyClass> {
    let before = text.get(..open)?.trim_ascii_end();
    let head = before.strip_suffix("</dt>").or_else(|| before.strip_suffix("</th>"))?;
    let bytes = head.as_bytes();
    let from = bytes.len().saturating_sub(48);
    let start = from + memrchr(b'>', bytes.get(from..)?)? + 1;
    informative(scan.key(head.get(start..)?.trim_end_matches([':', ' '])))
}

/// The class of `class`, `name`, `itemprop` or `id`.
fn by_attribute(scan: &mut Scan<'_>, tag: &str) -> Option<KeyClass> {
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
            if let Some(class) = informative(scan.key(word)) {
                return Some(class);
            }
        }
    }
    None
}

fn informative(class: KeyClass) -> Option<KeyClass> {
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
    use tidegate_model::TextKind;

    use crate::testing::found_as;

    fn found(text: &str) -> Vec<&str> {
        found_as(text, TextKind::Auto)
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
