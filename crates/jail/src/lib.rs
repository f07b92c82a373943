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
//! A zygote is a jailed process that workers are forked from. It goes the same way
//! in, but keeps the system calls that make jails and nothing to use them with: no
//! capability, no file but its own. Each process that is forked from it is a new
//! launcher and goes the whole way again (`newborn.rs`), in a user namespace of its
//! own inside that of the zygote.
//!
//! Readers of programs are forked more simply ([`Forking`]): the process they are forked
//! from is in a complete jail, they stay in it, and each gives up forking as well before
//! it gets a program.
//!
//! A layer that cannot be had is reported with reason and remedy and the rest
//! goes on: whether the result is good enough is decided by the host.

#[cfg(target_os = "linux")]
mod command;
#[cfg(any(not(target_os = "linux"), test))]
#[cfg_attr(target_os = "linux", expect(dead_code, unreachable_pub, reason = "only its tests"))]
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
mod newborn;
#[cfg(target_os = "linux")]
mod order;
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
mod words;

#[cfg(target_os = "linux")]
pub use command::become_command;
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Confined, Way, become_command, enter};
#[cfg(target_os = "linux")]
pub use enter::{Confined, Forked, Forking, Way, enter};
#[cfg(target_os = "linux")]
pub use newborn::Newborn;
#[cfg(target_os = "linux")]
pub use order::{Order, receive_order};
pub use spec::{Access, Filter, Grant, LIBRARY, Link, Links, ProcessLimits, Scratch, Spec};
pub use words::{Go, Said};
