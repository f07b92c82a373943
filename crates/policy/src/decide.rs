//! The decision.
//!
//! A server that the user configured is granted, any other is not; every profile
//! of the run must allow the tool; a tool that is not as it was accepted may be in
//! quarantine; and arguments must fit the tool's schema.
//! Defaults refuse: an empty policy permits nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tidegate_model::{
    Change, CommandSpec, OnChange, Part, Profile, ToolCall, ToolDef, ToolRef, ToolWords,
};

use crate::arguments::{ArgumentProblem, Schemas};
use crate::commands::{CommandDenial, CommandPermit, Commands};
use crate::permissions::{Permissions, Refusal};

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denial {
    /// The server is not granted.
    NotGranted,
    /// A profile of the run does not allow the tool.
    Profile(Refusal),
    /// The definition that was checked is not the one of the called tool.
    WrongDefinition,
    /// The tool is not the one that was accepted.
    Quarantined(Change),
    /// The arguments do not fit the tool's schema.
    Arguments(ArgumentProblem),
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

    /// Decides on one call of a tool. `change` is how its definition differs from the
    /// accepted one.
    pub fn decide(
        &self,
        permissions: &Permissions,
        mut call: ToolCall,
        tool: &Arc<ToolDef>,
        change: Option<&Change>,
    ) -> Result<Permit, Denial> {
        if !self.granted_servers.contains(&call.tool.server) {
            return Err(Denial::NotGranted);
        }
        if call.tool.tool != tool.name {
            return Err(Denial::WrongDefinition);
        }
        permissions.may_call(&call.tool, tool, &self.words).map_err(Denial::Profile)?;
        if let Some(change) = self.quarantined(permissions, &call.tool, tool, change) {
            return Err(Denial::Quarantined(change.clone()));
        }
        self.schemas.check(&mut call, tool).map_err(Denial::Arguments)?;
        Ok(Permit { call })
    }

    /// What keeps a tool from being called until a person accepts it: any change where
    /// that is the rule; and everywhere, a change of what it says of itself if a profile
    /// would go by that. Otherwise a tool that was refused as destructive would only
    /// have to say that it changes nothing.
    pub fn quarantined<'a>(
        &self,
        permissions: &Permissions,
        id: &ToolRef,
        tool: &ToolDef,
        change: Option<&'a Change>,
    ) -> Option<&'a Change> {
        change.filter(|change| match self.on_change {
            OnChange::Quarantine => true,
            OnChange::Mark if change.includes(Part::Annotations) => {
                let silent = ToolDef { annotations: None, ..tool.clone() };
                permissions.may_call(id, &silent, &self.words).is_err()
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
        Change, Effects, Hints, OnChange, Part, Profile, ToolCall, ToolDef, ToolRef,
    };

    use super::{Denial, Grants, Policy};
    use crate::permissions::{Refusal, Rule};

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

    fn call(server: &str, tool: &str) -> ToolCall {
        ToolCall { tool: ToolRef::new(server, tool), arguments: serde_json::Map::new() }
    }

    #[test]
    fn a_tool_of_a_configured_server_is_permitted() {
        let policy = Policy::for_configured_servers(["files"]);
        let permissions = policy.permissions(None).unwrap();
        let permit = policy.decide(&permissions, call("files", "read"), &tool(), None).unwrap();
        assert_eq!(permit.into_call(), call("files", "read"));
    }

    #[test]
    fn a_server_without_a_grant_is_refused() {
        let policy = Policy::for_configured_servers(["files"]);
        let permissions = policy.permissions(None).unwrap();
        let denial = policy.decide(&permissions, call("Files", "read"), &tool(), None).unwrap_err();
        assert_eq!(denial, Denial::NotGranted);
        let denial = Policy::default()
            .decide(&permissions, call("files", "read"), &tool(), None)
            .unwrap_err();
        assert_eq!(denial, Denial::NotGranted);
    }

    #[test]
    fn a_call_is_not_decided_by_another_tools_definition() {
        let policy = Policy::for_configured_servers(["files"]);
        let permissions = policy.permissions(None).unwrap();
        let denial =
            policy.decide(&permissions, call("files", "delete"), &tool(), None).unwrap_err();
        assert_eq!(denial, Denial::WrongDefinition);
    }

    #[test]
    fn a_run_that_asks_for_a_profile_gets_less_and_never_more() {
        let policy = Policy::for_configured_servers(["files"]);
        let decide = |asked| {
            let permissions = policy.permissions(asked).unwrap();
            policy.decide(&permissions, call("files", "read"), &tool(), None).map(|_| ())
        };
        assert_eq!(decide(None), Ok(()));
        assert_eq!(decide(Some("execute_full")), Ok(()));
        let rule = Rule::Effects(Effects::ReadOnly);
        let refusal = Refusal { profile: "read_only".into(), rule };
        assert_eq!(decide(Some("read_only")), Err(Denial::Profile(refusal)));
        let widest = policy.permissions(Some("execute_full")).unwrap();
        let refusal = Refusal { profile: "default".into(), rule: Rule::Commands };
        assert_eq!(widest.may_run("sort"), Err(refusal));
        let known = ["default", "execute_full", "read_only", "write_restricted"];
        assert_eq!(policy.permissions(Some("root")).unwrap_err(), known);
    }

    #[test]
    fn a_tool_that_is_not_as_accepted_is_refused_in_quarantine_only() {
        let decide = |on_change, change: Option<&Change>| {
            let policy = Policy::new(Grants {
                servers: ["files".to_owned()].into(),
                profiles: Profile::built_in().into(),
                profile: Profile::DEFAULT.into(),
                on_change,
                ..Grants::default()
            });
            let permissions = policy.permissions(None).unwrap();
            policy.decide(&permissions, call("files", "read"), &tool(), change).map(|_| ())
        };
        for change in [Change::New, Change::Parts(vec![Part::Description])] {
            assert_eq!(decide(OnChange::Mark, Some(&change)), Ok(()));
            let denied = Err(Denial::Quarantined(change.clone()));
            assert_eq!(decide(OnChange::Quarantine, Some(&change)), denied);
        }
        assert_eq!(decide(OnChange::Quarantine, None), Ok(()));
    }

    #[test]
    fn a_claim_that_nobody_accepted_does_not_open_a_profile() {
        let policy = Policy::for_configured_servers(["files"]);
        let claims = Some(Hints { read_only_hint: Some(true), ..Hints::default() });
        let tool = Arc::new(ToolDef { annotations: claims, ..(*tool()).clone() });
        let decide = |profile, change: Option<&Change>| {
            let permissions = policy.permissions(profile).unwrap();
            policy.decide(&permissions, call("files", "read"), &tool, change).map(|_| ())
        };
        let read_only = Some("read_only");
        assert_eq!(decide(read_only, None), Ok(()));
        let described = Change::Parts(vec![Part::Description]);
        assert_eq!(decide(read_only, Some(&described)), Ok(()));
        for change in [Change::New, Change::Parts(vec![Part::Title, Part::Annotations])] {
            let denied = Err(Denial::Quarantined(change.clone()));
            assert_eq!(decide(read_only, Some(&change)), denied);
            // Where claims decide nothing, they are marked and no more.
            assert_eq!(decide(None, Some(&change)), Ok(()));
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
            let decided = policy.decide(&permissions, call("files", "read"), &tool(), None);
            assert!(matches!(decided, Err(Denial::Profile(_))));
        }
    }
}
