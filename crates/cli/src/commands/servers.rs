//! `tidegate servers list|test`: lists the configured servers, or starts them to test them.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;
use tidegate_gateway::{Gateway, ServerReport};
use tidegate_model::{did_you_mean, visible};
use tidegate_upstream::ServerStatus;

use crate::args::{ServersArgs, ServersCommand};
use crate::print::Usage;
use crate::{context, print};

pub(crate) async fn run(config: &Option<PathBuf>, args: &ServersArgs) -> anyhow::Result<ExitCode> {
    let gateway = context::gateway(config)?;
    match &args.command {
        ServersCommand::List { json } => {
            list(&gateway, *json);
            Ok(ExitCode::SUCCESS)
        }
        ServersCommand::Test { names, json } => {
            let code = test(&gateway, names, *json).await;
            gateway.close().await;
            code
        }
    }
}

fn list(gateway: &Gateway, json: bool) {
    let servers = gateway.tools().servers();
    if json {
        let list: Vec<_> = servers.iter().map(|server| report_json(server, None)).collect();
        print::json(&json!({"servers": list}));
        return;
    }
    if servers.is_empty() {
        print::note(no_servers());
        return;
    }
    let width = servers.iter().map(|server| server.name.len()).max().unwrap_or(0);
    for server in &servers {
        let tools = match server.tools {
            0 => "not listed yet".to_owned(),
            count => print::counted(count, "tool"),
        };
        print::line(format!(
            "{:width$}  {tools:>14}  {:24}  {}",
            server.name, server.transport, server.package
        ));
    }
}

async fn test(gateway: &Gateway, names: &[String], json: bool) -> anyhow::Result<ExitCode> {
    let known = gateway.tools().servers();
    for name in names {
        if !known.iter().any(|server| server.name == *name) {
            let hint = did_you_mean(name, known.iter().map(|server| server.name.as_str()));
            let hint = hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
            return Err(Usage(format!("no server `{name}` is configured{hint}")).into());
        }
    }
    if known.is_empty() {
        return Err(Usage(no_servers()).into());
    }
    let outcomes = {
        let _spinner = print::Spinner::start("starting servers");
        gateway.tools().test_servers(names).await
    };
    let reports = gateway.tools().servers();
    let failed = outcomes.iter().filter(|(_, outcome)| outcome.is_err()).count();
    let mut list = Vec::new();
    for (name, outcome) in &outcomes {
        let Some(report) = reports.iter().find(|report| report.name == *name) else { continue };
        let problem = outcome.as_ref().err().map(|error| visible(&error.to_string()).into_owned());
        if json {
            list.push(report_json(report, problem.as_deref()));
        } else if let Some(problem) = problem {
            print::line(format!("failed  {name}: {problem}"));
        } else {
            let tools = print::counted(report.tools, "tool");
            print::line(format!("ok      {name}: {tools}, {}", report.package));
            if report.left_out > 0 {
                let left_out = print::counted(report.left_out, "tool");
                print::line(format!("        {left_out} left out: too many, or too large"));
            }
        }
    }
    if json {
        print::json(&json!({"servers": list}));
    }
    Ok(ExitCode::from(if failed == 0 { 0 } else { 5 }))
}

fn report_json(server: &ServerReport, problem: Option<&str>) -> serde_json::Value {
    let status = match server.status {
        ServerStatus::NotStarted => "not_started",
        ServerStatus::Starting => "starting",
        ServerStatus::Connected => "connected",
        ServerStatus::Failed(_) => "failed",
    };
    json!({
        "name": server.name,
        "transport": server.transport,
        "status": status,
        "package": server.package,
        "tools": server.tools,
        "error": problem,
    })
}

fn no_servers() -> String {
    "no servers are configured; write a tidegate.toml, or point `--config` at your client's file with \
     `mcpServers`"
        .to_owned()
}
