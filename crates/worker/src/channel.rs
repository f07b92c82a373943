//! Blocking frames over the only descriptor of the worker.
//!
//! In: bytes from the gateway. Out: decoded messages, and encoded ones to the gateway.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tidegate_wire::{FromGuest, HEADER_BYTES, ToGuest, body_length};

/// Bytes per read. Most replies are smaller, so one read usually returns header and body.
const READ_BYTES: usize = 64 * 1024;

/// The guest's end of the wire.
pub(crate) struct Channel {
    stream: UnixStream,
    received: Vec<u8>,
}

impl Channel {
    /// Takes the socket that the gateway passed as standard input.
    pub(crate) fn from_standard_input() -> io::Result<Self> {
        let descriptor = io::stdin().as_fd().try_clone_to_owned()?;
        Ok(Self { stream: UnixStream::from(descriptor), received: Vec::new() })
    }

    /// A second descriptor of the same socket, to watch it from another thread.
    pub(crate) fn duplicate_descriptor(&self) -> io::Result<OwnedFd> {
        self.stream.as_fd().try_clone_to_owned()
    }

    /// Sends one message.
    pub(crate) fn send(&mut self, message: &FromGuest) -> io::Result<()> {
        self.stream.write_all(&message.encode().map_err(io::Error::other)?)
    }

    /// Waits for one message.
    pub(crate) fn receive(&mut self) -> io::Result<ToGuest> {
        loop {
            if let Some(message) = self.take_buffered()? {
                return Ok(message);
            }
            if self.received.is_empty() {
                self.wait()?;
            }
            self.fill()?;
        }
    }

    /// Waits until there is something to read. A blocking read would wake up needlessly
    /// whenever the gateway reads a message from the socket.
    fn wait(&self) -> io::Result<()> {
        let mut descriptors = [PollFd::new(self.stream.as_fd(), PollFlags::POLLIN)];
        match poll(&mut descriptors, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits for one message, for at most `timeout`.
    pub(crate) fn receive_within(&mut self, timeout: Duration) -> io::Result<Option<ToGuest>> {
        if let Some(message) = self.take_buffered()? {
            return Ok(Some(message));
        }
        if !self.readable_within(timeout)? {
            return Ok(None);
        }
        self.receive().map(Some)
    }

    fn readable_within(&self, timeout: Duration) -> io::Result<bool> {
        // Rounded up: waking early would only poll again with zero.
        let millis = timeout.as_micros().div_ceil(1000).min(60_000);
        let timeout = PollTimeout::try_from(u32::try_from(millis).unwrap_or(60_000))
            .unwrap_or(PollTimeout::MAX);
        let mut descriptors = [PollFd::new(self.stream.as_fd(), PollFlags::POLLIN)];
        Ok(poll(&mut descriptors, timeout)? > 0)
    }

    fn take_buffered(&mut self) -> io::Result<Option<ToGuest>> {
        let Some(header) = self.received.first_chunk::<HEADER_BYTES>() else {
            return Ok(None);
        };
        let end = HEADER_BYTES + body_length(*header).map_err(io::Error::other)?;
        let Some(body) = self.received.get(HEADER_BYTES..end) else {
            // A large frame: reserve once instead of doubling repeatedly.
            self.received.reserve(end - self.received.len());
            return Ok(None);
        };
        let message = ToGuest::decode(body).map_err(io::Error::other)?;
        self.received.drain(..end);
        Ok(Some(message))
    }

    fn fill(&mut self) -> io::Result<()> {
        let filled = self.received.len();
        let room = self.received.capacity().saturating_sub(filled).max(READ_BYTES);
        self.received.resize(filled + room, 0);
        let count = self.stream.read(&mut self.received[filled..]);
        self.received.truncate(filled + count.as_ref().copied().unwrap_or(0));
        match count? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}
