//! Requests that wait for their client to ask its user, where a server cannot.
//!
//! In the era without sessions a request is answered with "input required", and the
//! client sends the same request again with the answer. Meanwhile the work goes on
//! waiting here, under a name that nobody can guess. A name that is not known, of a
//! gateway that was started anew, is no loss: the request is then done as a new one, and
//! what waits in the database is found there.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ElicitRequest, ElicitResult, InputRequest,
    InputRequiredResult, InputResponses,
};
use tidegate_gateway::{Approver, Form, Progress, Reply, Shown};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::approver::{params, reply};
use crate::tool_result::ToolResult;

/// The key of our one question among those of an answer.
const QUESTION: &str = "approval";

/// Requests that wait, or that were done since somebody else said yes and whose clients
/// have not come back. Chosen: a client has few at a time; what is more is forgotten, oldest
/// first, and asked about again.
const MOST: usize = 64;

/// A question and where its answer goes.
pub(crate) struct Question {
    form: Shown<Form>,
    answer: oneshot::Sender<Reply>,
}

/// Hands questions to whoever answers the request.
pub(crate) struct Asking(pub(crate) mpsc::Sender<Question>);

impl Approver for Asking {
    fn name(&self) -> &'static str {
        "client"
    }

    fn ask<'a>(
        &'a self,
        form: &'a Shown<Form>,
    ) -> Pin<Box<dyn Future<Output = Option<Reply>> + Send + 'a>> {
        Box::pin(async {
            let (answer, answered) = oneshot::channel();
            self.0.send(Question { form: form.clone(), answer }).await.ok()?;
            answered.await.ok()
        })
    }
}

/// The work on a request.
pub(crate) struct Work {
    pub(crate) task: JoinHandle<ToolResult>,
    pub(crate) questions: mpsc::Receiver<Question>,
    pub(crate) cancelled: CancellationToken,
    pub(crate) progress: watch::Sender<Progress>,
    /// The request, so that another one cannot take its answer.
    pub(crate) request: String,
}

/// Work without anybody who waits for it must not go on.
impl Drop for Work {
    fn drop(&mut self) {
        self.cancelled.cancel();
    }
}

/// Work that waits for an answer.
struct Waiting {
    work: Work,
    answer: oneshot::Sender<Reply>,
    age: u64,
}

/// All work that waits for an answer.
#[derive(Default)]
pub(crate) struct Held {
    state: Mutex<(u64, HashMap<String, Waiting>)>,
}

/// What became of work.
pub(crate) enum Step {
    Done(ToolResult),
    Asks(CallToolResponse),
    Cancelled,
}

impl Held {
    /// Waits until work is done or asks something.
    pub(crate) async fn drive(&self, mut work: Work, given_up: &CancellationToken) -> Step {
        loop {
            tokio::select! {
                done = &mut work.task => {
                    return Step::Done(done.unwrap_or_else(|_| ToolResult::failed("the request failed")));
                }
                Some(Question { form, answer }) = work.questions.recv() => {
                    let Some(params) = params(&form) else { continue };
                    let name = self.hold(work, answer);
                    let asked = InputRequest::Elicitation(ElicitRequest::new(params));
                    let asked = [(QUESTION.to_owned(), asked)].into();
                    let needed = InputRequiredResult::new(Some(asked), Some(name));
                    return Step::Asks(CallToolResponse::InputRequired(needed));
                }
                () = given_up.cancelled() => return Step::Cancelled,
            }
        }
    }

    fn hold(&self, work: Work, answer: oneshot::Sender<Reply>) -> String {
        let mut random = [0; 16];
        // Without randomness nothing is found again, and everything is asked anew.
        let _ = getrandom::fill(&mut random);
        let name = format!("{:032x}", u128::from_le_bytes(random));
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (ages, waiting) = &mut *state;
        if waiting.len() >= MOST {
            let oldest = waiting.iter().min_by_key(|(_, one)| one.age);
            let oldest = oldest.map(|(name, _)| name.clone());
            oldest.and_then(|name| waiting.remove(&name));
        }
        *ages += 1;
        waiting.insert(name.clone(), Waiting { work, answer, age: *ages });
        name
    }

    /// The work that a request goes on with, told the answer that it brings.
    pub(crate) fn take(&self, request: &CallToolRequestParams) -> Option<Work> {
        let name = request.request_state.as_ref()?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let same = state.1.get(name)?.work.request == fingerprint(request);
        // An answer to one thing is none to another.
        let Waiting { work, answer, .. } = state.1.remove(name).filter(|_| same)?;
        // Nobody listens if it took too long; then the work is done.
        let _ = answer.send(said(request.input_responses.as_ref()));
        Some(work)
    }
}

/// What was asked for, as far as it must be the same again.
pub(crate) fn fingerprint(request: &CallToolRequestParams) -> String {
    serde_json::to_string(&(&request.name, &request.arguments)).unwrap_or_default()
}

fn said(responses: Option<&InputResponses>) -> Reply {
    let said = responses.and_then(|responses| responses.get(QUESTION)).cloned();
    let said = said.and_then(|said| serde_json::from_value::<ElicitResult>(said).ok());
    said.map_or(Reply::Deny, |said| reply(&said))
}

#[cfg(test)]
mod tests {
    use rmcp::model::CallToolRequestParams;
    use serde_json::json;
    use tidegate_gateway::Progress;
    use tokio::sync::{mpsc, oneshot, watch};
    use tokio_util::sync::CancellationToken;

    use super::{Held, Step, Work, fingerprint};
    use crate::tool_result::ToolResult;

    #[tokio::test]
    async fn what_was_done_meanwhile_is_there_when_its_client_comes_back() {
        let held = Held::default();
        let mut request: CallToolRequestParams =
            serde_json::from_value(json!({"name": "call_tool"})).unwrap();
        let work = || Work {
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
        let name = held.hold(first, oneshot::channel().0);
        held.hold(work(), oneshot::channel().0);
        request.request_state = Some(name);
        let work = held.take(&request).expect("its outcome was thrown away");
        let step = held.drive(work, &CancellationToken::new()).await;
        assert!(matches!(step, Step::Done(_)));
        assert!(held.take(&request).is_none(), "once");
    }
}
