//! MCP over a child's pipes, tolerant of what real servers print there.
//!
//! In: lines of a child's standard output. Out: JSON-RPC messages, one per line. Lines that
//! are not JSON-RPC (banners, log lines in text or JSON) are skipped and kept for error
//! messages: 10 of 170 real servers print some. A response that cannot be parsed becomes an
//! error for the request that waits for it.
//!
//! Invariant: no line is longer than [`MAX_TEXT_BYTES`] in memory. A longer one ends the
//! connection, since the response in it is lost.

use std::future::Future;
use std::io;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use crate::child::{OutputTail, Pipes};
use crate::large_answers::{AT_ONCE_BYTES, MAX_TEXT_BYTES, parse};

/// Bytes of one read: the usual capacity of a pipe.
const READ_BYTES: usize = 64 * 1024;

/// A message, or the line that is none.
type Parsed = Result<RxJsonRpcMessage<RoleClient>, Vec<u8>>;

/// The transport over a child's pipes.
pub(crate) struct StdioTransport {
    output: BufReader<ChildStdout>,
    /// The current line so far. A field, because `receive` may be cancelled between two
    /// reads and must not lose it.
    line: Vec<u8>,
    /// A long line that is being parsed: a field for the same reason.
    parsing: Option<JoinHandle<Parsed>>,
    input: Arc<Mutex<Option<ChildStdin>>>,
    output_tail: OutputTail,
}

impl StdioTransport {
    pub(crate) fn new(pipes: Pipes, output_tail: OutputTail) -> Self {
        Self {
            output: BufReader::with_capacity(READ_BYTES, pipes.output),
            line: Vec::new(),
            parsing: None,
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
            if self.line.len() > MAX_TEXT_BYTES {
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
            let parsed = match &mut self.parsing {
                // Fails only if the runtime ends.
                Some(parsing) => parsing.await.unwrap_or_else(|_| Err(Vec::new())),
                None => {
                    if !matches!(self.read_line().await, Ok(true)) {
                        return None;
                    }
                    let line = std::mem::take(&mut self.line);
                    if line.len() > AT_ONCE_BYTES {
                        self.parsing = Some(tokio::spawn(parse(line)));
                        continue;
                    }
                    parse(line).await
                }
            };
            self.parsing = None;
            match parsed {
                Ok(message) => return Some(message),
                Err(line) => self.output_tail.add(&line),
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.input.lock().await.take();
        Ok(())
    }
}
