//! A request from the gateway to a zygote: fork one process.
//!
//! In: bytes and descriptors from the gateway. Out: a [`ForkRequest`].
//! Layout: the length of a jail's description as a little-endian `u32`, then the
//! description. Descriptors arrive with the length: the channel of the process, the
//! socket that reports its exit to the gateway, and the files of its control groups.

use std::io::{self, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::cmsg_space;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use crate::spec::Spec;

/// More descriptors than the gateway ever sends: two, plus one for each control group.
const MAX_DESCRIPTORS: usize = 16;

/// Longer than any description, which names a few hundred files at most. Chosen.
const MAX_SPEC_BYTES: u32 = 1 << 20;

/// A request for one new process.
pub struct ForkRequest {
    /// The jail of the process.
    pub spec: Spec,
    /// Its channel to the gateway.
    pub channel: OwnedFd,
    /// The socket that reports its exit to the gateway.
    pub end: OwnedFd,
    /// The files that the process writes to in order to join its control groups.
    pub groups: Vec<OwnedFd>,
}

/// Waits for the next request. `None` if there are no more, or if it is malformed, which
/// cannot happen: the gateway writes it.
pub fn receive_fork_request(from: &impl AsFd) -> Option<ForkRequest> {
    let (length, descriptors) = header(from).ok()?;
    let mut descriptors = descriptors.into_iter();
    let (channel, end) = (descriptors.next()?, descriptors.next()?);
    let mut text = vec![0; usize::try_from(length.min(MAX_SPEC_BYTES)).ok()?];
    let stream = UnixStream::from(from.as_fd().try_clone_to_owned().ok()?);
    (&stream).read_exact(&mut text).ok()?;
    let spec = Spec::from_argument(str::from_utf8(&text).ok()?)?;
    Some(ForkRequest { spec, channel, end, groups: descriptors.collect() })
}

/// Receives the length and the descriptors that arrive with it.
fn header(from: &impl AsFd) -> io::Result<(u32, Vec<OwnedFd>)> {
    let mut length = [0; 4];
    let mut room = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut control = RecvAncillaryBuffer::new(&mut room);
    let parts = &mut [IoSliceMut::new(&mut length)];
    let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::WAITALL;
    let received = recvmsg(from, parts, &mut control, flags)?;
    let descriptors = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    let descriptors = descriptors.flatten().collect();
    if received.bytes != length.len() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok((u32::from_le_bytes(length), descriptors))
}
