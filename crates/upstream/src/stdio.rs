//! MCP over a child's pipes, tolerant of what real servers print there.
//!
//! In: lines of a child's standard output. Out: JSON-RPC messages, one per line. Lines that
//! are not JSON-RPC (banners, log lines in text or JSON) are skipped and kept for error
//! messages: 10 of 170 real servers print some. A response that cannot be parsed becomes an
//! error for the request that waits for it.
//!
//! Invariant: no line is longer than [`MAX_LINE_BYTES`] in memory. A longer one ends the
//! connection, since the response in it is lost.

use std::future::Future;
use std::io;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::Mutex;

use crate::child::{OutputTail, Pipes};

/// The longest line, and so the largest response, that a server may send. Equal to the
/// largest frame that a worker accepts.
const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// The JSON-RPC error code that marks a response that cannot be parsed. JSON-RPC and MCP do
/// not use it; a server that sends it gets the error that this is for.
pub(crate) const UNREADABLE: i32 = i32::MIN;

/// Bytes of one read: the usual capacity of a pipe.
const READ_BYTES: usize = 64 * 1024;

/// The transport over a child's pipes.
pub(crate) struct StdioTransport {
    output: BufReader<ChildStdout>,
    /// The current line so far. A field, because `receive` may be cancelled between two
    /// reads and must not lose it.
    line: Vec<u8>,
    input: Arc<Mutex<Option<ChildStdin>>>,
    output_tail: OutputTail,
}

impl StdioTransport {
    pub(crate) fn new(pipes: Pipes, output_tail: OutputTail) -> Self {
        Self {
            output: BufReader::with_capacity(READ_BYTES, pipes.output),
            line: Vec::new(),
            input: Arc::new(Mutex::new(Some(pipes.input))),
            output_tail,
        }
    }

    /// Reads up to the next line end. False at the end of the stream.
    async fn read_line(&mut self) -> io::Result<bool> {
        loop {
            let available = self.output.fill_buf().await?;
            if available.is_empty() {
                return Ok(false);
            }
            let newline = memchr::memchr(b'\n', available);
            let taken = newline.map_or(available.len(), |at| at + 1);
            self.line.extend_from_slice(&available[..taken]);
            self.output.consume(taken);
            if self.line.len() > MAX_LINE_BYTES {
                self.output_tail
                    .record_violation("it sent a line longer than 64 MB and was stopped");
                return Ok(false);
            }
            if newline.is_some() {
                return Ok(true);
            }
        }
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let input = Arc::clone(&self.input);
        async move {
            let mut line = serde_json::to_vec(&item)?;
            line.push(b'\n');
            let mut input = input.lock().await;
            let input = input.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            input.write_all(&line).await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            if !matches!(self.read_line().await, Ok(true)) {
                return None;
            }
            let line = std::mem::take(&mut self.line);
            let message = parse(&line);
            if message.is_some() {
                return message;
            }
            self.output_tail.add(&line);
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.input.lock().await.take();
        Ok(())
    }
}

/// The message in a line; none if the line is not JSON-RPC.
fn parse(line: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
    if line.trim_ascii_start().first() != Some(&b'{') {
        return None;
    }
    match serde_json::from_slice(line) {
        Ok(message) => Some(message),
        Err(error) => {
            tracing::debug!(%error, "skipped a line that is not a message");
            unreadable_response(line)
        }
    }
}

/// An error in place of a response of which only the id can be parsed: it is nested too
/// deeply, or has neither a result nor an error. If it were skipped, its request would wait
/// until the timeout.
fn unreadable_response(line: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
    /// Fields that are not named here are skipped, however deep they are.
    #[derive(Deserialize)]
    struct Envelope {
        #[serde(rename = "jsonrpc")]
        _jsonrpc: IgnoredAny,
        id: RequestId,
        method: Option<IgnoredAny>,
    }
    let envelope: Envelope = serde_json::from_slice(line).ok()?;
    let error = ErrorData::new(ErrorCode(UNREADABLE), "the response cannot be parsed", None);
    envelope.method.is_none().then(|| JsonRpcMessage::error(error, Some(envelope.id)))
}
