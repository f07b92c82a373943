//! Searches text that is encoded in other text: base64 in bodies of `fetch`, blobs of
//! resources and `data:` URLs, and percent-encoding in URLs.
//!
//! In: any text, usually JSON. Out: its values remembered, or the same text with tokens in
//! its encoded parts. Invariant: what cannot be read as text is reported as binary content
//! where the text says that it is content; everything else that merely looks like base64
//! stays as it is.

use std::fmt::Write;
use std::ops::Range;

use base64::alphabet;
use base64::engine::{DecodePaddingMode, Engine, GeneralPurpose, GeneralPurposeConfig};
use tidegate_config::BinaryContent;
use tidegate_model::{RunError, TextKind};

use super::decoded_bytes::{Bytes, Units, of_bytes};
use super::redact_for_model::add;
use super::search::{SearchBudget, Searched};
use super::{Counts, Privacy, Session, count, without_tokens};

/// The fewest characters that are decoded: the shortest e-mail address has six bytes.
const SHORTEST: usize = 8;

/// The keys whose text is content in base64: of blocks of MCP, and of answers of `fetch`.
const CONTENT_KEYS: [&str; 3] = ["\"data\":\"", "\"blob\":\"", "\"body\":\""];

/// An object that states how its `content` is written, as GitHub's API does.
const STATED: &str = "\"encoding\":\"base64\"";

/// How near the statement must be to the content, if it does not follow it.
const STATED_WITHIN: usize = 2000;

/// No identifier, signature or page token has as many bytes. Chosen: a signature with an RSA key
/// of 4096 bits has 512, an encrypted page token a few hundred.
const LONGEST_IDENTIFIER: usize = 1024;

/// How deep text is decoded that is encoded several times.
const NESTED: u8 = 3;

/// A part of a text that is encoded.
#[derive(Debug, PartialEq, Eq)]
struct EncodedPart {
    range: Range<usize>,
    content: Content,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Base64(Units),
    Percent,
}

/// What is encoded.
#[derive(Debug, PartialEq, Eq)]
enum Content {
    Text {
        text: String,
        encoding: Encoding,
    },
    /// Content by its place that is no text, with this many bytes.
    Binary(usize),
}

impl Privacy {
    /// Remembers the values in the encoded parts of a text.
    pub(super) fn remember_encoded(
        &self,
        session: &Session,
        text: &str,
        budget: &mut SearchBudget,
        counts: &mut Counts,
    ) -> Result<(), RunError> {
        self.remember_nested(session, text, NESTED, budget, counts)
    }

    fn remember_nested(
        &self,
        session: &Session,
        text: &str,
        levels: u8,
        budget: &mut SearchBudget,
        counts: &mut Counts,
    ) -> Result<(), RunError> {
        for part in encoded_parts(text) {
            let Content::Text { text, .. } = part.content else { continue };
            count(&self.remember(session, &text, TextKind::Auto, budget)?, counts);
            if levels > 1 {
                self.remember_nested(session, &text, levels - 1, budget, counts)?;
            }
        }
        Ok(())
    }

    /// The same text with tokens in its encoded parts. Content that cannot be searched is
    /// withheld, unless the configuration lets it pass.
    pub(super) fn without_encoded(
        &self,
        session: &Session,
        text: String,
        budget: &mut SearchBudget,
        counts: &mut Counts,
    ) -> String {
        self.without_nested(session, text, NESTED, budget, counts)
    }

    fn without_nested(
        &self,
        session: &Session,
        text: String,
        levels: u8,
        budget: &mut SearchBudget,
        counts: &mut Counts,
    ) -> String {
        let mut shown = String::new();
        let mut done = 0;
        for EncodedPart { range, content } in encoded_parts(&text) {
            let replaced = match content {
                Content::Text { text, encoding } => self
                    .with_tokens(session, &text, levels, budget, counts)
                    .map(|text| encoding.write(&text)),
                Content::Binary(bytes) => withheld(bytes, self.settings.binary),
            };
            if let Some(replaced) = replaced {
                shown.push_str(text.get(done..range.start).unwrap_or_default());
                shown.push_str(&replaced);
                done = range.end;
            }
        }
        if done == 0 {
            return text;
        }
        shown.push_str(text.get(done..).unwrap_or_default());
        shown
    }

    /// A decoded text with tokens, as far as the budget allows it to be searched. `None` if
    /// there is nothing to replace.
    fn with_tokens(
        &self,
        session: &Session,
        decoded: &str,
        levels: u8,
        budget: &mut SearchBudget,
        counts: &mut Counts,
    ) -> Option<String> {
        let mut text = without_tokens(decoded.to_owned());
        if levels > 1 {
            text = self.without_nested(session, text, levels - 1, budget, counts);
        }
        let Searched { done, withheld } = self.search(session, &text, TextKind::Auto, budget);
        // Nobody finds them once they are encoded again.
        self.mark_sent(session, &done.text);
        add(counts, &done.counts);
        let shown = match withheld {
            Some(withheld) => format!("{}\n[{withheld}]", done.text),
            None => done.text,
        };
        (shown != decoded).then_some(shown)
    }
}

/// A note in place of content that cannot be searched, in base64 like the content.
fn withheld(bytes: usize, setting: BinaryContent) -> Option<String> {
    let note = || {
        format!(
            "[{bytes} bytes withheld: they cannot be searched for personal data; \
             `privacy.binary = \"pass\"` lets them pass]"
        )
    };
    (setting == BinaryContent::Handle).then(|| Encoding::Base64(Units::Utf8).write(&note()))
}

/// The encoded parts of a text.
fn encoded_parts(text: &str) -> Vec<EncodedPart> {
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(range) = next_run(text.as_bytes(), at) {
        at = range.end;
        if range.len() >= SHORTEST
            && let Some(content) = content_of(text, &range)
        {
            parts.push(EncodedPart { range, content });
        }
    }
    parts.extend(percent_encoded(text));
    parts.sort_by_key(|part| part.range.start);
    // A run of base64 can be a part of a URL.
    parts.dedup_by(|later, earlier| later.range.start < earlier.range.end);
    parts
}

/// Words of a text with percent-encoded characters.
fn percent_encoded(text: &str) -> Vec<EncodedPart> {
    if !text.contains('%') {
        return Vec::new();
    }
    let is_word = |byte: &u8| byte.is_ascii_graphic() && !b"\"\\<>`".contains(byte);
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| is_word(byte)).count();
        let range = at..at + length;
        if let Some(text) = percent_decoded(&bytes[range.clone()]) {
            let content = Content::Text { text, encoding: Encoding::Percent };
            parts.push(EncodedPart { range, content });
        }
        at += length.max(1);
    }
    parts
}

/// The text of a word, if it has percent-encoded characters.
fn percent_decoded(word: &[u8]) -> Option<String> {
    if !word.contains(&b'%') {
        return None;
    }
    let mut decoded = Vec::with_capacity(word.len());
    let mut at = 0;
    while let Some(&byte) = word.get(at) {
        let pair = word.get(at + 1..at + 3).filter(|_| byte == b'%');
        let code = pair.and_then(|pair| std::str::from_utf8(pair).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(code) => {
                decoded.push(code);
                at += 3;
            }
            None => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    if decoded.len() == word.len() {
        return None;
    }
    match of_bytes(&decoded) {
        Bytes::Text { text, units: Units::Utf8 } => Some(text),
        Bytes::Text { .. } | Bytes::File | Bytes::Other => None,
    }
}

impl Encoding {
    /// Text in this encoding, which needs no escapes in JSON.
    fn write(self, text: &str) -> String {
        match self {
            // In the alphabet that every decoder knows.
            Self::Base64(units) => STANDARD.encode(units.write(text)),
            Self::Percent => {
                let mut written = String::with_capacity(text.len());
                for byte in text.bytes() {
                    match byte {
                        b'"' | b'\\' | b'%' | b'<' | b'>' | b'`' | 0..=b' ' | 0x7f.. => {
                            // Writing to a string cannot fail.
                            let _ = write!(written, "%{byte:02X}");
                        }
                        byte => written.push(char::from(byte)),
                    }
                }
                written
            }
        }
    }
}

const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, CONFIG);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, CONFIG);

/// The next run of characters of base64, with the line breaks inside of it.
fn next_run(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let start = from + bytes.get(from..)?.iter().position(|byte| is_code(*byte))?;
    let mut end = start;
    loop {
        end += bytes[end..].iter().take_while(|byte| is_code(**byte)).count();
        match line_break(&bytes[end..]) {
            0 => break,
            length => end += length,
        }
    }
    end += bytes[end..].iter().take(2).take_while(|byte| **byte == b'=').count();
    Some(start..end)
}

fn is_code(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// The length of a line break between two lines of code, also as JSON writes it.
fn line_break(bytes: &[u8]) -> usize {
    let breaks: [&[u8]; 4] = [b"\\r\\n", b"\\n", b"\r\n", b"\n"];
    let found = breaks.into_iter().find(|one| bytes.starts_with(one)).map_or(0, <[u8]>::len);
    match bytes.get(found) {
        Some(next) if found > 0 && is_code(*next) => found,
        _ => 0,
    }
}

fn content_of(text: &str, range: &Range<usize>) -> Option<Content> {
    let run = &text[range.clone()];
    let code = run.replace("\\r", "").replace("\\n", "").replace(['\r', '\n'], "");
    let engine = if code.contains(['-', '_']) { URL_SAFE } else { STANDARD };
    let bytes = engine.decode(&code).ok()?;
    match of_bytes(&bytes) {
        Bytes::Text { text, units } => {
            Some(Content::Text { text, encoding: Encoding::Base64(units) })
        }
        Bytes::File => Some(Content::Binary(bytes.len())),
        Bytes::Other if bytes.len() > LONGEST_IDENTIFIER || is_content(text, range) => {
            Some(Content::Binary(bytes.len()))
        }
        Bytes::Other => None,
    }
}

/// Whether a text says that a string in it is content in base64.
fn is_content(text: &str, range: &Range<usize>) -> bool {
    let (Some(before), Some(after)) = (text.get(..range.start), text.get(range.end..)) else {
        return false;
    };
    if !after.starts_with(['"', '\\']) {
        return false;
    }
    let is_stated = || {
        let from = text.floor_char_boundary(range.start.saturating_sub(STATED_WITHIN));
        let until = text.ceil_char_boundary((range.end + STATED_WITHIN).min(text.len()));
        before.get(from..).is_some_and(|near| near.contains(STATED))
            || text.get(range.end..until).is_some_and(|near| near.contains(STATED))
    };
    CONTENT_KEYS.iter().any(|key| before.ends_with(key))
        || before.ends_with("\"content\":\"") && is_stated()
}

#[cfg(test)]
mod tests {
    use super::{Content, EncodedPart, Encoding, Units, encoded_parts};

    fn texts(text: &str) -> Vec<String> {
        let parts = encoded_parts(text).into_iter();
        parts
            .filter_map(|part| match part.content {
                Content::Text { text, .. } => Some(text),
                Content::Binary(_) => None,
            })
            .collect()
    }

    #[test]
    fn text_is_found_wherever_it_is_encoded() {
        let ann = "write to ann.lee@example.org, ~~~???>>>";
        let code = Encoding::Base64(Units::Utf8).write(ann);
        let urlsafe = code.replace('+', "-").replace('/', "_");
        let (first, second) = code.split_at(20);
        for text in [
            code.clone(),
            format!("{{\"body\":\"{code}\"}}"),
            format!("see data:text/plain;base64,{code} there"),
            format!("[\"{}\"]", code.trim_end_matches('=')),
            urlsafe,
            format!("\"{first}\\n{second}\""),
            format!("{first}\r\n{second}"),
        ] {
            assert_eq!(texts(&text), [ann], "{text}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_reported_where_content_is_expected() {
        let parts = |text: &str| encoded_parts(text);
        let content = Content::Binary(6);
        let range = 9..17;
        assert_eq!(parts("{\"blob\":\"AAECAwQF\"}"), [EncodedPart { range, content }]);
        assert_eq!(parts("{\"id\":\"AAECAwQF\"}"), []);
        assert_eq!(texts("an ordinary sentence with identifiers 0123456789abcdef"), [""; 0]);
    }

    #[test]
    fn a_file_is_reported_under_any_key_and_so_is_what_is_longer_than_an_identifier() {
        let parts = |bytes: &[u8], key: &str| {
            let code = base64::Engine::encode(&super::STANDARD, bytes);
            let text = format!("{{\"{key}\":\"{code}\",\"encoding\":\"base64\"}}");
            let parts = encoded_parts(&text).into_iter().map(|part| part.content);
            // A key may look like base64 too.
            parts.filter(|content| matches!(content, Content::Binary(_))).collect::<Vec<_>>()
        };
        // As SHA-512 or an encrypted page token: each byte is another one.
        let noise = |length: u32| -> Vec<u8> {
            (0..length).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8 | 0x80).collect()
        };
        for file in [
            &b"PK\x03\x04\x14\0\0\0\x08\0"[..],
            b"%PDF-1.7\n%\xe2\xe3\xcf\xd3",
            b"\x1f\x8b\x08\0abcd",
        ] {
            assert_eq!(parts(file, "x"), [Content::Binary(file.len())]);
        }
        assert_eq!(parts(&noise(1500), "x"), [Content::Binary(1500)]);
        assert_eq!(parts(&noise(512), "x"), []);
        assert_eq!(parts(&noise(512), "content"), [Content::Binary(512)]);
    }

    #[test]
    fn text_with_control_bytes_and_in_utf_16_is_text_and_is_written_again_in_the_same_way() {
        let ann = "to ann.lee@example.org";
        for units in [Units::Utf8, Units::Utf16Le, Units::Utf16Be] {
            let code = Encoding::Base64(units).write(ann);
            let parts = encoded_parts(&code);
            let encoding = Encoding::Base64(units);
            let content = Content::Text { text: ann.to_owned(), encoding };
            assert_eq!(parts, [EncodedPart { range: 0..code.len(), content }]);
        }
        let code = Encoding::Base64(Units::Utf8).write("to\0ann.lee@example.org\u{1}");
        assert_eq!(texts(&code), ["to\0ann.lee@example.org\u{1}"]);
    }

    #[test]
    fn percent_encoded_text_is_found_and_written_again() {
        let url = "{\"url\":\"https://x.org/?q=ann.lee%40example.org&n=%22a%22\"}";
        assert_eq!(texts(url), ["https://x.org/?q=ann.lee@example.org&n=\"a\""]);
        assert_eq!(Encoding::Percent.write("a \"b\" [EMAIL_1]"), "a%20%22b%22%20[EMAIL_1]");
        assert_eq!(texts("100% of it"), [""; 0]);
    }

    #[test]
    fn text_of_another_encoding_is_text_too() {
        let bytes = b"Frau M\xfcller, ann.lee@example.org";
        let code = base64::Engine::encode(&super::STANDARD, bytes);
        assert_eq!(texts(&code), ["Frau M\u{fffd}ller, ann.lee@example.org"]);
    }
}
