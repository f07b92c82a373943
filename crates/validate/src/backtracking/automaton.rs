//! The position automaton of a pattern, and whether it is ambiguous.
//!
//! In: a syntax tree. Out: whether two different paths over the same text lead from a
//! position back to itself. Bounded by the number of positions and of compared pairs.

use super::MAX_POSITIONS;
use super::char_set::CharSet;
use super::parser::Node;
use super::repetition::expand_counted;

/// Maximum pairs of positions compared. Chosen: ten times what the largest of our own
/// patterns need, and below 20 µs.
const MAX_STEPS: u32 = 2000;

/// Whether a part can match without consuming anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nullability {
    Never,
    /// If its assertions hold.
    IfAssertionsHold,
    Always,
}

/// The first and last positions of a part of a pattern.
struct Fragment {
    nullable: Nullability,
    first: Vec<usize>,
    /// With the condition for leaving the part after this position.
    last: Vec<(usize, Nullability)>,
}

/// The positions of a pattern and the transitions between them (a Glushkov automaton).
#[derive(Default)]
pub(super) struct PositionAutomaton {
    sets: Vec<CharSet>,
    /// The successors of each position, as bits.
    next: Vec<u64>,
    /// Those successors that can be reached in two ways.
    ambiguous: Vec<u64>,
}

impl PositionAutomaton {
    /// Builds the automaton; nothing if there are too many positions.
    pub(super) fn of(node: &Node) -> Option<Self> {
        let mut automaton = Self::default();
        let whole = automaton.fragment(node)?;
        // Where the pattern may end, the engine succeeds and never backtracks.
        let mut inside = u64::MAX;
        for (position, nullable) in whole.last {
            if nullable == Nullability::Always {
                inside &= !(1 << position);
            }
        }
        for position in 0..automaton.sets.len() {
            let mask = if inside >> position & 1 == 1 { inside } else { 0 };
            automaton.next[position] &= mask;
            automaton.ambiguous[position] &= mask;
        }
        Some(automaton)
    }

    fn fragment(&mut self, node: &Node) -> Option<Fragment> {
        let nothing = |nullable| Fragment { nullable, first: Vec::new(), last: Vec::new() };
        Some(match node {
            Node::Empty => nothing(Nullability::Always),
            Node::Assertion => nothing(Nullability::IfAssertionsHold),
            Node::Char(set) => {
                let position = self.sets.len();
                if position >= MAX_POSITIONS {
                    return None;
                }
                self.sets.push(*set);
                self.next.push(0);
                self.ambiguous.push(0);
                Fragment {
                    nullable: Nullability::Never,
                    first: vec![position],
                    last: vec![(position, Nullability::Always)],
                }
            }
            Node::Sequence(nodes) => {
                let mut all = nothing(Nullability::Always);
                for node in nodes {
                    let more = self.fragment(node)?;
                    all = self.append(all, more);
                }
                all
            }
            Node::Alternation(nodes) => {
                let mut all = nothing(Nullability::Never);
                for node in nodes {
                    let one = self.fragment(node)?;
                    all.nullable = all.nullable.max(one.nullable);
                    all.first.extend(one.first);
                    all.last.extend(one.last);
                }
                all
            }
            Node::Repeat { max: Some(0), .. } => nothing(Nullability::Always),
            Node::Repeat { node: of, min, max: Some(1) } => {
                let one = self.fragment(of)?;
                let nullable = if *min == 0 { Nullability::Always } else { one.nullable };
                Fragment { nullable, ..one }
            }
            Node::Repeat { node: of, min, max: None } => {
                let one = self.fragment(of)?;
                self.connect(&one.last, &one.first);
                let nullable = if *min == 0 { Nullability::Always } else { one.nullable };
                Fragment { nullable, ..one }
            }
            Node::Repeat { node: of, min, max: Some(max) } => {
                self.fragment(&expand_counted(of, *min, *max))?
            }
        })
    }

    /// Appends one part to another.
    fn append(&mut self, all: Fragment, more: Fragment) -> Fragment {
        self.connect(&all.last, &more.first);
        let (mut first, mut last) = (all.first, more.last);
        if all.nullable != Nullability::Never {
            first.extend(more.first);
        }
        if more.nullable != Nullability::Never {
            last.extend(
                all.last.into_iter().map(|(at, nullable)| (at, nullable.min(more.nullable))),
            );
        }
        Fragment { nullable: all.nullable.min(more.nullable), first, last }
    }

    fn connect(&mut self, last: &[(usize, Nullability)], first: &[usize]) {
        for (from, _) in last {
            for to in first {
                self.ambiguous[*from] |= self.next[*from] & 1 << to;
                self.next[*from] |= 1 << to;
            }
        }
    }

    /// Whether two different paths over the same text lead from a position back to itself.
    pub(super) fn is_ambiguous(&self) -> bool {
        let cycle = self.cycles();
        let positions = 0..self.sets.len();
        if positions.clone().any(|position| self.ambiguous[position] & cycle[position] != 0) {
            return true;
        }
        let overlaps: Vec<u64> = self
            .sets
            .iter()
            .map(|set| bits(|other| self.sets.get(other).is_some_and(|one| set.overlaps(*one))))
            .collect();
        let mut steps = 0;
        positions.clone().any(|start| {
            let mut seen = [0_u64; MAX_POSITIONS];
            let mut open = vec![(start, start)];
            while let Some((one, other)) = open.pop() {
                for to in bits_of(self.next[one] & cycle[start]) {
                    steps += 1;
                    if steps > MAX_STEPS {
                        return false;
                    }
                    let with = self.next[other] & cycle[start] & overlaps[to];
                    if one != other && with >> to & 1 == 1 {
                        return true;
                    }
                    // Paths that have not diverged yet are covered by another start.
                    let with = with & !seen[to] & !(1 << to);
                    seen[to] |= with;
                    open.extend(bits_of(with).map(|with| (to, with)));
                }
            }
            false
        })
    }

    /// For each position, the positions on a cycle with it.
    fn cycles(&self) -> Vec<u64> {
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
    (0..MAX_POSITIONS).filter(|at| is_set(*at)).fold(0, |all, at| all | 1 << at)
}

fn bits_of(mut row: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = row.trailing_zeros() as usize;
        row &= row.wrapping_sub(1);
        (at < MAX_POSITIONS).then_some(at)
    })
}
