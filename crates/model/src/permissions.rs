//! What a run may do, as data: profiles and the patterns in them.
//!
//! Made by the configuration, where a profile can only narrow the one that it
//! extends; decided on in `policy`. Nothing here decides.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::limits::Limits;
use crate::ruling::Effect;
use crate::tool::ToolRef;

/// A named set of permissions, complete: what it extends is already in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// As in the configuration, and in refusals.
    pub name: String,
    /// What a tool may do at most.
    pub effects: Effects,
    /// If present, only these tools.
    pub allow: Option<Vec<ToolPattern>>,
    /// None of these tools.
    pub deny: Vec<ToolPattern>,
    /// Folders of the program's view that can be read.
    pub read: BTreeSet<Scope>,
    /// Folders of the program's view that can be written to.
    pub write: BTreeSet<Scope>,
    /// What `fetch` may reach.
    pub network: NetworkAccess,
    /// Which host commands there are.
    pub commands: CommandAccess,
    /// Ceilings of a run; each at most the configured one.
    pub limits: LimitCeilings,
}

impl Profile {
    /// The profile that holds if the configuration names none: every tool of the
    /// configured servers, the configured network, and no command.
    pub const DEFAULT: &'static str = "default";

    /// The profile of programs that were found to be risky. Chosen: what an honest one
    /// of that kind needs, and an attack does not like.
    pub const STRICT: &'static str = "strict";

    /// The profiles that are always there, the narrowest first.
    pub fn built_in() -> [Self; 5] {
        let all = BTreeSet::from(Scope::ALL);
        let full = Self {
            name: "execute_full".into(),
            effects: Effects::All,
            allow: None,
            deny: Vec::new(),
            read: all.clone(),
            write: BTreeSet::from([Scope::Skills, Scope::Workspace]),
            network: NetworkAccess::Configured,
            commands: CommandAccess::All,
            limits: LimitCeilings::default(),
        };
        let none = CommandAccess::Only(BTreeSet::new());
        let restricted = Self {
            name: "write_restricted".into(),
            effects: Effects::Additive,
            network: NetworkAccess::None,
            commands: none.clone(),
            ..full.clone()
        };
        let read_only = Self {
            name: "read_only".into(),
            effects: Effects::ReadOnly,
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

/// What a profile lets tools do, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effects {
    /// Change nothing.
    ReadOnly,
    /// Also add, and destroy nothing.
    Additive,
    /// Anything.
    All,
}

impl Effects {
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

    /// Whether a tool that does this is allowed. One of which nothing is known may do
    /// anything, as MCP has it.
    pub const fn allows(self, effect: Effect) -> bool {
        match effect {
            Effect::ReadOnly => true,
            Effect::Additive => matches!(self, Self::Additive | Self::All),
            Effect::Destructive | Effect::Unknown => matches!(self, Self::All),
        }
    }
}

/// What the user says about tools. It counts more than what servers claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolWords {
    /// These change nothing.
    pub read_only: Vec<ToolPattern>,
    /// These add, and destroy nothing.
    pub additive: Vec<ToolPattern>,
    /// These may do anything, whatever their server claims.
    pub destructive: Vec<ToolPattern>,
}

/// One tool, or all tools of a server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ToolPattern {
    /// The server, exactly.
    pub server: String,
    /// The tool, exactly; all of them if absent.
    pub tool: Option<String>,
}

impl ToolPattern {
    /// Reads `server__tool` or `server__*`.
    pub fn parse(text: &str) -> Option<Self> {
        let (server, tool) = text.split_once("__")?;
        if server.is_empty() || tool.is_empty() {
            return None;
        }
        let tool = (tool != "*").then(|| tool.to_owned());
        Some(Self { server: server.to_owned(), tool })
    }

    /// Whether it names this tool. Case and spelling count.
    pub fn matches(&self, tool: &ToolRef) -> bool {
        self.server == tool.server && self.tool.as_ref().is_none_or(|own| *own == tool.tool)
    }

    /// Whether it names everything that `other` names.
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
    /// The typed APIs. Nobody can write there.
    Servers,
    /// Programs that are kept to be used again.
    Skills,
    /// Files of the session.
    Workspace,
}

impl Scope {
    /// Every folder.
    pub const ALL: [Self; 3] = [Self::Servers, Self::Skills, Self::Workspace];

    /// Its name, in programs and in a configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Servers => "servers",
            Self::Skills => "skills",
            Self::Workspace => "workspace",
        }
    }
}

/// What `fetch` may reach, the least first.
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

/// Which of the configured commands there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandAccess {
    /// All of them.
    All,
    /// Those with these names.
    Only(BTreeSet<String>),
}

impl CommandAccess {
    /// Whether a command is among them.
    pub fn includes(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(name),
        }
    }
}

/// Ceilings of a profile. What is absent is limited by the configuration alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LimitCeilings(pub BTreeMap<LimitName, u64>);

impl LimitCeilings {
    /// The limits, none of them above its ceiling.
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
    /// Private files.
    Disk,
    /// Logs and output.
    Output,
    /// Calls in all.
    ToolCalls,
    /// Calls at once.
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

    /// The value in some limits: milliseconds, bytes or a count.
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
