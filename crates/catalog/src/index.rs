//! Search: BM25F, name coverage, the clauses of a query, and meaning.
//!
//! In: the analysed tools of all servers, and a query in natural language or a
//! name. Out: the tools that fit, best first. Deterministic: equal scores are
//! ordered by id, and sums are computed in a fixed order.
//!
//! The numbers were tuned on one half of a set of labelled queries.

pub(crate) mod clauses;
mod diversify;
mod exact;
mod query;
pub(crate) mod semantic;
mod server_index;
mod synonyms;
pub(crate) mod terms;
mod word_table;

use std::collections::HashMap;
use std::sync::Arc;

use tidegate_model::ToolRef;

use exact::ExactNames;
pub(crate) use server_index::ServerIndex;
use server_index::{FIELDS, IndexedTool, NAME};
use terms::Terms;
use word_table::Vector;

/// The weight of a word in each field: name, server, description, parameter names, parameter
/// descriptions.
const WEIGHTS: [f32; FIELDS] = [3.0, 2.9, 1.25, 0.6, 0.45];
/// How much the length of each field lowers the weight.
const LENGTH: [f32; FIELDS] = [0.2, 1.0, 0.8, 0.1, 0.6];
/// How soon further occurrences of a word stop counting.
const SATURATION: f32 = 1.2;
/// How much a tool gains if the query contains its whole name, as a share of its score.
const NAME_COVERAGE: f32 = 0.4;
/// The weight of the best clause, relative to the whole query.
const CLAUSE: f32 = 1.5;
/// The weight of the best tool of the same server: tools of one server are often used together.
const SAME_SERVER: f32 = 0.5;

/// How tools are matched to a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scoring {
    /// Words, their other forms and their synonyms.
    Words,
    /// Words plus the meaning of the texts, from a table of word vectors.
    #[default]
    WordsAndMeaning,
}

/// A search result.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Which tool.
    pub id: ToolRef,
    /// How well it fits; only comparable within one answer.
    pub score: f32,
}

#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) ids: Vec<ToolRef>,
    /// The server number of each tool.
    pub(crate) servers: Vec<u32>,
    /// The place of each term in `postings`.
    pub(crate) terms: HashMap<Box<str>, u32>,
    pub(crate) postings: Vec<Vec<Posting>>,
    exact: ExactNames,
    /// A vector for the meaning of each tool; empty if only words count.
    pub(crate) meanings: Vec<Vector>,
}

/// The score of a term for one tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Posting {
    pub(crate) tool: u32,
    score: f32,
    /// The share of the tool's name that the term makes up.
    of_name: f32,
}

impl Index {
    /// Joins the servers' parts.
    pub(crate) fn join<'a>(parts: impl Iterator<Item = (&'a str, Arc<ServerIndex>)>) -> Self {
        let parts: Vec<(&str, Arc<ServerIndex>)> = parts.collect();
        let averages = averages(parts.iter().flat_map(|(_, part)| &part.tools));
        let (terms, places) = number(&parts);
        let tools_with = tools_with(&parts, &places, terms.len());
        let all: usize = parts.iter().map(|(_, part)| part.tools.len()).sum();
        let mut postings: Vec<Vec<Posting>> =
            tools_with.iter().map(|with| Vec::with_capacity(*with as usize)).collect();
        let (mut ids, mut servers) = (Vec::with_capacity(all), Vec::with_capacity(all));
        for (((server, part), places), number) in parts.iter().zip(&places).zip(0..) {
            let rarity: Vec<f32> =
                places.iter().map(|place| rarity(all, tools_with[*place as usize])).collect();
            for tool in &part.tools {
                for (term, posting) in worth(tool, index_number(ids.len()), &averages, &rarity) {
                    postings[places[term as usize] as usize].push(posting);
                }
                ids.push(ToolRef::new(*server, &*tool.name));
                servers.push(number);
            }
        }
        let exact = ExactNames::new(&ids);
        let meanings = parts.iter().flat_map(|(_, part)| &part.meanings).copied().collect();
        Self { ids, servers, terms, postings, exact, meanings }
    }

    /// The best tools for a query.
    pub(crate) fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let clauses = clauses::clauses(clauses::bounded(query));
        let mut scores = self.scores(query);
        if clauses.len() > 1 {
            diversify::diversify(&mut scores, &self.of_clauses(&clauses));
        }
        let found = (0u32..).zip(scores).filter(|(_, score)| *score > 0.0);
        let mut hits: Vec<Hit> =
            found.map(|(tool, score)| Hit { id: self.ids[tool as usize].clone(), score }).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
        hits.truncate(limit);
        hits
    }

    /// How well every tool fits a query, without diversification.
    pub(crate) fn scores(&self, query: &str) -> Vec<f32> {
        let query = clauses::bounded(query);
        let clauses = clauses::clauses(query);
        let mut scores = self.lexical(query, &clauses);
        if !self.meanings.is_empty() {
            semantic::add(query, &clauses, &self.meanings, &mut scores);
        }
        self.add_same_server(&mut scores);
        self.exact.boost(query, &mut scores);
        scores
    }

    /// How well every tool fits each clause alone.
    fn of_clauses(&self, clauses: &[String]) -> Vec<Vec<f32>> {
        let of_clause = |clause: &String| {
            let alone = std::slice::from_ref(clause);
            let mut scores = self.lexical(clause, alone);
            if !self.meanings.is_empty() {
                semantic::add(clause, alone, &self.meanings, &mut scores);
            }
            scores
        };
        clauses.iter().map(of_clause).collect()
    }

    /// How well the words of every tool fit.
    fn lexical(&self, query: &str, clauses: &[String]) -> Vec<f32> {
        let mut terms = Terms::new();
        let (mut scores, covered) = self.score(query, &mut terms);
        for (score, covered) in scores.iter_mut().zip(covered) {
            *score += *score * NAME_COVERAGE * covered;
        }
        let best = self.best_clause(clauses, &mut terms);
        for (score, best) in scores.iter_mut().zip(best) {
            *score += CLAUSE * best;
        }
        scores
    }

    /// For every tool, the score of the clause that fits it best. The winner of each clause is
    /// raised towards the winners of the others: a need expressed in few words counts too.
    fn best_clause(&self, clauses: &[String], terms: &mut Terms) -> Vec<f32> {
        let mut best = vec![0.0_f32; self.ids.len()];
        let mut winners = Vec::new();
        for clause in clauses {
            let (scores, _) = self.score(clause, terms);
            let first = |a: &(usize, &f32), b: &(usize, &f32)| {
                a.1.total_cmp(b.1).then_with(|| b.0.cmp(&a.0))
            };
            winners.extend(scores.iter().enumerate().max_by(first).map(|(at, score)| (at, *score)));
            for (best, score) in best.iter_mut().zip(scores) {
                *best = best.max(score);
            }
        }
        let most = winners.iter().map(|(_, score)| *score).fold(0.0, f32::max);
        for (at, score) in winners {
            best[at] = best[at].max((most * score).sqrt());
        }
        best
    }

    /// Sums over the terms of a text: scores, and the share of each name that it contains.
    fn score(&self, text: &str, terms: &mut Terms) -> (Vec<f32>, Vec<f32>) {
        let mut scores = vec![0.0; self.ids.len()];
        let mut covered = vec![0.0; self.ids.len()];
        for (term, weight) in query::weighted(text, terms) {
            let Some(place) = self.terms.get(&term) else { continue };
            for posting in &self.postings[*place as usize] {
                scores[posting.tool as usize] += weight * posting.score;
                covered[posting.tool as usize] += weight.min(1.0) * posting.of_name;
            }
        }
        (scores, covered)
    }

    fn add_same_server(&self, scores: &mut [f32]) {
        let mut best: Vec<f32> = Vec::new();
        for (score, server) in scores.iter().zip(&self.servers) {
            let server = *server as usize;
            best.resize(best.len().max(server + 1), 0.0);
            best[server] = best[server].max(*score);
        }
        for (score, server) in scores.iter_mut().zip(&self.servers) {
            // Tools without any match stay out.
            if *score > 0.0 {
                *score += SAME_SERVER * best[*server as usize];
            }
        }
    }
}

/// The posting of every term of a tool.
fn worth<'a>(
    tool: &'a IndexedTool,
    at: u32,
    averages: &'a [f32; FIELDS],
    rarity: &'a [f32],
) -> impl Iterator<Item = (u32, Posting)> + 'a {
    let in_name = tool.counts.iter().filter(|(_, counts)| counts[NAME] > 0);
    let whole_name: f32 = in_name.map(|(term, _)| rarity[*term as usize]).sum();
    tool.counts.iter().map(move |(term, counts)| {
        let mut weight = 0.0;
        // A field without the term may be empty, and then its norm can be zero.
        for field in (0..FIELDS).filter(|field| counts[*field] > 0) {
            let length = f32::from(tool.lengths[field]) / averages[field];
            let norm = 1.0 - LENGTH[field] + LENGTH[field] * length;
            weight += WEIGHTS[field] * f32::from(counts[field]) / norm;
        }
        let rarity = rarity[*term as usize];
        let score = rarity * weight * (SATURATION + 1.0) / (weight + SATURATION);
        let of_name = if counts[NAME] > 0 { rarity / whole_name } else { 0.0 };
        (*term, Posting { tool: at, score, of_name })
    })
}

/// The average length of each field.
fn averages<'a>(tools: impl Iterator<Item = &'a IndexedTool>) -> [f32; FIELDS] {
    let (mut sums, mut number) = ([0.0_f32; FIELDS], 0.0_f32);
    for tool in tools {
        number += 1.0;
        for (sum, length) in sums.iter_mut().zip(tool.lengths) {
            *sum += f32::from(length);
        }
    }
    // Never zero, even if no tool has the field.
    sums.map(|sum| (sum / number.max(1.0)).max(f32::EPSILON))
}

/// Numbers the terms of all servers. Returns the number of every term, and for each server
/// those of its own terms.
fn number(parts: &[(&str, Arc<ServerIndex>)]) -> (HashMap<Box<str>, u32>, Vec<Vec<u32>>) {
    let mut terms: HashMap<Box<str>, u32> = HashMap::new();
    let mut place = |term: &str| match terms.get(term) {
        Some(place) => *place,
        None => {
            let next = index_number(terms.len());
            terms.insert(term.into(), next);
            next
        }
    };
    let mut of_part = |part: &ServerIndex| part.terms.iter().map(|term| place(term)).collect();
    let places = parts.iter().map(|(_, part)| of_part(part)).collect();
    (terms, places)
}

/// How many tools have each term.
fn tools_with(parts: &[(&str, Arc<ServerIndex>)], places: &[Vec<u32>], terms: usize) -> Vec<u32> {
    let mut tools_with = vec![0; terms];
    for ((_, part), places) in parts.iter().zip(places) {
        for (term, _) in part.tools.iter().flat_map(|tool| &tool.counts) {
            tools_with[places[*term as usize] as usize] += 1;
        }
    }
    tools_with
}

/// The inverse document frequency of a term: the fewer tools have it, the more it says.
pub(crate) fn rarity(all: usize, with: u32) -> f32 {
    let (all, with) = (all as f32, with as f32);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

pub(crate) fn index_number(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
