//! Hints for programs that do not parse because they are not TypeScript.
//!
//! In: the message of a syntax error and its line. Out: a hint, or nothing.

/// Starts of lines that are Python and not TypeScript.
const PYTHON: [&str; 10] =
    ["def ", "elif ", "async def ", "except", "from ", "with ", "lambda ", "pass", "for ", "if "];

/// Starts of Python f-strings.
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
    fn an_unknown_mistake_gets_no_hint() {
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
