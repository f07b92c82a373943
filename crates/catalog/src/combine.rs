//! Combines types: unions and intersections.

use std::collections::{HashMap, HashSet};

use crate::types::{Field, Object, Presence, Type, TypeId, Types};

/// Limit on the total number of fields when a common part is merged into each alternative.
/// Beyond it they stay separate.
const MAX_DISTRIBUTED_FIELDS: usize = 2000;

impl Types {
    /// One of several types: nested unions are flattened, duplicates removed.
    pub(crate) fn union(&mut self, members: Vec<TypeId>) -> TypeId {
        let mut flat: Vec<TypeId> = Vec::new();
        let mut seen: HashSet<TypeId> = HashSet::new();
        for member in members {
            match self.get(member) {
                Type::Unknown => return member,
                Type::Never => {}
                Type::Union(inner) => {
                    flat.extend(inner.iter().copied().filter(|id| seen.insert(*id)));
                }
                _ if seen.insert(member) => flat.push(member),
                _ => {}
            }
        }
        // An integer is a number.
        let number = self.id(Type::Number);
        if flat.contains(&number) {
            let integer = self.id(Type::Integer);
            flat.retain(|id| *id != integer);
        }
        let null = self.id(Type::Null);
        match flat.as_slice() {
            [] => self.id(Type::Never),
            [only] => *only,
            [one, other] if *other == null || *one == null => {
                self.or_null(if *one == null { *other } else { *one })
            }
            _ => self.id(Type::Union(flat)),
        }
    }

    /// "This or null": a description of "this" describes the whole.
    fn or_null(&mut self, ty: TypeId) -> TypeId {
        match self.get(ty).clone() {
            Type::Described(said, inner) => {
                let inner = self.or_null(inner);
                self.id(Type::Described(said, inner))
            }
            Type::Union(mut members) => {
                let null = self.id(Type::Null);
                if !members.contains(&null) {
                    members.push(null);
                }
                self.id(Type::Union(members))
            }
            // Limits stay inside, where a type without null can share them.
            _ => {
                let null = self.id(Type::Null);
                self.id(Type::Union(vec![ty, null]))
            }
        }
    }

    /// All of several types at once. Objects are merged into one; a common part is merged into
    /// each member of a union.
    pub(crate) fn intersection(&mut self, parts: Vec<TypeId>) -> TypeId {
        if let Some(objects) = self.objects(&parts) {
            return self.merge_objects(objects);
        }
        let mut parts = parts.into_iter();
        let Some(first) = parts.next() else { return self.id(Type::Unknown) };
        parts.fold(first, |before, part| self.intersect(before, part))
    }

    /// The parts, if there are at least two and all are objects.
    fn objects(&self, parts: &[TypeId]) -> Option<Vec<Object>> {
        let object = |id: &TypeId| match self.get(self.bare(*id)) {
            Type::Object(object) => Some(object.clone()),
            _ => None,
        };
        (parts.len() > 1).then(|| parts.iter().map(object).collect())?
    }

    fn intersect(&mut self, a: TypeId, b: TypeId) -> TypeId {
        if let Some(known) = self.pairs.get(&(a, b)) {
            return *known;
        }
        let intersect = self.intersect_uncached(a, b);
        self.pairs.insert((a, b), intersect);
        intersect
    }

    fn intersect_uncached(&mut self, a: TypeId, b: TypeId) -> TypeId {
        if a == b {
            return a;
        }
        let (bare_a, bare_b) = (self.bare(a), self.bare(b));
        match (self.get(bare_a).clone(), self.get(bare_b).clone()) {
            (Type::Unknown, _) => b,
            (_, Type::Unknown) => a,
            (Type::Object(one), Type::Object(two)) => self.merge_objects(vec![one, two]),
            (Type::Union(members), Type::Object(common))
                if members.len() * common.fields.len() <= MAX_DISTRIBUTED_FIELDS =>
            {
                self.distribute(&members, b)
            }
            (Type::Object(common), Type::Union(members))
                if members.len() * common.fields.len() <= MAX_DISTRIBUTED_FIELDS =>
            {
                self.distribute(&members, a)
            }
            // `type: string` beside an enum or a constrained string.
            (Type::String, Type::TextLiteral(_)) | (Type::Number, Type::Integer) => b,
            (Type::TextLiteral(_), Type::String) | (Type::Integer, Type::Number) => a,
            _ if bare_a == bare_b => a,
            (one, two) => {
                let members = |ty: Type, id: TypeId| match ty {
                    Type::Intersection(members) => members,
                    _ => vec![id],
                };
                let mut all = members(one, a);
                for id in members(two, b) {
                    if !all.contains(&id) {
                        all.push(id);
                    }
                }
                self.id(Type::Intersection(all))
            }
        }
    }

    /// Each member of a union together with a common object.
    fn distribute(&mut self, members: &[TypeId], common: TypeId) -> TypeId {
        let null = self.id(Type::Null);
        let members: Vec<TypeId> = members.iter().copied().filter(|id| *id != null).collect();
        let merge_objects = members.iter().map(|member| self.intersect(common, *member)).collect();
        self.union(merge_objects)
    }

    fn merge_objects(&mut self, objects: Vec<Object>) -> TypeId {
        let unknown = self.id(Type::Unknown);
        let mut fields: Vec<Field> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut rest: Option<TypeId> = None;
        for object in objects {
            for field in object.fields {
                let Some(at) = places.get(&field.name).copied() else {
                    places.insert(field.name.clone(), fields.len());
                    fields.push(field);
                    continue;
                };
                fields[at].ty = self.intersect(fields[at].ty, field.ty);
                if field.presence == Presence::Required {
                    fields[at].presence = Presence::Required;
                }
            }
            rest = match (rest, object.rest) {
                (Some(a), Some(b)) => Some(self.intersect(a, b)),
                (one, other) => one.or(other),
            };
        }
        // An object without properties that allows anything adds nothing here.
        let rest = rest.filter(|rest| *rest != unknown || fields.is_empty());
        self.id(Type::Object(Object { fields, rest }))
    }
}
