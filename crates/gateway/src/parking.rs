//! A run that waits for a person can go on after its client has gone.
//!
//! What a program holds in its engine cannot be kept. What can be kept is the program
//! and every answer that it got: run again from its beginning, it gets the same answers
//! without a call being made, until it is where it was. In: each request of a run, as it
//! is begun, sent and answered. Out: the answers that are known already.
//!
//! Must stay true: no call is made twice. A request that was sent and not answered, and
//! one that a run makes before it has asked for all that it had asked for, end it,
//! unless they change nothing.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use tidegate_model::{Engine, ErrorCode, Language, Program, RunError, RunId};
use tidegate_policy::subject_of_text;

use crate::privacy::Vaults;
use crate::request::Request;

/// Bytes of answers that are kept of a run. Chosen: some thousand ordinary answers; a
/// run that has had more cannot go on after its client has gone.
const KEPT_BYTES: usize = 8 * 1024 * 1024;

/// What a request was answered with.
type Outcome = Result<String, RunError>;

/// A run as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    source: String,
    language: Language,
    engine: Option<Engine>,
    timeout_ms: Option<u64>,
    profile: Option<String>,
    /// The session whose tokens the program may have.
    tokens_of: String,
    /// Nothing if there was too much to keep.
    entries: Option<Vec<Entry>>,
}

/// One request.
#[derive(Clone, Serialize, Deserialize)]
struct Entry {
    request: String,
    state: EntryState,
}

#[derive(Clone, Serialize, Deserialize)]
enum EntryState {
    /// It waits for its turn or for a person, or it changes nothing: it can be made anew.
    Begun,
    /// It was sent, and nobody knows what came of it.
    Sent,
    Answered(Outcome),
}

/// What a run is, beside its answers.
#[derive(Clone)]
pub(crate) struct Identity {
    pub(crate) id: RunId,
    pub(crate) program: Program,
    pub(crate) profile: Option<String>,
    pub(crate) session: String,
    /// The name under which the vault has the tokens that the program may have.
    pub(crate) tokens_of: String,
}

/// The requests of one run.
pub(crate) struct Journal {
    vaults: Vaults,
    identity: Identity,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Nothing once they were too much.
    entries: Option<Vec<Entry>>,
    bytes: usize,
    /// Answers of before, by request, and how many there are.
    known: HashMap<String, VecDeque<EntryState>>,
    unasked: usize,
    /// Until when the run is kept, while it waits for a person.
    kept_until: Option<SystemTime>,
}

/// A request that was begun.
pub(crate) enum Begun {
    /// It was answered before.
    Known(Outcome),
    /// It is to be made. The number is its entry.
    New(Option<usize>),
}

impl Journal {
    /// The journal of a run that begins.
    pub(crate) fn new(vaults: Vaults, identity: Identity) -> Self {
        let state = State { entries: Some(Vec::new()), ..State::default() };
        Self { vaults, identity, state: Mutex::new(state) }
    }

    /// Begins a request.
    pub(crate) fn begin(&self, request: &Request) -> Begun {
        let key = key_of(request);
        let mut state = self.state();
        if let Some(known) = state.known.get_mut(&key).and_then(VecDeque::pop_front) {
            state.unasked -= 1;
            match known {
                EntryState::Answered(outcome) => {
                    let number = state.add(key);
                    state.finish(number, &outcome);
                    return Begun::Known(outcome);
                }
                EntryState::Sent => {
                    // Still so the next time the run goes on.
                    let number = state.add(key);
                    state.set(number, EntryState::Sent);
                    return Begun::Known(Err(unknown_outcome()));
                }
                EntryState::Begun => {}
            }
        }
        Begun::New(state.add(key))
    }

    /// A request is about to have its effect, if it has one.
    pub(crate) fn send(&self, number: Option<usize>, changes: bool) -> Result<(), RunError> {
        if !changes {
            return Ok(());
        }
        let mut state = self.state();
        if state.unasked > 0 {
            return Err(diverged(state.unasked));
        }
        state.set(number, EntryState::Sent);
        self.keep_again(&state);
        Ok(())
    }

    /// A request was answered.
    pub(crate) fn finish(&self, number: Option<usize>, outcome: &Outcome) {
        // What waits for a person, or was refused by one, is asked again.
        if matches!(outcome, Err(error) if error.code == ErrorCode::ApprovalPending) {
            return;
        }
        let mut state = self.state();
        state.finish(number, outcome);
        self.keep_again(&state);
    }

    /// Keeps the run until then: it waits for a person.
    pub(crate) fn keep(&self, until: SystemTime) {
        let mut state = self.state();
        state.kept_until = Some(until);
        self.keep_again(&state);
    }

    /// The run goes on, or has ended: nothing of it is kept.
    pub(crate) fn forget(&self) {
        let mut state = self.state();
        if state.kept_until.take().is_some()
            && let Err(error) =
                self.vaults.unpark(&place(&self.identity.id, &self.identity.session))
        {
            tracing::error!(%error, run = %self.identity.id, "a run was not taken out");
        }
    }

    fn keep_again(&self, state: &State) {
        let Some(until) = state.kept_until else { return };
        let Identity { id, program, profile, session, tokens_of } = &self.identity;
        let kept = Kept {
            source: program.source.clone(),
            language: program.language,
            engine: program.engine,
            timeout_ms: program
                .timeout
                .map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX)),
            profile: profile.clone(),
            tokens_of: tokens_of.clone(),
            entries: state.all_entries(),
        };
        let text = serde_json::to_string(&kept).unwrap_or_default();
        if let Err(error) = self.vaults.park(&place(id, session), &text, until) {
            tracing::error!(%error, run = %id, "a run was not kept");
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, request: String) -> Option<usize> {
        let entries = self.entries.as_mut()?;
        self.bytes += request.len();
        entries.push(Entry { request, state: EntryState::Begun });
        let number = entries.len() - 1;
        self.bound();
        Some(number)
    }

    /// What was asked for, and what was before and is not asked for again yet: a run can be
    /// broken off a second time before it is where it was.
    fn all_entries(&self) -> Option<Vec<Entry>> {
        let mut entries = self.entries.clone()?;
        for (request, unasked) in &self.known {
            let entry = |state: &EntryState| Entry { request: request.clone(), state: state.clone() };
            entries.extend(unasked.iter().map(entry));
        }
        Some(entries)
    }

    fn set(&mut self, number: Option<usize>, to: EntryState) {
        let entry = number.and_then(|number| self.entries.as_mut()?.get_mut(number));
        if let Some(entry) = entry {
            entry.state = to;
        }
    }

    fn finish(&mut self, number: Option<usize>, outcome: &Outcome) {
        let bytes = outcome.as_ref().map_or(0, String::len);
        self.bytes = self.bytes.saturating_add(bytes);
        self.bound();
        if self.entries.is_some() {
            self.set(number, EntryState::Answered(outcome.clone()));
        }
    }

    fn bound(&mut self) {
        if self.bytes > KEPT_BYTES {
            self.entries = None;
        }
    }
}

/// Takes a run out that waits for a person, to go on with it.
pub(crate) fn resume(
    vaults: &Vaults,
    id: &RunId,
    session: &str,
) -> Result<(Identity, Journal), RunError> {
    let text = vaults.unpark(&place(id, session)).map_err(|error| {
        tracing::error!(%error, run = %id, "a run could not be taken out");
        not_there(id)
    })?;
    let kept: Kept =
        text.and_then(|text| serde_json::from_str(&text).ok()).ok_or_else(|| not_there(id))?;
    let entries = kept.entries.ok_or_else(|| too_much(id))?;
    let program = Program {
        source: kept.source,
        language: kept.language,
        engine: kept.engine,
        timeout: kept.timeout_ms.map(Duration::from_millis),
    };
    let (profile, session, tokens_of) = (kept.profile, session.to_owned(), kept.tokens_of);
    let identity = Identity { id: id.clone(), program, profile, session, tokens_of };
    let journal = Journal::new(vaults.clone(), identity.clone());
    {
        let mut state = journal.state();
        for Entry { request, state: entry } in entries {
            if !matches!(entry, EntryState::Begun) {
                state.known.entry(request).or_default().push_back(entry);
                state.unasked += 1;
            }
        }
    }
    Ok((identity, journal))
}

/// Where a run is kept: others than its own session do not find it there.
fn place(id: &RunId, session: &str) -> RunId {
    RunId(format!("{session}/{id}"))
}

fn key_of(request: &Request) -> String {
    match request {
        Request::Tool { name, arguments, raw } => {
            subject_of_text(if *raw { "raw" } else { "tool" }, &format!("{name}\0{arguments}"))
        }
        Request::Fetch(request) => subject_of_text("fetch", request),
        Request::Command { name, request } => {
            subject_of_text("command", &format!("{name}\0{request}"))
        }
    }
}

fn not_there(id: &RunId) -> RunError {
    let id: String = id.0.escape_debug().take(40).collect();
    RunError::new(ErrorCode::NotParked, format!("no run `{id}` waits for an approval")).with_hint(
        "it has gone on, has ended, or waited too long; send the program again if it is still wanted",
    )
}

fn too_much(id: &RunId) -> RunError {
    let message = format!("run `{id}` cannot go on: it had more answers than are kept");
    RunError::new(ErrorCode::NotParked, message)
        .with_hint("find out what it has done already before you write a program for the rest")
}

fn unknown_outcome() -> RunError {
    let message = "this call was under way when the run was broken off; whether it happened is \
                   not known";
    RunError::new(ErrorCode::Diverged, message)
        .with_hint("look whether it has happened before you make it again")
}

fn diverged(unasked: usize) -> RunError {
    let message = format!(
        "the run went on and took another way than before: {unasked} of its earlier requests were \
         not made again"
    );
    RunError::new(ErrorCode::Diverged, message).with_hint(
        "times and random values in arguments do that; find out what it has done already, and \
         write a program for the rest",
    )
}

#[cfg(test)]
mod tests;
