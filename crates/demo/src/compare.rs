//! Does one task both ways, and counts what passes through the model each time.
//!
//! Everything is real: three MCP servers as child processes over stdio, every call
//! made, every text counted. The classic way pays for all definitions, all
//! arguments and all results, since all of them pass through the model, real values
//! included. The code way pays for our surface, the search for tools, the program and
//! the answer.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{bail, ensure};
use serde_json::{Map, Value, json};
use tidegate_config::{Privacy, PrivacyMode, Settings};
use tidegate_gateway::{Detail, Gateway, RunContext, SearchRequest, tokens};
use tidegate_model::{Answer, Language, Program};

use crate::bundled::{ServerName, server_specs};
use crate::page::{CURSOR_ARGUMENT, NEXT_CURSOR};
use crate::tasks::{ClassicStep, Task};

/// A gateway for each way, each with its own servers and state.
pub struct Comparison {
    /// Opened with [`Comparison::code_settings`].
    pub code: Arc<Gateway>,
    /// Opened with [`Comparison::classic_settings`].
    pub classic: Arc<Gateway>,
}

/// What one task cost, both ways.
#[derive(Debug)]
pub struct TaskCost {
    /// Calls that the model made one by one.
    pub classic_calls: usize,
    /// What passed through the model for them.
    pub classic_tokens: usize,
    /// What passed through the model for the program.
    pub code_tokens: usize,
    /// Calls that the program made.
    pub code_calls: u32,
    /// What the program returned.
    pub output: Value,
}

impl Comparison {
    /// The configuration of the code way: this executable, three times.
    pub fn code_settings(state: PathBuf) -> anyhow::Result<Settings> {
        Ok(Settings { servers: server_specs()?, ..Settings::new(state) })
    }

    /// The same without replacing personal data: without Tidegate the model sees what the
    /// servers send.
    pub fn classic_settings(state: PathBuf) -> anyhow::Result<Settings> {
        let privacy = Privacy { mode: PrivacyMode::Off, ..Privacy::default() };
        Ok(Settings { privacy, ..Self::code_settings(state)? })
    }

    /// Does a task both ways. Fails if the program's answer is not the right one.
    pub async fn measure(
        &self,
        context: &RunContext,
        task: &Task,
        language: Language,
    ) -> anyhow::Result<TaskCost> {
        let (classic_calls, classic_tokens) = classic_tokens(&self.classic, context, task).await?;
        let mut code_tokens = 0;
        for (query, wanted) in task.searches {
            code_tokens += discover(&self.code, query, wanted).await?;
        }
        let program = Program {
            source: task.program(language).to_owned(),
            language,
            engine: None,
            timeout: None,
        };
        let response = self.code.execute(program, context).await;
        if let Some(error) = &response.error {
            bail!("the program failed: {error}");
        }
        let output = response.output.clone().unwrap_or_default();
        // Names leave as tokens; their values are compared.
        let real = self.code.reveal_pii(&output.to_string(), context);
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
        Ok(TaskCost {
            classic_calls,
            classic_tokens,
            code_tokens,
            code_calls: response.metrics.tool_calls,
            output,
        })
    }

    /// Closes both gateways.
    pub async fn close(&self) {
        self.code.close().await;
        self.classic.close().await;
    }
}

/// Searches as a model does and counts what it writes and reads.
async fn discover(gateway: &Gateway, query: &str, wanted: &str) -> anyhow::Result<usize> {
    let request = SearchRequest {
        query: query.to_owned(),
        detail: Detail::Full,
        limit: Some(1),
        ..SearchRequest::default()
    };
    let found = gateway.tools().search(&request).await;
    ensure!(
        found.results.iter().any(|tool| tool.call == wanted),
        "`{query}` does not find `{wanted}`"
    );
    let written = json!({"query": query, "detail": "full", "limit": 1}).to_string();
    Ok(tokens::count(&written) + tokens::count(&found.to_string()))
}

/// Makes the calls one by one and counts what the model writes and reads.
async fn classic_tokens(
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
    let answer = answer.map_err(|error| anyhow::anyhow!("{error}"))?.answer.clone();
    ensure!(!answer.is_error, "`{name}` failed: {}", answer.text());
    Ok(answer)
}
