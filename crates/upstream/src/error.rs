//! Why a request to a server failed.
//!
//! Each variant is one situation with its own remedy. `Clone`, because every caller that
//! waited for the same start gets the same error.
//!
//! Invariant: no variant holds an argument of a call, a URL or a secret.

use std::time::Duration;

use thiserror::Error;

/// Why a request to a server failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UpstreamError {
    /// No server of this name is configured.
    #[error("no server `{server}` is configured")]
    Unknown {
        /// The requested name.
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
    #[error("server `{server}` could not be started: {reason}{}", quoted(last_output))]
    StartFailed {
        /// Which server.
        server: String,
        /// What happened.
        reason: String,
        /// The end of what it printed: for operators, it may hold host paths.
        last_output: String,
    },
    /// The server failed recently and is not started again yet.
    #[error("server `{server}` keeps failing and is started again in {} s: {reason}{}", retry_in.as_secs().max(1), quoted(last_output))]
    BackingOff {
        /// Which server.
        server: String,
        /// The time until the next start.
        retry_in: Duration,
        /// The reason of the last failure.
        reason: String,
        /// The end of what it printed.
        last_output: String,
    },
    /// The server died during the request.
    #[error("server `{server}` died while it worked on the call: {reason}{}", quoted(last_output))]
    Died {
        /// Which server.
        server: String,
        /// How it ended.
        reason: String,
        /// The end of what it printed.
        last_output: String,
    },
    /// The server did not answer in time.
    #[error("server `{server}` did not answer within {} ms", after.as_millis())]
    TimedOut {
        /// Which server.
        server: String,
        /// The time that the gateway waited.
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
    /// The answer was too large to be parsed.
    #[error("server `{server}` answered `{tool}` with more than {limit}")]
    TooLarge {
        /// Which server.
        server: String,
        /// The tool, or the request.
        tool: String,
        /// The limit, for people.
        limit: &'static str,
    },
    /// The server sent something that is not MCP.
    #[error("server `{server}` broke the protocol: {reason}")]
    Protocol {
        /// Which server.
        server: String,
        /// The violation.
        reason: String,
    },
}

fn quoted(last_output: &str) -> String {
    if last_output.is_empty() { String::new() } else { format!("; its last output: {last_output}") }
}
