//! The wire of a compromised guest: valid frames, and arbitrary bytes.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::thread::sleep;
use std::time::Duration;

use tidegate_wire::{FromGuest, HEADER_BYTES, ToGuest, body_length};

pub(crate) struct Wire(UnixStream);

impl Wire {
    pub(crate) fn from_standard_input() -> io::Result<Self> {
        Ok(Self(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?)))
    }

    pub(crate) fn send(&mut self, message: &FromGuest) -> io::Result<()> {
        self.raw(&frame(message))
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    /// One byte every 100 ms.
    pub(crate) fn drip(&mut self, bytes: &[u8]) -> io::Result<()> {
        for byte in bytes {
            self.raw(&[*byte])?;
            sleep(Duration::from_millis(100));
        }
        Ok(())
    }

    pub(crate) fn receive(&mut self) -> io::Result<ToGuest> {
        let mut header = [0; HEADER_BYTES];
        self.0.read_exact(&mut header)?;
        let mut body = vec![0; body_length(header).map_err(io::Error::other)?];
        self.0.read_exact(&mut body)?;
        ToGuest::decode(&body).map_err(io::Error::other)
    }

    pub(crate) fn close(&self, half: Shutdown) -> io::Result<()> {
        self.0.shutdown(half)
    }
}

/// A frame with its length; empty if it is too long.
pub(crate) fn frame(message: &FromGuest) -> Vec<u8> {
    message.encode().unwrap_or_default()
}
