//! Observes one result: its nodes, with the names of all keys.
//!
//! In: a result of any size. Out: its node. At most [`MAX_VISITS`] values are
//! visited, spread fairly; skipped parts of an object are unknown, skipped items
//! of a long list or map are assumed to be like the others.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::field_name::looks_like_a_field;
use super::{Field, KeyHash, KeySet, MAX_KEYS, MAX_LEVELS, Node, ObjectNode, mix};

/// How many values of one result are visited.
const MAX_VISITS: usize = 2000;
/// How many items of a list are visited: the first ones, and some of the others.
const FIRST_ITEMS: usize = 20;
const LATER_ITEMS: usize = 20;

/// An object with fewer keys is a record, unless it holds two similar objects,
/// or nothing but one.
const FEWEST_OF_A_MAP: usize = 3;

/// Whether a key may be the name of a person.
pub(super) type IsName<'a> = &'a dyn Fn(&str) -> bool;

/// What is left to visit, and what no field is called.
struct Look<'a> {
    visits: usize,
    is_name: IsName<'a>,
}

pub(super) fn node_of(result: &Value, is_name: IsName<'_>) -> Node {
    observe_value(result, 0, &mut Look { visits: MAX_VISITS, is_name }).0
}

/// A value's node, and a hash of what was visited.
fn observe_value(value: &Value, level: usize, look: &mut Look<'_>) -> (Node, u64) {
    if look.visits == 0 || level >= MAX_LEVELS {
        return (Node::unknown(), 0);
    }
    look.visits -= 1;
    let mut node = Node::default();
    let content = match value {
        Value::Null => {
            node.null = true;
            1
        }
        Value::Bool(flag) => {
            node.boolean = true;
            2 + u64::from(*flag)
        }
        Value::Number(number) => {
            let is_integer = !number.is_f64();
            (node.integer, node.number) = (is_integer, !is_integer);
            number.as_f64().unwrap_or_default().to_bits()
        }
        Value::String(text) => {
            node.string = true;
            // The beginning and the length: texts can be megabytes.
            let beginning = &text.as_bytes()[..text.len().min(64)];
            mix(hash_of(beginning), text.len() as u64)
        }
        Value::Array(items) => {
            let (inner, content) = sampled(items, level, look);
            node.list = Some(Box::new(inner));
            mix(content, items.len() as u64)
        }
        Value::Object(object) => {
            let (inner, content) = observe_object(object, level, look);
            node.object = Some(Box::new(inner));
            content
        }
    };
    (node, content)
}

/// All items of a list in one node.
fn sampled<'a>(
    items: impl IntoIterator<Item = &'a Value, IntoIter: ExactSizeIterator>,
    level: usize,
    look: &mut Look<'_>,
) -> (Node, u64) {
    let items = items.into_iter();
    let later = items.len().saturating_sub(FIRST_ITEMS).div_ceil(LATER_ITEMS).max(1);
    let mut all = Node::default();
    let mut largest = 0;
    let mut content = 0;
    for (at, item) in items.enumerate() {
        let chosen = at < FIRST_ITEMS || (at - FIRST_ITEMS + 1).is_multiple_of(later);
        if !chosen {
            continue;
        }
        // The first item is visited as far as possible, further ones only if they can be visited
        // completely: otherwise their unvisited parts would become unknown for all items.
        if at > 0 && look.visits < largest {
            break;
        }
        let before = look.visits;
        let (node, hash) = observe_value(item, level + 1, look);
        all.merge(node);
        content = mix(content, hash);
        largest = largest.max(before - look.visits);
    }
    (all, content)
}

fn observe_object(
    object: &Map<String, Value>,
    level: usize,
    look: &mut Look<'_>,
) -> (ObjectNode, u64) {
    let mut node = ObjectNode { observed: 1, ..ObjectNode::default() };
    let names = object.keys().filter(|key| (look.is_name)(key)).count();
    // Some field names are names too; of the keys of a record at least half are not.
    let is_of_names = names > 0 && names * 2 >= object.len();
    if object.len() > MAX_KEYS || is_of_names || !object.keys().all(|key| looks_like_a_field(key)) {
        node.map = true;
        let (values, content) = sampled(object.values(), level, look);
        node.values = values;
        return (node, content);
    }
    let alike = may_be_a_map(object);
    let two_alike = object.len() == 2 && object.values().all(Value::is_object);
    // `{"data": …}` and `{"jlee": …}` look the same until other values are seen.
    let one_inside = object.len() == 1 && object.values().all(Value::is_object);
    let doubtful = alike && (object.len() >= FEWEST_OF_A_MAP || two_alike || one_inside);
    node.doubtful = doubtful;
    node.proven = !alike;
    let mut left = object.len();
    let mut content: u64 = 0;
    for (key, value) in object {
        // A fair share for each, so that one long list does not leave the others unknown;
        // unused visits are left for the next.
        let share = look.visits.div_ceil(left).min(look.visits);
        let mut own = Look { visits: share, is_name: look.is_name };
        let (mut inner, hash) = observe_value(value, level + 1, &mut own);
        look.visits -= share - own.visits;
        left -= 1;
        // A key that may name a person is never kept, whatever is around it.
        let name = (!(look.is_name)(key)).then(|| key.clone());
        let shown = name.is_some() && !doubtful;
        let mut field = Field { name, shown, seen: 1, ..Field::default() };
        if doubtful {
            field.shared = matches!(value, Value::Array(_) | Value::Object(_));
            node.values.merge(inner.split_containers());
        }
        field.node = inner;
        let key = hash_of(key.as_bytes());
        // A sum, since the order of keys is irrelevant.
        content = content.wrapping_add(mix(key, hash));
        node.fields.insert(key, field);
    }
    if doubtful {
        let keys: BTreeSet<KeyHash> = node.fields.keys().copied().collect();
        let hash = keys.iter().fold(5, |hash, key| mix(hash, *key));
        #[expect(clippy::cast_possible_truncation, reason = "a few bits are all that is wanted")]
        let content = mix(content, 6) as u16;
        node.sets.insert(hash, KeySet { twice: false, content, keys });
    }
    (node, content)
}

/// Whether all values are of one kind, as in an object that maps names to
/// things. Null counts as any kind.
fn may_be_a_map(object: &Map<String, Value>) -> bool {
    let mut values = object.values().filter(|value| !value.is_null());
    let Some(first) = values.next() else { return true };
    values.all(|value| are_similar(first, value))
}

fn are_similar(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let common = one.keys().filter(|key| other.contains_key(*key)).count();
            let all = one.len() + other.len() - common;
            one.is_empty() || other.is_empty() || common * 2 >= all
        }
        (Value::Array(one), Value::Array(other)) => match (one.first(), other.first()) {
            (Some(Value::Array(_)), Some(Value::Array(_))) | (None, _) | (_, None) => true,
            (Some(one), Some(other)) => are_similar(one, other),
        },
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

/// FNV-1a.
fn hash_of(bytes: &[u8]) -> KeyHash {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
