//! The measures of a program.
//!
//! In: the source and its tree. Out: measures, and facts about identifiers, encoded literals
//! and text direction. One more walk through the tree and one through the text.

use std::collections::{HashMap, HashSet};

use oxc::ast::AstKind;
use oxc::ast::ast::Program;
use oxc::ast_visit::Visit;
use oxc::span::Span;
use oxc::syntax::operator::LogicalOperator;
use tidegate_model::reading::{AbstractValue, Fact, FactKind, Reading};

use super::names::{Oddity, looks_like, oddity};
use crate::lines::Lines;

/// Minimum characters of a literal that counts as encoded data.
const MIN_ENCODED_CHARACTERS: usize = 120;

/// Maximum suspicious identifiers reported; more add nothing.
const MAX_ODD_NAMES: usize = 20;

pub(super) fn measure(source: &str, program: &Program<'_>, lines: &Lines<'_>, into: &mut Reading) {
    let mut counter = TreeCounter { source, ..TreeCounter::default() };
    counter.visit_program(program);
    let skipped = program.comments.iter().map(|comment| comment.span);
    counter.literals.extend(skipped);
    let measures = &mut into.measures;
    measures.bytes = source.len() as u64;
    measures.lines = source.lines().count() as u64;
    measures.longest_line = source.lines().map(str::len).max().unwrap_or(0) as u64;
    measures.nodes = counter.nodes;
    measures.depth = counter.depth.deepest;
    measures.cyclomatic = counter.branches.all + 1;
    measures.most_branched = counter.branches.most + 1;
    measures.escapes = counter.escapes;
    measures.escape_density = ratio(counter.escapes, counter.text_length);
    measures.symbol_share = symbol_share(source, &mut counter.literals);
    record_direction(source, lines, into);
    counter.record_texts(lines, into);
    counter.record_names(lines, into);
}

#[derive(Default)]
struct TreeCounter<'s> {
    source: &'s str,
    nodes: u64,
    depth: Depth,
    branches: Branches,
    escapes: u64,
    text_length: u64,
    /// Strings, templates and regular expressions, whose content is not code.
    literals: Vec<Span>,
    encoded: Vec<(Span, usize, f64)>,
    /// Identifiers with their first offset.
    names: HashMap<String, u32>,
    escaped_names: u64,
}

#[derive(Default)]
struct Depth {
    now: u64,
    deepest: u64,
}

#[derive(Default)]
struct Branches {
    all: u64,
    /// Those of the function with the most.
    most: u64,
    /// The count at the start of each enclosing function.
    before: Vec<u64>,
}

impl<'a> Visit<'a> for TreeCounter<'_> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        self.nodes += 1;
        if nests(&kind) {
            self.depth.now += 1;
            self.depth.deepest = self.depth.deepest.max(self.depth.now);
        }
        self.branches.all += u64::from(branches(&kind));
        match kind {
            AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) => {
                self.branches.before.push(self.branches.all);
            }
            AstKind::StringLiteral(text) => self.literal(text.span, text.value.as_str()),
            AstKind::TemplateElement(text) => {
                let cooked = text.value.cooked.as_ref().map_or("", |text| text.as_str());
                self.literal(text.span, cooked);
            }
            AstKind::RegExpLiteral(regex) => self.literals.push(regex.span),
            AstKind::IdentifierReference(name) => self.name(name.name.as_str(), name.span),
            AstKind::BindingIdentifier(name) => self.name(name.name.as_str(), name.span),
            AstKind::IdentifierName(name) => self.name(name.name.as_str(), name.span),
            _ => {}
        }
    }

    fn leave_node(&mut self, kind: AstKind<'a>) {
        self.depth.now -= u64::from(nests(&kind));
        if matches!(kind, AstKind::Function(_) | AstKind::ArrowFunctionExpression(_)) {
            let before = self.branches.before.pop().unwrap_or(0);
            self.branches.most = self.branches.most.max(self.branches.all - before);
        }
    }
}

impl TreeCounter<'_> {
    fn literal(&mut self, span: Span, value: &str) {
        self.literals.push(span);
        let raw = self.source.get(span.start as usize..span.end as usize).unwrap_or_default();
        self.text_length += value.chars().count() as u64;
        self.escapes += escapes(raw);
        if value.len() >= MIN_ENCODED_CHARACTERS
            && let Some(entropy) = encoded(value)
        {
            self.encoded.push((span, value.len(), entropy));
        }
    }

    fn name(&mut self, name: &str, span: Span) {
        let raw = self.source.get(span.start as usize..span.end as usize).unwrap_or_default();
        // The span includes a type annotation.
        self.escaped_names += u64::from(raw.contains('\\'));
        if !self.names.contains_key(name) {
            self.names.insert(name.to_owned(), span.start);
        }
    }

    fn record_texts(&self, lines: &Lines<'_>, into: &mut Reading) {
        for (span, length, entropy) in self.encoded.iter().take(MAX_ODD_NAMES) {
            let (line, column) = lines.place(span.start as usize);
            let shown = lines.text(span.start, span.end.min(span.start + 40));
            into.push(Fact {
                kind: FactKind::Text,
                path: shown.trim_matches(['\'', '"', '`']).replace('.', "_"),
                line,
                column,
                arguments: vec![
                    AbstractValue::number(*length as f64),
                    AbstractValue::number(*entropy),
                ],
                ..Fact::default()
            });
        }
        let longest = self.encoded.iter().max_by_key(|(_, length, _)| *length);
        if let Some((_, length, entropy)) = longest {
            into.measures.longest_encoded = *length as u64;
            into.measures.encoded_entropy = *entropy;
        }
    }

    fn record_names(&self, lines: &Lines<'_>, into: &mut Reading) {
        into.measures.names = self.names.len() as u64;
        into.measures.escaped_names = self.escaped_names;
        let mut odd: Vec<(&String, u32)> = Vec::new();
        let mut looks: HashSet<String> = HashSet::new();
        for (name, at) in &self.names {
            let oddity = oddity(name);
            into.measures.mangled_names += u64::from(oddity == Some(Oddity::Mangled));
            let look = looks_like(name).filter(|look| look != name);
            // It looks like another name of the program or of the language.
            let double = look.as_ref().is_some_and(|look| {
                self.names.contains_key(look) || KNOWN.contains(&look.as_str())
            });
            let double = double || look.is_some_and(|look| !looks.insert(look));
            if oddity == Some(Oddity::Mixed) || double {
                into.measures.mixed_names += 1;
                odd.push((name, *at));
            }
        }
        odd.sort_by_key(|(_, at)| *at);
        for (name, at) in odd.into_iter().take(MAX_ODD_NAMES) {
            let (line, column) = lines.place(at as usize);
            let (kind, path) = (FactKind::Name, name.clone());
            into.push(Fact { kind, path, line, column, ..Fact::default() });
        }
    }
}

/// Records characters that display the program in another order than it runs, including in
/// strings and comments. Plain direction marks are harmless.
fn record_direction(source: &str, lines: &Lines<'_>, into: &mut Reading) {
    let turns = |one: char| matches!(one, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if let Some(at) = source.find(turns) {
        let (line, column) = lines.place(at);
        let (kind, path) = (FactKind::Syntax, "direction".to_owned());
        into.push(Fact { kind, path, line, column, ..Fact::default() });
    }
}

/// Names that lookalikes imitate.
const KNOWN: [&str; 10] = [
    "eval", "exec", "fetch", "process", "require", "servers", "console", "window", "global", "copy",
];

fn nests(kind: &AstKind<'_>) -> bool {
    matches!(
        kind,
        AstKind::BlockStatement(_)
            | AstKind::Function(_)
            | AstKind::ArrowFunctionExpression(_)
            | AstKind::ArrayExpression(_)
            | AstKind::ObjectExpression(_)
            | AstKind::ConditionalExpression(_)
            | AstKind::ParenthesizedExpression(_)
            | AstKind::Class(_)
    )
}

fn branches(kind: &AstKind<'_>) -> bool {
    match kind {
        AstKind::IfStatement(_)
        | AstKind::ConditionalExpression(_)
        | AstKind::WhileStatement(_)
        | AstKind::DoWhileStatement(_)
        | AstKind::ForStatement(_)
        | AstKind::ForOfStatement(_)
        | AstKind::ForInStatement(_)
        | AstKind::CatchClause(_) => true,
        AstKind::SwitchCase(case) => case.test.is_some(),
        AstKind::LogicalExpression(logical) => logical.operator != LogicalOperator::Coalesce,
        _ => false,
    }
}

/// Letters and digits that are escaped without need.
fn escapes(raw: &str) -> u64 {
    let mut found = 0;
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        let behind = &rest[at + 1..];
        let digits = match behind.as_bytes().first() {
            Some(b'x') => behind.get(1..3),
            Some(b'u') if behind[1..].starts_with('{') => {
                behind.get(2..).and_then(|rest| rest.split('}').next()).filter(|one| one.len() < 8)
            }
            Some(b'u') => behind.get(1..5),
            _ => None,
        };
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let letter = code.and_then(char::from_u32).is_some_and(|one| one.is_ascii_alphanumeric());
        found += u64::from(letter);
        // The escaped character may be a backslash.
        rest = behind.char_indices().nth(1).map_or("", |(next, _)| &behind[next..]);
    }
    found
}

/// The entropy of a text that looks encoded: one long word in base64, base32 or hexadecimal,
/// or a list of numbers.
fn encoded(text: &str) -> Option<f64> {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let of = |group: &dyn Fn(u8) -> bool| -> u32 {
        (0..=255_u8).filter(|byte| group(*byte)).map(|byte| counts[usize::from(byte)]).sum()
    };
    let total = u32::try_from(text.len()).ok()?;
    let coded = of(&|byte| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte));
    let space = of(&|byte| byte.is_ascii_whitespace());
    let digits = of(&|byte| byte.is_ascii_digit());
    // Encoded data contains digits and has lines of at least 76 characters.
    let looks = coded + space == total && space * 60 <= total && digits > 0;
    let entropy = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / f64::from(total);
            -share * share.log2()
        })
        .sum::<f64>();
    (looks && entropy >= 3.0).then_some(entropy)
}

/// The share of characters outside literals and comments that are neither letters nor
/// digits.
fn symbol_share(source: &str, skipped: &mut [Span]) -> f64 {
    skipped.sort_by_key(|span| span.start);
    let (mut symbols, mut all) = (0_u64, 0_u64);
    let mut from = 0;
    let mut count = |text: &str| {
        for one in text.chars().filter(|one| !one.is_whitespace()) {
            all += 1;
            symbols += u64::from(!one.is_alphanumeric() && one != '_' && one != '$');
        }
    };
    for span in skipped.iter() {
        let (start, end) = (span.start as usize, span.end as usize);
        if start >= from {
            count(source.get(from..start).unwrap_or_default());
        }
        from = from.max(end);
    }
    count(source.get(from..).unwrap_or_default());
    ratio(symbols, all)
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
