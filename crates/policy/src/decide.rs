//! The decision on one call.
//!
//! In: a call, the tool's definition and the caller's permissions. Out: a [`Permit`] or a
//! [`Denial`]. In this order: the server must be configured; every profile of the run must
//! allow the tool; a tool that changed since it was accepted may be quarantined; the rules
//! allow, ask or deny; and the arguments must match the tool's schema.
//! Invariant: the default is to deny. An empty policy permits nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::{Map, Value};
use tidegate_model::{
    Change, CommandSpec, Decision, DefinitionPart, Effect, EffectOverrides, EffectSource, OnChange,
    Profile, RiskLevel, ToolCall, ToolDef, ToolRef,
};

use crate::approved::{Approved, CallSubject};
use crate::arguments::Schemas;
use crate::arguments::problem::ArgumentProblem;
use crate::commands::{CommandDenial, CommandPermit, Commands};
use crate::effect::{CallEffect, effect_of, effect_of_call};
use crate::permissions::{Permissions, ProfileRefusal};
use crate::rules::{RuleInput, Rules, Ruling, RulingReason};

/// Permission to make one call, once.
///
/// The field is private and there is no `Clone`: a permit cannot be forged, and using it
/// consumes it.
#[derive(Debug)]
pub struct Permit {
    call: ToolCall,
    effect: Effect,
}

impl Permit {
    /// What the call does, as it was decided.
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// Consumes the permit.
    pub fn into_call(self) -> ToolCall {
        self.call
    }
}

/// Why a call is denied.
#[derive(Debug, Clone, PartialEq)]
pub enum Denial {
    /// The server is not granted.
    NotGranted,
    /// A profile of the run does not allow the tool.
    Profile(ProfileRefusal),
    /// The definition belongs to another tool.
    WrongDefinition,
    /// The tool changed since it was accepted.
    Quarantined(Change),
    /// The rules deny it.
    Rule(Ruling),
    /// The rules require approval, and nobody has approved the call. Approval is requested
    /// only for calls that nothing else denies.
    NeedsApproval(Box<NeedsApproval>),
    /// The arguments do not match the tool's schema.
    Arguments(ArgumentProblem),
}

/// A call that needs approval.
#[derive(Debug, Clone, PartialEq)]
pub struct NeedsApproval {
    /// The call exactly as it would be made.
    pub call: ToolCall,
    /// Why it needs approval.
    pub ruling: Ruling,
    /// What the tool does, and the source of that answer.
    pub effect: (Effect, EffectSource),
    /// What an approval is bound to.
    pub subject: CallSubject,
}

/// The run that makes a call, as far as the decision depends on it.
#[derive(Debug, Clone, Copy)]
pub struct CallContext<'a> {
    /// How risky its program is.
    pub level: RiskLevel,
    /// Approvals for this run.
    pub run: &'a Approved,
    /// Approvals for its session.
    pub session: &'a Approved,
}

/// What the user configured: the most that any run can be permitted.
#[derive(Debug, Default)]
pub struct Grants {
    /// The servers.
    pub servers: BTreeSet<String>,
    /// What tools do, as configured by the user.
    pub tools: EffectOverrides,
    /// Every profile.
    pub profiles: Vec<Profile>,
    /// The name of the profile that limits every run.
    pub profile: String,
    /// What happens to a tool that changed since it was accepted.
    pub on_change: OnChange,
    /// The host commands.
    pub commands: Vec<CommandSpec>,
}

/// What is granted, and the compiled schemas of the tools that have been called.
#[derive(Debug, Default)]
pub struct Policy {
    granted_servers: BTreeSet<String>,
    words: EffectOverrides,
    profiles: BTreeMap<String, Arc<Profile>>,
    active: String,
    on_change: OnChange,
    commands: Commands,
    rules: RwLock<Arc<Rules>>,
    schemas: Schemas,
}

impl Policy {
    /// A policy that permits what is granted and nothing else.
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

    /// The permissions of a run: those of the configured profile, narrowed by the requested
    /// one. If the requested profile does not exist, the error lists those that do.
    pub fn permissions(&self, requested: Option<&str>) -> Result<Permissions, Vec<String>> {
        let lookup = |name: &str| {
            let profile = self.profiles.get(name).cloned();
            profile.ok_or_else(|| self.profiles.keys().cloned().collect::<Vec<_>>())
        };
        // Without its configured profile, a policy permits nothing.
        let configured = self.profiles.get(&self.active).cloned();
        let requested = requested.filter(|&name| name != self.active).map(lookup).transpose()?;
        let profiles = match configured {
            Some(configured) => std::iter::once(configured).chain(requested).collect(),
            None => Vec::new(),
        };
        Ok(Permissions { profiles })
    }

    /// The same permissions, narrowed to the profile of risky programs.
    pub fn strict(&self, permissions: &Permissions) -> Permissions {
        let mut profiles = permissions.profiles.clone();
        let strict = self.profiles.get(Profile::STRICT).cloned();
        let is_present = profiles.iter().any(|profile| profile.name == Profile::STRICT);
        profiles.extend(strict.filter(|_| !is_present));
        Permissions { profiles }
    }

    /// The rules in force.
    pub fn rules(&self) -> Arc<Rules> {
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the rules. They apply at once, including to runs in progress.
    pub fn set_rules(&self, rules: Rules) {
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
    }

    /// What a call with these arguments does; without them, what calls of the tool do in
    /// general.
    pub fn effect(
        &self,
        id: &ToolRef,
        tool: &ToolDef,
        arguments: Option<&Map<String, Value>>,
    ) -> CallEffect {
        effect_of_call(id, tool, arguments, &self.words)
    }

    /// Decides on one tool call. `change` is how the tool differs from the accepted
    /// definition.
    pub fn decide(
        &self,
        permissions: &Permissions,
        mut call: ToolCall,
        tool: &Arc<ToolDef>,
        change: Option<&Change>,
        context: CallContext<'_>,
    ) -> Result<Permit, Denial> {
        if !self.granted_servers.contains(&call.tool.server) {
            return Err(Denial::NotGranted);
        }
        if call.tool.tool != tool.name {
            return Err(Denial::WrongDefinition);
        }
        let CallEffect { effect, source, .. } =
            self.effect(&call.tool, tool, Some(&call.arguments));
        permissions.may_call(&call.tool, effect).map_err(Denial::Profile)?;
        if let Some(change) = self.quarantined(permissions, &call.tool, change) {
            return Err(Denial::Quarantined(change.clone()));
        }
        let mut ruling = self.ruling(permissions, &call, effect, context.level);
        // Approving the program covers its calls.
        if let Some(profile) =
            permissions.approval_required_by().filter(|_| !context.run.has_program())
        {
            ruling = ruling.at_least(Decision::Ask, || RulingReason::Profile(profile.into()));
        }
        // Do not describe the arguments of a denied tool.
        if ruling.word == Decision::Deny {
            return Err(Denial::Rule(ruling));
        }
        self.schemas.check(&mut call, tool).map_err(Denial::Arguments)?;
        match ruling.word {
            Decision::Allow => Ok(Permit { call, effect }),
            Decision::Deny => Err(Denial::Rule(ruling)),
            Decision::Ask => {
                let subject = CallSubject::of(&call, tool, &ruling.why);
                if context.run.covers(&subject) || context.session.covers(&subject) {
                    return Ok(Permit { call, effect });
                }
                let effect = (effect, source);
                let asked = NeedsApproval { call, ruling, effect, subject };
                Err(Denial::NeedsApproval(Box::new(asked)))
            }
        }
    }

    fn ruling(
        &self,
        permissions: &Permissions,
        call: &ToolCall,
        effect: Effect,
        level: RiskLevel,
    ) -> Ruling {
        self.rules().rule(&RuleInput {
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

    /// Why the profiles of a run forbid a call with this effect, whatever the rules say.
    pub fn refusal(
        &self,
        permissions: &Permissions,
        id: &ToolRef,
        effect: Effect,
    ) -> Option<ProfileRefusal> {
        permissions.may_call(id, effect).err()
    }

    pub(crate) fn check_arguments(
        &self,
        call: &mut ToolCall,
        tool: &Arc<ToolDef>,
    ) -> Result<(), ArgumentProblem> {
        self.schemas.check(call, tool)
    }

    /// The change that quarantines a tool until a person accepts it. With
    /// `OnChange::Quarantine` that is any change. In every mode it is a change of the
    /// annotations if a profile's decision depends on them: otherwise a tool that a profile
    /// refuses as destructive would only have to claim that it is read-only.
    pub fn quarantined<'a>(
        &self,
        permissions: &Permissions,
        id: &ToolRef,
        change: Option<&'a Change>,
    ) -> Option<&'a Change> {
        change.filter(|change| match self.on_change {
            OnChange::Quarantine => true,
            OnChange::Mark if change.includes(DefinitionPart::Annotations) => {
                let (without_claims, _) = effect_of(id, None, &self.words);
                permissions.may_call(id, without_claims).is_err()
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
        ArgumentRule, Change, Decision, DefinitionPart, Effect, EffectCeiling, Hints, OnChange,
        PolicyDefaults, PolicyRule, Profile, RiskLevel, ToolCall, ToolDef, ToolRef,
    };

    use super::{CallContext, Denial, Grants, Permit, Policy};
    use crate::approved::{Approved, Uses};
    use crate::permissions::{Permissions, ProfileRefusal, ProfileRule};
    use crate::rules::{Rules, RulingReason};

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

    /// A decision for a low-risk run in which a person approves this call.
    fn decide(
        policy: &Policy,
        permissions: &Permissions,
        call: ToolCall,
        tool: &Arc<ToolDef>,
        change: Option<&Change>,
    ) -> Result<Permit, Denial> {
        let (run, session) = (Approved::default(), Approved::default());
        let context = CallContext { level: RiskLevel::Low, run: &run, session: &session };
        match policy.decide(permissions, call, tool, change, context) {
            Err(Denial::NeedsApproval(asked)) => {
                run.approve(&asked.subject.exact, Uses::Times(1));
                policy.decide(permissions, asked.call, tool, change, context)
            }
            decided => decided,
        }
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
    fn a_requested_profile_only_narrows_permissions() {
        let policy = Policy::for_configured_servers(["files"]);
        let decided = |asked| {
            let permissions = policy.permissions(asked).unwrap();
            decide(&policy, &permissions, call("files", "read"), &tool(), None).map(|_| ())
        };
        assert_eq!(decided(None), Ok(()));
        assert_eq!(decided(Some("execute_full")), Ok(()));
        let rule = ProfileRule::Effects(EffectCeiling::ReadOnly);
        let refusal = ProfileRefusal { profile: "read_only".into(), rule };
        assert_eq!(decided(Some("read_only")), Err(Denial::Profile(refusal)));
        let widest = policy.permissions(Some("execute_full")).unwrap();
        let refusal = ProfileRefusal { profile: "default".into(), rule: ProfileRule::Commands };
        assert_eq!(widest.may_run("sort"), Err(refusal));
        let known = ["default", "execute_full", "read_only", "strict", "write_restricted"];
        assert_eq!(policy.permissions(Some("root")).unwrap_err(), known);
    }

    #[test]
    fn a_changed_tool_is_refused_in_quarantine_mode_only() {
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
        for change in [Change::New, Change::Parts(vec![DefinitionPart::Description])] {
            assert_eq!(decided(OnChange::Mark, Some(&change)), Ok(()));
            let denied = Err(Denial::Quarantined(change.clone()));
            assert_eq!(decided(OnChange::Quarantine, Some(&change)), denied);
        }
        assert_eq!(decided(OnChange::Quarantine, None), Ok(()));
    }

    #[test]
    fn an_unaccepted_annotation_does_not_widen_a_profile() {
        let policy = Policy::for_configured_servers(["files"]);
        let claims = Some(Hints { read_only_hint: Some(true), ..Hints::default() });
        let tool = Arc::new(ToolDef { annotations: claims, ..(*tool()).clone() });
        let decided = |profile, change: Option<&Change>| {
            let permissions = policy.permissions(profile).unwrap();
            decide(&policy, &permissions, call("files", "read"), &tool, change).map(|_| ())
        };
        let read_only = Some("read_only");
        assert_eq!(decided(read_only, None), Ok(()));
        let described = Change::Parts(vec![DefinitionPart::Description]);
        assert_eq!(decided(read_only, Some(&described)), Ok(()));
        for change in
            [Change::New, Change::Parts(vec![DefinitionPart::Title, DefinitionPart::Annotations])]
        {
            let denied = Err(Denial::Quarantined(change.clone()));
            assert_eq!(decided(read_only, Some(&change)), denied);
            // Where annotations decide nothing, the change is only marked.
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

    fn destructive_tool() -> Arc<ToolDef> {
        let claims = Hints { destructive_hint: Some(true), ..Hints::default() };
        Arc::new(ToolDef { annotations: Some(claims), ..(*tool()).clone() })
    }

    #[test]
    fn a_destructive_call_needs_an_approval_which_is_used_once() {
        let policy = Policy::for_configured_servers(["files"]);
        let permissions = policy.permissions(None).unwrap();
        let (run, session) = (Approved::default(), Approved::default());
        let decided = || {
            let context = CallContext { level: RiskLevel::Low, run: &run, session: &session };
            let call = call("files", "read");
            policy.decide(&permissions, call, &destructive_tool(), None, context).map(|_| ())
        };
        let Err(Denial::NeedsApproval(asked)) = decided() else { panic!() };
        assert_eq!(asked.call, call("files", "read"));
        assert_eq!(asked.ruling.why, RulingReason::Effect(Effect::Destructive));
        run.approve(&asked.subject.exact, Uses::Times(1));
        assert_eq!(decided(), Ok(()));
        assert!(matches!(decided(), Err(Denial::NeedsApproval(_))), "used up");
        session.approve(&asked.subject.any_arguments, Uses::Always);
        assert_eq!((decided(), decided()), (Ok(()), Ok(())));
    }

    #[test]
    fn a_session_approval_does_not_cover_what_another_rule_asks_about() {
        let policy = Policy::for_configured_servers(["files"]);
        let permissions = policy.permissions(None).unwrap();
        let path = ArgumentRule { key: "path".into(), values: vec!["/etc/*".into()] };
        let rule = PolicyRule { arguments: vec![path], ..PolicyRule::new("system", Decision::Ask) };
        policy.set_rules(Rules::new(&[rule], PolicyDefaults::default()).unwrap());
        let (run, session) = (Approved::default(), Approved::default());
        let decided = |path: &str| {
            let context = CallContext { level: RiskLevel::Low, run: &run, session: &session };
            let arguments = json!({"path": path}).as_object().unwrap().clone();
            let call = ToolCall { tool: ToolRef::new("files", "read"), arguments };
            match policy.decide(&permissions, call, &destructive_tool(), None, context) {
                Err(Denial::NeedsApproval(asked)) => Some(asked.subject.any_arguments),
                decided => decided.map(|_| None).unwrap(),
            }
        };
        let by_default = decided("/tmp/x").unwrap();
        session.approve(&by_default, Uses::Always);
        assert_eq!(decided("/tmp/x"), None);
        assert_eq!(decided("/tmp/y"), None);
        let by_rule = decided("/etc/passwd").unwrap();
        session.approve(&by_rule, Uses::Always);
        assert_eq!(decided("/etc/shadow"), None);
    }

    #[test]
    fn an_approval_does_not_override_a_rule_a_profile_or_a_schema() {
        let policy = Policy::for_configured_servers(["files"]);
        let permissions = policy.permissions(None).unwrap();
        let rule =
            PolicyRule { tools: vec!["read".into()], ..PolicyRule::new("no", Decision::Deny) };
        policy.set_rules(Rules::new(&[rule], PolicyDefaults::default()).unwrap());
        let decided = decide(&policy, &permissions, call("files", "read"), &tool(), None);
        assert!(matches!(decided, Err(Denial::Rule(ruling)) if ruling.word == Decision::Deny));
        policy.set_rules(Rules::default());
        let narrow = policy.permissions(Some("read_only")).unwrap();
        let decided = decide(&policy, &narrow, call("files", "read"), &destructive_tool(), None);
        assert!(matches!(decided, Err(Denial::Profile(_))));
        let schema = json!({"type": "object", "required": ["path"]});
        let tool = Arc::new(ToolDef { input_schema: schema, ..(*destructive_tool()).clone() });
        let decided = decide(&policy, &permissions, call("files", "read"), &tool, None);
        assert!(matches!(decided, Err(Denial::Arguments(_))));
    }
}
