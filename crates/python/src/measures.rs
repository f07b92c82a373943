//! Measures of a program, and facts that are visible in its tokens alone.
//!
//! In: the tokens and the tree of a program. Out: its measures, and facts about identifiers
//! that look like others, literals that look encoded, and the declared encoding. One pass
//! over each.

use std::collections::HashSet;

use ruff_python_ast::token::{Token, TokenKind, Tokens};
use ruff_python_ast::{AnyStringFlags, Stmt};
use ruff_text_size::{Ranged, TextSize};
use tidegate_model::reading::{AbstractValue, Fact, FactKind, Measures};

use crate::builtins::is_builtin;
use crate::encoded::{entropy, looks_encoded};
use crate::lookalikes::{is_mangled, is_mixed, skeleton};
use crate::shape::shape;

/// Maximum facts of one kind. Chosen.
const MAX_FACTS_PER_KIND: usize = 50;

/// Encodings that make a program run something other than it shows.
const DECEPTIVE_ENCODINGS: [&str; 16] = [
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

/// Facts with their offsets.
pub(crate) type LocatedFacts = Vec<(TextSize, Fact)>;

pub(crate) fn measure(source: &str, tokens: &Tokens, body: &[Stmt]) -> (Measures, LocatedFacts) {
    let mut scan = TokenScan { source, ..TokenScan::default() };
    for token in tokens {
        scan.token(token);
    }
    scan.look_alikes();
    scan.direction();
    let lines = source.lines();
    let (longest, lines) =
        lines.fold((0, 0), |(longest, all), line| (line.chars().count().max(longest), all + 1));
    let shape = shape(body);
    if shape.lambdas >= 4 {
        scan.record(FactKind::Syntax, "lambdas", shape.lambdas_at, vec![shape.lambdas as f64]);
    }
    let mut measures = scan.measures;
    measures.bytes = source.len() as u64;
    (measures.lines, measures.longest_line) = (lines, longest as u64);
    (measures.nodes, measures.depth) = (shape.nodes, shape.depth);
    (measures.cyclomatic, measures.most_branched) = (shape.branches + 1, shape.most_branched + 1);
    measures.escape_density = share(measures.escapes, scan.in_strings);
    measures.symbol_share = share(scan.symbols, scan.characters);
    measures.names = scan.names.len() as u64;
    (measures, scan.facts)
}

#[expect(clippy::cast_precision_loss, reason = "a share is not exact")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[derive(Default)]
struct TokenScan<'s> {
    source: &'s str,
    measures: Measures,
    facts: LocatedFacts,
    /// Characters in string literals, after unescaping.
    in_strings: u64,
    /// Characters outside strings and comments, and how many of them are symbols.
    characters: u64,
    symbols: u64,
    names: HashSet<&'s str>,
    /// Names that might look like others, with their first offset.
    foreign: Vec<(&'s str, TextSize)>,
}

impl<'s> TokenScan<'s> {
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
        self.record(FactKind::Text, &inside[..inside.len().min(40)], at, vec![length as f64, bits]);
    }

    /// An encoding declaration in one of the first two lines.
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
        if DECEPTIVE_ENCODINGS.contains(&plain.as_str()) {
            self.record(FactKind::Syntax, "encoding", at, Vec::new());
        }
    }

    fn name(&mut self, name: &'s str, at: TextSize) {
        if !self.names.insert(name) {
            return;
        }
        self.measures.mangled_names += u64::from(is_mangled(name));
        if is_mixed(name) {
            self.measures.mixed_names += 1;
            self.record(FactKind::Name, name, at, Vec::new());
        } else if !name.is_ascii() {
            self.foreign.push((name, at));
        }
    }

    /// Finds names that look like another name of the program or a builtin.
    fn look_alikes(&mut self) {
        for (name, at) in std::mem::take(&mut self.foreign) {
            let Some(plain) = skeleton(name) else { continue };
            if self.names.contains(plain.as_str()) || is_builtin(&plain) {
                self.measures.mixed_names += 1;
                self.record(FactKind::Name, name, at, Vec::new());
            }
        }
    }

    /// Finds characters that display the program in another order than it runs, including in
    /// strings and comments. Plain direction marks are harmless.
    fn direction(&mut self) {
        let is_override =
            |one: char| matches!(one, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if let Some(at) = self.source.find(is_override).and_then(|at| u32::try_from(at).ok()) {
            self.record(FactKind::Syntax, "direction", TextSize::new(at), Vec::new());
        }
    }

    fn record(&mut self, kind: FactKind, path: &str, at: TextSize, numbers: Vec<f64>) {
        let arguments = numbers.into_iter().map(AbstractValue::number).collect();
        if self.facts.iter().filter(|(_, fact)| fact.kind == kind).count() < MAX_FACTS_PER_KIND {
            let path = path.to_owned();
            self.facts.push((at, Fact { kind, path, arguments, ..Fact::default() }));
        }
    }
}

/// Characters written as escapes without need.
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
