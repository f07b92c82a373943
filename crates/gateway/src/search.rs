//! Tool search: the answer of `search_tools`, `searchTools` and `tidegate search`.

use std::fmt;

use serde::{Deserialize, Serialize};
use tidegate_catalog::{Catalog, one_line, render_tool};
use tidegate_model::{RunError, ToolRef};
use tidegate_upstream::{ServerStatus, UpstreamError};

use crate::gateway::Gateway;
use crate::tokens;

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
            match &found.text {
                Some(text) if text.contains('\n') => writeln!(f, "// {}\n{text}", found.call)?,
                Some(text) => writeln!(f, "{}  {text}", found.call)?,
                None => writeln!(f, "{}", found.call)?,
            }
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
    /// The tool's identity, for those who do not speak TypeScript.
    #[serde(skip)]
    pub id: ToolRef,
}

impl Found {
    fn cost(&self) -> usize {
        tokens::count(self.text.as_deref().unwrap_or_default()) + tokens::count(&self.call)
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
    pub async fn definition(&self, name: &str) -> Result<String, RunError> {
        let (id, tool) = self.discovery.describe(name).await?;
        let catalog = self.catalog();
        let function = catalog.function_name(&id).unwrap_or(&id.tool);
        let text = render_tool(&tool, function);
        Ok(format!("// {}\n{text}", member(&id.server, function)))
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
        let Some(mut entry) = describe(catalog, &hit.id, hit.score, request.detail) else {
            continue;
        };
        let mut cost = entry.cost();
        // The best hit is always told; if its definition is too long, in one line.
        if results.is_empty() && cost > TOKEN_BUDGET {
            let Some(short) = describe(catalog, &hit.id, hit.score, Detail::Description) else {
                continue;
            };
            entry = short;
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

fn describe(catalog: &Catalog, id: &ToolRef, score: f32, detail: Detail) -> Option<Found> {
    let tools = catalog.server(&id.server)?;
    let tool = tools.find(&id.tool)?;
    let function = catalog.function_name(id)?;
    let call = member(&id.server, function);
    let text = match detail {
        Detail::Name => None,
        Detail::Description => Some(one_line(tool)),
        Detail::Full => Some(render_tool(tool, function)),
    };
    // Two digits tell the order; more only cost tokens. In f64, since an f32
    // written as JSON shows all of its digits.
    let score = (f64::from(score) * 100.0).round() / 100.0;
    Some(Found { call, score, text, id: id.clone() })
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
