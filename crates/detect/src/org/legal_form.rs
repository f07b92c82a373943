//! Legal forms of companies.
//!
//! In: an offset after a name. Out: the end of the legal forms there: `GmbH & Co. KG`, `S.p.A.`,
//! `Pty Ltd`.

use std::sync::LazyLock;

use crate::byte_class::{LETTER, byte_at, class_at, run_end, upper_at};
use crate::byte_pairs::BytePairs;
use crate::lexicon::{LEGAL_FORM, Lexicon};
use crate::sequence::{Kind, Position, Word, word_at};

/// Legal forms with dots, spaces or lower-case letters, which `sequence` does not read as words.
#[rustfmt::skip]
pub(crate) const FORMS: &[&str] = &[
    "AG & Co. KGaA", "AG & Co. KG", "AG & Co. OHG", "A.C.", "A.D.", "A.E.", "A.S.", "A.Ş.", "A/S",
    "AG", "AB", "AS", "Bt.", "B.V.", "BV", "C.V.", "Co. KG", "Co., Ltd.", "Co., Ltd", "Corp.",
    "Cía.", "E.U.R.L.", "E.I.R.L.", "GmbH & Co. KGaA", "GmbH & Co. KG", "GmbH & Co. OHG",
    "GmbH & Co.KG", "GmbH", "GbR", "GesbR", "Inc.", "Inc", "KGaA", "SARL", "SAS", "EURL", "SNC",
    "ApS", "SA", "OHG", "KG", "KG", "Kft.", "Kht.", "Kkt.", "L.L.C.", "L.P.", "LLC", "LLP", "Lda.",
    "Ltd. Şti.", "Ltd.", "Ltd", "Ltda.", "Ltda", "Limited", "N.V.", "Nyrt.", "OHG mbH", "Oy", "Oyj",
    "PLC", "Pty Ltd", "Pte. Ltd.", "Pvt. Ltd.", "Pvt Ltd", "S. R.L. de C.V.", "S.A. de C.V.",
    "S. de R.L. de C.V.", "S.A.R.L.", "S.A.S.", "S.A.T.", "S.A.D.", "S.A.D", "S.A.U.", "S.A.U",
    "S.A.", "S.C.A.", "S.C.P.", "S.C.P", "S.C.S.", "S.C.", "S.Com.", "S.Coop.", "S.L.L.",
    "S.L.N.E.", "S.L.N.E", "S.L.U.", "S.L.", "S.N.C.", "S.P.A.", "S.R.L.", "S.S.I.", "S.p.A.",
    "S.r.l.", "S.n.c.", "S.a.s.", "S.E.", "S/A", "Sp. z o.o. Sp.k.", "Sp. z o.o.", "Sp. z o. o.",
    "Sp.j.", "Sp.k.", "Sàrl.", "Sdn. Bhd.", "Sdn Bhd", "Stiftung & Co. KGaA", "Stiftung & Co. KG",
    "Tbk", "Zrt.", "a.s.", "d.d.", "d.o.o.", "j.d.o.o.", "o.s.", "s.c.", "e Hijos", "y Hnos",
    "Şti.", "Koop.", "e.G.", "e.K.", "e.V.", "k.s.", "o.p.s.", "s.p.", "s.r.o.", "spol. s r.o.",
    "s. r. o.", "v.o.s.", "z.s.", "e Associati", "s.r.l.", "& Associates", "& Associés",
    "& Brothers", "& Cie.", "& Cie", "& Co. KG", "& Co.", "& Co", "& Daughters", "& Partner",
    "& Partners", "& Sons", "& Söhne", "& Søn", "& Figli", "& Fils", "& Zonen", "& co.",
    "and Associates", "and Brothers", "and Co.", "and Daughters", "and Partners", "and Sons",
    "e Figli", "en Zonen", "et Associés", "et Fils", "és társa", "und Söhne", "y Asociados",
    "y Hijos", "y Cía", "e Filhos", "- EI", "- ME", "- EIRELI", "FZE", "FZCO", "FZ-LLC", "DMCC", "W.L.L.", "WLL",
];

/// The forms by their first byte.
static BY_FIRST: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| {
    (0..=u8::MAX)
        .map(|first| {
            FORMS.iter().copied().filter(|form| form.as_bytes().first() == Some(&first)).collect()
        })
        .collect()
});
static STARTS: BytePairs = BytePairs::of_starts(FORMS);

/// The end of a legal form after `end`, if there is one: `Müller GmbH & Co. KG`.
pub(crate) fn form_end(text: &str, end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let from = match (byte_at(bytes, end), byte_at(bytes, end + 1)) {
        (b' ', _) => end + 1,
        (b',', b' ') => end + 2,
        _ => return None,
    };
    let rest = bytes.get(from..)?;
    if !STARTS.may(byte_at(bytes, from), byte_at(bytes, from + 1)) {
        return None;
    }
    let first = usize::from(byte_at(bytes, from));
    BY_FIRST
        .get(first)?
        .iter()
        // Comparing two bytes first avoids most calls.
        .filter(|form| form.len() < 3 || form.as_bytes().get(1..3) == rest.get(1..3))
        .filter(|form| rest.starts_with(form.as_bytes()))
        .map(|form| form.len())
        .filter(|length| class_at(rest, *length) & LETTER == 0)
        .max()
        .map(|length| from + length)
}

/// The end of all legal forms after `end`.
pub(crate) fn forms_end(lexicon: Lexicon, text: &str, end: usize) -> Option<usize> {
    let mut stop = any_form(lexicon, text, end)?;
    for _ in 0..2 {
        match any_form(lexicon, text, stop) {
            Some(further) => stop = further,
            None => break,
        }
    }
    Some(stop)
}

/// The end of a form of the list above, or of a word that is one.
pub(crate) fn any_form(lexicon: Lexicon, text: &str, end: usize) -> Option<usize> {
    form_end(text, end).or_else(|| {
        if byte_at(text.as_bytes(), end) != b' ' {
            return None;
        }
        if !may_be_form(lexicon, text, end + 1) {
            return None;
        }
        let word = word_at(lexicon, text, end + 1, Position::First)?;
        (word.flags & LEGAL_FORM != 0 && is_form(text, &word)).then_some(word.end)
    })
}

/// Rejects most words with one lookup in the lexicon. A word that continues after a hyphen or an
/// apostrophe must be read as a whole.
fn may_be_form(lexicon: Lexicon, text: &str, start: usize) -> bool {
    let end = run_end(text.as_bytes(), start, LETTER);
    upper_at(text, start)
        && (matches!(byte_at(text.as_bytes(), end), b'-' | b'\'' | 0xE2)
            || lexicon.word_at(text, start, end) & LEGAL_FORM != 0)
}

/// Legal forms of up to three letters that are not all capitals.
const SHORT_FORMS: [&str; 19] = [
    "Ltd", "Inc", "Oy", "Oyj", "Kft", "Zrt", "Bt", "Lda", "SpA", "Srl", "Sarl", "ApS", "Pty",
    "Pte", "Ky", "Tmi", "Osk", "Sp", "Co",
];

/// Short legal forms count only in their usual spelling: `AG`, not `Ag`.
pub(crate) fn is_form(text: &str, word: &Word) -> bool {
    let Some(letters) = text.get(word.start..word.end) else { return false };
    letters.len() > 3 || word.kind == Kind::AllCapitals || SHORT_FORMS.contains(&letters)
}
