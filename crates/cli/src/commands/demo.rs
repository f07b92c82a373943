//! `tidegate demo`: the same three tasks the classic way and as programs.
//!
//! Everything is real: three MCP servers as child processes over stdio, every
//! call made, every text counted. The classic way pays for all definitions, all
//! arguments and all results, since all of them pass through the model, real values and
//! all. The code way pays for our surface, the search for tools, the program and the answer.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use serde_json::{Map, Value, json};
use tidegate_config::{Environment, Privacy, PrivacyMode, Settings};
use tidegate_gateway::{Detail, Gateway, RunContext, SearchRequest, tokens};
use tidegate_model::{Answer, Language, Program};
use tidegate_server::Surface;

use crate::args::DemoArgs;
use crate::commands::tokens::{definition_tokens, saved_percent, surface_tokens};
use crate::demo::{
    CURSOR_ARGUMENT, ClassicStep, NEXT_CURSOR, ServerName, TASKS, Task, server_specs,
};
use crate::temporary::TemporaryFolder;
use crate::{context, print};

/// What one task cost, both ways.
struct Measured {
    classic_calls: usize,
    classic_tokens: usize,
    code_tokens: usize,
    code_calls: u32,
    output: Value,
}

pub(crate) async fn run(args: &DemoArgs) -> anyhow::Result<ExitCode> {
    let ways = Ways::open()?;
    let context = context::cancelled_by_ctrl_c();
    let shown = tokio::select! {
        shown = show(&ways, &context, args) => shown,
        () = context.cancelled.cancelled() => Err(anyhow::anyhow!("cancelled")),
    };
    ways.code.close().await;
    ways.classic.close().await;
    shown
}

/// A gateway for each way, with servers and a state of its own.
struct Ways {
    code: Arc<Gateway>,
    /// Replaces nothing: without Tidegate the model gets what the servers send.
    classic: Arc<Gateway>,
    _states: [TemporaryFolder; 2],
}

impl Ways {
    fn open() -> anyhow::Result<Self> {
        let environment = Environment::from_process();
        let states = [TemporaryFolder::new("demo")?, TemporaryFolder::new("classic")?];
        let code = settings(&states[0])?;
        let privacy = Privacy { mode: PrivacyMode::Off, ..Privacy::default() };
        let classic = Settings { privacy, ..settings(&states[1])? };
        Ok(Self {
            code: context::open(code, &environment)?,
            classic: context::open(classic, &environment)?,
            _states: states,
        })
    }
}

async fn show(ways: &Ways, context: &RunContext, args: &DemoArgs) -> anyhow::Result<ExitCode> {
    let (json, language) = (args.json, args.lang.language());
    let (catalog, failed) = ways.code.complete_catalog().await;
    if let Some((name, error)) = failed.first() {
        bail!("the demo server `{name}` did not start: {error}");
    }
    let definitions: usize = catalog.tools().map(|(_, tool)| definition_tokens(tool)).sum();
    let surface = surface_tokens(Surface::Standard);
    let tool_count = catalog.tools().count();
    if !json {
        print::line(print::bold("Three MCP servers, three tasks, two ways"));
        print::line(
            "Every call is made for real; tokens are what passes through the model (o200k_base).\n",
        );
        heading();
        row(&format!("{tool_count} tool definitions"), definitions, surface);
    }
    let mut classic_total = definitions;
    let mut code_total = surface;
    let mut tasks = Vec::new();
    for task in &TASKS {
        let measured = {
            let _spinner = print::Spinner::start(task.title);
            measure(ways, context, task, language)
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
    row("all", classic_total, code_total);
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

/// The last task in full: what the user asks, what the model writes and gets.
fn explain(tasks: &[(&Task, Measured)], language: Language) {
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

fn task_json(task: &Task, measured: &Measured) -> Value {
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

async fn measure(
    ways: &Ways,
    context: &RunContext,
    task: &Task,
    language: Language,
) -> anyhow::Result<Measured> {
    let (classic_calls, classic_tokens) = the_classic_way(&ways.classic, context, task).await?;
    let mut code_tokens = 0;
    for (query, wanted) in task.searches {
        code_tokens += discover(&ways.code, query, wanted).await?;
    }
    let program = Program {
        source: task.program(language).to_owned(),
        language,
        engine: None,
        timeout: None,
    };
    let response = ways.code.execute(program, context).await;
    if let Some(error) = &response.error {
        bail!("the program failed: {error}");
    }
    let output = response.output.clone().unwrap_or_default();
    // Names leave as tokens; what they stand for is compared.
    let real = ways.code.reveal_pii(&output.to_string(), context);
    let real = real.map_err(|error| anyhow::anyhow!("{error}"))?.text;
    ensure!(
        serde_json::from_str::<Value>(&real)? == (task.expected)(),
        "the program's answer is not what the data says: {output}"
    );
    let answer = serde_json::to_string(&response)?;
    let mut written = json!({"code": task.program(language)});
    if language != Language::default() {
        written["language"] = json!(language.as_str());
    }
    let written = written.to_string();
    code_tokens += tokens::count(&written) + tokens::count(&answer);
    Ok(Measured {
        classic_calls,
        classic_tokens,
        code_tokens,
        code_calls: response.metrics.tool_calls,
        output,
    })
}

/// Searches as a model does and counts what it writes and reads.
async fn discover(gateway: &Gateway, query: &str, wanted: &str) -> anyhow::Result<usize> {
    let request = SearchRequest {
        query: query.to_owned(),
        detail: Detail::Full,
        limit: Some(1),
        ..SearchRequest::default()
    };
    let found = gateway.search(&request).await;
    ensure!(
        found.results.iter().any(|tool| tool.call == wanted),
        "`{query}` does not find `{wanted}`"
    );
    let written = json!({"query": query, "detail": "full", "limit": 1}).to_string();
    Ok(tokens::count(&written) + tokens::count(&found.to_string()))
}

/// Makes the calls one by one and counts what the model writes and reads.
async fn the_classic_way(
    gateway: &Arc<Gateway>,
    context: &RunContext,
    task: &Task,
) -> anyhow::Result<(usize, usize)> {
    let mut calls = 0;
    let mut cost = 0;
    let mut previous = String::new();
    for step in (task.classic)() {
        let (server, tool, mut arguments, field, follow) = match step {
            ClassicStep::Call { server, tool, arguments } => (server, tool, arguments, None, false),
            ClassicStep::Pages { server, tool, arguments, .. } => {
                (server, tool, arguments, None, true)
            }
            ClassicStep::CallWithPrevious { server, tool, arguments, field } => {
                (server, tool, arguments, Some(field), false)
            }
        };
        if let Some(field) = field {
            arguments[field] = Value::String(std::mem::take(&mut previous));
        }
        loop {
            calls += 1;
            cost += tokens::count(&json!({"name": tool, "arguments": arguments}).to_string());
            let answer = call(gateway, context, server, tool, &arguments).await?;
            previous = answer.text();
            cost += tokens::count(&previous);
            let next = answer.structured.as_ref().and_then(|page| page.get(NEXT_CURSOR)).cloned();
            match next {
                Some(cursor @ Value::String(_)) if follow => arguments[CURSOR_ARGUMENT] = cursor,
                _ => break,
            }
        }
    }
    Ok((calls, cost))
}

async fn call(
    gateway: &Arc<Gateway>,
    context: &RunContext,
    server: ServerName,
    tool: &str,
    arguments: &Value,
) -> anyhow::Result<Answer> {
    let arguments: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
    let name = format!("{server}__{tool}");
    let answer = gateway.call_tool(&name, arguments, context).await;
    let answer = answer.map_err(|error| anyhow::anyhow!("{error}"))?.answer;
    ensure!(!answer.is_error, "`{name}` failed: {}", answer.text());
    Ok(answer)
}

/// The demo's configuration: this executable, three times.
fn settings(state: &TemporaryFolder) -> anyhow::Result<Settings> {
    Ok(Settings { servers: server_specs()?, ..Settings::new(state.path().to_owned()) })
}
