//! Keys of `mcpCodeExecution`, which configures code execution in a client's file.

use crate::keys::checks::{
    PYTHON_CHECKER_DOC, TSC_DOC, TYPE_CHECK_DOC, TYPE_CHECK_WORDS, default_type_check,
};
use crate::keys::key::{Key, Kind, MIN_MEMORY, found, nothing, process, see_below, yes};
use crate::keys::limits::{default_disk, default_memory, default_time};

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
        doc: "`false` is ignored with a warning: running code is what tidegate is for.",
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
        doc: "The lowest risk level that is used to choose the sandbox of a program: `risk.least`, \
              where `strict` is `critical`.",
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
        default: yes,
        doc: "Whether personal data on its way to the model is replaced by tokens: `privacy.mode`, \
              where `true` is `boundary`, and `false` is `off`.",
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
        kind: Kind::Size { least: MIN_MEMORY },
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
