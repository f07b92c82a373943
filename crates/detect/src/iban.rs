//! International bank account numbers.
//!
//! In: the start of a word of two letters and two digits. Out: the end of the number, if the
//! country is known, the length is right and the remainder by 97 is 1.

use crate::byte_class::{WORD, byte_at, class_at};

/// Lengths by country, from the IBAN registry of SWIFT.
const LENGTHS: &str = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24FI18FK18FO18FR27GB22GE22GI23\
GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29\
PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20YE30DZ26AO25BJ28BF28CM27CV25CF27TD27KM27CG27CI28GA27GQ27GW25IR26MG27ML28MA28MZ25NE28SN28TG28";

/// The lengths, indexed by the two letters of the country; 0 for none.
static BY_COUNTRY: [u8; 26 * 26] = by_country();

const fn by_country() -> [u8; 26 * 26] {
    let mut table = [0; 26 * 26];
    let bytes = LENGTHS.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let length = (bytes[at + 2] - b'0') * 10 + (bytes[at + 3] - b'0');
        table[place(bytes[at], bytes[at + 1])] = length;
        at += 4;
    }
    table
}

/// The index of two capitals; out of range for anything else.
const fn place(first: u8, second: u8) -> usize {
    if !first.is_ascii_uppercase() || !second.is_ascii_uppercase() {
        return usize::MAX;
    }
    (first - b'A') as usize * 26 + (second - b'A') as usize
}

/// The end of the number that starts at `start`.
pub(crate) fn end(bytes: &[u8], start: usize) -> Option<usize> {
    let country = [
        byte_at(bytes, start).to_ascii_uppercase(),
        byte_at(bytes, start + 1).to_ascii_uppercase(),
    ];
    let length = usize::from(*BY_COUNTRY.get(place(country[0], country[1]))?);
    if length == 0 {
        return None;
    }
    let mut remainder = Remainder(0);
    let mut head = [0; 4];
    let mut read = 0;
    let mut at = start;
    let mut spaced = 0_u8;
    while read < length {
        let byte = byte_at(bytes, at);
        if byte.is_ascii_alphanumeric() {
            match head.get_mut(read) {
                Some(slot) => *slot = byte,
                None => remainder.add(byte),
            }
            read += 1;
        } else if matches!(byte, b' ' | b'-')
            && read > 0
            && read % 4 == 0
            && byte_at(bytes, at + 1).is_ascii_alphanumeric()
            && (spaced == 0 || spaced == byte)
        {
            spaced = byte;
        } else {
            return None;
        }
        at += 1;
    }
    head.iter().for_each(|byte| remainder.add(*byte));
    (remainder.0 == 1 && class_at(bytes, at) & WORD == 0).then_some(at)
}

struct Remainder(u32);

impl Remainder {
    fn add(&mut self, byte: u8) {
        self.0 = match byte {
            b'0'..=b'9' => (self.0 * 10 + u32::from(byte - b'0')) % 97,
            _ => (self.0 * 100 + u32::from(byte.to_ascii_uppercase() - b'A') + 10) % 97,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_checked_by_country_length_and_remainder() {
        for good in [
            "DE89370400440532013000",
            "GB82 WEST 1234 5698 7654 32",
            "gb82west12345698765432",
            "FR14 2004 1010 0505 0001 3M02 606",
            "NO93-8601-1117-947",
        ] {
            assert_eq!(end(good.as_bytes(), 0), Some(good.len()), "{good}");
        }
        for bad in [
            "DE89370400440532013001",
            "DE8937040044053201300",
            "XX89370400440532013000",
            "DE89 370400 440532013000",
        ] {
            assert_eq!(end(bad.as_bytes(), 0), None, "{bad}");
        }
    }
}
