//! Privacy: personal data is detected where it comes in, replaced where it leaves, and
//! restored on its way into a tool.
//!
//! Contains: the detector, the values that each session has seen, the writer of the vault
//! (`keeper.rs`), and the alerts for a person (`alerts.rs`).
//! In: every answer from outside ([`Privacy::arrived`]), every text that goes to the model
//! ([`Leaving`]), the arguments of every call ([`Privacy::restore`]). Out: the same with
//! values or tokens, depending on the mode. A session remembers what it has seen until it
//! ends; tokens that were sent are also stored in the vault.
//!
//! Invariant: everything that reaches a client has passed through here, except what a
//! person approved (`restore_pii`). No session gets a value of another one.

mod alerts;
mod decoded_bytes;
mod disguise;
mod encoded_text;
mod for_program;
mod keeper;
pub(crate) mod named_session;
mod own_text;
mod redact_for_model;
mod redacted;
mod restore_for_server;
mod search;
mod token_questions;
mod unscanned;
mod vaults;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tidegate_config::{Privacy as Settings, PrivacyMode};
use tidegate_detect::{CustomRule, Detector, Exclusion, Options, OptionsError};
use tidegate_model::{
    DataType, Detect, ErrorCode, Principal, RunError, RunOptions, Span, TextKind,
};
use tidegate_privacy::{
    Limits, NewValue, RestoreError, Restored, SessionValues, Token, TokenAction, find_tokens,
};

use crate::ids::new_run_id;
use crate::recorder::Recorder;
use keeper::Keeper;
use redact_for_model::add;
use search::{Searched, Turns, too_much};

pub(crate) use for_program::ForProgram;
pub(crate) use redact_for_model::{Counts, Leaving, Origin};
pub use redacted::Redacted;
pub(crate) use redacted::{Part, RedactedError, RedactedErrors};
pub(crate) use search::{AT_ONCE_BYTES, SearchBudget, Withheld};
pub(crate) use unscanned::Unscanned;
pub(crate) use vaults::Vaults;

/// Values that all sessions remember together, about; each has an equal share of them. Chosen:
/// some 100 MB.
const VALUES_OF_ALL: usize = 400_000;

/// Values that a session may always remember.
const LEAST_VALUES: usize = 1000;

/// The most bytes of a text of the log that are searched; more of it is not logged.
const LOGGED_BYTES: usize = 16 * 1024;

/// How long a line of the log waits for sessions that are in use.
const LOG_LOCK_WAIT: Duration = Duration::from_millis(50);

/// Handles personal data, for all sessions.
pub(crate) struct Privacy {
    settings: Settings,
    detector: Box<dyn Detect>,
    sessions: Mutex<Sessions>,
    /// How many of them there are.
    open: Arc<AtomicUsize>,
    /// Turns of pieces of large texts.
    turns: Turns,
    keeper: Keeper,
    vaults: Vaults,
    recorder: Recorder,
}

/// Each session is opened outside of the lock on all: that may take a while.
type Sessions = HashMap<Principal, Arc<OnceLock<Arc<Session>>>>;

/// The personal data that one session has seen.
pub(crate) struct Session {
    /// Its name in the vault.
    pub(crate) name: String,
    values: Mutex<SessionValues>,
    /// Others that want its values now.
    waiting: AtomicUsize,
    /// How many sessions there are.
    open: Arc<AtomicUsize>,
    /// How many values it had dropped when its client was last told.
    reported_dropped: AtomicUsize,
    /// Bytes sent to the model since personal data was seen.
    pub(crate) sent_bytes: AtomicU64,
}

impl Session {
    fn new(name: String, values: SessionValues, open: Arc<AtomicUsize>) -> Self {
        Self {
            name,
            values: Mutex::new(values),
            waiting: AtomicUsize::new(0),
            open,
            reported_dropped: AtomicUsize::new(0),
            sent_bytes: AtomicU64::new(0),
        }
    }

    pub(crate) fn values(&self) -> MutexGuard<'_, SessionValues> {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        let values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        self.waiting.fetch_sub(1, Ordering::AcqRel);
        self.limited(values)
    }

    /// For a piece of much work: lets everybody else go first. The lock alone is not fair; who
    /// takes it again at once would keep it.
    fn values_between_others(&self) -> MutexGuard<'_, SessionValues> {
        while self.waiting.load(Ordering::Acquire) > 0 {
            thread::yield_now();
        }
        self.limited(self.values.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn limited<'a>(
        &self,
        mut values: MutexGuard<'a, SessionValues>,
    ) -> MutexGuard<'a, SessionValues> {
        values.set_limits(limits_of_each(self.open.load(Ordering::Relaxed)));
        values
    }

    /// How many values it has dropped since this was last asked.
    pub(crate) fn newly_dropped(&self) -> usize {
        let dropped = self.values().dropped();
        dropped - self.reported_dropped.swap(dropped, Ordering::Relaxed).min(dropped)
    }

    /// Whether it has seen personal data.
    pub(crate) fn has_seen_some(&self) -> bool {
        !self.values().is_empty()
    }
}

/// An answer that has arrived.
pub(crate) struct Arrived {
    pub(crate) outcome: ForProgram,
    /// How many values of each type were found in it.
    pub(crate) counts: Counts,
}

impl Arrived {
    fn of(outcome: Result<String, RunError>, counts: Counts) -> Self {
        Self { outcome: ForProgram::searched(outcome), counts }
    }
}

impl Privacy {
    pub(crate) fn open(settings: Settings, vaults: Vaults) -> Result<Self, OptionsError> {
        Ok(Self {
            detector: detector(&settings)?,
            keeper: Keeper::new(vaults.clone(), settings.expires),
            recorder: Recorder::new(&vaults.store),
            vaults,
            settings,
            sessions: Mutex::default(),
            open: Arc::default(),
            turns: Turns::default(),
        })
    }

    pub(crate) fn is_off(&self) -> bool {
        self.settings.mode == PrivacyMode::Off
    }

    /// The session of a principal, with the values that it has seen.
    pub(crate) fn session(&self, principal: &Principal) -> Arc<Session> {
        let session = {
            let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            let session = Arc::clone(sessions.entry(principal.clone()).or_default());
            self.open.store(sessions.len(), Ordering::Relaxed);
            session
        };
        Arc::clone(session.get_or_init(|| Arc::new(self.open_session(principal))))
    }

    fn open_session(&self, principal: &Principal) -> Session {
        let mut values = self.no_values();
        let name = match principal {
            // A name of its own each time.
            Principal::Process | Principal::LocalUser => new_run_id(self.recorder.now()).0,
            // It may have values in the vault, of this process or an earlier one.
            Principal::Session(_) | Principal::Token(_) => {
                let name = principal.storage_key().into_owned();
                self.keeper.load(&name, &mut values);
                name
            }
        };
        Session::new(name, values, Arc::clone(&self.open))
    }

    /// Takes over the tokens of a session of another process, one of whose runs is resumed
    /// here. From now on this session has them too, under its own name, since the other
    /// one may still be open and give out further tokens. Returns the name that the run's
    /// tokens are stored under now.
    ///
    /// Refused if this session knows values already: one token would stand for two values.
    pub(crate) fn adopt_tokens(
        &self,
        principal: &Principal,
        earlier: &str,
    ) -> Result<String, RunError> {
        let session = self.session(principal);
        if session.name != earlier && !self.is_off() {
            let mut values = session.values();
            if !values.is_empty() {
                return Err(other_tokens());
            }
            let brought = self.keeper.load(earlier, &mut values);
            drop(values);
            self.keep(&session, brought);
        }
        Ok(session.name.clone())
    }

    /// Forgets the values of sessions that have ended. Those in the vault stay.
    pub(crate) fn retain_sessions(&self, is_open: impl Fn(&Principal) -> bool) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|principal, _| is_open(principal));
        self.open.store(sessions.len(), Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(crate) fn session_count(&self) -> usize {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Blocks this thread until everything that is to be stored is in the vault.
    pub(crate) fn flush(&self) {
        self.keeper.flush();
    }

    /// The values of a session that has seen none. Its tokens have numbers that no other
    /// session of the vault has: a token that is used elsewhere is unknown there.
    fn no_values(&self) -> SessionValues {
        SessionValues::default().numbered_by(Arc::new(self.vaults.clone()))
    }

    /// Takes in an answer from outside, as JSON text for the program or as an error. In
    /// strict mode the program gets it with tokens. `errors` are the request's errors that
    /// are redacted already.
    pub(crate) async fn arrived(
        self: &Arc<Self>,
        principal: &Principal,
        outcome: Unscanned<Result<String, RunError>>,
        errors: &RedactedErrors,
    ) -> Arrived {
        let outcome = match outcome.open() {
            outcome if self.is_off() => return Arrived::of(outcome, Counts::new()),
            // Including our own errors: they may quote restored values.
            Err(error) if self.is_strict() => {
                let mut leaving = self.leaving(principal).keeping(errors);
                let outcome = Err(leaving.error(without_tokens_of_others(error)));
                return Arrived::of(outcome, leaving.counts);
            }
            outcome => outcome,
        };
        let session = self.session(principal);
        self.keeper.room(&session.name).await;
        match outcome {
            Ok(text) if text.len() < AT_ONCE_BYTES => self.take_in(&session, text),
            Ok(text) => {
                let privacy = Arc::clone(self);
                let taken = tokio::task::spawn_blocking(move || privacy.take_in(&session, text));
                taken.await.unwrap_or_else(|_| Arrived::of(Err(not_looked_at()), Counts::new()))
            }
            Err(error) if is_from_outside(error.code) => self.take_in_error(&session, error),
            Err(error) => Arrived::of(Err(error), Counts::new()),
        }
    }

    /// Takes in what a program looks up: names and definitions of tools, files, skills. All
    /// of it may be text of others, in which names stay what they are.
    pub(crate) fn looked_up(
        &self,
        principal: &Principal,
        found: Unscanned<Result<String, RunError>>,
        errors: &RedactedErrors,
    ) -> ForProgram {
        let found = found.open();
        if self.is_off() {
            return ForProgram::searched(found);
        }
        let mut leaving = self.leaving(principal).keeping(errors);
        ForProgram::searched(match found {
            Ok(text) if self.is_strict() => {
                Ok(leaving.redact(Origin::AboutTools, &text).into_string())
            }
            Err(error) if self.is_strict() => Err(leaving.error(error)),
            Ok(text) => leaving.remember_unmistakable(&text).map(|()| text),
            Err(error) => Err(leaving.remember_unmistakable(&error.message).err().unwrap_or(error)),
        })
    }

    fn is_strict(&self) -> bool {
        self.settings.mode == PrivacyMode::Strict
    }

    fn take_in(&self, session: &Session, text: String) -> Arrived {
        self.take_in_within(session, text, &mut { SearchBudget::ARRIVAL })
    }

    fn take_in_within(
        &self,
        session: &Session,
        text: String,
        budget: &mut SearchBudget,
    ) -> Arrived {
        let mut counts = Counts::new();
        if !self.is_strict() {
            let outcome = self
                .remember_encoded(session, &text, budget, &mut counts)
                .and_then(|()| self.remember(session, &text, TextKind::Json, budget))
                .map(|spans| {
                    count(&spans, &mut counts);
                    text
                });
            return Arrived::of(outcome, counts);
        }
        let text = self.without_encoded(session, without_tokens(text), budget, &mut counts);
        let Searched { done, .. } = self.search(session, &text, TextKind::Json, budget);
        add(&mut counts, &done.counts);
        // The program gets all of it or an error. A part that is withheld used up the budget.
        if budget.is_used_up() {
            return Arrived::of(Err(too_much(text.len())), counts);
        }
        self.mark_sent(session, &done.text);
        Arrived::of(Ok(done.text), counts)
    }

    fn take_in_error(&self, session: &Session, error: RunError) -> Arrived {
        let mut budget = SearchBudget::ARRIVAL;
        let mut counts = Counts::new();
        let found = self.remember(session, &error.message, TextKind::Auto, &mut budget);
        let outcome = found.and_then(|spans| {
            count(&spans, &mut counts);
            self.remember_encoded(session, &error.message, &mut budget, &mut counts)
        });
        // Its text is short; if it was too much all the same, it is replaced.
        Arrived::of(Err(outcome.err().unwrap_or(error)), counts)
    }

    /// The tokens in a text were sent: stores those that were not.
    fn mark_sent(&self, session: &Session, text: &str) {
        let tokens = find_tokens(text).into_iter().map(|found| found.token);
        let new = session.values().mark_sent(tokens);
        self.keep(session, new);
    }

    /// Redacts texts on their way to the model of a session.
    pub(crate) fn leaving(&self, principal: &Principal) -> Leaving<'_> {
        Leaving::new(self, self.session(principal))
    }

    /// What a run is for, as it is recorded.
    pub(crate) fn recorded_action(
        &self,
        principal: &Principal,
        options: &RunOptions,
    ) -> Option<String> {
        let action = options.action.as_ref()?;
        let shown = self.leaving(principal).text(action).start(RunOptions::ACTION_CHARS);
        Some(shown.into_string())
    }

    /// Replaces the tokens in a text by values, for someone who may see them.
    pub(crate) fn reveal(
        &self,
        principal: &Principal,
        text: &str,
    ) -> Result<Restored<String>, RestoreError> {
        let session = self.session(principal);
        let restored = session.values().restore(text, &|_| TokenAction::Restore)?;
        self.keeper.count(&session.name, &restored.counts);
        Ok(restored)
    }

    /// Whether the session knows all tokens in a text; the error lists the others.
    pub(crate) fn knows_all(&self, principal: &Principal, text: &str) -> Result<(), RestoreError> {
        let session = self.session(principal);
        session.values().restore(text, &|_| TokenAction::Restore).map(drop)
    }

    /// A text for the log, with tokens of whichever session knows a value in it.
    pub(crate) fn redacted(&self, text: &str) -> String {
        if self.is_off() {
            return text.to_owned();
        }
        if text.len() > LOGGED_BYTES {
            return format!("({} bytes, too many to be searched for personal data)", text.len());
        }
        self.redacted_until(text, Instant::now() + LOG_LOCK_WAIT)
            .unwrap_or_else(|| "(not searched for personal data: a session is in use)".to_owned())
    }

    /// The same, or `None` if a session is still in use at the deadline. This thread itself may
    /// use it.
    fn redacted_until(&self, text: &str, deadline: Instant) -> Option<String> {
        let all = retry_until(deadline, || self.sessions.try_lock().ok())?;
        let sessions: Vec<Arc<Session>> =
            all.values().filter_map(|session| session.get().cloned()).collect();
        drop(all);
        let mut text = text.to_owned();
        let mut spans = self.detector.scan(&text, TextKind::Auto);
        for session in sessions {
            let mut values = retry_until(deadline, || session.values.try_lock().ok())?;
            let done = values.tokenize(&text, &spans);
            drop(values);
            let is_new = !done.counts.is_empty();
            self.keep(&session, done.new);
            if is_new {
                text = done.text;
                spans = self.detector.scan(&text, TextKind::Auto);
            }
        }
        Some(SessionValues::default().tokenize(&text, &spans).text)
    }

    fn keep(&self, session: &Session, new: Vec<NewValue>) {
        self.keeper.keep(&session.name, new);
    }
}

/// What each session may remember, if there are so many.
fn limits_of_each(sessions: usize) -> Limits {
    let most = Limits::default();
    let share = (VALUES_OF_ALL / sessions.max(1)).clamp(LEAST_VALUES, most.values);
    Limits { values: share, bytes: most.bytes / most.values * share }
}

/// Tries something until it succeeds, or until the deadline.
fn retry_until<T>(deadline: Instant, attempt: impl Fn() -> Option<T>) -> Option<T> {
    loop {
        match attempt() {
            None if Instant::now() < deadline => thread::yield_now(),
            done => return done,
        }
    }
}

/// The detector of personal data, with the rules of the configuration.
pub fn detector(settings: &Settings) -> Result<Box<dyn Detect>, OptionsError> {
    Ok(Box::new(Detector::new(options(settings))?))
}

fn options(settings: &Settings) -> Options {
    let mut types = settings.types.clone();
    let mut rules = Vec::new();
    let name = |key: &str| format!("privacy.{key}");
    for regex in &settings.patterns {
        let (name, regex) = (name("patterns"), regex.clone());
        rules.push(CustomRule::Pattern { name, regex, data_type: DataType::Custom });
    }
    if !settings.terms.is_empty() {
        let (name, terms) = (name("terms"), settings.terms.clone());
        rules.push(CustomRule::Terms { name, terms, data_type: DataType::Custom });
    }
    if !settings.keys.is_empty() {
        rules.push(CustomRule::Keys { name: name("keys"), keys: settings.keys.clone() });
    }
    // A rule in the configuration applies whatever the types are.
    if !rules.is_empty() && !types.contains(&DataType::Custom) {
        types.push(DataType::Custom);
    }
    let exclusions = settings.exclude.iter().map(|text| match text.strip_prefix("regex:") {
        Some(regex) => Exclusion::Pattern(regex.to_owned()),
        None => Exclusion::Value(text.clone()),
    });
    Options { types, rules, exclusions: exclusions.collect() }
}

/// Breaks whatever looks like a token in the text of a server, with an invisible word
/// joiner. In strict mode, everything that a program passes on is restored, so such text
/// would give the server somebody's value.
fn without_tokens(text: String) -> String {
    let tokens = find_tokens(&text);
    if tokens.is_empty() {
        return text;
    }
    let mut broken = String::with_capacity(text.len() + 3 * tokens.len());
    let mut done = 0;
    for found in tokens {
        let inside = found.range.start + bracket_length(&text.as_bytes()[found.range.start..]);
        broken.push_str(text.get(done..inside).unwrap_or_default());
        broken.push('\u{2060}');
        done = inside;
    }
    broken.push_str(text.get(done..).unwrap_or_default());
    broken
}

/// The length of a bracket as it may be written: `[`, `%5B`, `\u005b`, `&#91;`.
fn bracket_length(bytes: &[u8]) -> usize {
    match bytes {
        [b'%', ..] => 3,
        [b'\\', b'u', ..] => 6,
        [b'\\', ..] => 2,
        [b'&', ..] => bytes.iter().position(|byte| *byte == b';').map_or(1, |end| end + 1),
        _ => 1,
    }
}

/// Text of others in an error must not look like a token either.
fn without_tokens_of_others(error: RunError) -> RunError {
    match is_from_outside(error.code) {
        true => RunError { message: without_tokens(error.message), ..error },
        false => error,
    }
}

fn count(spans: &[Span], counts: &mut Counts) {
    for span in spans {
        *counts.entry(span.data_type).or_default() += 1;
    }
}

/// Whether someone outside can influence the text of such an error.
fn is_from_outside(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::ToolFailed
            | ErrorCode::UpstreamUnavailable
            | ErrorCode::UpstreamDied
            | ErrorCode::UpstreamTimeout
            | ErrorCode::UpstreamProtocol
            | ErrorCode::FetchFailed
            | ErrorCode::CommandFailed
    )
}

fn not_looked_at() -> RunError {
    RunError::new(ErrorCode::Internal, "the answer could not be searched for personal data")
        .with_hint("the user can find the reason in the log")
}

fn other_tokens() -> RunError {
    let message = "the run cannot be resumed in this session: its tokens stand for other values \
                   here";
    RunError::new(ErrorCode::UnknownToken, message).with_hint(
        "tell the user: resume it with `tidegate run --resume`, or from a newly started client",
    )
}

pub(crate) fn unknown_tokens(tokens: &[Token]) -> RunError {
    let message = format!("{} unknown in this session", listed_are(tokens));
    RunError::new(ErrorCode::UnknownToken, message).with_hint(
        "use only tokens from answers of this session; if they are from an earlier one, get the \
         data again",
    )
}

/// The tokens, with the verb for as many.
pub(crate) fn listed_are(tokens: &[Token]) -> String {
    let verb = if tokens.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", listed(tokens))
}

pub(crate) fn listed(tokens: &[Token]) -> String {
    /// More would not help.
    const NAMED: usize = 10;
    let mut names: Vec<String> =
        tokens.iter().take(NAMED).map(|token| format!("`{token}`")).collect();
    if tokens.len() > NAMED {
        names.push(format!("{} more", tokens.len() - NAMED));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests;
