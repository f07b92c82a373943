//! Every key that a configuration can hold, declared once.
//!
//! The reader takes its known keys, spellings and types from here, and
//! `reference_page` renders the same tables. Each section has an enum of ids,
//! so that a new key does not compile until the reader handles it.

use std::time::Duration;

use tidegate_model::{Engine, Isolation, Limits};

use crate::quantity::{LARGEST, LONGEST, show_duration, show_size};
use crate::settings::{Capacity, TypeCheck};
use crate::source::Format;

/// One key of a section.
pub(crate) struct Key<Id: 'static> {
    /// What the reader matches on.
    pub(crate) id: Id,
    /// Spellings in `tidegate.toml`; none if the key is not for that file.
    pub(crate) toml: &'static [&'static str],
    /// Spellings in a client's file, the preferred one first.
    pub(crate) json: &'static [&'static str],
    /// What the key takes.
    pub(crate) kind: Kind,
    /// What holds if the key is absent, for the reference page.
    pub(crate) default: fn() -> String,
    /// What the key does, for the reference page.
    pub(crate) doc: &'static str,
}

impl<Id> Key<Id> {
    /// How the key is spelled in a format.
    pub(crate) fn spellings(&self, format: Format) -> &'static [&'static str] {
        match format {
            Format::Toml => self.toml,
            Format::Json => self.json,
        }
    }
}

/// What a key takes.
pub(crate) enum Kind {
    /// Text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of text.
    TextList,
    /// A list of these words.
    WordList(&'static [&'static str]),
    /// Names with text.
    TextMap,
    /// `true` or `false`.
    Flag,
    /// A duration, from 1 ms to 1 day.
    Duration,
    /// A size, from `least` to 1 TiB.
    Size { least: u64 },
    /// A whole number from 1 to `most`.
    Count { most: u32 },
    /// Text, or a list of text.
    Texts,
    /// Names with text or lists of text.
    TextsMap,
    /// More keys.
    Section,
    /// A list of sections.
    Sections,
    /// Anything: a client's own key. If ignoring it changes what the file
    /// means, `warning` says how.
    Foreign { warning: Option<&'static str> },
}

impl Kind {
    /// What the key takes, with an article, in the words of the format.
    pub(crate) fn expected(&self, format: Format) -> String {
        let table = match format {
            Format::Toml => "a table",
            Format::Json => "an object",
        };
        match self {
            Self::Text => "text".into(),
            Self::Word(words) => format!("one of {}", listed(words)),
            Self::TextList => "a list of text".into(),
            Self::WordList(words) => format!("a list of {}", listed(words)),
            Self::TextMap => format!("{table} of text"),
            Self::Flag => "true or false".into(),
            Self::Duration => "a duration such as \"30s\"".into(),
            Self::Size { .. } => "a size such as \"256MB\"".into(),
            Self::Count { .. } => "a whole number".into(),
            Self::Texts => "text or a list of text".into(),
            Self::TextsMap => format!("{table} of text or lists of text"),
            Self::Section => table.into(),
            Self::Sections => "a list of tables".into(),
            Self::Foreign { .. } => "anything".into(),
        }
    }

    /// The smallest and the largest value, as text, if the kind has a range.
    pub(crate) fn range(&self) -> Option<(String, String)> {
        match self {
            Self::Duration => {
                Some((show_duration(Duration::from_millis(1)), show_duration(LONGEST)))
            }
            Self::Size { least } => Some((show_size(*least), show_size(LARGEST))),
            Self::Count { most } => Some(("1".into(), most.to_string())),
            Self::Text
            | Self::Word(_)
            | Self::TextList
            | Self::WordList(_)
            | Self::TextMap
            | Self::Flag
            | Self::Texts
            | Self::TextsMap
            | Self::Section
            | Self::Sections
            | Self::Foreign { .. } => None,
        }
    }
}

/// Words in back-ticks with commas between.
pub(crate) fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}

/// Less memory than this does not hold an engine; a smaller number is surely
/// one without its unit.
pub(crate) const LEAST_MEMORY: u64 = 1 << 20;

/// Keys at the top of a file.
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
        doc: "What runs programs, and how well it must keep them in.",
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

/// Keys of `[limits]`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitKey {
    Time,
    Cpu,
    Memory,
    Disk,
    Output,
    ToolCalls,
    ParallelCalls,
    Processes,
}

pub(crate) const LIMITS: &[Key<LimitKey>] = &[
    Key {
        id: LimitKey::Time,
        toml: &["time"],
        json: &[],
        kind: Kind::Duration,
        default: default_time,
        doc: "The longest a run may take.",
    },
    Key {
        id: LimitKey::Cpu,
        toml: &["cpu"],
        json: &[],
        kind: Kind::Duration,
        default: default_cpu,
        doc: "The CPU time a run may use, all its threads together.",
    },
    Key {
        id: LimitKey::Memory,
        toml: &["memory"],
        json: &[],
        kind: Kind::Size { least: LEAST_MEMORY },
        default: default_memory,
        doc: "The memory of a run.",
    },
    Key {
        id: LimitKey::Disk,
        toml: &["disk"],
        json: &[],
        kind: Kind::Size { least: 4096 },
        default: default_disk,
        doc: "What a run may write to its private files.",
    },
    Key {
        id: LimitKey::Output,
        toml: &["output"],
        json: &[],
        kind: Kind::Size { least: 1 },
        default: default_output,
        doc: "Logs and output of a run together.",
    },
    Key {
        id: LimitKey::ToolCalls,
        toml: &["tool_calls"],
        json: &[],
        kind: Kind::Count { most: 1_000_000 },
        default: default_tool_calls,
        doc: "Tool calls of a run in all.",
    },
    Key {
        id: LimitKey::ParallelCalls,
        toml: &["parallel_calls"],
        json: &[],
        kind: Kind::Count { most: 1024 },
        default: default_parallel_calls,
        doc: "Tool calls of a run under way at once.",
    },
    Key {
        id: LimitKey::Processes,
        toml: &["processes"],
        json: &[],
        kind: Kind::Count { most: 4096 },
        default: default_processes,
        doc: "Processes and threads of a run at once.",
    },
];

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
        doc: "The least that a worker must prove before it gets a program. `strict`: every layer. \
              `reduced`: namespaces may be missing, as in a default container. `any`: a plain \
              process will do.",
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
        doc: "The executable of Deno, version 2 or later; no other one is looked for then. `~/` at \
              the start is the home folder; a relative path counts from the workspace folder.",
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
        doc: "Runs that exist at once. More wait for their turn.",
    },
    Key {
        id: SandboxKey::MaxRunsPerSession,
        toml: &["max_runs_per_session"],
        json: &[],
        kind: Kind::Count { most: 100_000 },
        default: half_of_max_runs,
        doc: "Runs of one session at once. More wait for their turn.",
    },
    Key {
        id: SandboxKey::MaxWaiting,
        toml: &["max_waiting"],
        json: &[],
        kind: Kind::Count { most: 100_000 },
        default: default_max_waiting,
        doc: "Runs that wait for their turn. More are refused with `sandbox.busy`.",
    },
    Key {
        id: SandboxKey::WarmWorkers,
        toml: &["warm_workers"],
        json: &[],
        kind: Kind::Count { most: 1024 },
        default: default_warm_workers,
        doc: "Workers that are kept ready for the next runs at most.",
    },
];

/// Keys of `[checks]`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckKey {
    Types,
    Tsc,
    Python,
    Patterns,
}

pub(crate) const CHECKS: &[Key<CheckKey>] = &[
    Key {
        id: CheckKey::Types,
        toml: &["types"],
        json: &[],
        kind: Kind::Word(TYPE_CHECK_WORDS),
        default: default_type_check,
        doc: TYPE_CHECK_DOC,
    },
    Key {
        id: CheckKey::Tsc,
        toml: &["tsc"],
        json: &[],
        kind: Kind::Text,
        default: found,
        doc: TSC_DOC,
    },
    Key {
        id: CheckKey::Python,
        toml: &["python"],
        json: &[],
        kind: Kind::Text,
        default: found,
        doc: PYTHON_CHECKER_DOC,
    },
    Key {
        id: CheckKey::Patterns,
        toml: &["patterns"],
        json: &[],
        kind: Kind::TextList,
        default: only_ours,
        doc: "Files with rules of your own about what programs do, beside those that come with \
              Tidegate. `~/` at the start is the home folder; a relative path counts from the \
              workspace folder. See [validation.md](validation.md).",
    },
];

fn only_ours() -> String {
    "none".into()
}

pub(crate) const TYPE_CHECK_WORDS: &[&str] = &[
    TypeCheck::Auto.as_str(),
    TypeCheck::Off.as_str(),
    TypeCheck::Warn.as_str(),
    TypeCheck::Strict.as_str(),
];

pub(crate) const TYPE_CHECK_DOC: &str = "What the type check of a program does. `auto`: a program whose \
    arguments do not fit the declared input types is refused before it runs; what concerns results \
    is a warning with the answer. `off`: no type check. `warn`: everything is only a warning. \
    `strict`: every type error refuses the program.";

pub(crate) const TSC_DOC: &str = "TypeScript's native compiler, version 7 or later; no other one is looked \
    for then. `~/` at the start is the home folder; a relative path counts from the workspace \
    folder.";

pub(crate) const PYTHON_CHECKER_DOC: &str = "The type checker of Python, ty or pyright; no other one is looked \
    for then. `~/` at the start is the home folder; a relative path counts from the workspace \
    folder.";

fn default_profile() -> String {
    format!("`{}`", tidegate_model::Profile::DEFAULT)
}

fn built_in_profiles() -> String {
    "the built-in ones".into()
}

fn no_commands() -> String {
    "no command".into()
}

pub(crate) fn nothing() -> String {
    String::new()
}

fn no_servers() -> String {
    "no server".into()
}

pub(crate) fn see_below() -> String {
    "see below".into()
}

pub(crate) fn found() -> String {
    "the first that is found".into()
}

pub(crate) fn yes() -> String {
    "`true`".into()
}

pub(crate) fn no() -> String {
    "`false`".into()
}

pub(crate) fn process() -> String {
    "`process`".into()
}

pub(crate) fn default_type_check() -> String {
    format!("`{}`", TypeCheck::default().as_str())
}

pub(crate) fn default_time() -> String {
    format!("`{}`", show_duration(Limits::default().time))
}

fn default_cpu() -> String {
    format!("`{}`", show_duration(Limits::default().cpu))
}

pub(crate) fn default_disk() -> String {
    format!("`{}`", show_size(Limits::default().disk_bytes))
}

fn default_processes() -> String {
    format!("`{}`", Limits::default().processes)
}

fn default_isolation() -> String {
    format!("`{}`", Isolation::default())
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

fn default_engine() -> String {
    format!("`{}`", Engine::default().as_str())
}

fn default_engines() -> String {
    listed(&Engine::ALL.map(Engine::as_str))
}

pub(crate) fn default_memory() -> String {
    format!("`{}`", show_size(Limits::default().memory_bytes))
}

fn default_output() -> String {
    format!("`{}`", show_size(Limits::default().output_bytes))
}

fn default_tool_calls() -> String {
    format!("`{}`", Limits::default().tool_calls)
}

fn default_parallel_calls() -> String {
    format!("`{}`", Limits::default().parallel_calls)
}
