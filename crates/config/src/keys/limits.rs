//! Keys of `[limits]`, which the limits of a profile share.

use tidegate_model::Limits;

use crate::keys::key::{Key, Kind, MIN_MEMORY};
use crate::quantity::{show_duration, show_size};

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
        kind: Kind::Size { least: MIN_MEMORY },
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
        doc: "All tool calls of a run.",
    },
    Key {
        id: LimitKey::ParallelCalls,
        toml: &["parallel_calls"],
        json: &[],
        kind: Kind::Count { most: 1024 },
        default: default_parallel_calls,
        doc: "Concurrent tool calls of a run.",
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

pub(crate) fn default_time() -> String {
    format!("`{}`", show_duration(Limits::default().time))
}

fn default_cpu() -> String {
    format!("`{}`", show_duration(Limits::default().cpu))
}

pub(crate) fn default_memory() -> String {
    format!("`{}`", show_size(Limits::default().memory_bytes))
}

pub(crate) fn default_disk() -> String {
    format!("`{}`", show_size(Limits::default().disk_bytes))
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

fn default_processes() -> String {
    format!("`{}`", Limits::default().processes)
}
