//! The Markdown fence around a program.
//!
//! In: the source. Out: which of its lines stand in the fence. A program may have
//! fences in its own texts, one that writes Markdown for example: a line is no fence
//! while a text in three quotes of Python is open. (A text of TypeScript over several
//! lines cannot begin a line with three back-ticks.)

use std::ops::Range;

const FENCE: &str = "```";
const QUOTES: [&str; 2] = ["\"\"\"", "'''"];

/// The lines inside of the first fence, counted from 0; none if there is no fence.
/// Without a closing line it goes to the end.
pub fn fenced_lines(source: &str) -> Option<Range<usize>> {
    // What ends the text that a line begins in.
    let mut ending: Option<&str> = None;
    let mut first = None;
    let mut last = 0;
    for (at, line) in source.lines().enumerate() {
        last = at + 1;
        if ending.is_none() && line.trim_start().starts_with(FENCE) {
            match first {
                None => first = Some(at + 1),
                Some(first) => return Some(first..at),
            }
            continue;
        }
        ending = ending_after(line, ending);
    }
    let first = first?;
    // A mark of a text in a comment hides the end. It is the last line, then.
    let bare = source.lines().enumerate().filter(|(_, line)| line.trim() == FENCE);
    let closing = bare.map(|(at, _)| at).last().filter(|at| *at >= first);
    Some(first..closing.unwrap_or(last))
}

/// What ends the text that is open at the end of a line.
fn ending_after<'q>(line: &str, mut ending: Option<&'q str>) -> Option<&'q str> {
    let mut rest = line;
    loop {
        if let Some(quotes) = ending {
            let Some(at) = rest.find(quotes) else { return ending };
            rest = &rest[at + quotes.len()..];
            ending = None;
        } else {
            let at = rest.find(['"', '\''])?;
            rest = &rest[at..];
            ending = QUOTES.into_iter().find(|quotes| rest.starts_with(quotes));
            rest = &rest[ending.map_or(1, str::len)..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fenced_lines;

    #[test]
    fn a_fence_is_found_with_prose_around_it_and_without_an_end() {
        assert_eq!(fenced_lines("x = 1\n"), None);
        assert_eq!(fenced_lines("Here:\n```python\nx\n```\nDone.\n```\nz"), Some(2..3));
        assert_eq!(fenced_lines("```\nx"), Some(1..2));
        assert_eq!(fenced_lines("```"), Some(1..1));
        assert_eq!(fenced_lines("  ```py\r\nx\r\n  ```\r\n"), Some(1..2));
    }

    #[test]
    fn fences_in_texts_of_the_program_are_its_own() {
        assert_eq!(fenced_lines("md = \"\"\"\n```python\nx\n```\n\"\"\"\nlen(md)"), None);
        assert_eq!(fenced_lines("md = '''a\n```\n\"\"\"\n```\n'''"), None);
        let inner = "```python\nmd = f\"\"\"\n```\n{x}\n```\n\"\"\"\nlen(md)\n```\nDone.";
        assert_eq!(fenced_lines(inner), Some(1..7));
        // Both on one line: nothing is open after it.
        assert_eq!(fenced_lines("a = '''x''' + \"\"\"y\"\"\"\n```\n1\n```"), Some(2..3));
    }

    #[test]
    fn a_mark_in_a_comment_does_not_hide_the_end() {
        assert_eq!(fenced_lines("```py\n# ends with '''\n1\n```\n"), Some(1..3));
    }
}
