//! Effects by configuration, annotation and name; rules and profiles agree on them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use tidegate_model::{
    Effect, EffectOverrides, EffectSource, Hints, RiskLevel, ToolDef, ToolPattern, ToolRef,
};

use super::effect_of;
use crate::decide::Policy;
use crate::explanation::ExplainRequest;
use crate::rules::RulingReason;

fn effect(name: &str, hints: Option<Hints>, words: &EffectOverrides) -> (Effect, EffectSource) {
    let tool = ToolRef::new("files", name);
    match hints {
        Some(hints) => effect_of(&tool, Some(&hints), words),
        None => effect_of(&tool, None, words),
    }
}

#[test]
fn a_claim_is_read_as_mcp_defines_it() {
    let claim = |read_only_hint, destructive_hint| {
        let hints = Hints { read_only_hint, destructive_hint, ..Hints::default() };
        effect("touch", Some(hints), &EffectOverrides::default())
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
    let words = EffectOverrides::default();
    for name in [
        "delete_file",
        "deleteFile",
        "bulk-remove",
        "DBDrop",
        "force_push",
        "x2Wipe",
        "RESET",
        "delete2",
        "2dropAll",
    ] {
        let destroys = (Effect::Destructive, EffectSource::Name);
        assert_eq!(effect(name, None, &words), destroys, "{name}");
        // A title is not a claim about the effect.
        assert_eq!(effect(name, Some(Hints::default()), &words), destroys, "{name}");
    }
    for name in ["undelete", "dropdown", "list_deleted", "get_reset_count", "reinforce", "", "_"] {
        assert_eq!(effect(name, None, &words), (Effect::Unknown, EffectSource::Nothing));
    }
    let hints = Hints { read_only_hint: Some(true), ..Hints::default() };
    let claimed = (Effect::ReadOnly, EffectSource::Claim);
    assert_eq!(effect("delete_file", Some(hints), &words), claimed);
}

#[test]
fn the_users_word_comes_first_and_the_strictest_of_them_wins() {
    let all = || ToolPattern::parse("files__*").into_iter().collect::<Vec<_>>();
    let hints = Hints { read_only_hint: Some(true), ..Hints::default() };
    let strict =
        EffectOverrides { destructive: all(), read_only: all(), ..EffectOverrides::default() };
    let word = effect("read", Some(hints.clone()), &strict);
    assert_eq!(word, (Effect::Destructive, EffectSource::User));
    let mild = EffectOverrides { read_only: all(), ..EffectOverrides::default() };
    assert_eq!(effect("delete", None, &mild), (Effect::ReadOnly, EffectSource::User));
    // Overrides for another server do not apply.
    let other = effect_of(&ToolRef::new("other", "read"), Some(&hints), &strict);
    assert_eq!(other, (Effect::ReadOnly, EffectSource::Claim));
}

/// Every tool of the published servers in `testing/catalog`, with its server.
fn published_tools() -> Vec<(ToolRef, Arc<ToolDef>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testing/catalog");
    let mut tools = Vec::new();
    for file in fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        if file.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let mut catalog: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let server = file.file_stem().unwrap().to_str().unwrap();
        for tool in catalog["tools"].as_array_mut().unwrap() {
            let tool: ToolDef = serde_json::from_value(tool.take()).unwrap();
            tools.push((ToolRef::new(server, &*tool.name), Arc::new(tool)));
        }
    }
    tools
}

#[test]
fn rules_and_profiles_agree_on_every_published_tool_with_annotations() {
    let tools = published_tools();
    let policy = Policy::for_configured_servers(tools.iter().map(|(id, _)| &*id.server));
    let mut table = BTreeSet::new();
    for (id, tool) in &tools {
        let Some(hints) = &tool.annotations else { continue };
        let explained = |profile| {
            policy.explain(&ExplainRequest {
                permissions: &policy.permissions(Some(profile)).unwrap(),
                id,
                tool,
                change: None,
                arguments: None,
                level: RiskLevel::Low,
            })
        };
        let RulingReason::Effect(ruled) = explained("default").ruling.why else { panic!("{id}") };
        let profiles = ["read_only", "write_restricted", "default"];
        let narrowest = profiles.into_iter().find(|name| explained(name).refused.is_none());
        table.insert(format!(
            "{:?} {:?}: {ruled}, {}",
            hints.read_only_hint,
            hints.destructive_hint,
            narrowest.unwrap()
        ));
    }
    // `readOnlyHint` `destructiveHint`: effect for the rules, narrowest profile.
    let expected = [
        "None None: destructive, default",
        "None None: unknown, default",
        "None Some(false): additive, write_restricted",
        "None Some(true): destructive, default",
        "Some(false) None: destructive, default",
        "Some(false) Some(false): additive, write_restricted",
        "Some(false) Some(true): destructive, default",
        "Some(true) None: read_only, read_only",
        "Some(true) Some(false): read_only, read_only",
    ];
    assert_eq!(table, expected.map(str::to_owned).into());
}
