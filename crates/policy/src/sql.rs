//! What a text does if a database executes it.
//!
//! In: a text of a call's arguments. Out: whether a verb begins a statement in it, and what
//! its statements do. Used by rules (`sql = [...]`) and by the effect of a call, and only
//! ever makes either stricter.
//!
//! The database behind a server is not known, and one executes what another skips as a
//! comment. A text is therefore tokenized as every dialect would (`tokens.rs`), and the
//! strictest reading counts. A verb counts where a statement could begin (`statements.rs`).
//! A text that no dialect can read, one that is too long to be read, and one that runs text
//! or a procedure that is not in it count as every verb. A verb destroys nothing only in the
//! forms that are known to (`harmless.rs`).

mod complete;
mod destroys;
mod embedded;
mod executed_comments;
mod harmless;
mod statements;
mod tokens;
mod verbs;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;

use tidegate_model::Effect;

pub(crate) use destroys::Evidence;
use destroys::{Destroyed, destroyed, first_word_in};
use embedded::embedded;
use statements::{RUNNING_TEXT, bodies, has_statement, runs_unseen};
use tokens::{Readings, SqlToken, all_words, readings, visible};

/// The longest text that is read, in bytes. Chosen: as a dozen dialects read it, this takes a
/// few milliseconds. In a longer text, every verb counts that occurs anywhere in it.
const MAX_BYTES: usize = 64 * 1024;

/// How deep the bodies of blocks and procedures are followed. Deeper ones count as every verb.
const MAX_DEPTH: u8 = 3;

/// Begin a statement that runs what is not in the text.
const UNSEEN: &[&str] = &["begin", "call", "do", "exec", "prepare"];

/// What statements do, and the word that says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SqlEffect {
    pub(crate) effect: Effect,
    pub(crate) word: &'static str,
}

/// One text as SQL, read at most once.
#[derive(Debug)]
pub(crate) struct SqlText<'a> {
    text: &'a str,
    readings: OnceCell<Option<Readings>>,
    depth: u8,
}

impl<'a> SqlText<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, readings: OnceCell::new(), depth: 0 }
    }

    /// Whether one of these verbs, in lower case, begins a statement.
    pub(crate) fn has_verb(&self, verbs: &[String]) -> bool {
        let wanted = |word: &str| verbs.iter().any(|verb| verb == word);
        let text = visible(self.text);
        // The common case. Nothing that is not in the text can begin a statement in it.
        let unseen = UNSEEN.iter().chain(RUNNING_TEXT).copied();
        let mut searched = verbs.iter().map(String::as_str).chain(unseen);
        let is_possible = searched.any(|verb| contains_ignoring_case(&text, verb));
        if !is_possible && !statements::may_command_client(&text) {
            return false;
        }
        let Some(readings) = self.readings().filter(|readings| readings.is_read) else {
            return executed_comments::has_some(&text)
                || verbs.iter().any(|verb| contains_ignoring_case(&text, verb));
        };
        readings.all.iter().any(|tokens| {
            has_statement(tokens, wanted)
                || runs_unseen(tokens)
                || bodies(tokens).any(|body| match self.nested(body) {
                    Some(body) => body.has_verb(verbs),
                    None => true,
                })
        }) || self.embedded(&readings.all).into_iter().any(|text| match self.nested(text) {
            Some(text) => text.effect(Evidence::Possible).is_some() && text.has_verb(verbs),
            None => true,
        })
    }

    /// What executing it would do; none if it has no statement that is known to change
    /// anything.
    pub(crate) fn effect(&self, evidence: Evidence) -> Option<SqlEffect> {
        let is_unknown =
            || evidence == Evidence::Certain && !harmless::is_known_statement(self.text);
        let in_visible = || match visible(self.text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(text) => first_word_in(&text),
        };
        let first = first_word_in(self.text)
            .or_else(in_visible)
            .or_else(|| is_unknown().then_some("execute"))?;
        let destroying = |word| SqlEffect { effect: Effect::Destructive, word };
        let Some(readings) = self.readings() else {
            return (evidence > Evidence::Beside).then(|| destroying(first));
        };
        if !readings.is_read && evidence >= Evidence::Named {
            return Some(destroying(first));
        }
        let mut adds = None;
        for tokens in &readings.all {
            match destroyed(tokens, evidence) {
                Some(Destroyed::Data(word)) => return Some(destroying(word)),
                Some(Destroyed::Nothing(word)) => {
                    adds = Some(SqlEffect { effect: Effect::Additive, word });
                }
                None => {}
            }
            for body in bodies(tokens) {
                let Some(body) = self.nested(body) else { return Some(destroying(first)) };
                let found = body.effect(Evidence::Named);
                if let Some(found) = found.filter(|one| one.effect == Effect::Destructive) {
                    return Some(found);
                }
            }
        }
        if !readings.is_read
            && let Some(Destroyed::Data(word)) = destroyed(&all_words(self.text), evidence)
        {
            return Some(destroying(word));
        }
        self.embedded_effect(&readings.all, first).or(adds)
    }

    /// What a statement destroys that is given to a function as text.
    fn embedded_effect(&self, readings: &[Vec<SqlToken>], word: &'static str) -> Option<SqlEffect> {
        self.embedded(readings).into_iter().find_map(|text| match self.nested(text) {
            Some(text) => {
                text.effect(Evidence::Possible).filter(|one| one.effect == Effect::Destructive)
            }
            None => Some(SqlEffect { effect: Effect::Destructive, word }),
        })
    }

    /// The literals in which a function could find a statement.
    fn embedded<'t>(&self, readings: &'t [Vec<SqlToken>]) -> BTreeSet<&'t str> {
        let literals = readings.iter().flat_map(|tokens| embedded(tokens));
        literals.filter(|text| first_word_in(text).is_some()).collect()
    }

    /// How the dialects read it; none if it is too long.
    fn readings(&self) -> Option<&Readings> {
        let read = || (self.text.len() <= MAX_BYTES).then(|| readings(self.text));
        self.readings.get_or_init(read).as_ref()
    }

    fn nested<'b>(&self, body: &'b str) -> Option<SqlText<'b>> {
        let depth = self.depth + 1;
        (depth <= MAX_DEPTH).then(|| SqlText { depth, ..SqlText::new(body) })
    }
}

/// Whether a text contains this word, which is in lower-case ASCII, in any case.
fn contains_ignoring_case(text: &str, word: &str) -> bool {
    let Some(&first) = word.as_bytes().first() else { return true };
    let (text, upper) = (text.as_bytes(), first.to_ascii_uppercase());
    memchr::memchr2_iter(first, upper, text).any(|at| {
        text.get(at..at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes()))
    })
}

#[cfg(test)]
mod tests;
