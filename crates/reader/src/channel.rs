//! Blocking frames over the only descriptor of a reader.
//!
//! In: messages. Out: encoded frames on the socket at standard input, and the reverse.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use tidegate_wire::{FromGuest, HEADER_BYTES, ToGuest, body_length};

/// The reader's end of the wire: a socket at standard input.
pub(crate) struct Channel(UnixStream);

impl Channel {
    pub(crate) fn from_standard_input() -> io::Result<Self> {
        Ok(Self(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?)))
    }

    pub(crate) fn send(&mut self, message: &FromGuest) -> io::Result<()> {
        self.0.write_all(&message.encode().map_err(io::Error::other)?)
    }

    pub(crate) fn receive(&mut self) -> io::Result<ToGuest> {
        let mut header = [0; HEADER_BYTES];
        self.0.read_exact(&mut header)?;
        let mut body = vec![0; body_length(header).map_err(io::Error::other)?];
        self.0.read_exact(&mut body)?;
        ToGuest::decode(&body).map_err(io::Error::other)
    }
}
