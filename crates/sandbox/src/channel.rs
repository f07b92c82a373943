//! The host's end of the wire: async frames, decoded and checked.
//!
//! In: bytes of a hostile guest. Out: messages.
//! Invariant: the length of a frame is checked before its body is read;
//! [`FromGuest::decode`] checks the fields. All large frames of this process together take a
//! bounded part of its memory: they wait for each other. A guest never decides how long: a
//! large frame arrives in a file, and has its share of the memory from the time when all of it
//! is there until the gateway has handled it.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use thiserror::Error;
use tidegate_wire::{FromGuest, HEADER_BYTES, ToGuest, WireError, body_length};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::spool::Spool;

/// Bytes per read: enough for header and body of a typical frame.
const READ_BYTES: usize = 64 * 1024;

/// Frames up to this size take no share of the memory for large ones. Chosen: those of a
/// thousand runs fit beside it.
const SMALL_BYTES: usize = 256 * 1024;

/// Frames up to this size have a memory of their own: they do not wait for longer ones, whose
/// handling takes seconds. Chosen: larger outputs are rare, and a call's arguments have 64 KB.
const MEDIUM_BYTES: usize = 4 * 1024 * 1024;

/// The unit of the memory for large frames.
const SHARE_BYTES: usize = 1024 * 1024;

/// Memory for frames up to [`MEDIUM_BYTES`], in units. The memory is that of the process, and so
/// is this.
static MEDIUM_FRAMES: Semaphore = Semaphore::const_new(16);

/// Memory for longer frames, in units: one of the longest frame. A frame takes about three times
/// its size until it is handled.
static LARGE_FRAMES: Semaphore = Semaphore::const_new(64);

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
    /// A large frame could not be kept on disk while it arrived.
    #[error("a large message of the worker could not be kept on disk")]
    Spool(#[source] io::Error),
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
    /// Where large frames arrive.
    folder: Arc<Path>,
}

/// All bytes of a message, which may have to wait for the host's memory.
#[derive(Debug)]
pub struct Arrived(Arrival);

#[derive(Debug)]
enum Arrival {
    Small(Box<FromGuest>),
    Large { spool: Spool, length: usize, memory: Option<FrameMemory> },
}

impl Arrived {
    /// Whether [`FrameReader::open`] has to wait, which is not the guest's doing.
    pub fn waits(&self) -> bool {
        matches!(self.0, Arrival::Large { memory: None, .. })
    }
}

impl FrameReader {
    pub(crate) fn new(stream: Box<dyn AsyncRead + Send + Unpin>) -> Self {
        let stream = BufReader::with_capacity(READ_BYTES, stream);
        let folder = Arc::from(std::env::temp_dir());
        Self { stream, body: Vec::new(), memory: None, folder }
    }

    /// Large frames arrive in files without a name in this folder, instead of the system's for
    /// temporary files, which may be in memory.
    pub fn spool_in(&mut self, folder: PathBuf) {
        self.folder = folder.into();
    }

    /// Ready when unread bytes have arrived or the stream has ended. Consumes nothing.
    pub(crate) fn poll_disturbed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.stream).poll_fill_buf(context).map(|_| ())
    }

    /// Waits for the next message. Not cancel-safe: cancelling it in the middle of a frame
    /// loses the stream, and the run with it.
    pub async fn next(&mut self) -> Result<FromGuest, ChannelError> {
        let arrived = self.arrived().await?;
        self.open(arrived).await
    }

    /// Waits until all of the next message is here. Not cancel-safe either.
    pub async fn arrived(&mut self) -> Result<Arrived, ChannelError> {
        self.memory = None;
        let mut header = [0; HEADER_BYTES];
        self.stream.read_exact(&mut header).await.map_err(ChannelError::Closed)?;
        let length = body_length(header)?;
        if length > SMALL_BYTES {
            return self.large(length).await;
        }
        self.read(length).await?;
        Ok(Arrived(Arrival::Small(Box::new(FromGuest::decode(&self.body)?))))
    }

    /// Reads a message that has arrived, once there is memory for it.
    pub async fn open(&mut self, arrived: Arrived) -> Result<FromGuest, ChannelError> {
        let (spool, length, memory) = match arrived.0 {
            Arrival::Small(message) => return Ok(*message),
            Arrival::Large { spool, length, memory } => (spool, length, memory),
        };
        self.memory = match memory {
            Some(memory) => Some(memory),
            None => {
                let (pool, shares) = memory_for(length);
                // Never closed, so there is no error.
                pool.acquire_many(shares).await.ok().map(FrameMemory)
            }
        };
        let message = spool.read(FromGuest::decode).await.map_err(ChannelError::Spool)?;
        Ok(message?)
    }

    /// The memory of the last message, if it was large: to be held until it is handled.
    pub fn take_memory(&mut self) -> Option<FrameMemory> {
        self.memory.take()
    }

    async fn large(&mut self, length: usize) -> Result<Arrived, ChannelError> {
        let mut spool = Spool::create(&self.folder).await.map_err(ChannelError::Spool)?;
        let mut left = length;
        while left > 0 {
            let piece = left.min(SMALL_BYTES);
            self.read(piece).await?;
            let body = std::mem::take(&mut self.body);
            (spool, self.body) = spool.append(body).await.map_err(ChannelError::Spool)?;
            left -= piece;
        }
        // One large frame must not keep its buffer for the rest of the run.
        self.body = Vec::new();
        let (pool, shares) = memory_for(length);
        let memory = pool.try_acquire_many(shares).ok().map(FrameMemory);
        Ok(Arrived(Arrival::Large { spool, length, memory }))
    }

    /// Reads exactly so many bytes into the buffer.
    async fn read(&mut self, length: usize) -> Result<(), ChannelError> {
        self.body.clear();
        // `take` grows the buffer as bytes arrive: a claimed length alone must not cost
        // the host memory.
        let mut limited = (&mut self.stream).take(length as u64);
        limited.read_to_end(&mut self.body).await.map_err(ChannelError::Closed)?;
        match self.body.len() < length {
            true => Err(ChannelError::Closed(io::ErrorKind::UnexpectedEof.into())),
            false => Ok(()),
        }
    }
}

/// The memory for a frame of this length, and how much of it.
fn memory_for(length: usize) -> (&'static Semaphore, u32) {
    // No frame is longer than all shares.
    let shares = u32::try_from(length.div_ceil(SHARE_BYTES)).unwrap_or(u32::MAX).min(64);
    (if length <= MEDIUM_BYTES { &MEDIUM_FRAMES } else { &LARGE_FRAMES }, shares)
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tidegate_wire::FromGuest;
    use tokio::io::{AsyncWriteExt, DuplexStream, duplex};
    use tokio::time::timeout;

    use super::FrameReader;

    fn channel() -> (DuplexStream, FrameReader) {
        let (guest, host) = duplex(64 * 1024);
        (guest, FrameReader::new(Box::new(host)))
    }

    fn done(bytes: usize) -> Vec<u8> {
        let output = Some("x".repeat(bytes));
        FromGuest::Done { output, memory_bytes: 0 }.encode().unwrap()
    }

    fn sends(mut guest: DuplexStream, frame: Vec<u8>) {
        tokio::spawn(async move {
            guest.write_all(&frame).await.unwrap();
            // Kept open: the end of the stream is no part of the frame.
            std::future::pending::<()>().await;
        });
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_frame_that_does_not_arrive_keeps_no_other_waiting() {
        let mut held = Vec::new();
        for _ in 0..4 {
            let (mut guest, mut reader) = channel();
            // Claims the longest frame and sends a part of it.
            guest.write_all(&(64_u32 * 1024 * 1024).to_le_bytes()).await.unwrap();
            guest.write_all(&[5; 1000]).await.unwrap();
            held.push((guest, tokio::spawn(async move { reader.next().await.is_ok() })));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        for bytes in [300_000, 60_000_000] {
            let (guest, mut reader) = channel();
            sends(guest, done(bytes));
            let message = timeout(Duration::from_secs(5), reader.next()).await.unwrap().unwrap();
            assert!(
                matches!(message, FromGuest::Done { output: Some(text), .. } if text.len() == bytes)
            );
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn long_frames_wait_for_each_other_and_shorter_ones_do_not_wait_for_them() {
        let (guest, mut long) = channel();
        sends(guest, done(60_000_000));
        long.next().await.unwrap();
        let handled = long.take_memory();
        let (guest, mut second) = channel();
        sends(guest, done(60_000_000));
        let arrived = second.arrived().await.unwrap();
        assert!(arrived.waits());
        let second = tokio::spawn(async move { second.open(arrived).await.is_ok() });
        let (guest, mut short) = channel();
        sends(guest, done(300_000));
        assert!(!short.arrived().await.unwrap().waits());
        assert!(!second.is_finished());
        drop(handled);
        assert!(timeout(Duration::from_secs(5), second).await.unwrap().unwrap());
    }
}
