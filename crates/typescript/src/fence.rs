//! Extracts programs from Markdown fences, as chat models write them.
//!
//! In: the submitted text. Out: the program with its original line numbers: everything else
//! becomes empty lines.

use tidegate_model::{ErrorCode, RunError};

/// The fenced programs in a text that does not start with a fence.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fences {
    /// There is no complete fence.
    None,
    /// One program, with everything else blanked.
    One(String),
    /// This many programs.
    Several(usize),
}

/// Blanks a Markdown fence around the program, keeping the line numbers.
pub(crate) fn without_fence(source: &str) -> Result<String, RunError> {
    let lines: Vec<&str> = source.lines().collect();
    let first = lines.iter().position(|line| !line.trim().is_empty());
    let Some((first, opening)) =
        first.and_then(|at| Some((at, lines[at].trim().strip_prefix("```")?)))
    else {
        return Ok(source.to_owned());
    };
    let language = opening.trim().to_ascii_lowercase();
    if !matches!(
        language.as_str(),
        "" | "ts" | "typescript" | "js" | "javascript" | "mjs" | "mts" | "tsx" | "jsx"
    ) {
        let message = format!("the program is fenced as `{language}`, TypeScript is expected");
        return Err(RunError::new(ErrorCode::Syntax, message)
            .with_hint("write the program in TypeScript or JavaScript"));
    }
    let closing = lines.iter().rposition(|line| line.trim() == "```").filter(|at| *at > first);
    let last = closing.unwrap_or(lines.len());
    let kept =
        lines.iter().enumerate().map(|(at, line)| if at > first && at < last { *line } else { "" });
    Ok(kept.collect::<Vec<_>>().join("\n"))
}

/// Finds fenced programs surrounded by prose. A fence inside a comment belongs to the program.
pub(crate) fn around_fences(source: &str) -> Fences {
    let mut blocks: Vec<(usize, usize)> = Vec::new();
    let mut open = None;
    let mut is_comment = false;
    for (at, line) in source.lines().enumerate() {
        let fence = line.trim().strip_prefix("```").filter(|_| !is_comment);
        is_comment = comment_after(line, is_comment);
        match (fence, open) {
            (Some(_), None) => open = Some(at),
            (Some(""), Some(start)) => {
                blocks.push((start, at));
                open = None;
            }
            _ => {}
        }
    }
    match blocks.as_slice() {
        [] => Fences::None,
        [(start, end)] => {
            let inside = |at: usize| at > *start && at < *end;
            let kept =
                source.lines().enumerate().map(|(at, line)| if inside(at) { line } else { "" });
            Fences::One(kept.collect::<Vec<_>>().join("\n"))
        }
        several => Fences::Several(several.len()),
    }
}

/// Whether a multi-line comment is open after this line.
fn comment_after(line: &str, before: bool) -> bool {
    match (line.rfind("/*"), line.rfind("*/")) {
        (None, None) => before,
        (begun, ended) => begun > ended,
    }
}

/// The error for more than one program.
pub(crate) fn several_fences(count: usize) -> RunError {
    RunError::new(ErrorCode::Syntax, format!("there are {count} fenced blocks, one is expected"))
        .with_hint("send one program, without Markdown around it")
}

#[cfg(test)]
mod tests {
    use super::{Fences, around_fences};

    #[test]
    fn prose_around_one_fence_becomes_empty_lines() {
        let source = "Here it is:\n```ts\nreturn 1\n```\nIt returns one.";
        assert_eq!(around_fences(source), Fences::One("\n\nreturn 1\n\n".to_owned()));
    }

    #[test]
    fn a_fence_inside_a_comment_is_ignored() {
        let comment = "/* Usage:\n```ts\nreturn 1\n```\n*/";
        assert_eq!(around_fences(&format!("{comment}\nconst x = ;")), Fences::None);
        let fenced = format!("Here:\n```ts\n{comment}\nreturn 2\n```");
        let kept = format!("\n\n{comment}\nreturn 2\n");
        assert_eq!(around_fences(&fenced), Fences::One(kept));
    }

    #[test]
    fn two_fences_are_counted_and_an_open_one_is_not() {
        assert_eq!(around_fences("```ts\n1\n```\nor\n```ts\n2\n```"), Fences::Several(2));
        assert_eq!(around_fences("a\n```ts\n1"), Fences::None);
    }
}
