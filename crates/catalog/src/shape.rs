//! The structure of a tool's results, learned from real ones.
//!
//! In: successful results of one tool. Out: a JSON Schema of what they had in
//! common ([`Shape::to_schema`]), and data that can be kept across restarts.
//!
//! Invariant: structure only, never a value. A key can be a value too, in
//! an object that maps names to things, so a key is kept only if it looks like
//! a field (`field_name.rs`), half of the keys cannot be names of people, and its object
//! is known to be a record:
//!
//! * its values are of different kinds, or it has fewer than three keys, or
//! * the very same keys were seen twice with different values, in two results or
//!   in two places of one.
//!
//! Until then the object is treated as a map, and only hashes of its keys are
//! kept. A key that cannot be a field makes it a map for good.
//!
//! In addition: the shape of a result allows that result, as far as it was visited
//! (long lists are sampled); the order of results does not matter, except for what
//! the caps cut and for names below an object that turns into a map late; size
//! and time are capped whatever a server sends.

mod field_name;
mod observe;
mod schema;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How many levels are kept; deeper values are unknown.
const MAX_LEVELS: usize = 8;
/// Maximum number of nodes of a shape. The deepest become unknown first.
const MAX_NODES: usize = 200;
/// Maximum number of keys of a record.
const MAX_KEYS: usize = 64;
/// How many key sets are remembered while an object may be a map.
const MAX_SETS: usize = 16;

/// What is known about the results of one tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    results: u32,
    root: Node,
}

/// A learned shape in the form that renderers use.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedSchema {
    /// JSON Schema of the results.
    pub schema: Value,
    /// How many results it is based on.
    pub results: u32,
}

impl Shape {
    /// Adds one result. A key that may name a person, as `is_name` says, is never kept; an object
    /// of which half of the keys may is a map.
    /// Returns whether that changed what is known, beyond the number of results.
    pub fn observe(&mut self, result: &Value, is_name: &dyn Fn(&str) -> bool) -> bool {
        let before = self.root.outline();
        self.root.merge(observe::node_of(result, is_name));
        self.root.hide_unproven_names();
        self.root.cap();
        self.results = self.results.saturating_add(1);
        self.root.outline() != before
    }

    /// How many results it is based on.
    pub fn results(&self) -> u32 {
        self.results
    }

    /// The JSON Schema of all results so far.
    pub fn to_schema(&self) -> Value {
        self.root.to_schema()
    }
}

/// A hash of a key: enough to recognise it, not enough to read it.
type KeyHash = u64;

/// All values seen in one place.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Node {
    /// Anything: too deep, too much, or not visited.
    #[serde(skip_serializing_if = "is_false")]
    unknown: bool,
    #[serde(skip_serializing_if = "is_false")]
    null: bool,
    #[serde(skip_serializing_if = "is_false")]
    boolean: bool,
    #[serde(skip_serializing_if = "is_false")]
    integer: bool,
    /// A number that is not an integer.
    #[serde(skip_serializing_if = "is_false")]
    number: bool,
    #[serde(skip_serializing_if = "is_false")]
    string: bool,
    /// The type of the items; empty if all lists were.
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<Box<Node>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<Box<ObjectNode>>,
}

/// All objects seen in one place.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct ObjectNode {
    observed: u32,
    /// A map for good: some key was not a field name, or there were too many.
    #[serde(skip_serializing_if = "is_false")]
    map: bool,
    /// Some object may have been a map.
    #[serde(skip_serializing_if = "is_false")]
    doubtful: bool,
    /// Some object was surely a record.
    #[serde(skip_serializing_if = "is_false")]
    proven: bool,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    fields: BTreeMap<KeyHash, Field>,
    /// Key sets of doubtful objects, with their keys until the result is processed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    sets: BTreeMap<u64, KeySet>,
    /// Lists and objects inside doubtful objects, and all values of a map.
    values: Node,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Field {
    /// Kept only if it may be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Whether the name may be shown.
    #[serde(skip_serializing_if = "is_false")]
    shown: bool,
    /// The number of objects with this field.
    seen: u32,
    /// What was seen here; for doubtful objects only scalars, since lists and objects are merged
    /// in `values`: only together do they show a map of similar objects.
    node: Node,
    /// It was a list or an object in a doubtful object: see `values`.
    #[serde(skip_serializing_if = "is_false")]
    shared: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct KeySet {
    #[serde(skip_serializing_if = "is_false")]
    twice: bool,
    /// Distinguishes values, since seeing the same result again proves nothing. Too short
    /// to reveal anything.
    content: u16,
    #[serde(skip)]
    keys: BTreeSet<KeyHash>,
}

impl Node {
    fn unknown() -> Self {
        Self { unknown: true, ..Self::default() }
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn merge(&mut self, other: Self) {
        if self.unknown || other.unknown {
            *self = Self::unknown();
            return;
        }
        self.null |= other.null;
        self.boolean |= other.boolean;
        self.integer |= other.integer;
        self.number |= other.number;
        self.string |= other.string;
        match (&mut self.list, other.list) {
            (Some(list), Some(other)) => list.merge(*other),
            (list @ None, other) => *list = other,
            (Some(_), None) => {}
        }
        match (&mut self.object, other.object) {
            (Some(object), Some(other)) => object.merge(*other),
            (object @ None, other) => *object = other,
            (Some(_), None) => {}
        }
    }

    /// Separates lists and objects from the rest.
    fn split_containers(&mut self) -> Self {
        Self { list: self.list.take(), object: self.object.take(), ..Self::default() }
    }

    fn children(&mut self) -> impl Iterator<Item = &mut Self> {
        let items = self.list.as_deref_mut();
        let inner = self.object.as_deref_mut().into_iter().flat_map(|object| {
            let fields = object.fields.values_mut().map(|field| &mut field.node);
            fields.chain([&mut object.values])
        });
        items.into_iter().chain(inner)
    }

    /// Removes the names of keys that may be values.
    fn hide_unproven_names(&mut self) {
        if let Some(object) = &mut self.object {
            for field in object.fields.values_mut().filter(|field| !field.shown) {
                field.name = None;
            }
            for set in object.sets.values_mut() {
                set.keys.clear();
            }
        }
        self.children().for_each(Self::hide_unproven_names);
    }

    /// Cuts the deepest levels until the shape is small enough.
    fn cap(&mut self) {
        let mut levels = MAX_LEVELS;
        while levels > 0 && self.count() > MAX_NODES {
            self.cut_below(levels);
            levels -= 1;
        }
    }

    fn count(&mut self) -> usize {
        if self.is_empty() {
            return 0;
        }
        1 + self.children().map(Self::count).sum::<usize>()
    }

    fn cut_below(&mut self, levels: usize) {
        if levels > 0 {
            self.children().for_each(|child| child.cut_below(levels - 1));
        } else if !self.is_empty() {
            *self = Self::unknown();
        }
    }

    /// Changes whenever the known structure changes; counts alone do not change it.
    fn outline(&self) -> u64 {
        let flags = [self.unknown, self.null, self.boolean, self.integer, self.number, self.string];
        let mut hash = flags.iter().fold(1, |hash, flag| mix(hash, u64::from(*flag)));
        hash = mix(hash, self.list.as_ref().map_or(2, |list| list.outline()));
        mix(hash, self.object.as_ref().map_or(3, |object| object.outline()))
    }
}

impl ObjectNode {
    fn is_map(&self) -> bool {
        self.map || (self.doubtful && !self.proven)
    }

    fn merge(&mut self, other: Self) {
        self.observed = self.observed.saturating_add(other.observed);
        self.doubtful |= other.doubtful;
        self.proven |= other.proven;
        self.map |= other.map;
        self.values.merge(other.values);
        for (key, field) in other.fields {
            self.fields.entry(key).or_default().merge(field);
        }
        for (hash, set) in other.sets {
            self.add_set(hash, set);
        }
        if self.map || self.fields.len() > MAX_KEYS {
            self.become_map();
        }
    }

    /// If the same keys are seen a second time with other values, they are fields.
    fn add_set(&mut self, hash: u64, set: KeySet) {
        let Some(known) = self.sets.get_mut(&hash) else {
            if self.sets.len() < MAX_SETS {
                self.sets.insert(hash, set);
            }
            return;
        };
        known.keys.extend(&set.keys);
        known.twice |= set.twice || known.content != set.content;
        if !known.twice {
            return;
        }
        self.proven = true;
        for key in &known.keys {
            if let Some(field) = self.fields.get_mut(key) {
                field.shown = true;
            }
        }
    }

    fn become_map(&mut self) {
        self.map = true;
        self.sets.clear();
        for field in std::mem::take(&mut self.fields).into_values() {
            self.values.merge(field.node);
        }
    }

    fn outline(&self) -> u64 {
        let flags = [self.map, self.doubtful, self.proven];
        let mut hash = flags.iter().fold(4, |hash, flag| mix(hash, u64::from(*flag)));
        hash = mix(hash, self.values.outline());
        for (key, field) in &self.fields {
            let required = field.seen == self.observed;
            let flags = [field.shown, field.shared, required];
            hash = mix(hash, *key);
            hash = flags.iter().fold(hash, |hash, flag| mix(hash, u64::from(*flag)));
            hash = mix(hash, field.node.outline());
        }
        self.sets.iter().fold(hash, |hash, (set, key)| mix(hash, set ^ u64::from(key.twice)))
    }
}

impl Field {
    fn merge(&mut self, other: Self) {
        self.name = self.name.take().or(other.name);
        self.shown |= other.shown;
        self.shared |= other.shared;
        self.seen = self.seen.saturating_add(other.seen);
        self.node.merge(other.node);
    }
}

/// One step of a hash that need not withstand an attacker: a server that makes
/// two keys collide spoils only the types of its own tool.
fn mix(hash: u64, part: u64) -> u64 {
    let mixed = (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[cfg(test)]
mod tests;
