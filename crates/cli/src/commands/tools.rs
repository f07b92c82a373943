//! `tidegate tools list|show`: of the configured servers, or of files.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};
use tidegate_catalog::{Catalog, Resolution, one_line, render_tool};
use tidegate_gateway::Gateway;

use crate::args::{ToolsArgs, ToolsCommand};
use crate::commands::search::from_files;
use crate::print::Usage;
use crate::{context, print};

pub(crate) async fn run(config: &Option<PathBuf>, args: &ToolsArgs) -> anyhow::Result<ExitCode> {
    if let Some(path) = &args.catalog {
        let (catalog, _) = from_files(path)?;
        return match &args.command {
            ToolsCommand::List { server, json } => {
                list(&catalog, server.as_deref(), *json)?;
                Ok(ExitCode::SUCCESS)
            }
            ToolsCommand::Show { name, json } => show_from_files(&catalog, name, *json),
        };
    }
    let gateway = context::gateway(config)?;
    let outcome = match &args.command {
        ToolsCommand::List { server, json } => {
            list_of_servers(&gateway, server.as_deref(), *json).await
        }
        ToolsCommand::Show { name, json } => show(&gateway, name, *json).await,
    };
    gateway.close().await;
    outcome
}

async fn list_of_servers(
    gateway: &Gateway,
    server: Option<&str>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let (catalog, failed) = complete(gateway).await;
    list(&catalog, server, json)?;
    for (name, error) in &failed {
        print::error(&format!("error: {name}: {error}"));
    }
    Ok(ExitCode::from(if failed.is_empty() { 0 } else { 5 }))
}

fn list(catalog: &Catalog, server: Option<&str>, json: bool) -> anyhow::Result<()> {
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
    Ok(())
}

/// The definition as the files have it. No server is asked, so the tool is named
/// by its identity and not by a call.
fn show_from_files(catalog: &Catalog, name: &str, json: bool) -> anyhow::Result<ExitCode> {
    let (id, tool) = match catalog.resolve(name) {
        Resolution::Tool { id, tool } => (id, tool),
        Resolution::UnknownTool { server, given, hint } => {
            print::error(&format!("error: server `{server}` has no tool `{given}`\nhint: {hint}"));
            return Ok(ExitCode::FAILURE);
        }
        Resolution::UnknownServer { given, hint } => {
            print::error(&format!("error: there is no server `{given}`\nhint: {hint}"));
            return Ok(ExitCode::FAILURE);
        }
        // Files list all that they have; there is nothing to ask for.
        Resolution::NotListed { server } => {
            print::error(&format!("error: there is no tool of server `{server}`"));
            return Ok(ExitCode::FAILURE);
        }
    };
    let function = catalog.function_name(&id).unwrap_or(&id.tool);
    let definition = format!("// {id}\n{}", render_tool(&tool, function));
    if json {
        let mut entry: Value = serde_json::to_value(tool.as_ref())?;
        entry["server"] = json!(id.server);
        entry["typescript"] = json!(definition);
        print::json(&entry);
    } else {
        print::line(definition);
    }
    Ok(ExitCode::SUCCESS)
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
    let Resolution::Tool { id, tool } = catalog.resolve(name) else {
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
