//! Lines and columns of byte offsets.
//!
//! In: the text of a program. Out: the line and column of an offset as a model counts them:
//! both from 1, columns in characters. Line starts are computed once, since a program can have
//! hundreds of positions.

/// The text of a program and the starts of its lines.
pub(crate) struct Lines<'s> {
    source: &'s str,
    starts: Vec<usize>,
    /// The characters before each block of [`BLOCK_BYTES`], so that columns in a long line are
    /// not counted from its start each time.
    counted: Vec<usize>,
}

/// The block size for which characters are counted in advance.
const BLOCK_BYTES: usize = 1024;

impl<'s> Lines<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        let ends = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        let mut counted = vec![0];
        for block in source.as_bytes().chunks(BLOCK_BYTES) {
            counted.push(counted.last().unwrap_or(&0) + characters(block));
        }
        Self { source, starts, counted }
    }

    /// Line and column of a byte offset.
    pub(crate) fn place(&self, offset: usize) -> (u32, u32) {
        let offset = self.source.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        let column = self.before(offset) - self.before(start) + 1;
        (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
    }

    /// Lines and columns of both ends of a range of bytes.
    pub(crate) fn range(&self, (start, end): (u32, u32)) -> (u32, u32, u32, u32) {
        let (start, end) = (self.place(start as usize), self.place(end as usize));
        (start.0, start.1, end.0, end.1)
    }

    /// The number of characters that start before an offset.
    fn before(&self, offset: usize) -> usize {
        let block = offset / BLOCK_BYTES;
        self.counted[block] + characters(&self.source.as_bytes()[block * BLOCK_BYTES..offset])
    }

    /// The text between two offsets; empty for offsets outside the program.
    pub(crate) fn text(&self, start: u32, end: u32) -> &'s str {
        self.source.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// The number of characters that start in these UTF-8 bytes.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xc0) != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn columns_of_a_long_line_are_those_that_counting_gives() {
        let source = format!("x\n{}", "aé🌊".repeat(2000));
        let lines = Lines::new(&source);
        for offset in (0..source.len()).step_by(97) {
            let start = if offset < 2 { 0 } else { 2 };
            let end = source.floor_char_boundary(offset);
            let column = source[start..end].chars().count() + 1;
            assert_eq!(lines.place(offset).1 as usize, column, "{offset}");
        }
    }

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let lines = Lines::new("aé\n\n🌊b");
        let places = [0, 1, 3, 4, 5, 9, 99].map(|offset| lines.place(offset));
        assert_eq!(places, [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (3, 2), (3, 3)]);
    }
}
