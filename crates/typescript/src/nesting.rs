//! How deep the syntax tree of a source can get, told without making it.
//!
//! In: the source. Out: whether it is shallow enough for the parser and all that walks
//! its tree, which go down the stack with each level: a source that nests without end
//! would end the worker before it could say why.
//!
//! What is counted is more than the tree has, by rules of thumb: brackets weigh more
//! than operators, since the parser goes through all kinds of expressions for each.
//! Where a slash begins a regular expression is guessed. Whoever fools this ends the
//! worker, which is jailed, and whose end is told.

/// What may be open at once. By trial: trees of this weight, of all the kinds that
/// `crates/validate/tests/mutated.rs` makes, fit into the engine's stack without
/// optimisation. Programs that people write stay below a twentieth.
const HEAVIEST: u32 = 90_000;

/// What a bracket weighs, an operator before its operand or a keyword, and any other
/// operator.
const BRACKET: u32 = 30;
const PREFIX: u32 = 10;
const OPERATOR: u32 = 2;

/// Words that have something below them.
const KEYWORDS: [&str; 24] = [
    "as",
    "async",
    "await",
    "case",
    "class",
    "delete",
    "do",
    "else",
    "extends",
    "for",
    "function",
    "if",
    "in",
    "instanceof",
    "new",
    "of",
    "return",
    "satisfies",
    "throw",
    "typeof",
    "void",
    "while",
    "with",
    "yield",
];

/// Words after which an expression goes on.
const GOING_ON: [&str; 9] =
    ["as", "catch", "else", "finally", "in", "instanceof", "of", "satisfies", "while"];

/// Whether a source can be parsed and walked.
pub(crate) fn is_shallow(source: &str) -> bool {
    let levels = vec![Level::default()];
    let mut scan = Scan { bytes: source.as_bytes(), at: 0, levels, outer: 0, last: Last::Operator };
    while scan.at < scan.bytes.len() {
        scan.step();
        if scan.outer + scan.level().weight() > HEAVIEST {
            return false;
        }
    }
    true
}

/// What stands within one bracket, or in the program as a whole.
#[derive(Default)]
struct Level {
    /// What opened it; zero for the program as a whole.
    opening: u8,
    /// Weight of what was found since the last statement or element began.
    chain: u32,
    /// That of the heaviest bracket since then.
    inner: u32,
}

impl Level {
    fn weight(&self) -> u32 {
        self.chain + self.inner
    }
}

/// What stood last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// A name, a number, a text, a closing bracket.
    Operand,
    /// Anything that an operand follows.
    Operator,
}

struct Scan<'s> {
    bytes: &'s [u8],
    at: usize,
    levels: Vec<Level>,
    /// Weight of the levels around the innermost one.
    outer: u32,
    last: Last,
}

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn level(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    fn step(&mut self) {
        let byte = self.peek(0);
        if self.level().opening == b'`' {
            return self.template(byte);
        }
        match byte {
            b'\n' => {
                self.at += 1;
                let is_block = matches!(self.level().opening, 0 | b'{');
                if is_block && self.last == Last::Operand && self.begins_statement() {
                    self.next_element();
                }
            }
            b'/' if self.peek(1) == b'/' => self.skip_to(b"\n"),
            b'/' if self.peek(1) == b'*' => {
                self.at += 2;
                self.skip_to(b"*/");
                self.at += 2;
            }
            b'/' if self.last == Last::Operator => self.regex(),
            b'\'' | b'"' => self.text(byte),
            b'(' | b'[' | b'{' | b'`' => self.open(byte),
            b')' | b']' | b'}' => self.close(byte),
            b';' | b',' => {
                self.at += 1;
                self.next_element();
                self.last = Last::Operator;
            }
            byte if byte.is_ascii_alphanumeric() || b"_$#@".contains(&byte) || byte >= 0x80 => {
                self.word();
            }
            byte if byte.is_ascii_whitespace() => self.at += 1,
            byte => self.operator(byte),
        }
    }

    fn operator(&mut self, byte: u8) {
        let before = self.last == Last::Operator && b"!~+-".contains(&byte);
        let prefix = before || byte == b'?' || byte == b':';
        let arrow = byte == b'=' && self.peek(1) == b'>';
        self.level().chain += if prefix || arrow { PREFIX } else { OPERATOR };
        self.at += 1;
        self.last = Last::Operator;
    }

    fn word(&mut self) {
        let is_part =
            |byte: u8| byte.is_ascii_alphanumeric() || b"_$#@".contains(&byte) || byte >= 0x80;
        let word = &self.bytes[self.at..];
        let word = &word[..word.iter().position(|byte| !is_part(*byte)).unwrap_or(word.len())];
        self.at += word.len().max(1);
        let keyword = KEYWORDS.iter().any(|keyword| keyword.as_bytes() == word);
        self.level().chain += if keyword { PREFIX } else { 0 };
        self.last = if keyword { Last::Operator } else { Last::Operand };
    }

    fn open(&mut self, byte: u8) {
        self.at += 1;
        let level = self.level();
        // A call of a call of a call.
        level.chain += OPERATOR;
        let chain = level.chain + BRACKET;
        self.outer += chain;
        self.levels.push(Level { opening: byte, ..Level::default() });
        self.last = Last::Operator;
    }

    fn close(&mut self, byte: u8) {
        self.at += 1;
        self.last = Last::Operand;
        if self.levels.len() < 2 {
            return;
        }
        let closed = self.levels.pop().map_or(0, |closed| closed.weight());
        let level = self.level();
        let chain = level.chain;
        level.inner = level.inner.max(closed + BRACKET);
        let is_block = matches!(level.opening, 0 | b'{');
        self.outer -= chain + BRACKET;
        if byte == b'}' && is_block && self.begins_statement() {
            self.next_element();
        }
    }

    /// What follows stands beside what was.
    fn next_element(&mut self) {
        let level = self.level();
        (level.chain, level.inner) = (0, 0);
    }

    /// Whether what follows cannot belong to the expression before it.
    fn begins_statement(&self) -> bool {
        let rest = &self.bytes[self.at..];
        let rest = &rest[rest.iter().position(|one| !one.is_ascii_whitespace()).unwrap_or(0)..];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$".contains(byte);
        let word = &rest[..rest.iter().position(|one| !is_part(one)).unwrap_or(rest.len())];
        let first = rest.first().copied().unwrap_or(b';');
        let begins = !word.is_empty() || b";}'\"{@#/".contains(&first) || first >= 0x80;
        begins && !GOING_ON.iter().any(|going| going.as_bytes() == word)
    }

    fn template(&mut self, byte: u8) {
        match byte {
            b'\\' => self.at += 2,
            b'`' => self.close(byte),
            b'$' if self.peek(1) == b'{' => {
                self.at += 1;
                // Its parts stand side by side.
                self.next_element();
                self.open(b'$');
            }
            _ => self.at += 1,
        }
    }

    fn skip_to(&mut self, end: &[u8]) {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let found = rest.windows(end.len()).position(|window| window == end);
        self.at += found.unwrap_or(rest.len());
    }

    fn text(&mut self, quote: u8) {
        self.at += 1;
        loop {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'\n' | 0 => break,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        break;
                    }
                }
            }
        }
        self.at += usize::from(self.peek(0) == 0 && self.at < self.bytes.len());
        self.last = Last::Operand;
    }

    fn regex(&mut self) {
        self.at += 1;
        let mut in_class = false;
        loop {
            match self.peek(0) {
                b'\n' | 0 => break,
                b'\\' => self.at += 2,
                b'/' if !in_class => {
                    self.at += 1;
                    break;
                }
                byte => {
                    in_class = byte == b'[' || in_class && byte != b']';
                    self.at += 1;
                }
            }
        }
        self.at += usize::from(self.peek(0) == 0 && self.at < self.bytes.len());
        self.last = Last::Operand;
    }
}

#[cfg(test)]
mod tests {
    use super::is_shallow;

    #[test]
    fn what_people_write_is_shallow_and_what_nests_without_end_is_not() {
        let long =
            "const r = await servers.crm.get({ id: 1 })\nif (r.ok) {\n  f(`a ${r.x} b`)\n}\n";
        let sum = format!("x = 'a'{}", " + 'a'".repeat(3000));
        let data = format!("const d = [{}]", "{ a: [1, 'x'], b: /[(]+/ },\n".repeat(5000));
        let smiles = format!("const t = '{}'; // {}", ":(".repeat(9000), "(".repeat(9000));
        let otherwise = format!("if (a) {{}}{}", " else if (b) { f() }".repeat(100));
        for source in [long.repeat(5000), sum, data, smiles, otherwise] {
            assert!(is_shallow(&source), "{}", &source[..60]);
        }
        for (open, close) in
            [("(", ")"), ("[", "]"), ("{", "}"), ("`${", "}`"), ("f(() => {", "})"), ("!", "")]
        {
            let source = format!("x = {}1{}", open.repeat(9000), close.repeat(9000));
            assert!(!is_shallow(&source), "{open}");
        }
        for part in ["a => ", "a ? b : ", "typeof ", "if (a) ", "a.b.c(d).", "x ** y ** z ** "] {
            assert!(!is_shallow(&part.repeat(20_000)), "{part}");
        }
        assert!(!is_shallow(&format!("if (a) {{}}{}", " else if (b) {}".repeat(9000))));
    }

    #[test]
    fn a_source_that_ends_in_the_middle_is_read_to_its_end() {
        for source in
            ["'", "'\\", "`${", "`\\", "/", "/[", "/\\", "/*", "//", ")", "}", "'\0'", "é"]
        {
            assert!(is_shallow(source), "{source}");
        }
    }
}
