//! `tidegate demo`: runs the same three tasks the classic way and as programs.
//!
//! In: the measurements of `tidegate_demo`. Out: a table or a JSON document.

use std::process::ExitCode;

use anyhow::{Context, bail};
use serde_json::{Value, json};
use tidegate_config::Environment;
use tidegate_demo::{Comparison, TASKS, Task, TaskCost};
use tidegate_gateway::RunContext;
use tidegate_model::Language;
use tidegate_server::Surface;

use crate::args::DemoArgs;
use crate::commands::tokens::{definition_tokens, saved_percent, surface_tokens};
use crate::temporary::private_folder;
use crate::{context, print};

pub(crate) async fn run(args: &DemoArgs) -> anyhow::Result<ExitCode> {
    let (code, classic) = (private_folder("demo")?, private_folder("classic")?);
    let environment = Environment::from_process();
    let comparison = Comparison {
        code: context::open(Comparison::code_settings(code.path().to_owned())?, &environment)?,
        classic: context::open(
            Comparison::classic_settings(classic.path().to_owned())?,
            &environment,
        )?,
    };
    let context = context::cancelled_by_ctrl_c();
    let shown = tokio::select! {
        shown = show(&comparison, &context, args) => shown,
        () = context.cancelled.cancelled() => Err(anyhow::anyhow!("cancelled")),
    };
    comparison.close().await;
    shown
}

async fn show(
    comparison: &Comparison,
    context: &RunContext,
    args: &DemoArgs,
) -> anyhow::Result<ExitCode> {
    let (json, language) = (args.json, args.lang.language());
    let (catalog, failed) = comparison.code.tools().complete_catalog().await;
    if let Some((name, error)) = failed.first() {
        bail!("the demo server `{name}` did not start: {error}");
    }
    let definitions: usize = catalog.tools().map(|(_, tool)| definition_tokens(tool)).sum();
    let surface = surface_tokens(Surface::Standard);
    let tool_count = catalog.tools().count();
    if !json {
        print::line(print::bold("Three MCP servers, three tasks, two ways"));
        print::line("All calls are real. Tokens are what passes through the model (o200k_base).\n");
        heading();
        row(&format!("{tool_count} tool definitions"), definitions, surface);
    }
    let mut classic_total = definitions;
    let mut code_total = surface;
    let mut tasks = Vec::new();
    for task in &TASKS {
        let measured = {
            let _spinner = print::Spinner::start(task.title);
            comparison
                .measure(context, task, language)
                .await
                .with_context(|| format!("task `{}`", task.title))?
        };
        classic_total += measured.classic_tokens;
        code_total += measured.code_tokens;
        if !json {
            row(task.title, measured.classic_tokens, measured.code_tokens);
        }
        tasks.push((task, measured));
    }
    let saved = saved_percent(classic_total, code_total);
    if json {
        let list: Vec<Value> =
            tasks.iter().map(|(task, measured)| task_json(task, measured)).collect();
        print::json(&json!({
            "definitions": {"tools": tool_count, "classic_tokens": definitions, "code_tokens": surface},
            "tasks": list,
            "classic_tokens": classic_total,
            "code_tokens": code_total,
            "saved_percent": saved,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    row("total", classic_total, code_total);
    explain(&tasks, language);
    print::line(print::bold(&format!(
        "{saved:.2} % fewer tokens, same answers, checked against the data."
    )));
    print::line("Next: `tidegate serve --help` shows how to put it in front of your own servers.");
    Ok(ExitCode::SUCCESS)
}

fn heading() {
    print::line(format!("{:44}{:>14}{:>12}{:>10}", "", "classic way", "code way", "saved"));
}

fn row(name: &str, classic: usize, code: usize) {
    print::line(format!(
        "{name:44}{:>14}{:>12}{:>8.2} %",
        print::thousands(classic),
        print::thousands(code),
        saved_percent(classic, code)
    ));
}

/// One task in full: what the user asks, what the model writes and what it gets back.
fn explain(tasks: &[(&Task, TaskCost)], language: Language) {
    let Some((task, measured)) = tasks.get(1) else { return };
    print::line(format!("\n{} {}", print::bold("The user asks:"), task.ask));
    print::line(print::bold("The model writes:"));
    for line in task.program(language).lines() {
        print::line(format!("  {line}"));
    }
    print::line(format!(
        "{} ({} tool calls inside, {} the classic way)",
        print::bold("and gets back:"),
        measured.code_calls,
        measured.classic_calls
    ));
    print::line(format!("  {}\n", measured.output));
}

fn task_json(task: &Task, measured: &TaskCost) -> Value {
    json!({
        "title": task.title,
        "ask": task.ask,
        "classic_tokens": measured.classic_tokens,
        "classic_calls": measured.classic_calls,
        "code_tokens": measured.code_tokens,
        "code_calls": measured.code_calls,
        "saved_percent": saved_percent(measured.classic_tokens, measured.code_tokens),
        "output": measured.output,
    })
}
