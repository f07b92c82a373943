//! The journal of a run, which lets it resume after its client has gone.
//!
//! The state of an engine cannot be stored, but the program and every answer that it got
//! can. When the program is run again from its start, it gets the same answers without any
//! call being made, until it is back where it stopped.
//! In: each request of a run, when it begins, is sent and is answered. Out: the answers that
//! are already known.
//!
//! Invariant: no call is made twice. In a resumed run, a request that was sent but not
//! answered fails, and so does a new request before all earlier ones were repeated, unless it
//! changes nothing. A run has one owner: while its process renews the lease, no other process
//! takes it; if another one took it after the lease had ended, the old owner does nothing
//! more. Its row can be copied and put back, so the record has the last word: a run that has
//! ended, or has sent more than the row says, is not resumed.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use tidegate_model::{
    Engine, ErrorCode, Language, PrincipalKey, Program, RunError, RunId, RunOptions, SandboxKind,
};
use tidegate_policy::{Approved, Uses};
use tidegate_store::{Lease, Parked, ParkedRun, Reply, RunOnRecord, UnclaimedRun};

use crate::ids::short_id;
use crate::privacy::{Unscanned, Vaults};

/// The most bytes of answers that are kept for a run. Chosen: a few thousand ordinary answers;
/// a run with more cannot resume after its client has gone.
const JOURNAL_BYTES: usize = 8 * 1024 * 1024;

/// The most bytes of answers that are kept for all runs of this process together. A run that
/// finds no room cannot resume either.
const ALL_JOURNALS_BYTES: usize = 64 * 1024 * 1024;

/// How many of them are in use. The memory is that of the process, and so is this.
static KEPT_BYTES: AtomicUsize = AtomicUsize::new(0);

/// The bytes of all journals.
struct AllJournals(&'static AtomicUsize);

impl Default for AllJournals {
    fn default() -> Self {
        Self(&KEPT_BYTES)
    }
}

/// How long the lease on a waiting run lasts after its last renewal. Chosen: resuming the run
/// of a process that was killed waits no longer than this.
const LEASE: Duration = Duration::from_secs(10);

/// How often its process renews the lease. Chosen: a busy machine can miss some renewals.
const LEASE_RENEWAL_INTERVAL: Duration = Duration::from_secs(2);

/// The answer to a request.
type Outcome = Unscanned<Result<String, RunError>>;

/// The stored form of a run that waits for a person.
#[derive(Serialize, Deserialize)]
struct StoredRun {
    source: String,
    language: Language,
    engine: Option<Engine>,
    timeout_ms: Option<u64>,
    profile: Option<String>,
    /// The session whose tokens the program may have.
    tokens_of: String,
    /// The principal whose approvals count.
    #[serde(rename = "asker")]
    requester: PrincipalKey,
    /// A stronger sandbox than it needs.
    sandbox: Option<SandboxKind>,
    /// Absent in runs of earlier versions.
    #[serde(default)]
    options: RunOptions,
    /// `None` if there was too much to keep.
    entries: Option<Vec<Entry>>,
    /// How often it has sent something that may have an effect. Less than the record has means
    /// that this is an older copy. Absent in runs of earlier versions.
    #[serde(default)]
    sent: u64,
    /// The approvals that it has not used up, by subject, and how often each still counts;
    /// none for any number of times.
    #[serde(default)]
    approved: Vec<(String, Option<u32>)>,
}

/// One request.
#[derive(Clone, Serialize, Deserialize)]
struct Entry {
    request: String,
    state: EntryState,
}

#[derive(Clone, Serialize, Deserialize)]
enum EntryState {
    /// It waits for its turn or for a person, or it changes nothing: it can be made again.
    Begun,
    /// It was sent, and its outcome is unknown.
    Sent,
    Answered(Outcome),
}

/// What identifies a run, without its answers.
#[derive(Clone)]
pub(crate) struct Identity {
    pub(crate) id: RunId,
    pub(crate) program: Program,
    pub(crate) profile: Option<String>,
    /// The storage key of its principal.
    pub(crate) session: String,
    /// The name under which the vault has the tokens that the program may have.
    pub(crate) tokens_of: String,
    /// The principal whose approvals count, wherever the run is resumed.
    pub(crate) requester: PrincipalKey,
    /// A stronger sandbox than it needs.
    pub(crate) sandbox: Option<SandboxKind>,
    /// What else it asks for.
    pub(crate) options: RunOptions,
}

/// The requests of one run.
pub(crate) struct Journal {
    vaults: Vaults,
    identity: Identity,
    /// The owner of the run: this journal, and no other of the same run.
    owner: String,
    /// The approvals of the run. Those for calls that were sent are used up here, so that a
    /// resumed run has no approval twice.
    approved: Arc<Approved>,
    state: Mutex<State>,
    /// It was begun before, perhaps in another process.
    is_resumed: bool,
}

#[derive(Default)]
struct State {
    /// `None` once they exceeded [`JOURNAL_BYTES`], or all together [`ALL_JOURNALS_BYTES`].
    entries: Option<Vec<Entry>>,
    /// Of these, as counted in `all`.
    bytes: usize,
    all: AllJournals,
    /// Answers from before the resume, by request, and how many are left.
    known: HashMap<String, VecDeque<EntryState>>,
    unasked: usize,
    /// As in [`StoredRun`].
    sent: u64,
    /// When the parked run expires, while it waits for a person.
    parked_until: Option<SystemTime>,
    /// Another process has taken over the run.
    is_lost: bool,
}

/// A request that was begun.
pub(crate) enum Begun {
    /// It was answered before.
    Known(Outcome),
    /// It must be made. The number is its entry.
    New(Option<usize>),
}

impl Journal {
    /// The journal of a run that begins.
    pub(crate) fn new(vaults: Vaults, identity: Identity) -> Self {
        let mut state = State::default();
        state.entries = Some(Vec::new());
        let approved = Arc::default();
        let state = Mutex::new(state);
        Self { vaults, identity, owner: short_id(), approved, state, is_resumed: false }
    }

    /// The approvals of the run.
    pub(crate) fn approved(&self) -> Arc<Approved> {
        Arc::clone(&self.approved)
    }

    /// Begins a request. Requests with the same key are the same request.
    pub(crate) fn begin(&self, key: String) -> Begun {
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
                    // Still unknown the next time the run resumes.
                    let number = state.add(key);
                    state.set(number, EntryState::Sent);
                    return Begun::Known(Unscanned::new(Err(unknown_outcome())));
                }
                EntryState::Begun => {}
            }
        }
        Begun::New(state.add(key))
    }

    /// Marks a request as sent before it has its effect, if it has one.
    pub(crate) async fn send(&self, number: Option<usize>, changes: bool) -> Result<(), RunError> {
        if !changes {
            return Ok(());
        }
        let stored = {
            let mut state = self.state();
            state.is_ours()?;
            if state.unasked > 0 {
                return Err(diverged(state.unasked));
            }
            state.set(number, EntryState::Sent);
            state.sent += 1;
            self.store_changes(&state)
        };
        self.stored(stored).await
    }

    /// Called when the record has what is about to be sent. An error if it has more than this
    /// run has sent: then a copy of the run is resumed elsewhere.
    pub(crate) async fn is_alone(&self) -> Result<(), RunError> {
        if !self.is_resumed {
            return Ok(());
        }
        let id = &self.identity.id;
        let sent = self.state().sent;
        match on_record(&self.vaults, id).await? {
            RunOnRecord { effects, .. } if effects <= sent => Ok(()),
            _ => Err(taken()),
        }
    }

    /// Records the answer to a request.
    pub(crate) async fn finish(&self, number: Option<usize>, outcome: &Outcome) {
        // A request that waits for a person is made again.
        if outcome.fact(code) == Some(ErrorCode::ApprovalPending) {
            return;
        }
        let stored = {
            let mut state = self.state();
            state.finish(number, outcome);
            self.store_changes(&state)
        };
        // The effect has happened. Whether the run is still ours and can be stored is checked
        // before the next effect.
        let _ = self.stored(stored).await;
    }

    /// Parks the run until `until`, while it waits for a person.
    pub(crate) async fn park(&self, until: SystemTime) -> Result<(), RunError> {
        let parked = {
            let mut state = self.state();
            if state.parked_until.replace(until).is_some() || state.is_lost {
                Err(self.store_changes(&state))
            } else {
                Ok(self.vaults.park(&self.as_parked(&self.written(&state), until)))
            }
        };
        match parked {
            Err(stored) => self.stored(stored).await,
            Ok(parked) => {
                if let Err(error) = parked.await {
                    tracing::error!(%error, run = %self.identity.id, "a run was not parked");
                    self.state().parked_until = None;
                }
                Ok(())
            }
        }
    }

    /// Waits for something and renews the run's lease meanwhile.
    pub(crate) async fn with_lease<T>(&self, waiting: impl Future<Output = T>) -> T {
        let mut waiting = std::pin::pin!(waiting);
        loop {
            tokio::select! {
                done = &mut waiting => return done,
                () = tokio::time::sleep(LEASE_RENEWAL_INTERVAL) => self.renew_lease().await,
            }
        }
    }

    /// Unparks the run, because it continues here or has ended. An error if another process
    /// has taken it over.
    pub(crate) async fn forget(&self) -> Result<(), RunError> {
        let taken_back = {
            let mut state = self.state();
            if state.parked_until.take().is_none() {
                return state.is_ours();
            }
            self.vaults.take_back(&self.stored_id(), &self.owner)
        };
        let is_lost = match taken_back.await {
            Ok(lease) => lease == Lease::Lost,
            Err(error) => {
                // A run that is still stored could be resumed by another process.
                tracing::error!(%error, run = %self.identity.id, "a parked run was not taken back");
                true
            }
        };
        let mut state = self.state();
        state.is_lost |= is_lost;
        state.is_ours()
    }

    /// Gives up the run, so that others can resume it at once. Does not wait, since this is
    /// also called on drop.
    pub(crate) fn release(&self) {
        if self.state().parked_until.take().is_some() {
            self.lease_until(SystemTime::UNIX_EPOCH).in_background();
        }
    }

    async fn renew_lease(&self) {
        if let Err(error) = self.lease_until(self.vaults.now() + LEASE).await {
            tracing::warn!(%error, run = %self.identity.id, "could not renew the run's lease");
        }
    }

    fn lease_until(&self, until: SystemTime) -> Reply<Lease> {
        self.vaults.renew(&self.stored_id(), &self.owner, until)
    }

    /// Stores changes if the run is parked. Called with the state locked, so that they are
    /// stored in order.
    fn store_changes(&self, state: &State) -> Option<Reply<Lease>> {
        let until = state.parked_until.filter(|_| !state.is_lost)?;
        Some(self.vaults.update_parked(&self.as_parked(&self.written(state), until)))
    }

    /// Waits until changes are stored. An error if they are not, or if the run is no longer
    /// ours: nothing may have an effect that a later resume does not know about.
    async fn stored(&self, changes: Option<Reply<Lease>>) -> Result<(), RunError> {
        if let Some(changes) = changes {
            match changes.await {
                Ok(Lease::Held) => {}
                Ok(Lease::Lost) => self.state().is_lost = true,
                Err(error) => {
                    tracing::error!(%error, run = %self.identity.id, "a run was not parked");
                    return Err(not_stored());
                }
            }
        }
        self.state().is_ours()
    }

    fn as_parked<'a>(&'a self, text: &'a (RunId, String), expires_at: SystemTime) -> ParkedRun<'a> {
        let (id, state) = text;
        let lease_ends = self.vaults.now() + LEASE;
        ParkedRun { id, owner: &self.owner, lease_ends, expires_at, state }
    }

    /// The id that the run is stored by, and its stored form.
    fn written(&self, state: &State) -> (RunId, String) {
        let Identity { program, profile, tokens_of, requester, sandbox, options, .. } =
            &self.identity;
        let stored = StoredRun {
            source: program.source.clone(),
            language: program.language,
            engine: program.engine,
            timeout_ms: program
                .timeout
                .map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX)),
            profile: profile.clone(),
            tokens_of: tokens_of.clone(),
            requester: requester.clone(),
            sandbox: *sandbox,
            options: options.clone(),
            entries: state.all_entries(),
            sent: state.sent,
            approved: self.approved.left().into_iter().map(stored_uses).collect(),
        };
        (self.stored_id(), serde_json::to_string(&stored).unwrap_or_default())
    }

    fn stored_id(&self) -> RunId {
        stored_id(&self.identity.id, &self.identity.session)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives up a run that waits, so that others need not wait for its lease to end.
impl Drop for Journal {
    fn drop(&mut self) {
        self.release();
    }
}

impl State {
    fn is_ours(&self) -> Result<(), RunError> {
        if self.is_lost { Err(taken()) } else { Ok(()) }
    }

    fn add(&mut self, request: String) -> Option<usize> {
        let entries = self.entries.as_mut()?;
        let bytes = request.len();
        entries.push(Entry { request, state: EntryState::Begun });
        let number = entries.len() - 1;
        self.keep(bytes);
        Some(number)
    }

    /// The requests so far, and earlier ones that were not repeated yet: a run can be
    /// interrupted a second time before it is back where it stopped.
    fn all_entries(&self) -> Option<Vec<Entry>> {
        let mut entries = self.entries.clone()?;
        for (request, unasked) in &self.known {
            let entry =
                |state: &EntryState| Entry { request: request.clone(), state: state.clone() };
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
        if self.entries.is_some() {
            self.keep(outcome.fact(|outcome| outcome.as_ref().map_or(0, String::len)));
        }
        if self.entries.is_some() {
            self.set(number, EntryState::Answered(outcome.clone()));
        }
    }

    /// Counts bytes that are kept. Forgets all if these are too many.
    fn keep(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
        let all = self.all.0.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if self.bytes > JOURNAL_BYTES || all > ALL_JOURNALS_BYTES {
            self.entries = None;
            self.give_back();
        }
    }

    fn give_back(&mut self) {
        self.all.0.fetch_sub(std::mem::take(&mut self.bytes), Ordering::Relaxed);
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// A waiting run that no process owns.
pub(crate) struct Unowned {
    pub(crate) identity: Identity,
    entries: Vec<Entry>,
    /// As in [`StoredRun`].
    sent: u64,
    approved: Vec<(String, Option<u32>)>,
    seen: UnclaimedRun,
}

/// Looks for a run that waits for a person, to resume it.
pub(crate) async fn find(vaults: &Vaults, id: &RunId, session: &str) -> Result<Unowned, RunError> {
    let parked = vaults.find_parked(&stored_id(id, session)).await.map_err(|error| {
        tracing::error!(%error, run = %id, "a run could not be looked at");
        not_there(id)
    })?;
    let seen = match parked {
        Parked::NotFound => return Err(not_there(id)),
        Parked::Leased => return Err(still_waits(id)),
        Parked::Unclaimed(seen) => seen,
    };
    let stored: StoredRun = serde_json::from_str(&seen.state).map_err(|_| not_there(id))?;
    let found = on_record(vaults, id).await?;
    if found.has_ended || found.effects > stored.sent {
        tracing::error!(run = %id, "an old copy of a run was stored again, and is not resumed");
        return Err(not_there(id));
    }
    let entries = stored.entries.ok_or_else(|| too_much(id))?;
    let program = Program {
        source: stored.source,
        language: stored.language,
        engine: stored.engine,
        timeout: stored.timeout_ms.map(Duration::from_millis),
    };
    let identity = Identity {
        id: id.clone(),
        program,
        profile: stored.profile,
        session: session.to_owned(),
        tokens_of: stored.tokens_of,
        requester: stored.requester,
        sandbox: stored.sandbox,
        options: stored.options,
    };
    Ok(Unowned { identity, entries, sent: stored.sent, approved: stored.approved, seen })
}

impl Unowned {
    /// Forgets what was approved for it. The row is sealed with a key of the state folder, and
    /// not signed by the approver, so it asks again.
    pub(crate) fn forget_approvals(&mut self) {
        self.approved.clear();
    }

    /// Claims the run for this process.
    pub(crate) async fn take(self, vaults: &Vaults) -> Result<(Identity, Journal), RunError> {
        let Self { identity, entries, sent, approved, seen } = self;
        let mut journal = Journal::new(vaults.clone(), identity.clone());
        journal.is_resumed = true;
        for (subject, times) in &approved {
            journal.approved.approve(subject, times.map_or(Uses::Always, Uses::Times));
        }
        match vaults.claim(&journal.stored_id(), &seen).await {
            Ok(true) => {}
            Ok(false) => return Err(not_there(&identity.id)),
            Err(error) => {
                tracing::error!(%error, run = %identity.id, "a run could not be taken out");
                return Err(not_there(&identity.id));
            }
        }
        {
            let mut state = journal.state();
            state.sent = sent;
            for Entry { request, state: entry } in entries {
                if !matches!(entry, EntryState::Begun) {
                    state.known.entry(request).or_default().push_back(entry);
                    state.unasked += 1;
                }
            }
        }
        Ok((identity, journal))
    }
}

/// What the record says of a run.
async fn on_record(vaults: &Vaults, id: &RunId) -> Result<RunOnRecord, RunError> {
    vaults.store.records().of_run(id).await.map_err(|error| {
        tracing::error!(%error, run = %id, "the record of a run could not be read");
        not_there(id)
    })
}

fn stored_uses((subject, uses): (String, Uses)) -> (String, Option<u32>) {
    match uses {
        Uses::Times(times) => (subject, Some(times)),
        Uses::Always => (subject, None),
    }
}

/// The id that a run is stored by: only its own principal finds it.
fn stored_id(id: &RunId, session: &str) -> RunId {
    RunId(format!("{session}/{id}"))
}

fn code(outcome: &Result<String, RunError>) -> Option<ErrorCode> {
    outcome.as_ref().err().map(|error| error.code)
}

fn not_stored() -> RunError {
    RunError::new(ErrorCode::Internal, "what this run has done could not be stored").with_hint(
        "nothing was sent, so that a later resume makes no call twice; the user can find the \
         reason in the log",
    )
}

fn not_there(id: &RunId) -> RunError {
    let id: String = id.0.escape_debug().take(40).collect();
    RunError::new(ErrorCode::NotParked, format!("no run `{id}` is waiting for approval")).with_hint(
        "it was resumed, has ended, or has expired; send the program again if it is still wanted",
    )
}

fn still_waits(id: &RunId) -> RunError {
    let message =
        format!("run `{id}` is still waiting for approval in the process that started it");
    RunError::new(ErrorCode::ApprovalPending, message).with_hint(
        "it continues there after the user answers (`tidegate approvals list`); if its client has \
         just disconnected, retry in a few seconds",
    )
}

fn taken() -> RunError {
    let message = "another process has resumed this run";
    RunError::new(ErrorCode::NotParked, message)
        .with_hint("this process has stopped the run; check its result before you repeat it")
}

fn too_much(id: &RunId) -> RunError {
    let message = format!("run `{id}` cannot be resumed: its recorded answers exceed the limit");
    RunError::new(ErrorCode::NotParked, message)
        .with_hint("find out what it has done already before you write a program for the rest")
}

fn unknown_outcome() -> RunError {
    let message = "this call was in flight when the run was interrupted; its outcome is unknown";
    RunError::new(ErrorCode::Diverged, message)
        .with_hint("check whether it took effect before you repeat it")
}

fn diverged(unasked: usize) -> RunError {
    let message =
        format!("the resumed run diverged: {unasked} recorded requests were not repeated");
    RunError::new(ErrorCode::Diverged, message).with_hint(
        "arguments that contain times or random values cause this; find out what it has done \
         already, and write a program for the rest",
    )
}

#[cfg(test)]
mod tests;
