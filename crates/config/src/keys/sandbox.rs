//! Keys of `[sandbox]`.

use tidegate_model::{Engine, Isolation};

use crate::keys::key::{Key, Kind, found, listed};
use crate::settings::sandbox::Capacity;

/// Keys of `[sandbox]`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SandboxKey {
    MinIsolation,
    Engine,
    Engines,
    Deno,
    Node,
    MaxRuns,
    MaxRunsPerSession,
    MaxWaiting,
    WarmWorkers,
}

pub(crate) const SANDBOX: &[Key<SandboxKey>] = &[
    Key {
        id: SandboxKey::MinIsolation,
        toml: &["min_isolation"],
        json: &[],
        kind: Kind::Word(&["any", "reduced", "strict"]),
        default: default_isolation,
        doc: "The isolation that a worker must prove before it gets a program. `strict`: every \
              layer. `reduced`: namespaces may be missing, as in a default container. `any`: a \
              plain process suffices.",
    },
    Key {
        id: SandboxKey::Engine,
        toml: &["engine"],
        json: &[],
        kind: Kind::Word(&["quickjs", "deno", "node"]),
        default: default_engine,
        doc: "What runs a program that does not ask for an engine. See engines.md.",
    },
    Key {
        id: SandboxKey::Engines,
        toml: &["engines"],
        json: &[],
        kind: Kind::WordList(&["quickjs", "deno", "node"]),
        default: default_engines,
        doc: "The engines that may run programs; `engine` is one of them. A program that asks for \
              another is refused.",
    },
    Key {
        id: SandboxKey::Deno,
        toml: &["deno"],
        json: &[],
        kind: Kind::Text,
        default: found,
        doc: "The executable of Deno, version 2 or later; if set, no other is searched for. `~/` \
              at the start is the home folder; a relative path counts from the workspace folder.",
    },
    Key {
        id: SandboxKey::Node,
        toml: &["node"],
        json: &[],
        kind: Kind::Text,
        default: found,
        doc: "The executable of Node, version 20 or later, in the same way.",
    },
    Key {
        id: SandboxKey::MaxRuns,
        toml: &["max_runs"],
        json: &[],
        kind: Kind::Count { most: 100_000 },
        default: by_memory,
        doc: "The most concurrent runs. Further runs wait for their turn.",
    },
    Key {
        id: SandboxKey::MaxRunsPerSession,
        toml: &["max_runs_per_session"],
        json: &[],
        kind: Kind::Count { most: 100_000 },
        default: half_of_max_runs,
        doc: "The most concurrent runs of one session. Further runs wait for their turn.",
    },
    Key {
        id: SandboxKey::MaxWaiting,
        toml: &["max_waiting"],
        json: &[],
        kind: Kind::Count { most: 100_000 },
        default: default_max_waiting,
        doc: "The most waiting runs. Further runs are refused with `sandbox.busy`.",
    },
    Key {
        id: SandboxKey::WarmWorkers,
        toml: &["warm_workers"],
        json: &[],
        kind: Kind::Count { most: 1024 },
        default: default_warm_workers,
        doc: "The most workers that are kept ready for further runs.",
    },
];

fn default_isolation() -> String {
    format!("`{}`", Isolation::default())
}

fn default_engine() -> String {
    format!("`{}`", Engine::default().as_str())
}

fn default_engines() -> String {
    listed(&Engine::ALL.map(Engine::as_str))
}

fn by_memory() -> String {
    "one per 16 MB of memory, as far as descriptors allow, 32 to 1024".into()
}

fn half_of_max_runs() -> String {
    "half of `max_runs`".into()
}

fn default_max_waiting() -> String {
    format!("`{}`", Capacity::default().max_waiting)
}

fn default_warm_workers() -> String {
    format!("`{}`", Capacity::default().warm_workers)
}
