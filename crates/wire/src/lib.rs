//! The framed protocol between the gateway and its guests, readers and workers.
//!
//! Owns the byte layout and nothing else: no sockets, no async, so that both
//! sides and every back end (process, container, machine) share one codec. A
//! frame is a little-endian `u32` length, then a kind byte, then the fields of
//! that kind. Texts are length-prefixed UTF-8; tool arguments and results
//! travel as JSON text and are parsed once, by the side that needs them.
//!
//! Invariant: decoding never panics, never allocates more than the frame holds,
//! and accepts a frame only if every byte of it was understood. The guest is
//! hostile; [`FromGuest::decode`] is where its bytes become values.

mod codec;
mod engine;
mod exact;
mod message;

pub use codec::{HEADER_BYTES, MAX_FRAME_BYTES, WireError, body_length};
pub use engine::{FromEngine, Phase, Thrown, ToEngine};
pub use exact::answer_text;
pub use message::{
    FromGuest, LogLevel, Prepare, Question, READING_LIMIT, Run, SKILL_LIMIT, TEXT_LIMIT, ToGuest,
    VERSION,
};
