//! Checking a call's arguments, compared with parsing them.
//!
//! Every call pays for it. The schema is already compiled, as it is from the
//! second call of a tool.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{anyhow, ensure};
use serde_json::{Map, Value, json};
use tidegate_catalog::read_catalog;
use tidegate_model::{RiskLevel, ToolCall, ToolDef, ToolRef};
use tidegate_policy::{Approved, CallContext, Permissions, Policy};

use crate::report::Figure;
use crate::samples::Samples;
use crate::setup::note;

/// Calls per sample: one call takes only microseconds.
const CALLS: u32 = 1_000;
const ROUNDS: usize = 50;

/// The largest schema of the real tool lists; found where Tidegate is built.
const LARGEST: (&str, &str) = ("testing/catalog/ms365.json", "create-sharepoint-list");

pub(crate) fn measure() -> anyhow::Result<Vec<Figure>> {
    let mut figures = vec![figure("6 arguments, one nested", typical(), &typical_arguments())?];
    match largest() {
        Some(tool) => {
            let name = "the largest real schema (88 kB)";
            figures.push(figure(name, tool, &large_arguments())?);
        }
        None => {
            note(format!("the largest real schema is skipped: there is no `{}` here", LARGEST.0));
        }
    }
    Ok(figures)
}

fn figure(name: &str, tool: ToolDef, arguments: &Value) -> anyhow::Result<Figure> {
    let text = arguments.to_string();
    let policy = Policy::for_configured_servers(["bench"]);
    let permissions = policy.permissions(None).map_err(|_| anyhow!("there is no profile"))?;
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let mut call = ToolCall { tool: ToolRef::new("bench", &tool.name), arguments };
    let tool = Arc::new(tool);
    // A check that was abandoned for its cost would look fast.
    let empty = ToolCall { tool: call.tool.clone(), arguments: Map::new() };
    ensure!(
        policy
            .decide(&permissions, empty, &tool, None, call_context(&Approved::default()))
            .is_err(),
        "the arguments of {name} are not checked"
    );
    let (mut checks, mut parses) = (Samples::default(), Samples::default());
    // The first round does not count: caches warm up.
    for round in 0..=ROUNDS {
        let parse = parse(&text)?;
        let check;
        (call, check) = decide(&policy, &permissions, call, &tool)?;
        if round > 0 {
            parses.add(parse);
            checks.add(check);
        }
    }
    Ok(Figure {
        name: format!("argument check, {name}"),
        ms: checks.median(),
        yardstick: "parsing them".to_owned(),
        yardstick_ms: parses.median(),
    })
}

/// The time of one decision. Returns the call for the next one.
fn decide(
    policy: &Policy,
    permissions: &Permissions,
    mut call: ToolCall,
    tool: &Arc<ToolDef>,
) -> anyhow::Result<(ToolCall, Duration)> {
    let approved = Approved::default();
    let started = Instant::now();
    for _ in 0..CALLS {
        let permit =
            policy.decide(permissions, black_box(call), tool, None, call_context(&approved));
        call = permit.map_err(|denial| anyhow!("the call was refused: {denial:?}"))?.into_call();
    }
    Ok((call, started.elapsed() / CALLS))
}

/// A program without risk and without approvals.
fn call_context(approved: &Approved) -> CallContext<'_> {
    CallContext { level: RiskLevel::Low, run: approved, session: approved }
}

fn parse(text: &str) -> anyhow::Result<Duration> {
    let started = Instant::now();
    for _ in 0..CALLS {
        black_box(serde_json::from_str::<Map<String, Value>>(black_box(text))?);
    }
    Ok(started.elapsed() / CALLS)
}

pub(super) fn typical() -> ToolDef {
    let text = json!({"type": "string", "minLength": 1});
    ToolDef {
        name: "create_issue".to_owned(),
        title: None,
        description: None,
        input_schema: json!({
            "type": "object",
            "properties": {
                "project": text,
                "title": {"type": "string", "minLength": 1, "maxLength": 200},
                "body": {"type": "string"},
                "priority": {"enum": ["low", "normal", "high"]},
                "labels": {"type": "array", "items": text, "maxItems": 20},
                "assignee": {
                    "type": "object",
                    "properties": {"id": {"type": "integer", "minimum": 1}, "notify": {"type": "boolean"}},
                    "required": ["id"],
                    "additionalProperties": false
                }
            },
            "required": ["project", "title"],
            "additionalProperties": false
        }),
        output_schema: None,
        annotations: None,
    }
}

pub(super) fn typical_arguments() -> Value {
    json!({
        "project": "tidegate", "title": "Checking arguments takes too long",
        "body": "Every call pays for it, so it should take a few microseconds at most.",
        "priority": "high", "labels": ["speed", "policy"], "assignee": {"id": 42, "notify": true}
    })
}

fn largest() -> Option<ToolDef> {
    let (file, name) = LARGEST;
    let catalog = read_catalog(Path::new(file)).ok()?;
    let tools = catalog.servers.into_values().flat_map(|list| list.tools);
    tools.into_iter().find(|tool| tool.name == name)
}

fn large_arguments() -> Value {
    json!({"siteId": "contoso.sharepoint.com", "body": {
        "displayName": "Books", "description": null, "list": {"template": "genericList"},
        "columns": [
            {"name": "Author", "text": {"allowMultipleLines": false, "maxLength": 120}},
            {"name": "Pages", "number": {"decimalPlaces": "none", "minimum": 1}}
        ]
    }})
}
