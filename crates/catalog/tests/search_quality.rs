//! Search must not get worse: labelled queries over real tools.
//!
//! Macro averages over the four sources of `testing/search`, with samples of the
//! large ones, so that a debug build takes only seconds.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::NamedTempFile;
use tidegate_catalog::{Catalog, CatalogFile, Scoring, read_catalog};

/// Each source, with the step by which its queries are sampled.
const SOURCES: [(&str, usize); 4] = [("livemcp", 1), ("bfcl", 10), ("stb", 8), ("mcpproxy", 1)];
/// How many results are looked at.
const RANKS: usize = 10;

/// The quality measures, from 0 to 1; higher is better.
#[derive(Debug, Clone, Copy)]
struct Quality {
    /// The first result is right.
    first: f64,
    /// The share of the right tools among the first five results.
    in_five: f64,
    /// nDCG@10: the first ten results, with earlier ones counting more.
    order: f64,
}

impl Quality {
    fn of(relevant: &BTreeSet<&str>, ranked: &[&str]) -> Self {
        let hits: Vec<f64> =
            ranked.iter().map(|id| f64::from(u8::from(relevant.contains(id)))).collect();
        let gain = |place: usize| 1.0 / (place as f64 + 2.0).log2();
        let gained: f64 = hits.iter().enumerate().map(|(place, hit)| hit * gain(place)).sum();
        let possible: f64 = (0..relevant.len().min(RANKS)).map(gain).sum();
        Self {
            first: hits.first().copied().unwrap_or(0.0),
            in_five: hits.iter().take(5).sum::<f64>() / relevant.len() as f64,
            order: gained / possible,
        }
    }

    fn mean(all: &[Self]) -> Self {
        let mean = |part: fn(&Self) -> f64| all.iter().map(part).sum::<f64>() / all.len() as f64;
        Self { first: mean(|q| q.first), in_five: mean(|q| q.in_five), order: mean(|q| q.order) }
    }

    fn is_at_least(self, floor: Self) -> bool {
        self.first >= floor.first && self.in_five >= floor.in_five && self.order >= floor.order
    }
}

fn lines(file: &str) -> Vec<Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testing/search").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn tools_of(source: &str, tools: &[Value]) -> CatalogFile {
    let mut file = NamedTempFile::with_suffix(".jsonl").unwrap();
    for tool in tools.iter().filter(|tool| tool["source"] == source) {
        writeln!(file, "{tool}").unwrap();
    }
    let files = read_catalog(file.path()).unwrap();
    assert!(files.problems.is_empty(), "{:?}", files.problems);
    files
}

fn quality_of(files: &CatalogFile, queries: &[&Value], scoring: Scoring) -> Quality {
    let mut catalog = Catalog::with_scoring(scoring);
    for (server, list) in &files.servers {
        catalog.set_tools(server, list);
    }
    let of_query = |query: &&Value| {
        let relevant = query["relevant"].as_array().unwrap();
        let relevant = relevant.iter().map(|id| id.as_str().unwrap()).collect();
        let hits = catalog.search(query["query"].as_str().unwrap(), RANKS);
        let ranked: Vec<&str> = hits.iter().map(|hit| files.ids[&hit.id].as_str()).collect();
        Quality::of(&relevant, &ranked)
    };
    Quality::mean(&queries.iter().map(of_query).collect::<Vec<_>>())
}

#[test]
fn search_finds_what_it_found_before() {
    let (tools, queries) = (lines("tools.jsonl"), lines("queries.jsonl"));
    let (mut words, mut both) = (Vec::new(), Vec::new());
    for (source, every) in SOURCES {
        let files = tools_of(source, &tools);
        let own = queries.iter().filter(|query| query["source"] == source);
        let own: Vec<&Value> = own.step_by(every).collect();
        words.push(quality_of(&files, &own, Scoring::Words));
        both.push(quality_of(&files, &own, Scoring::WordsAndMeaning));
    }
    let (words_mean, both_mean) = (Quality::mean(&words), Quality::mean(&both));
    // A hundredth below the measured values for this sample. It is harder than the whole set;
    // `docs/decisions/0006-search-by-meaning.md` has the figures for that.
    let floor_of_words = Quality { first: 0.559, in_five: 0.711, order: 0.649 };
    let floor_of_both = Quality { first: 0.610, in_five: 0.731, order: 0.677 };
    assert!(words_mean.is_at_least(floor_of_words), "by words: {words_mean:?} of {words:?}");
    assert!(both_mean.is_at_least(floor_of_both), "with meaning: {both_mean:?} of {both:?}");
}
