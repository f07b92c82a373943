//! The Markdown fence around a program.
//!
//! In: the source. Out: the lines inside of the fence. A program may have fences in its own
//! strings, for example one that writes Markdown: a line is not a fence while a triple-quoted
//! string of Python is open. (A template string of TypeScript cannot have three back-ticks at
//! the beginning of a line.)

use std::ops::Range;

const FENCE: &str = "```";
const QUOTES: [&str; 2] = ["\"\"\"", "'''"];

/// The lines inside of the first fence, counted from 0; none if there is no fence.
/// Without a closing fence it extends to the end.
pub fn fenced_lines(source: &str) -> Option<Range<usize>> {
    // The quotes that end the string that is open at the start of a line.
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
    // Quotes in a comment can hide the closing fence; then the last bare fence is the end.
    let bare = source.lines().enumerate().filter(|(_, line)| line.trim() == FENCE);
    let closing = bare.map(|(at, _)| at).last().filter(|at| *at >= first);
    Some(first..closing.unwrap_or(last))
}

/// The quotes of the string that is open at the end of a line.
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
    fn fences_in_strings_of_the_program_belong_to_it() {
        assert_eq!(fenced_lines("md = \"\"\"\n```python\nx\n```\n\"\"\"\nlen(md)"), None);
        assert_eq!(fenced_lines("md = '''a\n```\n\"\"\"\n```\n'''"), None);
        let inner = "```python\nmd = f\"\"\"\n```\n{x}\n```\n\"\"\"\nlen(md)\n```\nDone.";
        assert_eq!(fenced_lines(inner), Some(1..7));
        // Both on one line: nothing is open after it.
        assert_eq!(fenced_lines("a = '''x''' + \"\"\"y\"\"\"\n```\n1\n```"), Some(2..3));
    }

    #[test]
    fn quotes_in_a_comment_do_not_hide_the_end() {
        assert_eq!(fenced_lines("```py\n# ends with '''\n1\n```\n"), Some(1..3));
    }
}
