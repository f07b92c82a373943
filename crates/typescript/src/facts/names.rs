//! Identifiers that are made to be misread.
//!
//! A letter of another script that looks like a Latin one, in a word of Latin ones;
//! two names that look the same; names as obfuscators make them. Names in any script
//! are fine, and so are Greek letters as mathematics uses them.

/// What is wrong with an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Oddity {
    /// Letters of several scripts that look alike.
    Mixed,
    /// As obfuscators name things.
    Mangled,
}

/// Looks at one identifier.
pub(super) fn oddity(name: &str) -> Option<Oddity> {
    if name.is_ascii() {
        return is_mangled(name).then_some(Oddity::Mangled);
    }
    let mixed = words(name).any(|word| {
        let latin = word.chars().any(|one| one.is_ascii_alphabetic());
        let other = word.chars().any(|one| look_alike(one).is_some());
        latin && other
    });
    // Joiners are allowed in names and are not seen.
    let unseen = name.chars().any(|one| matches!(one, '\u{200c}' | '\u{200d}'));
    (mixed || unseen).then_some(Oddity::Mixed)
}

/// The name as it looks: two names with the same are misread for each other.
pub(super) fn looks_like(name: &str) -> Option<String> {
    let seen = |one: char| !matches!(one, '\u{200c}' | '\u{200d}');
    (!name.is_ascii()).then(|| {
        name.chars().filter(|one| seen(*one)).map(|one| look_alike(one).unwrap_or(one)).collect()
    })
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(['_', '$'])
}

/// `_0x3fa2`, `lIlI1l`, `O0OO0`, `_$_$`.
fn is_mangled(name: &str) -> bool {
    if let Some(digits) = name.strip_prefix("_0x") {
        return digits.len() >= 2 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    let alike = |group: &[u8]| name.bytes().all(|byte| group.contains(&byte));
    let mixed = name.bytes().any(|byte| byte != name.as_bytes()[0]);
    name.len() >= 4 && mixed && (alike(b"Il1_") || alike(b"O0o_") || alike(b"_$"))
}

/// The Latin letter that one of another script looks like.
fn look_alike(one: char) -> Option<char> {
    Some(match one {
        'а' | 'α' => 'a',
        'Ь' | 'в' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ҽ' => 'e',
        'һ' => 'h',
        'і' | 'ι' | 'ı' => 'i',
        'ј' => 'j',
        'κ' => 'k',
        'ӏ' => 'l',
        'ո' => 'n',
        'о' | 'ο' | 'օ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'υ' | 'ս' => 'u',
        'ν' | 'ѵ' => 'v',
        'ԝ' | 'ѡ' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'С' | 'Ϲ' => 'C',
        'Е' | 'Ε' => 'E',
        'Н' | 'Η' => 'H',
        'І' | 'Ι' => 'I',
        'Ј' => 'J',
        'К' | 'Κ' => 'K',
        'М' | 'Μ' => 'M',
        'Ν' => 'N',
        'О' | 'Ο' => 'O',
        'Р' | 'Ρ' => 'P',
        'Ѕ' => 'S',
        'Т' | 'Τ' => 'T',
        'Х' | 'Χ' => 'X',
        'У' | 'Υ' => 'Y',
        'Ζ' => 'Z',
        // Full width, and the letters of mathematics.
        'Ａ'..='Ｚ' => return char::from_u32(u32::from(one) - 0xff21 + 0x41),
        'ａ'..='ｚ' => return char::from_u32(u32::from(one) - 0xff41 + 0x61),
        '\u{1d400}'..='\u{1d6a3}' => {
            let place = (u32::from(one) - 0x1d400) % 52;
            return char::from_u32(if place < 26 { 0x41 + place } else { 0x61 + place - 26 });
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Oddity, looks_like, oddity};

    #[test]
    fn letters_that_look_like_others_are_odd_among_others_only() {
        for (name, expected) in [
            ("eval", None),
            ("еval", Some(Oddity::Mixed)),
            ("имя", None),
            ("имя_user", None),
            ("größe", None),
            ("Δt", None),
            ("naïve", None),
            ("名前", None),
            ("user\u{200d}", Some(Oddity::Mixed)),
            ("_0x3fa2", Some(Oddity::Mangled)),
            ("lIl1I", Some(Oddity::Mangled)),
            ("O0Oo", Some(Oddity::Mangled)),
            ("____", None),
            ("_0x", None),
            ("Illinois", None),
        ] {
            assert_eq!(oddity(name), expected, "{name}");
        }
        assert_eq!(looks_like("сору").as_deref(), Some("copy"));
        assert_eq!(looks_like("copy"), None);
    }
}
