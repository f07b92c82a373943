//! Decides whether a key of an object may be the name of a person.
//!
//! In: a key such as `user_id`, `kowalczyk` or `annLee`. Out: whether one of its words is a name
//! in the dictionary and no ordinary word. Pure.

use crate::dictionary::{
    CALENDAR, COMMON, GIVEN, PLACE, STRONG_GIVEN, STRONG_SURNAME, SURNAME, VERY_COMMON, lookup_word,
};

/// Shorter words are abbreviations more often than names.
const SHORTEST: usize = 4;

/// Shorter words that are rare names are technical words more often, such as `repo`.
const SHORTEST_RARE: usize = 8;

/// Whether a key may be the name of a person.
pub fn may_name_a_person(key: &str) -> bool {
    words(key).any(|word| {
        let flags = lookup_word(word);
        let is_known = flags & (STRONG_GIVEN | STRONG_SURNAME) != 0;
        let is_rare = flags & (GIVEN | SURNAME) != 0 && word.len() >= SHORTEST_RARE;
        // `Marks` is a surname, and `marks` are several.
        let singular = word.strip_suffix('s').map_or(0, lookup_word);
        let is_ordinary = (flags | singular) & (COMMON | VERY_COMMON | PLACE | CALENDAR) != 0;
        word.len() >= SHORTEST && (is_known || is_rare) && !is_ordinary
    })
}

/// The words of a key in snake case, kebab case or camel case.
fn words(key: &str) -> impl Iterator<Item = &str> {
    key.split(|char: char| !char.is_alphabetic()).flat_map(|part| {
        let starts = part.char_indices().filter(|(_, char)| char.is_uppercase());
        let mut edges: Vec<usize> = starts.map(|(at, _)| at).collect();
        // `ID` and `SMITH` are one word.
        if edges.len() == part.chars().count() {
            edges.clear();
        }
        edges.insert(0, 0);
        edges.push(part.len());
        edges.dedup();
        let pieces: Vec<&str> =
            edges.windows(2).filter_map(|pair| part.get(pair[0]..pair[1])).collect();
        pieces
    })
}

#[cfg(test)]
mod tests {
    use super::may_name_a_person;

    #[test]
    fn names_are_told_from_fields() {
        for name in ["kowalczyk", "Kowalczyk", "annLeeKowalczyk", "zofia_nowak", "SCHNEIDER-2"] {
            assert!(may_name_a_person(name), "{name}");
        }
        let fields = "id name title status created_at updatedAt ID url repo_url user_id email phone \
            total count items labels number assignee description content type path size page next \
            cursor error message code state priority owner project due date value key score rank \
            latitude temperature language country city company price currency amount marks grants";
        for field in fields.split_whitespace() {
            assert!(!may_name_a_person(field), "{field}");
        }
    }
}
