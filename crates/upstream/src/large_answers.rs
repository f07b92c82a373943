//! Large answers of servers: what they cost, and a bound on all of them together.
//!
//! In: the text of a message. Out: the message, or an error in its place. `0,` is two bytes of
//! text and one value of 72 bytes, so the cost is known before anything is parsed.
//! Invariant: an answer of a megabyte or more has its share of the memory from before it is
//! parsed until nobody has the [`Answer`](tidegate_model::Answer) any more. Only the gateway's
//! own work decides how long that is.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{CallToolResult, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;
use serde::de::IgnoredAny;
use tidegate_model::{Held, VALUE_BYTES, values_in};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::spawn_blocking;

/// The longest text of an answer. Equal to the largest frame that a worker accepts.
pub(crate) const MAX_TEXT_BYTES: usize = 64 * 1024 * 1024;

/// The highest cost of one answer: its text, 64 bytes for each value, 1 kB for each block. Chosen: twice the
/// longest text, so 64 MB of text may have a million values.
const MAX_COST: u64 = 128 * MEGABYTE;

/// What a block of content costs besides its values, once it is parsed, redacted and sent on.
/// Measured: 300,000 blocks of one letter took 580 MB. Each has a `type`.
const BLOCK_BYTES: u64 = 1024;

/// Messages up to this size are parsed on the spot: a call's usual answer.
pub(crate) const AT_ONCE_BYTES: usize = 64 * 1024;

/// The unit of the memory for answers. A cheaper answer takes none of it and never waits.
const MEGABYTE: u64 = 1024 * 1024;

/// Memory for all answers together, in units: that of the process. Two of the highest cost.
static MEMORY: Semaphore = Semaphore::const_new(256);

/// How long an answer waits for its share. What comes behind it over the same pipe waits too.
const WAIT: Duration = Duration::from_secs(5);

/// How long a share waits for the call that it belongs to, which may have been cancelled.
const CLAIM_TIME: Duration = Duration::from_secs(2);

/// JSON-RPC error codes that stand for an answer that was not parsed. JSON-RPC and MCP do not
/// use them; a server that sends one gets the error that it is for.
pub(crate) const UNREADABLE: i32 = i32::MIN;
pub(crate) const TOO_LARGE: i32 = i32::MIN + 1;
pub(crate) const NO_MEMORY: i32 = i32::MIN + 2;

/// The field of `_meta` that carries the ticket of a share to the call.
const TICKET: &str = "tidegate/answer-memory";

type Message = RxJsonRpcMessage<RoleClient>;

/// Parses a message of any size. Gives its text back if it is none.
pub(crate) async fn parse(text: Vec<u8>) -> Result<Message, Vec<u8>> {
    if text.len() <= AT_ONCE_BYTES {
        return parse_now(&text).ok_or(text);
    }
    // Not on a thread of the runtime: it takes up to seconds.
    let counted = spawn_blocking(move || (cost(&text), text)).await;
    // Fails only if the runtime ends.
    let Ok((cost, text)) = counted else { return Err(Vec::new()) };
    if cost > MAX_COST {
        return in_place_of(text, TOO_LARGE).await;
    }
    let memory = match share(cost).await {
        Ok(memory) => memory,
        Err(NoMemory) => return in_place_of(text, NO_MEMORY).await,
    };
    let parsed = spawn_blocking(move || parse_now(&text).ok_or(text)).await;
    let mut message = parsed.unwrap_or_else(|_| Err(Vec::new()))?;
    if let (Some(memory), JsonRpcMessage::Response(response)) = (memory, &mut message)
        && let ServerResult::CallToolResult(result) = &mut response.result
    {
        let ticket = keep_for_call(memory);
        result.meta.get_or_insert_default().0.insert(TICKET.to_owned(), ticket.into());
    }
    Ok(message)
}

/// The share of an answer that has arrived at its call.
pub(crate) fn claim(result: &mut CallToolResult) -> Held {
    let Some(meta) = &mut result.meta else { return Held::default() };
    let Some(ticket) = meta.0.remove(TICKET) else { return Held::default() };
    if meta.0.is_empty() {
        result.meta = None;
    }
    let memory = ticket.as_u64().and_then(|ticket| waiting().remove(&ticket));
    memory.map(Held::new).unwrap_or_default()
}

/// The error for a request whose answer is too large to be looked at.
pub(crate) fn too_large(id: RequestId) -> Message {
    error(TOO_LARGE, id)
}

/// Whether a text is too costly to be parsed.
pub(crate) fn is_too_costly(text: &str) -> bool {
    text.len() > AT_ONCE_BYTES && cost(text.as_bytes()) > MAX_COST
}

fn cost(text: &[u8]) -> u64 {
    // What is not UTF-8 is no message either.
    let Ok(text) = std::str::from_utf8(text) else { return text.len() as u64 };
    let values = values_in(text, MAX_COST / VALUE_BYTES);
    let blocks = text.matches("\"type\"").count() as u64;
    text.len() as u64 + values * VALUE_BYTES + blocks * BLOCK_BYTES
}

struct NoMemory;

async fn share(cost: u64) -> Result<Option<SemaphorePermit<'static>>, NoMemory> {
    if cost < MEGABYTE {
        return Ok(None);
    }
    let shares = u32::try_from(cost.div_ceil(MEGABYTE)).unwrap_or(u32::MAX);
    match tokio::time::timeout(WAIT, MEMORY.acquire_many(shares)).await {
        // Never closed, so there is no other error.
        Ok(memory) => Ok(memory.ok()),
        Err(_) => Err(NoMemory),
    }
}

/// Shares on their way from the connection to the call, by ticket.
static WAITING: LazyLock<Mutex<HashMap<u64, SemaphorePermit<'static>>>> =
    LazyLock::new(Mutex::default);

fn waiting() -> MutexGuard<'static, HashMap<u64, SemaphorePermit<'static>>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn keep_for_call(memory: SemaphorePermit<'static>) -> u64 {
    static NUMBERS: AtomicU64 = AtomicU64::new(0);
    static SECRET: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    // Not to be guessed by a server, which could otherwise give back shares of others.
    let ticket = SECRET.hash_one(NUMBERS.fetch_add(1, Ordering::Relaxed));
    waiting().insert(ticket, memory);
    tokio::spawn(async move {
        tokio::time::sleep(CLAIM_TIME).await;
        waiting().remove(&ticket);
    });
    ticket
}

/// The message in a text; none if it is not JSON-RPC.
fn parse_now(text: &[u8]) -> Option<Message> {
    if text.trim_ascii_start().first() != Some(&b'{') {
        return None;
    }
    match serde_json::from_slice(text) {
        Ok(message) => Some(message),
        Err(error) => {
            tracing::debug!(%error, "skipped a text that is not a message");
            response_id(text).map(|id| self::error(UNREADABLE, id))
        }
    }
}

async fn in_place_of(text: Vec<u8>, code: i32) -> Result<Message, Vec<u8>> {
    let found = spawn_blocking(move || response_id(&text).ok_or(text)).await;
    found.unwrap_or_else(|_| Err(Vec::new())).map(|id| error(code, id))
}

/// The id of a response that cannot be parsed: it is too large, nested too deeply, or has
/// neither a result nor an error. If it were skipped, its request would wait until the timeout.
fn response_id(text: &[u8]) -> Option<RequestId> {
    /// Fields that are not named here are skipped, however deep they are.
    #[derive(Deserialize)]
    struct Envelope {
        #[serde(rename = "jsonrpc")]
        _jsonrpc: IgnoredAny,
        id: RequestId,
        method: Option<IgnoredAny>,
    }
    let envelope: Envelope = serde_json::from_slice(text).ok()?;
    envelope.method.is_none().then_some(envelope.id)
}

fn error(code: i32, id: RequestId) -> Message {
    let error = ErrorData::new(ErrorCode(code), "the response was not parsed", None);
    JsonRpcMessage::error(error, Some(id))
}

#[cfg(test)]
mod tests {
    use rmcp::model::{CallToolResult, JsonRpcMessage, RequestId, ServerResult};
    use serde_json::json;

    use super::{MAX_COST, MEGABYTE, MEMORY, Message, TOO_LARGE, claim, is_too_costly, parse};

    fn text(structured: &str) -> Vec<u8> {
        let answer = format!(
            r#"{{"jsonrpc":"2.0","id":7,"result":{{"content":[],"structuredContent":{{"a":[{structured}0]}}}}}}"#
        );
        answer.into_bytes()
    }

    fn result(message: Message) -> CallToolResult {
        let JsonRpcMessage::Response(response) = message else { panic!("no response") };
        let ServerResult::CallToolResult(result) = response.result else { panic!("no result") };
        result
    }

    #[tokio::test]
    async fn an_answer_whose_values_cost_too_much_is_refused_unparsed() {
        let many = text(&"0,".repeat(30_000_000));
        assert!(is_too_costly(std::str::from_utf8(&many).unwrap()));
        let JsonRpcMessage::Error(error) = parse(many).await.unwrap() else { panic!("parsed") };
        assert_eq!((error.error.code.0, error.id), (TOO_LARGE, Some(RequestId::Number(7))));
        // 8 MB of small blocks.
        let blocks = text(&r#"{"type":"text","text":"a"},"#.repeat(300_000));
        assert!(is_too_costly(std::str::from_utf8(&blocks).unwrap()));
        // As much text in a few values.
        let long = text(&format!("\"{}\",", "0,".repeat(25_000_000)));
        assert!(!is_too_costly(std::str::from_utf8(&long).unwrap()));
        assert!(matches!(parse(long).await.unwrap(), JsonRpcMessage::Response(_)));
    }

    #[tokio::test]
    async fn an_answer_has_its_share_until_nobody_has_it_and_a_small_one_takes_none() {
        let free = || MEMORY.available_permits();
        let all = free();
        let mut small = result(parse(text("1,")).await.unwrap());
        assert_eq!((claim(&mut small), free()), (Default::default(), all));
        let mut large = result(parse(text(&"0,".repeat(1_000_000))).await.unwrap());
        let held = claim(&mut large);
        assert_eq!(large.meta, None);
        assert!(free() <= all - 60, "{}", free());
        let copy = held.clone();
        drop(held);
        assert!(free() < all);
        drop(copy);
        // Other tests take shares too.
        assert!(free() as u64 + MAX_COST / MEGABYTE >= all as u64);
    }

    #[tokio::test]
    async fn a_ticket_that_a_server_made_up_is_removed_and_gives_nothing_back() {
        let forged = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[],
            "_meta":{"tidegate/answer-memory":0,"a":1}}}"#;
        let mut forged = result(parse(forged.into()).await.unwrap());
        claim(&mut forged);
        assert_eq!(serde_json::to_value(forged.meta).unwrap(), json!({"a": 1}));
    }
}
