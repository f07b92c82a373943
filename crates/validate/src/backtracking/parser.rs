//! Parses regular expressions of JavaScript and Python into syntax trees.
//!
//! In: a pattern. Out: its tree, and those of its lookarounds; nothing if it uses syntax
//! that is not supported. Bounded by the nesting of groups.

use std::iter::Peekable;
use std::str::Chars;

use super::char_set::CharSet;

/// Maximum nesting of groups.
const MAX_GROUP_DEPTH: u32 = 24;

/// The syntax tree of a pattern.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Empty,
    /// Consumes nothing, and may fail: `$`, a lookaround, a backreference.
    Assertion,
    Char(CharSet),
    Sequence(Vec<Node>),
    Alternation(Vec<Node>),
    Repeat {
        node: Box<Node>,
        min: u32,
        /// None: unbounded.
        max: Option<u32>,
    },
}

/// Parses patterns of both languages. Unsupported syntax gives nothing.
pub(super) struct PatternParser<'p> {
    rest: Peekable<Chars<'p>>,
    /// The contents of lookarounds: separate patterns.
    pub(super) lookarounds: Vec<Node>,
    depth: u32,
}

impl<'p> PatternParser<'p> {
    pub(super) fn new(pattern: &'p str) -> Self {
        Self { rest: pattern.chars().peekable(), lookarounds: Vec::new(), depth: 0 }
    }

    fn eat(&mut self, one: char) -> bool {
        self.rest.next_if_eq(&one).is_some()
    }

    /// `a|b|c`, up to the closing parenthesis.
    pub(super) fn alternation(&mut self) -> Option<Node> {
        if self.depth >= MAX_GROUP_DEPTH {
            return None;
        }
        self.depth += 1;
        let mut all = vec![self.sequence()?];
        while self.eat('|') {
            all.push(self.sequence()?);
        }
        self.depth -= 1;
        Some(if all.len() == 1 { all.remove(0) } else { Node::Alternation(all) })
    }

    fn sequence(&mut self) -> Option<Node> {
        let mut all = Vec::new();
        while let Some(next) = self.rest.peek() {
            if matches!(next, '|' | ')') {
                break;
            }
            let node = self.atom()?;
            all.push(self.quantified(node)?);
        }
        Some(Node::Sequence(all))
    }

    fn atom(&mut self) -> Option<Node> {
        Some(match self.rest.next()? {
            '^' | '$' => Node::Assertion,
            '.' => Node::Char(CharSet::of('\n').not()),
            '(' => self.group()?,
            '[' => Node::Char(self.class()),
            '\\' => self.escape(),
            one => Node::Char(CharSet::of(one)),
        })
    }

    fn group(&mut self) -> Option<Node> {
        let mut is_lookaround = false;
        if self.eat('?') {
            match self.rest.next()? {
                ':' => {}
                '=' | '!' => is_lookaround = true,
                '<' if matches!(self.rest.peek(), Some('=' | '!')) => {
                    self.rest.next();
                    is_lookaround = true;
                }
                // `(?<name>…)`, `(?P<name>…)`.
                '<' => self.skip_past('>'),
                'P' if self.eat('<') => self.skip_past('>'),
                'P' if self.eat('=') => {
                    self.skip_past(')');
                    return Some(Node::Assertion);
                }
                '#' => {
                    self.skip_past(')');
                    return Some(Node::Empty);
                }
                // An atomic group never backtracks.
                '>' => return None,
                // `(?i)`, `(?i:…)`.
                _ => loop {
                    match self.rest.next()? {
                        ')' => return Some(Node::Empty),
                        ':' => break,
                        _ => {}
                    }
                },
            }
        }
        let inside = self.alternation()?;
        self.eat(')');
        if is_lookaround {
            self.lookarounds.push(inside);
            return Some(Node::Assertion);
        }
        Some(inside)
    }

    fn skip_past(&mut self, end: char) {
        let _ = self.rest.find(|one| *one == end);
    }

    fn escape(&mut self) -> Node {
        match self.rest.next() {
            None | Some('b' | 'B' | 'A') => Node::Empty,
            Some('Z' | 'z' | '1'..='9') => Node::Assertion,
            Some('k') => {
                self.skip_past('>');
                Node::Assertion
            }
            Some(letter) => Node::Char(self.escaped_set(letter)),
        }
    }

    fn escaped_set(&mut self, letter: char) -> CharSet {
        let control = match letter {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'f' => '\x0c',
            'v' => '\x0b',
            '0' => '\0',
            'p' | 'P' if self.eat('{') => {
                let name: String = self.rest.by_ref().take_while(|one| *one != '}').collect();
                let set = CharSet::property(&name);
                return if letter == 'P' { set.not() } else { set };
            }
            'x' => return self.code_point(2),
            'u' if self.eat('{') => {
                self.skip_past('}');
                return CharSet::ALL;
            }
            'u' => return self.code_point(4),
            one => return CharSet::class(one).unwrap_or(CharSet::of(one)),
        };
        CharSet::of(control)
    }

    /// `\x41`, `\u0041`.
    fn code_point(&mut self, digits: usize) -> CharSet {
        let mut code = 0;
        for _ in 0..digits {
            let Some(digit) = self.rest.next_if(char::is_ascii_hexdigit) else { break };
            code = code * 16 + digit.to_digit(16).unwrap_or(0);
        }
        char::from_u32(code).map_or(CharSet::ALL, CharSet::of)
    }

    /// `[…]`, after the opening bracket.
    fn class(&mut self) -> CharSet {
        let negated = self.eat('^');
        let mut set = CharSet::EMPTY;
        let mut before: Option<char> = None;
        let mut first = true;
        while let Some(one) = self.rest.next() {
            // In Python a leading `]` is a member; an empty class is useless in both
            // languages.
            if one == ']' && !first {
                break;
            }
            first = false;
            if one == '\\' {
                let Some(letter) = self.rest.next() else { break };
                set = set.union(self.escaped_set(letter));
                before = (!letter.is_alphanumeric()).then_some(letter);
                continue;
            }
            let to = (one == '-').then(|| self.rest.peek().copied()).flatten();
            match (before.take(), to) {
                (Some(from), Some(to)) if to != ']' => {
                    self.rest.next();
                    let to = if to == '\\' { self.rest.next().unwrap_or(to) } else { to };
                    set = set.union(CharSet::range(from, to));
                }
                _ => {
                    set = set.union(CharSet::of(one));
                    before = Some(one);
                }
            }
        }
        if negated { set.not() } else { set }
    }

    /// The quantifier after an atom: `*`, `+?`, `{2,}`.
    fn quantified(&mut self, node: Node) -> Option<Node> {
        let (min, max) = match self.rest.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => match self.bounds() {
                Some(bounds) => bounds,
                None => return Some(node),
            },
            _ => return Some(node),
        };
        self.rest.next();
        self.eat('?');
        // `a*+` never backtracks, and `a**` is invalid.
        if matches!(self.rest.peek(), Some('+' | '*' | '?')) {
            return None;
        }
        Some(Node::Repeat { node: Box::new(node), min, max })
    }

    /// `{2}`, `{2,}` or `{2,8}`, up to the closing brace; nothing if it is literal text.
    fn bounds(&mut self) -> Option<(u32, Option<u32>)> {
        let mut ahead = self.rest.clone();
        ahead.next();
        let inside: String = ahead.by_ref().take(12).take_while(|one| *one != '}').collect();
        let (min, max) = inside.split_once(',').unwrap_or((&inside, &inside));
        let min = if min.is_empty() { 0 } else { min.parse().ok()? };
        let max = match max {
            "" if inside.contains(',') => None,
            max => Some(max.parse().ok()?),
        };
        for _ in 0..=inside.chars().count() {
            self.rest.next();
        }
        Some((min, max))
    }
}
