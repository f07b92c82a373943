//! The host's end of the wire: async frames, decoded and checked.
//!
//! In: bytes of a hostile guest. Out: messages.
//! Invariant: the length of a frame is checked before its body is read;
//! [`FromGuest::decode`] checks the fields. All large frames of this process together take a
//! bounded part of its memory: they wait for each other.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use thiserror::Error;
use tidegate_wire::{FromGuest, HEADER_BYTES, ToGuest, WireError, body_length};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Bytes per read: enough for header and body of a typical frame.
const READ_BYTES: usize = 64 * 1024;

/// Frames up to this size take no share of the memory for large ones. Chosen: those of a
/// thousand runs fit beside it.
const SMALL_BYTES: usize = 256 * 1024;

/// The unit of the memory for large frames.
const SHARE_BYTES: usize = 1024 * 1024;

/// Memory for large frames, in units: one of the longest frame. A frame takes about three times
/// its size until it is handled. The memory is that of the process, and so is this.
static LARGE_FRAMES: Semaphore = Semaphore::const_new(64);

/// How long a large frame may take to arrive once it has its share: others wait for it.
const LARGE_FRAME_TIME: Duration = Duration::from_secs(10);

/// A large frame's share of the memory, until it is handled.
#[derive(Debug)]
#[must_use]
pub struct FrameMemory(#[expect(dead_code, reason = "held, never read")] SemaphorePermit<'static>);

/// Why a worker's channel can no longer be used.
#[derive(Debug, Error)]
pub enum ChannelError {
    /// The worker is gone, or its stream broke.
    #[error("the worker is gone")]
    Closed(#[source] io::Error),
    /// The worker sent bytes that are not a valid frame.
    #[error("the worker broke the protocol")]
    Malformed(#[from] WireError),
    /// The worker sent a valid frame at the wrong time.
    #[error("the worker sent an unexpected message")]
    Unexpected,
}

/// Reads the messages of a worker.
pub struct FrameReader {
    stream: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    body: Vec<u8>,
    /// Of the last message.
    memory: Option<FrameMemory>,
}

impl FrameReader {
    pub(crate) fn new(stream: Box<dyn AsyncRead + Send + Unpin>) -> Self {
        let stream = BufReader::with_capacity(READ_BYTES, stream);
        Self { stream, body: Vec::new(), memory: None }
    }

    /// Ready when unread bytes have arrived or the stream has ended. Consumes nothing.
    pub(crate) fn poll_disturbed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.stream).poll_fill_buf(context).map(|_| ())
    }

    /// Waits for the next message. Not cancel-safe: cancelling it in the middle of a frame
    /// loses the stream, and the run with it.
    pub async fn next(&mut self) -> Result<FromGuest, ChannelError> {
        self.memory = None;
        let mut header = [0; HEADER_BYTES];
        self.stream.read_exact(&mut header).await.map_err(ChannelError::Closed)?;
        let length = body_length(header)?;
        if length > SMALL_BYTES {
            return self.next_large(length).await;
        }
        self.read(length).await
    }

    /// The memory of the last message, if it was large: to be held until it is handled.
    pub fn take_memory(&mut self) -> Option<FrameMemory> {
        self.memory.take()
    }

    async fn next_large(&mut self, length: usize) -> Result<FromGuest, ChannelError> {
        // No frame is longer than all shares.
        let shares = u32::try_from(length.div_ceil(SHARE_BYTES)).unwrap_or(u32::MAX);
        let memory = LARGE_FRAMES.acquire_many(shares.min(64)).await;
        // Never closed, so there is no error.
        self.memory = memory.ok().map(FrameMemory);
        match tokio::time::timeout(LARGE_FRAME_TIME, self.read(length)).await {
            Ok(message) => message,
            Err(_) => Err(ChannelError::Unexpected),
        }
    }

    async fn read(&mut self, length: usize) -> Result<FromGuest, ChannelError> {
        self.body.clear();
        // `take` grows the buffer as bytes arrive: a claimed length alone must not cost
        // the host 64 MB.
        let mut limited = (&mut self.stream).take(length as u64);
        limited.read_to_end(&mut self.body).await.map_err(ChannelError::Closed)?;
        if self.body.len() < length {
            return Err(ChannelError::Closed(io::ErrorKind::UnexpectedEof.into()));
        }
        let message = FromGuest::decode(&self.body)?;
        // One huge frame must not keep its memory for the rest of the run.
        self.body.clear();
        self.body.shrink_to(READ_BYTES);
        Ok(message)
    }
}

/// Writes the messages of the gateway.
pub struct FrameWriter(Box<dyn AsyncWrite + Send + Unpin>);

impl FrameWriter {
    pub(crate) fn new(stream: Box<dyn AsyncWrite + Send + Unpin>) -> Self {
        Self(stream)
    }

    /// Sends one message.
    pub async fn send(&mut self, message: &ToGuest) -> Result<(), ChannelError> {
        let frame = message.encode()?;
        self.0.write_all(&frame).await.map_err(ChannelError::Closed)
    }
}
