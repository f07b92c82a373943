//! Replaces each top-level `return` of a program, so that the compiler checks its value.
//!
//! In: a program and the positions where the compiler found a `return` outside of a
//! function. Out: the same program with `throw` in their place, or `None` if there is nothing
//! to change. The compiler does not check the value of such a `return`, but it checks the
//! value of a `throw`, which ends the control flow in the same way.
//! Invariant: every other character keeps its line and column.

const RETURN: &str = "return";
/// Padded to the same length.
const THROW: &str = "throw ";

/// The program to check a second time.
pub(crate) fn as_throws(program: &str, places: &[(u32, u32)]) -> Option<String> {
    let starts = line_starts(program);
    let mut changed = program.to_owned();
    let mut any = false;
    for &(line, column) in places {
        let Some(at) = offset(program, &starts, line, column) else { continue };
        let Some(value) = program[at..].strip_prefix(RETURN) else { continue };
        // A bare `return` has nothing to check, and `throw` cannot be bare.
        let value = value.trim_start_matches([' ', '\t']);
        if !value.is_empty() && !value.starts_with([';', '}', '\n', '\r', '/']) {
            changed.replace_range(at..at + RETURN.len(), THROW);
            any = true;
        }
    }
    any.then_some(changed)
}

/// Lines as the protocol counts them: ended by `\n`, `\r\n` or `\r`.
fn line_starts(program: &str) -> Vec<usize> {
    let bytes = program.as_bytes();
    let ends = bytes.iter().enumerate().filter(|(at, byte)| {
        **byte == b'\n' || (**byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'))
    });
    [0].into_iter().chain(ends.map(|(at, _)| at + 1)).collect()
}

/// The byte at a line and a column in UTF-16 units.
fn offset(program: &str, starts: &[usize], line: u32, column: u32) -> Option<usize> {
    let start = *starts.get(usize::try_from(line).ok()?)?;
    let column = usize::try_from(column).ok()?;
    let mut units = 0;
    for (at, character) in program[start..].char_indices() {
        if units >= column {
            return Some(start + at);
        }
        units += character.len_utf16();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::as_throws;

    #[test]
    fn a_return_with_a_value_becomes_a_throw_of_the_same_length() {
        assert_eq!(
            as_throws(
                "if (a) return;\nif (b) return 1;\r\n'😀'; return b",
                &[(0, 7), (1, 7), (2, 6)]
            ),
            Some("if (a) return;\nif (b) throw  1;\r\n'😀'; throw  b".into())
        );
    }

    #[test]
    fn bare_returns_and_wrong_places_change_nothing() {
        assert_eq!(as_throws("return\n1", &[(0, 0)]), None);
        assert_eq!(as_throws("return /* x */", &[(0, 0)]), None);
        assert_eq!(as_throws("return 1", &[(0, 1), (5, 0), (0, 90)]), None);
    }
}
