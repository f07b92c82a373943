//! Searches a text for personal data, within bounds, and without making others wait.
//!
//! In: a text from outside or on its way to the model, and what its answer may still cost.
//! Out: the text with tokens as far as it was searched. What is left of it is withheld: it is
//! never shown unsearched.
//!
//! A large text is worked on outside of the runtime's threads and in pieces. Pieces of all
//! texts take turns, and between two pieces the session is free for others.

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use tidegate_model::{ErrorCode, RunError, Span, TextKind, whole_words};
use tidegate_privacy::{Pieces, Tokenized, WrittenAs, decoded_parts};
use tidegate_store::wait;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;
use tokio::task::block_in_place;

use super::{Privacy, Session};

/// Text up to this size is searched on the spot. Chosen: that takes a millisecond or two.
pub(crate) const AT_ONCE_BYTES: usize = 64 * 1024;

/// Texts up to this size take turns among themselves. Chosen: the scan of one takes some
/// milliseconds.
const MEDIUM_BYTES: usize = 1024 * 1024;

/// What the search of one answer may still cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SearchBudget {
    pub(super) bytes: usize,
    pub(super) new_values: usize,
    pub(super) time: Duration,
}

impl SearchBudget {
    /// For an answer to the model, which shows a few kilobytes of it.
    pub(crate) const ANSWER: Self = Self {
        bytes: 8 * 1024 * 1024,
        new_values: 20_000,
        // Of work, not of waiting: ten times what the other two bounds take.
        time: Duration::from_secs(10),
    };

    /// For an answer to a program, which gets all of it or an error.
    pub(crate) const ARRIVAL: Self =
        Self { bytes: usize::MAX, new_values: 400_000, time: Duration::from_secs(20) };

    /// For a text that its sender gets back whole, as far as its tokens can be kept.
    pub(crate) const WHOLE: Self =
        Self { bytes: usize::MAX, new_values: 50_000, time: Duration::from_secs(20) };

    /// Whether nothing more is searched. A text of which a part was withheld uses it up, unless
    /// that part was beyond the bytes.
    pub(super) fn is_used_up(&self) -> bool {
        self.new_values == 0 || self.time.is_zero()
    }
}

/// A part of a text was not searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Withheld {
    searched: usize,
    of: usize,
}

impl fmt::Display for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { searched, of } = self;
        write!(
            f,
            "the first {searched} of {of} bytes were searched for personal data, the rest is not \
             shown"
        )
    }
}

/// A text that was searched.
#[derive(Debug, Default)]
pub(super) struct Searched {
    /// With tokens, as far as it was searched.
    pub(super) done: Tokenized,
    pub(super) withheld: Option<Withheld>,
}

impl Privacy {
    /// Replaces what is known or looks personal in a text.
    pub(super) fn search(
        &self,
        session: &Session,
        text: &str,
        kind: TextKind,
        budget: &mut SearchBudget,
    ) -> Searched {
        outside_of_runtime(text.len(), || {
            let head = whole_words(text, budget.bytes);
            budget.bytes -= head.len();
            let work = Work { privacy: self, turns: self.turns.of(head.len()) };
            let spans = work.spans(head, kind, budget);
            let is_whole = head.len() == text.len();
            let written_as = written_as(head, if is_whole { kind } else { TextKind::Text });
            // Before anything is replaced: values that escapes hide are found as known ones.
            let is_known =
                work.remember_hidden(session, head, written_as, budget, <[Span]>::to_vec);
            let mut pieces = Pieces::new(head, &spans, written_as);
            if !is_known || !work.remember(session, &mut pieces, budget) {
                pieces.end_here();
            }
            while !budget.time.is_zero()
                && work.piece(budget, || pieces.replace(&mut session.values_between_others()))
            {
            }
            let (done, searched) = pieces.finish();
            let of = text.len();
            let withheld = (searched < of).then_some(Withheld { searched, of });
            Searched { done, withheld }
        })
    }

    /// Remembers what looks personal in a text. Returns what was found, or an error if that
    /// would cost too much.
    pub(super) fn remember(
        &self,
        session: &Session,
        text: &str,
        kind: TextKind,
        budget: &mut SearchBudget,
    ) -> Result<Vec<Span>, RunError> {
        self.remember_selected(session, text, kind, budget, <[Span]>::to_vec)
    }

    /// The same, but remembers only what is selected.
    pub(super) fn remember_selected(
        &self,
        session: &Session,
        text: &str,
        kind: TextKind,
        budget: &mut SearchBudget,
        select: impl Fn(&[Span]) -> Vec<Span>,
    ) -> Result<Vec<Span>, RunError> {
        outside_of_runtime(text.len(), || {
            let work = Work { privacy: self, turns: self.turns.of(text.len()) };
            let spans = select(&work.spans(text, kind, budget));
            let mut pieces = Pieces::new(text, &spans, WrittenAs::Text);
            let is_done = work.remember(session, &mut pieces, budget)
                && work.remember_hidden(session, text, written_as(text, kind), budget, select);
            match is_done {
                true => Ok(spans),
                false => Err(too_much(text.len())),
            }
        })
    }
}

/// The work on one text.
struct Work<'a> {
    privacy: &'a Privacy,
    /// Of its size; none for a small text.
    turns: Option<&'a Semaphore>,
}

impl Work<'_> {
    fn spans(&self, text: &str, kind: TextKind, budget: &mut SearchBudget) -> Vec<Span> {
        self.piece(budget, || self.privacy.detector.scan(text, kind))
    }

    /// Remembers the detected values. Returns whether the budget was enough.
    fn remember(
        &self,
        session: &Session,
        pieces: &mut Pieces<'_>,
        budget: &mut SearchBudget,
    ) -> bool {
        while !pieces.are_remembered() {
            if budget.is_used_up() {
                return false;
            }
            let new = self.piece(budget, || pieces.remember(&mut session.values_between_others()));
            budget.new_values = budget.new_values.saturating_sub(new.unwrap_or_default());
        }
        true
    }

    /// Remembers the values that escapes hide from the detector. Returns whether the budget was
    /// enough.
    fn remember_hidden(
        &self,
        session: &Session,
        text: &str,
        written_as: WrittenAs,
        budget: &mut SearchBudget,
        select: impl Fn(&[Span]) -> Vec<Span>,
    ) -> bool {
        for part in self.piece(budget, || decoded_parts(text, written_as)) {
            let found = part.hidden(self.spans(part.text(), TextKind::Auto, budget));
            let spans = select(&found);
            let mut pieces = Pieces::new(part.text(), &spans, WrittenAs::Text);
            if !self.remember(session, &mut pieces, budget) {
                return false;
            }
        }
        true
    }

    /// Does one piece of work when it is its turn.
    fn piece<T>(&self, budget: &mut SearchBudget, work: impl FnOnce() -> T) -> T {
        // Never closed, so there is no error.
        let _turn = self.turns.map(|turns| wait(turns.acquire()).ok());
        let started = Instant::now();
        let done = work();
        budget.time = budget.time.saturating_sub(started.elapsed());
        done
    }
}

/// Turns of pieces. The scan of a text is one piece, so texts of a megabyte do not wait for those
/// of sixty.
pub(super) struct Turns {
    medium: Semaphore,
    long: Semaphore,
}

impl Turns {
    /// For a text of so many bytes; none if it is searched on the spot.
    pub(super) fn of(&self, bytes: usize) -> Option<&Semaphore> {
        if bytes <= AT_ONCE_BYTES {
            return None;
        }
        Some(if bytes <= MEDIUM_BYTES { &self.medium } else { &self.long })
    }
}

impl Default for Turns {
    /// As many of each as half of the cores: the others are for everything else.
    fn default() -> Self {
        let parallel = thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2));
        Self { medium: Semaphore::new(parallel), long: Semaphore::new(parallel) }
    }
}

/// Works on a text. If it is large, other tasks of this thread go on elsewhere meanwhile.
pub(super) fn outside_of_runtime<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let is_multi = || {
        let handle = Handle::try_current();
        handle.is_ok_and(|handle| handle.runtime_flavor() == RuntimeFlavor::MultiThread)
    };
    if bytes > AT_ONCE_BYTES && is_multi() { block_in_place(work) } else { work() }
}

/// How a text of this kind is written.
fn written_as(text: &str, kind: TextKind) -> WrittenAs {
    let as_json = match kind {
        TextKind::Json => true,
        TextKind::Auto => is_json(text),
        TextKind::Text => false,
    };
    if as_json { WrittenAs::Json } else { WrittenAs::Text }
}

fn is_json(text: &str) -> bool {
    let trimmed = text.trim_start();
    trimmed.starts_with(['{', '['])
        && serde_json::from_str::<serde::de::IgnoredAny>(trimmed).is_ok()
}

pub(super) fn too_much(bytes: usize) -> RunError {
    let message =
        format!("an answer of {bytes} bytes has more personal data than can be processed");
    RunError::new(ErrorCode::TooMuchPersonalData, message)
        .with_hint("ask for less at a time, with a filter or page by page")
}
