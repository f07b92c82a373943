//! A request, compared with single tools.
//!
//! In: a query. Out: the share of its words that a tool contains, and how close their meanings
//! are. Unlike scores, these can be compared between requests: they show whether a tool fits at
//! all.

use std::collections::BTreeSet;

use crate::index::semantic::Meaning;
use crate::index::terms::Terms;
use crate::index::{Index, Posting, clauses, index_number, rarity};

/// A request.
pub(super) struct Request<'a> {
    /// The part of it that is used.
    pub(super) text: &'a str,
    terms: BTreeSet<Box<str>>,
    meaning: Meaning,
}

impl<'a> Request<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let text = clauses::bounded(text);
        let mut terms = Terms::new();
        terms.each(text, |_| {});
        let meaning = Meaning::new(text, &clauses::clauses(text));
        Self { text, terms: terms.into_list().into_iter().collect(), meaning }
    }

    /// Whether the request contains the term.
    pub(super) fn says(&self, term: &str) -> bool {
        self.terms.contains(term)
    }

    /// The share of its words that a tool contains; rare words count more. Words that no tool
    /// contains are the rarest.
    pub(super) fn coverage(&self, index: &Index, tool: usize) -> f32 {
        let (mut all, mut had) = (0.0, 0.0);
        for term in &self.terms {
            let postings = index.terms.get(term).map(|place| &index.postings[*place as usize]);
            let with = postings.map_or(0, Vec::len);
            let weight = rarity(index.ids.len(), index_number(with));
            all += weight;
            // Postings are sorted by tool.
            let has = |postings: &Vec<Posting>| {
                postings.binary_search_by_key(&index_number(tool), |posting| posting.tool).is_ok()
            };
            had += if postings.is_some_and(has) { weight } else { 0.0 };
        }
        if all > 0.0 { had / all } else { 0.0 }
    }

    /// How close the meanings are; `None` if only words count.
    pub(super) fn closeness(&self, index: &Index, tool: usize) -> Option<f32> {
        index.meanings.get(tool).map(|meaning| self.meaning.closeness(meaning))
    }
}
