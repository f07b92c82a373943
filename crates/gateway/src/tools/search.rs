//! Tool search: the answer of `search_tools`, `searchTools` and `tidegate search`.
//!
//! In: a catalog, a request, and which tools were used together before. Out: the tools that
//! fit, within the tokens of the request.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use tidegate_catalog::{Catalog, Hit, Note, one_line, with_notes};
use tidegate_model::ToolRef;

use crate::tokens;
use crate::tools::co_usage::{Learned, UsedWith};
use crate::tools::recommended::Recommended;

/// Tokens of one answer, unless the request says otherwise.
const TOKEN_BUDGET: usize = 800;
const DEFAULT_LIMIT: usize = 10;
const MAX_LIMIT: usize = 50;

/// Servers that are named as having more. Chosen.
const NAMED_SERVERS: usize = 3;

/// Servers that are named as not searched. Chosen.
const NAMED_FAILURES: usize = 5;

/// What to search for.
#[derive(Debug, Clone, Default, Deserialize)]
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
    /// Only tools of servers of this category.
    #[serde(default)]
    pub category: Option<String>,
    /// Only tools that say that they change nothing, or only the others.
    #[serde(default)]
    pub read_only: Option<bool>,
    /// The most results.
    #[serde(default)]
    pub limit: Option<usize>,
    /// The most tokens of the answer.
    #[serde(default)]
    pub max_tokens: Option<usize>,
}

impl SearchRequest {
    /// Tokens that the answer may cost.
    pub(crate) fn budget(&self) -> usize {
        self.max_tokens.unwrap_or(TOKEN_BUDGET)
    }

    /// Whether the request includes servers of this category.
    pub(crate) fn takes(&self, category: Option<&str>) -> bool {
        let wanted = self.category.as_deref();
        wanted.is_none_or(|wanted| category.is_some_and(|own| own.eq_ignore_ascii_case(wanted)))
    }

    fn fits(&self, catalog: &Catalog, id: &ToolRef) -> bool {
        let server = self.server.as_deref().is_none_or(|server| {
            catalog.server_name(server).map_or(server == id.server, |exact| exact == id.server)
        });
        let category = self.takes(catalog.category(&id.server));
        let read_only = self.read_only.is_none_or(|wanted| hints(catalog, id).0 == wanted);
        server && category && read_only
    }
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
#[derive(Debug, Clone, Default)]
pub struct SearchAnswer {
    /// Best first.
    pub results: Vec<SearchResult>,
    /// How many more fit the query.
    pub more: usize,
    /// The servers that have most of these, with their counts.
    pub more_of: Vec<(String, usize)>,
    /// Servers whose tools could not be searched.
    pub unavailable: Vec<String>,
    /// Servers of which tools were left out, too many or too large, with their number.
    pub left_out: Vec<(String, usize)>,
    /// Known servers and skills that fit too.
    pub recommended: Recommended,
}

/// As a model reads it: plain text, since code inside JSON costs
/// nearly a fifth more (128 tokens instead of 108 for a tool of the demo).
impl fmt::Display for SearchAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for found in &self.results {
            writeln!(f, "{found}")?;
        }
        match (self.results.len(), self.more) {
            (0, 0) => writeln!(f, "nothing fits; use other words")?,
            (0, more) => writeln!(f, "{more} fit, none within `max_tokens`; raise it")?,
            (_, 0) => {}
            (_, _) => writeln!(f, "{}", self.remainder())?,
        }
        if !self.unavailable.is_empty() {
            writeln!(f, "{}", self.not_searched())?;
        }
        if !self.left_out.is_empty() {
            let servers = self.left_out.iter().take(NAMED_FAILURES);
            let named: Vec<_> =
                servers.map(|(server, tools)| format!("{server} {tools}")).collect();
            writeln!(f, "left out, too many or too large: {}", named.join(", "))?;
        }
        write!(f, "{}", self.recommended)
    }
}

impl SearchAnswer {
    fn remainder(&self) -> String {
        let named = self.more_of.iter().map(|(server, count)| format!("{server} {count}"));
        let named: Vec<String> = named.collect();
        let named = named.join(", ");
        format!("+{} more ({named}); narrow with `server` or more words", self.more)
    }

    fn not_searched(&self) -> String {
        let (named, rest) = self.unavailable.split_at(self.unavailable.len().min(NAMED_FAILURES));
        let others = match rest.len() {
            0 => String::new(),
            others => format!(" and {others} others"),
        };
        format!("not searched, since they do not start: {}{others}", named.join(", "))
    }
}

/// One tool that was found.
#[derive(Debug, Clone, Serialize)]
pub struct SearchResult {
    /// As one would call it: `servers.<server>.<function>`.
    pub call: String,
    /// Its server.
    pub server: String,
    /// The function, as one would import it.
    pub function: String,
    /// How well it fits; only comparable within one answer.
    pub score: f64,
    /// What it says about itself, and whether its server runs.
    #[serde(flatten)]
    pub state: ToolState,
    /// Why it ranks higher than its words alone would.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_with: Option<UsedWith>,
    /// What it does in one line, or its definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The tokens of the definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    /// Notes about its text: instructions in it, a changed definition. They are also in
    /// front of the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// The tool's identity, for callers that do not use TypeScript.
    #[serde(skip)]
    pub id: ToolRef,
}

/// What a tool says that it does, and whether its server runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ToolState {
    /// It says that it changes nothing.
    pub read_only: bool,
    /// It says that it may destroy something.
    pub destructive: bool,
    /// Its server is running.
    pub connected: bool,
}

impl SearchResult {
    /// Changes it to the form that Python programs use.
    pub(crate) fn turn_python(&mut self, catalog: &Catalog) {
        let Some((function, definition)) = catalog.python_definition(&self.id) else { return };
        if let Some((server, _)) = self.call.rsplit_once('.') {
            self.call = format!("{server}.{function}");
        }
        self.function = function;
        // A text of one line is the same in both languages.
        if self.tokens.is_some() {
            self.tokens = Some(tokens::count(&definition));
            self.text = Some(definition);
        }
    }
}

/// The same text wherever a tool is shown.
impl fmt::Display for SearchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(text), Some(_)) = (&self.text, self.tokens) {
            // The function's name is in the definition, and so are the marks.
            let (object, _) = self.call.rsplit_once('.').unwrap_or((&self.call, ""));
            let company = self.used_with.as_ref().map(|with| format!(" ({with})"));
            return write!(f, "// {object}{}\n{text}", company.unwrap_or_default());
        }
        write!(f, "{}", self.call)?;
        if self.state.read_only {
            write!(f, " [read-only]")?;
        } else if self.state.destructive {
            write!(f, " [destructive]")?;
        }
        match &self.text {
            Some(text) => write!(f, "  {text}")?,
            None if self.notes.is_empty() => {}
            None => write!(f, "  {}", with_notes(&self.notes, ""))?,
        }
        match &self.used_with {
            Some(with) => write!(f, " ({with})"),
            None => Ok(()),
        }
    }
}

impl SearchAnswer {
    /// The tokens of the definitions in this answer, if it has any.
    pub fn definition_tokens(&self) -> Option<usize> {
        self.results.iter().filter_map(|found| found.tokens).reduce(|a, b| a + b)
    }
}

/// Searches a catalog.
pub fn search(catalog: &Catalog, request: &SearchRequest) -> SearchAnswer {
    search_without(catalog, request, Vec::new(), &Learned::default())
}

/// Searches a catalog in which some servers are missing.
pub(crate) fn search_without(
    catalog: &Catalog,
    request: &SearchRequest,
    unavailable: Vec<String>,
    learned: &Learned,
) -> SearchAnswer {
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let mut hits = catalog.search(&request.query, usize::MAX);
    hits.retain(|hit| request.fits(catalog, &hit.id));
    let company = learned.raise(&mut hits);
    // The closing lines are longest if all hits are left over.
    let mut answer = SearchAnswer { unavailable, ..SearchAnswer::default() };
    answer.count_more(&hits);
    let end = format!("{}\n{}\n", answer.remainder(), answer.not_searched());
    let mut left = request.budget().saturating_sub(tokens::count(&end));
    // A detail that did not fit once is not tried again: definitions can be long.
    let mut detail = request.detail;
    for hit in hits.iter().take(limit) {
        let used_with = company.get(&hit.id).and_then(|(other, runs)| {
            let other = member(&other.server, catalog.function_name(other)?);
            Some(UsedWith { call: other, runs: *runs })
        });
        let fitting = fitting(catalog, hit, used_with.as_ref(), &mut detail, left);
        let Some((mut entry, cost)) = fitting else { break };
        entry.score = rounded(hit.score);
        left -= cost;
        answer.results.push(entry);
    }
    answer.count_more(&hits[answer.results.len()..]);
    answer
}

impl SearchAnswer {
    fn count_more(&mut self, hits: &[Hit]) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for hit in hits {
            *counts.entry(&hit.id.server).or_default() += 1;
        }
        let mut counts: Vec<(String, usize)> =
            counts.into_iter().map(|(server, count)| (server.to_owned(), count)).collect();
        // Stable: servers with the same count stay in the order of their names.
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts.truncate(NAMED_SERVERS);
        (self.more, self.more_of) = (hits.len(), counts);
    }
}

/// A hit with as much of the requested detail as there is room for, and its cost: fewer
/// words are better than none. Lowers `detail` to what fit.
fn fitting(
    catalog: &Catalog,
    hit: &Hit,
    used_with: Option<&UsedWith>,
    detail: &mut Detail,
    left: usize,
) -> Option<(SearchResult, usize)> {
    let details = match detail {
        Detail::Full => &[Detail::Full, Detail::Description, Detail::Name][..],
        Detail::Description => &[Detail::Description, Detail::Name],
        Detail::Name => &[Detail::Name],
    };
    details.iter().find_map(|&less| {
        *detail = less;
        let mut entry = describe(catalog, &hit.id, less)?;
        entry.used_with = used_with.cloned();
        let cost = tokens::count(&format!("{entry}\n"));
        (cost <= left).then_some((entry, cost))
    })
}

/// One tool of a catalog.
pub fn describe(catalog: &Catalog, id: &ToolRef, detail: Detail) -> Option<SearchResult> {
    let tool = catalog.shown(id)?;
    let function = catalog.function_name(id)?.to_owned();
    let notes = catalog.notes(id);
    let text = match detail {
        Detail::Name => None,
        Detail::Description => Some(with_notes(&notes, &one_line(&tool))),
        Detail::Full => Some(catalog.definition(id)?),
    };
    let tokens = match detail {
        Detail::Full => text.as_deref().map(tokens::count),
        Detail::Name | Detail::Description => None,
    };
    let (read_only, destructive) = hints(catalog, id);
    Some(SearchResult {
        call: member(&id.server, &function),
        server: id.server.clone(),
        function,
        score: 0.0,
        state: ToolState { read_only, destructive, connected: false },
        used_with: None,
        text,
        tokens,
        notes,
        id: id.clone(),
    })
}

/// Whether a tool says that it changes nothing, and that it may destroy something.
fn hints(catalog: &Catalog, id: &ToolRef) -> (bool, bool) {
    let tool = catalog.shown(id);
    let hints = tool.as_ref().and_then(|tool| tool.annotations.as_ref());
    let read_only = hints.is_some_and(|hints| hints.read_only_hint == Some(true));
    let destructive = hints.is_some_and(|hints| hints.destructive_hint == Some(true));
    (read_only, destructive && !read_only)
}

/// Two digits show the order; more only cost tokens. In f64, since an f32 written as JSON
/// shows all of its digits.
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

#[cfg(test)]
mod tests;
