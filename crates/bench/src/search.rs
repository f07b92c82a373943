//! Search: queries over 4,488 tools, building the index, and its memory.
//!
//! The tools and queries are those of `testing/search`, all sources in one
//! catalog; they exist only in the repository.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::Value;
use tidegate_catalog::{Catalog, CatalogFile, Scoring, read_catalog};

use crate::memory::Memory;
use crate::report::{Amount, Figure, Unit};
use crate::samples::Samples;
use crate::setup::note;

const TOOLS: &str = "testing/search/tools.jsonl";
const QUERIES: &str = "testing/search/queries.jsonl";
const ROUNDS: usize = 5;
/// Every nth query is used: enough for a p95, and done in seconds.
const EVERY: usize = 4;
/// The promised limits.
const MEMORY_GOAL: u64 = 40 << 20;
const WAYS: [(Scoring, &str, f64); 2] =
    [(Scoring::Words, "by words", 2.0), (Scoring::WordsAndMeaning, "by words and meaning", 15.0)];
const INDEX_GOAL: f64 = 200.0;

pub(crate) fn measure() -> anyhow::Result<(Vec<Figure>, Vec<Amount>)> {
    let Ok(files) = read_catalog(Path::new(TOOLS)) else {
        note(format!("search is skipped: there is no `{TOOLS}` here"));
        return Ok((Vec::new(), Vec::new()));
    };
    let queries = queries()?;
    // Memory first, with both kinds of scoring: later, freed memory would be reused.
    let empty = Memory::of_this_process()?.bytes;
    let catalog = catalog(&files, Scoring::WordsAndMeaning);
    let listed = Memory::of_this_process()?.bytes;
    index(&catalog)?;
    let tools = catalog.tools().count();
    let size = Amount {
        name: format!("index of {tools} tools by words and meaning"),
        unit: Unit::Bytes,
        amount: Memory::of_this_process()?.bytes.saturating_sub(listed),
        goal: MEMORY_GOAL,
        parts: vec![("their definitions beside it", listed.saturating_sub(empty))],
    };
    let mut figures = Vec::new();
    for (scoring, way, goal) in WAYS {
        figures.push(index_time(&files, scoring, &format!("index of {tools} tools {way}"))?);
        let catalog = self::catalog(&files, scoring);
        index(&catalog)?;
        figures.extend(query_times(&catalog, &queries, way, goal));
    }
    Ok((figures, vec![size]))
}

fn queries() -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(QUERIES).context("the queries cannot be read")?;
    let query = |line| {
        let line: Value = serde_json::from_str(line)?;
        Ok(line["query"].as_str().context("a line without a query")?.to_owned())
    };
    text.lines().step_by(EVERY).map(query).collect()
}

fn catalog(files: &CatalogFile, scoring: Scoring) -> Catalog {
    let mut catalog = Catalog::with_scoring(scoring);
    for (server, list) in &files.servers {
        catalog.set_tools(server, list);
    }
    catalog
}

/// Builds the index, as the first search does.
fn index(catalog: &Catalog) -> anyhow::Result<Duration> {
    let started = Instant::now();
    ensure!(!catalog.search("list files", 1).is_empty(), "nothing was found");
    Ok(started.elapsed())
}

fn index_time(files: &CatalogFile, scoring: Scoring, name: &str) -> anyhow::Result<Figure> {
    let mut samples = Samples::default();
    // The first round does not count: tables are read.
    for round in 0..=ROUNDS {
        let time = index(&catalog(files, scoring))?;
        if round > 0 {
            samples.add(time);
        }
    }
    Ok(Figure {
        name: name.to_owned(),
        ms: samples.median(),
        yardstick: "goal".to_owned(),
        yardstick_ms: INDEX_GOAL,
    })
}

fn query_times(catalog: &Catalog, queries: &[String], way: &str, goal: f64) -> [Figure; 2] {
    let mut samples = Samples::default();
    for query in queries {
        let started = Instant::now();
        black_box(catalog.search(black_box(query), 10));
        samples.add(started.elapsed());
    }
    let figure = |name: &str, ms| Figure {
        name: format!("query {way}, {name}"),
        ms,
        yardstick: "goal of p95".to_owned(),
        yardstick_ms: goal,
    };
    [figure("p50", samples.median()), figure("p95", samples.p95())]
}
