//! `tidegate tokens`: what definitions cost the classic way, and what we cost.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};
use tidegate_catalog::Catalog;
use tidegate_gateway::tokens;
use tidegate_model::ToolDef;
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
    Ok(ExitCode::SUCCESS)
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
    let tool = |tool: &rmcp::model::Tool| {
        let text = json!({
            "name": tool.name,
            "description": tool.description,
            "inputSchema": tool.input_schema,
        });
        tokens::count(&text.to_string())
    };
    let tools: usize = definitions(surface).iter().map(tool).sum();
    tools + tokens::count(instructions(surface).unwrap_or_default())
}

/// How much less `ours` is than `classic`.
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
