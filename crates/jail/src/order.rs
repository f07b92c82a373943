//! What the gateway asks a zygote for: one new process.
//!
//! On the wire: the length of a jail's description in four bytes, lowest first, and
//! the description; with the first of them come descriptors: the channel of the
//! process, the socket on which the gateway hears of its end, and the files of its
//! control groups.

use std::io::{self, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::cmsg_space;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use crate::spec::Spec;

/// More descriptors than the gateway ever sends: two, and one for each control group.
const MOST_DESCRIPTORS: usize = 16;

/// Longer than any description. Chosen: it names a few hundred files at most.
const MOST_BYTES: u32 = 1 << 20;

/// One new process.
pub struct Order {
    /// How it is to be confined.
    pub spec: Spec,
    /// Its channel to the gateway.
    pub channel: OwnedFd,
    /// Where the gateway hears of its end.
    pub end: OwnedFd,
    /// The files to write to in order to join its control groups.
    pub groups: Vec<OwnedFd>,
}

/// Waits for the next order. Nothing if none will come, or if it cannot be read: the
/// gateway writes them, so that does not happen.
pub fn receive_order(from: &impl AsFd) -> Option<Order> {
    let (length, descriptors) = header(from).ok()?;
    let mut descriptors = descriptors.into_iter();
    let (channel, end) = (descriptors.next()?, descriptors.next()?);
    let mut text = vec![0; usize::try_from(length.min(MOST_BYTES)).ok()?];
    let stream = UnixStream::from(from.as_fd().try_clone_to_owned().ok()?);
    (&stream).read_exact(&mut text).ok()?;
    let spec = Spec::from_argument(str::from_utf8(&text).ok()?)?;
    Some(Order { spec, channel, end, groups: descriptors.collect() })
}

/// The length, and what came with it.
fn header(from: &impl AsFd) -> io::Result<(u32, Vec<OwnedFd>)> {
    let mut length = [0; 4];
    let mut room = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
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
