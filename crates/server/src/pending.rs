//! Requests that wait while their client asks its user, in the era without sessions.
//!
//! In: the work on a request, which may need an approval. Out: its result, or "input
//! required", after which the client sends the same request again with the reply. Meanwhile
//! the work is pending here under a random key. An unknown key, for example after a restart
//! of the gateway, loses nothing: the request is handled as a new one, which finds its
//! question in the database.
//!
//! Invariant: at most [`MAX_PENDING`] requests are pending, and a reply goes to exactly the
//! request that it was given for.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ElicitRequest, ElicitResult, InputRequest,
    InputRequiredResult, InputResponses,
};
use tidegate_gateway::{Approver, Form, Progress, Reply, Shown, Yes};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::approver::{params, reply};
use crate::tool_result::ToolResult;

/// The name of our only question among the input requests of a result.
const QUESTION: &str = "approval";

/// The most pending requests, including finished ones whose clients have not come back.
/// Chosen: a client has few at a time. Beyond this, the oldest is dropped, and the user is
/// asked again if its client repeats it.
const MAX_PENDING: usize = 64;

/// A question, and the sender for its reply.
pub(crate) struct Question {
    form: Shown<Form>,
    reply: oneshot::Sender<Reply>,
}

/// Passes questions to the task that answers the request.
pub(crate) struct DeferredApprover(pub(crate) mpsc::Sender<Question>);

impl Approver for DeferredApprover {
    fn name(&self) -> &'static str {
        "client"
    }

    fn yes(&self) -> Yes {
        Yes::Unsigned
    }

    fn ask<'a>(
        &'a self,
        form: &'a Shown<Form>,
    ) -> Pin<Box<dyn Future<Output = Option<Reply>> + Send + 'a>> {
        Box::pin(async {
            let (reply, replied) = oneshot::channel();
            self.0.send(Question { form: form.clone(), reply }).await.ok()?;
            replied.await.ok()
        })
    }
}

/// The work on a request.
pub(crate) struct RequestWork {
    pub(crate) task: JoinHandle<ToolResult>,
    pub(crate) questions: mpsc::Receiver<Question>,
    pub(crate) cancelled: CancellationToken,
    pub(crate) progress: watch::Sender<Progress>,
    /// The fingerprint of the request, so that another one cannot take its result.
    pub(crate) request: String,
}

/// Work that nobody waits for is cancelled.
impl Drop for RequestWork {
    fn drop(&mut self) {
        self.cancelled.cancel();
    }
}

/// Work that waits for a reply.
struct PendingRequest {
    work: RequestWork,
    reply: oneshot::Sender<Reply>,
    age: u64,
}

/// All work that waits for a reply, by its random key.
#[derive(Default)]
pub(crate) struct PendingRequests {
    state: Mutex<(u64, HashMap<String, PendingRequest>)>,
}

/// The state in which [`PendingRequests::drive`] leaves a request.
pub(crate) enum WorkOutcome {
    Done(ToolResult),
    InputRequired(CallToolResponse),
    Cancelled,
}

impl PendingRequests {
    /// Waits until the work is done or needs input.
    pub(crate) async fn drive(
        &self,
        mut work: RequestWork,
        cancelled: &CancellationToken,
    ) -> WorkOutcome {
        loop {
            tokio::select! {
                done = &mut work.task => {
                    return WorkOutcome::Done(done.unwrap_or_else(|_| ToolResult::failed("the request failed")));
                }
                Some(Question { form, reply }) = work.questions.recv() => {
                    let Some(params) = params(&form) else { continue };
                    let key = self.add(work, reply);
                    let question = InputRequest::Elicitation(ElicitRequest::new(params));
                    let questions = [(QUESTION.to_owned(), question)].into();
                    let needed = InputRequiredResult::new(Some(questions), Some(key));
                    return WorkOutcome::InputRequired(CallToolResponse::InputRequired(needed));
                }
                () = cancelled.cancelled() => return WorkOutcome::Cancelled,
            }
        }
    }

    fn add(&self, work: RequestWork, reply: oneshot::Sender<Reply>) -> String {
        let mut random = [0; 16];
        // If there is no randomness, keys repeat: the user is asked again.
        let _ = getrandom::fill(&mut random);
        let key = format!("{:032x}", u128::from_le_bytes(random));
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (ages, pending) = &mut *state;
        if pending.len() >= MAX_PENDING {
            let oldest = pending.iter().min_by_key(|(_, one)| one.age);
            let oldest = oldest.map(|(key, _)| key.clone());
            oldest.and_then(|key| pending.remove(&key));
        }
        *ages += 1;
        pending.insert(key.clone(), PendingRequest { work, reply, age: *ages });
        key
    }

    /// Takes the pending work that a request continues, and passes on the reply in the
    /// request.
    pub(crate) fn take(&self, request: &CallToolRequestParams) -> Option<RequestWork> {
        let key = request.request_state.as_ref()?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let same = state.1.get(key)?.work.request == fingerprint(request);
        // A reply to one request does not answer another.
        let PendingRequest { work, reply, .. } = state.1.remove(key).filter(|_| same)?;
        // The receiver is gone if the reply took too long; then the work is done.
        let _ = reply.send(reply_in(request.input_responses.as_ref()));
        Some(work)
    }
}

/// The part of a request that its repetition must match.
pub(crate) fn fingerprint(request: &CallToolRequestParams) -> String {
    serde_json::to_string(&(&request.name, &request.arguments)).unwrap_or_default()
}

fn reply_in(responses: Option<&InputResponses>) -> Reply {
    let result = responses.and_then(|responses| responses.get(QUESTION)).cloned();
    let result = result.and_then(|result| serde_json::from_value::<ElicitResult>(result).ok());
    result.map_or(Reply::Deny, |result| reply(&result))
}

#[cfg(test)]
mod tests {
    use rmcp::model::CallToolRequestParams;
    use serde_json::json;
    use tidegate_gateway::Progress;
    use tokio::sync::{mpsc, oneshot, watch};
    use tokio_util::sync::CancellationToken;

    use super::{PendingRequests, RequestWork, WorkOutcome, fingerprint};
    use crate::tool_result::ToolResult;

    #[tokio::test]
    async fn a_result_is_kept_until_its_client_repeats_the_request() {
        let pending = PendingRequests::default();
        let mut request: CallToolRequestParams =
            serde_json::from_value(json!({"name": "call_tool"})).unwrap();
        let work = || RequestWork {
            task: tokio::spawn(async { ToolResult::failed("done") }),
            questions: mpsc::channel(1).1,
            cancelled: CancellationToken::new(),
            progress: watch::channel(Progress::default()).0,
            request: fingerprint(&request),
        };
        let first = work();
        while !first.task.is_finished() {
            tokio::task::yield_now().await;
        }
        let key = pending.add(first, oneshot::channel().0);
        pending.add(work(), oneshot::channel().0);
        request.request_state = Some(key);
        let work = pending.take(&request).expect("its outcome was dropped");
        let step = pending.drive(work, &CancellationToken::new()).await;
        assert!(matches!(step, WorkOutcome::Done(_)));
        assert!(pending.take(&request).is_none(), "once");
    }
}
