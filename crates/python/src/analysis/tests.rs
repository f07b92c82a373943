//! Sources that are not Python, hostile, or as large as allowed.

use std::thread;
use std::time::{Duration, Instant};

use super::{LONGEST_SOURCE, Prepared, STACK_BYTES, prepare};

/// Analyses on a thread with the required stack, as the reader does.
fn on_its_thread(source: String) -> Option<Prepared> {
    let thread = thread::Builder::new().stack_size(STACK_BYTES);
    thread.spawn(move || prepare(&source)).unwrap().join().unwrap()
}

#[test]
fn sources_that_do_not_parse_give_nothing() {
    for source in ["const x = 1;", "def f(:\n", "x = ", "if x:\npass", "print 'x'"] {
        assert_eq!(prepare(source), None, "{source}");
    }
    let empty = prepare("").unwrap();
    assert_eq!(
        (empty.references, empty.reading.facts, empty.reading.complete),
        (vec![], vec![], true)
    );
}

#[test]
fn all_supported_syntax_parses() {
    for source in [
        "x = await servers.a.b()",
        "async for x in y: pass",
        "match x:\n    case {'a': [1, *rest]}: pass",
        "type A = int\ndef f[T](x: T) -> T: return x",
        "print(f'{x!r:>{w}}', t'{x}')",
        "return 1",
        "try:\n    pass\nexcept* E:\n    pass",
    ] {
        assert!(prepare(source).is_some(), "{source}");
    }
}

/// Sources that would crash a careless parser are rejected quickly.
#[test]
fn hostile_sources_only_fail_their_own_analysis() {
    let blocks: String = (0..10_000).map(|level| " ".repeat(level) + "if x:\n").collect();
    let many = 100_000;
    let sources = [
        "(".repeat(many),
        "(".repeat(many) + &")".repeat(many),
        "[".repeat(many) + &"]".repeat(many),
        "{".repeat(many),
        "f(".repeat(many),
        "-".repeat(many) + "1",
        "not ".repeat(many) + "1",
        "await ".repeat(many) + "x",
        "lambda: ".repeat(many / 2) + "1",
        "lambda a, b: ".repeat(many / 4) + "1",
        "1 if x else ".repeat(many / 4) + "1",
        "1 + ".repeat(many) + "1",
        "1 ** ".repeat(many / 2) + "1",
        "x".to_owned() + &".x".repeat(many),
        "x".to_owned() + &"()".repeat(many),
        "x".to_owned() + &"[0]".repeat(many),
        "x = ".repeat(many) + "1",
        "async ".repeat(many / 2),
        "@a\nasync ".repeat(many / 3),
        "yield ".repeat(many / 2),
        "*".repeat(many) + "x",
        "f'{".repeat(many) + &"}'".repeat(many),
        "f'".to_owned() + &"{x:{".repeat(many) + &"}}".repeat(many) + "'",
        "f\"{".to_owned() + &"x ".repeat(many) + "}\"",
        "match x:\n case ".to_owned() + &"[".repeat(many),
        blocks[..LONGEST_SOURCE].to_owned(),
        "\0".repeat(many),
        "\\\n".repeat(many),
        "\u{feff}".repeat(many),
        "'''".repeat(many + 1),
        "x\n".repeat(many) + "(",
        " ".repeat(LONGEST_SOURCE + 1),
        "x = 1\n".repeat(64 * 1024 * 1024 / 6),
    ];
    for source in sources {
        let start: String = source.chars().take(20).collect();
        let begun = Instant::now();
        assert_eq!(on_its_thread(source), None, "{start}");
        // Tenths of a second without optimisation; hours if it were quadratic.
        assert!(begun.elapsed() < Duration::from_secs(20), "{start}: {:?}", begun.elapsed());
    }
}

/// Sources at the limits of depth and length.
#[test]
fn the_largest_accepted_sources_fit_the_stack_and_the_time_limit() {
    let levels = crate::depth::MAX_LEVELS - 10;
    let deep = "-".repeat(levels / 190 - 2);
    let sources = [
        "-".repeat(levels) + "1",
        "1 + ".repeat(levels) + "1",
        "x".to_owned() + &".x".repeat(levels),
        "x".to_owned() + &"()".repeat(levels),
        "x".to_owned() + &"[0]".repeat(levels / 2),
        "lambda: ".repeat(levels / 2) + "1",
        "1 if x else ".repeat(levels / 2) + "1",
        format!("({deep}").repeat(190) + "1" + &")".repeat(190),
        "servers.crm.get(x)\n".repeat(LONGEST_SOURCE / 19),
        "eval(x),".repeat(LONGEST_SOURCE / 8),
        "servers.a.b(),".repeat(LONGEST_SOURCE / 14),
        "a,".repeat(LONGEST_SOURCE / 2 - 1) + "a",
        "'a' ".repeat(LONGEST_SOURCE / 4),
        "x;".repeat(LONGEST_SOURCE / 2),
        "import a\n".repeat(LONGEST_SOURCE / 9),
        "if servers: x\n".repeat(LONGEST_SOURCE / 14),
        "x and ".repeat(1400) + "x",
        format!("f'{}'", "{x}".repeat(LONGEST_SOURCE / 4)),
    ];
    for source in sources {
        let start: String = source.chars().take(20).collect();
        let begun = Instant::now();
        assert!(on_its_thread(source).is_some(), "{start}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{start}: {:?}", begun.elapsed());
    }
}
