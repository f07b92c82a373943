//! From byte offsets to the lines and columns that a model counts.
//!
//! In: the program's text. Out: line and column of an offset, both from 1,
//! columns in characters. The lines are found once, since a program can have
//! hundreds of places to name.

/// The text of a program and where its lines begin.
pub(crate) struct Lines<'s> {
    source: &'s str,
    starts: Vec<usize>,
}

impl<'s> Lines<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        let ends = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Self { source, starts }
    }

    /// Line and column of a byte offset.
    pub(crate) fn place(&self, offset: usize) -> (u32, u32) {
        let offset = self.source.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        let column = self.source[start..offset].chars().count() + 1;
        (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
    }

    /// The text between two offsets; nothing for offsets that are not ours.
    pub(crate) fn text(&self, start: u32, end: u32) -> &'s str {
        self.source.get(start as usize..end as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let lines = Lines::new("aé\n\n🌊b");
        let places = [0, 1, 3, 4, 5, 9, 99].map(|offset| lines.place(offset));
        assert_eq!(places, [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (3, 2), (3, 3)]);
    }
}
