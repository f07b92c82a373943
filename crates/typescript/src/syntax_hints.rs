//! What to write instead, where a program does not parse because it is not TypeScript.
//!
//! In: the words of a syntax error and the line it stands in. Out: a hint, or nothing.

/// Beginnings of lines that are Python and not TypeScript.
const PYTHON: [&str; 10] =
    ["def ", "elif ", "async def ", "except", "from ", "with ", "lambda ", "pass", "for ", "if "];

/// Beginnings of a text with `{}` in it, as Python writes it.
const PYTHON_TEXT: [&str; 6] = [" f\"", " f'", "(f\"", "(f'", "=f\"", "=f'"];

/// The hint for one line.
pub(crate) fn syntax_hint(message: &str, line: &str) -> Option<&'static str> {
    let line = line.trim().trim_start_matches('}').trim_start();
    let words = PYTHON.iter().any(|word| line.starts_with(word));
    let python = (words && (line.ends_with(':') || !line.contains(['{', ';', '\''])))
        || line.starts_with("elif ")
        || PYTHON_TEXT.iter().any(|text| line.contains(text));
    if python {
        return Some(
            "this is Python; programs are TypeScript: `const`, `{ }`, `for (const x of list) { … }`, \
             `else if`, `` `text ${value}` ``",
        );
    }
    if line.contains("</") || line.contains("/>") {
        return Some("this is JSX; programs are plain TypeScript: return data or text");
    }
    message.ends_with("found `EOF`").then_some("the bracket that is opened here is never closed")
}

#[cfg(test)]
mod tests {
    use super::syntax_hint;

    #[test]
    fn an_error_that_is_no_known_slip_gets_no_hint() {
        assert_eq!(syntax_hint("Unexpected token", "const a = 5 6;"), None);
        assert_eq!(syntax_hint("Unexpected token", "for (const a of b) { x y }"), None);
        assert_eq!(syntax_hint("Unexpected token", "import { a } from 'b' c"), None);
    }

    #[test]
    fn python_is_recognised_by_its_lines() {
        assert!(syntax_hint("Expected `;`", "for x in items:").is_some());
        assert!(syntax_hint("Expected `;`", "print(f\"{x}\")").is_some());
    }
}
