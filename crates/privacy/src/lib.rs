//! Replaces personal data with tokens, and restores it.
//!
//! `session` remembers the values of a session, gives them tokens and restores them. The
//! values are found by any implementation of `model`'s `Detect`. Plain logic: no I/O, no
//! clock, no database.

mod session;

pub use session::{
    BUFFER_BYTES, DecodedPart, FoundToken, Limits, NewValue, PIECE_BYTES, Pieces, ReserveNumbers,
    RestoreChunks, RestoreError, Restored, SessionValues, Spellings, Token, TokenAction,
    TokenEncoding, TokenizeChunks, Tokenized, WrittenAs, canonical, canonical_forms, decoded_parts,
    find_tokens, tokens_in,
};
