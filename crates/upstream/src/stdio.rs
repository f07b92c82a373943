//! MCP over a child's pipes, tolerant of what real servers print there.
//!
//! One message is one line. Lines that are not JSON-RPC (banners, log lines in
//! text or JSON) are kept as last words and skipped: 10 of 170 real servers
//! print some. An answer that cannot be read is an error for whoever waits for
//! it. A line beyond the cap ends the connection, since the answer that somebody
//! waits for is lost with it.

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

use crate::child::{LastWords, Pipes};

/// The longest line, and so the largest answer, a server may send. The same as
/// the largest frame a worker takes.
const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// Stands for an answer that cannot be read, as the code of a JSON-RPC error.
/// Outside of what JSON-RPC and MCP use; a server that sends it says no worse of
/// itself than we would.
pub(crate) const UNREADABLE: i32 = i32::MIN;

/// One read of a pipe; also its usual capacity.
const READ_BYTES: usize = 64 * 1024;

/// The transport over a child's pipes.
pub(crate) struct StdioTransport {
    output: BufReader<ChildStdout>,
    /// The line so far. A field, because `receive` may be cancelled between two
    /// reads and must not lose what it has.
    line: Vec<u8>,
    input: Arc<Mutex<Option<ChildStdin>>>,
    last_words: LastWords,
}

impl StdioTransport {
    pub(crate) fn new(pipes: Pipes, last_words: LastWords) -> Self {
        Self {
            output: BufReader::with_capacity(READ_BYTES, pipes.output),
            line: Vec::new(),
            input: Arc::new(Mutex::new(Some(pipes.input))),
            last_words,
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
                self.last_words.blame("it sent a line of more than 64 MB and was ended");
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
            self.last_words.add(&line);
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.input.lock().await.take();
        Ok(())
    }
}

/// The message of a line, or nothing if the line is noise.
fn parse(line: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
    if line.trim_ascii_start().first() != Some(&b'{') {
        return None;
    }
    match serde_json::from_slice(line) {
        Ok(message) => Some(message),
        Err(error) => {
            tracing::debug!(%error, "a line that is not a message");
            unreadable_answer(line)
        }
    }
}

/// The error for whoever waits for an answer of which only the id can be read,
/// since it is nested too deeply or has neither a result nor an error. Skipped
/// as noise, it would be waited for until the time limit.
fn unreadable_answer(line: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
    /// Fields that are not named here are skipped, however deep they are.
    #[derive(Deserialize)]
    struct Envelope {
        #[serde(rename = "jsonrpc")]
        _jsonrpc: IgnoredAny,
        id: RequestId,
        method: Option<IgnoredAny>,
    }
    let envelope: Envelope = serde_json::from_slice(line).ok()?;
    let error = ErrorData::new(ErrorCode(UNREADABLE), "the answer cannot be read", None);
    envelope.method.is_none().then(|| JsonRpcMessage::error(error, Some(envelope.id)))
}
