//! Token counts with o200k_base.
//!
//! The table takes a moment to load, so it is loaded in the background when a
//! gateway opens and is usually there when the first answer is counted.

use std::sync::OnceLock;

use tiktoken_rs::CoreBPE;

static ENCODER: OnceLock<Option<CoreBPE>> = OnceLock::new();

/// Longest piece that is encoded at once. The encoder's regular expression gives
/// up on long runs of blanks, and the encoder then panics: a megabyte of blanks did that,
/// and upstream servers can send such text on purpose.
const PIECE_BYTES: usize = 8 * 1024;

/// Number of tokens of a text. Exact up to 8 KB; longer text is split before a blank
/// every 8 KB, which is where tokens begin anyway.
pub fn count(text: &str) -> usize {
    let Some(encoder) = encoder() else { return estimate(text.len()) };
    pieces(text).map(|piece| encoder.encode_ordinary(piece).len()).sum()
}

fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = rest.floor_char_boundary(PIECE_BYTES);
        if end < rest.len() {
            end = rest[..end].rfind([' ', '\n']).filter(|at| *at > 0).unwrap_or(end);
        }
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

/// An estimate of the tokens in this many bytes, for text that is not worth counting.
pub fn estimate(bytes: usize) -> usize {
    bytes.div_ceil(4)
}

/// Starts loading the table in the background.
pub fn warm_up() {
    std::thread::spawn(encoder);
}

fn encoder() -> Option<&'static CoreBPE> {
    // The table is part of the executable; loading it cannot fail in practice.
    ENCODER.get_or_init(|| tiktoken_rs::o200k_base().ok()).as_ref()
}

#[cfg(test)]
mod tests {
    use super::{count, pieces};

    #[test]
    fn short_texts_are_counted_exactly() {
        assert_eq!(count(""), 0);
        assert_eq!(count("hello world"), 2);
        assert_eq!(count("{\"success\":true}"), 5);
    }

    #[test]
    fn long_texts_are_cut_without_losing_anything() {
        let text = "überall Wörter ".repeat(5000);
        assert_eq!(pieces(&text).collect::<String>(), text);
        assert!(pieces(&text).all(|piece| piece.len() <= super::PIECE_BYTES));
    }

    #[test]
    fn a_megabyte_of_anything_is_counted_without_a_panic() {
        for text in ["a", " ", "\n", " \t", "\u{a0} ", "\r\n", " a", "\u{3000}"] {
            let text = text.repeat((1 << 20) / text.len());
            assert!((1000..=text.len()).contains(&count(&text)), "{:?}", &text[..8]);
        }
    }
}
