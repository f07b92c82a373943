//! The host's end of the wire: async frames, decoded and checked.
//!
//! This is where a frame from a guest is read. [`FromGuest::decode`] checks the
//! fields; here the length is checked before a byte of the body is awaited.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use thiserror::Error;
use tidegate_wire::{FromGuest, HEADER_BYTES, ToGuest, WireError, body_length};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};

/// Bytes asked of the kernel at once: header and body of a usual frame.
const READ_BYTES: usize = 64 * 1024;

/// Why nothing more comes from a worker.
#[derive(Debug, Error)]
pub enum ChannelError {
    /// The worker is gone, or its stream broke.
    #[error("the worker is gone")]
    Gone(#[source] io::Error),
    /// The worker sent something that is not a frame.
    #[error("the worker broke the protocol")]
    Broken(#[from] WireError),
    /// The worker sent a frame that has no place here.
    #[error("the worker spoke out of turn")]
    OutOfTurn,
}

/// Reads what a worker says.
pub struct FrameReader {
    stream: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    body: Vec<u8>,
}

impl FrameReader {
    pub(crate) fn new(stream: Box<dyn AsyncRead + Send + Unpin>) -> Self {
        Self { stream: BufReader::with_capacity(READ_BYTES, stream), body: Vec::new() }
    }

    /// Ready when the worker has said more than was read, or can say nothing
    /// more. Takes nothing off the stream.
    pub(crate) fn poll_disturbed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.stream).poll_fill_buf(context).map(|_| ())
    }

    /// Waits for the next message. Not cancel-safe: once cancelled in the
    /// middle of a frame, the stream is lost, and so is the run.
    pub async fn next(&mut self) -> Result<FromGuest, ChannelError> {
        let mut header = [0; HEADER_BYTES];
        self.stream.read_exact(&mut header).await.map_err(ChannelError::Gone)?;
        let length = body_length(header)?;
        self.body.clear();
        // `take` grows the buffer with what arrives: a claimed length alone
        // must not cost the host 64 MB.
        let mut limited = (&mut self.stream).take(length as u64);
        limited.read_to_end(&mut self.body).await.map_err(ChannelError::Gone)?;
        if self.body.len() < length {
            return Err(ChannelError::Gone(io::ErrorKind::UnexpectedEof.into()));
        }
        let message = FromGuest::decode(&self.body)?;
        // One huge frame must not pin its memory for the rest of the run.
        self.body.shrink_to(READ_BYTES);
        Ok(message)
    }
}

/// Writes what the gateway says.
pub struct FrameWriter(Box<dyn AsyncWrite + Send + Unpin>);

impl FrameWriter {
    pub(crate) fn new(stream: Box<dyn AsyncWrite + Send + Unpin>) -> Self {
        Self(stream)
    }

    /// Sends one message.
    pub async fn send(&mut self, message: &ToGuest) -> Result<(), ChannelError> {
        let frame = message.encode()?;
        self.0.write_all(&frame).await.map_err(ChannelError::Gone)
    }
}
