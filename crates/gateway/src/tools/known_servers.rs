//! Servers that are known but not configured, from folders of tool definitions.
//!
//! In: the paths of `[search] catalogs`, and `templates/mcp-tools` in the state folder if it
//! exists. Out: one offer for each server that is not configured, with the package it is
//! started from, and the categories of all. A bad file is reported with its place and left
//! out. Read once, when a search first needs it.
//!
//! Invariant: none of these servers is in a catalog of the gateway. They can be recommended,
//! but not called, imported or typed.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tidegate_catalog::names::fold;
use tidegate_catalog::{CatalogServer, Offer, Package, Scoring, ServerTools, for_each_server};
use tidegate_config::Settings;
use tidegate_model::{ServerSpec, ToolList, Transport};

/// In the state folder.
const TEMPLATES: &str = "templates/mcp-tools";

/// The most tools that are kept. Chosen: ten times the largest catalog that we know.
const MAX_TOOLS: usize = 30_000;

/// Longest name of a server, as in the configuration.
const LONGEST_NAME: usize = 64;

/// The contents of the folders.
#[derive(Debug, Default)]
pub struct KnownServers {
    /// Servers that are not configured.
    pub(crate) offers: Vec<Arc<Offer>>,
    /// The packages that these are started from, where a file says so.
    pub(crate) packages: BTreeMap<String, Package>,
    /// The categories of all servers in subfolders, by folded name.
    categories: BTreeMap<String, String>,
    /// Files and entries that were left out, with their places.
    pub problems: Vec<String>,
    tools: usize,
}

/// Where known servers are described.
pub fn catalog_paths(settings: &Settings) -> Vec<PathBuf> {
    let templates = Some(settings.state_dir.join(TEMPLATES)).filter(|path| path.is_dir());
    settings.search.catalogs.iter().cloned().chain(templates).collect()
}

impl KnownServers {
    /// Reads all folders. Blocks on the disk.
    pub fn read(settings: &Settings) -> Self {
        let scoring = scoring(settings);
        let mut known = Self::default();
        for path in catalog_paths(settings) {
            let read = for_each_server(&path, |described| {
                known.take(&path, described, &settings.servers, scoring);
            });
            let problems = read.unwrap_or_else(|problem| vec![problem]);
            known.problems.extend(problems.iter().map(|problem| with_cause(problem)));
        }
        known
    }

    /// How many servers there are beside the configured ones, and how many tools.
    pub fn size(&self) -> (usize, usize) {
        (self.offers.len(), self.tools)
    }

    /// The category of a server, if a folder gives one.
    pub(crate) fn category(&self, server: &str) -> Option<&str> {
        self.categories.get(&fold(server)).map(String::as_str)
    }

    fn take(
        &mut self,
        path: &Path,
        described: CatalogServer<'_>,
        configured: &[ServerSpec],
        scoring: Scoring,
    ) {
        let CatalogServer { server, list, category, package } = described;
        if let Some(category) = category {
            self.categories.entry(fold(server)).or_insert_with(|| category.to_owned());
        }
        if configured.iter().any(|spec| is_same(spec, server, package)) {
            return;
        }
        match self.add(server, list, scoring) {
            Ok(()) => {
                let package = package.map(|package| (server.to_owned(), package.clone()));
                self.packages.extend(package);
            }
            Err(reason) => {
                let path = path.display();
                self.problems.push(format!("`{path}`: server `{server}` is left out: {reason}"));
            }
        }
    }

    fn add(&mut self, server: &str, list: &ToolList, scoring: Scoring) -> Result<(), &'static str> {
        if !is_plain(server) {
            return Err(
                "its name is longer than 64 characters, or has characters other than letters, \
                 digits, blanks and `-_.@`",
            );
        }
        if self.offers.iter().any(|offer| fold(&offer.name) == fold(server)) {
            return Err("an earlier catalog has a server of this name");
        }
        if self.tools + list.tools.len() > MAX_TOOLS {
            return Err("it would bring the catalogs above 30,000 tools");
        }
        self.tools += list.tools.len();
        let offer = Offer::server(server, &ServerTools::new(list), scoring);
        self.offers.push(Arc::new(offer));
        Ok(())
    }
}

/// The scoring of tools that the settings choose.
pub(crate) fn scoring(settings: &Settings) -> Scoring {
    match settings.search.semantic {
        true => Scoring::WordsAndMeaning,
        false => Scoring::Words,
    }
}

/// Whether a configured server is the known one: by its name, or started from its package.
fn is_same(spec: &ServerSpec, server: &str, package: Option<&Package>) -> bool {
    let started = |package: &Package| {
        let Transport::Stdio { args, .. } = &spec.transport else { return false };
        args.iter().any(|argument| names_package(argument.expose(), package.name()))
    };
    fold(&spec.name) == fold(server) || package.is_some_and(started)
}

/// `name`, `name@1.2` or `name==1.2`.
fn names_package(argument: &str, package: &str) -> bool {
    let rest = argument.strip_prefix(package);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['@', '=', '[']))
}

/// A stranger wrote it and a model reads it: it must be a name, not a sentence.
fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || " -_.@".contains(c);
    name.chars().count() <= LONGEST_NAME && name.chars().all(plain) && !fold(name).is_empty()
}

fn with_cause(problem: &dyn Error) -> String {
    match problem.source() {
        Some(cause) => format!("{problem}: {cause}"),
        None => problem.to_string(),
    }
}

#[cfg(test)]
mod tests;
