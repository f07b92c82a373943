//! Lines of vCard and iCalendar.
//!
//! In: the colon of a line like `TEL;TYPE=CELL:…`, or the `=` of `;CN=…`. Out: candidates for
//! the parts of the value. Other properties are scanned like any text.

use memchr::{memchr, memrchr};
use tidegate_model::DataType;

use crate::byte_class::{byte_at, floor_char, upper_at};
use crate::person::keyed::may_be_name;
use crate::scan::{KEYED, Scan};

/// How far before the colon the name of a property can begin.
const REACH: usize = 100;
const VALUE: usize = 300;

/// Reads the value of a property; returns its end.
pub(crate) fn line(scan: &mut Scan<'_>, text: &str, colon: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let from = colon.saturating_sub(REACH);
    let start = match memrchr(b'\n', bytes.get(from..colon)?) {
        Some(place) => from + place + 1,
        None if from == 0 => 0,
        None => return None,
    };
    let head = text.get(start..colon).filter(|head| !head.contains(':'))?;
    let name = head.split(';').next()?.rsplit('.').next()?;
    let first = colon + 1;
    let rest = bytes.get(first..bytes.len().min(first + VALUE))?;
    let end = floor_char(text, first + memchr(b'\n', rest).unwrap_or(rest.len()));
    let value = text.get(first..end)?.trim_ascii_end();
    match name {
        "FN" if upper_at(text, first) && may_be_name(value) => {
            scan.add(first, first + value.len(), DataType::Person, KEYED);
        }
        // `Quux;Zyxa;;Dr.;`
        "N" if value.contains(';') => {
            let mut at = first;
            for part in value.split(';') {
                if part.len() > 1 && may_be_name(part) {
                    scan.add(at, at + part.len(), DataType::Person, KEYED);
                }
                at += part.len() + 1;
            }
        }
        "ORG" => {
            let company = value.split(';').next().filter(|company| company.len() > 1)?;
            scan.add(first, first + company.len(), DataType::Org, KEYED);
        }
        // `;;12 Main Street;Springfield;IL;62701;USA`
        "ADR" if value.matches(';').count() >= 3 => {
            let inner = value.trim_matches([';', ' ']);
            let lead = value.find(inner)?;
            scan.add(first + lead, first + lead + inner.len(), DataType::Address, KEYED);
        }
        // A room has no commas; in iCalendar they are escaped.
        "LOCATION" if value.contains("\\,") && value.bytes().any(|byte| byte.is_ascii_digit()) => {
            scan.add(first, first + value.len(), DataType::Address, KEYED);
        }
        _ => return None,
    }
    Some(end)
}

/// Reads `;CN=Ann Lee` or `;CN="Ann Lee"` of an invitation.
pub(crate) fn common_name(scan: &mut Scan<'_>, text: &str, sign: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let quoted = byte_at(bytes, sign + 1) == b'"';
    let start = sign + 1 + usize::from(quoted);
    let rest = text.get(start..floor_char(text, bytes.len().min(start + 90)))?;
    let length = if quoted { rest.find('"') } else { rest.find([':', ';', ',', '\n']) }?;
    let name = rest.get(..length)?;
    if !may_be_name(name) || !upper_at(text, start) {
        return None;
    }
    scan.add(start, start + length, DataType::Person, KEYED);
    Some(start + length)
}

#[cfg(test)]
mod tests {
    use tidegate_model::TextKind;

    use crate::testing::found_as;

    #[test]
    fn cards_and_invitations_are_read() {
        let text = "BEGIN:VCARD\nN:Quux;Zyxa;;;\nFN:Zyxa Quux\nORG:Quuxalon;Sales\n\
            ADR;TYPE=HOME:;;Xyzzy 7;Graz;;;\nEND:VCARD\n\
            ATTENDEE;ROLE=REQ-PARTICIPANT;CN=Zyxa Quux;RSVP=TRUE:mailto:z@q.example.org\n\
            LOCATION:Xyzzy 7\\, 8010 Graz\n\
            LOCATION:Room 4\nSUMMARY:Budget review\n";
        let found = found_as(text, TextKind::Auto);
        assert_eq!(
            found,
            [
                "Quux",
                "Zyxa",
                "Zyxa Quux",
                "Quuxalon",
                "Xyzzy 7;Graz",
                "Zyxa Quux",
                "z@q.example.org",
                "Xyzzy 7\\, 8010 Graz"
            ]
        );
    }
}
