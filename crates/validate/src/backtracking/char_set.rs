//! Sets of characters, as the classes of a pattern describe them.
//!
//! In: characters, ranges and class names. Out: sets that can be combined and compared.
//! Exact for ASCII and approximate for everything else.

/// A set of characters: one bit for each ASCII one, and a summary of all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CharSet {
    ascii: u128,
    other: NonAscii,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NonAscii {
    None,
    Only(char),
    Any,
}

impl CharSet {
    pub(super) const ALL: Self = Self { ascii: u128::MAX, other: NonAscii::Any };
    pub(super) const EMPTY: Self = Self { ascii: 0, other: NonAscii::None };

    pub(super) fn of(one: char) -> Self {
        match u32::from(one) {
            code @ 0..128 => Self { ascii: 1 << code, other: NonAscii::None },
            _ => Self { ascii: 0, other: NonAscii::Only(one) },
        }
    }

    pub(super) fn range(from: char, to: char) -> Self {
        let mut set = Self::EMPTY;
        for code in u32::from(from)..=u32::from(to).min(127) {
            set.ascii |= 1 << code;
        }
        if u32::from(to) > 127 {
            set.other = NonAscii::Any;
        }
        set
    }

    pub(super) fn union(self, more: Self) -> Self {
        let other = match (self.other, more.other) {
            (NonAscii::None, other) | (other, NonAscii::None) => other,
            (one, other) if one == other => one,
            _ => NonAscii::Any,
        };
        Self { ascii: self.ascii | more.ascii, other }
    }

    pub(super) fn not(self) -> Self {
        // All other characters except one are still nearly all.
        let other = if self.other == NonAscii::Any { NonAscii::None } else { NonAscii::Any };
        Self { ascii: !self.ascii, other }
    }

    pub(super) fn overlaps(self, with: Self) -> bool {
        let others = match (self.other, with.other) {
            (NonAscii::None, _) | (_, NonAscii::None) => false,
            (NonAscii::Only(one), NonAscii::Only(other)) => one == other,
            _ => true,
        };
        others || self.ascii & with.ascii != 0
    }

    /// `\p{…}`. Two different properties are assumed to be disjoint.
    pub(super) fn property(name: &str) -> Self {
        let short = name.rsplit('=').next().unwrap_or(name);
        let ascii = match short.chars().next() {
            Some('L' | 'A') => Self::range('a', 'z').union(Self::range('A', 'Z')),
            Some('N') => Self::range('0', '9'),
            _ => Self::EMPTY,
        };
        // A private-use character represents the property.
        let sum = name.bytes().fold(7_u32, |sum, byte| sum * 31 % 65_521 + u32::from(byte));
        let other = char::from_u32(0xf_0000 + sum % 65_521).map_or(NonAscii::Any, NonAscii::Only);
        Self { ascii: ascii.ascii, other }
    }

    /// `\w`, `\d`, `\s` and their negations.
    pub(super) fn class(letter: char) -> Option<Self> {
        let digits = Self::range('0', '9');
        let spaces =
            "\t\n\x0b\x0c\r ".chars().fold(Self::EMPTY, |set, one| set.union(Self::of(one)));
        let plain = match letter.to_ascii_lowercase() {
            'd' => digits,
            's' => spaces,
            'w' => {
                let letters = Self::range('a', 'z').union(Self::range('A', 'Z'));
                digits.union(letters).union(Self::of('_'))
            }
            _ => return None,
        };
        Some(if letter.is_ascii_uppercase() { plain.not() } else { plain })
    }
}
