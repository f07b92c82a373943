//! Reads JSON with its keys, without building a tree.
//!
//! In: a JSON document. Out: finds with places in the raw bytes. A stack of the open
//! objects, at most `DEPTH` deep, remembers what the keys around say: `name` inside
//! `customer` is a person, inside `product` it is not. Where nothing says, the other
//! keys of the object decide at its end. Tolerant: a document that is cut off is read
//! as far as it goes.

use tidegate_model::DataType;

use super::class::{byte_at, near};
use super::columns::Columns;
use super::escape;
use super::keys::KeyClass;
use super::labelled::{self, Reading};
use super::name_value::may_be_name;
use super::run::{LABELLED, Run};
use super::text;

/// Deeper objects are read, but their keys are judged without the keys around.
const DEPTH: usize = 48;
/// JSON inside strings inside JSON.
pub(super) const NESTED: u8 = 4;

/// What the keys of an object say it is about.
#[derive(Clone, Copy, Default)]
struct Frame {
    object: bool,
    /// The class that strings directly inside a list have.
    list: Option<KeyClass>,
    about: About,
    /// A `name` that waits for the other keys.
    waiting: Option<(usize, usize)>,
    person_keys: u8,
    thing_keys: u8,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum About {
    #[default]
    Unknown,
    Person,
    Org,
    Thing,
}

/// The text is no JSON from this place on.
pub(super) struct NotJson(pub(super) usize);

/// Scans a document.
pub(super) fn scan(run: &mut Run<'_>, document: &str, nested: u8) -> Result<(), NotJson> {
    let bytes = document.as_bytes();
    let mut stack = [Frame::default(); DEPTH];
    let mut depth = 0_usize;
    let mut key: Option<KeyClass> = None;
    let mut columns = Columns::default();
    let mut at = 0;
    while at < bytes.len() {
        match byte_at(bytes, at) {
            b' ' | b'\n' | b'\r' | b'\t' => at += 1,
            b',' => {
                key = None;
                if depth == columns.depth {
                    columns.next();
                }
                at += 1;
            }
            b':' => at += 1,
            open @ (b'{' | b'[') => {
                let parent = stack.get(depth.min(DEPTH - 1)).copied().unwrap_or_default();
                depth += 1;
                if open == b'[' {
                    columns.open(run, document, at, depth);
                }
                if let Some(frame) = stack.get_mut(depth) {
                    *frame = child(parent, key, open == b'{');
                }
                key = None;
                at += 1;
            }
            b'}' | b']' => {
                if let Some(frame) = stack.get_mut(depth) {
                    close(run, document, frame);
                }
                depth = depth.saturating_sub(1);
                if depth < columns.floor {
                    columns = Columns::default();
                }
                key = None;
                at += 1;
            }
            b'"' => {
                let (end, escaped) = string_end(bytes, at + 1);
                let mut next = end + 1;
                while matches!(byte_at(bytes, next), b' ' | b'\n' | b'\r' | b'\t') {
                    next += 1;
                }
                let mut spare = Frame::default();
                let frame = stack.get_mut(depth).unwrap_or(&mut spare);
                if byte_at(bytes, next) == b':' && key.is_none() && (frame.object || depth >= DEPTH)
                {
                    let raw = document.get(at + 1..end).unwrap_or_default();
                    let class =
                        if raw == "value" { said_before(run, document, at) } else { run.key(raw) };
                    note(frame, class);
                    key = Some(class);
                    if may_be_value(raw) {
                        let place = (at + 1, end, escaped);
                        let unkeyed = &mut Frame::default();
                        string(run, document, place, unkeyed, None, nested);
                    }
                    at = next + 1;
                    continue;
                }
                if depth == columns.depth && key.is_none() {
                    key = columns.class();
                }
                string(run, document, (at + 1, end, escaped), frame, key, nested);
                key = None;
                at = end + 1;
            }
            b'-' | b'0'..=b'9' => {
                let start = at;
                while matches!(byte_at(bytes, at), b'-' | b'+' | b'.' | b'0'..=b'9' | b'e' | b'E') {
                    at += 1;
                }
                if at - start >= 7 {
                    let class = key
                        .or_else(|| if depth == columns.depth { columns.class() } else { None })
                        .or_else(|| stack.get(depth).and_then(|frame| frame.list))
                        .unwrap_or(KeyClass::Unknown);
                    labelled::number(run, document, start, at, class);
                }
                key = None;
            }
            _ => {
                let rest = bytes.get(at..).unwrap_or_default();
                let word = [&b"true"[..], b"false", b"null", b"NaN", b"Infinity"]
                    .into_iter()
                    .find(|word| rest.starts_with(word));
                match word {
                    Some(word) => at += word.len(),
                    None => return Err(NotJson(at)),
                }
                key = None;
            }
        }
    }
    // Cut off: what waits is decided with what was seen.
    while depth > 0 {
        if let Some(frame) = stack.get_mut(depth) {
            close(run, document, frame);
        }
        depth = depth.min(DEPTH) - 1;
    }
    Ok(())
}

/// What `value` is, by the pair before it: `{"type": "phone", "value": …}`.
#[inline(never)]
fn said_before(run: &mut Run<'_>, document: &str, at: usize) -> KeyClass {
    const NAMING: [&str; 6] = ["type", "system", "kind", "label", "name", "field"];
    let from = super::class::floor_char(document, at.saturating_sub(80));
    let word = document.get(from..at).and_then(|before| {
        let before = before.trim_ascii_end().strip_suffix(',')?.trim_ascii_end();
        let (before, word) = before.strip_suffix('"')?.rsplit_once('"')?;
        let before = before.trim_ascii_end().strip_suffix(':')?.trim_ascii_end();
        let (_, key) = before.strip_suffix('"')?.rsplit_once('"')?;
        NAMING.contains(&key).then_some(word)
    });
    let class = word.map_or(KeyClass::Unknown, |word| run.key(word));
    match class {
        KeyClass::Person
        | KeyClass::Org
        | KeyClass::Phone
        | KeyClass::Email
        | KeyClass::Address
        | KeyClass::Birth
        | KeyClass::Password
        | KeyClass::Token
        | KeyClass::Auth
        | KeyClass::Ssn
        | KeyClass::NationalId
        | KeyClass::Card
        | KeyClass::Iban => class,
        _ => KeyClass::Unknown,
    }
}

/// Whether a key may be somebody's: maps have addresses, numbers and names for keys.
fn may_be_value(key: &str) -> bool {
    /// No number of anybody has fewer digits.
    const LEAST_DIGITS: usize = 6;
    let mut digits = 0;
    key.bytes().any(|byte| {
        digits += usize::from(byte.is_ascii_digit());
        matches!(byte, b'@' | b' ' | b'\\' | b'%') || byte >= 0x80 || digits >= LEAST_DIGITS
    })
}

/// The end of the string that starts at `from`, and whether it holds escapes.
fn string_end(bytes: &[u8], from: usize) -> (usize, bool) {
    let mut at = from;
    let mut escaped = false;
    loop {
        match near(bytes, at, b'"', b'\\') {
            None => return (bytes.len(), escaped),
            Some(found) if byte_at(bytes, found) == b'"' => return (found, escaped),
            Some(found) => {
                escaped = true;
                at = found + 2;
            }
        }
        if at >= bytes.len() {
            return (bytes.len(), escaped);
        }
    }
}

fn about(class: KeyClass) -> About {
    match class {
        KeyClass::Role | KeyClass::Person => About::Person,
        KeyClass::Org => About::Org,
        KeyClass::Thing | KeyClass::Version => About::Thing,
        _ => About::Unknown,
    }
}

fn child(parent: Frame, key: Option<KeyClass>, object: bool) -> Frame {
    let class = key.or(parent.list);
    let mut own = class.map_or(About::Unknown, about);
    if own == About::Unknown && !parent.object {
        own = parent.about;
    }
    Frame { object, list: if object { None } else { class }, about: own, ..Frame::default() }
}

fn note(frame: &mut Frame, class: KeyClass) {
    match class {
        KeyClass::Person
        | KeyClass::Phone
        | KeyClass::Email
        | KeyClass::Birth
        | KeyClass::Ssn
        | KeyClass::Address
        | KeyClass::NationalId
        | KeyClass::Iban => frame.person_keys += u8::from(frame.person_keys < 9),
        KeyClass::Thing | KeyClass::Version => frame.thing_keys += u8::from(frame.thing_keys < 9),
        _ => {}
    }
}

/// At the end of an object: the name that waits is a person's if the other keys are.
fn close(run: &mut Run<'_>, document: &str, frame: &mut Frame) {
    if let Some((start, end)) = frame.waiting.take()
        && frame.person_keys > 0
        && frame.person_keys >= frame.thing_keys
        && document.get(start..end).is_some_and(may_be_name)
    {
        run.add(start, end, DataType::Person, LABELLED);
    }
}

fn string(
    run: &mut Run<'_>,
    document: &str,
    (start, end, escaped): (usize, usize, bool),
    frame: &mut Frame,
    key: Option<KeyClass>,
    nested: u8,
) {
    if end <= start {
        return;
    }
    let class = match key.or(frame.list).unwrap_or(KeyClass::Unknown) {
        KeyClass::Name => match frame.about {
            About::Person => KeyClass::Person,
            About::Org => KeyClass::Org,
            About::Thing => KeyClass::Thing,
            About::Unknown => KeyClass::Name,
        },
        class => class,
    };
    if escaped {
        escape::scan(run, document, start, end, class, nested);
        return;
    }
    if class == KeyClass::Name {
        frame.waiting = Some((start, end));
    }
    value(run, document, start, end, class, nested);
}

/// A string without escapes, under a key of this class.
pub(super) fn value(
    run: &mut Run<'_>,
    document: &str,
    start: usize,
    end: usize,
    class: KeyClass,
    nested: u8,
) {
    if class != KeyClass::Unknown
        && labelled::value(run, document, start, end, class) == Reading::Done
    {
        return;
    }
    let Some(piece) = document.get(start..end) else { return };
    let base = run.base;
    let quiet = std::mem::replace(
        &mut run.quiet,
        piece.len() < 80
            && matches!(class, KeyClass::Thing | KeyClass::Place | KeyClass::Login | KeyClass::Id),
    );
    run.base += start;
    let reached = run.out.len();
    let mut read = false;
    if nested < NESTED && looks_like_json(piece) {
        read = scan(run, piece, nested + 1).is_ok();
    }
    if !read {
        run.out.truncate(reached);
        text::scan(run, piece);
    }
    run.quiet = quiet;
    run.base = base;
}

/// Whether a text begins like JSON does.
pub(super) fn looks_like_json(text: &str) -> bool {
    let trimmed = text.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']);
    let mut bytes = trimmed.bytes();
    let Some(open @ (b'{' | b'[')) = bytes.next() else { return false };
    match bytes.find(|b| !b.is_ascii_whitespace()) {
        None => true,
        Some(b'"') => true,
        Some(b'}') => open == b'{',
        Some(b'{' | b'[' | b']' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => open == b'[',
        Some(_) => false,
    }
}
