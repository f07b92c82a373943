//! Scans JSON by its keys, without building a tree.
//!
//! In: a JSON document. Out: candidates with offsets in the raw bytes. A stack of the open
//! objects, at most `DEPTH` deep, holds what the outer keys say: `name` inside `customer` is a
//! person, inside `product` it is not. Without such a key, the other keys of the object decide
//! when it closes. Tolerant: a truncated document is read as far as it goes.

pub(crate) mod columns;
pub(crate) mod escape;

use tidegate_model::DataType;

use crate::byte_class::{byte_at, find_either};
use crate::json::columns::Columns;
use crate::keyed_value::{self, Outcome};
use crate::keys::KeyClass;
use crate::person::keyed::may_be_name;
use crate::scan::{KEYED, Scan};
use crate::text;

/// Deeper objects are read, but their keys are judged without the outer keys.
const DEPTH: usize = 48;
/// How deep JSON may be nested in strings.
pub(crate) const NESTED: u8 = 4;

/// An open object or list.
#[derive(Clone, Copy, Default)]
struct Frame {
    shape: Shape,
    /// The class of strings directly inside a list.
    list: Option<KeyClass>,
    subject: Subject,
    /// A `name` whose class the other keys decide.
    pending_name: Option<(usize, usize)>,
    person_keys: u8,
    thing_keys: u8,
}

/// The kind of value that brackets enclose.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Shape {
    Object,
    #[default]
    List,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Subject {
    #[default]
    Unknown,
    Person,
    Org,
    Thing,
}

/// The text is not JSON from this offset on.
pub(crate) struct NotJson(pub(crate) usize);

/// Scans a document. `nested` counts the documents in strings around it.
pub(crate) fn scan_document(
    scan: &mut Scan<'_>,
    document: &str,
    nested: u8,
) -> Result<(), NotJson> {
    let bytes = document.as_bytes();
    let mut reader = Reader::new(document, nested);
    let mut at = 0;
    while at < bytes.len() {
        match byte_at(bytes, at) {
            b' ' | b'\n' | b'\r' | b'\t' | b':' => at += 1,
            b',' => {
                reader.key = None;
                if reader.depth == reader.columns.depth {
                    reader.columns.next();
                }
                at += 1;
            }
            bracket @ (b'{' | b'[') => {
                reader.open(scan, at, if bracket == b'{' { Shape::Object } else { Shape::List });
                at += 1;
            }
            b'}' | b']' => {
                reader.close(scan);
                at += 1;
            }
            b'"' => at = reader.string(scan, at),
            b'-' | b'0'..=b'9' => at = reader.number(scan, at),
            _ => {
                let rest = bytes.get(at..).unwrap_or_default();
                let word = [&b"true"[..], b"false", b"null", b"NaN", b"Infinity"]
                    .into_iter()
                    .find(|word| rest.starts_with(word));
                match word {
                    Some(word) => at += word.len(),
                    None => return Err(NotJson(at)),
                }
                reader.key = None;
            }
        }
    }
    reader.finish(scan);
    Ok(())
}

/// The state of a document scan.
struct Reader<'d> {
    document: &'d str,
    nested: u8,
    stack: [Frame; DEPTH],
    depth: usize,
    /// The class of the key whose value comes next.
    key: Option<KeyClass>,
    columns: Columns,
}

impl<'d> Reader<'d> {
    fn new(document: &'d str, nested: u8) -> Self {
        Self {
            document,
            nested,
            stack: [Frame::default(); DEPTH],
            depth: 0,
            key: None,
            columns: Columns::default(),
        }
    }

    fn open(&mut self, scan: &mut Scan<'_>, at: usize, shape: Shape) {
        let parent = self.stack.get(self.depth.min(DEPTH - 1)).copied().unwrap_or_default();
        self.depth += 1;
        if shape == Shape::List {
            self.columns.open(scan, self.document, at, self.depth);
        }
        if let Some(frame) = self.stack.get_mut(self.depth) {
            *frame = child(parent, self.key, shape);
        }
        self.key = None;
    }

    fn close(&mut self, scan: &mut Scan<'_>) {
        if let Some(frame) = self.stack.get_mut(self.depth) {
            resolve_name(scan, self.document, frame);
        }
        self.depth = self.depth.saturating_sub(1);
        if self.depth < self.columns.floor {
            self.columns = Columns::default();
        }
        self.key = None;
    }

    /// Reads the key or value that begins at the quote at `at`; returns where to continue.
    fn string(&mut self, scan: &mut Scan<'_>, at: usize) -> usize {
        let bytes = self.document.as_bytes();
        let (end, escaped) = string_end(bytes, at + 1);
        let mut next = end + 1;
        while matches!(byte_at(bytes, next), b' ' | b'\n' | b'\r' | b'\t') {
            next += 1;
        }
        let mut spare = Frame::default();
        let frame = self.stack.get_mut(self.depth).unwrap_or(&mut spare);
        if byte_at(bytes, next) == b':'
            && self.key.is_none()
            && (frame.shape == Shape::Object || self.depth >= DEPTH)
        {
            let raw = self.document.get(at + 1..end).unwrap_or_default();
            let class =
                if raw == "value" { declared_type(scan, self.document, at) } else { scan.key(raw) };
            count_key(frame, class);
            self.key = Some(class);
            if may_be_value(raw) {
                let place = (at + 1, end, escaped);
                let unkeyed = &mut Frame::default();
                string(scan, self.document, place, unkeyed, None, self.nested);
            }
            return next + 1;
        }
        if self.depth == self.columns.depth && self.key.is_none() {
            self.key = self.columns.class();
        }
        string(scan, self.document, (at + 1, end, escaped), frame, self.key, self.nested);
        self.key = None;
        end + 1
    }

    /// Reads the number that begins at `start`; returns its end.
    fn number(&mut self, scan: &mut Scan<'_>, start: usize) -> usize {
        let bytes = self.document.as_bytes();
        let mut end = start;
        while matches!(byte_at(bytes, end), b'-' | b'+' | b'.' | b'0'..=b'9' | b'e' | b'E') {
            end += 1;
        }
        if end - start >= 7 {
            let row = self.depth == self.columns.depth;
            let class = self
                .key
                .or_else(|| if row { self.columns.class() } else { None })
                .or_else(|| self.stack.get(self.depth).and_then(|frame| frame.list))
                .unwrap_or(KeyClass::Unknown);
            keyed_value::number(scan, self.document, start, end, class);
        }
        self.key = None;
        end
    }

    /// Ends a truncated document: decides pending names by the keys read so far.
    fn finish(&mut self, scan: &mut Scan<'_>) {
        while self.depth > 0 {
            if let Some(frame) = self.stack.get_mut(self.depth) {
                resolve_name(scan, self.document, frame);
            }
            self.depth = self.depth.min(DEPTH) - 1;
        }
    }
}

/// The class of `value`, from the pair before it: `{"type": "phone", "value": …}`.
#[inline(never)]
fn declared_type(scan: &mut Scan<'_>, document: &str, at: usize) -> KeyClass {
    const NAMING: [&str; 6] = ["type", "system", "kind", "label", "name", "field"];
    let from = crate::byte_class::floor_char(document, at.saturating_sub(80));
    let word = document.get(from..at).and_then(|before| {
        let before = before.trim_ascii_end().strip_suffix(',')?.trim_ascii_end();
        let (before, word) = before.strip_suffix('"')?.rsplit_once('"')?;
        let before = before.trim_ascii_end().strip_suffix(':')?.trim_ascii_end();
        let (_, key) = before.strip_suffix('"')?.rsplit_once('"')?;
        NAMING.contains(&key).then_some(word)
    });
    let class = word.map_or(KeyClass::Unknown, |word| scan.key(word));
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

/// Whether a key may itself be personal data: maps have addresses, numbers and names as keys.
fn may_be_value(key: &str) -> bool {
    /// No personal number has fewer digits.
    const MIN_DIGITS: usize = 6;
    let mut digits = 0;
    key.bytes().any(|byte| {
        digits += usize::from(byte.is_ascii_digit());
        matches!(byte, b'@' | b' ' | b'\\' | b'%') || byte >= 0x80 || digits >= MIN_DIGITS
    })
}

/// The end of the string that starts at `from`, and whether it holds escapes.
fn string_end(bytes: &[u8], from: usize) -> (usize, bool) {
    let mut at = from;
    let mut escaped = false;
    loop {
        match find_either(bytes, at, b'"', b'\\') {
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

fn subject_of(class: KeyClass) -> Subject {
    match class {
        KeyClass::Role | KeyClass::Person => Subject::Person,
        KeyClass::Org => Subject::Org,
        KeyClass::Thing | KeyClass::Version => Subject::Thing,
        _ => Subject::Unknown,
    }
}

fn child(parent: Frame, key: Option<KeyClass>, shape: Shape) -> Frame {
    let class = key.or(parent.list);
    let mut own = class.map_or(Subject::Unknown, subject_of);
    if own == Subject::Unknown && parent.shape == Shape::List {
        own = parent.subject;
    }
    Frame {
        shape,
        list: if shape == Shape::Object { None } else { class },
        subject: own,
        ..Frame::default()
    }
}

fn count_key(frame: &mut Frame, class: KeyClass) {
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

/// When an object closes: a pending name is a person's if the other keys are.
fn resolve_name(scan: &mut Scan<'_>, document: &str, frame: &mut Frame) {
    if let Some((start, end)) = frame.pending_name.take()
        && frame.person_keys > 0
        && frame.person_keys >= frame.thing_keys
        && document.get(start..end).is_some_and(may_be_name)
    {
        scan.add(start, end, DataType::Person, KEYED);
    }
}

fn string(
    scan: &mut Scan<'_>,
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
        KeyClass::Name => match frame.subject {
            Subject::Person => KeyClass::Person,
            Subject::Org => KeyClass::Org,
            Subject::Thing => KeyClass::Thing,
            Subject::Unknown => KeyClass::Name,
        },
        class => class,
    };
    if escaped {
        escape::scan_string(scan, document, start, end, class, nested);
        return;
    }
    if class == KeyClass::Name {
        frame.pending_name = Some((start, end));
    }
    value(scan, document, start, end, class, nested);
}

/// A string without escapes, under a key of this class.
pub(crate) fn value(
    scan: &mut Scan<'_>,
    document: &str,
    start: usize,
    end: usize,
    class: KeyClass,
    nested: u8,
) {
    if class != KeyClass::Unknown
        && keyed_value::value(scan, document, start, end, class) == Outcome::Consumed
    {
        return;
    }
    let Some(piece) = document.get(start..end) else { return };
    let base = scan.base;
    let names_suppressed = std::mem::replace(
        &mut scan.names_suppressed,
        piece.len() < 80
            && matches!(class, KeyClass::Thing | KeyClass::Place | KeyClass::Login | KeyClass::Id),
    );
    scan.base += start;
    let reached = scan.out.len();
    let mut read = false;
    if nested < NESTED && looks_like_json(piece) {
        read = scan_document(scan, piece, nested + 1).is_ok();
    }
    if !read {
        scan.out.truncate(reached);
        text::scan_text(scan, piece);
    }
    scan.names_suppressed = names_suppressed;
    scan.base = base;
}

/// Whether a text begins as JSON does.
pub(crate) fn looks_like_json(text: &str) -> bool {
    let trim_with_offset = text.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']);
    let mut bytes = trim_with_offset.bytes();
    let Some(open @ (b'{' | b'[')) = bytes.next() else { return false };
    match bytes.find(|b| !b.is_ascii_whitespace()) {
        None => true,
        Some(b'"') => true,
        Some(b'}') => open == b'{',
        Some(b'{' | b'[' | b']' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => open == b'[',
        Some(_) => false,
    }
}
