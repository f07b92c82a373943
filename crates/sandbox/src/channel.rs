//! The host's end of the wire: async frames, decoded and checked.
//!
//! In: bytes of a hostile guest. Out: messages.
//! Invariant: the length of a frame is checked before its body is read;
//! [`FromGuest::decode`] checks the fields.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use thiserror::Error;
use tidegate_wire::{FromGuest, HEADER_BYTES, ToGuest, WireError, body_length};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};

/// Bytes per read: enough for header and body of a typical frame.
const READ_BYTES: usize = 64 * 1024;

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
}

impl FrameReader {
    pub(crate) fn new(stream: Box<dyn AsyncRead + Send + Unpin>) -> Self {
        Self { stream: BufReader::with_capacity(READ_BYTES, stream), body: Vec::new() }
    }

    /// Ready when unread bytes have arrived or the stream has ended. Consumes nothing.
    pub(crate) fn poll_disturbed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.stream).poll_fill_buf(context).map(|_| ())
    }

    /// Waits for the next message. Not cancel-safe: cancelling it in the middle of a frame
    /// loses the stream, and the run with it.
    pub async fn next(&mut self) -> Result<FromGuest, ChannelError> {
        let mut header = [0; HEADER_BYTES];
        self.stream.read_exact(&mut header).await.map_err(ChannelError::Closed)?;
        let length = body_length(header)?;
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
