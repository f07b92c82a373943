//! `tidegate tokens`: counts what tool definitions cost the classic way, and what ours cost.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};
use tidegate_catalog::{Catalog, Languages, tree};
use tidegate_gateway::{Detail, describe, tokens};
use tidegate_model::{ToolDef, ToolList, ToolRef};
use tidegate_server::{Surface, definitions, instructions};

use crate::args::TokensArgs;
use crate::commands::search::{from_files, from_servers};
use crate::print;

pub(crate) async fn run(config: &Option<PathBuf>, args: &TokensArgs) -> anyhow::Result<ExitCode> {
    let catalog = match &args.catalog {
        Some(path) => from_files(path)?.0,
        None => from_servers(config).await?,
    };
    let mut servers: Vec<(String, usize, usize)> = catalog
        .servers()
        .map(|name| {
            let tools =
                catalog.server(name).map(|tools| tools.tools.as_slice()).unwrap_or_default();
            let cost = tools.iter().map(|tool| definition_tokens(tool)).sum();
            (name.to_owned(), tools.len(), cost)
        })
        .collect();
    servers.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
    let classic: usize = servers.iter().map(|(_, _, cost)| cost).sum();
    let surface = surface_tokens(Surface::Standard);
    let typed = Typed::of(&catalog);
    if args.json {
        let list: Vec<Value> = servers
            .iter()
            .map(|(name, tools, tokens)| json!({"server": name, "tools": tools, "tokens": tokens}))
            .collect();
        print::json(&json!({
            "servers": list,
            "tools": tool_count(&catalog),
            "classic_tokens": classic,
            "surface_tokens": surface,
            "lean_surface_tokens": surface_tokens(Surface::Lean),
            "saved_percent": saved_percent(classic, surface),
            "typed": {
                "files": levels_json(typed.files, classic),
                "full": levels_json(typed.full, classic),
                "full_without_results": levels_json(typed.full_without_results, classic),
                "description": levels_json(typed.description, classic),
            },
        }));
        return Ok(ExitCode::SUCCESS);
    }
    for (name, tools, cost) in &servers {
        let unit = if *tools == 1 { "tool " } else { "tools" };
        print::line(format!("{:>10} tokens  {tools:>5} {unit}  {name}", print::thousands(*cost)));
    }
    print::line(format!(
        "{:>10} tokens  {:>5} tools  the classic way",
        print::thousands(classic),
        tool_count(&catalog)
    ));
    print::line(format!(
        "{:>10} tokens               tidegate's surface",
        print::thousands(surface)
    ));
    print::line(format!("{:>9.2} % fewer", saved_percent(classic, surface)));
    print::line("\nAll tools as typed APIs, compared with their JSON definitions:");
    let levels = [
        (typed.files, "TypeScript files, with shared types written once"),
        (typed.full, "a full definition of each tool, with result types"),
        (typed.full_without_results, "a full definition of each tool, without result types"),
        (typed.description, "one line for each tool"),
    ];
    for (cost, label) in levels {
        let cost_text = print::thousands(cost);
        print::line(format!("{cost_text:>10} tokens  {:>5.1} %  {label}", percent(cost, classic)));
    }
    Ok(ExitCode::SUCCESS)
}

/// What the tools of a catalog cost at each level of detail.
#[derive(Debug, Default)]
struct Typed {
    /// Every TypeScript file of the tree.
    files: usize,
    /// `search_tools` and `get_tool_definition` with full detail.
    full: usize,
    /// The same without result types, which the compared JSON does not have either.
    full_without_results: usize,
    /// `search_tools` with one line each.
    description: usize,
}

impl Typed {
    fn of(catalog: &Catalog) -> Self {
        let files = tree(catalog, Languages::TypeScript);
        let mut typed = Self {
            files: files.iter().map(|(_, text)| tokens::count(text)).sum(),
            ..Self::default()
        };
        let without_results = without_results(catalog);
        let full = |catalog: &Catalog, id: &ToolRef| {
            describe(catalog, id, Detail::Full).and_then(|found| found.tokens).unwrap_or(0)
        };
        for (id, _) in catalog.tools() {
            typed.full += full(catalog, &id);
            typed.full_without_results += full(&without_results, &id);
            let line = describe(catalog, &id, Detail::Description);
            typed.description += line.map_or(0, |line| tokens::count(&line.to_string()));
        }
        typed
    }
}

fn without_results(catalog: &Catalog) -> Catalog {
    let mut bare = Catalog::default();
    for name in catalog.servers() {
        let Some(tools) = catalog.server(name) else { continue };
        let tool = |tool: &Arc<ToolDef>| ToolDef { output_schema: None, ..(**tool).clone() };
        let list = ToolList {
            left_out: 0,
            info: tools.info.clone(),
            tools: tools.tools.iter().map(tool).collect(),
        };
        bare.set_tools(name, &list);
    }
    bare
}

fn levels_json(cost: usize, classic: usize) -> Value {
    json!({"tokens": cost, "percent_of_json": percent(cost, classic)})
}

fn percent(cost: usize, classic: usize) -> f64 {
    ((100.0 - saved_percent(classic, cost)) * 100.0).round() / 100.0
}

/// What one definition costs: compact JSON of name, description and schema.
pub(crate) fn definition_tokens(tool: &ToolDef) -> usize {
    let text = json!({
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
    });
    tokens::count(&text.to_string())
}

/// What our own surface costs, instructions included.
pub(crate) fn surface_tokens(surface: Surface) -> usize {
    let tools = definitions(surface).into_iter().map(|tool| {
        let text = json!({
            "name": tool.name,
            "description": tool.description,
            "inputSchema": tool.input_schema,
        });
        tokens::count(&text.to_string())
    });
    tools.sum::<usize>() + tokens::count(instructions(surface).unwrap_or_default())
}

/// How much smaller `ours` is than `classic`, in percent.
#[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
pub(crate) fn saved_percent(classic: usize, ours: usize) -> f64 {
    if classic == 0 {
        return 0.0;
    }
    let saved = 100.0 * (1.0 - ours as f64 / classic as f64);
    (saved * 100.0).round() / 100.0
}

fn tool_count(catalog: &Catalog) -> usize {
    catalog.tools().count()
}
