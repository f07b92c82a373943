//! `tidegate tools list|show`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};
use tidegate_catalog::{Catalog, one_line};
use tidegate_gateway::Gateway;

use crate::args::{ToolsArgs, ToolsCommand};
use crate::print::Usage;
use crate::{context, print};

pub(crate) async fn run(config: &Option<PathBuf>, args: &ToolsArgs) -> anyhow::Result<ExitCode> {
    let gateway = context::gateway(config)?;
    let outcome = match &args.command {
        ToolsCommand::List { server, json } => list(&gateway, server.as_deref(), *json).await,
        ToolsCommand::Show { name, json } => show(&gateway, name, *json).await,
    };
    gateway.close().await;
    outcome
}

async fn list(gateway: &Gateway, server: Option<&str>, json: bool) -> anyhow::Result<ExitCode> {
    let (catalog, failed) = complete(gateway).await;
    let server = match server {
        Some(given) => Some(
            catalog
                .server_name(given)
                .map_err(|hint| Usage(format!("there is no server `{given}`\nhint: {hint}")))?,
        ),
        None => None,
    };
    let mut tools = Vec::new();
    for (id, tool) in catalog.tools().filter(|(id, _)| server.is_none_or(|name| id.server == name))
    {
        let function = catalog.function_name(&id).unwrap_or_default();
        if json {
            let mut entry = serde_json::to_value(tool.as_ref())?;
            entry["server"] = json!(id.server);
            entry["function"] = json!(function);
            tools.push(entry);
        } else {
            print::line(format!("{}  {}", print::bold(&id.to_string()), one_line(tool)));
        }
    }
    if json {
        print::json(&json!({"tools": tools}));
    }
    for (name, error) in &failed {
        print::error(&format!("error: {name}: {error}"));
    }
    Ok(ExitCode::from(if failed.is_empty() { 0 } else { 5 }))
}

async fn show(gateway: &Gateway, name: &str, json: bool) -> anyhow::Result<ExitCode> {
    let definition = match gateway.definition(name).await {
        Ok(definition) => definition,
        Err(error) => {
            print::error(&error.to_string());
            return Ok(ExitCode::from(error.code.exit_code()));
        }
    };
    if !json {
        print::line(definition);
        return Ok(ExitCode::SUCCESS);
    }
    let catalog = gateway.catalog();
    let tidegate_catalog::Resolution::Tool { id, tool } = catalog.resolve(name) else {
        return Ok(ExitCode::FAILURE);
    };
    let mut entry: Value = serde_json::to_value(tool.as_ref())?;
    entry["server"] = json!(id.server);
    entry["typescript"] = json!(definition);
    print::json(&entry);
    Ok(ExitCode::SUCCESS)
}

async fn complete(
    gateway: &Gateway,
) -> (Arc<Catalog>, Vec<(String, tidegate_upstream::UpstreamError)>) {
    let _spinner = print::Spinner::start("listing tools");
    gateway.complete_catalog().await
}
