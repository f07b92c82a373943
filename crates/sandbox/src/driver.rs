//! The interface of a driver: a way to start workers.
//!
//! In: a request to start. Out: a [`Worker`] that has said hello, or why there is none.
//! Invariant: dropping a worker kills everything behind it.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use thiserror::Error;
use tidegate_model::{ErrorCode, Isolation, IsolationReport, Limits};
use tidegate_wire::{FromGuest, PROTOCOL_VERSION};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use crate::channel::{ChannelError, FrameReader, FrameWriter};
use crate::meter::{LimitWatch, Usage};

/// How long a new worker may take to say hello. Chosen far above the few milliseconds that
/// it takes: a loaded machine must not lose runs.
pub(crate) const HELLO_TIMEOUT: Duration = Duration::from_secs(10);

/// A way to start workers.
pub trait Driver: Send + Sync + 'static {
    /// Starts a worker that has not seen any program.
    fn start(&self) -> Pin<Box<dyn Future<Output = Result<Worker, SandboxError>> + Send + '_>>;
}

/// Why there is no worker.
#[derive(Debug, Error)]
pub enum SandboxError {
    /// The process, container or machine could not be started.
    #[error("the worker could not be started")]
    Start(#[source] io::Error),
    /// It started but did not send a valid hello.
    #[error("the worker did not say hello")]
    Hello(#[source] ChannelError),
    /// It speaks another version of the protocol.
    #[error(
        "the worker speaks protocol version `{found}`; version `{PROTOCOL_VERSION}` is required"
    )]
    Version {
        /// The version it speaks.
        found: u32,
    },
    /// It is isolated less than the configuration requires.
    #[error("the worker is not isolated enough: `{wanted}` is required, it has `{}`", report.level())]
    Isolation {
        /// The required level.
        wanted: Isolation,
        /// The layers that it reported.
        report: IsolationReport,
    },
    /// The pool was closed.
    #[error("the gateway is closing")]
    Closed,
    /// The kernel refused it a process or thread that it needs to start.
    #[error("the kernel refused the worker a process or thread at its start")]
    Processes,
    /// It started but did not say hello in time.
    #[error("the worker did not say hello within {HELLO_TIMEOUT:?}")]
    Silent,
}

/// A started worker that waits for its one program.
pub struct Worker {
    /// Messages from the worker.
    pub reader: FrameReader,
    /// Messages to the worker.
    pub writer: FrameWriter,
    /// Kills everything behind the worker when it is dropped.
    pub handle: Box<dyn WorkerHandle>,
    /// The isolation layers that hold, as the worker found by trying to break out.
    pub report: IsolationReport,
}

/// Controls the process, container or machine of a worker. Dropping it kills all of it.
pub trait WorkerHandle: Send {
    /// Whether it is still running.
    fn is_alive(&mut self) -> bool;

    /// Sets the limits of the run that begins now. Returns a watch over the limits that
    /// nothing else enforces, if there are any.
    fn watch(&self, _limits: &Limits) -> Option<LimitWatch> {
        None
    }

    /// The resources used so far, measured from outside.
    fn usage(&self) -> Usage {
        Usage::default()
    }

    /// Stops it, waits until it is gone, and returns how it ended.
    fn end(self: Box<Self>, end: Termination) -> Pin<Box<dyn Future<Output = ExitReport> + Send>>;
}

/// How to stop a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// Kill it at once.
    Kill,
    /// Wait for its exit, since it has closed its channel and its exit code may name the
    /// cause. It is killed if it does not exit soon.
    AwaitExit,
}

/// How a worker ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExitReport {
    /// The limit for which the kernel killed it, if that was the cause.
    pub cause: Option<ErrorCode>,
    /// A description for the log.
    pub text: String,
}

impl Worker {
    /// Waits for the hello of a started worker.
    pub async fn greet(
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
        handle: Box<dyn WorkerHandle>,
    ) -> Result<Self, SandboxError> {
        let mut reader = FrameReader::new(Box::new(read));
        match hello(&mut reader).await {
            Ok(report) => {
                Ok(Self { reader, writer: FrameWriter::new(Box::new(write)), handle, report })
            }
            Err(error) => match handle.usage().refused_processes {
                Some(1..) => Err(SandboxError::Processes),
                _ => Err(error),
            },
        }
    }
}

/// Waits for the hello and checks its version.
async fn hello(reader: &mut FrameReader) -> Result<IsolationReport, SandboxError> {
    let hello = timeout(HELLO_TIMEOUT, reader.next()).await.map_err(|_| SandboxError::Silent)?;
    match hello.map_err(SandboxError::Hello)? {
        FromGuest::Hello { version: PROTOCOL_VERSION, report } => Ok(report),
        FromGuest::Hello { version, .. } => Err(SandboxError::Version { found: version }),
        _ => Err(SandboxError::Hello(ChannelError::Unexpected)),
    }
}
