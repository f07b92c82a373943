//! The framed protocol between the gateway and its guests, readers and workers.
//!
//! Owns the byte layout and nothing else: no sockets and no async, so that both sides and
//! every backend (process, container, machine) share one codec. A frame is a
//! little-endian `u32` length, a kind byte and the fields of that kind. Texts are
//! length-prefixed UTF-8; tool arguments and results travel as JSON text and are parsed
//! once, by the side that needs them.
//!
//! Invariant: decoding never panics, never allocates more than the frame holds, and
//! accepts a frame only if every byte of it was understood. The guest is hostile;
//! [`FromGuest::decode`] is where its bytes become values.

mod codec;
mod engine;
mod failure;
mod fields;
mod from_guest;
mod integers;
mod question;
mod to_guest;

#[cfg(test)]
mod tests;

pub use codec::{HEADER_BYTES, MAX_FRAME_BYTES, PROTOCOL_VERSION, WireError, body_length};
pub use engine::{FromEngine, Phase, Thrown, ToEngine};
pub use failure::{Cause, Complaint, EngineLimit, Failure, Fault};
pub use fields::TEXT_LIMIT;
pub use from_guest::{FromGuest, LogLevel, READING_LIMIT};
pub use integers::answer_json;
pub use question::{Question, SKILL_LIMIT};
pub use to_guest::{PrepareRequest, RunRequest, ToGuest};
