//! Tools: what servers offer, how it is found, and what has changed.
//!
//! Contains: the catalog, kept in sync with the servers (`discovery.rs`); accepted
//! definitions (`acceptance.rs`), observed results (`shapes.rs`) and tools used together
//! (`co_usage.rs`); search (`search.rs`) and what it recommends beside the configured tools
//! (`recommend.rs`, `suggestions.rs`); the view of one run (`view.rs`).
//! In: tool lists of servers, names and queries of programs and clients. Out: definitions,
//! search results, and answers of calls that have a permit.
//! Invariant: no server is called without a [`Permit`](tidegate_policy::Permit).

pub(crate) mod acceptance;
pub(crate) mod co_usage;
pub(crate) mod contents;
pub(crate) mod discovery;
pub(crate) mod known_servers;
mod recommend;
pub(crate) mod recommended;
pub(crate) mod search;
pub(crate) mod shapes;
mod suggestions;
pub(crate) mod view;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tidegate_catalog::{Catalog, Snapshots};
use tidegate_config::Settings;
use tidegate_model::{RunError, ServerSpec, ToolRef};
use tidegate_store::{Store, StoreError};
use tidegate_upstream::{ServerStatus, UpstreamError, Upstreams};

use crate::explain;
use crate::policy::CurrentPolicy;
use crate::skill_library::SkillLibrary;
use acceptance::Acceptance;
use co_usage::{CoUsage, CoUsageMode};
use discovery::Discovery;
use known_servers::scoring;
use search::{Detail, SearchAnswer, SearchRequest, SearchResult, describe, search_without};
use shapes::Shapes;
use suggestions::Suggestions;

/// A server as `servers list` and `servers test` show it.
#[derive(Debug)]
pub struct ServerReport {
    /// Name in the configuration.
    pub name: String,
    /// How it is reached, without secrets.
    pub transport: String,
    /// Its status.
    pub status: ServerStatus,
    /// Package and version, if known.
    pub package: String,
    /// How many tools are known.
    pub tools: usize,
    /// How many were left out, too many or too large.
    pub left_out: usize,
}

/// The tools of all servers.
pub struct Tools {
    pub(crate) discovery: Discovery,
    pub(crate) shapes: Arc<Shapes>,
    pub(crate) skills: SkillLibrary,
    suggestions: Suggestions,
    co_usage: CoUsage,
    policy: Arc<CurrentPolicy>,
    settings: Arc<Settings>,
}

impl Tools {
    /// Loads what earlier processes knew about the servers. Starts none. `executable` is
    /// tidegate itself, which is also started as guard; `environment` is the base
    /// environment of every stdio server.
    pub(crate) fn open(
        settings: Arc<Settings>,
        policy: Arc<CurrentPolicy>,
        store: &Store,
        executable: PathBuf,
        environment: BTreeMap<String, String>,
    ) -> Result<Self, StoreError> {
        let shapes = Arc::new(Shapes::open(store.shapes())?);
        let acceptance = Acceptance::open(store.accepted_tools(), settings.permissions.on_change)?;
        let snapshots = Snapshots::new(&settings.state_dir);
        let catalog = known_catalog(&settings, &snapshots, &acceptance);
        let specs = settings.servers.clone();
        let upstreams = Upstreams::new(specs.clone(), executable, environment);
        let discovery =
            Discovery::new(catalog, upstreams, snapshots, Arc::clone(&shapes), acceptance, specs);
        let mode = match settings.search.used_together {
            true => CoUsageMode::On,
            false => CoUsageMode::Off,
        };
        Ok(Self {
            discovery,
            shapes,
            skills: SkillLibrary::new(&settings.state_dir),
            suggestions: Suggestions::default(),
            co_usage: CoUsage::new(store.records(), mode),
            policy,
            settings,
        })
    }

    /// A run has ended: the tools that it used may rank higher together.
    pub(crate) fn run_ended(&self) {
        self.co_usage.invalidate();
    }

    /// Writes what was learned, and ends all servers.
    pub(crate) async fn close(&self) {
        self.shapes.keep_all();
        self.discovery.close().await;
    }

    /// The catalog as it is known now, without starting anything.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.discovery.catalog()
    }

    /// The catalog after starting the servers whose tools were never listed,
    /// and the servers that could not be started.
    pub async fn complete_catalog(&self) -> (Arc<Catalog>, Vec<(String, UpstreamError)>) {
        let failed = self.discovery.learn_missing().await;
        (self.discovery.catalog(), failed)
    }

    /// Starts servers (all, if none is named) and returns the outcomes.
    pub async fn test_servers(&self, names: &[String]) -> Vec<(String, Result<(), UpstreamError>)> {
        self.discovery.start(names).await
    }

    /// All configured servers, without starting any.
    pub fn servers(&self) -> Vec<ServerReport> {
        let catalog = self.discovery.catalog();
        let left_out = self.discovery.left_out();
        let report = |spec: &ServerSpec| {
            let known = catalog.server(&spec.name);
            let package = known.map(|tools| {
                format!("{} {}", tools.info.name, tools.info.version).trim().to_owned()
            });
            ServerReport {
                name: spec.name.clone(),
                transport: spec.transport.describe(),
                status: self.discovery.status(&spec.name).unwrap_or(ServerStatus::NotStarted),
                package: package.unwrap_or_default(),
                tools: known.map_or(0, |tools| tools.tools.len()),
                left_out: left_out
                    .iter()
                    .find(|(name, _)| *name == spec.name)
                    .map_or(0, |one| one.1),
            }
        };
        self.discovery.specs.iter().map(report).collect()
    }

    /// Every upstream tool as MCP lists it, named `<server>__<tool>`.
    pub(crate) async fn as_listed(&self) -> Vec<Value> {
        let (catalog, _) = self.complete_catalog().await;
        let as_listed = |id: &ToolRef| {
            let tool = catalog.shown(id)?;
            let mut value = serde_json::to_value(tool.as_ref()).ok()?;
            value["name"] = Value::String(id.to_string());
            if !catalog.notes(id).is_empty() {
                let said = tool.description.as_deref().unwrap_or_default();
                value["description"] = Value::String(catalog.with_notes(id, said));
            }
            // Clients refuse answers without structured content from a tool that announces
            // it, and we send content only.
            value.as_object_mut()?.remove("outputSchema");
            Some(value)
        };
        catalog.tools().filter_map(|(id, _)| as_listed(&id)).collect()
    }

    /// Searches all known tools. Starts only servers that were never listed.
    pub async fn search(&self, request: &SearchRequest) -> SearchAnswer {
        let (catalog, failed) = self.complete_catalog().await;
        self.search_among(&catalog, &failed, request, None).await
    }

    /// Searches a catalog and names the servers that are not in it.
    async fn search_in(
        &self,
        catalog: &Catalog,
        failed: &[(String, UpstreamError)],
        request: &SearchRequest,
    ) -> SearchAnswer {
        let connected =
            |server: &str| matches!(self.discovery.status(server), Some(ServerStatus::Connected));
        let mut unavailable: Vec<String> = failed.iter().map(|(name, _)| name.clone()).collect();
        unavailable.retain(|name| !connected(name));
        let learned = self.co_usage.learned().await;
        let mut answer = search_without(catalog, request, unavailable, &learned);
        for result in &mut answer.results {
            result.state.connected = connected(&result.server);
        }
        answer.left_out = self.discovery.left_out();
        answer
    }

    /// The typed definition of one tool.
    pub async fn definition(&self, name: &str) -> Result<SearchResult, RunError> {
        let (id, _) = self.discovery.describe(name).await?;
        let found = describe(&self.catalog(), &id, Detail::Full);
        found.ok_or_else(|| explain::no_tools(&id.server))
    }
}

/// The catalog as earlier processes knew it.
fn known_catalog(settings: &Settings, snapshots: &Snapshots, acceptance: &Acceptance) -> Catalog {
    let mut catalog = Catalog::with_scoring(scoring(settings));
    for spec in &settings.servers {
        match snapshots.load(spec) {
            Some((list, hashes)) => {
                catalog.set_tools(&spec.name, &list);
                let changes = acceptance.changes(spec, &list, Some(&hashes));
                catalog.set_changes(&spec.name, changes);
            }
            None => catalog.add_server(&spec.name),
        }
    }
    catalog
}
