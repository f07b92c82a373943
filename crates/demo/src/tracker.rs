//! The demo's issue tracker: 10,000 issues that can be listed, searched and
//! changed.

use std::borrow::Cow;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::{Value, json};

use super::calendar::{TODAY, instant};
use super::issues::{Issue, State, issues};
use super::page::Window;
use super::server::{Demo, Refusal, Reply, read, to_json};

/// Issues per page.
const LARGEST_PAGE: usize = 500;

/// Maximum number of matches of a search.
const MAX_MATCHES: usize = 50;

/// How many labels an issue may have.
const MAX_LABELS: usize = 20;

pub(crate) struct Tracker {
    /// Created by the first call that needs it; a handshake and a tool list do not.
    issues: LazyLock<Mutex<Vec<Issue>>>,
}

impl Tracker {
    pub(crate) fn new() -> Self {
        Self { issues: LazyLock::new(|| Mutex::new(issues())) }
    }

    fn issues(&self) -> MutexGuard<'_, Vec<Issue>> {
        // No code panics while it holds the lock, so the data is whole.
        self.issues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Demo for Tracker {
    const NAME: &'static str = "tidegate-demo-tracker";
    const INSTRUCTIONS: &'static str =
        "Issues of a small software company, oldest first. Times are in UTC.";
    const TOOLS: &'static str = include_str!("tools/tracker.json");

    fn call(&self, tool: &str, arguments: JsonObject) -> Result<Reply, Refusal> {
        match tool {
            "list_issues" => self.list(&read(arguments)?),
            "get_issue" => self.get(&read(arguments)?),
            "add_comment" => self.add_comment(read(arguments)?),
            "set_labels" => self.set_labels(read(arguments)?),
            "close_issue" => self.close(&read(arguments)?),
            "search_issues" => self.search(&read(arguments)?),
            _ => Err(Refusal::UnknownTool),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    state: Option<State>,
    label: Option<String>,
    assignee: Option<String>,
    limit: Option<usize>,
    cursor: Option<String>,
}

/// The arguments of `get_issue` and `close_issue`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct One {
    id: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AddComment {
    id: usize,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetLabels {
    id: usize,
    labels: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    query: String,
}

impl Tracker {
    fn list(&self, request: &List) -> Result<Reply, Refusal> {
        let window = Window::new(request.cursor.as_deref(), request.limit, LARGEST_PAGE)?;
        let issues = self.issues();
        let matching = issues.iter().filter(|issue| {
            request.state.is_none_or(|state| issue.state == state)
                && request
                    .label
                    .as_ref()
                    .is_none_or(|label| issue.labels.iter().any(|l| l == label))
                && request.assignee.as_deref().is_none_or(|who| issue.assignee == Some(who))
        });
        let page = window.cut(matching, |issue| issue.id);
        let mut answer = json!({"issues": to_json(&page.items)});
        if let Some(cursor) = page.next_cursor {
            answer["next_cursor"] = Value::String(cursor);
        }
        Ok(Reply::json(answer))
    }

    fn get(&self, request: &One) -> Result<Reply, Refusal> {
        let mut issues = self.issues();
        let issue = find(&mut issues, request.id)?;
        let mut answer = to_json(issue);
        answer["comments"] = to_json(&issue.comments());
        Ok(Reply::json(answer))
    }

    fn add_comment(&self, request: AddComment) -> Result<Reply, Refusal> {
        if request.text.trim().is_empty() {
            return Err(Refusal::failed("`text` must not be empty"));
        }
        let mut issues = self.issues();
        let issue = find(&mut issues, request.id)?;
        issue.add_comment(request.text);
        Ok(Reply::json(json!({"id": issue.id, "comment_count": issue.comment_count})))
    }

    fn set_labels(&self, request: SetLabels) -> Result<Reply, Refusal> {
        let mut labels: Vec<String> = Vec::new();
        for label in request.labels {
            if label.trim().is_empty() {
                return Err(Refusal::failed("a label must not be empty"));
            }
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        if labels.len() > MAX_LABELS {
            let count = labels.len();
            return Err(Refusal::failed(format!(
                "an issue may have at most {MAX_LABELS} labels, got {count}"
            )));
        }
        let mut issues = self.issues();
        let issue = find(&mut issues, request.id)?;
        issue.labels = labels.into_iter().map(Cow::Owned).collect();
        Ok(Reply::json(json!({"id": issue.id, "labels": issue.labels})))
    }

    fn close(&self, request: &One) -> Result<Reply, Refusal> {
        let mut issues = self.issues();
        let issue = find(&mut issues, request.id)?;
        let changed = issue.state == State::Open;
        if changed {
            // The demo has no clock: every change happens on its last day.
            let now = instant(TODAY, 0);
            issue.state = State::Closed;
            issue.updated_at.clone_from(&now);
            issue.closed_at = Some(now);
        }
        let closed_at = &issue.closed_at;
        Ok(Reply::json(json!({"id": issue.id, "closed_at": closed_at, "changed": changed})))
    }

    fn search(&self, request: &Search) -> Result<Reply, Refusal> {
        let wanted: Vec<String> = request.query.split_whitespace().map(str::to_lowercase).collect();
        if wanted.is_empty() {
            return Err(Refusal::failed("`query` must not be empty"));
        }
        let issues = self.issues();
        let mut found: Vec<&Issue> = issues
            .iter()
            .rev()
            .filter(|issue| {
                let text = format!("{} {}", issue.title, issue.body).to_lowercase();
                wanted.iter().all(|word| text.contains(word))
            })
            .take(MAX_MATCHES + 1)
            .collect();
        let truncated = found.len() > MAX_MATCHES;
        found.truncate(MAX_MATCHES);
        Ok(Reply::json(json!({"issues": to_json(&found), "truncated": truncated})))
    }
}

fn find(issues: &mut [Issue], id: usize) -> Result<&mut Issue, Refusal> {
    let count = issues.len();
    // Ids start at one and have no gaps.
    id.checked_sub(1)
        .and_then(|index| issues.get_mut(index))
        .ok_or_else(|| Refusal::failed(format!("Issue not found: {id}. Ids go from 1 to {count}.")))
}

#[cfg(test)]
mod tests;
