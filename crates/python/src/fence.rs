//! The program inside a Markdown fence.
//!
//! In: the source as written. Out: the program on the lines on which it was
//! written. The same as the guest does (`without_fence` in `program.py`), or
//! something else would be read than is run.

use std::borrow::Cow;

/// The program, without the fence and the prose around it.
pub fn without_fence(source: &str) -> Cow<'_, str> {
    let is_fence = |line: &&str| line.trim_start().starts_with("```");
    let lines: Vec<&str> = source.lines().collect();
    let Some(first) = lines.iter().position(&is_fence) else {
        return Cow::Borrowed(source);
    };
    let inside = lines.iter().skip(first + 1).take_while(|line| !is_fence(line));
    let mut program = "\n".repeat(first + 1);
    for (at, line) in inside.enumerate() {
        if at > 0 {
            program.push('\n');
        }
        program.push_str(line);
    }
    Cow::Owned(program)
}

#[cfg(test)]
mod tests {
    use super::without_fence;

    #[test]
    fn a_fence_and_prose_are_gone_and_lines_stay() {
        assert_eq!(without_fence("x = 1\n"), "x = 1\n");
        assert_eq!(
            without_fence("Here:\n```python\nx = 1\n  y\n```\nDone.\n```\nz"),
            "\n\nx = 1\n  y"
        );
        assert_eq!(without_fence("```\nx"), "\nx");
        assert_eq!(without_fence("```"), "\n");
    }
}
