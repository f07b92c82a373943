//! Starts what the program asks for: calls, connections, commands, questions.
//!
//! Requests are counted and queued here, before they wait in memory. The bridge decides
//! on them.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use tidegate_model::{ErrorCode, LimitName, RunError};
use tidegate_sandbox::{ChannelError, FrameWriter, LimitHit};
use tidegate_wire::Question;

use crate::answer::ended::Outcome;
use crate::approvals::questions::is_pending;
use crate::bridge::call::Caller;
use crate::bridge::request::{Request, WAITING_BYTES};
use crate::explain::limit::{Subject, message};
use crate::privacy::{ForProgram, Unscanned};
use crate::run::active::{ActiveRun, RunShared, broken_protocol};

const MEGABYTE: u64 = 1024 * 1024;

/// Calls beyond the limit that are answered with an error. A program can catch it and
/// stop by itself: ten thousand calls at once are not rare. A program that continues
/// regardless is ended, since even its refusals wait in memory.
const REFUSALS: u32 = 20_000;

/// The most skills that one run can save. Chosen: a program saves what it has made, once;
/// each attempt is a row of the database and wears the disk.
const MAX_SAVED_SKILLS: u32 = 100;

impl ActiveRun {
    /// Starts what the program asks for, or refuses it at once: a refused request must
    /// not wait in memory for its turn.
    pub(super) fn start_request(&mut self, id: u32, request: Request) -> Option<Outcome> {
        // Counted before the call: a guest that is killed in the middle of it
        // must still have paid.
        self.ended.tool_calls = self.ended.tool_calls.saturating_add(1);
        let (calls, most) = (self.ended.tool_calls, self.shared.limits.tool_calls);
        if calls > most.saturating_add(REFUSALS) {
            return Some(Err(RunError::new(ErrorCode::CallLimit, "")));
        }
        if calls > most {
            let error = self.too_many_calls();
            self.refuse(id, error);
            return None;
        }
        let bytes = request.bytes();
        let waiting = self.slots.waiting_bytes.load(Ordering::Relaxed);
        if waiting + bytes > WAITING_BYTES {
            self.refuse(id, too_many_bytes(waiting));
            return None;
        }
        self.slots.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        let (shared, slots) = (Arc::clone(&self.shared), Arc::clone(&self.slots));
        let progress = self.shared.person.context().progress.clone();
        progress.send_modify(|progress| progress.calls_started += 1);
        self.tasks.spawn(async move {
            // Taken before the turn: a command that waits for others must not keep calls
            // waiting.
            let _command = match request.is_command() {
                true => slots.commands.acquire().await.ok(),
                false => None,
            };
            // Held until the reply is written: replies wait in memory too.
            let _turn = slots.parallel.acquire().await;
            // Boxed: a call needs a hundred times more memory while it is made than while
            // it waits, and ten thousand may wait.
            let called = OnceLock::new();
            let caller = shared.caller(&called);
            let outcome = Box::pin(shared.runner.bridge.answer_request(caller, request)).await;
            slots.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
            progress.send_modify(|progress| progress.calls_finished += 1);
            match outcome.error().filter(|error| is_pending(error)) {
                Some(error) => {
                    // If nobody listens, the run has ended.
                    let _ = shared.interrupt.send(error.clone());
                }
                None => shared.send_reply(&mut *shared.writer.lock().await, id, outcome).await,
            }
        });
        self.collect_finished();
        None
    }

    fn too_many_calls(&mut self) -> RunError {
        let limit = LimitName::ToolCalls;
        // The same for all that follow, which can be many.
        let hint = self.call_hint.take().unwrap_or_else(|| self.hint(limit));
        self.call_hint = Some(hint.clone());
        let hit = LimitHit { limit, used: Some(self.ended.tool_calls.into()) };
        let message = message(Subject::Program, hit, &self.shared.limits);
        RunError::new(ErrorCode::CallLimit, message).with_hint(hint)
    }

    fn refuse(&mut self, id: u32, error: RunError) {
        let shared = Arc::clone(&self.shared);
        self.tasks.spawn(async move {
            let refused = shared.for_program(Unscanned::new(Err(error))).await;
            shared.send_reply(&mut *shared.writer.lock().await, id, refused).await;
        });
        self.collect_finished();
    }

    /// Answers a question. Our worker waits for each answer before it asks
    /// again; one that does not was compromised.
    pub(super) fn start_question(
        &mut self,
        id: u32,
        question: Question,
        body: String,
    ) -> Option<Outcome> {
        let Ok(turn) = Arc::clone(&self.slots.questions).try_acquire_owned() else {
            return Some(Err(broken_protocol()));
        };
        self.saves += u32::from(question == Question::SaveSkill);
        let too_many_saves = question == Question::SaveSkill && self.saves > MAX_SAVED_SKILLS;
        let shared = Arc::clone(&self.shared);
        self.tasks.spawn(async move {
            let answer = match too_many_saves {
                true => shared.for_program(Unscanned::new(Err(too_many()))).await,
                false => {
                    let called = OnceLock::new();
                    let caller = shared.caller(&called);
                    shared.runner.answer(&shared.view, &caller, question, &body).await
                }
            };
            let mut writer = shared.writer.lock().await;
            // Given back before the reply, since the worker asks again as soon as it has
            // read it, but only while the writer is locked: answers must not pile up for
            // a worker that asks and never reads.
            drop(turn);
            shared.send_reply(&mut writer, id, answer).await;
        });
        self.collect_finished();
        None
    }

    /// Collects finished tasks whenever others are added, or the set would grow with the
    /// run.
    fn collect_finished(&mut self) {
        while self.tasks.try_join_next().is_some() {}
    }
}

impl RunShared {
    async fn for_program(&self, outcome: Unscanned<Result<String, RunError>>) -> ForProgram {
        let (privacy, person) = (&self.runner.bridge.privacy, &self.person);
        privacy.arrived(&person.context().principal, outcome, &person.errors).await.outcome
    }

    /// Answers a request, and remembers an error: the program may not catch it.
    async fn send_reply(&self, writer: &mut FrameWriter, id: u32, outcome: ForProgram) {
        self.remember_error(id, &outcome);
        let sent = writer.send(&outcome.into_reply(id)).await;
        if let Err(ChannelError::Malformed(_)) = sent {
            let outcome = ForProgram::too_large();
            self.remember_error(id, &outcome);
            // If this fails too, the worker is gone and its reader reports that.
            let _ = writer.send(&outcome.into_reply(id)).await;
        }
    }

    fn remember_error(&self, id: u32, outcome: &ForProgram) {
        if let Some(error) = outcome.error() {
            self.given.add(id, error);
        }
    }

    /// The caller of this run's calls.
    fn caller<'a>(&'a self, called: &'a OnceLock<tidegate_model::ToolRef>) -> Caller<'a> {
        Caller {
            run: &self.id,
            permissions: &self.permissions,
            language: self.view.language,
            person: &self.person,
            entry: None,
            called,
        }
    }
}

fn too_many_bytes(waiting: u64) -> RunError {
    let message = format!(
        "the program hit the limit of 64 MB of arguments that wait for their calls: it had {} MB \
         and asked for more",
        waiting / MEGABYTE
    );
    RunError::new(ErrorCode::CallLimit, message)
        .with_hint("await calls before making more, and pass less to one of them")
}

fn too_many() -> RunError {
    let message = format!("a program can save at most {MAX_SAVED_SKILLS} skills");
    RunError::new(ErrorCode::File, message).with_hint("save one skill with all of it")
}
