//! Determines what a tool does, and how that is known.
//!
//! The only place that decides this; rules, profiles, risk and previews all use it.
//! In: the tool's name, its annotations and the user's configuration. Out: the effect and
//! its source. The user's configuration wins, then the tool's annotations, then a verb in
//! its name. The name counts only if the tool claims nothing, so it never weakens a claim.
//! The consequences of an effect are up to the rules (`PolicyDefaults`) and the profile
//! (`EffectCeiling::allows`).

use heck::ToSnakeCase;
use tidegate_model::{Effect, EffectOverrides, EffectSource, Hints, ToolPattern, ToolRef};

/// Verbs that destroy.
const DESTROYING: &[&str] = &[
    "clear",
    "delete",
    "destroy",
    "drop",
    "erase",
    "force",
    "kill",
    "nuke",
    "obliterate",
    "overwrite",
    "prune",
    "purge",
    "remove",
    "reset",
    "revoke",
    "rm",
    "rmdir",
    "shred",
    "terminate",
    "truncate",
    "uninstall",
    "unlink",
    "wipe",
];

/// First words of names that only read: `get_reset_count` destroys nothing.
const READING: &[&str] = &[
    "check", "count", "describe", "explain", "fetch", "find", "get", "inspect", "list", "lookup",
    "preview", "query", "read", "search", "show", "view",
];

/// What a tool does: as configured by the user (the strictest entry wins), else as its
/// annotations claim in the terms of MCP, else by its name, else unknown.
pub(crate) fn effect_of(
    id: &ToolRef,
    claims: Option<&Hints>,
    words: &EffectOverrides,
) -> (Effect, EffectSource) {
    let listed = |patterns: &[ToolPattern]| patterns.iter().any(|pattern| pattern.matches(id));
    let by_user = [
        (&words.destructive, Effect::Destructive),
        (&words.additive, Effect::Additive),
        (&words.read_only, Effect::ReadOnly),
    ];
    if let Some((_, effect)) = by_user.into_iter().find(|(patterns, _)| listed(patterns)) {
        return (effect, EffectSource::User);
    }
    if let Some(effect) = claims.and_then(claimed) {
        return (effect, EffectSource::Claim);
    }
    if names_destruction(&id.tool) {
        return (Effect::Destructive, EffectSource::Name);
    }
    (Effect::Unknown, EffectSource::Nothing)
}

fn claimed(hints: &Hints) -> Option<Effect> {
    match (hints.read_only_hint, hints.destructive_hint) {
        (None, None) => None,
        // The two contradict each other: the stricter one wins.
        (_, Some(true)) => Some(Effect::Destructive),
        (Some(true), _) => Some(Effect::ReadOnly),
        (_, Some(false)) => Some(Effect::Additive),
        // MCP: a tool that is not read-only may be destructive unless it says otherwise.
        (Some(false), None) => Some(Effect::Destructive),
    }
}

fn names_destruction(name: &str) -> bool {
    let words = words_of(name);
    let reads = words.first().is_some_and(|first| READING.contains(&first.as_str()));
    !reads && words.iter().any(|word| DESTROYING.contains(&word.as_str()))
}

/// The words of `deleteAll_rows`, `delete-all-rows` or `HTTPDelete`, in lower case. Digits
/// separate words as well: `delete2` contains `delete`.
fn words_of(name: &str) -> Vec<String> {
    let letters = name.split(|c: char| !c.is_alphabetic()).map(ToSnakeCase::to_snake_case);
    let words = letters.flat_map(|part| part.split('_').map(str::to_owned).collect::<Vec<_>>());
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests;
