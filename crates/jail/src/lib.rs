//! Confines the process it is called in, and proves it.
//!
//! In: a [`Spec`]. Out: the same code goes on in a jailed process, with an
//! [`IsolationReport`](tidegate_model::IsolationReport) of what really holds.
//! Runs in a process that was started for this, never in the gateway: what is
//! given up here cannot be taken back. Everything that confines is in this
//! crate; nothing in it knows what will run inside.
//!
//! The order, and who does what (`enter.rs`):
//!
//! ```text
//! launcher   started by the gateway: joins the control group, drops to a user
//!   │        without rights, makes the namespaces; ends everything if the
//!   │        gateway goes away
//!   └ first  process 1 of the new pid namespace: builds the private root, reaps;
//!      │     if it ends, the kernel ends everything inside
//!      └ jailed  gives up resources, files, capabilities, and with
//!                [`Confined::seal`] system calls; then tries what it must not do
//! ```
//!
//! A layer that cannot be had is reported with reason and remedy and the rest
//! goes on: whether the result is good enough is decided by the host.

#[cfg(target_os = "linux")]
mod command;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod enter;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod findings;
#[cfg(target_os = "linux")]
mod identity;
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

#[cfg(target_os = "linux")]
pub use command::{Go, Said, become_command};
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Confined, enter};
#[cfg(target_os = "linux")]
pub use enter::{Confined, enter};
pub use spec::{Access, Filter, Grant, Link, Links, ProcessLimits, Scratch, Spec};
