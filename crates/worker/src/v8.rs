//! Deno or Node as a child of the worker: one process, one program.
//!
//! In: the same program and the same [`Host`](crate::host::Host) as for QuickJS. Out: the
//! same outcome. The child runs our script (`bootstrap.js`) with the same `api.js` and
//! prelude; its messages are decoded, checked and passed to the host here.
//! Invariant: the child sees nothing of the gateway except replies to its own requests.

mod arguments;
mod child;
mod exit;
mod relay;

pub(crate) use arguments::EngineChoice;
pub(crate) use relay::V8;
