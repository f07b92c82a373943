//! Detects regular expressions that backtrack exponentially on some texts.
//!
//! In: a pattern. Out: whether it is catastrophic. The engines of both languages backtrack:
//! they try one path after another. If a repeated part can consume the same text in two
//! ways, each repetition doubles the number of paths, and all of them are tried if the rest
//! does not match: `(a+)+$`, `(\w+\s?)*x`, `(a|aa)+b`. So the characters of the pattern
//! become the positions of an automaton, and the pattern is catastrophic if two different
//! paths over the same text lead from a position back to itself. Positions at which the
//! pattern may end do not count: there the engine succeeds.
//!
//! Invariant: bounded. A pattern with more than [`MAX_POSITIONS`] positions, one that takes
//! too many steps, and one that cannot be parsed count as harmless.

mod automaton;
mod char_set;
mod parser;
mod repetition;

use automaton::PositionAutomaton;
use parser::{Node, PatternParser};

/// Maximum positions of a pattern: the successors of one are the bits of a number.
const MAX_POSITIONS: usize = 64;

/// Whether the whole pattern is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatternEnd {
    /// All of it is known.
    Complete,
    /// More may follow.
    Truncated,
}

/// Whether some text makes this pattern backtrack exponentially.
pub(crate) fn is_catastrophic(pattern: &str, end: PatternEnd) -> bool {
    // The common case: no group is repeated.
    let has_repetition = [")+", ")*", "){"].iter().any(|one| pattern.contains(one));
    if !has_repetition {
        return false;
    }
    let mut parser = PatternParser::new(pattern);
    let Some(mut whole) = parser.alternation() else { return false };
    if end == PatternEnd::Truncated {
        whole = Node::Sequence(vec![whole, Node::Assertion]);
    }
    std::iter::once(whole)
        .chain(parser.lookarounds)
        .any(|node| PositionAutomaton::of(&node).is_some_and(|one| one.is_ambiguous()))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{PatternEnd, is_catastrophic};

    #[test]
    fn patterns_that_repeat_an_ambiguous_part_are_catastrophic() {
        let bad = [
            r"^(a+)+$",
            r"^(\w*)*$",
            r"([a-z]+)*[0-9]",
            r"^(([a-z])+.)+[A-Z]([a-z])+$",
            r"(x+x+)+y",
            r"^(a|a)*$",
            r"(a|aa)+$",
            r"^(\w+\s?)+$",
            r"^(?:\w+\.?)+@",
            r"(a?b?)*c",
            r"((a+)+b)*",
            r"(?P<name>(?:.*,)*)x",
            r"(?=(a+)+b)c",
            r"^([\/\w \.-]*)*\/?$",
            r"(\s*\S*\s*)*;",
            r"^(a+){20}$",
            r"([0-9a-f]{2}|\d{2})*z",
            r"(é|é)+$",
            r"^(\p{L}+\p{M}*)*$",
        ];
        let missed: Vec<&str> =
            bad.into_iter().filter(|one| !is_catastrophic(one, PatternEnd::Complete)).collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn unambiguous_patterns_and_those_that_cannot_fail_are_not() {
        let good = [
            r"(\w+\s)+",
            r"(?:,\d{3})*$",
            r"([^,]+,?)*",
            r"^\d+(\.\d+)*$",
            r#"^"(?:[^"\\]|\\.)*"$"#,
            r#"("([^"]|"")*"|[^,]*)(,|$)"#,
            r"^(?:[A-Z][a-z]+\s?)+$",
            r"^([a-z0-9]+-)*[a-z0-9]+$",
            r"^(?:[0-9a-f]{64},?)+$",
            r"^(?:\d{1,3}\.){3}\d{1,3}$",
            r"^([a-z]{0,3};)*$",
            r"^(?:[-.\s]?\d{2,4}){1,4}$",
            r"^(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}$",
            r"^(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$",
            r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
            r"^(é|è)+$",
            r"^[\p{L}\p{M}]+(?:[ '-][\p{L}\p{M}]+)*$",
            r"^(?:\p{L}\p{M}*)*$",
            r"^[\w.+-]+@[\w-]+(\.[\w-]+)+$",
            r"<([a-z]+)(\s+[a-z-]+='[^']*')*\s*/?>",
            r"^(\S+\s+)*end$",
            r"(\d+)\s*(?:h|hours?)?\s*(?:(\d+)\s*m)?",
            r"^(?>(a+)+)$",
            r"^(a++)*$",
            "see **(this)** and __(that)__ (or not)+",
            r"((((((((((((((((((((((((((((((a+)+)+)+)+",
            "",
            "(",
            "[",
            "(?",
            "(a{",
            "\\",
        ];
        let wrong: Vec<&str> =
            good.into_iter().filter(|one| is_catastrophic(one, PatternEnd::Complete)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(is_catastrophic(r"([^,]+,?)*", PatternEnd::Truncated));
    }

    #[test]
    fn patterns_made_to_be_expensive_to_analyse_are_not() {
        let started = Instant::now();
        for one in [
            "(a{0,9})",
            "(a|b|c|d|e|f|g|h)",
            "[a-z]?",
            "(.*.*)*",
            "(((a{9}){9}){9}){9}",
            "(a{1000000000}){1000000000}",
        ] {
            let many = one.repeat(240 / one.len());
            for whole in
                [format!("({many})*$"), format!("({many}){{3,12}}x"), format!("({many}|b)+c")]
            {
                is_catastrophic(&whole, PatternEnd::Complete);
            }
        }
        assert!(started.elapsed() < Duration::from_millis(500), "{:?}", started.elapsed());
    }
}
