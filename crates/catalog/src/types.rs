//! Types between JSON Schema and a programming language.
//!
//! In: types as `read_schema.rs` finds them. Out: the same types for the
//! renderers, interned: equal types have equal ids, whichever tool they
//! come from, so that a type shared by tools can be named once (`named_types.rs`).
//!
//! Recursion goes through a table: `Type::Recursive` refers to a row of it, so a walk
//! over ids always ends. A walk that follows rows must record which ones it has
//! visited.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Maximum nesting of types; anything deeper is `unknown`. Renderers recurse over
/// the nesting.
pub(crate) const MAX_HEIGHT: u16 = 120;

/// How many references are replaced by the rows they refer to, per row. Chosen: real schemas
/// need one or two.
const MAX_EXPANDED: u32 = 100;

/// Rows that are being expanded, and how many more can be.
struct Expansion {
    open: Vec<RecursiveId>,
    left: u32,
}

/// The id of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TypeId(u32);

/// A row in the table of recursive types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RecursiveId(u32);

/// One type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    /// Anything.
    Unknown,
    /// Nothing fits.
    Never,
    Null,
    Boolean,
    Integer,
    Number,
    String,
    /// Exactly this text, as JSON.
    TextLiteral(String),
    /// Exactly this number, `true` or `false`, as JSON.
    Literal(String),
    List(TypeId),
    Tuple(Tuple),
    Object(Object),
    Union(Vec<TypeId>),
    /// All of these at once; objects have been merged already.
    Intersection(Vec<TypeId>),
    Recursive(RecursiveId),
    /// A type with limits on its values: ranges, patterns, formats.
    Constrained(Vec<Tag>, TypeId),
    /// A type with a description.
    Described(Description, TypeId),
}

/// A list whose first items have types of their own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Tuple {
    pub(crate) items: Vec<TypeId>,
    /// How many of them are required.
    pub(crate) required: usize,
    /// The type of further items, if allowed.
    pub(crate) rest: Option<TypeId>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Object {
    pub(crate) fields: Vec<Field>,
    /// The type of further values, if the schema mentions any.
    pub(crate) rest: Option<TypeId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) presence: Presence,
    pub(crate) ty: TypeId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Presence {
    Required,
    Optional,
}

/// `@max 100`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Tag {
    pub(crate) name: &'static str,
    pub(crate) value: String,
}

/// The author's description of a type, and its default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Description {
    pub(crate) text: String,
    pub(crate) tags: Vec<Tag>,
}

/// All types of some tools.
#[derive(Debug, Default)]
pub(crate) struct Types {
    all: Vec<(Type, u16)>,
    ids: HashMap<Type, TypeId>,
    recursive: Vec<TypeId>,
    /// Recursive types by structural hash, so that two tools with the same tree share it.
    recursive_by_print: HashMap<u128, RecursiveId>,
    /// Names that authors gave to their types.
    names: HashMap<TypeId, String>,
    /// Cached intersections of pairs: types may share their parts, and the same pair would
    /// otherwise be computed again and again.
    pub(crate) pairs: HashMap<(TypeId, TypeId), TypeId>,
}

impl Types {
    /// The id of a type, `Unknown` if it nests too deep.
    pub(crate) fn id(&mut self, ty: Type) -> TypeId {
        let height = 1 + children(&ty).iter().map(|child| self.height(*child)).max().unwrap_or(0);
        let ty = if height > MAX_HEIGHT { Type::Unknown } else { ty };
        let height = if ty == Type::Unknown { 1 } else { height };
        if let Some(id) = self.ids.get(&ty) {
            return *id;
        }
        let id = TypeId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.all.push((ty.clone(), height));
        self.ids.insert(ty, id);
        id
    }

    pub(crate) fn get(&self, id: TypeId) -> &Type {
        self.all.get(id.0 as usize).map_or(&Type::Unknown, |(ty, _)| ty)
    }

    fn height(&self, id: TypeId) -> u16 {
        self.all.get(id.0 as usize).map_or(1, |(_, height)| *height)
    }

    /// Creates a row for a type that is still being read.
    pub(crate) fn begin_recursive(&mut self) -> RecursiveId {
        let row = RecursiveId(u32::try_from(self.recursive.len()).unwrap_or(u32::MAX));
        let unknown = self.id(Type::Unknown);
        self.recursive.push(unknown);
        row
    }

    /// Fills a row. Returns the id of the recursive type, which is an existing one if that has
    /// the same structure.
    pub(crate) fn end_recursive(&mut self, row: RecursiveId, body: TypeId) -> TypeId {
        let body = self.guarded(body, row);
        // Filled in any case: types inside the body refer to this row.
        if let Some(slot) = self.recursive.get_mut(row.0 as usize) {
            *slot = body;
        }
        if !self.mentions(body, |other| other == row) {
            return body;
        }
        let print = self.print(body, row, &mut HashMap::new());
        let row = *self.recursive_by_print.entry(print).or_insert(row);
        self.id(Type::Recursive(row))
    }

    /// The body of a row without references to the row itself at its surface: `A = A | string`
    /// means the same as `A = string`, and no language accepts it. Inside a field or an item a
    /// reference is fine.
    fn guarded(&mut self, body: TypeId, row: RecursiveId) -> TypeId {
        let surface = self.surface(body);
        if !surface.contains(&row) {
            return body;
        }
        let mut expansion = Expansion { open: vec![row], left: MAX_EXPANDED };
        self.expanded(body, &mut expansion).unwrap_or_else(|| self.id(Type::Unknown))
    }

    /// The rows that a type refers to at its surface, directly or through others.
    fn surface(&self, id: TypeId) -> HashSet<RecursiveId> {
        let mut rows = HashSet::new();
        let mut open = vec![id];
        let mut seen = HashSet::new();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.get(id) {
                Type::Recursive(row) => {
                    rows.insert(*row);
                    open.extend(self.recursive(*row));
                }
                Type::Union(members) | Type::Intersection(members) => open.extend(members),
                Type::Described(_, inner) | Type::Constrained(_, inner) => open.push(*inner),
                _ => {}
            }
        }
        rows
    }

    /// A type with the rows at its surface expanded, and without those that are being
    /// expanded. `None` if nothing is left.
    fn expanded(&mut self, id: TypeId, expansion: &mut Expansion) -> Option<TypeId> {
        match self.get(id).clone() {
            Type::Recursive(row) if expansion.open.contains(&row) => None,
            Type::Recursive(row) => {
                let body = self.recursive(row)?;
                let surface = self.surface(body);
                if !expansion.open.iter().any(|other| surface.contains(other)) {
                    return Some(id);
                }
                // Rows that refer to each other repeatedly could be expanded without end.
                let Some(left) = expansion.left.checked_sub(1) else {
                    return Some(self.id(Type::Unknown));
                };
                expansion.left = left;
                expansion.open.push(row);
                let expanded = self.expanded(body, expansion);
                expansion.open.pop();
                expanded
            }
            Type::Union(members) => {
                let members: Vec<TypeId> =
                    members.iter().filter_map(|member| self.expanded(*member, expansion)).collect();
                (!members.is_empty()).then(|| self.union(members))
            }
            Type::Intersection(members) => {
                let members: Vec<TypeId> =
                    members.iter().filter_map(|member| self.expanded(*member, expansion)).collect();
                (!members.is_empty()).then(|| self.intersection(members))
            }
            Type::Described(said, inner) => {
                let inner = self.expanded(inner, expansion)?;
                Some(self.id(Type::Described(said, inner)))
            }
            Type::Constrained(tags, inner) => {
                let inner = self.expanded(inner, expansion)?;
                Some(self.id(Type::Constrained(tags, inner)))
            }
            _ => Some(id),
        }
    }

    /// Whether a type refers to any row, at any depth.
    pub(crate) fn mentions_rows(&self, id: TypeId) -> bool {
        self.mentions(id, |_| true)
    }

    /// Whether a type refers to such a row, at any depth, without looking into rows.
    fn mentions(&self, id: TypeId, wanted: impl Fn(RecursiveId) -> bool) -> bool {
        let mut open = vec![id];
        let mut seen = HashSet::new();
        while let Some(id) = open.pop() {
            match self.get(id) {
                Type::Recursive(row) if wanted(*row) => return true,
                other if seen.insert(id) => open.extend(children(other)),
                _ => {}
            }
        }
        false
    }

    /// The type that a row refers to.
    pub(crate) fn recursive(&self, row: RecursiveId) -> Option<TypeId> {
        self.recursive.get(row.0 as usize).copied()
    }

    /// Records an author's name for a type; the first name stays.
    pub(crate) fn suggest_name(&mut self, id: TypeId, name: &str) {
        let bare = self.bare(id);
        self.names.entry(bare).or_insert_with(|| name.to_owned());
    }

    /// The author's name for a type.
    pub(crate) fn suggested_name(&self, id: TypeId) -> Option<&str> {
        self.names.get(&self.bare(id)).map(String::as_str)
    }

    /// A type without its description and constraints.
    pub(crate) fn bare(&self, mut id: TypeId) -> TypeId {
        while let Type::Described(_, inner) | Type::Constrained(_, inner) = self.get(id) {
            id = *inner;
        }
        id
    }

    /// A structural hash, with references to `row` as "itself". Two hashes of 64 bits: with a
    /// hundred thousand types a collision by chance is out of the question, and a forged one would
    /// only confuse the tools of the server that made it.
    fn print(&self, id: TypeId, row: RecursiveId, known: &mut HashMap<TypeId, u128>) -> u128 {
        if let Some(print) = known.get(&id) {
            return *print;
        }
        let ty = self.get(id);
        let mut halves = [(1_u8, DefaultHasher::new()), (2, DefaultHasher::new())];
        let inner: Vec<u128> =
            children(ty).iter().map(|child| self.print(*child, row, known)).collect();
        for (salt, hasher) in &mut halves {
            salt.hash(hasher);
            match ty {
                Type::Recursive(other) if *other == row => "itself".hash(hasher),
                other => without_children(other).hash(hasher),
            }
            inner.hash(hasher);
        }
        let [(_, low), (_, high)] = halves;
        let print = u128::from(low.finish()) | (u128::from(high.finish()) << 64);
        known.insert(id, print);
        print
    }
}

/// The direct parts of a type, except for recursive ones.
pub(crate) fn children(ty: &Type) -> Vec<TypeId> {
    match ty {
        Type::Unknown
        | Type::Never
        | Type::Null
        | Type::Boolean
        | Type::Integer
        | Type::Number
        | Type::String
        | Type::TextLiteral(_)
        | Type::Literal(_)
        | Type::Recursive(_) => Vec::new(),
        Type::List(item) | Type::Constrained(_, item) | Type::Described(_, item) => vec![*item],
        Type::Tuple(tuple) => tuple.items.iter().copied().chain(tuple.rest).collect(),
        Type::Object(object) => {
            object.fields.iter().map(|field| field.ty).chain(object.rest).collect()
        }
        Type::Union(members) | Type::Intersection(members) => members.clone(),
    }
}

/// The type with all inner types removed, for comparing the rest.
fn without_children(ty: &Type) -> Type {
    let none = TypeId(0);
    match ty {
        Type::List(_) => Type::List(none),
        Type::Constrained(tags, _) => Type::Constrained(tags.clone(), none),
        Type::Described(text, _) => Type::Described(text.clone(), none),
        Type::Tuple(tuple) => Type::Tuple(Tuple {
            items: vec![none; tuple.items.len()],
            required: tuple.required,
            rest: tuple.rest.map(|_| none),
        }),
        Type::Object(object) => Type::Object(Object {
            fields: object.fields.iter().map(|field| Field { ty: none, ..field.clone() }).collect(),
            rest: object.rest.map(|_| none),
        }),
        Type::Union(members) => Type::Union(vec![none; members.len()]),
        Type::Intersection(members) => Type::Intersection(vec![none; members.len()]),
        other => other.clone(),
    }
}
