//! The kinds of sandboxes, the weakest first.

use serde::{Deserialize, Serialize};

/// A kind of sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxKind {
    /// A jailed process with the limits of the run.
    Process,
    /// The same, with the profile `strict`: no network, no commands, nothing written,
    /// narrow limits, every layer enforced.
    Strict,
    /// A container.
    Docker,
    /// A virtual machine.
    Vm,
}

impl SandboxKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Process, Self::Strict, Self::Docker, Self::Vm];

    /// Its text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Strict => "strict",
            Self::Docker => "docker",
            Self::Vm => "vm",
        }
    }
}
