//! Identifiers that look like other identifiers, or that are obfuscated.
//!
//! In: a name. Out: whether it mixes scripts, and which Latin name it resembles. Python
//! itself treats `𝐞𝐯𝐚𝐥` as `eval`; a person reads `еval` with a Cyrillic letter as `eval`.
//! Words in a single script are honest names, whatever the script.

/// Letters of other scripts that look like Latin ones. Lower-case Greek letters that
/// mathematical programs use beside Latin ones are left out.
const CONFUSABLE: [(char, char); 50] = [
    ('а', 'a'),
    ('е', 'e'),
    ('о', 'o'),
    ('р', 'p'),
    ('с', 'c'),
    ('х', 'x'),
    ('у', 'y'),
    ('і', 'i'),
    ('ј', 'j'),
    ('ѕ', 's'),
    ('ԁ', 'd'),
    ('һ', 'h'),
    ('ԛ', 'q'),
    ('ԝ', 'w'),
    ('ѵ', 'v'),
    ('ӏ', 'l'),
    ('А', 'A'),
    ('В', 'B'),
    ('Е', 'E'),
    ('К', 'K'),
    ('М', 'M'),
    ('Н', 'H'),
    ('О', 'O'),
    ('Р', 'P'),
    ('С', 'C'),
    ('Т', 'T'),
    ('Х', 'X'),
    ('І', 'I'),
    ('Ѕ', 'S'),
    ('Ј', 'J'),
    ('ο', 'o'),
    ('Α', 'A'),
    ('Β', 'B'),
    ('Ε', 'E'),
    ('Ζ', 'Z'),
    ('Η', 'H'),
    ('Ι', 'I'),
    ('Κ', 'K'),
    ('Μ', 'M'),
    ('Ν', 'N'),
    ('Ο', 'O'),
    ('Ρ', 'P'),
    ('Τ', 'T'),
    ('Υ', 'Y'),
    ('Χ', 'X'),
    ('օ', 'o'),
    ('ս', 'u'),
    ('ց', 'g'),
    ('հ', 'h'),
    ('ո', 'n'),
];

/// Whether a name mixes Latin letters with lookalikes, or uses letters that Python
/// normalises to Latin ones.
pub(crate) fn is_mixed(name: &str) -> bool {
    if name.is_ascii() {
        return false;
    }
    let has_latin = name.chars().any(|one| one.is_ascii_alphabetic());
    name.chars().any(|one| is_styled(one) || has_latin && latin_lookalike(one).is_some())
}

/// Mathematical, full-width, circled and other styled letters.
fn is_styled(one: char) -> bool {
    matches!(one, '\u{1d400}'..='\u{1d7ff}' | '\u{ff10}'..='\u{ff5a}' | '\u{2100}'..='\u{214f}'
        | '\u{fb00}'..='\u{fb06}' | '\u{2090}'..='\u{209c}' | '\u{24b6}'..='\u{24e9}' | 'ſ')
}

fn latin_lookalike(one: char) -> Option<char> {
    CONFUSABLE.iter().find(|(other, _)| *other == one).map(|(_, latin)| *latin)
}

/// The Latin name that this name looks like; nothing if some letter does not look Latin, or
/// if it is a single letter.
pub(crate) fn skeleton(name: &str) -> Option<String> {
    let read = |one: char| if one.is_ascii() { Some(one) } else { latin_lookalike(one) };
    let read: Option<String> = name.chars().map(read).collect();
    read.filter(|read| read.len() > 1)
}

/// Whether a name looks obfuscated: `_0x3f2a`, `O0O0OO`, `lI1lI`, `___`.
pub(crate) fn is_mangled(name: &str) -> bool {
    let only = |letters: &str| name.len() >= 3 && name.chars().all(|one| letters.contains(one));
    let hexadecimal =
        name.trim_start_matches('_').strip_prefix("0x").or_else(|| name.strip_prefix("_0x"));
    hexadecimal
        .is_some_and(|rest| rest.len() >= 3 && rest.chars().all(|one| one.is_ascii_hexdigit()))
        || only("O0o_")
        || only("lI1i_") && name.chars().any(|one| one != 'i' && one != 'l')
}

#[cfg(test)]
mod tests {
    use super::{is_mangled, is_mixed, skeleton};

    #[test]
    fn names_that_mix_scripts_are_found() {
        for name in ["еval", "𝐞𝐯𝐚𝐥", "ｅｖａｌ", "exeс", "ﬁle", "pаssword"] {
            assert!(is_mixed(name), "{name}");
        }
        for name in ["eval", "größe", "имя", "名前", "Δx", "π", "σ_hat", "naïve", "café"]
        {
            assert!(!is_mixed(name), "{name}");
        }
        assert_eq!(skeleton("ехес").as_deref(), Some("exec"));
        assert_eq!(skeleton("имя"), None);
    }

    #[test]
    fn obfuscated_names_are_found() {
        for name in ["_0x3f2a", "O0O0OO", "lI1lI", "___", "__O0"] {
            assert!(is_mangled(name), "{name}");
        }
        for name in ["_", "__", "x", "oo", "ill", "loop", "total_0", "i", "ii", "l1"] {
            assert!(!is_mangled(name), "{name}");
        }
    }
}
