//! What can be counted in a program, and what can be seen in its tokens alone.
//!
//! In: the tokens and the tree of a program. Out: its measures, and facts about
//! identifiers that look like others, literals that look encoded, and the encoding
//! that it claims to have. One pass over each.

use std::collections::HashSet;

use ruff_python_ast::token::{Token, TokenKind, Tokens};
use ruff_python_ast::{AnyStringFlags, Stmt};
use ruff_text_size::{Ranged, TextSize};
use tidegate_model::reading::{Fact, FactKind, Known, Measures};

use crate::alike::{is_mangled, is_mixed, skeleton};
use crate::encoded::{entropy, looks_encoded};
use crate::shape::shape;

/// How many facts of one kind are told. Chosen.
const MOST: usize = 50;

/// Encodings in which a program says something else than it shows.
const STRANGE: [&str; 16] = [
    "rot13",
    "rot-13",
    "utf-7",
    "utf7",
    "unicode-escape",
    "raw-unicode-escape",
    "hex",
    "base64",
    "utf-16",
    "utf-32",
    "punycode",
    "zlib",
    "bz2",
    "uu",
    "quopri",
    "idna",
];

/// Facts with where they are.
pub(crate) type Placed = Vec<(TextSize, Fact)>;

pub(crate) fn measure(source: &str, tokens: &Tokens, body: &[Stmt]) -> (Measures, Placed) {
    let mut counts = Counts { source, ..Counts::default() };
    for token in tokens {
        counts.token(token);
    }
    counts.look_alikes();
    counts.direction();
    let lines = source.lines();
    let (longest, lines) =
        lines.fold((0, 0), |(longest, all), line| (line.chars().count().max(longest), all + 1));
    let shape = shape(body);
    if shape.lambdas >= 4 {
        counts.tell(FactKind::Syntax, "lambdas", shape.lambdas_at, vec![shape.lambdas as f64]);
    }
    let mut measures = counts.measures;
    measures.bytes = source.len() as u64;
    (measures.lines, measures.longest_line) = (lines, longest as u64);
    (measures.nodes, measures.depth) = (shape.nodes, shape.depth);
    (measures.cyclomatic, measures.most_branched) = (shape.branches + 1, shape.most_branched + 1);
    measures.escape_density = share(measures.escapes, counts.in_strings);
    measures.symbol_share = share(counts.symbols, counts.characters);
    measures.names = counts.names.len() as u64;
    (measures, counts.facts)
}

#[expect(clippy::cast_precision_loss, reason = "a share is not exact")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[derive(Default)]
struct Counts<'s> {
    source: &'s str,
    measures: Measures,
    facts: Placed,
    /// Characters in string literals, as the program sees them.
    in_strings: u64,
    /// Characters outside of strings and comments, and those of them that are symbols.
    characters: u64,
    symbols: u64,
    names: HashSet<&'s str>,
    /// Names that could be taken for others, with where they stand first.
    foreign: Vec<(&'s str, TextSize)>,
}

impl<'s> Counts<'s> {
    fn token(&mut self, token: &Token) {
        let text = self.source.get(token.range().to_std_range()).unwrap_or_default();
        match token.kind() {
            TokenKind::String | TokenKind::FStringMiddle | TokenKind::TStringMiddle => {
                let is_raw = token.string_flags().is_some_and(AnyStringFlags::is_raw_string);
                self.string(text, is_raw, token.start());
            }
            TokenKind::Comment => self.comment(text, token.start()),
            TokenKind::Name => {
                self.name(text, token.start());
                self.count(text);
            }
            kind if kind.is_any_newline() => {}
            _ => self.count(text),
        }
    }

    fn count(&mut self, text: &str) {
        for one in text.chars().filter(|one| !one.is_whitespace()) {
            self.characters += 1;
            self.symbols += u64::from(!one.is_alphanumeric() && one != '_');
        }
    }

    fn string(&mut self, text: &str, is_raw: bool, at: TextSize) {
        let escapes = if is_raw { 0 } else { escapes(text) };
        let hidden = if is_raw { 0 } else { escapes * 3 };
        self.measures.escapes += escapes;
        self.in_strings += (text.chars().count() as u64).saturating_sub(hidden);
        let inside = text
            .trim_matches(|one: char| matches!(one, '"' | '\''))
            .trim_start_matches(|one: char| {
                one.is_ascii_alphabetic() && !text.starts_with(['"', '\''])
            })
            .trim_matches(|one: char| matches!(one, '"' | '\''));
        if !looks_encoded(inside) {
            return;
        }
        let (length, bits) = (inside.len() as u64, entropy(inside));
        if length > self.measures.longest_encoded {
            (self.measures.longest_encoded, self.measures.encoded_entropy) = (length, bits);
        }
        self.tell(FactKind::Text, &inside[..inside.len().min(40)], at, vec![length as f64, bits]);
    }

    /// A cookie in one of the first two lines says how the source is encoded.
    fn comment(&mut self, text: &str, at: TextSize) {
        let before = self.source.get(..at.to_usize()).unwrap_or_default();
        if before.len() > 400 || before.lines().count() > 2 {
            return;
        }
        let Some((_, after)) = text.split_once("coding") else { return };
        let Some(after) = after.strip_prefix([':', '=']) else { return };
        let name: String = after
            .trim_start()
            .chars()
            .take_while(|one| one.is_alphanumeric() || matches!(one, '-' | '_' | '.'))
            .collect();
        let plain = name.to_ascii_lowercase().replace('_', "-");
        if STRANGE.contains(&plain.as_str()) {
            self.tell(FactKind::Syntax, "encoding", at, Vec::new());
        }
    }

    fn name(&mut self, name: &'s str, at: TextSize) {
        if !self.names.insert(name) {
            return;
        }
        self.measures.mangled_names += u64::from(is_mangled(name));
        if is_mixed(name) {
            self.measures.mixed_names += 1;
            self.tell(FactKind::Name, name, at, Vec::new());
        } else if !name.is_ascii() {
            self.foreign.push((name, at));
        }
    }

    /// Names that read like another one of the program or of the language.
    fn look_alikes(&mut self) {
        for (name, at) in std::mem::take(&mut self.foreign) {
            let Some(plain) = skeleton(name) else { continue };
            if self.names.contains(plain.as_str()) || crate::facts::is_builtin(&plain) {
                self.measures.mixed_names += 1;
                self.tell(FactKind::Name, name, at, Vec::new());
            }
        }
    }

    /// Where the program is shown in another order than it is read, in texts and
    /// comments too. Marks that say nothing but which way a word goes are not meant.
    fn direction(&mut self) {
        let turns = |one: char| matches!(one, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if let Some(at) = self.source.find(turns).and_then(|at| u32::try_from(at).ok()) {
            self.tell(FactKind::Syntax, "direction", TextSize::new(at), Vec::new());
        }
    }

    fn tell(&mut self, kind: FactKind, path: &str, at: TextSize, numbers: Vec<f64>) {
        let arguments = numbers.into_iter().map(Known::number).collect();
        if self.facts.iter().filter(|(_, fact)| fact.kind == kind).count() < MOST {
            let path = path.to_owned();
            self.facts.push((at, Fact { kind, path, arguments, ..Fact::default() }));
        }
    }
}

/// Characters that are written as escapes, without those that have to be.
fn escapes(text: &str) -> u64 {
    let mut found = 0;
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'\\' {
            let next = rest.next();
            found += u64::from(matches!(next, Some(b'x' | b'u' | b'U' | b'N' | b'0'..=b'7')));
        }
    }
    found
}
