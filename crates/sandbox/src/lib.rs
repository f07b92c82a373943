//! Starts, limits and kills guests, on the host side.
//!
//! Owns the ways to start a guest and the host's end of the wire. A [`Driver`] (a process
//! today; containers and machines later) only has to provide a byte stream that speaks
//! `wire` and a way to kill the guest; everything above sees the same [`Worker`].
//!
//! Invariant: a [`Worker`] serves one run, and when it is dropped its whole jail is
//! killed.

mod channel;
mod command;
mod control_group;
mod demand;
mod driver;
mod engine;
#[cfg(target_os = "linux")]
mod forked_launcher;
mod guest;
mod jailed;
mod launch;
mod launcher;
mod loader;
mod meter;
mod pool;
mod process;
mod processes;
mod python;
mod spool;
mod stream;
#[cfg_attr(not(target_os = "linux"), path = "unsupported_zygote.rs")]
mod zygote;

pub use channel::{Arrived, ChannelError, FrameMemory, FrameReader, FrameWriter};
pub use command::{CommandError, CommandExit, CommandJob, CommandOutcome, CommandRunner, LimitHit};
pub use control_group::groups_removed;
pub use driver::{Driver, ExitReport, SandboxError, Termination, Worker, WorkerHandle};
pub use engine::{EngineError, ExternalEngine, find_engine};
pub use loader::needed_files;
pub use meter::{LimitWatch, Usage};
pub use pool::{Lease, Pool, PoolSettings};
pub use process::ProcessDriver;
pub use python::{Python, PythonError, find_python};
// For the executable, which may become a command before it does anything else.
pub use tidegate_jail::become_command;
