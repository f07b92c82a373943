//! Counted repetitions, expanded into simpler nodes.
//!
//! In: a node and its bounds. Out: an equivalent node without counts, or an approximation
//! if the exact one would be too large.

use super::MAX_POSITIONS;
use super::parser::Node;

/// Maximum copies that a counted repetition is expanded to; above that it counts as
/// unbounded.
const MAX_COPIES: u32 = 12;

/// Expands a counted repetition into the other forms.
pub(super) fn expand_counted(of: &Node, min: u32, max: u32) -> Node {
    let once = |min| Node::Repeat { node: Box::new(of.clone()), min, max: Some(1) };
    let unbounded = |min| Node::Repeat { node: Box::new(of.clone()), min, max: None };
    // Expanding nested repetitions would multiply.
    let fits = !has_repetition(of) && size(of).saturating_mul(max as usize) <= MAX_POSITIONS / 2;
    match max > MAX_COPIES {
        true if is_unbounded(of) => unbounded(min.min(1)),
        _ if !fits && (max <= MAX_COPIES || min == max) => once(min.min(1)),
        _ if !fits => unbounded(min.min(1)),
        _ => {
            // `a{1,3}` becomes `a(a(a)?)?`: `aa?a?` would be ambiguous.
            let mut rest = Node::Empty;
            for _ in min..max {
                let of = Box::new(Node::Sequence(vec![of.clone(), rest]));
                rest = Node::Repeat { node: of, min: 0, max: Some(1) };
            }
            let mut row = vec![of.clone(); min as usize];
            row.push(rest);
            Node::Sequence(row)
        }
    }
}

/// The number of characters in a part.
fn size(node: &Node) -> usize {
    match node {
        Node::Empty | Node::Assertion => 0,
        Node::Char(_) => 1,
        Node::Sequence(nodes) | Node::Alternation(nodes) => nodes.iter().map(size).sum(),
        Node::Repeat { node: of, .. } => size(of),
    }
}

fn has_repetition(node: &Node) -> bool {
    match node {
        Node::Empty | Node::Assertion | Node::Char(_) => false,
        Node::Sequence(nodes) | Node::Alternation(nodes) => nodes.iter().any(has_repetition),
        Node::Repeat { node: of, max, .. } => *max != Some(1) || has_repetition(of),
    }
}

fn is_unbounded(node: &Node) -> bool {
    match node {
        Node::Empty | Node::Assertion | Node::Char(_) => false,
        Node::Sequence(nodes) | Node::Alternation(nodes) => nodes.iter().any(is_unbounded),
        Node::Repeat { node: of, max, .. } => max.is_none() || is_unbounded(of),
    }
}
