//! Tool search: the answer of `search_tools`, `searchTools` and `tidegate search`.

use std::fmt;

use serde::{Deserialize, Serialize};
use tidegate_catalog::{Catalog, Note, marked, one_line};
use tidegate_model::{RunError, ToolRef};
use tidegate_upstream::{ServerStatus, UpstreamError};

use crate::gateway::Gateway;
use crate::{explain, tokens};

/// Tokens of one answer, unless the request says less.
const TOKEN_BUDGET: usize = 800;
const DEFAULT_LIMIT: usize = 10;
const MAX_LIMIT: usize = 50;

/// What to search for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// In natural language, or a name.
    pub query: String,
    /// How much to tell about each tool.
    #[serde(default)]
    pub detail: Detail,
    /// Only tools of this server.
    #[serde(default)]
    pub server: Option<String>,
    /// How many at most.
    #[serde(default)]
    pub limit: Option<usize>,
}

/// How much to tell about a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Detail {
    /// Its name only.
    Name,
    /// Its name and one line.
    #[default]
    Description,
    /// Its typed definition.
    Full,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct SearchAnswer {
    /// Best first.
    pub results: Vec<Found>,
    /// How many more fit the query.
    pub more: usize,
    /// Servers whose tools could not be searched.
    pub unavailable: Vec<String>,
}

/// As a model reads it: plain text, since code inside JSON costs
/// nearly a fifth more (128 tokens instead of 108 for a tool of the demo).
impl fmt::Display for SearchAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for found in &self.results {
            writeln!(f, "{found}")?;
        }
        match (self.results.len(), self.more) {
            (0, _) => writeln!(f, "nothing fits; use other words")?,
            (_, 0) => {}
            (_, more) => writeln!(f, "+{more} more")?,
        }
        if !self.unavailable.is_empty() {
            writeln!(f, "not searched, since they do not start: {}", self.unavailable.join(", "))?;
        }
        Ok(())
    }
}

/// One tool that was found.
#[derive(Debug, Clone, Serialize)]
pub struct Found {
    /// As one would call it: `servers.<server>.<function>`.
    pub call: String,
    /// How well it fits; only comparable within one answer.
    pub score: f64,
    /// What it does in one line, or its definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What the definition costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    /// What to know about its text: instructions in it, a changed definition. In front
    /// of the text as well.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// The tool's identity, for those who do not speak TypeScript.
    #[serde(skip)]
    pub id: ToolRef,
}

impl Found {
    /// As programs in Python write it.
    pub(crate) fn turn_python(&mut self, catalog: &Catalog) {
        let Some((function, definition)) = catalog.python_definition(&self.id) else { return };
        if let Some((server, _)) = self.call.rsplit_once('.') {
            self.call = format!("{server}.{function}");
        }
        // In one line it is the same in both languages.
        if self.tokens.is_some() {
            self.tokens = Some(tokens::count(&definition));
            self.text = Some(definition);
        }
    }
}

/// The same text wherever a tool is shown.
impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.text, self.tokens) {
            (Some(text), Some(_)) => {
                // The function's name is in the definition.
                let (object, _) = self.call.rsplit_once('.').unwrap_or((&self.call, ""));
                write!(f, "// {object}\n{text}")
            }
            (Some(text), None) => write!(f, "{}  {text}", self.call),
            (None, _) => write!(f, "{}", marked(&self.notes, &self.call)),
        }
    }
}

impl SearchAnswer {
    /// What the definitions in this answer cost, if it has any.
    pub fn definition_tokens(&self) -> Option<usize> {
        self.results.iter().filter_map(|found| found.tokens).reduce(|a, b| a + b)
    }
}

impl Found {
    fn cost(&self) -> usize {
        let text = || tokens::count(self.text.as_deref().unwrap_or_default());
        self.tokens.unwrap_or_else(text) + tokens::count(&self.call)
    }
}

impl Gateway {
    /// Searches all known tools. Starts only servers that were never listed.
    pub async fn search(&self, request: &SearchRequest) -> SearchAnswer {
        let (catalog, failed) = self.complete_catalog().await;
        self.search_in(&catalog, &failed, request)
    }

    /// Searches a catalog and names the servers that are not in it.
    pub(crate) fn search_in(
        &self,
        catalog: &Catalog,
        failed: &[(String, UpstreamError)],
        request: &SearchRequest,
    ) -> SearchAnswer {
        let mut answer = search(catalog, request);
        answer.unavailable = failed.iter().map(|(name, _)| name.clone()).collect();
        let status = |name: &String| self.discovery.status(name);
        answer.unavailable.retain(|name| !matches!(status(name), Some(ServerStatus::Connected)));
        answer
    }
}

impl Gateway {
    /// The typed definition of one tool.
    pub async fn definition(&self, name: &str) -> Result<Found, RunError> {
        let (id, _) = self.discovery.describe(name).await?;
        let found = describe(&self.catalog(), &id, Detail::Full);
        found.ok_or_else(|| explain::no_tools(&id.server))
    }
}

/// Searches a catalog.
pub fn search(catalog: &Catalog, request: &SearchRequest) -> SearchAnswer {
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let mut hits = catalog.search(&request.query, usize::MAX);
    if let Some(server) = &request.server {
        let exact = catalog.server_name(server).unwrap_or(server).to_owned();
        hits.retain(|hit| hit.id.server == exact);
    }
    let found = hits.len();
    let mut results = Vec::new();
    let mut used = 0;
    for hit in hits.into_iter().take(limit) {
        let Some(mut entry) = describe(catalog, &hit.id, request.detail) else {
            continue;
        };
        entry.score = rounded(hit.score);
        let mut cost = entry.cost();
        // The best hit is always told; if its definition is too long, in one line.
        if results.is_empty() && cost > TOKEN_BUDGET {
            let Some(short) = describe(catalog, &hit.id, Detail::Description) else {
                continue;
            };
            entry = Found { score: entry.score, ..short };
            cost = entry.cost();
        }
        if used + cost > TOKEN_BUDGET {
            break;
        }
        used += cost;
        results.push(entry);
    }
    let more = found - results.len();
    SearchAnswer { results, more, unavailable: Vec::new() }
}

/// One tool of a catalog.
pub fn describe(catalog: &Catalog, id: &ToolRef, detail: Detail) -> Option<Found> {
    let tool = catalog.server(&id.server)?.find(&id.tool)?;
    let call = member(&id.server, catalog.function_name(id)?);
    let notes = catalog.notes(id);
    let text = match detail {
        Detail::Name => None,
        Detail::Description => Some(marked(&notes, &one_line(tool))),
        Detail::Full => Some(catalog.definition(id)?),
    };
    let tokens = match detail {
        Detail::Full => text.as_deref().map(tokens::count),
        Detail::Name | Detail::Description => None,
    };
    Some(Found { call, score: 0.0, text, tokens, notes, id: id.clone() })
}

/// Two digits tell the order; more only cost tokens. In f64, since an f32
/// written as JSON shows all of its digits.
fn rounded(score: f32) -> f64 {
    (f64::from(score) * 100.0).round() / 100.0
}

/// `servers.git.gitLog`, or `servers["my server"].gitLog`.
fn member(server: &str, function: &str) -> String {
    let plain = server.starts_with(|c: char| c.is_ascii_alphabetic())
        && server.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain {
        format!("servers.{server}.{function}")
    } else {
        format!("servers[{server:?}].{function}")
    }
}
