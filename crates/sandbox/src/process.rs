//! The process back end: the gateway's own executable, started as a worker.
//!
//! The child gets one end of a socket pair as standard input and nothing else:
//! no environment, no other descriptor, a process group of its own. It limits
//! itself before it runs the program (see `worker::confine`); the host keeps the
//! one thing it can rely on, which is to kill the whole group.

use std::ffi::OsString;
use std::future::Future;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::Stdio;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use crate::backend::{Backend, Life, SandboxError, Worker};

/// Starts workers as child processes.
pub struct ProcessBackend {
    executable: PathBuf,
    arguments: Vec<OsString>,
}

impl ProcessBackend {
    /// `executable` is started with the argument `worker` and these, which say
    /// which engine it is to use; its own if there are none.
    pub fn new(executable: PathBuf, arguments: Vec<OsString>) -> Self {
        Self { executable, arguments }
    }

    async fn spawn(&self) -> Result<Worker, SandboxError> {
        let (ours, theirs) = StdUnixStream::pair().map_err(SandboxError::Start)?;
        ours.set_nonblocking(true).map_err(SandboxError::Start)?;
        let child = Command::new(&self.executable)
            .arg("worker")
            .args(&self.arguments)
            .env_clear()
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(SandboxError::Start)?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        let life = Box::new(Group { child, group });
        let (read, write) = UnixStream::from_std(ours).map_err(SandboxError::Start)?.into_split();
        Worker::greet(read, write, life).await
    }
}

impl Backend for ProcessBackend {
    fn start(&self) -> Pin<Box<dyn Future<Output = Result<Worker, SandboxError>> + Send + '_>> {
        Box::pin(self.spawn())
    }
}

/// The worker's process group. Until the leader has been waited for, its
/// number cannot be given to another process, so the signal cannot go astray.
struct Group {
    child: Child,
    group: Option<Pid>,
}

impl Group {
    fn kill(&mut self) {
        if let Some(group) = self.group.take() {
            // Fails only if everybody in the group is gone already.
            let _ = killpg(group, Signal::SIGKILL);
        }
    }
}

impl Life for Group {
    fn is_alive(&mut self) -> bool {
        let alive = matches!(self.child.try_wait(), Ok(None));
        if !alive {
            // Waited for: from here on the number may belong to a stranger.
            self.group = None;
        }
        alive
    }

    fn end(mut self: Box<Self>) -> Pin<Box<dyn Future<Output = String> + Send>> {
        Box::pin(async move {
            self.kill();
            match self.child.wait().await {
                Ok(status) => status.to_string(),
                Err(error) => format!("not waited for: {error}"),
            }
        })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
