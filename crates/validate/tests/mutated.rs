//! Programs that nobody would write: random mutations of ours, and shapes made to be
//! expensive. Analysing one never panics, reports only locations that exist in the source,
//! and takes time proportional to its size.
//!
//! The random numbers are the same in every run; `cargo xtask fuzz` continues from here
//! with others.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may panic, and print what they measured"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use tidegate_model::Language;
use tidegate_model::reading::{MAX_FACTS, Reading};
use tidegate_validate::ValidationRules;

/// Mutated programs per language. Chosen: a few seconds without optimisation.
const CASES: usize = 3000;

/// Maximum time per shape, without optimisation and on a busy machine: fifty times what
/// the slowest takes, and a hundredth of what quadratic time would be.
const MAX_TIME: Duration = Duration::from_secs(20);

/// Pieces that are inserted into programs.
const PIECES: [&str; 40] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "`",
    "${",
    "'",
    "\"",
    "\\",
    "/*",
    "*/",
    "//",
    "#",
    ";",
    ",",
    ".",
    "=>",
    "...",
    "?.",
    "eval",
    "exec",
    "await ",
    "yield ",
    "lambda x: ",
    "async ",
    "import os\n",
    "__proto__",
    ".constructor",
    "\u{202e}",
    "\u{200d}",
    "\u{0}",
    "é",
    "\u{1f600}",
    "\\u0065",
    "\\x65",
    "while (1) ",
    "\n    ",
    "f'{x!r:>{w}}'",
];

/// A pseudo-random generator with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).unwrap()
    }
}

fn programs(ending: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut files = BTreeSet::new();
    for set in fs::read_dir(root).unwrap() {
        let in_set = fs::read_dir(set.unwrap().path()).unwrap();
        files.extend(in_set.map(|one| one.unwrap().path()));
    }
    let wanted = |file: &&std::path::PathBuf| file.to_string_lossy().ends_with(ending);
    let texts = files.iter().filter(wanted).map(|file| fs::read_to_string(file).unwrap());
    texts.flat_map(|text| text.split("\n=====\n").map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Applies one to six changes to a program.
fn mutated(programs: &[String], random: &mut Random) -> String {
    let mut letters: Vec<char> = programs[random.below(programs.len())].chars().collect();
    for _ in 0..=random.below(5) {
        let at = random.below(letters.len() + 1);
        let end = (at + random.below(40)).min(letters.len());
        match random.below(6) {
            0 => drop(letters.drain(at..end)),
            1 => {
                let again: Vec<char> = letters[at..end].repeat(1 + random.below(30));
                letters.splice(at..at, again);
            }
            2 => letters.truncate(at),
            3 => {
                let piece = PIECES[random.below(PIECES.len())].repeat(1 + random.below(3));
                letters.splice(at..at, piece.chars());
            }
            4 => {
                let other = &programs[random.below(programs.len())];
                letters.splice(at..at, other.chars().skip(random.below(60)).take(80));
            }
            _ => {
                let (open, close) = [('(', ')'), ('[', ']'), ('{', '}')][random.below(3)];
                let depth = 1 + random.below(60);
                letters.splice(end..end, vec![close; depth]);
                letters.splice(at..at, vec![open; depth]);
            }
        }
    }
    letters.into_iter().collect()
}

/// The reading of a source, if it parses.
fn reading(language: Language, source: &str) -> Option<Reading> {
    match language {
        Language::TypeScript => tidegate_typescript::prepare(source).ok().map(|one| one.reading),
        Language::Python => tidegate_python::prepare(source).map(|one| one.reading),
    }
}

fn analyse(rules: &ValidationRules, language: Language, source: &str) {
    let Some(reading) = reading(language, source) else { return };
    assert!(reading.facts.len() <= MAX_FACTS);
    let lines =
        u32::try_from(source.matches(['\n', '\r', '\u{2028}', '\u{2029}']).count()).unwrap() + 1;
    for finding in rules.findings(language, &reading) {
        let (line, column) = (finding.line, finding.column);
        assert!((1..=lines).contains(&line) && column >= 1, "{finding:?} of\n{source}");
    }
}

/// The stack of the thread that analyses TypeScript; Python gets less.
const STACK_BYTES: usize = 64 * 1024 * 1024;

/// Runs a test on a stack of that size.
fn on_a_large_stack(test: impl FnOnce() + Send + 'static) {
    let builder = thread::Builder::new().stack_size(STACK_BYTES);
    builder.spawn(test).unwrap().join().unwrap();
}

#[test]
fn mutated_programs_never_panic_and_findings_have_valid_locations() {
    on_a_large_stack(|| {
        let rules = ValidationRules::built_in().unwrap();
        for (language, ending) in [(Language::TypeScript, "ts.txt"), (Language::Python, "py.txt")] {
            let programs = programs(ending);
            let mut random = Random(0x9e37_79b9_7f4a_7c15);
            for _ in 0..CASES {
                analyse(&rules, language, &mutated(&programs, &mut random));
            }
        }
    });
}

/// A named source that is made to be expensive.
type Shape = (Language, &'static str, String);

fn repeat_to(text: &str, bytes: usize) -> String {
    text.repeat(bytes / text.len())
}

fn numbered(count: usize, line: &dyn Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().join("\n")
}

/// Sources of some hundred thousand bytes of one kind.
fn shapes() -> Vec<Shape> {
    let mut shapes = Vec::new();
    for language in [Language::TypeScript, Language::Python] {
        flat_and_nested(language, &mut shapes);
        aliases_and_copies(language, &mut shapes);
        nested_constructs(language, &mut shapes);
        names_and_recursion(language, &mut shapes);
        if language == Language::TypeScript {
            typescript_at_the_limit(&mut shapes);
        }
        repeated_work(language, &mut shapes);
    }
    shapes
}

/// Brackets, operators and members in long rows and deep nests.
fn flat_and_nested(language: Language, shapes: &mut Vec<Shape>) {
    let python = language == Language::Python;
    let mut add = |name, source| shapes.push((language, name, source));
    add("open brackets", repeat_to("(", 1_000_000));
    add("closed brackets", format!("x = {}{}", repeat_to("(", 250_000), repeat_to(")", 250_000)));
    add("lists in lists", format!("x = {}{}", repeat_to("[", 200_000), repeat_to("]", 200_000)));
    add("a sum of texts", format!("x = {}'a'", repeat_to("'a' + ", 300_000)));
    add("a long literal", format!("x = '{}'", repeat_to("QUJD", 400_000)));
    add("not not", format!("x = {}1", repeat_to(if python { "not " } else { "!" }, 100_000)));
    add("members", format!("x = a{}", repeat_to(".b", 300_000)));
    add("calls of calls", format!("x = a{}", repeat_to("()", 300_000)));
    add("computed members", format!("x = a{}", repeat_to("['b']", 300_000)));
}

/// Names and values that refer to each other.
fn aliases_and_copies(language: Language, shapes: &mut Vec<Shape>) {
    let python = language == Language::Python;
    let mut add = |name, source| shapes.push((language, name, source));
    add("a chain of aliases", {
        let name = if python { "eval" } else { "globalThis.eval" };
        let names = numbered(8000, &|n| format!("a{} = a{n}", n + 1));
        format!("a0 = {name}\n{names}\na8000('x')")
    });
    add("aliases in a circle", {
        let names = numbered(4000, &|n| format!("a{n} = a{}", (n + 1) % 4000));
        format!("{names}\na0('x')")
    });
    add("lists of copies", {
        let double = |n: usize| match python {
            true => format!("a{} = [*a{n}, *a{n}]", n + 1),
            false => format!("const a{} = [...a{n}, ...a{n}]", n + 1),
        };
        let begin = if python { "a0 = [eval]" } else { "const a0 = [eval]" };
        format!("{begin}\n{}", numbered(4000, &double))
    });
    add("texts that double", {
        let double = |n: usize| format!("var a{} = a{n} + a{n}", n + 1);
        let text = format!("var a0 = 'ab'\n{}", numbered(4000, &double));
        if python { text.replace("var ", "") } else { text }
    });
    add("functions that call the next", {
        let next = |n: usize| match python {
            true => format!("def f{n}(x):\n    return f{}(x)", n + 1),
            false => format!("function f{n}(x) {{ return f{}(x) }}", n + 1),
        };
        format!("{}\nf0(eval)", numbered(5000, &next))
    });
}

/// Constructs inside each other, as deep as memory allows.
fn nested_constructs(language: Language, shapes: &mut Vec<Shape>) {
    let python = language == Language::Python;
    let mut add = |name, source| shapes.push((language, name, source));
    add(
        "loops in loops",
        match python {
            true => {
                (0..80).map(|n| format!("{}while x:\n", " ".repeat(n))).collect::<String>()
                    + &" ".repeat(80)
                    + "f()"
            }
            false => repeat_to("while (x) { ", 90_000) + &"}".repeat(7500),
        },
    );
    add(
        "interpolations",
        match python {
            true => format!("x = f'{}'", repeat_to("{a}", 200_000)),
            false => format!("x = `{}`", repeat_to("${a}", 200_000)),
        },
    );
    add(
        "nested interpolations",
        match python {
            true => format!("x = {}1{}", repeat_to("f'{", 30_000), repeat_to("}'", 20_000)),
            false => format!("x = {}1{}", "`${".repeat(3000), "}`".repeat(3000)),
        },
    );
    add(
        "functions in functions",
        match python {
            true => format!("x = {}1", repeat_to("lambda a: ", 200_000)),
            false => format!("x = {}1", repeat_to("a => ", 100_000)),
        },
    );
    add(
        "choices",
        match python {
            true => format!("x = {}0", repeat_to("1 if a else ", 200_000)),
            false => format!("x = {}0", repeat_to("a ? 1 : ", 200_000)),
        },
    );
}

/// Many names, keys and functions.
fn names_and_recursion(language: Language, shapes: &mut Vec<Shape>) {
    let python = language == Language::Python;
    let mut add = |name, source| shapes.push((language, name, source));
    add("keys", format!("x = {{{}}}", numbered(20_000, &|n| format!("'k{n}': eval,"))));
    add("names of two scripts", numbered(10_000, &|n| format!("v\u{430}r{n} = {n}")));
    add("recursion in a ring", {
        let ring = |n: usize| match python {
            true => {
                format!("def f{n}():\n    f{}()\n    f{}()", (n + 1) % 2000, (n + 7) % 2000)
            }
            false => {
                format!("function f{n}() {{ f{}(); f{}() }}", (n + 1) % 2000, (n + 7) % 2000)
            }
        };
        numbered(2000, &ring)
    });
    add("one name, many values", numbered(20_000, &|n| format!("a = [a, {n}]")));
}

/// TypeScript nested about as deep as the parser accepts.
fn typescript_at_the_limit(shapes: &mut Vec<Shape>) {
    let mut add = |name, source| shapes.push((Language::TypeScript, name, source));
    // About as deep as the limits allow.
    for (part, end, max) in [
        ("(", ")", 2900),
        ("[", "]", 2900),
        ("{a: ", "}", 2000),
        ("f(() => {", "})", 1200),
        ("!", "", 8900),
        ("a => ", "", 8900),
        ("a ? b : ", "", 4400),
        ("a.b.", "", 22_000),
        ("a + ", "", 44_000),
        ("a ** ", "", 14_000),
        ("`${", "}`", 1400),
        ("typeof ", "", 8900),
        ("new A(", ")", 2000),
    ] {
        for count in [max / 2, max] {
            add(part, format!("x = {}1{}", part.repeat(count), end.repeat(count)));
        }
    }
    for part in ["if (a) ", "for (;;) ", "else if (a) {} ", "a: ", "{", "function f() {", "do "] {
        let begin = if part.starts_with("else") { "if (a) {} " } else { "" };
        let end = if part.ends_with('{') { "}" } else { "" };
        for count in [1000, 2000, 2900] {
            add(part, format!("{begin}{}f(){}", part.repeat(count), end.repeat(count)));
        }
    }
}

/// Work that a careless analysis repeats.
fn repeated_work(language: Language, shapes: &mut Vec<Shape>) {
    let python = language == Language::Python;
    let mut add = |name, source| shapes.push((language, name, source));
    add(
        "loops that feed a list, in loops",
        match python {
            true => (0..80)
                .map(|n| format!("{0}for x in q:\n{0} q.append(1)\n", " ".repeat(n)))
                .collect::<String>(),
            false => repeat_to("for (const x of q) { q.push(1); ", 40_000) + &"}".repeat(1250),
        },
    );
    add("one slow pattern, many times", {
        let pattern = format!("(q({})z)*$", "(a|b|c|d|e|f|g|h)?".repeat(7));
        match python {
            true => {
                format!("import re\np = '{pattern}'\n{}", repeat_to("re.match(p, x)\n", 95_000))
            }
            false => format!("const p = '{pattern}';\n{}", repeat_to("new RegExp(p);\n", 95_000)),
        }
    });
    add(
        "paths of paths",
        match python {
            true => {
                format!("import os\na = 'x'\n{}", repeat_to("a = os.path.join(a, a)\n", 95_000))
            }
            false => format!(
                "import path from 'path'; let a = 'x';\n{}",
                repeat_to("a = path.join(a, a);\n", 95_000)
            ),
        },
    );
    add("comments", repeat_to(if python { "# eval\n" } else { "// eval\n" }, 400_000));
    add("escapes", format!("x = '{}'", repeat_to("\\x65", 400_000)));
}

#[test]
fn expensive_shapes_take_time_proportional_to_their_size() {
    on_a_large_stack(|| {
        let rules = ValidationRules::built_in().unwrap();
        let mut slow = Vec::new();
        for (language, name, source) in shapes() {
            let begin = Instant::now();
            analyse(&rules, language, &source);
            let taken = begin.elapsed();
            println!("{language:?} {name}: {} bytes, {} ms", source.len(), taken.as_millis());
            if taken > MAX_TIME {
                slow.push(format!("{language:?} {name}: {taken:?}"));
            }
        }
        assert!(slow.is_empty(), "{}", slow.join("\n"));
    });
}
