//! The known tools, kept in sync with the servers.
//!
//! The catalog starts from snapshots, so that nothing has to be started to list
//! and search. A call always uses the live definition: its server is started first and
//! the catalog updated.

use std::sync::{Arc, PoisonError, RwLock};

use tidegate_catalog::{Catalog, Resolution, Snapshots};
use tidegate_model::{Answer, Change, Language, RunError, ServerSpec, ToolDef, ToolList, ToolRef};
use tidegate_policy::Permit;
use tidegate_upstream::{ServerStatus, UpstreamError, Upstreams};

use crate::explain;
use crate::privacy::Unscanned;
use crate::tools::acceptance::Acceptance;
use crate::tools::shapes::Shapes;

/// The catalog and where it comes from.
pub(crate) struct Discovery {
    /// Private: calling a tool needs a permit, see `call`.
    upstreams: Upstreams,
    state: RwLock<CatalogState>,
    snapshots: Snapshots,
    shapes: Arc<Shapes>,
    pub(crate) acceptance: Acceptance,
    pub(crate) specs: Vec<ServerSpec>,
}

/// The catalog, and the versions of what is in it.
struct CatalogState {
    catalog: Arc<Catalog>,
    /// The newest tool list that is in the catalog.
    version: u64,
    /// The shapes of results that are in the catalog.
    shapes: u64,
    /// What was accepted when the catalog was compared with it.
    accepted: u64,
}

/// A tool to be called: its identity, its definition, and how that differs from the
/// accepted one.
pub(crate) type Callable = (ToolRef, Arc<ToolDef>, Option<Change>);

impl Discovery {
    pub(crate) fn new(
        catalog: Catalog,
        upstreams: Upstreams,
        snapshots: Snapshots,
        shapes: Arc<Shapes>,
        acceptance: Acceptance,
        specs: Vec<ServerSpec>,
    ) -> Self {
        let accepted = acceptance.version();
        let catalog = Arc::new(catalog);
        let state = RwLock::new(CatalogState { catalog, version: 0, shapes: 0, accepted });
        Self { upstreams, state, snapshots, shapes, acceptance, specs }
    }

    /// Makes a permitted call.
    pub(crate) async fn call(&self, permit: Permit) -> Result<Unscanned<Answer>, RunError> {
        let called = self.upstreams.call(permit.into_call()).await;
        called.map(Unscanned::new).map_err(|error| {
            tracing::warn!(%error, "call failed");
            explain::upstream(&error)
        })
    }

    /// Starts servers (all, if none is named) and returns the outcomes.
    pub(crate) async fn start(&self, names: &[String]) -> Vec<(String, Result<(), UpstreamError>)> {
        let all: Vec<String> = self.upstreams.names().map(str::to_owned).collect();
        let outcomes = self.upstreams.start_all(if names.is_empty() { &all } else { names }).await;
        self.catalog();
        outcomes
    }

    /// The status of a server.
    pub(crate) fn status(&self, server: &str) -> Option<ServerStatus> {
        self.upstreams.status(server)
    }

    /// Ends all servers.
    pub(crate) async fn close(&self) {
        self.upstreams.close().await;
    }

    /// The catalog with every tool list that has arrived, and with what was learned
    /// about results.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        let newest = self.upstreams.tools_version();
        let shapes = self.shapes.version();
        let accepted = self.acceptance.version();
        {
            let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
            if state.version >= newest && state.shapes >= shapes && state.accepted >= accepted {
                return Arc::clone(&state.catalog);
            }
        }
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let mut catalog = (*state.catalog).clone();
        for spec in &self.specs {
            let Some(tools) = self.upstreams.cached_tools(&spec.name) else { continue };
            if tools.version <= state.version {
                continue;
            }
            catalog.set_tools(&spec.name, &tools.list);
            self.compare(&mut catalog, spec, &tools.list);
            if let Some(tools) = catalog.server(&spec.name) {
                self.shapes.forget_changed(&spec.name, tools);
            }
            if let Err(error) = self.snapshots.save(spec, &tools.list) {
                tracing::warn!(%error, "snapshot not written");
            }
        }
        if state.accepted < accepted {
            self.compare_all(&mut catalog);
        }
        for spec in &self.specs {
            let Some(tools) = catalog.server(&spec.name).map(Arc::clone) else { continue };
            catalog.set_observed(&spec.name, self.shapes.of_server(&spec.name, &tools));
        }
        // Another thread may have stored newer ones.
        let version = newest.max(state.version);
        let shapes = shapes.max(state.shapes);
        let accepted = accepted.max(state.accepted);
        *state = CatalogState { catalog: Arc::new(catalog), version, shapes, accepted };
        Arc::clone(&state.catalog)
    }

    /// Marks tools that differ from their accepted definitions.
    fn compare(&self, catalog: &mut Catalog, spec: &ServerSpec, list: &ToolList) {
        catalog.set_changes(&spec.name, self.acceptance.changes(spec, list, None));
    }

    /// The same for all servers, with the last lists they sent.
    fn compare_all(&self, catalog: &mut Catalog) {
        for spec in &self.specs {
            if let Some(list) = self.sent(spec) {
                self.compare(catalog, spec, &list);
            }
        }
    }

    /// Servers of which tools were left out, with their number.
    pub(crate) fn left_out(&self) -> Vec<(String, usize)> {
        let left_out = |name: &str| {
            let tools = self.upstreams.cached_tools(name)?.list.left_out;
            (tools > 0).then(|| (name.to_owned(), tools))
        };
        self.upstreams.names().filter_map(left_out).collect()
    }

    /// The tools of a server exactly as it sent them last.
    pub(crate) fn sent(&self, spec: &ServerSpec) -> Option<ToolList> {
        let live = self.upstreams.cached_tools(&spec.name).map(|tools| (*tools.list).clone());
        live.or_else(|| self.snapshots.load(spec).map(|(list, _)| list))
    }

    /// Starts the servers whose tools are not known at all, all at once.
    /// Returns those that failed.
    pub(crate) async fn learn_missing(&self) -> Vec<(String, UpstreamError)> {
        let catalog = self.catalog();
        let unlisted = |name: &&str| {
            let empty = catalog.server(name).is_none_or(|tools| tools.tools.is_empty());
            empty && self.upstreams.cached_tools(name).is_none()
        };
        let missing: Vec<String> =
            self.upstreams.names().filter(unlisted).map(str::to_owned).collect();
        let started = self.upstreams.start_all(&missing).await;
        started.into_iter().filter_map(|(name, outcome)| Some((name, outcome.err()?))).collect()
    }

    /// Starts these servers, all at once, so that the catalog has their live
    /// tools. Returns those that could not be started.
    pub(crate) async fn learn(&self, servers: &[String]) -> Vec<String> {
        let started = self.upstreams.start_all(servers).await;
        started.into_iter().filter_map(|(name, outcome)| outcome.err().map(|_| name)).collect()
    }

    /// Resolves a name for reading about its tool: a snapshot is enough for that.
    pub(crate) async fn describe(&self, name: &str) -> Result<(ToolRef, Arc<ToolDef>), RunError> {
        match self.catalog().resolve(name) {
            Resolution::Tool { id, tool } => Ok((id, tool)),
            _ => self.resolve_in(Language::default(), name).await,
        }
    }

    /// The exact tool that a program means, with its server's live definition. Hints name
    /// functions as the language writes them.
    pub(crate) async fn resolve_in(
        &self,
        language: Language,
        name: &str,
    ) -> Result<(ToolRef, Arc<ToolDef>), RunError> {
        self.resolve_to_call(language, name).await.map(|(id, tool, _)| (id, tool))
    }

    /// The same, with the difference between the definition and the accepted one. All
    /// three are from one catalog, so that the decision is about what was compared.
    pub(crate) async fn resolve_to_call(
        &self,
        language: Language,
        name: &str,
    ) -> Result<Callable, RunError> {
        let catalog = self.catalog();
        let first = catalog.resolve_in(language, name);
        let server = match &first {
            Resolution::Tool { id, .. } => &id.server,
            Resolution::NotListed { server } | Resolution::UnknownTool { server, .. } => server,
            Resolution::UnknownServer { given, hint } => {
                return Err(explain::unknown_server(given, hint));
            }
        };
        // A tool that the snapshot does not know may be new, and one that it
        // knows may have changed.
        self.upstreams.tools(server).await.map_err(|error| explain::upstream(&error))?;
        let mut live = self.catalog();
        let same = Arc::ptr_eq(&catalog, &live);
        let mut resolved = if same { first } else { live.resolve_in(language, name) };
        if let Resolution::UnknownTool { server, .. } = &resolved {
            let news = self.upstreams.tools_awaiting_change(server).await;
            news.map_err(|error| explain::upstream(&error))?;
            live = self.catalog();
            resolved = live.resolve_in(language, name);
        }
        match resolved {
            Resolution::Tool { id, tool } => {
                let change = live.change(&id).cloned();
                Ok((id, tool, change))
            }
            Resolution::UnknownServer { given, hint } => {
                Err(explain::unknown_server(&given, &hint))
            }
            Resolution::UnknownTool { server, given, hint } => {
                Err(explain::unknown_tool(&server, &given, &hint))
            }
            Resolution::NotListed { server } => Err(explain::no_tools(&server)),
        }
    }

    /// The error for a server that does not exist.
    pub(crate) fn unknown_server(&self, given: &str) -> RunError {
        let hint = self.catalog().server_name(given).err().unwrap_or_default();
        explain::unknown_server(given, &hint)
    }

    /// A server's exact name, with its tools listed.
    pub(crate) async fn server(&self, given: &str) -> Result<String, RunError> {
        let catalog = self.catalog();
        let name =
            catalog.server_name(given).map_err(|hint| explain::unknown_server(given, &hint))?;
        let listed = catalog.server(name).is_some_and(|tools| !tools.tools.is_empty());
        if !listed {
            self.upstreams.tools(name).await.map_err(|error| explain::upstream(&error))?;
        }
        Ok(name.to_owned())
    }
}
