//! The keys of profiles, `[tools]` and host commands.

use tidegate_model::{CommandSpec, EffectCeiling, NetworkAccess, OnChange};

use crate::keys::key::{Key, Kind, MIN_MEMORY, nothing};
use crate::quantity::{show_duration, show_size};

/// Keys of one profile. Its limits have the keys of `[limits]`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProfileKey {
    Extends,
    Tools,
    Allow,
    Deny,
    Read,
    Write,
    Network,
    NetworkAllow,
    NetworkDeny,
    ApprovalRequired,
    Commands,
    Limits,
}

pub(crate) const PROFILE: &[Key<ProfileKey>] = &[
    Key {
        id: ProfileKey::Extends,
        toml: &["extends"],
        json: &[],
        kind: Kind::Text,
        default: must,
        doc: "The profile that this one narrows: `read_only`, `write_restricted`, `default`, \
              `execute_full`, or another of your own. Everything else is inherited.",
    },
    Key {
        id: ProfileKey::Tools,
        toml: &["tools"],
        json: &[],
        kind: Kind::Word(&[
            EffectCeiling::ReadOnly.as_str(),
            EffectCeiling::Additive.as_str(),
            EffectCeiling::All.as_str(),
        ]),
        default: extended,
        doc: "The most that a callable tool may do. `read_only`: change nothing. `additive`: \
              destroy nothing. The server's declaration counts, unless `[tools]` overrides it.",
    },
    Key {
        id: ProfileKey::Allow,
        toml: &["allow"],
        json: &[],
        kind: Kind::TextList,
        default: extended,
        doc: "Only these tools: `server__tool`, or `server__*` for all of a server.",
    },
    Key {
        id: ProfileKey::Deny,
        toml: &["deny"],
        json: &[],
        kind: Kind::TextList,
        default: extended,
        doc: "Tools that are denied, in addition to those denied in `extends`.",
    },
    Key {
        id: ProfileKey::Read,
        toml: &["read"],
        json: &[],
        kind: Kind::TextList,
        default: extended,
        doc: "What programs can read with `fs`: `servers`, `skills`, `workspace`.",
    },
    Key {
        id: ProfileKey::Write,
        toml: &["write"],
        json: &[],
        kind: Kind::TextList,
        default: extended,
        doc: "Where programs can write: `skills`, `workspace`. In Python, the workspace is always \
              writable, and is deleted when the run ends.",
    },
    Key {
        id: ProfileKey::Network,
        toml: &["network"],
        json: &[],
        kind: Kind::Word(&[NetworkAccess::None.as_str(), NetworkAccess::Configured.as_str()]),
        default: extended,
        doc: "`none`: no `fetch` at all. `configured`: what the rules of the network allow.",
    },
    Key {
        id: ProfileKey::NetworkAllow,
        toml: &["network_allow"],
        json: &[],
        kind: Kind::TextList,
        default: extended,
        doc: "Only these of the hosts that `[network]` allows, written like the rules of \
              `network.allow`.",
    },
    Key {
        id: ProfileKey::NetworkDeny,
        toml: &["network_deny"],
        json: &[],
        kind: Kind::TextList,
        default: extended,
        doc: "Hosts that are denied, in addition to those denied by `[network]` and in `extends`.",
    },
    Key {
        id: ProfileKey::ApprovalRequired,
        toml: &["approval_required"],
        json: &[],
        kind: Kind::Flag,
        default: extended,
        doc: "`true`: a person approves each program and each direct call.",
    },
    Key {
        id: ProfileKey::Commands,
        toml: &["commands"],
        json: &[],
        kind: Kind::TextList,
        default: extended,
        doc: "Only these commands of `[commands]`, by name.",
    },
    Key {
        id: ProfileKey::Limits,
        toml: &["limits"],
        json: &[],
        kind: Kind::Section,
        default: extended,
        doc: "Lower limits, under the keys of `[limits]`.",
    },
];

/// Keys of `[tools]`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolsKey {
    ReadOnly,
    Additive,
    Destructive,
    OnChange,
}

pub(crate) const TOOLS: &[Key<ToolsKey>] = &[
    Key {
        id: ToolsKey::ReadOnly,
        toml: &["read_only"],
        json: &[],
        kind: Kind::TextList,
        default: servers_word,
        doc: "Tools that change nothing: `server__tool` or `server__*`.",
    },
    Key {
        id: ToolsKey::Additive,
        toml: &["additive"],
        json: &[],
        kind: Kind::TextList,
        default: servers_word,
        doc: "Tools that add, and destroy nothing. Overrides `read_only`.",
    },
    Key {
        id: ToolsKey::Destructive,
        toml: &["destructive"],
        json: &[],
        kind: Kind::TextList,
        default: servers_word,
        doc: "Tools that may do anything, whatever their server says. Overrides both.",
    },
    Key {
        id: ToolsKey::OnChange,
        toml: &["on_change"],
        json: &[],
        kind: Kind::Word(&[OnChange::Mark.as_str(), OnChange::Quarantine.as_str()]),
        default: default_on_change,
        doc: "What happens to a tool that is new or changed since its server was first listed. \
              `mark`: it is marked wherever it is shown. `quarantine`: it cannot be called and \
              none of its text is shown, until `tidegate tools accept`. See \
              [untrusted-tools.md](untrusted-tools.md).",
    },
];

/// Keys of one command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandKey {
    Path,
    Args,
    Rest,
    Read,
    Write,
    Env,
    Time,
    Output,
    Memory,
}

pub(crate) const COMMAND: &[Key<CommandKey>] = &[
    Key {
        id: CommandKey::Path,
        toml: &["path"],
        json: &[],
        kind: Kind::Text,
        default: must,
        doc: "The executable: an absolute path, no shell. Links are resolved, and the file is \
              pinned, when the configuration is read.",
    },
    Key {
        id: CommandKey::Args,
        toml: &["args"],
        json: &[],
        kind: Kind::TextList,
        default: nothing,
        doc: "One pattern for each of the first arguments, all of which are required. `*`: any \
              non-empty text that does not begin with `-`. `regex:…`: text that the regular \
              expression matches completely. `exact:…`, or anything else: exactly that text.",
    },
    Key {
        id: CommandKey::Rest,
        toml: &["rest"],
        json: &[],
        kind: Kind::Text,
        default: no_more,
        doc: "A pattern for every further argument.",
    },
    Key {
        id: CommandKey::Read,
        toml: &["read"],
        json: &[],
        kind: Kind::TextList,
        default: nothing,
        doc: "Files and folders that it can read, in addition to the executable and its libraries.",
    },
    Key {
        id: CommandKey::Write,
        toml: &["write"],
        json: &[],
        kind: Kind::TextList,
        default: nothing,
        doc: "Files and folders that it can read and write.",
    },
    Key {
        id: CommandKey::Env,
        toml: &["env"],
        json: &[],
        kind: Kind::TextMap,
        default: nothing,
        doc: "Its whole environment. Variables that control the loader (`LD_…`) are refused.",
    },
    Key {
        id: CommandKey::Time,
        toml: &["time"],
        json: &[],
        kind: Kind::Duration,
        default: default_time,
        doc: "The longest it may take.",
    },
    Key {
        id: CommandKey::Output,
        toml: &["output"],
        json: &[],
        kind: Kind::Size { least: 1 },
        default: default_output,
        doc: "How much of its standard output is kept, and how much of its standard error.",
    },
    Key {
        id: CommandKey::Memory,
        toml: &["memory"],
        json: &[],
        kind: Kind::Size { least: MIN_MEMORY },
        default: default_memory,
        doc: "The memory of all its processes.",
    },
];

fn must() -> String {
    "must be given".into()
}

fn extended() -> String {
    "as in `extends`".into()
}

fn servers_word() -> String {
    "as the servers say".into()
}

fn default_on_change() -> String {
    format!("`{}`", OnChange::default().as_str())
}

fn no_more() -> String {
    "no arguments".into()
}

fn default_time() -> String {
    format!("`{}`", show_duration(CommandSpec::DEFAULT_TIME))
}

fn default_output() -> String {
    format!("`{}`", show_size(CommandSpec::DEFAULT_OUTPUT_BYTES))
}

fn default_memory() -> String {
    format!("`{}`", show_size(CommandSpec::DEFAULT_MEMORY_BYTES))
}
