//! Closes this process to other processes of its user.
//!
//! Without this, each of them can write into our standard input through `/proc/PID/fd/0`, as
//! if it were the client, read the memory that holds credentials and a passphrase while it is
//! typed, or attach a debugger. Afterwards the kernel gives `/proc/PID` to root and refuses
//! `ptrace` and core dumps. Root can still do everything, and what the client keeps open is
//! the client's: its end of the pipe is not ours to close.
//!
//! A process that we start is as open as before once it executes its program, so guests,
//! servers and type checkers set up their own namespaces as usual.

/// Closes it. An error if the kernel refuses.
#[cfg(target_os = "linux")]
pub(crate) fn close_to_others() -> std::io::Result<()> {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

/// Other systems ask for privileges before they open a process to another.
#[cfg(not(target_os = "linux"))]
pub(crate) fn close_to_others() -> std::io::Result<()> {
    Ok(())
}
