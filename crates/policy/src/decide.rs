//! The decision.
//!
//! A server that the user configured is granted, any other is not; every profile
//! of the run must allow the tool; a tool that is not as it was accepted may be in
//! quarantine; the rules say whether it happens, needs a person's word or does not; and
//! arguments must fit the tool's schema.
//! Defaults refuse: an empty policy permits nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock};

use tidegate_model::{
    Change, CommandSpec, Effect, EffectSource, Level, OnChange, Part, Profile, ToolCall, ToolDef,
    ToolRef, ToolWords, Word,
};

use crate::approved::Approved;
use crate::arguments::{ArgumentProblem, Schemas};
use crate::commands::{CommandDenial, CommandPermit, Commands};
use crate::effect::effect_of;
use crate::permissions::{Permissions, Refusal};
use crate::rules::{Rules, Ruling, Subject};

/// The right to make one call, once.
///
/// Private field, no `Clone`: it cannot be forged, and using it consumes it.
#[derive(Debug)]
pub struct Permit {
    call: ToolCall,
}

impl Permit {
    /// Uses the permit up.
    pub fn into_call(self) -> ToolCall {
        self.call
    }
}

/// Why a call may not happen.
#[derive(Debug, Clone, PartialEq)]
pub enum Denial {
    /// The server is not granted.
    NotGranted,
    /// A profile of the run does not allow the tool.
    Profile(Refusal),
    /// The definition that was checked is not the one of the called tool.
    WrongDefinition,
    /// The tool is not the one that was accepted.
    Quarantined(Change),
    /// The rules say no.
    Rule(Ruling),
    /// The rules say that a person must be asked, and none has said yes. Only a call that
    /// could be made is asked about.
    NeedsApproval(Box<NeedsApproval>),
    /// The arguments do not fit the tool's schema.
    Arguments(ArgumentProblem),
}

/// A call that waits for a person's word.
#[derive(Debug, Clone, PartialEq)]
pub struct NeedsApproval {
    /// The call exactly as it would be made.
    pub call: ToolCall,
    /// Why a person must be asked.
    pub ruling: Ruling,
    /// What the tool does, and how that is known.
    pub effect: (Effect, EffectSource),
}

/// What is known of the run that makes a call.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// How risky its program is.
    pub level: Level,
    /// What a person has approved for it.
    pub run: &'a Approved,
    /// What a person has approved for its session.
    pub session: &'a Approved,
}

/// What the user configured: what runs can be permitted at most.
#[derive(Debug, Default)]
pub struct Grants {
    /// The servers.
    pub servers: BTreeSet<String>,
    /// What tools do, as the user says.
    pub tools: ToolWords,
    /// Every profile.
    pub profiles: Vec<Profile>,
    /// The name of the profile that bounds every run.
    pub profile: String,
    /// What happens to a tool that is not as it was accepted.
    pub on_change: OnChange,
    /// The host commands.
    pub commands: Vec<CommandSpec>,
}

/// What is granted, and the compiled schemas of the tools that were called.
#[derive(Debug, Default)]
pub struct Policy {
    granted_servers: BTreeSet<String>,
    words: ToolWords,
    profiles: BTreeMap<String, Arc<Profile>>,
    active: String,
    on_change: OnChange,
    commands: Commands,
    rules: RwLock<Arc<Rules>>,
    schemas: Schemas,
}

impl Policy {
    /// Permits what is granted and no more.
    pub fn new(grants: Grants) -> Self {
        let profiles = grants.profiles.into_iter();
        Self {
            granted_servers: grants.servers,
            words: grants.tools,
            profiles: profiles.map(|profile| (profile.name.clone(), Arc::new(profile))).collect(),
            active: grants.profile,
            on_change: grants.on_change,
            commands: Commands::new(grants.commands),
            rules: RwLock::default(),
            schemas: Schemas::default(),
        }
    }

    /// Grants all tools of the servers that the user configured, and no command.
    pub fn for_configured_servers<'a>(servers: impl IntoIterator<Item = &'a str>) -> Self {
        Self::new(Grants {
            servers: servers.into_iter().map(str::to_owned).collect(),
            profiles: Profile::built_in().into(),
            profile: Profile::DEFAULT.into(),
            ..Grants::default()
        })
    }

    /// The permissions of a run: those of the configured profile, narrowed by
    /// the one it asks for. The known names, if there is none of that name.
    pub fn permissions(&self, asked: Option<&str>) -> Result<Permissions, Vec<String>> {
        let known = |name: &str| {
            let found = self.profiles.get(name).cloned();
            found.ok_or_else(|| self.profiles.keys().cloned().collect::<Vec<_>>())
        };
        // A policy without its own profile permits nothing to anybody.
        let configured = self.profiles.get(&self.active).cloned();
        let asked = asked.filter(|&name| name != self.active).map(known).transpose()?;
        let profiles = match configured {
            Some(configured) => std::iter::once(configured).chain(asked).collect(),
            None => Vec::new(),
        };
        Ok(Permissions { profiles })
    }

    /// The same permissions, narrowed to the profile of risky programs.
    pub fn strict(&self, permissions: &Permissions) -> Permissions {
        let mut profiles = permissions.profiles.clone();
        let strict = self.profiles.get(Profile::STRICT).cloned();
        let is_there = profiles.iter().any(|profile| profile.name == Profile::STRICT);
        profiles.extend(strict.filter(|_| !is_there));
        Permissions { profiles }
    }

    /// The rules in force.
    pub fn rules(&self) -> Arc<Rules> {
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// From now on these rules are in force, also for runs that are under way.
    pub fn set_rules(&self, rules: Rules) {
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
    }

    /// What a tool does.
    pub fn effect(&self, id: &ToolRef, tool: &ToolDef) -> (Effect, EffectSource) {
        effect_of(id, tool.annotations.as_ref(), &self.words)
    }

    /// Decides on one call of a tool. `change` is how its definition differs from the
    /// accepted one.
    pub fn decide(
        &self,
        permissions: &Permissions,
        mut call: ToolCall,
        tool: &Arc<ToolDef>,
        change: Option<&Change>,
        standing: Standing<'_>,
    ) -> Result<Permit, Denial> {
        if !self.granted_servers.contains(&call.tool.server) {
            return Err(Denial::NotGranted);
        }
        if call.tool.tool != tool.name {
            return Err(Denial::WrongDefinition);
        }
        let effect = self.effect(&call.tool, tool);
        permissions.may_call(&call.tool, effect.0).map_err(Denial::Profile)?;
        if let Some(change) = self.quarantined(permissions, &call.tool, change) {
            return Err(Denial::Quarantined(change.clone()));
        }
        let ruling = self.ruling(permissions, &call, effect.0, standing.level);
        // Whoever is denied a tool need not know what its arguments are.
        if ruling.word == Word::Deny {
            return Err(Denial::Rule(ruling));
        }
        self.schemas.check(&mut call, tool).map_err(Denial::Arguments)?;
        match ruling.word {
            Word::Allow => Ok(Permit { call }),
            Word::Deny => Err(Denial::Rule(ruling)),
            Word::Ask
                if standing.run.covers(&call, &ruling.why)
                    || standing.session.covers(&call, &ruling.why) =>
            {
                Ok(Permit { call })
            }
            Word::Ask => {
                Err(Denial::NeedsApproval(Box::new(NeedsApproval { call, ruling, effect })))
            }
        }
    }

    fn ruling(
        &self,
        permissions: &Permissions,
        call: &ToolCall,
        effect: Effect,
        level: Level,
    ) -> Ruling {
        self.rules().rule(&Subject {
            tool: Some(&call.tool),
            arguments: Some(&call.arguments),
            profiles: &permissions.names(),
            level,
            effect,
        })
    }

    pub(crate) fn grants(&self, server: &str) -> bool {
        self.granted_servers.contains(server)
    }

    /// Why the profiles of a run do not let it call a tool, whatever the rules say.
    pub fn refusal(
        &self,
        permissions: &Permissions,
        id: &ToolRef,
        tool: &ToolDef,
    ) -> Option<Refusal> {
        permissions.may_call(id, self.effect(id, tool).0).err()
    }

    pub(crate) fn check_arguments(
        &self,
        call: &mut ToolCall,
        tool: &Arc<ToolDef>,
    ) -> Result<(), ArgumentProblem> {
        self.schemas.check(call, tool)
    }

    /// What keeps a tool from being called until a person accepts it: any change where
    /// that is the rule; and everywhere, a change of what it says of itself if a profile
    /// would go by that. Otherwise a tool that was refused as destructive would only
    /// have to say that it changes nothing.
    pub fn quarantined<'a>(
        &self,
        permissions: &Permissions,
        id: &ToolRef,
        change: Option<&'a Change>,
    ) -> Option<&'a Change> {
        change.filter(|change| match self.on_change {
            OnChange::Quarantine => true,
            OnChange::Mark if change.includes(Part::Annotations) => {
                let (unclaimed, _) = effect_of(id, None, &self.words);
                permissions.may_call(id, unclaimed).is_err()
            }
            OnChange::Mark => false,
        })
    }

    /// Decides on one host command.
    pub fn decide_command(
        &self,
        permissions: &Permissions,
        name: &str,
        arguments: Vec<String>,
    ) -> Result<CommandPermit<'_>, CommandDenial> {
        self.commands.decide(permissions, name, arguments)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use tidegate_model::{
        ArgumentRule, Change, Effect, Effects, Hints, Level, OnChange, Part, PolicyDefaults,
        PolicyRule, Profile, ToolCall, ToolDef, ToolRef, Word,
    };

    use super::{Denial, Grants, Permit, Policy, Standing};
    use crate::approved::Approved;
    use crate::permissions::{Permissions, Refusal, Rule};
    use crate::rules::{Rules, Why};

    fn tool() -> Arc<ToolDef> {
        Arc::new(ToolDef {
            name: "read".into(),
            title: None,
            description: None,
            input_schema: json!({"type": "object"}),
            output_schema: None,
            annotations: None,
        })
    }

    /// A decision for a run of which nothing is known, with a yes to everything asked.
    fn decide(
        policy: &Policy,
        permissions: &Permissions,
        call: ToolCall,
        tool: &Arc<ToolDef>,
        change: Option<&Change>,
    ) -> Result<Permit, Denial> {
        let (run, session) = (Approved::default(), Approved::default());
        run.approve_tools([call.tool.clone()]);
        let standing = Standing { level: Level::Low, run: &run, session: &session };
        policy.decide(permissions, call, tool, change, standing)
    }

    fn call(server: &str, tool: &str) -> ToolCall {
        ToolCall { tool: ToolRef::new(server, tool), arguments: serde_json::Map::new() }
    }

    #[test]
    fn a_tool_of_a_configured_server_is_permitted() {
        let policy = Policy::for_configured_servers(["files"]);
        let permissions = policy.permissions(None).unwrap();
        let permit = decide(&policy, &permissions, call("files", "read"), &tool(), None).unwrap();
        assert_eq!(permit.into_call(), call("files", "read"));
    }

    #[test]
    fn a_server_without_a_grant_is_refused() {
        let policy = Policy::for_configured_servers(["files"]);
        let permissions = policy.permissions(None).unwrap();
        let denial =
            decide(&policy, &permissions, call("Files", "read"), &tool(), None).unwrap_err();
        assert_eq!(denial, Denial::NotGranted);
        let denial = decide(&Policy::default(), &permissions, call("files", "read"), &tool(), None)
            .unwrap_err();
        assert_eq!(denial, Denial::NotGranted);
    }

    #[test]
    fn a_call_is_not_decided_by_another_tools_definition() {
        let policy = Policy::for_configured_servers(["files"]);
        let permissions = policy.permissions(None).unwrap();
        let denial =
            decide(&policy, &permissions, call("files", "delete"), &tool(), None).unwrap_err();
        assert_eq!(denial, Denial::WrongDefinition);
    }

    #[test]
    fn a_run_that_asks_for_a_profile_gets_less_and_never_more() {
        let policy = Policy::for_configured_servers(["files"]);
        let decided = |asked| {
            let permissions = policy.permissions(asked).unwrap();
            decide(&policy, &permissions, call("files", "read"), &tool(), None).map(|_| ())
        };
        assert_eq!(decided(None), Ok(()));
        assert_eq!(decided(Some("execute_full")), Ok(()));
        let rule = Rule::Effects(Effects::ReadOnly);
        let refusal = Refusal { profile: "read_only".into(), rule };
        assert_eq!(decided(Some("read_only")), Err(Denial::Profile(refusal)));
        let widest = policy.permissions(Some("execute_full")).unwrap();
        let refusal = Refusal { profile: "default".into(), rule: Rule::Commands };
        assert_eq!(widest.may_run("sort"), Err(refusal));
        let known = ["default", "execute_full", "read_only", "strict", "write_restricted"];
        assert_eq!(policy.permissions(Some("root")).unwrap_err(), known);
    }

    #[test]
    fn a_tool_that_is_not_as_accepted_is_refused_in_quarantine_only() {
        let decided = |on_change, change: Option<&Change>| {
            let policy = Policy::new(Grants {
                servers: ["files".to_owned()].into(),
                profiles: Profile::built_in().into(),
                profile: Profile::DEFAULT.into(),
                on_change,
                ..Grants::default()
            });
            let permissions = policy.permissions(None).unwrap();
            decide(&policy, &permissions, call("files", "read"), &tool(), change).map(|_| ())
        };
        for change in [Change::New, Change::Parts(vec![Part::Description])] {
            assert_eq!(decided(OnChange::Mark, Some(&change)), Ok(()));
            let denied = Err(Denial::Quarantined(change.clone()));
            assert_eq!(decided(OnChange::Quarantine, Some(&change)), denied);
        }
        assert_eq!(decided(OnChange::Quarantine, None), Ok(()));
    }

    #[test]
    fn a_claim_that_nobody_accepted_does_not_open_a_profile() {
        let policy = Policy::for_configured_servers(["files"]);
        let claims = Some(Hints { read_only_hint: Some(true), ..Hints::default() });
        let tool = Arc::new(ToolDef { annotations: claims, ..(*tool()).clone() });
        let decided = |profile, change: Option<&Change>| {
            let permissions = policy.permissions(profile).unwrap();
            decide(&policy, &permissions, call("files", "read"), &tool, change).map(|_| ())
        };
        let read_only = Some("read_only");
        assert_eq!(decided(read_only, None), Ok(()));
        let described = Change::Parts(vec![Part::Description]);
        assert_eq!(decided(read_only, Some(&described)), Ok(()));
        for change in [Change::New, Change::Parts(vec![Part::Title, Part::Annotations])] {
            let denied = Err(Denial::Quarantined(change.clone()));
            assert_eq!(decided(read_only, Some(&change)), denied);
            // Where claims decide nothing, they are marked and no more.
            assert_eq!(decided(None, Some(&change)), Ok(()));
        }
    }

    #[test]
    fn a_policy_without_its_profile_permits_nothing() {
        let policy = Policy::new(Grants {
            servers: ["files".to_owned()].into(),
            profiles: Profile::built_in().into(),
            profile: "gone".into(),
            ..Grants::default()
        });
        for asked in [None, Some("execute_full")] {
            let permissions = policy.permissions(asked).unwrap();
            let decided = decide(&policy, &permissions, call("files", "read"), &tool(), None);
            assert!(matches!(decided, Err(Denial::Profile(_))));
        }
    }

    fn destroying() -> Arc<ToolDef> {
        let claims = Hints { destructive_hint: Some(true), ..Hints::default() };
        Arc::new(ToolDef { annotations: Some(claims), ..(*tool()).clone() })
    }

    #[test]
    fn a_tool_that_destroys_needs_a_yes_which_is_used_up() {
        let policy = Policy::for_configured_servers(["files"]);
        let permissions = policy.permissions(None).unwrap();
        let (run, session) = (Approved::default(), Approved::default());
        let decided = || {
            let standing = Standing { level: Level::Low, run: &run, session: &session };
            let call = call("files", "read");
            policy.decide(&permissions, call, &destroying(), None, standing).map(|_| ())
        };
        let Err(Denial::NeedsApproval(asked)) = decided() else { panic!() };
        assert_eq!(asked.call, call("files", "read"));
        assert_eq!(asked.ruling.why, Why::Effect(Effect::Destructive));
        run.approve_call(&asked.call);
        assert_eq!(decided(), Ok(()));
        assert!(matches!(decided(), Err(Denial::NeedsApproval(_))), "used up");
        session.approve_by(ToolRef::new("files", "read"), asked.ruling.why);
        assert_eq!((decided(), decided()), (Ok(()), Ok(())));
    }

    #[test]
    fn a_yes_for_the_session_is_none_for_what_another_rule_asks_about() {
        let policy = Policy::for_configured_servers(["files"]);
        let permissions = policy.permissions(None).unwrap();
        let path = ArgumentRule { key: "path".into(), values: vec!["/etc/*".into()] };
        let rule = PolicyRule { arguments: vec![path], ..PolicyRule::new("system", Word::Ask) };
        policy.set_rules(Rules::new(&[rule], PolicyDefaults::default()).unwrap());
        let (run, session) = (Approved::default(), Approved::default());
        let decided = |path: &str| {
            let standing = Standing { level: Level::Low, run: &run, session: &session };
            let arguments = json!({"path": path}).as_object().unwrap().clone();
            let call = ToolCall { tool: ToolRef::new("files", "read"), arguments };
            match policy.decide(&permissions, call, &destroying(), None, standing) {
                Err(Denial::NeedsApproval(asked)) => Some(asked.ruling.why),
                decided => decided.map(|_| None).unwrap(),
            }
        };
        let by_default = decided("/tmp/x").unwrap();
        session.approve_by(ToolRef::new("files", "read"), by_default);
        assert_eq!(decided("/tmp/x"), None);
        assert_eq!(decided("/tmp/y"), None);
        let by_rule = decided("/etc/passwd").unwrap();
        session.approve_by(ToolRef::new("files", "read"), by_rule);
        assert_eq!(decided("/etc/shadow"), None);
    }

    #[test]
    fn a_yes_does_not_open_what_a_rule_a_profile_or_a_schema_closes() {
        let policy = Policy::for_configured_servers(["files"]);
        let permissions = policy.permissions(None).unwrap();
        let rule = PolicyRule { tools: vec!["read".into()], ..PolicyRule::new("no", Word::Deny) };
        policy.set_rules(Rules::new(&[rule], PolicyDefaults::default()).unwrap());
        let decided = decide(&policy, &permissions, call("files", "read"), &tool(), None);
        assert!(matches!(decided, Err(Denial::Rule(ruling)) if ruling.word == Word::Deny));
        policy.set_rules(Rules::default());
        let narrow = policy.permissions(Some("read_only")).unwrap();
        let decided = decide(&policy, &narrow, call("files", "read"), &destroying(), None);
        assert!(matches!(decided, Err(Denial::Profile(_))));
        let schema = json!({"type": "object", "required": ["path"]});
        let tool = Arc::new(ToolDef { input_schema: schema, ..(*destroying()).clone() });
        let decided = decide(&policy, &permissions, call("files", "read"), &tool, None);
        assert!(matches!(decided, Err(Denial::Arguments(_))));
    }
}
