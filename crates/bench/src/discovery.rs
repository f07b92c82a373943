//! What it costs a model to find the tools of a whole job, among those of 112 servers.
//!
//! The jobs are those of the end-to-end workflows. The tool lists are those of published
//! servers in `testing/catalog`, all configured at once; they exist only in the repository.
//! A model searches as the shipped skill teaches: one search for each thing that a server
//! should do, answered with definitions. For tools that this does not find, it looks through
//! more names. Everything that enters the context is counted: questions and answers.

use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};
use tidegate_catalog::{Catalog, read_catalog};
use tidegate_gateway::{Detail, SearchAnswer, SearchRequest, describe, search, tokens};

use crate::report::{Amount, Unit};
use crate::setup::note;

const CATALOG: &str = "testing/catalog";
/// The promised limit for one job.
const GOAL: u64 = 1_200;

/// One need: how a model would put it, and the tools that serve it.
struct Need {
    query: &'static str,
    tools: &'static [&'static str],
}

const fn need(query: &'static str, tools: &'static [&'static str]) -> Need {
    Need { query, tools }
}

const JOBS: [(&str, &[Need]); 6] = [
    (
        "S1, logs to SQLite and a commit",
        &[
            need(
                "list a directory, read multiple files",
                &["filesystem__list_directory", "filesystem__read_multiple_files"],
            ),
            need("write a file to the local disk", &["filesystem__write_file"]),
            need(
                "create a sqlite table and insert rows",
                &["sqlite__create_table", "sqlite__write_query"],
            ),
            need("git add and commit", &["git__git_add", "git__git_commit"]),
        ],
    ),
    (
        "S2, sales with DuckDB to a report",
        &[
            need("run a DuckDB query", &["motherduck__execute_query"]),
            need("write a file to the local disk", &["filesystem__write_file"]),
        ],
    ),
    (
        "S3, notes to a graph",
        &[
            need(
                "list a directory, read multiple files",
                &["filesystem__list_directory", "filesystem__read_multiple_files"],
            ),
            need(
                "create entities and relations in memory, read the graph",
                &["memory__create_entities", "memory__create_relations", "memory__read_graph"],
            ),
        ],
    ),
    (
        "S4, pages of a shop to SQLite",
        &[
            need(
                "playwright: navigate to a page, evaluate a script, click",
                &[
                    "playwright__browser_navigate",
                    "playwright__browser_evaluate",
                    "playwright__browser_click",
                ],
            ),
            need(
                "create a sqlite table and insert rows",
                &["sqlite__create_table", "sqlite__write_query"],
            ),
        ],
    ),
    (
        "S5, Postgres to Redis",
        &[
            need("run a read-only query in postgres", &["postgres__query"]),
            need("set a redis key", &["redis__set"]),
        ],
    ),
    (
        "S6, commits per author",
        &[
            need("git log", &["git__git_log"]),
            need("write a file to the local disk", &["filesystem__write_file"]),
            need("create entities in memory", &["memory__create_entities"]),
            need("convert a time to another timezone", &["time__convert_time"]),
        ],
    ),
];

pub(crate) fn measure() -> anyhow::Result<Vec<Amount>> {
    let Ok(files) = read_catalog(Path::new(CATALOG)) else {
        note(format!("discovery is skipped: there is no `{CATALOG}` here"));
        return Ok(Vec::new());
    };
    let mut catalog = Catalog::default();
    for (server, list) in &files.servers {
        catalog.set_tools(server, list);
    }
    let of_job = |(name, needs): &(&str, &[Need])| cost(&catalog, name, needs);
    JOBS.iter().map(of_job).collect()
}

/// The cost of finding all tools of a job.
fn cost(catalog: &Catalog, name: &str, needs: &[Need]) -> anyhow::Result<Amount> {
    let (mut searched, mut again, mut tools) = (0, 0, 0);
    for need in needs {
        let arguments =
            json!({"query": need.query, "detail": "full", "limit": need.tools.len() + 1});
        let (answer, tokens) = ask(catalog, arguments)?;
        searched += tokens;
        // With their definitions; a name alone is not enough to write a call.
        let defined = answer.results.iter().filter(|found| found.tokens.is_some());
        let found: Vec<String> = defined.map(|found| found.id.to_string()).collect();
        tools += need.tools.len();
        for missing in need.tools.iter().filter(|tool| !found.iter().any(|id| id == *tool)) {
            again += ask_again(catalog, need.query, missing)?;
        }
    }
    Ok(Amount {
        name: format!("{tools} tools of {name}"),
        unit: Unit::Tokens,
        amount: searched + again,
        goal: GOAL,
        parts: vec![("searches with definitions", searched), ("asked again", again)],
    })
}

/// Looks through more names, and asks for the definition of one.
fn ask_again(catalog: &Catalog, query: &str, tool: &str) -> anyhow::Result<u64> {
    let (answer, searched) = ask(catalog, json!({"query": query, "detail": "name", "limit": 20}))?;
    let found = answer.results.iter().find(|found| found.id.to_string() == tool);
    let found = found.with_context(|| format!("`{tool}` is not among 20 names for `{query}`"))?;
    let definition = describe(catalog, &found.id, Detail::Full).context("no definition")?;
    let question = json!({"name": "get_tool_definition", "arguments": {"name": tool}});
    Ok(searched + count(&question.to_string()) + count(&definition.to_string()))
}

/// An answer, and the cost of question and answer.
fn ask(catalog: &Catalog, arguments: Value) -> anyhow::Result<(SearchAnswer, u64)> {
    let question = json!({"name": "search_tools", "arguments": arguments}).to_string();
    let request: SearchRequest = serde_json::from_value(arguments).context("a wrong request")?;
    let answer = search(catalog, &request);
    let tokens = count(&question) + count(&answer.to_string());
    Ok((answer, tokens))
}

fn count(text: &str) -> u64 {
    tokens::count(text) as u64
}
