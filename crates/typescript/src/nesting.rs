//! Bounds the depth of the syntax tree of a source without building it.
//!
//! In: the source. Out: whether it is shallow enough for the parser and everything that walks
//! its tree, which use stack for each level: unbounded nesting would crash the reader before
//! it could say why.
//!
//! The count overestimates the tree by rules of thumb: brackets weigh more than operators,
//! since the parser goes through all kinds of expressions for each. Where a slash starts a
//! regular expression is guessed. A source that defeats this crashes the reader, which is
//! jailed, and the crash is reported.

/// The maximum weight open at once. Measured: trees of this weight, of all the kinds in
/// `crates/validate/tests/mutated.rs`, fit into the reader's stack without optimisation.
/// Programs written by people stay below a twentieth of that.
const MAX_WEIGHT: u32 = 90_000;

/// The weights of a bracket, of a prefix operator or keyword, and of any other operator.
const BRACKET_WEIGHT: u32 = 30;
const PREFIX_WEIGHT: u32 = 10;
const OPERATOR_WEIGHT: u32 = 2;

/// Keywords that have an operand or body.
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

/// Words after which an expression continues.
const CONTINUATIONS: [&str; 9] =
    ["as", "catch", "else", "finally", "in", "instanceof", "of", "satisfies", "while"];

/// Whether a source can be parsed and walked.
pub(crate) fn is_shallow(source: &str) -> bool {
    let levels = vec![BracketLevel::default()];
    let mut scan = NestingScan {
        bytes: source.as_bytes(),
        at: 0,
        levels,
        outer: 0,
        last: LastToken::Operator,
    };
    while scan.at < scan.bytes.len() {
        scan.step();
        if scan.outer + scan.level().weight() > MAX_WEIGHT {
            return false;
        }
    }
    true
}

/// The content of one bracket, or of the whole program.
#[derive(Default)]
struct BracketLevel {
    /// The opening byte; zero for the whole program.
    opening: u8,
    /// The weight since the start of the current statement or element.
    chain: u32,
    /// The weight of the heaviest bracket since then.
    inner: u32,
}

impl BracketLevel {
    fn weight(&self) -> u32 {
        self.chain + self.inner
    }
}

/// The kind of the previous token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastToken {
    /// A name, a number, a string or a closing bracket.
    Operand,
    /// Anything that an operand can follow.
    Operator,
}

struct NestingScan<'s> {
    bytes: &'s [u8],
    at: usize,
    levels: Vec<BracketLevel>,
    /// The weight of all levels but the innermost.
    outer: u32,
    last: LastToken,
}

impl NestingScan<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn level(&mut self) -> &mut BracketLevel {
        if self.levels.is_empty() {
            self.levels.push(BracketLevel::default());
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
                if is_block && self.last == LastToken::Operand && self.begins_statement() {
                    self.next_element();
                }
            }
            b'/' if self.peek(1) == b'/' => self.skip_to(b"\n"),
            b'/' if self.peek(1) == b'*' => {
                self.at += 2;
                self.skip_to(b"*/");
                self.at += 2;
            }
            b'/' if self.last == LastToken::Operator => self.regex(),
            b'\'' | b'"' => self.text(byte),
            b'(' | b'[' | b'{' | b'`' => self.open(byte),
            b')' | b']' | b'}' => self.close(byte),
            b';' | b',' => {
                self.at += 1;
                self.next_element();
                self.last = LastToken::Operator;
            }
            byte if byte.is_ascii_alphanumeric() || b"_$#@".contains(&byte) || byte >= 0x80 => {
                self.word();
            }
            byte if byte.is_ascii_whitespace() => self.at += 1,
            byte => self.operator(byte),
        }
    }

    fn operator(&mut self, byte: u8) {
        let before = self.last == LastToken::Operator && b"!~+-".contains(&byte);
        let prefix = before || byte == b'?' || byte == b':';
        let arrow = byte == b'=' && self.peek(1) == b'>';
        self.level().chain += if prefix || arrow { PREFIX_WEIGHT } else { OPERATOR_WEIGHT };
        self.at += 1;
        self.last = LastToken::Operator;
    }

    fn word(&mut self) {
        let is_part =
            |byte: u8| byte.is_ascii_alphanumeric() || b"_$#@".contains(&byte) || byte >= 0x80;
        let word = &self.bytes[self.at..];
        let word = &word[..word.iter().position(|byte| !is_part(*byte)).unwrap_or(word.len())];
        self.at += word.len().max(1);
        let keyword = KEYWORDS.iter().any(|keyword| keyword.as_bytes() == word);
        self.level().chain += if keyword { PREFIX_WEIGHT } else { 0 };
        self.last = if keyword { LastToken::Operator } else { LastToken::Operand };
    }

    fn open(&mut self, byte: u8) {
        self.at += 1;
        let level = self.level();
        // Calls of calls nest.
        level.chain += OPERATOR_WEIGHT;
        let chain = level.chain + BRACKET_WEIGHT;
        self.outer += chain;
        self.levels.push(BracketLevel { opening: byte, ..BracketLevel::default() });
        self.last = LastToken::Operator;
    }

    fn close(&mut self, byte: u8) {
        self.at += 1;
        self.last = LastToken::Operand;
        if self.levels.len() < 2 {
            return;
        }
        let closed = self.levels.pop().map_or(0, |closed| closed.weight());
        let level = self.level();
        let chain = level.chain;
        level.inner = level.inner.max(closed + BRACKET_WEIGHT);
        let is_block = matches!(level.opening, 0 | b'{');
        self.outer -= chain + BRACKET_WEIGHT;
        if byte == b'}' && is_block && self.begins_statement() {
            self.next_element();
        }
    }

    /// Starts a sibling element.
    fn next_element(&mut self) {
        let level = self.level();
        (level.chain, level.inner) = (0, 0);
    }

    /// Whether the next token cannot continue the current expression.
    fn begins_statement(&self) -> bool {
        let rest = &self.bytes[self.at..];
        let rest = &rest[rest.iter().position(|one| !one.is_ascii_whitespace()).unwrap_or(0)..];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$".contains(byte);
        let word = &rest[..rest.iter().position(|one| !is_part(one)).unwrap_or(rest.len())];
        let first = rest.first().copied().unwrap_or(b';');
        let begins = !word.is_empty() || b";}'\"{@#/".contains(&first) || first >= 0x80;
        begins && !CONTINUATIONS.iter().any(|going| going.as_bytes() == word)
    }

    fn template(&mut self, byte: u8) {
        match byte {
            b'\\' => self.at += 2,
            b'`' => self.close(byte),
            b'$' if self.peek(1) == b'{' => {
                self.at += 1;
                // Its parts are siblings.
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
        self.last = LastToken::Operand;
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
        self.last = LastToken::Operand;
    }
}

#[cfg(test)]
mod tests {
    use super::is_shallow;

    #[test]
    fn ordinary_programs_are_shallow_and_endless_nesting_is_not() {
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
    fn truncated_sources_are_scanned_to_their_end() {
        for source in
            ["'", "'\\", "`${", "`\\", "/", "/[", "/\\", "/*", "//", ")", "}", "'\0'", "é"]
        {
            assert!(is_shallow(source), "{source}");
        }
    }
}
