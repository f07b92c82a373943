//! Determines what a call does, and how that is known.
//!
//! The only place that decides this; rules, profiles, risk, previews and forms all use it.
//! In: the tool's name, its annotations, the user's configuration, and the arguments if they
//! are known. Out: the effect and its source. The user's configuration wins, then the tool's
//! annotations, then a verb in its name. The name counts only if the tool claims nothing, so
//! it never weakens a claim. Arguments that a database or a shell executes (`executed.rs`)
//! only make it stricter: no annotation lowers what they say.
//! The consequences of an effect are up to the rules (`PolicyDefaults`) and the profile
//! (`EffectCeiling::allows`).

mod command_parts;
mod executed;
mod keywords;
mod names;

use serde_json::{Map, Value};
use tidegate_model::{Effect, EffectOverrides, EffectSource, Hints, ToolDef, ToolPattern, ToolRef};

use executed::Executor;
use names::names_destruction;

/// What a call does, and the source of that information.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallEffect {
    /// The effect.
    pub effect: Effect,
    /// How it is known.
    pub source: EffectSource,
    /// The statement or command in the arguments that destroys something, if any.
    pub destroys: Option<String>,
    /// Whether arguments that are not known yet can make it stricter: the tool executes text,
    /// and none was given.
    pub depends_on_arguments: bool,
}
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

/// What a call does. Without arguments, what calls of the tool do in general.
pub(crate) fn effect_of_call(
    id: &ToolRef,
    tool: &ToolDef,
    arguments: Option<&Map<String, Value>>,
    words: &EffectOverrides,
) -> CallEffect {
    let (effect, source) = effect_of(id, tool.annotations.as_ref(), words);
    let declared = CallEffect { effect, source, destroys: None, depends_on_arguments: false };
    // The user knows the tool, and may say that it only reads whatever it is sent.
    if source == EffectSource::User {
        return declared;
    }
    let nothing = Map::new();
    let executed = Executor::new(id, tool).executed(arguments.unwrap_or(&nothing));
    let declared = CallEffect { depends_on_arguments: executed.is_open, ..declared };
    let Some(found) = executed.effect else { return declared };
    let destroys = (found.effect == Effect::Destructive).then_some(found.word);
    if found.effect.is_stricter_than(effect) {
        let (effect, source) = (found.effect, EffectSource::Arguments);
        return CallEffect { effect, source, destroys, depends_on_arguments: false };
    }
    CallEffect { destroys, ..declared }
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

#[cfg(test)]
mod tests;
