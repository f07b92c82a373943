//! Finds where words and digits begin, 64 bytes at a time.

/// A bit for each of 64 bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Masks {
    /// ASCII letters and digits, and all non-ASCII bytes.
    word: u64,
    digit: u64,
    beyond_ascii: u64,
}

impl Masks {
    /// The masks of at most 64 bytes; missing bytes are not part of a word.
    pub(crate) fn of(block: &[u8]) -> Self {
        let mut bytes = [0; 64];
        match block.first_chunk::<64>() {
            Some(whole) => bytes = *whole,
            None => bytes[..block.len().min(64)].copy_from_slice(block),
        }
        // Loops without a branch: the compiler vectorizes them.
        let digit = bytes.map(|byte| u8::from(byte.wrapping_sub(b'0') < 10));
        let beyond = bytes.map(|byte| byte >> 7);
        let letter = bytes.map(|byte| u8::from((byte | 0x20).wrapping_sub(b'a') < 26));
        let (digit, beyond_ascii) = (pack(&digit), pack(&beyond));
        Self { word: pack(&letter) | digit | beyond_ascii, digit, beyond_ascii }
    }

    /// The starts of words; `before` are the masks of the previous block.
    pub(crate) fn word_starts(self, before: Self) -> impl Iterator<Item = usize> {
        bits(self.word & !(self.word << 1 | before.word >> 63))
    }

    /// The starts of runs of digits.
    pub(crate) fn digit_starts(self, before: Self) -> impl Iterator<Item = usize> {
        bits(self.digit & !(self.digit << 1 | before.digit >> 63))
    }

    /// The length of the word that begins at a bit, within the 64 bytes.
    pub(crate) fn word_length(self, bit: usize) -> usize {
        (self.word >> bit).trailing_ones() as usize
    }

    /// Whether that many bytes from a bit on are ASCII.
    pub(crate) fn is_ascii(self, bit: usize, length: usize) -> bool {
        let after = self.beyond_ascii >> bit;
        after.trailing_zeros() as usize >= length
    }
}

/// 64 bytes of 0 or 1 as bits.
fn pack(flags: &[u8; 64]) -> u64 {
    let (eights, _) = flags.as_chunks::<8>();
    eights.iter().enumerate().fold(0, |bits, (index, eight)| {
        // Moves bit 0 of byte n to bit 56 + n.
        let eight = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits | eight << (8 * index)
    })
}

fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = set.trailing_zeros();
        set &= set.checked_sub(1)?;
        Some(lowest as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::Masks;

    #[test]
    fn words_and_digits_begin_where_they_do() {
        let text = "ab 12-c3 “é” 4x, and 5 words until 64; 7across99the border é1 2 ";
        let bytes = text.repeat(5).into_bytes();
        let is_word = |at: usize| bytes[at].is_ascii_alphanumeric() || !bytes[at].is_ascii();
        let is_digit = |at: usize| bytes[at].is_ascii_digit();
        let begins = |at: &usize, is: &dyn Fn(usize) -> bool| is(*at) && (*at == 0 || !is(*at - 1));
        let (mut words, mut digits) = (Vec::new(), Vec::new());
        let mut before = Masks::default();
        for (number, block) in bytes.chunks(64).enumerate() {
            let masks = Masks::of(block);
            words.extend(masks.word_starts(before).map(|bit| number * 64 + bit));
            digits.extend(masks.digit_starts(before).map(|bit| number * 64 + bit));
            before = masks;
        }
        let places = 0..bytes.len();
        assert_eq!(words, places.clone().filter(|at| begins(at, &is_word)).collect::<Vec<_>>());
        assert_eq!(digits, places.filter(|at| begins(at, &is_digit)).collect::<Vec<_>>());
    }

    #[test]
    fn a_word_ends_with_the_block_and_may_be_beyond_ascii() {
        let masks = Masks::of("ab “é” cd".as_bytes());
        assert_eq!(masks.word_length(0), 2);
        assert!(masks.is_ascii(0, 2));
        assert_eq!(masks.word_length(3), 8);
        assert!(!masks.is_ascii(3, 8));
        assert_eq!(Masks::of(&[b'a'; 64]).word_length(10), 54);
    }
}
