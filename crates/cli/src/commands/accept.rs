//! `tidegate tools accept`: shows what changed in a server's tools, and accepts it once
//! the approver has typed their passphrase.
//!
//! In: a server or a tool. Out: each difference to the accepted definition, line by
//! line, with invisible characters as escapes.
//! Invariant: only the definitions that were shown become the accepted ones.

use std::process::ExitCode;

use serde_json::{Value, json};
use tidegate_gateway::Gateway;
use tidegate_gateway::admin::{ToolReview, Unaccepted};
use tidegate_model::{ToolDef, ToolRef, did_you_mean, visible};

use crate::passphrase;
use crate::print::{self, Usage, counted};

pub(crate) async fn accept(gateway: &Gateway, name: &str, json: bool) -> anyhow::Result<ExitCode> {
    let (server, tool) = find_server(gateway, name)?;
    // Accept what the server lists now, not what it listed earlier.
    let outcomes = gateway.tools().test_servers(std::slice::from_ref(&server)).await;
    if let Some((_, Err(error))) = outcomes.first() {
        print::error(&visible(&format!("error: {server}: {error}")));
        return Ok(ExitCode::from(5));
    }
    let review = ToolReview::new(gateway.tools());
    let mut pending = review.unaccepted(&server);
    if let Some(tool) = &tool {
        pending.retain(|one| {
            one.id.tool == *tool
                || one.id == ToolRef::new(&server, tool)
                || one.id.to_string() == format!("{server}__{tool}")
        });
    }
    if !json {
        pending.iter().for_each(show);
    }
    let accepted = !pending.is_empty();
    if accepted {
        let what = format!("Accept {} of `{server}`, as shown?", counted(pending.len(), "tool"));
        passphrase::unlock(&gateway.settings().state_dir, &what)?;
        review.accept(&server, &pending)?;
    }
    report(&pending, accepted, json);
    Ok(ExitCode::SUCCESS)
}

/// The server that a name begins with, and the tool if the name has one.
fn find_server(gateway: &Gateway, name: &str) -> Result<(String, Option<String>), Usage> {
    let servers: Vec<String> =
        gateway.tools().servers().into_iter().map(|server| server.name).collect();
    let is_server = |given: &str| servers.iter().any(|server| server == given);
    if is_server(name) {
        return Ok((name.to_owned(), None));
    }
    // A server's name may contain `__` too.
    let mut parts = name.match_indices("__").map(|(at, _)| (&name[..at], &name[at + 2..]));
    if let Some((server, tool)) = parts.find(|(server, _)| is_server(server)) {
        return Ok((server.to_owned(), Some(tool.to_owned())));
    }
    let given = ToolRef::parts(name).map_or(name, |(server, _)| server);
    let hint = did_you_mean(given, servers.iter().map(String::as_str));
    let hint = hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    Err(Usage(format!("no server `{given}` is configured{hint}")))
}

fn show(tool: &Unaccepted) {
    print::line(format!("{}  {}", print::bold(&tool.id.to_string()), tool.change));
    let before = tool.accepted.as_ref().map(lines).unwrap_or_default();
    for line in changed_lines(&before, &lines(&tool.now)) {
        print::line(line);
    }
}

fn report(pending: &[Unaccepted], accepted: bool, json: bool) {
    if json {
        let entry = |tool: &Unaccepted| {
            json!({
                "tool": tool.id.to_string(),
                "change": tool.change.to_string(),
                "accepted": tool.accepted,
                "now": tool.now,
            })
        };
        let tools: Vec<Value> = pending.iter().map(entry).collect();
        print::json(&json!({"tools": tools, "accepted": accepted}));
        return;
    }
    print::note(match pending.len() {
        0 => "nothing has changed".to_owned(),
        count => format!("accepted: {count}"),
    });
}

/// A definition in lines, one for each line of prose and of JSON.
fn lines(tool: &ToolDef) -> Vec<String> {
    let mut lines = Vec::new();
    let mut add = |part: &str, text: &str| {
        lines.extend(text.split('\n').map(|line| visible(&format!("{part}: {line}")).into_owned()));
    };
    let json = |value: Value| serde_json::to_string_pretty(&value).unwrap_or_default();
    add("title", tool.title.as_deref().unwrap_or_default());
    add("description", tool.description.as_deref().unwrap_or_default());
    add("input", &json(tool.input_schema.clone()));
    add("output", &json(tool.output_schema.clone().unwrap_or_default()));
    add("annotations", &json(json!(tool.annotations)));
    lines
}

/// The lines of each part of a definition without those that both versions begin or end
/// with.
fn changed_lines(before: &[String], now: &[String]) -> Vec<String> {
    let part = |line: &String| line.split(':').next().unwrap_or_default().to_owned();
    let mut changed = Vec::new();
    for name in ["title", "description", "input", "output", "annotations"] {
        let of = |lines: &[String]| -> Vec<String> {
            lines.iter().filter(|line| part(line) == name).cloned().collect()
        };
        let (before, now) = (of(before), of(now));
        let same = before.iter().zip(&now).take_while(|(a, b)| a == b).count();
        let (before, now) = (&before[same..], &now[same..]);
        let ends = before.iter().rev().zip(now.iter().rev()).take_while(|(a, b)| a == b).count();
        changed.extend(before[..before.len() - ends].iter().map(|line| format!("- {line}")));
        changed.extend(now[..now.len() - ends].iter().map(|line| format!("+ {line}")));
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::changed_lines;

    #[test]
    fn only_what_differs_is_shown() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let before = lines("title: \ndescription: a\ndescription: b\ninput: {\ninput: }");
        let now = lines("title: \ndescription: a\ndescription: c\ninput: {\ninput: x\ninput: }");
        let expected = ["- description: b", "+ description: c", "+ input: x"];
        assert_eq!(changed_lines(&before, &now), expected);
    }
}
