//! Recommends known servers and skills that fit a request better than the configured tools.
//!
//! In: the configured tools and the offers, joined in one index, since scores from two
//! indexes cannot be compared: a word that is rare in one is common in the other. Out: the few
//! offers that are worth a line. Most answers have none, since a wrong one costs tokens and
//! trust.
//!
//! The numbers were tuned on one half of the labelled queries; `docs/search.md` has the results
//! on the other half.

use std::sync::Arc;

mod offer;
mod request;
use crate::catalog::Catalog;
use crate::index::Index;
pub use crate::recommend::offer::{Offer, OfferKind, OfferedTool};
use crate::recommend::request::Request;
use crate::server_tools::ServerTools;

/// How much better an offered tool must be than the best configured one.
const CLEARLY_BETTER: f32 = 1.3;
/// The same for a server that the request mentions by a name no configured tool uses.
const NAMED: f32 = 0.5;
/// The same for a skill: it uses tools, and fits the request as well as they do.
const AS_GOOD: f32 = 0.9;
/// Further offers are recommended only if they are nearly as good as the first.
const NEARLY_THE_FIRST: f32 = 0.9;
/// The minimum fit of a tool, however badly the configured ones fit: with words and meaning,
/// or with words only.
const FIT: Fit = Fit { both: 0.7, words: 0.3 };
const FIT_OF_NAMED: Fit = Fit { both: 0.6, words: 0.25 };
const FIT_OF_SKILL: Fit = Fit { both: 0.75, words: 0.35 };

/// At most this many servers and skills are recommended.
const MAX_SERVERS: usize = 3;
const MAX_SKILLS: usize = 2;

#[derive(Clone, Copy)]
struct Fit {
    both: f32,
    words: f32,
}

/// The configured tools and the offers in one index.
#[derive(Debug)]
pub struct Offers {
    index: Index,
    configured: Vec<(String, Arc<ServerTools>)>,
    /// The number of configured tools, which come first in the index.
    own_tools: usize,
    offers: Vec<Arc<Offer>>,
}

/// An offer that fits a request.
#[derive(Debug, Clone, Copy)]
pub struct Recommendation<'a> {
    /// What it is.
    pub offer: &'a Offer,
    /// Its best-fitting tool.
    pub tool: &'a OfferedTool,
    /// Why it is recommended.
    pub reason: RecommendationReason,
}

/// Why an offer is recommended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecommendationReason {
    /// The request names it.
    Named,
    /// It fits better than the configured tools.
    Better,
}

impl Offers {
    /// Joins them. Reuses the indexes that exist.
    pub fn new(catalog: &Catalog, offers: Vec<Arc<Offer>>) -> Self {
        let own: Vec<_> = catalog.server_indexes().collect();
        let own_tools = own.iter().map(|(_, part)| part.tools.len()).sum();
        let others = offers.iter().map(|offer| (&*offer.name, Arc::clone(&offer.server_index)));
        let index = Index::join(own.into_iter().chain(others));
        let configured = configured(catalog).map(|(name, tools)| (name.to_owned(), tools));
        Self { configured: configured.collect(), index, own_tools, offers }
    }

    /// Whether it was built from exactly these, so that it need not be rebuilt.
    pub fn is_built_from(&self, catalog: &Catalog, offers: &[Arc<Offer>]) -> bool {
        let same = |((a, own), (b, other)): (&(String, Arc<ServerTools>), (&str, _))| {
            a == b && Arc::ptr_eq(own, &other)
        };
        configured(catalog).count() == self.configured.len()
            && self.configured.iter().zip(configured(catalog)).all(same)
            && self.offers.len() == offers.len()
            && self.offers.iter().zip(offers).all(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// The offers that are worth a line, best first: servers, then skills.
    pub fn recommend(&self, request: &str) -> Vec<Recommendation<'_>> {
        let request = Request::new(request);
        let scores = self.index.scores(request.text);
        let own = scores[..self.own_tools].iter().copied().fold(0.0, f32::max);
        let mut found: Vec<(f32, Recommendation<'_>)> = self
            .best_of_each(&scores)
            .filter_map(|(offer, at)| {
                let reason = self.reason(offer, at, scores[at], own, &request)?;
                let name = &self.index.ids[at].tool;
                let tool = offer.tools.iter().find(|tool| tool.name == *name)?;
                Some((scores[at], Recommendation { offer, tool, reason }))
            })
            .collect();
        // A stable sort: equal ones stay in the order of their names.
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut few = first(&found, OfferKind::Server, MAX_SERVERS);
        few.extend(first(&found, OfferKind::Skill, MAX_SKILLS));
        few
    }

    /// For every offer with a matching tool, its best tool.
    fn best_of_each(&self, scores: &[f32]) -> impl Iterator<Item = (&Offer, usize)> {
        let mut best: Vec<Option<usize>> = vec![None; self.offers.len()];
        for at in self.own_tools..scores.len() {
            let offer = self.index.servers[at] as usize - self.configured.len();
            if scores[at] > 0.0 && best[offer].is_none_or(|best| scores[best] < scores[at]) {
                best[offer] = Some(at);
            }
        }
        self.offers.iter().zip(best).filter_map(|(offer, best)| Some((&**offer, best?)))
    }

    /// Why the offer with this best tool is worth a line, if it is.
    fn reason(
        &self,
        offer: &Offer,
        at: usize,
        score: f32,
        own: f32,
        request: &Request<'_>,
    ) -> Option<RecommendationReason> {
        let fits = |fit: Fit| match request.closeness(&self.index, at) {
            Some(closeness) => closeness + request.coverage(&self.index, at) / 2.0 >= fit.both,
            None => request.coverage(&self.index, at) >= fit.words,
        };
        match offer.kind {
            OfferKind::Skill => (score >= AS_GOOD * own && fits(FIT_OF_SKILL))
                .then_some(RecommendationReason::Better),
            OfferKind::Server if score >= NAMED * own && self.is_named(offer, request) => {
                fits(FIT_OF_NAMED).then_some(RecommendationReason::Named)
            }
            OfferKind::Server => {
                (score >= CLEARLY_BETTER * own && fits(FIT)).then_some(RecommendationReason::Better)
            }
        }
    }

    /// Whether the request contains the whole name, and the name has a word that the configured
    /// tools do not use.
    fn is_named(&self, offer: &Offer, request: &Request<'_>) -> bool {
        let foreign = |term: &str| {
            let place = self.index.terms.get(term);
            let first = place.and_then(|place| self.index.postings[*place as usize].first());
            first.is_some_and(|posting| posting.tool as usize >= self.own_tools)
        };
        offer.name_terms.iter().all(|term| request.says(term))
            && offer.name_terms.iter().any(|term| foreign(term))
    }
}

fn configured(catalog: &Catalog) -> impl Iterator<Item = (&str, Arc<ServerTools>)> {
    let tools = |name| catalog.server(name).map(|tools| (name, Arc::clone(tools)));
    catalog.servers().filter_map(tools)
}

/// The first of a kind: those that are named, and those that are nearly as good as the best.
fn first<'a>(
    found: &[(f32, Recommendation<'a>)],
    kind: OfferKind,
    most: usize,
) -> Vec<Recommendation<'a>> {
    let of_kind = || found.iter().filter(|(_, one)| one.offer.kind == kind);
    let best = of_kind().next().map_or(0.0, |(score, _)| *score);
    let counts = |(score, one): &&(f32, Recommendation<'a>)| {
        one.reason == RecommendationReason::Named || *score >= NEARLY_THE_FIRST * best
    };
    of_kind().filter(counts).take(most).map(|(_, one)| *one).collect()
}

#[cfg(test)]
mod tests;
