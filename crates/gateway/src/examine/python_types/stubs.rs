//! Stubs of the servers that a Python program uses, to check it against.
//!
//! In: its references. Out: one stub file for each server as the program writes it, with
//! the tools in the forms that it uses, and the files that make up the package `servers`.
//! Everything else of a server can be anything there: `check.rs` finds out whether it
//! exists.

use std::collections::BTreeMap;

use tidegate_catalog::{ArgumentStyle, Catalog, PythonUse, ResultTypes};
use tidegate_model::ArgumentPassing;
use tidegate_typecheck::SourceFile;

use super::PythonRequest;

/// The tools of a program, by the servers as it writes them.
#[derive(Default)]
pub(super) struct Stubs {
    servers: BTreeMap<String, ServerUse>,
    have_observed: bool,
}

#[derive(Default)]
struct ServerUse {
    /// Its exact name.
    name: String,
    tools: BTreeMap<String, ToolUse>,
}

#[derive(Default)]
struct ToolUse {
    /// `None` until it is called.
    passed: Option<ArgumentStyle>,
    /// Its spellings in the program.
    spellings: Vec<String>,
}

impl Stubs {
    pub(super) fn of(request: &PythonRequest<'_>) -> Self {
        let mut stubs = Self::default();
        for reference in request.references {
            let Some(tool) = &reference.tool else { continue };
            let passed = reference.arguments.map(|_| match reference.written.passing {
                ArgumentPassing::Named => ArgumentStyle::Named,
                ArgumentPassing::Object => ArgumentStyle::Object,
                ArgumentPassing::Unknown => ArgumentStyle::Both,
            });
            stubs.add(request.catalog, &reference.server, tool, passed);
        }
        for (server, tool) in &request.known.uncalled_tools {
            stubs.add(request.catalog, server, tool, Some(ArgumentStyle::Both));
        }
        stubs
    }

    fn add(&mut self, catalog: &Catalog, server: &str, tool: &str, passed: Option<ArgumentStyle>) {
        let Ok(name) = catalog.server_name(server) else { return };
        let Some(tools) = catalog.server(name) else { return };
        let (Some(found), true) = (tools.find(tool), is_module(server)) else { return };
        self.have_observed |= catalog.api(name).is_some_and(|api| api.has_observed());
        let used = self.servers.entry(server.to_owned()).or_default();
        name.clone_into(&mut used.name);
        let of = used.tools.entry(found.name.clone()).or_default();
        of.passed = match (of.passed, passed) {
            (Some(before), Some(passed)) if before != passed => Some(ArgumentStyle::Both),
            (before, passed) => before.or(passed),
        };
        if !of.spellings.iter().any(|known| known == tool) {
            of.spellings.push(tool.to_owned());
        }
    }

    pub(super) fn are_empty(&self) -> bool {
        self.servers.is_empty()
    }

    /// Whether the type of any result is known only from observed answers.
    pub(super) fn have_observed(&self) -> bool {
        self.have_observed
    }

    pub(super) fn files(&self, catalog: &Catalog, results: ResultTypes) -> Vec<SourceFile> {
        let mut files = Vec::new();
        let mut package = "from typing import Any\n\
                           from tidegate_answers import ToolError as ToolError\n\
                           def __getattr__(name: str) -> Any: ...\n"
            .to_owned();
        let mut global =
            "from tidegate_answers import AnyServers\nclass Servers(AnyServers):\n".to_owned();
        for (written, used) in &self.servers {
            let Some(api) = catalog.api(&used.name) else { continue };
            let text = api.python_declarations(results, &used.for_catalog());
            files.push(file(format!("servers/{written}.pyi"), text));
            package.push_str(&format!("from . import {written} as {written}\n"));
            global.push_str(&format!(" from servers import {written} as {written}\n"));
        }
        global.push_str(" pass\n");
        files.push(file("servers/__init__.pyi".to_owned(), package));
        files.push(file("tidegate_servers.pyi".to_owned(), global));
        files
    }

    /// The keys of an object, by the name of its class in these files.
    pub(super) fn keys_of(&self, catalog: &Catalog, class: &str) -> Vec<String> {
        let start = format!("class {class}(");
        let files = self.files(catalog, ResultTypes::All);
        let body = files.iter().find_map(|file| Some(file.text.split_once(&start)?.1));
        let body = body.unwrap_or_default().lines().skip(1);
        let key = |line: &str| {
            let key = line.split_once("key: _t.Literal['")?.1.split_once("'])")?.0;
            (!key.contains('\\')).then(|| key.to_owned())
        };
        body.take_while(|line| line.starts_with(' ')).filter_map(key).collect()
    }
}

impl ServerUse {
    fn for_catalog(&self) -> BTreeMap<String, PythonUse> {
        let of = |of: &ToolUse| PythonUse {
            passed: of.passed.unwrap_or(ArgumentStyle::Both),
            spellings: of.spellings.clone(),
        };
        self.tools.iter().map(|(tool, used)| (tool.clone(), of(used))).collect()
    }
}

fn file(path: String, text: String) -> SourceFile {
    SourceFile { path, text: text.into() }
}

/// Whether a server, as a program writes it, can name a file and a module.
fn is_module(server: &str) -> bool {
    server.starts_with(|c: char| c.is_ascii_alphabetic())
        && server.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
