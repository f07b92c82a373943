//! Whether a regular expression takes for ever on some texts.
//!
//! The engines of both languages try one way after the other. A part of a pattern that
//! repeats and reads the same text in two ways doubles the ways with each turn, and if
//! what comes behind does not fit, all of them are tried: `(a+)+$`, `(\w+\s?)*x`,
//! `(a|aa)+b`. So: the characters of a pattern are places, an arrow leads from each to
//! those that can be read next, and it is bad if two different walks lead from a place
//! back to itself over the same text. Places at which the pattern may just end are left
//! out: from there the engine is done.
//!
//! Bounded: a pattern of more than [`MOST_PLACES`] characters or that takes more than
//! [`MOST_STEPS`] is called harmless, as one that cannot be read.

/// How many places a pattern may have: a row of arrows is one number.
const MOST_PLACES: usize = 64;

/// How many pairs of places are tried. Chosen: ten times what the largest of our own
/// patterns take, and below 20 µs.
const MOST_STEPS: u32 = 2000;

/// How deep groups may be nested.
const DEEPEST: u32 = 24;

/// Up to how many copies a counted repetition stands for itself; from then on it is as
/// good as endless.
const MOST_COPIES: u32 = 12;

/// What may come behind the pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Nothing: all of it is known.
    Known,
    /// More of the pattern.
    Open,
}

/// Whether there are texts on which this pattern takes for ever.
pub(crate) fn explodes(pattern: &str, end: End) -> bool {
    // Most patterns repeat no group.
    let repeats = [")+", ")*", "){"].iter().any(|one| pattern.contains(one));
    if !repeats {
        return false;
    }
    let mut reader = Reader { rest: pattern.chars().peekable(), inner: Vec::new(), depth: 0 };
    let Some(mut whole) = reader.choice() else { return false };
    if end == End::Open {
        whole = Node::Row(vec![whole, Node::Demand]);
    }
    std::iter::once(whole)
        .chain(reader.inner)
        .any(|node| Arrows::of(&node).is_some_and(|one| one.is_double()))
}

/// A part of a pattern.
#[derive(Debug, Clone)]
enum Node {
    Nothing,
    /// Reads nothing, and may not hold: `$`, a look ahead, a reference back.
    Demand,
    One(Set),
    Row(Vec<Node>),
    Choice(Vec<Node>),
    Many {
        of: Box<Node>,
        least: u32,
        /// None: without end.
        most: Option<u32>,
    },
}

/// Characters: the ASCII ones by their bits, and what is known of all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Set {
    ascii: u128,
    other: Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Other {
    None,
    Only(char),
    Many,
}

impl Set {
    const ALL: Self = Self { ascii: u128::MAX, other: Other::Many };
    const EMPTY: Self = Self { ascii: 0, other: Other::None };

    fn of(one: char) -> Self {
        match u32::from(one) {
            code @ 0..128 => Self { ascii: 1 << code, other: Other::None },
            _ => Self { ascii: 0, other: Other::Only(one) },
        }
    }

    fn range(from: char, to: char) -> Self {
        let mut set = Self::EMPTY;
        for code in u32::from(from)..=u32::from(to).min(127) {
            set.ascii |= 1 << code;
        }
        if u32::from(to) > 127 {
            set.other = Other::Many;
        }
        set
    }

    fn and(self, more: Self) -> Self {
        let other = match (self.other, more.other) {
            (Other::None, other) | (other, Other::None) => other,
            (one, other) if one == other => one,
            _ => Other::Many,
        };
        Self { ascii: self.ascii | more.ascii, other }
    }

    fn not(self) -> Self {
        // One character less of all others leaves enough.
        let other = if self.other == Other::Many { Other::None } else { Other::Many };
        Self { ascii: !self.ascii, other }
    }

    fn meets(self, with: Self) -> bool {
        let others = match (self.other, with.other) {
            (Other::None, _) | (_, Other::None) => false,
            (Other::Only(one), Other::Only(other)) => one == other,
            _ => true,
        };
        others || self.ascii & with.ascii != 0
    }

    /// `\p{…}`. Of two names nothing is known in common.
    fn property(name: &str) -> Self {
        let short = name.rsplit('=').next().unwrap_or(name);
        let ascii = match short.chars().next() {
            Some('L' | 'A') => Self::range('a', 'z').and(Self::range('A', 'Z')),
            Some('N') => Self::range('0', '9'),
            _ => Self::EMPTY,
        };
        // A character that stands for the name: those of this plane are nobody's.
        let sum = name.bytes().fold(7_u32, |sum, byte| sum * 31 % 65_521 + u32::from(byte));
        let other = char::from_u32(0xf_0000 + sum % 65_521).map_or(Other::Many, Other::Only);
        Self { ascii: ascii.ascii, other }
    }

    /// `\w`, `\d`, `\s` and their opposites.
    fn class(letter: char) -> Option<Self> {
        let digits = Self::range('0', '9');
        let spaces = "\t\n\x0b\x0c\r ".chars().fold(Self::EMPTY, |set, one| set.and(Self::of(one)));
        let plain = match letter.to_ascii_lowercase() {
            'd' => digits,
            's' => spaces,
            'w' => {
                let letters = Self::range('a', 'z').and(Self::range('A', 'Z'));
                digits.and(letters).and(Self::of('_'))
            }
            _ => return None,
        };
        Some(if letter.is_ascii_uppercase() { plain.not() } else { plain })
    }
}

/// Reads a pattern of either language. What neither has gives nothing.
struct Reader<'p> {
    rest: std::iter::Peekable<std::str::Chars<'p>>,
    /// What stands in looks ahead and behind: patterns of their own.
    inner: Vec<Node>,
    depth: u32,
}

impl Reader<'_> {
    fn eat(&mut self, one: char) -> bool {
        self.rest.next_if_eq(&one).is_some()
    }

    /// `a|b|c`, up to the bracket that closes it.
    fn choice(&mut self) -> Option<Node> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let mut all = vec![self.row()?];
        while self.eat('|') {
            all.push(self.row()?);
        }
        self.depth -= 1;
        Some(if all.len() == 1 { all.remove(0) } else { Node::Choice(all) })
    }

    fn row(&mut self) -> Option<Node> {
        let mut all = Vec::new();
        while let Some(next) = self.rest.peek() {
            if matches!(next, '|' | ')') {
                break;
            }
            let of = self.one()?;
            all.push(self.repeated(of)?);
        }
        Some(Node::Row(all))
    }

    fn one(&mut self) -> Option<Node> {
        Some(match self.rest.next()? {
            '^' | '$' => Node::Demand,
            '.' => Node::One(Set::of('\n').not()),
            '(' => self.group()?,
            '[' => Node::One(self.class()),
            '\\' => self.escaped(),
            one => Node::One(Set::of(one)),
        })
    }

    fn group(&mut self) -> Option<Node> {
        let mut looks = false;
        if self.eat('?') {
            match self.rest.next()? {
                ':' => {}
                '=' | '!' => looks = true,
                '<' if matches!(self.rest.peek(), Some('=' | '!')) => {
                    self.rest.next();
                    looks = true;
                }
                // `(?<name>…)`, `(?P<name>…)`.
                '<' => self.skip_past('>'),
                'P' if self.eat('<') => self.skip_past('>'),
                'P' if self.eat('=') => {
                    self.skip_past(')');
                    return Some(Node::Demand);
                }
                '#' => {
                    self.skip_past(')');
                    return Some(Node::Nothing);
                }
                // What such a group has read stays read.
                '>' => return None,
                // `(?i)`, `(?i:…)`.
                _ => loop {
                    match self.rest.next()? {
                        ')' => return Some(Node::Nothing),
                        ':' => break,
                        _ => {}
                    }
                },
            }
        }
        let inside = self.choice()?;
        self.eat(')');
        if looks {
            self.inner.push(inside);
            return Some(Node::Demand);
        }
        Some(inside)
    }

    fn skip_past(&mut self, end: char) {
        let _ = self.rest.find(|one| *one == end);
    }

    fn escaped(&mut self) -> Node {
        match self.rest.next() {
            None | Some('b' | 'B' | 'A') => Node::Nothing,
            Some('Z' | 'z' | '1'..='9') => Node::Demand,
            Some('k') => {
                self.skip_past('>');
                Node::Demand
            }
            Some(letter) => Node::One(self.escaped_set(letter)),
        }
    }

    fn escaped_set(&mut self, letter: char) -> Set {
        let control = match letter {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'f' => '\x0c',
            'v' => '\x0b',
            '0' => '\0',
            'p' | 'P' if self.eat('{') => {
                let name: String = self.rest.by_ref().take_while(|one| *one != '}').collect();
                let set = Set::property(&name);
                return if letter == 'P' { set.not() } else { set };
            }
            'x' => return self.coded(2),
            'u' if self.eat('{') => {
                self.skip_past('}');
                return Set::ALL;
            }
            'u' => return self.coded(4),
            one => return Set::class(one).unwrap_or(Set::of(one)),
        };
        Set::of(control)
    }

    /// `\x41`, `\u0041`.
    fn coded(&mut self, digits: usize) -> Set {
        let mut code = 0;
        for _ in 0..digits {
            let Some(digit) = self.rest.next_if(char::is_ascii_hexdigit) else { break };
            code = code * 16 + digit.to_digit(16).unwrap_or(0);
        }
        char::from_u32(code).map_or(Set::ALL, Set::of)
    }

    /// `[…]`, behind its bracket.
    fn class(&mut self) -> Set {
        let negated = self.eat('^');
        let mut set = Set::EMPTY;
        let mut before: Option<char> = None;
        let mut first = true;
        while let Some(one) = self.rest.next() {
            // In Python a bracket that comes first is one of them; an empty class is of
            // no use in either language.
            if one == ']' && !first {
                break;
            }
            first = false;
            if one == '\\' {
                let Some(letter) = self.rest.next() else { break };
                set = set.and(self.escaped_set(letter));
                before = (!letter.is_alphanumeric()).then_some(letter);
                continue;
            }
            let to = (one == '-').then(|| self.rest.peek().copied()).flatten();
            match (before.take(), to) {
                (Some(from), Some(to)) if to != ']' => {
                    self.rest.next();
                    let to = if to == '\\' { self.rest.next().unwrap_or(to) } else { to };
                    set = set.and(Set::range(from, to));
                }
                _ => {
                    set = set.and(Set::of(one));
                    before = Some(one);
                }
            }
        }
        if negated { set.not() } else { set }
    }

    /// What stands behind a part: `*`, `+?`, `{2,}`.
    fn repeated(&mut self, of: Node) -> Option<Node> {
        let (least, most) = match self.rest.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => match self.counts() {
                Some(counts) => counts,
                None => return Some(of),
            },
            _ => return Some(of),
        };
        self.rest.next();
        self.eat('?');
        // `a*+` gives nothing back, and `a**` is no pattern.
        if matches!(self.rest.peek(), Some('+' | '*' | '?')) {
            return None;
        }
        Some(Node::Many { of: Box::new(of), least, most })
    }

    /// `{2}`, `{2,}`, `{2,8}`, up to its closing bracket; nothing if it is plain text.
    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let mut ahead = self.rest.clone();
        ahead.next();
        let inside: String = ahead.by_ref().take(12).take_while(|one| *one != '}').collect();
        let (least, most) = inside.split_once(',').unwrap_or((&inside, &inside));
        let least = if least.is_empty() { 0 } else { least.parse().ok()? };
        let most = match most {
            "" if inside.contains(',') => None,
            most => Some(most.parse().ok()?),
        };
        for _ in 0..=inside.chars().count() {
            self.rest.next();
        }
        Some((least, most))
    }
}

/// How a part can be passed without reading anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Passing {
    Not,
    /// If what it demands holds.
    Demanding,
    Free,
}

/// What a part of a pattern begins and ends with.
struct Part {
    passing: Passing,
    first: Vec<usize>,
    /// With whether something is demanded on the way out.
    last: Vec<(usize, Passing)>,
}

/// The places of a pattern and the arrows between them.
#[derive(Default)]
struct Arrows {
    sets: Vec<Set>,
    /// From each place, by bits.
    next: Vec<u64>,
    /// Those of them that lead there in two ways.
    twice: Vec<u64>,
}

impl Arrows {
    /// Nothing if there are too many places.
    fn of(node: &Node) -> Option<Self> {
        let mut arrows = Self::default();
        let whole = arrows.part(node)?;
        // Where the pattern may end, nothing is tried again.
        let mut kept = u64::MAX;
        for (place, passing) in whole.last {
            if passing == Passing::Free {
                kept &= !(1 << place);
            }
        }
        for place in 0..arrows.sets.len() {
            let mask = if kept >> place & 1 == 1 { kept } else { 0 };
            arrows.next[place] &= mask;
            arrows.twice[place] &= mask;
        }
        Some(arrows)
    }

    fn part(&mut self, node: &Node) -> Option<Part> {
        let nothing = |passing| Part { passing, first: Vec::new(), last: Vec::new() };
        Some(match node {
            Node::Nothing => nothing(Passing::Free),
            Node::Demand => nothing(Passing::Demanding),
            Node::One(set) => {
                let place = self.sets.len();
                if place >= MOST_PLACES {
                    return None;
                }
                self.sets.push(*set);
                self.next.push(0);
                self.twice.push(0);
                Part {
                    passing: Passing::Not,
                    first: vec![place],
                    last: vec![(place, Passing::Free)],
                }
            }
            Node::Row(nodes) => {
                let mut all = nothing(Passing::Free);
                for node in nodes {
                    let more = self.part(node)?;
                    all = self.row(all, more);
                }
                all
            }
            Node::Choice(nodes) => {
                let mut all = nothing(Passing::Not);
                for node in nodes {
                    let one = self.part(node)?;
                    all.passing = all.passing.max(one.passing);
                    all.first.extend(one.first);
                    all.last.extend(one.last);
                }
                all
            }
            Node::Many { most: Some(0), .. } => nothing(Passing::Free),
            Node::Many { of, least, most: Some(1) } => {
                let one = self.part(of)?;
                let passing = if *least == 0 { Passing::Free } else { one.passing };
                Part { passing, ..one }
            }
            Node::Many { of, least, most: None } => {
                let one = self.part(of)?;
                self.join(&one.last, &one.first);
                let passing = if *least == 0 { Passing::Free } else { one.passing };
                Part { passing, ..one }
            }
            Node::Many { of, least, most: Some(most) } => self.part(&counted(of, *least, *most))?,
        })
    }

    /// One part behind another.
    fn row(&mut self, all: Part, more: Part) -> Part {
        self.join(&all.last, &more.first);
        let (mut first, mut last) = (all.first, more.last);
        if all.passing != Passing::Not {
            first.extend(more.first);
        }
        if more.passing != Passing::Not {
            last.extend(all.last.into_iter().map(|(at, passing)| (at, passing.min(more.passing))));
        }
        Part { passing: all.passing.min(more.passing), first, last }
    }

    fn join(&mut self, last: &[(usize, Passing)], first: &[usize]) {
        for (from, _) in last {
            for to in first {
                self.twice[*from] |= self.next[*from] & 1 << to;
                self.next[*from] |= 1 << to;
            }
        }
    }

    /// Whether two walks over the same text lead from a place back to it.
    fn is_double(&self) -> bool {
        let round = self.rounds();
        let places = 0..self.sets.len();
        if places.clone().any(|place| self.twice[place] & round[place] != 0) {
            return true;
        }
        let meets: Vec<u64> = self
            .sets
            .iter()
            .map(|set| bits(|other| self.sets.get(other).is_some_and(|one| set.meets(*one))))
            .collect();
        let mut steps = 0;
        places.clone().any(|start| {
            let mut seen = [0_u64; MOST_PLACES];
            let mut open = vec![(start, start)];
            while let Some((one, other)) = open.pop() {
                for to in each(self.next[one] & round[start]) {
                    steps += 1;
                    if steps > MOST_STEPS {
                        return false;
                    }
                    let with = self.next[other] & round[start] & meets[to];
                    if one != other && with >> to & 1 == 1 {
                        return true;
                    }
                    // Walks that are still the same are those of another start.
                    let with = with & !seen[to] & !(1 << to);
                    seen[to] |= with;
                    open.extend(each(with).map(|with| (to, with)));
                }
            }
            false
        })
    }

    /// For each place those that it leads to and that lead back to it.
    fn rounds(&self) -> Vec<u64> {
        let mut reached = self.next.clone();
        for through in 0..reached.len() {
            for from in 0..reached.len() {
                if reached[from] >> through & 1 == 1 {
                    reached[from] |= reached[through];
                }
            }
        }
        let back = |from: usize, to: usize| reached.get(to).is_some_and(|row| row >> from & 1 == 1);
        (0..reached.len()).map(|from| reached[from] & bits(|to| back(from, to))).collect()
    }
}

fn bits(is_set: impl Fn(usize) -> bool) -> u64 {
    (0..MOST_PLACES).filter(|at| is_set(*at)).fold(0, |all, at| all | 1 << at)
}

fn each(mut row: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = row.trailing_zeros() as usize;
        row &= row.wrapping_sub(1);
        (at < MOST_PLACES).then_some(at)
    })
}

/// A counted repetition in terms of the others.
fn counted(of: &Node, least: u32, most: u32) -> Node {
    let once = |least| Node::Many { of: Box::new(of.clone()), least, most: Some(1) };
    let endless = |least| Node::Many { of: Box::new(of.clone()), least, most: None };
    // Copies of copies would take long to make.
    let fits = !repeats(of) && size(of).saturating_mul(most as usize) <= MOST_PLACES / 2;
    match most > MOST_COPIES {
        true if is_endless(of) => endless(least.min(1)),
        _ if !fits && (most <= MOST_COPIES || least == most) => once(least.min(1)),
        _ if !fits => endless(least.min(1)),
        _ => {
            // `a{1,3}` is `a(a(a)?)?`: side by side they would be ambiguous.
            let mut rest = Node::Nothing;
            for _ in least..most {
                let of = Box::new(Node::Row(vec![of.clone(), rest]));
                rest = Node::Many { of, least: 0, most: Some(1) };
            }
            let mut row = vec![of.clone(); least as usize];
            row.push(rest);
            Node::Row(row)
        }
    }
}

/// How many characters stand in a part.
fn size(node: &Node) -> usize {
    match node {
        Node::Nothing | Node::Demand => 0,
        Node::One(_) => 1,
        Node::Row(nodes) | Node::Choice(nodes) => nodes.iter().map(size).sum(),
        Node::Many { of, .. } => size(of),
    }
}

fn repeats(node: &Node) -> bool {
    match node {
        Node::Nothing | Node::Demand | Node::One(_) => false,
        Node::Row(nodes) | Node::Choice(nodes) => nodes.iter().any(repeats),
        Node::Many { of, most, .. } => *most != Some(1) || repeats(of),
    }
}

fn is_endless(node: &Node) -> bool {
    match node {
        Node::Nothing | Node::Demand | Node::One(_) => false,
        Node::Row(nodes) | Node::Choice(nodes) => nodes.iter().any(is_endless),
        Node::Many { of, most, .. } => most.is_none() || is_endless(of),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{End, explodes};

    #[test]
    fn what_reads_a_text_in_two_ways_again_and_again_explodes() {
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
        let missed: Vec<&str> = bad.into_iter().filter(|one| !explodes(one, End::Known)).collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn what_reads_it_in_one_way_or_cannot_fail_does_not() {
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
        let wrong: Vec<&str> = good.into_iter().filter(|one| explodes(one, End::Known)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(explodes(r"([^,]+,?)*", End::Open));
    }

    #[test]
    fn patterns_that_are_made_to_be_expensive_are_not() {
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
                explodes(&whole, End::Known);
            }
        }
        assert!(started.elapsed() < Duration::from_millis(500), "{:?}", started.elapsed());
    }
}
