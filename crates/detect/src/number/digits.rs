//! Groups of digits with separators, as people write numbers.
//!
//! In: the offset of a digit, `+` or `(`. Out: the digits, the lengths of the groups and the
//! separator before each, at most `GROUPS` groups. Does not judge them.

use crate::byte_class::byte_at;

pub(crate) const GROUPS: usize = 10;
const DIGITS: usize = 32;
/// How many signs can precede the first digit.
const SIGNS: usize = 4;

pub(crate) struct Digits {
    values: [u8; DIGITS],
    lengths: [u8; GROUPS],
    /// The separator before each group; 0 before the first.
    signs: [u8; GROUPS],
    /// For each group: its end, counted from the start, and the digits up to it.
    ends: [(u8, u8); GROUPS],
    pub(crate) groups: usize,
    pub(crate) start: usize,
    /// A group is longer than any known number.
    pub(crate) too_long: bool,
}

impl Digits {
    pub(crate) fn gather(bytes: &[u8], start: usize) -> Self {
        let mut digits = Self {
            values: [0; DIGITS],
            lengths: [0; GROUPS],
            signs: [0; GROUPS],
            ends: [(0, 0); GROUPS],
            groups: 0,
            start,
            too_long: false,
        };
        let mut at = start;
        let mut total = 0;
        let mut sign = 0;
        // Bounded: a text can consist of signs.
        while at - start < SIGNS && matches!(byte_at(bytes, at), b'+' | b'(') {
            if byte_at(bytes, at) == b'(' {
                sign = b'(';
            }
            at += 1;
        }
        while digits.groups < GROUPS {
            let begin = at;
            while byte_at(bytes, at).is_ascii_digit() {
                let Some(slot) = digits.values.get_mut(total) else {
                    digits.too_long = digits.groups == 0;
                    return digits;
                };
                *slot = byte_at(bytes, at) - b'0';
                total += 1;
                at += 1;
            }
            if at == begin {
                break;
            }
            let group = digits.groups;
            digits.set(group, at - begin, sign, (at - start, total));
            digits.groups += 1;
            sign = 0;
            let mut next = at;
            while next - at < 3
                && matches!(byte_at(bytes, next), b' ' | b'-' | b'.' | b'/' | b'(' | b')')
            {
                if sign == 0 || sign == b' ' {
                    sign = byte_at(bytes, next);
                }
                next += 1;
            }
            if next == at || !byte_at(bytes, next).is_ascii_digit() {
                break;
            }
            at = next;
        }
        digits
    }

    fn set(&mut self, group: usize, length: usize, sign: u8, (end, total): (usize, usize)) {
        if let (Some(l), Some(s), Some(e)) =
            (self.lengths.get_mut(group), self.signs.get_mut(group), self.ends.get_mut(group))
        {
            // All fit: signs, digits and groups are bounded.
            (*l, *s, *e) = (length as u8, sign, (end as u8, total as u8));
        }
    }

    pub(crate) fn lengths(&self, groups: usize) -> &[u8] {
        self.lengths.get(..groups).unwrap_or_default()
    }

    /// The separators between the first groups, including a parenthesis before the first.
    pub(crate) fn signs(&self, groups: usize) -> &[u8] {
        let from = usize::from(self.signs.first() == Some(&0));
        self.signs.get(from.min(groups)..groups).unwrap_or_default()
    }

    pub(crate) fn values(&self, groups: usize) -> &[u8] {
        let count = self.last(groups).map_or(0, |(_, total)| total);
        self.values.get(..usize::from(count)).unwrap_or_default()
    }

    /// The end of the group with this number, counted from one.
    pub(crate) fn end(&self, groups: usize) -> usize {
        self.start + self.last(groups).map_or(0, |(end, _)| usize::from(end))
    }

    fn last(&self, groups: usize) -> Option<(u8, u8)> {
        groups.checked_sub(1).and_then(|last| self.ends.get(last)).copied()
    }

    /// The digits `from..to` as a number.
    pub(crate) fn number(&self, from: usize, to: usize) -> u32 {
        self.values
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .fold(0, |sum, digit| sum * 10 + u32::from(*digit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_lengths_and_signs_are_read() {
        let digits = Digits::gather(b"+1 (201) 542-6047 x", 0);
        assert_eq!(
            (digits.lengths(4), digits.signs(4), digits.end(4)),
            (&[1, 3, 3, 4][..], b"()-".as_slice(), 17)
        );
        assert_eq!(digits.values(2), [1, 2, 0, 1]);
    }
}
