//! Words as vectors, from a precomputed table embedded in the program.
//!
//! In: a text. Out: the sum of the vectors of its words, of length one. A word
//! that is not in the table is split into pieces, longest piece first; words that
//! cannot be split, such as those in other scripts, are ignored. Nothing is
//! downloaded, and no model runs. `data/README.md` describes how the table was made.
//!
//! File layout: the number of words and of dimensions, one scale for each word, their
//! vectors in bytes, the words. Little-endian.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::terms::each_word;

/// The dimensions of a vector; tuned: 128 and 256 were not better.
pub(crate) const DIMENSIONS: usize = 96;

/// The meaning of a text as a direction; all zero if no word of it is known.
pub(crate) type Vector = [f32; DIMENSIONS];

/// Prefix of a piece that does not begin a word.
const CONTINUES: &str = "##";
/// Longer runs are not words; the longest in the table has 18 letters.
const LONGEST_WORD: usize = 40;

static TABLE: LazyLock<WordTable> = LazyLock::new(|| {
    WordTable::read(include_bytes!("../../data/word_table.bin")).unwrap_or_default()
});

#[derive(Default)]
struct WordTable {
    places: HashMap<&'static str, usize>,
    /// The scale of each word: its bytes are multiplied by it.
    scales: Vec<f32>,
    rows: &'static [u8],
}

impl WordTable {
    fn read(bytes: &'static [u8]) -> Option<Self> {
        let (words, bytes) = bytes.split_first_chunk()?;
        let (dimensions, bytes) = bytes.split_first_chunk()?;
        let words = usize::try_from(u32::from_le_bytes(*words)).ok()?;
        if usize::try_from(u32::from_le_bytes(*dimensions)).ok()? != DIMENSIONS {
            return None;
        }
        let (scales, bytes) = bytes.split_at_checked(words.checked_mul(4)?)?;
        let (rows, bytes) = bytes.split_at_checked(words.checked_mul(DIMENSIONS)?)?;
        let (scales, _) = scales.as_chunks();
        let scales = scales.iter().map(|scale| f32::from_le_bytes(*scale)).collect();
        let places: HashMap<&str, usize> = str::from_utf8(bytes).ok()?.lines().zip(0..).collect();
        (places.len() == words).then_some(Self { places, scales, rows })
    }

    /// The pieces of a word; empty if part of it is not in the table.
    fn pieces(&self, word: &str) -> Vec<usize> {
        if word.len() > LONGEST_WORD {
            return Vec::new();
        }
        let word: String = word.chars().map(without_accent).collect();
        let (mut pieces, mut rest, mut piece) = (Vec::new(), word.as_str(), String::new());
        while !rest.is_empty() {
            let before = if pieces.is_empty() { "" } else { CONTINUES };
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
            let longest = ends.into_iter().find_map(|end| {
                piece.clear();
                piece.push_str(before);
                piece.push_str(&rest[..end]);
                self.places.get(piece.as_str()).map(|place| (*place, end))
            });
            let Some((place, end)) = longest else { return Vec::new() };
            pieces.push(place);
            rest = &rest[end..];
        }
        pieces
    }

    fn add(&self, place: usize, sum: &mut Vector) {
        let row = self.rows.as_chunks::<DIMENSIONS>().0[place];
        let scale = self.scales[place];
        for (sum, number) in sum.iter_mut().zip(row) {
            *sum += scale * f32::from(number.cast_signed());
        }
    }
}

/// Computes vectors and caches the pieces of words.
pub(crate) struct Vectors {
    known: HashMap<Box<str>, Vec<usize>>,
}

impl Vectors {
    pub(crate) fn new() -> Self {
        Self { known: HashMap::new() }
    }

    /// The combined meaning of these texts.
    pub(crate) fn of<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) -> Vector {
        let mut sum = [0.0; DIMENSIONS];
        for text in texts {
            each_word(text, |word| match self.known.get(word) {
                Some(pieces) => pieces.iter().for_each(|place| TABLE.add(*place, &mut sum)),
                None => {
                    let pieces = TABLE.pieces(word);
                    pieces.iter().for_each(|place| TABLE.add(*place, &mut sum));
                    self.known.insert(word.into(), pieces);
                }
            });
        }
        let length = dot(&sum, &sum).sqrt();
        if length > 0.0 {
            sum.iter_mut().for_each(|number| *number /= length);
        }
        sum
    }
}

/// The cosine of the angle between two directions. Summed in lanes, so that several
/// products are computed at a time, in the same order on every machine.
pub(crate) fn dot(a: &Vector, b: &Vector) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

/// The letters of Western Europe as the table writes them.
fn without_accent(c: char) -> char {
    match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'ď' => 'd',
        'è'..='ë' | 'ē' | 'ę' | 'ě' => 'e',
        'ğ' => 'g',
        'ì'..='ï' | 'ī' => 'i',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ō' | 'ő' => 'o',
        'ř' => 'r',
        'ś' | 'ş' | 'š' => 's',
        'ť' => 't',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{DIMENSIONS, TABLE, Vectors, WordTable, dot};

    fn alike(a: &str, b: &str) -> f32 {
        let mut vectors = Vectors::new();
        dot(&vectors.of([a]), &vectors.of([b]))
    }

    #[test]
    fn the_table_is_read() {
        assert_eq!(TABLE.places.len(), 28_895);
        assert_eq!(TABLE.rows.len(), 28_895 * DIMENSIONS);
    }

    #[test]
    fn a_damaged_table_is_none() {
        assert!(WordTable::read(b"").is_none());
        assert!(WordTable::read(&[1, 0, 0, 0, 95, 0, 0, 0]).is_none());
        assert!(WordTable::read(&[255, 255, 255, 255, 96, 0, 0, 0, 1, 2, 3]).is_none());
    }

    #[test]
    fn words_that_mean_the_same_are_closer_than_others() {
        assert!(alike("remove a folder", "delete directory") > alike("remove a folder", "weather"));
        assert!(alike("forecast rain", "weather") > alike("forecast rain", "send message"));
    }

    #[test]
    fn an_unknown_word_is_taken_apart_and_accents_are_left_out() {
        let of = |text| Vectors::new().of([text]);
        assert_eq!(of("Café"), of("cafe"));
        assert!(!TABLE.places.contains_key("spreadsheetization"));
        assert!(TABLE.pieces("spreadsheetization").len() > 1);
    }

    #[test]
    fn what_is_in_no_table_is_not_counted() {
        let of = |text| Vectors::new().of([text]);
        assert_eq!(of("使用必应搜索 🙂"), [0.0; DIMENSIONS]);
        assert_eq!(of("使用必应搜索 weather"), of("weather"));
        assert_eq!(of(&"x".repeat(10_000)), [0.0; DIMENSIONS]);
    }
}
