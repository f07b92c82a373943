//! All configured servers by name.
//!
//! In: the name of a server, or a call that names one. Out: its tools, its status or the
//! answer. Invariant: every child of the gateway for a server is started below here.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tidegate_model::{Answer, ServerSpec, ToolCall};
use tokio::task::JoinSet;

use crate::UpstreamError;
use crate::child::Launcher;
use crate::server::{Server, ServerStatus, VersionedTools};

/// The clients of all configured servers.
pub struct Upstreams {
    servers: BTreeMap<String, Arc<Server>>,
    versions: Arc<AtomicU64>,
}

impl Upstreams {
    /// Starts no server. `guard` is the executable that starts every child (see
    /// [`crate::guard`]); every child gets the variables of `environment` before its own.
    pub fn new(
        specs: Vec<ServerSpec>,
        guard: PathBuf,
        environment: BTreeMap<String, String>,
    ) -> Self {
        let launcher = Launcher { guard, environment: Arc::new(environment) };
        let versions = Arc::new(AtomicU64::new(0));
        let servers = specs.into_iter().map(|spec| {
            let name = spec.name.clone();
            let server = Server::new(spec, launcher.clone(), Arc::clone(&versions));
            (name, Arc::new(server))
        });
        Self { servers: servers.collect(), versions }
    }

    /// The names of all servers, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(String::as_str)
    }

    /// The status of a server.
    pub fn status(&self, server: &str) -> Option<ServerStatus> {
        Some(self.servers.get(server)?.status())
    }

    /// A number that grows with every tool list that a server sends.
    pub fn tools_version(&self) -> u64 {
        self.versions.load(Ordering::Acquire)
    }

    /// The last tool list of a server; does not start it.
    pub fn cached_tools(&self, server: &str) -> Option<VersionedTools> {
        self.servers.get(server)?.cached_tools()
    }

    /// A server's tool list; starts the server if necessary.
    pub async fn tools(&self, server: &str) -> Result<VersionedTools, UpstreamError> {
        self.server(server)?.tools().await
    }

    /// A server's tool list for a caller that misses a tool in it: waits briefly for the
    /// server to announce a change.
    pub async fn tools_awaiting_change(
        &self,
        server: &str,
    ) -> Result<VersionedTools, UpstreamError> {
        self.server(server)?.tools_awaiting_change().await
    }

    /// Starts several servers in parallel and waits for all of them.
    pub async fn start_all(&self, names: &[String]) -> Vec<(String, Result<(), UpstreamError>)> {
        let mut starts = JoinSet::new();
        for name in names {
            let server = self.server(name).cloned();
            let name = name.clone();
            starts.spawn(async move {
                let outcome = match server {
                    Ok(server) => server.tools().await.map(|_| ()),
                    Err(error) => Err(error),
                };
                (name, outcome)
            });
        }
        let mut outcomes = starts.join_all().await;
        outcomes.sort_by(|a, b| a.0.cmp(&b.0));
        outcomes
    }

    /// Calls a tool of the server that the call names.
    pub async fn call(&self, call: ToolCall) -> Result<Answer, UpstreamError> {
        self.server(&call.tool.server)?.call(call).await
    }

    /// Closes all connections and waits until the children are gone.
    pub async fn close(&self) {
        let mut closing = JoinSet::new();
        for server in self.servers.values() {
            let server = Arc::clone(server);
            closing.spawn(async move { server.close().await });
        }
        closing.join_all().await;
    }

    fn server(&self, name: &str) -> Result<&Arc<Server>, UpstreamError> {
        let unknown = || UpstreamError::Unknown { server: name.to_owned() };
        self.servers.get(name).ok_or_else(unknown)
    }
}

impl std::fmt::Debug for Upstreams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.servers.values().map(|server| server.name()).collect();
        f.debug_struct("Upstreams").field("servers", &names).finish()
    }
}
