//! Character references of HTML: `&#64;`, `&#x40;`, `&commat;`, `&uuml;`.
//!
//! In: the bytes after an ampersand. Out: the character, and how many bytes it takes. Browsers
//! also read a number with leading zeros or without the semicolon.

use super::escapes::hex;

/// The longest number and name that are read.
const LONGEST: usize = 16;

/// The characters from U+00A0 to U+00FF by name, in this order.
const LATIN_1: &str = "\
    nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg \
    plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 \
    iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave \
    Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute \
    Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave \
    eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml \
    divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/// The character that the bytes after an ampersand stand for, and their length.
pub(super) fn entity(bytes: &[u8]) -> Option<(usize, char)> {
    let (prefix, is_hex) = match bytes {
        [b'#', b'x' | b'X', ..] => (2, true),
        [b'#', ..] => (1, false),
        name => return named(name),
    };
    let digits = bytes.get(prefix..)?;
    let is_digit =
        |byte: &&u8| if is_hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
    let length = digits.iter().take(LONGEST).take_while(is_digit).count();
    let zeros = digits.iter().take(length).take_while(|byte| **byte == b'0').count();
    let number = digits.get(zeros..length)?;
    let code = match is_hex {
        true => hex(number)?,
        false => str::from_utf8(number).ok()?.parse().ok()?,
    };
    let semicolon = usize::from(digits.get(length) == Some(&b';'));
    Some((prefix + length + semicolon, char::from_u32(code)?))
}

fn named(bytes: &[u8]) -> Option<(usize, char)> {
    let end = bytes.iter().take(LONGEST).position(|&byte| byte == b';')?;
    let name = str::from_utf8(bytes.get(..end)?).ok()?;
    let char = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        // An ordinary space to whoever reads it.
        "nbsp" => ' ',
        "commat" => '@',
        "period" => '.',
        "comma" => ',',
        "colon" => ':',
        "plus" => '+',
        "num" => '#',
        "sol" => '/',
        "lowbar" => '_',
        "hyphen" | "dash" => '-',
        "lpar" => '(',
        "rpar" => ')',
        "lsqb" | "lbrack" => '[',
        "rsqb" | "rbrack" => ']',
        "Tab" => '\t',
        "NewLine" => '\n',
        other => {
            let place = LATIN_1.split_ascii_whitespace().position(|one| one == other)?;
            char::from_u32(0xa0 + u32::try_from(place).ok()?)?
        }
    };
    Some((end + 1, char))
}
