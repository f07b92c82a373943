//! What every way of starting a worker has in common.

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
use crate::meter::{Usage, Watch};

/// How long a fresh worker may take to say hello. Chosen far above the
/// few milliseconds that it takes: a loaded machine must not lose runs.
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
    /// It started but did not introduce itself as it should.
    #[error("the worker did not say hello")]
    Hello(#[source] ChannelError),
    /// It speaks another version of the protocol.
    #[error("the worker speaks version {found} of the wire, {PROTOCOL_VERSION} is needed")]
    Version {
        /// The version it speaks.
        found: u32,
    },
    /// It is not kept in as well as the configuration demands.
    #[error("the worker is not isolated enough: `{wanted}` is wanted, it has `{}`", report.level())]
    Isolation {
        /// The least that is accepted.
        wanted: Isolation,
        /// What it reported.
        report: IsolationReport,
    },
    /// There are no workers any more.
    #[error("the gateway is closing")]
    Closed,
    /// It may not start as many processes and threads as it needs to begin with.
    #[error("the worker was refused a process or a thread when it started")]
    Processes,
    /// It started but stayed silent.
    #[error("the worker was silent for {HELLO_TIMEOUT:?} after its start")]
    Silent,
}

/// A started worker that waits for its one program.
pub struct Worker {
    /// What the worker says.
    pub reader: FrameReader,
    /// What the gateway says.
    pub writer: FrameWriter,
    /// Ends everything behind the worker when it is dropped.
    pub life: Box<dyn Life>,
    /// How the worker is kept in, as it found by trying.
    pub report: IsolationReport,
}

/// What is behind a worker. Dropping it kills all of that, at once.
pub trait Life: Send {
    /// Whether it still runs.
    fn is_alive(&mut self) -> bool;

    /// The run begins and may use this much. A watch over what is not limited in
    /// another way already, if there is anything of that.
    fn watch(&self, _limits: &Limits) -> Option<Watch> {
        None
    }

    /// What was used so far, measured from outside.
    fn usage(&self) -> Usage {
        Usage::default()
    }

    /// Ends it and waits until it is gone. Says how it ended.
    fn end(self: Box<Self>, end: End) -> Pin<Box<dyn Future<Output = Ending> + Send>>;
}

/// How a worker is to be ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At once.
    Now,
    /// It has closed its channel, so it is about to be gone by itself, and may
    /// say why. Killed all the same if it is not.
    ByItself,
}

/// How a worker ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// The limit that the kernel ended it for, if that was the cause.
    pub cause: Option<ErrorCode>,
    /// In words, for the log.
    pub text: String,
}

impl Worker {
    /// Takes a started worker's stream and waits for its hello.
    pub async fn greet(
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
        life: Box<dyn Life>,
    ) -> Result<Self, SandboxError> {
        let mut reader = FrameReader::new(Box::new(read));
        match hello(&mut reader).await {
            Ok(report) => {
                Ok(Self { reader, writer: FrameWriter::new(Box::new(write)), life, report })
            }
            Err(error) => match life.usage().refused_processes {
                Some(1..) => Err(SandboxError::Processes),
                _ => Err(error),
            },
        }
    }
}

/// Waits for the hello and reads what is in it.
async fn hello(reader: &mut FrameReader) -> Result<IsolationReport, SandboxError> {
    let hello = timeout(HELLO_TIMEOUT, reader.next()).await.map_err(|_| SandboxError::Silent)?;
    match hello.map_err(SandboxError::Hello)? {
        FromGuest::Hello { version: PROTOCOL_VERSION, report } => Ok(report),
        FromGuest::Hello { version, .. } => Err(SandboxError::Version { found: version }),
        _ => Err(SandboxError::Hello(ChannelError::OutOfTurn)),
    }
}
