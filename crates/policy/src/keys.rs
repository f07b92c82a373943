//! Keys that are missing or not known, with the nearest ones.

use serde_json::Value;
use tidegate_model::{did_you_mean, nearest};

use crate::keywords::{MOST_COMPARED, Words, described, type_name};
use crate::place::Place;
use crate::words::{cut, listed};

/// Unknown keys that are named.
const MOST_NAMED: usize = 3;

/// A key that must be there.
pub(crate) fn missing(place: Place<'_>, key: &str, given: &Value) -> Words {
    let wanted = place.property(key);
    let kind = wanted.and_then(|wanted| Some(format!(" ({})", type_name(wanted)?)));
    let problem = format!("needs `{}`{}", cut(key, 100), kind.unwrap_or_default());
    // A key that is there but unknown to the schema is probably the misspelt one.
    let known = place.keys();
    let strangers = given.as_object().into_iter().flat_map(|object| object.keys());
    let strangers: Vec<&str> =
        strangers.map(String::as_str).filter(|key| !known.contains(key)).collect();
    let slip = nearest(key, comparable(&strangers));
    let hint = match (slip.first(), strangers.first()) {
        (Some(slip), _) => Some(format!("write `{key}` instead of `{slip}`")),
        (None, Some(stranger)) if !known.is_empty() => {
            let stranger = format!("`{}` is not known here", cut(stranger, 60));
            Some(takes(place).map_or(stranger.clone(), |takes| format!("{stranger}, {takes}")))
        }
        (None, _) => wanted.and_then(described),
    };
    (problem, hint)
}

/// Keys that the schema does not have; nothing for those that are told as the
/// slip of a missing one.
pub(crate) fn strangers(place: Place<'_>, unexpected: &[String], given: &Value) -> Option<Words> {
    let required = place.get("required").and_then(Value::as_array).into_iter().flatten();
    let missing: Vec<&str> =
        required.filter_map(Value::as_str).filter(|key| given.get(key).is_none()).collect();
    let mut unexpected: Vec<&str> = unexpected.iter().map(String::as_str).collect();
    let slip = |key: &&str| nearest(key, comparable(&unexpected)).first().copied();
    let slips: Vec<&str> = missing.iter().filter_map(slip).collect();
    unexpected.retain(|key| !slips.contains(key));
    let known = place.keys();
    let hint = comparable(&unexpected).find_map(|key| did_you_mean(key, known.iter().copied()));
    let names: Vec<String> =
        unexpected.iter().take(MOST_NAMED).map(|key| format!("`{}`", cut(key, 60))).collect();
    (!names.is_empty())
        .then(|| (format!("has no {}", names.join(", no ")), hint.or_else(|| takes(place))))
}

/// The keys that are known at a place.
pub(crate) fn takes(place: Place<'_>) -> Option<String> {
    let keys = place.keys();
    (!keys.is_empty()).then(|| format!("it takes {}", listed(keys.iter())))
}

/// The first keys of a length that a slip can have: a program can make as many,
/// and as long ones, as it likes.
fn comparable<'k>(keys: &[&'k str]) -> impl Iterator<Item = &'k str> {
    keys.iter().copied().filter(|key| key.len() <= MOST_COMPARED).take(MOST_COMPARED)
}
