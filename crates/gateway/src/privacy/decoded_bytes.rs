//! What decoded bytes are: text that can be searched, a file, or anything else.
//!
//! In: bytes that were base64 or percent-encoding. Out: [`Bytes`]. Text may have a few control
//! bytes, bytes of another encoding, or be UTF-16.

/// What bytes are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Bytes {
    Text {
        text: String,
        units: Units,
    },
    /// They begin like a file of a format that is not text.
    File,
    Other,
}

/// The bytes that text is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Units {
    Utf8,
    Utf16Le,
    Utf16Be,
}

impl Units {
    /// The bytes of a text.
    pub(super) fn write(self, text: &str) -> Vec<u8> {
        match self {
            Self::Utf8 => text.as_bytes().to_vec(),
            Self::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Self::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        }
    }
}

/// How files begin that hold text which only a program of their own can read: archives and the
/// documents that are archives (office documents, EPUB), PDF, older office documents, images.
/// Longer content is recognised by its length.
const FILES: [&[u8]; 12] = [
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"%PDF-",
    b"\x1f\x8b\x08",
    b"BZh",
    b"\xfd7zXZ\0",
    b"\x28\xb5\x2f\xfd",
    b"7z\xbc\xaf\x27\x1c",
    b"\xd0\xcf\x11\xe0",
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF8",
];

/// One control byte in this many bytes is no reason not to search a text.
const BYTES_FOR_A_CONTROL_BYTE: usize = 8;

/// What bytes are.
pub(super) fn of_bytes(bytes: &[u8]) -> Bytes {
    if FILES.iter().any(|start| bytes.starts_with(start)) {
        return Bytes::File;
    }
    let is_control = |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c);
    let controls = bytes.iter().filter(is_control).count();
    if controls * 3 >= bytes.len()
        || bytes.starts_with(b"\xff\xfe")
        || bytes.starts_with(b"\xfe\xff")
    {
        return wide(bytes).unwrap_or(Bytes::Other);
    }
    if controls * BYTES_FOR_A_CONTROL_BYTE > bytes.len() {
        return Bytes::Other;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => {
            let foreign = bytes.iter().filter(|byte| !byte.is_ascii()).count() + controls;
            if foreign * 4 >= bytes.len() {
                return Bytes::Other;
            }
            String::from_utf8_lossy(bytes).into_owned()
        }
    };
    Bytes::Text { text, units: Units::Utf8 }
}

/// Bytes as UTF-16: whichever order gives text that is mostly ASCII, as half of the bytes are
/// zero then, or that a mark at the beginning states.
fn wide(bytes: &[u8]) -> Option<Bytes> {
    if !bytes.len().is_multiple_of(2) {
        return None;
    }
    let read = |from: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| from([pair[0], pair[1]])).collect();
        let text = String::from_utf16(&units).ok()?;
        let plain = text.chars().filter(|char| matches!(char, ' '..='~' | '\n' | '\r' | '\t'));
        (text.starts_with('\u{feff}') || plain.count() * 2 > units.len()).then_some(text)
    };
    let little = read(u16::from_le_bytes).map(|text| Bytes::Text { text, units: Units::Utf16Le });
    little.or_else(|| {
        read(u16::from_be_bytes).map(|text| Bytes::Text { text, units: Units::Utf16Be })
    })
}
