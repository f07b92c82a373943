//! Lines of vCard and iCalendar.
//!
//! In: the colon of a line like `TEL;TYPE=CELL:…`, or the `=` of `;CN=…`. Out: finds for
//! the parts of the value. Other properties are read like any text.

use memchr::{memchr, memrchr};
use tidegate_model::DataType;

use super::class::{byte_at, floor_char, upper_at};
use super::name_value::may_be_name;
use super::run::{LABELLED, Run};

/// How far the name of a property stands before its colon.
const REACH: usize = 100;
const VALUE: usize = 300;

/// Reads the value of a property; returns its end.
pub(super) fn line(run: &mut Run<'_>, text: &str, colon: usize) -> Option<usize> {
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
            run.add(first, first + value.len(), DataType::Person, LABELLED);
        }
        // `Quux;Zyxa;;Dr.;`
        "N" if value.contains(';') => {
            let mut at = first;
            for part in value.split(';') {
                if part.len() > 1 && may_be_name(part) {
                    run.add(at, at + part.len(), DataType::Person, LABELLED);
                }
                at += part.len() + 1;
            }
        }
        "ORG" => {
            let company = value.split(';').next().filter(|company| company.len() > 1)?;
            run.add(first, first + company.len(), DataType::Org, LABELLED);
        }
        // `;;12 Main Street;Springfield;IL;62701;USA`
        "ADR" if value.matches(';').count() >= 3 => {
            let inner = value.trim_matches([';', ' ']);
            let lead = value.find(inner)?;
            run.add(first + lead, first + lead + inner.len(), DataType::Address, LABELLED);
        }
        // A room has no commas; they are written `\,` here.
        "LOCATION" if value.contains("\\,") && value.bytes().any(|byte| byte.is_ascii_digit()) => {
            run.add(first, first + value.len(), DataType::Address, LABELLED);
        }
        _ => return None,
    }
    Some(end)
}

/// Reads `;CN=Ann Lee` or `;CN="Ann Lee"` of an invitation.
pub(super) fn common_name(run: &mut Run<'_>, text: &str, sign: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let quoted = byte_at(bytes, sign + 1) == b'"';
    let start = sign + 1 + usize::from(quoted);
    let rest = text.get(start..floor_char(text, bytes.len().min(start + 90)))?;
    let length = if quoted { rest.find('"') } else { rest.find([':', ';', ',', '\n']) }?;
    let name = rest.get(..length)?;
    if !may_be_name(name) || !upper_at(text, start) {
        return None;
    }
    run.add(start, start + length, DataType::Person, LABELLED);
    Some(start + length)
}

#[cfg(test)]
mod tests {
    use tidegate_model::{Detect, TextKind};

    use crate::{Detector, Options};

    #[test]
    fn cards_and_invitations_are_read() {
        let text = "BEGIN:VCARD\nN:Quux;Zyxa;;;\nFN:Zyxa Quux\nORG:Quuxalon;Sales\n\
            ADR;TYPE=HOME:;;Xyzzy 7;Graz;;;\nEND:VCARD\n\
            ATTENDEE;ROLE=REQ-PARTICIPANT;CN=Zyxa Quux;RSVP=TRUE:mailto:z@q.example.org\n\
            LOCATION:Xyzzy 7\\, 8010 Graz\n\
            LOCATION:Room 4\nSUMMARY:Budget review\n";
        let detector = Detector::new(Options::default()).unwrap();
        let found: Vec<&str> =
            detector.scan(text, TextKind::Auto).iter().map(|span| &text[span.range()]).collect();
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
