//! Deno or Node as a child of the worker: one process, one program.
//!
//! In: the same prepared program and the same [`Host`] as for QuickJS. Out: the
//! same outcome. The child runs our script (`bootstrap.js`) with the same api.js
//! and prelude; what it sends is decoded, checked and handed to the host here.
//! The child sees nothing of the gateway but the replies to what it asked.

mod arguments;
mod child;
mod death;
mod relay;

pub(crate) use arguments::Choice;
pub(crate) use relay::V8;
