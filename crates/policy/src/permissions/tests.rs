//! Each rule with what it lets through, and the two profiles of a run together.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;
use tidegate_model::{
    CommandAccess, Effects, Hints, LimitCeilings, LimitName, Limits, NetworkAccess, Profile, Scope,
    ToolDef, ToolPattern, ToolRef, ToolWords,
};

use super::{Permissions, Refusal, Rule};

fn tool(read_only: Option<bool>, destructive: Option<bool>) -> ToolDef {
    ToolDef {
        name: "t".into(),
        title: None,
        description: None,
        input_schema: json!({}),
        output_schema: None,
        annotations: Some(Hints {
            read_only_hint: read_only,
            destructive_hint: destructive,
            ..Hints::default()
        }),
    }
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

fn refusal(profile: &str, rule: Rule) -> Result<(), Refusal> {
    Err(Refusal { profile: profile.into(), rule })
}

#[test]
fn claims_decide_between_the_built_in_profiles() {
    let id = ToolRef::new("s", "t");
    let words = ToolWords::default();
    let allowed = |name: &str, tool: &ToolDef| of([built_in(name)]).may_call(&id, tool, &words);
    let silent = ToolDef { annotations: None, ..tool(None, None) };
    for (tool, least) in [
        (tool(Some(true), None), Effects::ReadOnly),
        (tool(Some(false), Some(false)), Effects::Additive),
        (tool(None, Some(false)), Effects::Additive),
        (tool(Some(false), None), Effects::All),
        (tool(None, Some(true)), Effects::All),
        (tool(Some(true), Some(true)), Effects::All),
        (silent, Effects::All),
    ] {
        for (name, most) in [
            ("read_only", Effects::ReadOnly),
            ("write_restricted", Effects::Additive),
            ("default", Effects::All),
        ] {
            let expected = if least <= most { Ok(()) } else { refusal(name, Rule::Effects(most)) };
            assert_eq!(allowed(name, &tool), expected, "{name} {tool:?}");
        }
    }
}

#[test]
fn the_users_word_counts_more_than_a_claim_and_the_sternest_most() {
    let id = ToolRef::new("s", "t");
    let read_only = of([built_in("read_only")]);
    let listed = vec![pattern("s__t")];
    let mut words = ToolWords { read_only: listed.clone(), ..ToolWords::default() };
    assert_eq!(read_only.may_call(&id, &tool(None, Some(true)), &words), Ok(()));
    words.destructive = vec![pattern("s__*")];
    let refused = refusal("read_only", Rule::Effects(Effects::ReadOnly));
    assert_eq!(read_only.may_call(&id, &tool(Some(true), None), &words), refused);
    // Another tool is not meant.
    let other = ToolRef::new("s2", "t");
    assert_eq!(read_only.may_call(&other, &tool(Some(true), None), &words), Ok(()));
}

#[test]
fn skills_can_be_saved_in_all_profiles_but_read_only() {
    for name in ["write_restricted", "default", "execute_full"] {
        assert_eq!(of([built_in(name)]).may_write(Scope::Skills), Ok(()), "{name}");
    }
    let refused = refusal("read_only", Rule::Write);
    assert_eq!(of([built_in("read_only")]).may_write(Scope::Skills), refused);
    // Whichever of two profiles it is.
    for both in [["read_only", "default"], ["execute_full", "read_only"]] {
        assert_eq!(of(both.map(built_in)).may_write(Scope::Skills), refused);
    }
    assert_eq!(of([built_in("execute_full")]).may_write(Scope::Servers), {
        refusal("execute_full", Rule::Write)
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
        let words = ToolWords::default();
        of([mine.clone()]).may_call(&ToolRef::new(server, name), &tool(None, None), &words)
    };
    assert_eq!(may("s", "t"), Ok(()));
    assert_eq!(may("s", "drop"), refusal("mine", Rule::Deny(pattern("s__drop"))));
    assert_eq!(may("other", "t"), refusal("mine", Rule::Allow));
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
        assert_eq!(both.may_use_network(), refusal("offline", Rule::Network));
        assert_eq!(both.may_run("git"), refusal("quiet", Rule::Commands));
        assert_eq!(both.may_run("sort"), Ok(()));
        assert_eq!(both.may_read(Scope::Servers), refusal("quiet", Rule::Read));
        assert_eq!(both.limits(Limits::default()).tool_calls, 7);
    }
    // Asking for the widest gives no more than what is configured.
    let asked = of([built_in("read_only"), built_in("execute_full")]);
    assert_eq!(asked.may_use_network(), refusal("read_only", Rule::Network));
    assert_eq!(of([built_in("execute_full")]).may_use_network(), Ok(()));
}

#[test]
fn without_a_profile_there_is_no_permission() {
    let nothing = of([]);
    let refused = refusal("", Rule::Allow);
    assert_eq!(nothing.may_use_network(), refused);
    assert_eq!(nothing.may_read(Scope::Servers), refused);
    assert_eq!(nothing.may_run("sort"), refused);
}
