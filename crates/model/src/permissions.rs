//! Profiles: what a run may do, as data.
//!
//! In: the configuration, where a profile can only narrow the one that it extends. Out:
//! `policy` decides with it. Nothing here decides.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::limits::Limits;
use crate::network_rule::NetworkRule;
use crate::ruling::Effect;
use crate::tool::ToolRef;

/// A named set of permissions, including those of the profile that it extends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name in the configuration and in errors.
    pub name: String,
    /// The most that a tool may do.
    pub effects: EffectCeiling,
    /// The only tools that are allowed; all if absent.
    pub allow: Option<Vec<ToolPattern>>,
    /// Tools that are denied.
    pub deny: Vec<ToolPattern>,
    /// Readable folders of the program's view.
    pub read: BTreeSet<Scope>,
    /// Writable folders of the program's view.
    pub write: BTreeSet<Scope>,
    /// What `fetch` may reach.
    pub network: NetworkAccess,
    /// Its own lists of hosts and those it inherits; each narrows the configured network.
    pub hosts: Vec<HostLists>,
    /// Whether a person approves each program and each direct call.
    pub approval_required: bool,
    /// The host commands that are available.
    pub commands: CommandAccess,
    /// Ceilings for the limits of a run; each at most the configured limit.
    pub limits: LimitCeilings,
}

impl Profile {
    /// The profile that applies if the configuration names none: every tool of the configured
    /// servers, the configured network, and no command.
    pub const DEFAULT: &'static str = "default";

    /// The profile of risky programs. Chosen: enough for an honest one, and too little for most
    /// attacks.
    pub const STRICT: &'static str = "strict";

    /// The built-in profiles, the narrowest first.
    pub fn built_in() -> [Self; 5] {
        let all = BTreeSet::from(Scope::ALL);
        let full = Self {
            name: "execute_full".into(),
            effects: EffectCeiling::All,
            allow: None,
            deny: Vec::new(),
            read: all.clone(),
            write: BTreeSet::from([Scope::Skills, Scope::Workspace]),
            network: NetworkAccess::Configured,
            hosts: Vec::new(),
            approval_required: false,
            commands: CommandAccess::All,
            limits: LimitCeilings::default(),
        };
        let none = CommandAccess::Only(BTreeSet::new());
        let restricted = Self {
            name: "write_restricted".into(),
            effects: EffectCeiling::Additive,
            network: NetworkAccess::None,
            commands: none.clone(),
            ..full.clone()
        };
        let read_only = Self {
            name: "read_only".into(),
            effects: EffectCeiling::ReadOnly,
            write: BTreeSet::new(),
            ..restricted.clone()
        };
        let strict = Self {
            name: Self::STRICT.into(),
            write: BTreeSet::new(),
            network: NetworkAccess::None,
            commands: none.clone(),
            limits: LimitCeilings(BTreeMap::from([
                (LimitName::Time, 10_000),
                (LimitName::ToolCalls, 200),
                (LimitName::ParallelCalls, 4),
            ])),
            ..full.clone()
        };
        let default = Self { name: Self::DEFAULT.into(), commands: none, ..full.clone() };
        [read_only, restricted, strict, default, full]
    }
}

/// The most that a profile lets tools do, the strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EffectCeiling {
    /// Change nothing.
    ReadOnly,
    /// Add, but destroy nothing.
    Additive,
    /// Anything.
    All,
}

impl EffectCeiling {
    /// Every value.
    pub const ALL: [Self; 3] = [Self::ReadOnly, Self::Additive, Self::All];

    /// The word for it in a configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read_only",
            Self::Additive => "additive",
            Self::All => "all",
        }
    }

    /// Whether a tool with this effect is allowed. A tool with an unknown effect may do
    /// anything, as in MCP.
    pub const fn allows(self, effect: Effect) -> bool {
        match effect {
            Effect::ReadOnly => true,
            Effect::Additive => matches!(self, Self::Additive | Self::All),
            Effect::Destructive | Effect::Unknown => matches!(self, Self::All),
        }
    }
}

/// The effects of tools as the user configured them. They override the claims of servers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EffectOverrides {
    /// Tools that change nothing.
    pub read_only: Vec<ToolPattern>,
    /// Tools that add, and destroy nothing.
    pub additive: Vec<ToolPattern>,
    /// Tools that may do anything, whatever their server claims.
    pub destructive: Vec<ToolPattern>,
}

/// One tool, or all tools of a server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ToolPattern {
    /// The exact name of the server.
    pub server: String,
    /// The exact name of the tool; all tools if absent.
    pub tool: Option<String>,
}

impl ToolPattern {
    /// Parses `server__tool` or `server__*`.
    pub fn parse(text: &str) -> Option<Self> {
        let (server, tool) = text.split_once("__")?;
        if server.is_empty() || tool.is_empty() {
            return None;
        }
        let tool = (tool != "*").then(|| tool.to_owned());
        Some(Self { server: server.to_owned(), tool })
    }

    /// Whether it matches this tool, exactly as spelled.
    pub fn matches(&self, tool: &ToolRef) -> bool {
        self.server == tool.server && self.tool.as_ref().is_none_or(|own| *own == tool.tool)
    }

    /// Whether it matches every tool that `other` matches.
    pub fn covers(&self, other: &Self) -> bool {
        self.server == other.server && (self.tool.is_none() || self.tool == other.tool)
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}__{}", self.server, self.tool.as_deref().unwrap_or("*"))
    }
}

/// A folder of a program's view of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The typed APIs: read-only.
    Servers,
    /// Saved programs.
    Skills,
    /// Files of the session.
    Workspace,
}

impl Scope {
    /// Every folder.
    pub const ALL: [Self; 3] = [Self::Servers, Self::Skills, Self::Workspace];

    /// Its name in programs and in a configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Servers => "servers",
            Self::Skills => "skills",
            Self::Workspace => "workspace",
        }
    }
}

/// What `fetch` may reach, the strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NetworkAccess {
    /// Nothing.
    None,
    /// What the rules of the configuration allow.
    Configured,
}

impl NetworkAccess {
    /// Every value.
    pub const ALL: [Self; 2] = [Self::None, Self::Configured];

    /// The word for it in a configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Configured => "configured",
        }
    }
}

/// The hosts that one profile allows and denies, within the configured network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostLists {
    /// The profile that has them.
    pub profile: String,
    /// The only hosts that can be reached; all if absent.
    pub allow: Option<Vec<NetworkRule>>,
    /// Hosts that cannot be reached.
    pub deny: Vec<NetworkRule>,
}

/// Which of the configured commands are available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandAccess {
    /// All of them.
    All,
    /// Those with these names.
    Only(BTreeSet<String>),
}

impl CommandAccess {
    /// Whether a command is available.
    pub fn includes(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(name),
        }
    }
}

/// Ceilings of a profile. An absent limit is bounded by the configuration alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LimitCeilings(pub BTreeMap<LimitName, u64>);

impl LimitCeilings {
    /// These limits, each lowered to its ceiling.
    #[must_use]
    pub fn narrow(&self, mut limits: Limits) -> Limits {
        for (name, ceiling) in &self.0 {
            let most = name.of(&limits);
            name.set(&mut limits, most.min(*ceiling));
        }
        limits
    }
}

/// The limits of a run by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LimitName {
    /// Wall-clock time.
    Time,
    /// CPU time.
    Cpu,
    /// Memory.
    Memory,
    /// Private files of the run.
    Disk,
    /// Logs and output together.
    Output,
    /// Tool calls in total.
    ToolCalls,
    /// Concurrent tool calls.
    ParallelCalls,
    /// Processes and threads.
    Processes,
}

impl LimitName {
    /// Its key in a configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Disk => "disk",
            Self::Output => "output",
            Self::ToolCalls => "tool_calls",
            Self::ParallelCalls => "parallel_calls",
            Self::Processes => "processes",
        }
    }

    /// The value of this limit in `limits`: milliseconds, bytes or a count.
    pub fn of(self, limits: &Limits) -> u64 {
        let milliseconds =
            |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        match self {
            Self::Time => milliseconds(limits.time),
            Self::Cpu => milliseconds(limits.cpu),
            Self::Memory => limits.memory_bytes,
            Self::Disk => limits.disk_bytes,
            Self::Output => limits.output_bytes,
            Self::ToolCalls => limits.tool_calls.into(),
            Self::ParallelCalls => limits.parallel_calls.into(),
            Self::Processes => limits.processes.into(),
        }
    }

    fn set(self, limits: &mut Limits, value: u64) {
        let count = u32::try_from(value).unwrap_or(u32::MAX);
        match self {
            Self::Time => limits.time = std::time::Duration::from_millis(value),
            Self::Cpu => limits.cpu = std::time::Duration::from_millis(value),
            Self::Memory => limits.memory_bytes = value,
            Self::Disk => limits.disk_bytes = value,
            Self::Output => limits.output_bytes = value,
            Self::ToolCalls => limits.tool_calls = count,
            Self::ParallelCalls => limits.parallel_calls = count,
            Self::Processes => limits.processes = count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LimitCeilings, LimitName, Profile, ToolPattern};
    use crate::limits::Limits;
    use crate::tool::ToolRef;

    #[test]
    fn a_pattern_names_one_tool_or_all_of_a_server_exactly() {
        let all = ToolPattern::parse("git__*").unwrap();
        let one = ToolPattern::parse("git__git_log").unwrap();
        assert!(all.covers(&one) && all.covers(&all) && !one.covers(&all));
        assert!(one.matches(&ToolRef::new("git", "git_log")));
        for other in [("git", "git_logs"), ("git", "GIT_LOG"), ("Git", "git_log"), ("git", "*")] {
            assert!(!one.matches(&ToolRef::new(other.0, other.1)), "{other:?}");
        }
        for nothing in ["", "git", "git__", "__git", "git_log"] {
            assert_eq!(ToolPattern::parse(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn a_ceiling_only_lowers() {
        let limits = Limits::default();
        let ceilings = |value| LimitCeilings([(LimitName::ToolCalls, value)].into());
        assert_eq!(ceilings(5).narrow(limits.clone()).tool_calls, 5);
        assert_eq!(ceilings(u64::MAX).narrow(limits.clone()), limits);
    }

    #[test]
    fn no_built_in_profile_is_wider_than_the_one_above_it() {
        let [read_only, restricted, strict, default, full] = Profile::built_in();
        let no_wider = |narrow: &Profile, wide: &Profile| {
            assert!(narrow.effects <= wide.effects && narrow.network <= wide.network);
            assert!(narrow.read.is_subset(&wide.read) && narrow.write.is_subset(&wide.write));
            assert!(!narrow.commands.includes("x") || wide.commands.includes("x"));
        };
        no_wider(&read_only, &restricted);
        no_wider(&restricted, &default);
        // Stricter in what it may use, not in which tools it may call.
        no_wider(&strict, &default);
        no_wider(&default, &full);
        assert_eq!(
            [read_only, restricted, strict, default, full].map(|profile| profile.name),
            ["read_only", "write_restricted", "strict", "default", "execute_full"]
        );
    }
}
