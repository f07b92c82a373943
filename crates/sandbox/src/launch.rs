//! Starts our own executable again, in a jail.
//!
//! In: a role, the description of a jail, arguments. Out: a [`Jailed`] process and our end
//! of its socket.
//! Invariant: the child gets one end of a socket pair as standard input and nothing else:
//! no environment, no other descriptor, a process group of its own.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::Path;
use std::process::Stdio;

use tidegate_jail::Spec;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::process::Command;
use tokio::time::timeout;

use crate::control_group::Group;
use crate::driver::HELLO_TIMEOUT;
use crate::jailed::{Jailed, LimitEnforcement};
use crate::launcher::Launcher;

/// How to start our own executable in a jail.
pub(crate) struct Launch<'a> {
    pub(crate) executable: &'a Path,
    /// The role of the process: its first argument.
    pub(crate) role: &'static str,
    pub(crate) spec: &'a Spec,
    pub(crate) arguments: &'a [OsString],
}

impl Launch<'_> {
    /// Starts the process. Returns our end of its socket.
    pub(crate) fn start(
        self,
        group: Group,
        enforcement: LimitEnforcement,
    ) -> io::Result<(Jailed, UnixStream)> {
        let (ours, theirs) = StdUnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let child = Command::new(self.executable)
            .arg(self.role)
            .arg(self.spec.to_argument())
            .args(self.arguments)
            .env_clear()
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        Ok((Jailed::new(Launcher::Child(child), group, enforcement), UnixStream::from_std(ours)?))
    }
}

/// Sends a worker its scripts. A worker that does not read them will not say hello either.
pub(crate) async fn send_scripts(channel: &mut UnixStream, scripts: &[u8]) {
    let _ = timeout(HELLO_TIMEOUT, channel.write_all(scripts)).await;
}
