//! What escapes stand for, and the classes of bytes that their readers share.

/// What an escape stands for.
pub(super) enum Escaped {
    Byte(u8),
    Char(char),
    /// A soft line break.
    Nothing,
}

impl Escaped {
    pub(super) fn push_to(self, bytes: &mut Vec<u8>) {
        match self {
            Self::Byte(byte) => bytes.push(byte),
            Self::Char(char) => {
                bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Self::Nothing => {}
        }
    }
}

/// Letters and digits of ASCII, and every byte of other characters.
#[inline]
pub(crate) fn is_word(byte: u8) -> bool {
    const TABLE: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            table[byte] = byte >= 0x80 || (byte as u8).is_ascii_alphanumeric();
            byte += 1;
        }
        table
    };
    TABLE[byte as usize]
}

/// A number of at most eight digits.
pub(super) fn hex(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 8 {
        return None;
    }
    digits.iter().try_fold(0, |number, &digit| Some(number << 4 | char::from(digit).to_digit(16)?))
}
