//! The values of one session, their tokens, and the mapping in both directions.
//!
//! In: texts of tool results, with the spans that were detected in them. Out: texts in
//! which every value is replaced by a token. A value that was found once is known to the
//! session and replaced wherever it occurs again, detected or not, including in other
//! encodings: in a URL, JSON or HTML, as a whole in base64 or hexadecimal, in another case,
//! with its digits grouped in another way.
//!
//! Invariants:
//!
//! * A token stands for one spelling of one value, permanently, and is restored to exactly
//!   the bytes it replaced. Numbers count up and are never reused, even after a value is
//!   erased, nor shared with another session of the same vault (see `numbers`). A number that
//!   occurs in an incoming text is not used either: text that looks like a token must not
//!   become one.
//! * A value that was only guessed from prose is not replaced inside domains, paths, URLs and
//!   file names (see `identifier`); one that is known for certain is.
//! * A token is created only when its value leaves: a value that only a program saw needs
//!   no entry in the vault.
//! * Tokens in a text stay unchanged.
//! * The cost is linear in the text and hardly depends on the number of known values; see
//!   `find_known`.
//!
//! Holds real values: keep it in the gateway's process, one per session.

mod assign_token;
mod canonical;
mod chunks;
mod common_words;
mod decode;
mod encoded;
mod entities;
mod entries;
mod escapes;
mod expected;
mod find_known;
mod hash;
mod hidden;
mod identifier;
mod json;
mod json_source;
mod known_numbers;
mod masks;
mod numbers;
mod pieces;
mod quoted_printable;
mod register;
mod restore;
mod rule;
mod select;
mod spelling;
mod strict;
mod substrings;
mod token;
mod words;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use tidegate_model::{Certainty, DataType, Secret, Span};

use decode::Views;
use entries::{Entries, Entry, Id};
use find_known::Index;
use hash::{HashMapOf, Key};
use json::JsonStrings;
use json_source::{json_source, no_token_is};
use numbers::Numbers;
use rule::parts;
use spelling::{Place, Spelling};

pub use canonical::{canonical, canonical_forms};
pub use chunks::{BUFFER_BYTES, RestoreChunks, TokenizeChunks};
pub use hidden::{DecodedPart, decoded_parts};
pub use numbers::ReserveNumbers;
pub use pieces::{PIECE_BYTES, Pieces, WrittenAs};
pub use restore::{RestoreError, Restored, Spellings, TokenAction, tokens_in};
pub use token::{FoundToken, Token, TokenEncoding, find_tokens};

/// How many foreign tokens are remembered; a text can contain any number of them.
const MAX_FOREIGN_TOKENS: usize = 10_000;

/// How much a session remembers. A call that finds more than this drops values before it adds
/// its own, the oldest half first of those without a token, then of those whose token was not
/// sent, then of all. What was sent can come back: the vault still has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many values.
    pub values: usize,
    /// How many bytes they have together.
    pub bytes: usize,
}

impl Default for Limits {
    /// About 30 MB for one session at most.
    fn default() -> Self {
        Self { values: 100_000, bytes: 8 * 1024 * 1024 }
    }
}

/// A value that has just received its token and must be saved in the vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewValue {
    /// Its token.
    pub token: Token,
    /// What the vault stores: the value, and how it is spelled where that differs.
    pub value: Secret<String>,
}

impl NewValue {
    /// The canonical form of the value.
    pub fn canonical(&self) -> Secret<String> {
        let (value, _) = Spelling::of_stored(self.value.expose());
        Secret::new(canonical(self.token.data_type, &value).into_owned())
    }
}

/// A text with tokens in place of values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tokenized {
    /// The text.
    pub text: String,
    /// How many values were replaced.
    pub counts: BTreeMap<DataType, u32>,
    /// The tokens that are new, in the order of their numbers.
    pub new: Vec<NewValue>,
}

/// A token, and what it stands for.
struct Assigned {
    token: Token,
    id: Id,
    /// Whether it was sent: it may come back, so it is stored.
    sent: bool,
    /// `None`: as the value of the entry.
    spelling: Option<Box<Spelling<'static>>>,
}

/// The values and tokens of a session.
pub struct SessionValues {
    key: Key,
    limits: Limits,
    entries: Entries,
    /// By canonical form; without the values that the index finds by it.
    by_canonical: HashMapOf<Id>,
    by_token: HashMapOf<Assigned>,
    /// The number of each spelling that differs from the value of its entry.
    spellings: HashMapOf<u32>,
    numbers: Numbers,
    /// Tokens that occurred in texts and are not ours.
    foreign: HashSet<Token>,
    index: Index,
    dropped: usize,
}

impl fmt::Debug for SessionValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionValues")
            .field("values", &self.entries.len())
            .field("tokens", &self.by_token.len())
            .field("dropped", &self.dropped)
            .finish_non_exhaustive()
    }
}

impl Default for SessionValues {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl SessionValues {
    /// A session without values.
    pub fn new(limits: Limits) -> Self {
        let key = Key::random();
        Self {
            index: Index::new(key.clone()),
            key,
            limits,
            entries: Entries::default(),
            by_canonical: HashMapOf::default(),
            by_token: HashMapOf::default(),
            spellings: HashMapOf::default(),
            numbers: Numbers::default(),
            foreign: HashSet::new(),
            dropped: 0,
        }
    }

    /// The same, with numbers that no other session of the vault gives out.
    #[must_use]
    pub fn numbered_by(self, source: Arc<dyn ReserveNumbers>) -> Self {
        Self { numbers: Numbers::reserved_by(source), ..self }
    }

    /// How many values are known.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no value is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many values were dropped for lack of space. They are now replaced only where they
    /// are detected; a report should say so.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Whether a rearranged text contains a known value. Names of one word are ignored:
    /// such a text contains short words by chance.
    pub fn contains_known(&self, text: &str) -> bool {
        self.known_entries(text).iter().any(|entry| {
            !matches!(entry.data_type, DataType::Person | DataType::Org)
                || self.entries.value(entry).contains(' ')
        })
    }

    /// The types of the known values in a text.
    pub fn known_types(&self, text: &str) -> BTreeSet<DataType> {
        self.known_entries(text).iter().map(|entry| entry.data_type).collect()
    }

    /// The bytes of the longest value: a text that is searched in parts needs as much of the next.
    pub fn longest(&self) -> usize {
        self.index.longest()
    }

    fn known_entries(&self, text: &str) -> Vec<&Entry> {
        let mut hits = Vec::new();
        self.index.find(&self.entries, text.as_bytes(), &mut hits);
        hits.iter().filter_map(|hit| self.entries.get(hit.id)).collect()
    }

    /// Remembers the values detected in a text.
    pub fn remember(&mut self, text: &str, spans: &[Span]) {
        self.make_room();
        let tokens = find_tokens(text);
        self.note_foreign(&tokens);
        self.register_detected(text, spans, &tokens, |_| ());
    }

    /// Registers the values detected in a text, and replaces these and all known ones.
    pub fn tokenize(&mut self, text: &str, spans: &[Span]) -> Tokenized {
        self.make_room();
        let found = self.locate(text, spans);
        let is_plain = found.is_empty();
        let source = if is_plain { None } else { json_source(text, &[], &no_token_is) };
        match source {
            Some(begin) => {
                let placed = JsonStrings::new(text, begin, &no_token_is).placed(0, found);
                self.write(text, placed)
            }
            None => self.write(text, found.into_iter().map(|hit| (hit, Place::Text))),
        }
    }

    /// The same, but replaces only the values that `goes` selects.
    pub fn tokenize_if(
        &mut self,
        text: &str,
        spans: &[Span],
        goes: &dyn Fn(DataType, &str) -> bool,
    ) -> Tokenized {
        self.make_room();
        let mut found = self.locate(text, spans);
        found.retain(|hit| {
            let entry = self.entries.get(hit.id);
            entry.is_some_and(|entry| goes(entry.data_type, self.entries.value(entry)))
        });
        self.write(text, found.into_iter().map(|hit| (hit, Place::Text)))
    }

    /// Loads the tokens of an earlier process. `last` has the highest numbers used,
    /// including those of erased tokens.
    pub fn load(
        &mut self,
        tokens: impl IntoIterator<Item = (Token, Secret<String>)>,
        last: impl IntoIterator<Item = (DataType, u32)>,
    ) {
        for (token, stored) in tokens {
            let (value, spelling) = Spelling::of_stored(stored.expose());
            let Some(id) = self.entry(token.data_type, &value, Certainty::Certain) else {
                continue;
            };
            self.take_token(token, id, spelling);
            self.note_sent(token);
            self.numbers.used(token.data_type, token.number);
        }
        for (data_type, number) in last {
            self.numbers.used(data_type, number);
        }
    }

    /// Erases a value of any type. Returns its tokens, which are unknown from now on.
    pub fn forget(&mut self, value: &str) -> Vec<Token> {
        let mut ids: HashSet<Id> = HashSet::new();
        for (data_type, form) in canonical_forms(value) {
            ids.extend(self.find_entry(data_type, &form));
        }
        // The parts derived from the name go too; one with a token is a value of its own.
        for part in parts(value) {
            let id = self.find_entry(DataType::Person, &canonical(DataType::Person, part));
            ids.extend(id.filter(|id| self.entries.get(*id).is_some_and(|entry| !entry.has_token)));
        }
        let gone = self.by_token.values().filter(|assigned| ids.contains(&assigned.id));
        let mut tokens: Vec<Token> = gone.map(|assigned| assigned.token).collect();
        tokens.sort();
        if !ids.is_empty() {
            self.keep(|id, _| !ids.contains(&id));
        }
        tokens
    }

    /// The value of a token, in whichever spelling it was first seen.
    fn value_of(&self, token: Token) -> Option<&str> {
        let assigned = self.by_token.get(&self.token_hash(token))?;
        Some(self.entries.value_at(assigned.id))
    }

    /// What a token is restored to.
    fn spelling_of(&self, token: Token) -> Option<Spelling<'_>> {
        let assigned = self.by_token.get(&self.token_hash(token))?;
        Some(match &assigned.spelling {
            Some(spelling) => Spelling::clone(spelling),
            None => Spelling::Text(self.entries.value_at(assigned.id).into()),
        })
    }

    fn make_room(&mut self) {
        if !self.is_beyond(self.limits) {
            return;
        }
        // Some room at least: every time, all values that stay are indexed again.
        let most = Limits { values: self.limits.values / 4 * 3, bytes: self.limits.bytes / 4 * 3 };
        let mut drop = [0; 3];
        let (mut values, mut bytes) = (self.entries.len(), self.entries.bytes());
        for (rank, drop) in drop.iter_mut().enumerate() {
            if values <= most.values && bytes <= most.bytes {
                break;
            }
            let of_rank: Vec<&Entry> =
                self.entries.iter().filter(|entry| entry.rank() == rank).collect();
            *drop = of_rank.len().div_ceil(2);
            values -= *drop;
            let dropped = of_rank.iter().take(*drop);
            bytes -= dropped.map(|entry| self.entries.value(entry).len()).sum::<usize>();
        }
        self.dropped += drop.iter().sum::<usize>();
        self.keep(|_, entry| {
            let drop = &mut drop[entry.rank()];
            let goes = *drop > 0;
            *drop -= usize::from(goes);
            !goes
        });
    }

    fn is_beyond(&self, limits: Limits) -> bool {
        self.entries.len() > limits.values || self.entries.bytes() > limits.bytes
    }

    /// Replaces the limits, from the next text on.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Keeps only the selected values; their ids change.
    fn keep(&mut self, mut stays: impl FnMut(Id, &Entry) -> bool) {
        let old = std::mem::take(&mut self.entries);
        let old_tokens = std::mem::take(&mut self.by_token);
        self.by_canonical.clear();
        self.index = Index::new(self.key.clone());
        let mut moved = HashMap::new();
        for (id, entry) in (0..).zip(old.iter()) {
            if stays(id, entry) {
                let value = old.value(entry);
                let form = canonical(entry.data_type, value);
                let new = self.add(entry.data_type, value, &form, entry.rule, entry.certainty);
                if let Some(kept) = self.entries.get_mut(new) {
                    kept.number = entry.number;
                    (kept.has_token, kept.sent) = (entry.has_token, entry.sent);
                }
                moved.insert(id, new);
            }
        }
        let numbers: BTreeSet<Token> = old_tokens
            .values()
            .filter(|assigned| !moved.contains_key(&assigned.id))
            .map(|assigned| assigned.token)
            .collect();
        let moved = |(hash, assigned): (_, Assigned)| {
            Some((hash, Assigned { id: *moved.get(&assigned.id)?, ..assigned }))
        };
        self.by_token = old_tokens.into_iter().filter_map(moved).collect();
        self.forget_spellings(&numbers);
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
