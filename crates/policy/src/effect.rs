//! What a tool does, and from what that is known.
//!
//! The user's word counts first, then the tool's own claim, then a verb in its name. A
//! name is looked at only where nothing is claimed, so it never makes a claim milder.

use tidegate_model::{Effect, EffectSource, Hints, ToolDef, ToolPattern, ToolRef, ToolWords};

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

/// What a tool does: by the user's word, of which the sternest counts; else by its own
/// claim, as MCP defines it; else by its name; else nobody knows.
pub fn effect_of(id: &ToolRef, tool: &ToolDef, words: &ToolWords) -> (Effect, EffectSource) {
    let said = |patterns: &[ToolPattern]| patterns.iter().any(|pattern| pattern.matches(id));
    let by_user = [
        (&words.destructive, Effect::Destructive),
        (&words.additive, Effect::Additive),
        (&words.read_only, Effect::ReadOnly),
    ];
    if let Some((_, effect)) = by_user.into_iter().find(|(patterns, _)| said(patterns)) {
        return (effect, EffectSource::User);
    }
    if let Some(effect) = tool.annotations.as_ref().and_then(claimed) {
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
        // Both cannot be true; then the sterner is believed.
        (_, Some(true)) => Some(Effect::Destructive),
        (Some(true), _) => Some(Effect::ReadOnly),
        (_, Some(false)) => Some(Effect::Additive),
        // MCP: a tool that modifies and does not say more may destroy.
        (Some(false), None) => Some(Effect::Destructive),
    }
}

fn names_destruction(name: &str) -> bool {
    let words = words_of(name);
    let reads = words.first().is_some_and(|first| READING.contains(&first.as_str()));
    !reads && words.iter().any(|word| DESTROYING.contains(&word.as_str()))
}

/// The words of `deleteAll_rows`, `delete-all-rows`, `HTTPDelete`, in lower case.
fn words_of(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (index, &c) in characters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| characters.get(index));
        let after = characters.get(index + 1);
        let hump = c.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || (before.is_uppercase() && after.is_some_and(|after| after.is_lowercase()))
            });
        if hump || !c.is_alphabetic() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphabetic()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tidegate_model::{Effect, EffectSource, Hints, ToolDef, ToolPattern, ToolRef, ToolWords};

    use super::effect_of;

    fn effect(name: &str, hints: Option<Hints>, words: &ToolWords) -> (Effect, EffectSource) {
        let tool = ToolDef {
            name: name.into(),
            title: None,
            description: None,
            input_schema: json!({}),
            output_schema: None,
            annotations: hints,
        };
        effect_of(&ToolRef::new("files", name), &tool, words)
    }

    #[test]
    fn a_claim_is_read_as_mcp_defines_it() {
        let claim = |read_only_hint, destructive_hint| {
            let hints = Hints { read_only_hint, destructive_hint, ..Hints::default() };
            effect("touch", Some(hints), &ToolWords::default())
        };
        let (yes, no) = (Some(true), Some(false));
        let claims = |effect| (effect, EffectSource::Claim);
        for (read_only, destructive, expected) in [
            (yes, None, claims(Effect::ReadOnly)),
            (yes, no, claims(Effect::ReadOnly)),
            (yes, yes, claims(Effect::Destructive)),
            (no, None, claims(Effect::Destructive)),
            (no, yes, claims(Effect::Destructive)),
            (no, no, claims(Effect::Additive)),
            (None, no, claims(Effect::Additive)),
            (None, yes, claims(Effect::Destructive)),
            (None, None, (Effect::Unknown, EffectSource::Nothing)),
        ] {
            assert_eq!(claim(read_only, destructive), expected, "{read_only:?} {destructive:?}");
        }
    }

    #[test]
    fn a_verb_in_a_name_counts_where_nothing_is_claimed() {
        let words = ToolWords::default();
        for name in
            ["delete_file", "deleteFile", "bulk-remove", "DBDrop", "force_push", "x2Wipe", "RESET"]
        {
            let destroys = (Effect::Destructive, EffectSource::Name);
            assert_eq!(effect(name, None, &words), destroys, "{name}");
            // A title is no claim about what it does.
            assert_eq!(effect(name, Some(Hints::default()), &words), destroys, "{name}");
        }
        for name in
            ["undelete", "dropdown", "list_deleted", "get_reset_count", "reinforce", "", "_"]
        {
            assert_eq!(effect(name, None, &words), (Effect::Unknown, EffectSource::Nothing));
        }
        let hints = Hints { read_only_hint: Some(true), ..Hints::default() };
        let claimed = (Effect::ReadOnly, EffectSource::Claim);
        assert_eq!(effect("delete_file", Some(hints), &words), claimed);
    }

    #[test]
    fn the_users_word_counts_first_and_the_sternest_of_them() {
        let all = || ToolPattern::parse("files__*").into_iter().collect::<Vec<_>>();
        let hints = Hints { read_only_hint: Some(true), ..Hints::default() };
        let stern = ToolWords { destructive: all(), read_only: all(), ..ToolWords::default() };
        let word = effect("read", Some(hints), &stern);
        assert_eq!(word, (Effect::Destructive, EffectSource::User));
        let mild = ToolWords { read_only: all(), ..ToolWords::default() };
        assert_eq!(effect("delete", None, &mild), (Effect::ReadOnly, EffectSource::User));
    }
}
