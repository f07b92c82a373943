//! Tests what each part of a profile allows and refuses, and two profiles combined.

use std::collections::BTreeSet;
use std::sync::Arc;

use tidegate_model::{
    CommandAccess, Effect, EffectCeiling, EffectOverrides, Hints, LimitCeilings, LimitName, Limits,
    NetworkAccess, Profile, Scope, ToolPattern, ToolRef,
};

use super::{Permissions, ProfileRefusal, ProfileRule};
use crate::effect::effect_of;

/// The effect of a tool with these annotations.
fn claiming(read_only_hint: Option<bool>, destructive_hint: Option<bool>) -> Effect {
    let hints = Hints { read_only_hint, destructive_hint, ..Hints::default() };
    effect_of(&ToolRef::new("s", "t"), Some(&hints), &EffectOverrides::default()).0
}

fn built_in(name: &str) -> Profile {
    Profile::built_in().into_iter().find(|profile| profile.name == name).unwrap()
}

fn of(profiles: impl IntoIterator<Item = Profile>) -> Permissions {
    Permissions { profiles: profiles.into_iter().map(Arc::new).collect() }
}

fn pattern(text: &str) -> ToolPattern {
    ToolPattern::parse(text).unwrap()
}

fn refusal(profile: &str, rule: ProfileRule) -> Result<(), ProfileRefusal> {
    Err(ProfileRefusal { profile: profile.into(), rule })
}

#[test]
fn annotations_decide_between_the_built_in_profiles() {
    let id = ToolRef::new("s", "t");
    let silent = effect_of(&id, None, &EffectOverrides::default()).0;
    for (effect, least) in [
        (claiming(Some(true), None), EffectCeiling::ReadOnly),
        (claiming(Some(false), Some(false)), EffectCeiling::Additive),
        (claiming(None, Some(false)), EffectCeiling::Additive),
        (claiming(Some(false), None), EffectCeiling::All),
        (claiming(None, Some(true)), EffectCeiling::All),
        (claiming(Some(true), Some(true)), EffectCeiling::All),
        (silent, EffectCeiling::All),
    ] {
        for (name, most) in [
            ("read_only", EffectCeiling::ReadOnly),
            ("write_restricted", EffectCeiling::Additive),
            ("default", EffectCeiling::All),
        ] {
            let expected =
                if least <= most { Ok(()) } else { refusal(name, ProfileRule::Effects(most)) };
            assert_eq!(of([built_in(name)]).may_call(&id, effect), expected, "{name} {effect:?}");
        }
    }
}

#[test]
fn all_profiles_but_read_only_can_save_skills() {
    for name in ["write_restricted", "default", "execute_full"] {
        assert_eq!(of([built_in(name)]).may_write(Scope::Skills), Ok(()), "{name}");
    }
    let refused = refusal("read_only", ProfileRule::Write);
    assert_eq!(of([built_in("read_only")]).may_write(Scope::Skills), refused);
    // In either order.
    for both in [["read_only", "default"], ["execute_full", "read_only"]] {
        assert_eq!(of(both.map(built_in)).may_write(Scope::Skills), refused);
    }
    assert_eq!(of([built_in("execute_full")]).may_write(Scope::Servers), {
        refusal("execute_full", ProfileRule::Write)
    });
    let nobody = Permissions { profiles: Vec::new() };
    assert!(nobody.may_write(Scope::Skills).is_err());
}

#[test]
fn lists_narrow_and_a_denied_tool_stays_denied() {
    let mine = Profile {
        name: "mine".into(),
        allow: Some(vec![pattern("s__*")]),
        deny: vec![pattern("s__drop")],
        ..built_in("execute_full")
    };
    let may = |server: &str, name: &str| {
        of([mine.clone()]).may_call(&ToolRef::new(server, name), Effect::Unknown)
    };
    assert_eq!(may("s", "t"), Ok(()));
    assert_eq!(may("s", "drop"), refusal("mine", ProfileRule::Deny(pattern("s__drop"))));
    assert_eq!(may("other", "t"), refusal("mine", ProfileRule::Allow));
}

#[test]
fn a_run_may_do_what_both_of_its_profiles_allow() {
    let no_network = Profile {
        name: "offline".into(),
        network: NetworkAccess::None,
        limits: LimitCeilings([(LimitName::ToolCalls, 7)].into()),
        ..built_in("execute_full")
    };
    let no_commands = Profile {
        name: "quiet".into(),
        commands: CommandAccess::Only(BTreeSet::from(["sort".into()])),
        read: BTreeSet::new(),
        limits: LimitCeilings([(LimitName::ToolCalls, 9)].into()),
        ..built_in("execute_full")
    };
    for both in [of([no_network.clone(), no_commands.clone()]), of([no_commands, no_network])] {
        assert_eq!(both.may_use_network(), refusal("offline", ProfileRule::Network));
        assert_eq!(both.may_run("git"), refusal("quiet", ProfileRule::Commands));
        assert_eq!(both.may_run("sort"), Ok(()));
        assert_eq!(both.may_read(Scope::Servers), refusal("quiet", ProfileRule::Read));
        assert_eq!(both.limits(Limits::default()).tool_calls, 7);
    }
    // Requesting the widest profile adds nothing to the configured one.
    let asked = of([built_in("read_only"), built_in("execute_full")]);
    assert_eq!(asked.may_use_network(), refusal("read_only", ProfileRule::Network));
    assert_eq!(of([built_in("execute_full")]).may_use_network(), Ok(()));
}

#[test]
fn without_a_profile_there_is_no_permission() {
    let nothing = of([]);
    let refused = refusal("", ProfileRule::Allow);
    assert_eq!(nothing.may_use_network(), refused);
    assert_eq!(nothing.may_read(Scope::Servers), refused);
    assert_eq!(nothing.may_run("sort"), refused);
}
