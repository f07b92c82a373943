//! Chooses which types get a name of their own.
//!
//! In: the types of some tools. Out: a name for each type that is used more than
//! once and is worth it, and for each recursive one. The same rule applies to one
//! tool (its definition) and to all tools of a server (its part of the file tree).
//! The goal is to save tokens, and a name costs some too.

use std::collections::{HashMap, HashSet};

use crate::names::pascal_case;
use crate::types::{Description, RecursiveId, Tag, Type, TypeId, Types, children};

/// The cost of a name in bytes. Found by trial on 3,031 real tools.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameCost {
    /// For each use.
    each: usize,
    /// For the definition: `type X = …`.
    once: usize,
}

impl NameCost {
    /// In the definition of one tool.
    pub(crate) const DEFINITION: Self = Self { each: 10, once: 16 };
    /// In the files of a server, where a name must be imported as well.
    pub(crate) const FILES: Self = Self { each: 20, once: 28 };

    fn is_worth_it(self, bytes: usize, times: usize) -> bool {
        bytes.saturating_mul(times - 1) > times * self.each + self.once
    }
}

/// Names that have a meaning in one of the languages.
const RESERVED: [&str; 42] = [
    "Any",
    "Array",
    "ArrayBuffer",
    "Awaited",
    "BigInt",
    "Boolean",
    "Buffer",
    "Date",
    "Error",
    "Exclude",
    "Extract",
    "Function",
    "Infinity",
    "JSON",
    "Literal",
    "Map",
    "Math",
    "NaN",
    "Never",
    "None",
    "NonNullable",
    "NotRequired",
    "Number",
    "Object",
    "Omit",
    "Partial",
    "Pick",
    "Promise",
    "Proxy",
    "Readonly",
    "Record",
    "RegExp",
    "Required",
    "Set",
    "String",
    "Symbol",
    "TypedDict",
    "Union",
    "ToolError",
    "NotImplementedError",
    "OMIT",
    "TypeAlias",
];

/// Whether a type cannot have this name.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// The named types of some tools, in the order in which they are first used.
#[derive(Debug, Default)]
pub(crate) struct NamedTypes {
    pub(crate) named: Vec<NamedType>,
    by_id: HashMap<TypeId, usize>,
    by_row: HashMap<RecursiveId, usize>,
}

#[derive(Debug)]
pub(crate) struct NamedType {
    pub(crate) name: String,
    /// The type that the name refers to.
    pub(crate) body: TypeId,
}

impl NamedTypes {
    /// The name to write instead of a type, if it has one.
    pub(crate) fn name_of(&self, types: &Types, id: TypeId) -> Option<&NamedType> {
        self.index_of(types, id).and_then(|at| self.named.get(at))
    }

    fn index_of(&self, types: &Types, id: TypeId) -> Option<usize> {
        let row = match types.get(id) {
            Type::Recursive(row) => self.by_row.get(row),
            _ => None,
        };
        row.or_else(|| self.by_id.get(&id)).copied()
    }

    /// The named types that a type mentions directly.
    pub(crate) fn mentioned_by(&self, types: &Types, roots: &[TypeId]) -> Vec<&str> {
        let mut mentioned: Vec<usize> = Vec::new();
        let mut open: Vec<TypeId> = roots.to_vec();
        let mut seen: HashSet<TypeId> = HashSet::new();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.index_of(types, id) {
                Some(at) => mentioned.push(at),
                None => open.extend(children_of(types, id)),
            }
        }
        mentioned.sort_unstable();
        mentioned.dedup();
        mentioned.into_iter().filter_map(|at| Some(self.named.get(at)?.name.as_str())).collect()
    }
}

/// Chooses the named types for these roots. `taken` are names that are in use.
pub(crate) fn share(
    types: &Types,
    roots: &[(String, TypeId)],
    taken: &[String],
    cost: NameCost,
) -> NamedTypes {
    let mut counter = Counter { types, uses: HashMap::new(), order: Vec::new() };
    for (place, root) in roots {
        counter.visit(*root, place, Position::Root);
    }
    let Counter { uses, order, .. } = counter;
    let mut costs = Costs { types, known: HashMap::new() };
    let mut shared = NamedTypes::default();
    let mut names: HashSet<String> = taken.iter().cloned().collect();
    for id in order {
        let Some(used) = uses.get(&id) else { continue };
        let body = match types.get(id) {
            Type::Recursive(row) => match types.recursive(*row) {
                Some(body) => body,
                None => continue,
            },
            _ if used.times >= 2 && cost.is_worth_it(costs.of(id), used.times) => id,
            _ => continue,
        };
        let named = types.suggested_name(id).or_else(|| types.suggested_name(body));
        let wanted = named.or_else(|| limit_name(types, body));
        let name = free_name(wanted.unwrap_or(&used.place), &mut names);
        let at = shared.named.len();
        if let Type::Recursive(row) = types.get(id) {
            shared.by_row.insert(*row, at);
        } else {
            shared.by_id.insert(id, at);
        }
        shared.named.push(NamedType { name, body });
    }
    shared
}

/// A name derived from the limits of a type without a description: such types are used in many
/// places that have nothing else in common.
fn limit_name(types: &Types, id: TypeId) -> Option<&str> {
    let Type::Constrained(tags, inner) = types.get(id) else { return None };
    if let Some(format) = tags.iter().find(|tag| tag.name == "format") {
        return Some(&format.value);
    }
    match types.get(*inner) {
        Type::String => Some("Text"),
        Type::Integer => Some("Int"),
        Type::Number => Some("Range"),
        _ => None,
    }
}

fn free_name(wanted: &str, names: &mut HashSet<String>) -> String {
    let wanted = pascal_case(wanted);
    let name = std::iter::once(wanted.clone())
        .chain((2_u32..).map(|number| format!("{wanted}{number}")))
        .find(|name| !is_reserved(name) && !names.contains(name))
        .unwrap_or(wanted);
    names.insert(name.clone());
    name
}

fn children_of(types: &Types, id: TypeId) -> Vec<TypeId> {
    match types.get(id) {
        Type::Recursive(row) => types.recursive(*row).into_iter().collect(),
        other => children(other),
    }
}

/// Counts how often a type would be written if nothing had a name. The parts of a type are
/// counted once, however often it occurs.
struct Counter<'t> {
    types: &'t Types,
    uses: HashMap<TypeId, Used>,
    order: Vec<TypeId>,
}

struct Used {
    times: usize,
    /// The name of the field or tool that uses it first.
    place: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Root,
    Inside,
}

impl Counter<'_> {
    fn visit(&mut self, id: TypeId, place: &str, position: Position) {
        let ty = self.types.get(id);
        if position == Position::Inside && can_have_name(ty) {
            if let Some(used) = self.uses.get_mut(&id) {
                used.times += 1;
                return;
            }
            self.uses.insert(id, Used { times: 1, place: place.to_owned() });
            self.order.push(id);
        }
        match ty {
            Type::Object(object) => {
                for field in &object.fields {
                    self.visit(field.ty, &field.name, Position::Inside);
                }
                if let Some(rest) = object.rest {
                    self.visit(rest, place, Position::Inside);
                }
            }
            Type::Recursive(row) => {
                if let Some(body) = self.types.recursive(*row) {
                    self.visit(body, place, Position::Root);
                }
            }
            other => {
                for child in children(other) {
                    // The type inside a description or a limit may be the root itself.
                    let position = match other {
                        Type::Described(..) | Type::Constrained(..) => position,
                        _ => Position::Inside,
                    };
                    self.visit(child, place, position);
                }
            }
        }
    }
}

/// Primitive types and lists are written out; the item type of a list can have a name.
fn can_have_name(ty: &Type) -> bool {
    match ty {
        Type::Object(_)
        | Type::Tuple(_)
        | Type::Union(_)
        | Type::Intersection(_)
        | Type::Recursive(_)
        | Type::Constrained(..)
        | Type::Described(..) => true,
        Type::Unknown
        | Type::Never
        | Type::Null
        | Type::Boolean
        | Type::Integer
        | Type::Number
        | Type::String
        | Type::TextLiteral(_)
        | Type::Literal(_)
        | Type::List(_) => false,
    }
}

/// Approximate number of bytes of a type that is written out.
struct Costs<'t> {
    types: &'t Types,
    known: HashMap<TypeId, usize>,
}

impl Costs<'_> {
    fn of(&mut self, id: TypeId) -> usize {
        if let Some(cost) = self.known.get(&id) {
            return *cost;
        }
        let ty = self.types.get(id);
        let inner =
            children(ty).iter().map(|child| self.of(*child)).fold(0_usize, usize::saturating_add);
        let own = match ty {
            Type::TextLiteral(text) | Type::Literal(text) => text.len(),
            Type::Object(object) => {
                object.fields.iter().map(|field| field.name.len() + 4).sum::<usize>() + 4
            }
            Type::Union(members) | Type::Intersection(members) => members.len(),
            Type::Recursive(_) => 10,
            Type::Constrained(tags, _) => tag_bytes(tags),
            Type::Described(Description { text, tags }, _) => text.len() + tag_bytes(tags) + 8,
            _ => 6,
        };
        let cost = own.saturating_add(inner);
        self.known.insert(id, cost);
        cost
    }
}

fn tag_bytes(tags: &[Tag]) -> usize {
    tags.iter().map(|tag| tag.name.len() + tag.value.len() + 3).sum()
}
