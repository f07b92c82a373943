//! Shallow and wide sources pass; deep ones are refused at every kind of level.

use super::{MAX_BLOCKS, MAX_BRACKETS, MAX_LEVELS, is_shallow};

fn nested(open: &str, inner: &str, close: &str, times: usize) -> String {
    format!("{}{inner}{}\n", open.repeat(times), close.repeat(times))
}

#[test]
fn ordinary_programs_are_shallow() {
    for source in [
        "",
        "x = 1",
        "def f(a, *, b=2, **c):\n    return [a, {'b': b, **c}][0](1)(2).x\n",
        "async def f():\n    async with a as b:\n        return [x async for x in b]\n",
        "print(f'{a:>{width}} {b!r} {f\"{c}\"}')",
        "\"\"\"```\n((((\n\"\"\"",
        "x = (1,\n  2)\n",
        "if x:\n  pass\nelif y:\n  pass\nelse: z; w\n",
    ] {
        assert!(is_shallow(source), "{source}");
    }
}

#[test]
fn wide_is_not_deep() {
    let many = 20_000;
    for source in [
        format!("x = [{}]", "{'a': [1, -2, f(3)]}, ".repeat(many)),
        "x = a.b.c(1)[2]\n".repeat(many),
        format!("x = ({})", "'text' ".repeat(many)),
        format!("x = f'{}'", "{a.b} and ".repeat(many)),
        format!("f({})", "lambda: 1, ".repeat(1000)),
        "if x:\n  pass\n".repeat(many),
    ] {
        assert!(is_shallow(&source), "{}", &source[..40]);
    }
}

#[test]
fn depth_is_limited_for_every_kind_of_nesting() {
    let kinds: [(&str, &str, &str); 14] = [
        ("-", "1", ""),
        ("not ", "1", ""),
        ("await ", "x", ""),
        ("lambda a, b: ", "1", ""),
        ("lambda: ", "1", ""),
        ("1 + ", "1", ""),
        ("1 ** ", "1", ""),
        ("1 if 2 else ", "3", ""),
        ("", "x", ".y"),
        ("", "x", "()"),
        ("", "x", "[0]"),
        ("yield ", "x", ""),
        ("x = ", "1", ""),
        ("x < ", "1", ""),
    ];
    for (open, inner, close) in kinds {
        assert!(is_shallow(&nested(open, inner, close, 100)), "{open}{close}");
        assert!(!is_shallow(&nested(open, inner, close, MAX_LEVELS + 1)), "{open}{close}");
    }
    for (open, close) in [("(", ")"), ("[", "]"), ("{", "}"), ("f(", ")"), ("{1: ", "}")] {
        assert!(is_shallow(&nested(open, "1", close, MAX_BRACKETS - 1)), "{open}");
        assert!(!is_shallow(&nested(open, "1", close, MAX_BRACKETS)), "{open}");
    }
    let blocks = |levels: usize| {
        let line = |level: usize| format!("{}if x:\n", " ".repeat(level));
        (0..levels).map(line).collect::<String>() + &" ".repeat(levels) + "pass\n"
    };
    assert!(is_shallow(&blocks(MAX_BLOCKS)));
    assert!(!is_shallow(&blocks(MAX_BLOCKS + 1)));
}

#[test]
fn levels_of_all_kinds_are_added() {
    // 100 brackets with 20 operators each: more than the maximum.
    assert!(!is_shallow(&nested(&format!("({}", "-".repeat(20)), "1", ")", 100)));
    assert!(is_shallow(&nested(&format!("({}", "-".repeat(5)), "1", ")", 100)));
    // A deep bracket followed by a long chain.
    let behind =
        format!("{}1{}{}", "(".repeat(150), ")".repeat(150), " + 1".repeat(MAX_LEVELS - 100));
    assert!(!is_shallow(&behind));
}

#[test]
fn sources_that_do_not_parse_are_refused() {
    for source in ["(", ")", "(]", "f'{'", "async x", "async\nasync\n", "(\n;)", "$"] {
        assert!(!is_shallow(source), "{source}");
    }
}
