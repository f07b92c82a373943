//! Every key that a configuration can hold, declared once.
//!
//! The reader takes its known keys, spellings and types from here, and
//! `reference_page` renders the same tables. Each section has an enum of ids,
//! so that a new key does not compile until the reader handles it.

use std::time::Duration;

use tidegate_model::{Engine, Isolation, Limits};

use crate::quantity::{LARGEST, LONGEST, show_duration, show_size};
use crate::settings::{
    Capacity, DEFAULT_CONNECT_TIMEOUT, DEFAULT_MAX_CONCURRENT, DEFAULT_TIMEOUT, TypeCheck,
};
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
    /// More keys.
    Section,
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
            Self::Section => table.into(),
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
            | Self::Section
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
    Network,
    Profile,
    Profiles,
    Tools,
    Commands,
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
        id: TopKey::Commands,
        toml: &["commands"],
        json: &[],
        kind: Kind::Section,
        default: no_commands,
        doc: "Commands of the host that programs may run, by name.",
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

/// Keys of one server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerKey {
    Command,
    Args,
    Env,
    Cwd,
    Url,
    Headers,
    Type,
    Timeout,
    ConnectTimeout,
    MaxConcurrent,
    Enabled,
    Disabled,
    Foreign,
}

pub(crate) const SERVER: &[Key<ServerKey>] = &[
    Key {
        id: ServerKey::Command,
        toml: &["command"],
        json: &["command"],
        kind: Kind::Text,
        default: nothing,
        doc: "The executable of a local server. `~/` at the start is the home folder. It is looked \
              up on `PATH` when the server is started.",
    },
    Key {
        id: ServerKey::Args,
        toml: &["args"],
        json: &["args"],
        kind: Kind::TextList,
        default: nothing,
        doc: "Arguments of the command.",
    },
    Key {
        id: ServerKey::Env,
        toml: &["env"],
        json: &["env"],
        kind: Kind::TextMap,
        default: nothing,
        doc: "Variables added to the environment of the command.",
    },
    Key {
        id: ServerKey::Cwd,
        toml: &["cwd"],
        json: &["cwd"],
        kind: Kind::Text,
        default: own_folder,
        doc: "The folder in which the command runs. `~/` at the start is the home folder; a relative \
              path counts from the workspace folder.",
    },
    Key {
        id: ServerKey::Url,
        toml: &["url"],
        json: &["url", "serverUrl", "httpUrl"],
        kind: Kind::Text,
        default: nothing,
        doc: "The Streamable HTTP endpoint of a remote server, `http` or `https`.",
    },
    Key {
        id: ServerKey::Headers,
        toml: &["headers"],
        json: &["headers"],
        kind: Kind::TextMap,
        default: nothing,
        doc: "Request headers for a remote server.",
    },
    Key {
        id: ServerKey::Type,
        toml: &["type"],
        json: &["type"],
        kind: Kind::Word(&[
            "stdio",
            "http",
            "streamable-http",
            "streamable_http",
            "streamableHttp",
            "sse",
            "local",
            "remote",
        ]),
        default: follows_transport,
        doc: "Says what `command` or `url` says already, and must agree with it. The old transport \
              `sse` is refused.",
    },
    Key {
        id: ServerKey::Timeout,
        toml: &["timeout"],
        json: &["timeout"],
        kind: Kind::Duration,
        default: default_timeout,
        doc: "The longest one request may take.",
    },
    Key {
        id: ServerKey::ConnectTimeout,
        toml: &["connect_timeout"],
        json: &["connectTimeout", "connect_timeout"],
        kind: Kind::Duration,
        default: default_connect_timeout,
        doc: "The longest the start and the handshake may take.",
    },
    Key {
        id: ServerKey::MaxConcurrent,
        toml: &["max_concurrent"],
        json: &["maxConcurrent", "max_concurrent"],
        kind: Kind::Count { most: 1024 },
        default: default_max_concurrent,
        doc: "How many requests may be under way at once.",
    },
    Key {
        id: ServerKey::Enabled,
        toml: &["enabled"],
        json: &["enabled"],
        kind: Kind::Flag,
        default: yes,
        doc: "`false` leaves the server out.",
    },
    Key {
        id: ServerKey::Disabled,
        toml: &[],
        json: &["disabled"],
        kind: Kind::Flag,
        default: no,
        doc: "`true` leaves the server out.",
    },
    foreign(&["alwaysAllow"], None, "A client's own key, ignored."),
    foreign(&["autoApprove"], None, "A client's own key, ignored."),
    foreign(&["description"], None, "A client's own key, ignored."),
    foreign(&["trust"], None, "A client's own key, ignored."),
    foreign(&["tools"], None, "A client's own key, ignored."),
    foreign(&["metadata"], None, "A client's own key, ignored."),
    foreign(
        &["includeTools"],
        Some("every tool of the server is offered"),
        "Ignored with a warning: every tool of the server is offered.",
    ),
    foreign(
        &["excludeTools"],
        Some("every tool of the server is offered"),
        "Ignored with a warning: every tool of the server is offered.",
    ),
    foreign(
        &["envFile"],
        Some("the file is not read, so write its variables under `env`"),
        "Ignored with a warning: the file is not read. Write its variables under `env`.",
    ),
    foreign(
        &["oauth"],
        Some("no OAuth login is made, so write a token under `headers`"),
        "Ignored with a warning: no OAuth login is made. Write a token under `headers`.",
    ),
];

/// A key that clients write for themselves.
const fn foreign(
    json: &'static [&'static str],
    warning: Option<&'static str>,
    doc: &'static str,
) -> Key<ServerKey> {
    let kind = Kind::Foreign { warning };
    Key { id: ServerKey::Foreign, toml: &[], json, kind, default: nothing, doc }
}

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
];

const TYPE_CHECK_WORDS: &[&str] = &[
    TypeCheck::Auto.as_str(),
    TypeCheck::Off.as_str(),
    TypeCheck::Warn.as_str(),
    TypeCheck::Strict.as_str(),
];

const TYPE_CHECK_DOC: &str = "What the type check of a program does. `auto`: a program whose \
    arguments do not fit the declared input types is refused before it runs; what concerns results \
    is a warning with the answer. `off`: no type check. `warn`: everything is only a warning. \
    `strict`: every type error refuses the program.";

const TSC_DOC: &str = "TypeScript's native compiler, version 7 or later; no other one is looked \
    for then. `~/` at the start is the home folder; a relative path counts from the workspace \
    folder.";

const PYTHON_CHECKER_DOC: &str = "The type checker of Python, ty or pyright; no other one is looked \
    for then. `~/` at the start is the home folder; a relative path counts from the workspace \
    folder.";

/// Keys of `mcpCodeExecution`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExecutionKey {
    Enabled,
    SandboxMode,
    SecurityLevel,
    MaxExecutionTime,
    PiiTokenization,
    AuditLogging,
    TypeCheck,
    Tsc,
    PythonChecker,
    Network,
    ResourceLimits,
}

pub(crate) const EXECUTION: &[Key<ExecutionKey>] = &[
    Key {
        id: ExecutionKey::Enabled,
        toml: &[],
        json: &["enabled"],
        kind: Kind::Flag,
        default: yes,
        doc: "`false` is ignored with a warning: code is what tidegate is started for.",
    },
    Key {
        id: ExecutionKey::SandboxMode,
        toml: &[],
        json: &["sandboxMode"],
        kind: Kind::Word(&["process", "docker", "vm"]),
        default: process,
        doc: "`process`. This version has no other sandbox, so `docker` and `vm` are refused.",
    },
    Key {
        id: ExecutionKey::SecurityLevel,
        toml: &[],
        json: &["securityLevel"],
        kind: Kind::Word(&["low", "medium", "high", "strict"]),
        default: nothing,
        doc: "Ignored with a warning: it has no effect yet.",
    },
    Key {
        id: ExecutionKey::MaxExecutionTime,
        toml: &[],
        json: &["maxExecutionTime"],
        kind: Kind::Duration,
        default: default_time,
        doc: "The longest a run may take.",
    },
    Key {
        id: ExecutionKey::PiiTokenization,
        toml: &[],
        json: &["piiTokenization"],
        kind: Kind::Flag,
        default: no,
        doc: "`true` is ignored with a warning: it is not available yet, so results are NOT \
              tokenized.",
    },
    Key {
        id: ExecutionKey::AuditLogging,
        toml: &[],
        json: &["auditLogging"],
        kind: Kind::Flag,
        default: yes,
        doc: "`false` is ignored with a warning: runs and calls are always recorded.",
    },
    Key {
        id: ExecutionKey::TypeCheck,
        toml: &[],
        json: &["typeCheck"],
        kind: Kind::Word(TYPE_CHECK_WORDS),
        default: default_type_check,
        doc: TYPE_CHECK_DOC,
    },
    Key {
        id: ExecutionKey::Tsc,
        toml: &[],
        json: &["tsc"],
        kind: Kind::Text,
        default: found,
        doc: TSC_DOC,
    },
    Key {
        id: ExecutionKey::PythonChecker,
        toml: &[],
        json: &["pythonChecker"],
        kind: Kind::Text,
        default: found,
        doc: PYTHON_CHECKER_DOC,
    },
    Key {
        id: ExecutionKey::Network,
        toml: &[],
        json: &["network"],
        kind: Kind::Section,
        default: see_below,
        doc: "What programs may reach with `fetch`. See [network.md](network.md).",
    },
    Key {
        id: ExecutionKey::ResourceLimits,
        toml: &[],
        json: &["resourceLimits"],
        kind: Kind::Section,
        default: see_below,
        doc: "What one run may use.",
    },
];

/// Keys of `mcpCodeExecution.resourceLimits`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResourceKey {
    Memory,
    Disk,
    Unenforced,
}

pub(crate) const RESOURCES: &[Key<ResourceKey>] = &[
    Key {
        id: ResourceKey::Memory,
        toml: &[],
        json: &["memory"],
        kind: Kind::Size { least: LEAST_MEMORY },
        default: default_memory,
        doc: "The heap of a run.",
    },
    Key {
        id: ResourceKey::Unenforced,
        toml: &[],
        json: &["cpu"],
        kind: Kind::Foreign { warning: Some("CPU time is limited, the number of cores is not") },
        default: nothing,
        doc: "Ignored with a warning: CPU time is limited, the number of cores is not.",
    },
    Key {
        id: ResourceKey::Disk,
        toml: &[],
        json: &["disk"],
        kind: Kind::Size { least: 4096 },
        default: default_disk,
        doc: "What a run may write to its private files.",
    },
];

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

fn see_below() -> String {
    "see below".into()
}

fn own_folder() -> String {
    "the gateway's own".into()
}

fn follows_transport() -> String {
    "from `command` or `url`".into()
}

pub(crate) fn found() -> String {
    "the first that is found".into()
}

pub(crate) fn yes() -> String {
    "`true`".into()
}

fn no() -> String {
    "`false`".into()
}

fn process() -> String {
    "`process`".into()
}

fn default_type_check() -> String {
    format!("`{}`", TypeCheck::default().as_str())
}

fn default_timeout() -> String {
    format!("`{}`", show_duration(DEFAULT_TIMEOUT))
}

fn default_connect_timeout() -> String {
    format!("`{}`", show_duration(DEFAULT_CONNECT_TIMEOUT))
}

fn default_max_concurrent() -> String {
    format!("`{DEFAULT_MAX_CONCURRENT}`")
}

fn default_time() -> String {
    format!("`{}`", show_duration(Limits::default().time))
}

fn default_cpu() -> String {
    format!("`{}`", show_duration(Limits::default().cpu))
}

fn default_disk() -> String {
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

fn default_memory() -> String {
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
