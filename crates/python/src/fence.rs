//! Extracts a program from a Markdown fence.
//!
//! In: the source as written. Out: the program, on its original lines.
//! Invariant: the same as the guest does (`without_fence` in `program.py`); otherwise the
//! program that is analysed would differ from the one that runs.

use std::borrow::Cow;

use tidegate_model::fenced_lines;

/// The program, without the fence and the prose around it.
pub(crate) fn without_fence(source: &str) -> Cow<'_, str> {
    let Some(inside) = fenced_lines(source) else { return Cow::Borrowed(source) };
    let mut program = "\n".repeat(inside.start);
    for (at, line) in source.lines().skip(inside.start).take(inside.len()).enumerate() {
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
    fn fence_and_prose_are_removed_and_lines_keep_their_numbers() {
        assert_eq!(without_fence("x = 1\n"), "x = 1\n");
        assert_eq!(
            without_fence("Here:\n```python\nx = 1\n  y\n```\nDone.\n```\nz"),
            "\n\nx = 1\n  y"
        );
        assert_eq!(without_fence("```\nx"), "\nx");
        assert_eq!(without_fence("```"), "\n");
    }

    #[test]
    fn a_program_that_writes_markdown_is_kept_whole() {
        let program = "md = \"\"\"\n```python\n1\n```\n\"\"\"\nlen(md)";
        assert_eq!(without_fence(program), program);
        assert_eq!(without_fence(&format!("```\n{program}\n```\n")), format!("\n{program}"));
    }
}
