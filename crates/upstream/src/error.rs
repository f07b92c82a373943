//! Why a server did not do what it was asked.
//!
//! Each variant is one situation with its own remedy. `Clone`, because everybody
//! who waited for the same start gets the same error.

use std::time::Duration;

use thiserror::Error;

/// Why a request to a server failed. Never holds an argument, a URL or a secret.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UpstreamError {
    /// No server of this name is configured.
    #[error("no server `{server}` is configured")]
    Unknown {
        /// The name that was asked for.
        server: String,
    },
    /// The executable does not exist.
    #[error("the command `{command}` of server `{server}` was not found")]
    CommandNotFound {
        /// Which server.
        server: String,
        /// Its command.
        command: String,
    },
    /// The server could not be started, or did not complete the handshake.
    #[error("server `{server}` could not be started: {reason}{}", quoted(said))]
    StartFailed {
        /// Which server.
        server: String,
        /// What happened.
        reason: String,
        /// The end of what it printed: for operators, it may hold host paths.
        said: String,
    },
    /// The server failed lately and is not tried again yet.
    #[error("server `{server}` keeps failing, next start in {} s: {reason}{}", retry_in.as_secs().max(1), quoted(said))]
    BackingOff {
        /// Which server.
        server: String,
        /// When it will be tried again.
        retry_in: Duration,
        /// Why it failed last.
        reason: String,
        /// The end of what it printed.
        said: String,
    },
    /// The server died while it worked on the request.
    #[error("server `{server}` died while it worked on the call: {reason}{}", quoted(said))]
    Died {
        /// Which server.
        server: String,
        /// How it ended.
        reason: String,
        /// The end of what it printed.
        said: String,
    },
    /// The server did not answer in time.
    #[error("server `{server}` did not answer within {} ms", after.as_millis())]
    TimedOut {
        /// Which server.
        server: String,
        /// How long was waited.
        after: Duration,
    },
    /// The server answered with a JSON-RPC error.
    #[error("server `{server}` refused the request: {message}")]
    Refused {
        /// Which server.
        server: String,
        /// JSON-RPC error code.
        code: i32,
        /// The server's message.
        message: String,
    },
    /// The server answered with something that is not MCP.
    #[error("server `{server}` broke the protocol: {reason}")]
    Protocol {
        /// Which server.
        server: String,
        /// What was wrong.
        reason: String,
    },
}

fn quoted(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!("; it said: {said}") }
}
