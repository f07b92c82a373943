//! Starts, limits and ends workers (host side).
//!
//! Owns the ways to start a worker and the host's end of the wire. A [`Driver`]
//! (a process today; containers and machines later) only has to produce a byte
//! stream that speaks `wire` and a way to end what is behind it; everything
//! above sees the same [`Worker`].
//!
//! Invariant: a [`Worker`] serves one run, and when it is dropped its whole
//! process group is killed.

#[cfg(target_os = "linux")]
mod born;
mod channel;
mod command;
mod control_group;
mod demand;
mod driver;
mod engine;
mod leader;
mod loader;
mod meter;
mod pool;
mod process;
mod processes;
mod python;
mod stream;
#[cfg_attr(not(target_os = "linux"), path = "no_zygote.rs")]
mod zygote;

pub use channel::{ChannelError, FrameReader, FrameWriter};
pub use command::{CommandEnd, CommandError, CommandJob, CommandRunner, Exit, Hit};
pub use control_group::cleared;
pub use driver::{Driver, End, Ending, Life, SandboxError, Worker};
pub use engine::{EngineError, ExternalEngine, find_engine};
pub use loader::needed_files;
pub use meter::{Usage, Watch};
pub use pool::{Lease, Pool, PoolSettings};
pub use process::ProcessDriver;
pub use python::{Python, PythonError, find_python};
// For the executable, which becomes a command before it is anything else.
pub use tidegate_jail::become_command;
