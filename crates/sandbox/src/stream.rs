//! The host's end of a worker's socket, in two halves.
//!
//! In: a Unix socket. Out: an async reader and an async writer.
//! Invariant: the writer registers for write readiness only while the socket is full. With
//! tokio's own halves, every message that the worker reads would wake the gateway for
//! nothing, which costs as much as handling a message.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::UnixStream;

/// Splits a stream.
pub(crate) fn split(stream: UnixStream) -> io::Result<(ReadHalf, WriteHalf)> {
    let stream = Arc::new(stream.into_std()?);
    let read = watched(Arc::clone(&stream), Interest::READABLE)?;
    Ok((ReadHalf(read), WriteHalf { stream, full: None }))
}

#[expect(
    deprecated,
    reason = "unsound only for a type that may close or change its descriptor while it is \
              registered, which a standard stream does not; its successor is unsafe"
)]
fn watched<T: AsRawFd>(stream: T, interest: Interest) -> io::Result<AsyncFd<T>> {
    AsyncFd::with_interest(stream, interest)
}

/// Reads, and waits for read readiness.
pub(crate) struct ReadHalf(AsyncFd<Arc<StdUnixStream>>);

impl AsyncRead for ReadHalf {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.0.poll_read_ready(context))?;
            let room = buffer.initialize_unfilled();
            let all = room.len();
            match ready.try_io(|stream| stream.get_ref().as_ref().read(room)) {
                Ok(Ok(count)) => {
                    // The socket is empty; another read would only return `WouldBlock`.
                    if (1..all).contains(&count) {
                        ready.clear_ready();
                    }
                    buffer.advance(count);
                    return Poll::Ready(Ok(()));
                }
                Ok(Err(error)) => return Poll::Ready(Err(error)),
                Err(_would_block) => {}
            }
        }
    }
}

/// Writes. It waits for write readiness only when the socket is full, on a duplicate
/// descriptor: one descriptor cannot be registered twice.
pub(crate) struct WriteHalf {
    stream: Arc<StdUnixStream>,
    full: Option<AsyncFd<StdUnixStream>>,
}

impl AsyncWrite for WriteHalf {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        loop {
            if let Some(full) = &self.full {
                let mut ready = ready!(full.poll_write_ready(context))?;
                let Ok(written) = ready.try_io(|stream| stream.get_ref().write(bytes)) else {
                    continue;
                };
                self.full = None;
                return Poll::Ready(written);
            }
            match self.stream.as_ref().write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let own = self.stream.try_clone()?;
                    self.full = Some(watched(own, Interest::WRITABLE)?);
                }
                written => return Poll::Ready(written),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.stream.shutdown(Shutdown::Write))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::UnixStream;

    use super::split;

    /// Sends more than any socket buffers in both directions at once, then closes.
    #[tokio::test]
    async fn all_that_is_written_arrives_and_the_end_does_too() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (mut read, mut write) = split(ours).unwrap();
        let (mut their_read, mut their_write) = theirs.into_split();
        let sent: Vec<u8> = (0..8_000_000u32).map(|n| (n % 251) as u8).collect();
        let (to_them, to_us) = (sent.clone(), sent.clone());
        let there = tokio::spawn(async move {
            write.write_all(&to_them).await.unwrap();
            write.shutdown().await.unwrap();
        });
        let back = tokio::spawn(async move {
            their_write.write_all(&to_us).await.unwrap();
        });
        let arrived = tokio::spawn(async move {
            let mut bytes = Vec::new();
            their_read.read_to_end(&mut bytes).await.unwrap();
            bytes
        });
        let mut bytes = Vec::new();
        read.read_to_end(&mut bytes).await.unwrap();
        assert!(bytes == sent, "{} bytes came", bytes.len());
        assert!(arrived.await.unwrap() == sent);
        there.await.unwrap();
        back.await.unwrap();
    }

    #[tokio::test]
    async fn a_closed_peer_is_noticed_in_both_directions() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (mut read, mut write) = split(ours).unwrap();
        drop(theirs);
        assert_eq!(read.read(&mut [0; 8]).await.unwrap(), 0);
        let gone = write.write_all(b"anybody?").await.unwrap_err();
        assert_eq!(gone.kind(), std::io::ErrorKind::BrokenPipe);
    }
}
