//! One run's view of the servers: the catalog as it was when the run began.
//!
//! Servers may change their tools while a program runs; the program keeps the
//! names and types that it started with. A server whose tools were not known then is
//! added when it is first listed, and keeps that list. Calls do not go through here: they
//! are resolved with the live definition (`bridge/call.rs`).

use std::sync::{Arc, Mutex, PoisonError};

use tidegate_catalog::{Catalog, ServerTools};
use tidegate_model::{Language, RunError};
use tidegate_upstream::UpstreamError;

use crate::tools::discovery::Discovery;

/// The catalog of one run.
pub(crate) struct View {
    catalog: Mutex<Arc<Catalog>>,
    /// The language in which functions are called and files are written.
    pub(crate) language: Language,
}

impl View {
    /// The view of a run that begins now.
    pub(crate) fn new(catalog: Arc<Catalog>, language: Language) -> Self {
        Self { catalog: Mutex::new(catalog), language }
    }

    /// Starts over, for a program that has not started to run.
    pub(crate) fn renew(&self, catalog: Arc<Catalog>) {
        *self.catalog.lock().unwrap_or_else(PoisonError::into_inner) = catalog;
    }

    /// All that is known in this view, without starting anything.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A server by any spelling of its name, with its tools listed. Starts it if
    /// they were never listed.
    pub(crate) async fn server(
        &self,
        discovery: &Discovery,
        given: &str,
    ) -> Result<(String, Arc<ServerTools>), RunError> {
        let seen = self.catalog();
        if let Ok(name) = seen.server_name(given)
            && let Some(tools) = listed(&seen, name)
        {
            return Ok((name.to_owned(), Arc::clone(tools)));
        }
        let name = discovery.server(given).await?;
        let seen = self.take_over(&discovery.catalog());
        let tools = seen.server(&name).ok_or_else(|| discovery.unknown_server(given))?;
        Ok((name, Arc::clone(tools)))
    }

    /// The view after starting the servers whose tools were never listed, and
    /// the servers that could not be started.
    pub(crate) async fn complete(
        &self,
        discovery: &Discovery,
    ) -> (Arc<Catalog>, Vec<(String, UpstreamError)>) {
        let failed = discovery.learn_missing().await;
        (self.take_over(&discovery.catalog()), failed)
    }

    /// Adds the servers that were not listed in this view and are now.
    fn take_over(&self, live: &Arc<Catalog>) -> Arc<Catalog> {
        let mut seen = self.catalog.lock().unwrap_or_else(PoisonError::into_inner);
        let names: Vec<String> = seen.servers().map(str::to_owned).collect();
        let mut merged: Option<Catalog> = None;
        for name in &names {
            if let (None, Some(_)) = (listed(&seen, name), listed(live, name)) {
                merged.get_or_insert_with(|| (**seen).clone()).adopt(name, live);
            }
        }
        if let Some(merged) = merged {
            // The live one if it is the same: its search index is built only once.
            let same = names.iter().all(|name| {
                let (ours, theirs) = (merged.server(name), live.server(name));
                ours.zip(theirs).is_some_and(|(ours, theirs)| Arc::ptr_eq(ours, theirs))
            });
            *seen = if same { Arc::clone(live) } else { Arc::new(merged) };
        }
        Arc::clone(&seen)
    }
}

fn listed<'a>(catalog: &'a Catalog, name: &str) -> Option<&'a Arc<ServerTools>> {
    catalog.server(name).filter(|tools| !tools.tools.is_empty())
}
