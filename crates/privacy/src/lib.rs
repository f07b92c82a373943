//! Finds personal data in text, and replaces it by tokens.
//!
//! `detect` says where personal data stands in a text; `session` remembers values,
//! gives them tokens, and puts them back. Plain logic: no I/O, no clock, no database.

mod detect;
mod session;
mod span;

pub use detect::{CustomRule, Detector, Exclusion, Options, OptionsError, TextKind};
pub use session::{
    Fate, FoundToken, HELD_BACK, Limits, NewValue, RestoreChunks, RestoreError, Restored,
    SessionValues, Token, TokenizeChunks, Tokenized, Writing, canonical, canonical_forms,
    find_tokens,
};
pub use span::Span;
