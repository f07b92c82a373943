//! Keys at the top of a file.

use tidegate_model::Profile;

use crate::keys::key::{Key, Kind, see_below};

/// Ids of the sections.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TopKey {
    Servers,
    Limits,
    Checks,
    Sandbox,
    Python,
    Search,
    Network,
    Profile,
    Profiles,
    Tools,
    Policy,
    Input,
    Commands,
    Approvals,
    Risk,
    Privacy,
    CodeExecution,
}

pub(crate) const TOP: &[Key<TopKey>] = &[
    Key {
        id: TopKey::Servers,
        toml: &["servers"],
        json: &["mcpServers", "servers"],
        kind: Kind::Section,
        default: no_servers,
        doc: "The upstream servers by name.",
    },
    Key {
        id: TopKey::Limits,
        toml: &["limits"],
        json: &[],
        kind: Kind::Section,
        default: see_below,
        doc: "What one run may use.",
    },
    Key {
        id: TopKey::Checks,
        toml: &["checks"],
        json: &[],
        kind: Kind::Section,
        default: see_below,
        doc: "What is checked before a run.",
    },
    Key {
        id: TopKey::Sandbox,
        toml: &["sandbox"],
        json: &[],
        kind: Kind::Section,
        default: see_below,
        doc: "What runs programs, and how well it must isolate them.",
    },
    Key {
        id: TopKey::Python,
        toml: &["python"],
        json: &[],
        kind: Kind::Section,
        default: see_below,
        doc: "What runs programs in Python. See [python.md](python.md).",
    },
    Key {
        id: TopKey::Search,
        toml: &["search"],
        json: &[],
        kind: Kind::Section,
        default: see_below,
        doc: "How tools are found.",
    },
    Key {
        id: TopKey::Network,
        toml: &["network"],
        json: &[],
        kind: Kind::Section,
        default: see_below,
        doc: "What programs may reach with `fetch`. See [network.md](network.md).",
    },
    Key {
        id: TopKey::Profile,
        toml: &["profile"],
        json: &[],
        kind: Kind::Text,
        default: default_profile,
        doc: "The profile that bounds every run: a built-in one or one of `[profiles]`. See \
              [permissions.md](permissions.md).",
    },
    Key {
        id: TopKey::Profiles,
        toml: &["profiles"],
        json: &[],
        kind: Kind::Section,
        default: built_in_profiles,
        doc: "Profiles of your own by name.",
    },
    Key {
        id: TopKey::Tools,
        toml: &["tools"],
        json: &[],
        kind: Kind::Section,
        default: see_below,
        doc: "What tools do, where their servers do not say or are wrong.",
    },
    Key {
        id: TopKey::Input,
        toml: &["input"],
        json: &[],
        kind: Kind::Section,
        default: see_below,
        doc: "How large programs and arguments may be.",
    },
    Key {
        id: TopKey::Policy,
        toml: &["policy"],
        json: &[],
        kind: Kind::Section,
        default: see_below,
        doc: "Where the rules for calls are. See [policy.md](policy.md).",
    },
    Key {
        id: TopKey::Commands,
        toml: &["commands"],
        json: &[],
        kind: Kind::Section,
        default: no_commands,
        doc: "Commands of the host that programs may run, by name.",
    },
    Key {
        id: TopKey::Approvals,
        toml: &["approvals"],
        json: &[],
        kind: Kind::Section,
        default: see_below,
        doc: "How a person is asked. See [approvals.md](approvals.md).",
    },
    Key {
        id: TopKey::Risk,
        toml: &["risk"],
        json: &[],
        kind: Kind::Section,
        default: see_below,
        doc: "Where programs run, by their risk. See [validation.md](validation.md).",
    },
    Key {
        id: TopKey::Privacy,
        toml: &["privacy"],
        json: &[],
        kind: Kind::Section,
        default: see_below,
        doc: "What is done about personal data. See [privacy.md](privacy.md).",
    },
    Key {
        id: TopKey::CodeExecution,
        toml: &[],
        json: &["mcpCodeExecution"],
        kind: Kind::Section,
        default: see_below,
        doc: "How code is run. What `[limits]` and `[checks]` are in `tidegate.toml`, and more.",
    },
];

fn default_profile() -> String {
    format!("`{}`", Profile::DEFAULT)
}

fn built_in_profiles() -> String {
    "the built-in ones".into()
}

fn no_commands() -> String {
    "no command".into()
}

fn no_servers() -> String {
    "no server".into()
}
