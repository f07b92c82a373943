//! `tidegate tools list|show|accept`: tools of the configured servers, or of definitions in
//! files.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};
use tidegate_catalog::{Catalog, Resolution, one_line};
use tidegate_gateway::{Detail, Gateway, SearchResult, describe};
use tidegate_model::{ToolRef, shown_name, visible};

use crate::args::{ToolsArgs, ToolsCommand};
use crate::commands::accept::accept;
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
            ToolsCommand::Accept { .. } => Err(Usage(
                "tools from files are never called, so there is nothing to accept".into(),
            )
            .into()),
        };
    }
    let gateway = context::gateway(config)?;
    let outcome = match &args.command {
        ToolsCommand::List { server, json } => {
            list_of_servers(&gateway, server.as_deref(), *json).await
        }
        ToolsCommand::Show { name, json } => show(&gateway, name, *json).await,
        ToolsCommand::Accept { name, json, .. } => accept(&gateway, name, *json).await,
    };
    gateway.close().await;
    outcome
}

async fn list_of_servers(
    gateway: &Gateway,
    server: Option<&str>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let (catalog, failed) = complete_catalog(gateway).await;
    list(&catalog, server, json)?;
    for (name, error) in &failed {
        print::error(&visible(&format!("error: {name}: {error}")));
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
    for (id, _) in catalog.tools().filter(|(id, _)| server.is_none_or(|name| id.server == name)) {
        let Some(tool) = catalog.shown(&id) else { continue };
        let function = catalog.function_name(&id).unwrap_or_default();
        if json {
            let mut entry = serde_json::to_value(tool.as_ref())?;
            entry["name"] = json!(shown_name(&id.tool));
            entry["server"] = json!(id.server);
            entry["function"] = json!(function);
            entry["notes"] = json!(catalog.notes(&id));
            tools.push(entry);
        } else {
            let description = catalog.with_notes(&id, &one_line(&tool));
            print::line(format!("{}  {description}", print::bold(&id.to_string())));
        }
    }
    if json {
        print::json(&json!({"tools": tools}));
    }
    Ok(())
}

/// Shows the definition that the files have.
fn show_from_files(catalog: &Catalog, name: &str, json: bool) -> anyhow::Result<ExitCode> {
    let problem = match catalog.resolve(name) {
        Resolution::Tool { id, .. } => match describe(catalog, &id, Detail::Full) {
            Some(found) => return show_found(catalog, &found, json),
            None => format!("error: there is no tool `{id}`"),
        },
        Resolution::UnknownTool { server, given, hint } => {
            format!("error: server `{server}` has no tool `{given}`\nhint: {hint}")
        }
        Resolution::UnknownServer { given, hint } => {
            format!("error: there is no server `{given}`\nhint: {hint}")
        }
        // A server in a file that lists no tools.
        Resolution::NotListed { server } => {
            format!("error: server `{server}` has listed no tools")
        }
    };
    print::error(&visible(&problem));
    Ok(ExitCode::FAILURE)
}

async fn show(gateway: &Gateway, name: &str, json: bool) -> anyhow::Result<ExitCode> {
    match gateway.tools().definition(name).await {
        Ok(found) => show_found(&gateway.tools().catalog(), &found, json),
        Err(error) => Ok(print::failed(&error)),
    }
}

fn show_found(catalog: &Catalog, found: &SearchResult, json: bool) -> anyhow::Result<ExitCode> {
    if !json {
        print::line(found);
        return Ok(ExitCode::SUCCESS);
    }
    let ToolRef { server, tool } = &found.id;
    let mut entry: Value = serde_json::to_value(catalog.shown(&found.id))?;
    entry["name"] = json!(shown_name(tool));
    entry["server"] = json!(server);
    entry["typescript"] = json!(found.text);
    entry["tokens"] = json!(found.tokens);
    entry["notes"] = json!(found.notes);
    print::json(&entry);
    Ok(ExitCode::SUCCESS)
}

async fn complete_catalog(
    gateway: &Gateway,
) -> (Arc<Catalog>, Vec<(String, tidegate_upstream::UpstreamError)>) {
    let _spinner = print::Spinner::start("listing tools");
    gateway.tools().complete_catalog().await
}
