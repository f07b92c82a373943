//! `tidegate search`: finds tools of the configured servers, or of definitions in files.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use serde_json::{Value, json};
use tidegate_catalog::{Catalog, FolderError, read_catalog, with_notes};
use tidegate_gateway::{
    Detail, Gateway, Recommended, RecommendedServer, SearchAnswer, SearchRequest, search,
};
use tidegate_model::{ToolRef, shown_name, visible};
use tidegate_upstream::UpstreamError;

use crate::args::{DetailArg, SearchArgs};
use crate::print::Usage;
use crate::{context, print};

pub(crate) async fn run(config: &Option<PathBuf>, args: &SearchArgs) -> anyhow::Result<ExitCode> {
    if let Some(queries) = &args.queries {
        let (catalog, ids) = match &args.catalog {
            Some(path) => from_files(path)?,
            None => (from_servers(config).await?, BTreeMap::new()),
        };
        return answer_many(&catalog, &ids, queries, usize::from(args.limit));
    }
    let request = request(args);
    match &args.catalog {
        Some(path) => {
            let (catalog, ids) = from_files(path)?;
            show(&search(&catalog, &request), &ids, args.json);
        }
        None => show(&search_servers(config, &request).await?, &BTreeMap::new(), args.json),
    }
    Ok(ExitCode::SUCCESS)
}

fn request(args: &SearchArgs) -> SearchRequest {
    SearchRequest {
        query: args.query.clone().unwrap_or_default(),
        detail: match args.detail {
            DetailArg::Name => Detail::Name,
            DetailArg::Description => Detail::Description,
            DetailArg::Full => Detail::Full,
        },
        server: args.server.clone(),
        category: args.category.clone(),
        read_only: args.read_only.then_some(true),
        limit: Some(usize::from(args.limit)),
        max_tokens: args.max_tokens,
    }
}

/// Searches the configured servers, and recommends known servers and skills.
async fn search_servers(
    config: &Option<PathBuf>,
    request: &SearchRequest,
) -> anyhow::Result<SearchAnswer> {
    let gateway = context::gateway(config)?;
    let (catalog, failed) = list_tools(&gateway).await;
    let answer = gateway.tools().search_among(&catalog, &failed, request, None).await;
    for problem in gateway.tools().catalog_problems() {
        print::note(print::harmless(&format!("warning: {problem}")));
    }
    gateway.close().await;
    Ok(answer)
}

/// Definitions from files, and the ids that the files give them. Prints a warning for each
/// invalid file.
pub(crate) fn from_files(path: &Path) -> anyhow::Result<(Catalog, BTreeMap<ToolRef, String>)> {
    let files = read_catalog(path).map_err(|error| Usage(with_cause(&error)))?;
    for problem in &files.problems {
        print::note(visible(&format!("warning: {}", with_cause(problem))));
    }
    if files.servers.values().all(|list| list.tools.is_empty()) {
        let hint = "hint: pass a folder of *.json files, one such file, or a .jsonl file";
        return Err(Usage(format!("there are no tools in `{}`\n{hint}", path.display())).into());
    }
    let mut catalog = Catalog::default();
    for (server, list) in &files.servers {
        catalog.set_tools(server, list);
    }
    for (server, category) in &files.categories {
        catalog.set_category(server, category);
    }
    Ok((catalog, files.ids))
}

/// The error and its cause in one line.
fn with_cause(error: &FolderError) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// Definitions of the configured servers. Starts those whose tools are not known yet.
pub(crate) async fn from_servers(config: &Option<PathBuf>) -> anyhow::Result<Catalog> {
    let gateway = context::gateway(config)?;
    let (catalog, _) = list_tools(&gateway).await;
    gateway.close().await;
    Ok((*catalog).clone())
}

async fn list_tools(gateway: &Gateway) -> (Arc<Catalog>, Vec<(String, UpstreamError)>) {
    let (catalog, failed) = {
        let _spinner = print::Spinner::start("listing tools");
        gateway.tools().complete_catalog().await
    };
    for (name, error) in &failed {
        print::error(&visible(&format!("error: {name}: {error}")));
    }
    (catalog, failed)
}

fn show(answer: &SearchAnswer, ids: &BTreeMap<ToolRef, String>, json: bool) {
    if json {
        let results: Vec<Value> = answer
            .results
            .iter()
            .map(|found| {
                json!({
                    "id": id_of(&found.id, ids),
                    "server": found.id.server,
                    "tool": shown_name(&found.id.tool),
                    "call": found.call,
                    "function": found.function,
                    "score": found.score,
                    "read_only": found.state.read_only,
                    "destructive": found.state.destructive,
                    "connected": found.state.connected,
                    "used_with": found.used_with,
                    "text": found.text,
                    "notes": found.notes,
                })
            })
            .collect();
        let recommended = &answer.recommended;
        print::json(&json!({"results": results, "more": answer.more, "recommended": recommended}));
        return;
    }
    for found in &answer.results {
        // Without a text, only the marks are shown.
        let text = found.text.clone().unwrap_or_else(|| with_notes(&found.notes, ""));
        let border = if text.contains('\n') { "\n" } else { "  " };
        let line = format!("{}{border}{text}", print::bold(&found.call));
        let reason = found.used_with.as_ref().map(|with| format!(" ({with})"));
        let line = format!("{}{}", line.trim_end(), reason.unwrap_or_default());
        print::line(line);
    }
    if answer.results.is_empty() {
        print::note("no matches; try other words, or list all tools with `tidegate tools list`");
    } else if answer.more > 0 {
        print::note(format!("{} more; narrow the query or raise `--limit`", answer.more));
    }
    show_recommended(&answer.recommended);
}

/// Recommends servers to add and skills to read.
fn show_recommended(recommended: &Recommended) {
    for RecommendedServer { server, tool, text, reason, command } in &recommended.servers {
        print::line(print::harmless(&format!(
            "\n{server} is not configured, {reason}: {tool}  {text}"
        )));
        match command.split_first() {
            Some((program, arguments)) => {
                let arguments: Vec<String> =
                    arguments.iter().map(|argument| format!("{argument:?}")).collect();
                print::line(
                    "to add it, write this into tidegate.toml, with the keys it needs in `env`:",
                );
                print::line(format!("[servers.{}]", toml_key(server)));
                print::line(format!("command = {program:?}"));
                print::line(format!("args = [{}]", arguments.join(", ")));
            }
            None => print::line("its catalog does not describe how to start it"),
        }
    }
    for skill in &recommended.skills {
        let line = format!("\nskill {}  {}", skill.name, skill.text);
        print::line(print::harmless(line.trim_end()));
        print::line(format!("to read it: tidegate skills show {}", skill.name));
    }
}

/// The name as a TOML key.
fn toml_key(name: &str) -> String {
    let bare = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if bare { name.to_owned() } else { format!("{name:?}") }
}

/// The longest line of a file of queries. Chosen: a query is a sentence.
const MAX_LINE_BYTES: u64 = 1_000_000;

/// One JSON line per query, for scoring. Invalid lines are reported and skipped.
fn answer_many(
    catalog: &Catalog,
    ids: &BTreeMap<ToolRef, String>,
    queries: &Path,
    limit: usize,
) -> anyhow::Result<ExitCode> {
    let file = std::fs::File::open(queries)
        .with_context(|| format!("cannot read the queries `{}`", queries.display()))?;
    let mut lines = BufReader::new(file);
    for number in 1.. {
        let mut line = Vec::new();
        let read = lines.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line);
        if read.with_context(|| format!("cannot read the queries `{}`", queries.display()))? == 0 {
            break;
        }
        let skipped = |reason: &str| {
            print::note(format!(
                "warning: `{}` line {number}: {reason}; skipped",
                queries.display()
            ));
        };
        if line.len() as u64 == MAX_LINE_BYTES && line.last() != Some(&b'\n') {
            skipped("longer than a million bytes");
            skip_line(&mut lines)?;
            continue;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let Ok(query) = serde_json::from_slice::<Value>(&line) else {
            skipped("not JSON");
            continue;
        };
        let Some(text) = query.get("query").and_then(Value::as_str) else {
            skipped("no text `query`");
            continue;
        };
        let hits = catalog.search(text, limit);
        let results: Vec<Value> =
            hits.iter().map(|hit| json!({"id": id_of(&hit.id, ids), "score": hit.score})).collect();
        print::json(&json!({"qid": query.get("qid"), "results": results}));
    }
    Ok(ExitCode::SUCCESS)
}

fn skip_line(lines: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let ready = lines.fill_buf()?;
        let (used, done) = match ready.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (ready.len(), ready.is_empty()),
        };
        lines.consume(used);
        if done {
            return Ok(());
        }
    }
}

fn id_of(id: &ToolRef, ids: &BTreeMap<ToolRef, String>) -> String {
    ids.get(id).cloned().unwrap_or_else(|| id.to_string())
}
