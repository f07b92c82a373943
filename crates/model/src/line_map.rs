//! Maps positions in generated code to positions in the program as written.
//!
//! In: entries of the reader. Out: the program's own lines for errors of the worker. On the
//! wire a map is a list of variable-length differences: a program of 200 lines has some 3,000
//! entries, which take 12 KB.

/// Positions of generated code, sorted, each with its origin. Lines and columns count
/// from 0 in an entry and from 1 in [`LineMap::origin`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineMap(Vec<LineMapping>);

/// One position of generated code and where it comes from. Both count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineMapping {
    /// Line and column in the generated code.
    pub generated: (u32, u32),
    /// Line and column in the program.
    pub origin: (u32, u32),
}

impl LineMap {
    /// The entries may come in any order.
    pub fn new(mut entries: Vec<LineMapping>) -> Self {
        entries.sort_by_key(|entry| entry.generated);
        Self(entries)
    }

    /// Line and column in the program for a line and column of generated code, all
    /// counted from 1.
    pub fn origin(&self, line: u32, column: u32) -> Option<(u32, u32)> {
        let wanted = (line.checked_sub(1)?, column.saturating_sub(1));
        let after = self.0.partition_point(|entry| entry.generated <= wanted);
        let entry = self.0.get(after.checked_sub(1)?)?;
        Some((entry.origin.0.saturating_add(1), entry.origin.1.saturating_add(1)))
    }

    /// As bytes for the wire.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.0.len() * 4);
        let mut last = [0; 4];
        for entry in &self.0 {
            let next = numbers(entry);
            for (number, before) in next.into_iter().zip(last) {
                push(&mut bytes, number.wrapping_sub(before).cast_signed());
            }
            last = next;
        }
        bytes
    }

    /// Decodes the bytes of [`LineMap::to_bytes`]. Invalid bytes give a wrong map, which
    /// affects only its own program.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut rest = bytes.iter();
        let mut entries = Vec::with_capacity(bytes.len() / 4);
        let mut last = [0_u32; 4];
        'entries: loop {
            let mut next = last;
            for number in &mut next {
                let Some(difference) = take(&mut rest) else { break 'entries };
                *number = number.wrapping_add(difference.cast_unsigned());
            }
            entries.push(LineMapping { generated: (next[0], next[1]), origin: (next[2], next[3]) });
            last = next;
        }
        Self::new(entries)
    }
}

fn numbers(entry: &LineMapping) -> [u32; 4] {
    [entry.generated.0, entry.generated.1, entry.origin.0, entry.origin.1]
}

/// Appends a number with seven bits to a byte, lowest first; the lowest bit is the sign.
fn push(bytes: &mut Vec<u8>, number: i32) {
    let mut rest = ((number << 1) ^ (number >> 31)).cast_unsigned();
    while rest >= 0x80 {
        bytes.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

fn take<'a>(bytes: &mut impl Iterator<Item = &'a u8>) -> Option<i32> {
    let mut number = 0_u32;
    for shift in (0..32).step_by(7) {
        let byte = *bytes.next()?;
        number |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some((number >> 1).cast_signed() ^ -((number & 1).cast_signed()))
}

#[cfg(test)]
mod tests {
    use super::{LineMap, LineMapping};

    fn entry(generated: (u32, u32), origin: (u32, u32)) -> LineMapping {
        LineMapping { generated, origin }
    }

    #[test]
    fn a_map_survives_its_way_over_the_wire() {
        let map = LineMap::new(vec![
            entry((0, 0), (7, 3)),
            entry((0, 12), (2, 90_000)),
            entry((3, 1), (0, 0)),
            entry((u32::MAX, 0), (1, u32::MAX)),
        ]);
        assert_eq!(LineMap::from_bytes(&map.to_bytes()), map);
        assert_eq!(LineMap::from_bytes(&[]), LineMap::default());
    }

    #[test]
    fn bytes_that_are_no_map_mislead_and_do_no_more() {
        for bytes in [&[0xff; 64][..], &[0x80], &[1, 2, 3], b"GET / HTTP/1.1"] {
            LineMap::from_bytes(bytes).origin(u32::MAX, u32::MAX);
        }
    }

    #[test]
    fn a_position_belongs_to_the_entry_before_it() {
        let map = LineMap::new(vec![entry((1, 4), (2, 2)), entry((0, 0), (5, 0))]);
        assert_eq!(map.origin(1, 1), Some((6, 1)));
        assert_eq!(map.origin(2, 4), Some((6, 1)));
        assert_eq!(map.origin(2, 5), Some((3, 3)));
        assert_eq!(map.origin(0, 1), None);
        assert_eq!(LineMap::default().origin(1, 1), None);
    }
}
