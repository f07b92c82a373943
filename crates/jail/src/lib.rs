//! Confines the process that calls it, and proves that the confinement holds.
//!
//! In: a [`Spec`]. Out: the same code continues in a jailed process, with an
//! [`IsolationReport`](tidegate_model::IsolationReport) of the layers that really hold.
//! It runs in a process that was started for this, never in the gateway: nothing given up
//! here can be regained. All confinement code is in this crate, and none of it knows what
//! will run inside.
//!
//! The processes, and what each of them does (`enter.rs`):
//!
//! ```text
//! launcher   started by the gateway: joins the control group, drops to an
//!   │        unprivileged user, creates the namespaces; kills everything if
//!   │        the gateway goes away
//!   └ init   process 1 of the new pid namespace: builds the private root, reaps;
//!      │     when it ends, the kernel kills everything inside
//!      └ jailed  gives up resources, files and capabilities, and with
//!                [`Confined::seal`] system calls; then tries what must fail
//! ```
//!
//! A Python zygote is a jailed process that Python workers are forked from. It enters its
//! jail the same way, but keeps the system calls that build jails. It has nothing to use
//! them on: no capability, and no file but its own. Each process forked from it is a new
//! launcher and repeats all steps (`forked_process.rs`), in a user namespace of its own
//! inside the one of the zygote.
//!
//! Readers are forked in a simpler way ([`ReaderZygote`]): the process they are forked
//! from is in a complete jail, they stay in it, and each also gives up forking before it
//! gets a program.
//!
//! A layer that is unavailable is reported with a reason and a remedy, and the remaining
//! layers are still set up. The host decides whether the result is good enough.

#[cfg(target_os = "linux")]
mod command;
mod command_protocol;
#[cfg(target_os = "linux")]
mod enter;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod findings;
#[cfg(target_os = "linux")]
mod fork_request;
#[cfg(target_os = "linux")]
mod forked_process;
#[cfg(target_os = "linux")]
mod identity;
#[cfg(target_os = "linux")]
mod landlock_rules;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
mod privileges;
#[cfg(target_os = "linux")]
mod proof;
#[cfg(target_os = "linux")]
mod reaper;
#[cfg(target_os = "linux")]
mod resources;
#[cfg(target_os = "linux")]
mod root;
mod spec;
#[cfg(target_os = "linux")]
mod syscalls;
#[cfg(any(not(target_os = "linux"), test))]
#[cfg_attr(target_os = "linux", expect(dead_code, unreachable_pub, reason = "only its tests"))]
mod unsupported;

#[cfg(target_os = "linux")]
pub use command::become_command;
pub use command_protocol::{CommandStart, CommandStatus};
#[cfg(target_os = "linux")]
pub use enter::{Confined, ForkedReader, Origin, ReaderZygote, enter};
#[cfg(target_os = "linux")]
pub use fork_request::{ForkRequest, receive_fork_request};
#[cfg(target_os = "linux")]
pub use forked_process::ForkedProcess;
pub use spec::{
    Access, Filter, Grant, Link, LinkPolicy, ProcessLimits, Scratch, Spec, ZYGOTE_LIBRARY_PATH,
};
#[cfg(not(target_os = "linux"))]
pub use unsupported::{Confined, Origin, become_command, enter};
