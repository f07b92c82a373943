//! Tool definitions from files: `--catalog PATH`.
//!
//! In: a folder with `*.json` files in it and below it, one such file, or a
//! `.jsonl` file. Out: the tools by server. A bad file or entry is skipped and
//! reported with its place; the rest is used. The tools of a server are in one
//! file, or in files of one tool each: a second list for the same server is
//! refused, since two lists would hide each other's mistakes.

mod entry;
mod files;
mod package;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde_json::Value;
use thiserror::Error;
use tidegate_model::{ServerInfo, ToolList, ToolRef, shown_name};

pub use package::Package;

/// Larger files are not read. Chosen: the largest tool list that we know has 2 MB.
const LARGEST_FILE: u64 = 64 << 20;

/// Why a catalog, or a file of it, cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// It cannot be read.
    #[error("cannot read `{path}`")]
    Read {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// It is not JSON.
    #[error("`{path}` line {line}, column {column} is not JSON: {reason}")]
    NotJson {
        /// Which file.
        path: PathBuf,
        /// Where.
        line: usize,
        /// Where.
        column: usize,
        /// What was wrong.
        reason: String,
    },
    /// It is JSON, but not a tool list.
    #[error("`{path}` at {place}: {reason}")]
    NotTools {
        /// Which file.
        path: PathBuf,
        /// Where: a line, a tool or a parameter.
        place: String,
        /// What was wrong.
        reason: String,
    },
    /// Two files have the tools of one server.
    #[error(
        "`{path}` was skipped: the tools of server `{server}` are already in `{first}`; \
         give one of them another `server`"
    )]
    SameServer {
        /// The second file.
        path: PathBuf,
        /// The server.
        server: String,
        /// The file that counts.
        first: PathBuf,
    },
    /// A link is not followed.
    #[error("`{path}` was skipped: links {reason}; copy the files there, or name their folder")]
    Link {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        reason: &'static str,
    },
    /// A file is too large to be read.
    #[error("`{path}` was skipped: it is larger than {limit} bytes")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How large a file may be.
        limit: u64,
    },
    /// A folder is nested too deep to be entered.
    #[error("`{path}` was skipped: it is more than {limit} folders deep")]
    TooDeep {
        /// The folder.
        path: PathBuf,
        /// How deep folders are read.
        limit: usize,
    },
}

/// The content of a catalog.
#[derive(Debug, Default)]
pub struct CatalogFile {
    /// Tools by server.
    pub servers: BTreeMap<String, ToolList>,
    /// The ids that the file gives to its tools.
    pub ids: BTreeMap<ToolRef, String>,
    /// The name of the first subfolder, for servers in subfolders.
    pub categories: BTreeMap<String, String>,
    /// The package to start a server from, for servers whose file names one.
    pub packages: BTreeMap<String, Package>,
    /// Files and entries that were skipped.
    pub problems: Vec<FolderError>,
}

/// One server of a catalog.
#[derive(Debug, Clone, Copy)]
pub struct CatalogServer<'a> {
    /// Its name.
    pub server: &'a str,
    /// Its tools.
    pub list: &'a ToolList,
    /// The first folder inside the catalog that contains its file.
    pub category: Option<&'a str>,
    /// The package that it is started from.
    pub package: Option<&'a Package>,
}

/// Reads a folder of `*.json` files, one such file, or a `.jsonl` file.
pub fn read_catalog(path: &Path) -> Result<CatalogFile, FolderError> {
    let mut catalog = CatalogFile::default();
    read_into(path, &mut catalog, &mut |_, _| {})?;
    Ok(catalog)
}

/// The same, one server at a time, for callers that do not keep the definitions: only those of
/// one file are in memory at once, except for `.jsonl` files and files of one tool each.
/// Returns what was skipped.
pub fn for_each_server(
    path: &Path,
    mut take: impl FnMut(CatalogServer<'_>),
) -> Result<Vec<FolderError>, FolderError> {
    let mut catalog = CatalogFile::default();
    let mut give = |catalog: &mut CatalogFile, server: &str| {
        let Some(list) = catalog.servers.remove(server) else { return };
        let category = catalog.categories.get(server).map(String::as_str);
        take(CatalogServer {
            server,
            list: &list,
            category,
            package: catalog.packages.get(server),
        });
    };
    read_into(path, &mut catalog, &mut give)?;
    // Servers from a `.jsonl` file, and those with one file per tool.
    let rest: Vec<String> = catalog.servers.keys().cloned().collect();
    rest.iter().for_each(|server| give(&mut catalog, server));
    Ok(catalog.problems)
}

/// Reads all files. Calls `complete` for each server that no later file can add to.
fn read_into(
    path: &Path,
    catalog: &mut CatalogFile,
    complete: &mut impl FnMut(&mut CatalogFile, &str),
) -> Result<(), FolderError> {
    let mut owners = BTreeMap::new();
    if path.is_dir() {
        for file in files::below(path, &mut catalog.problems)? {
            match read_file(&file, catalog, &mut owners) {
                Ok(None) => {}
                Ok(Some(server)) => {
                    let named = category(path, &file).map(|category| (server.clone(), category));
                    catalog.categories.extend(named);
                    if owners.get(&server).is_some_and(|owner| owner.content == Content::List) {
                        complete(catalog, &server);
                    }
                }
                Err(problem) => catalog.problems.push(problem),
            }
        }
        return Ok(());
    }
    if path.extension().is_some_and(|end| end == "jsonl") {
        return read_lines(path, catalog);
    }
    read_file(path, catalog, &mut owners).map(|_| ())
}

/// The first folder inside the catalog that contains the file.
fn category(catalog: &Path, file: &Path) -> Option<String> {
    let mut inside = file.strip_prefix(catalog).ok()?.components();
    let first = inside.next()?.as_os_str().to_str()?;
    inside.next().is_some().then(|| first.to_owned())
}

/// Which file the tools of a server came from.
struct Owner {
    path: PathBuf,
    content: Content,
}

/// The content of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    List,
    OneTool,
}

/// Reads one file. Returns the server that its tools belong to, if it has tools.
fn read_file(
    path: &Path,
    catalog: &mut CatalogFile,
    owners: &mut BTreeMap<String, Owner>,
) -> Result<Option<String>, FolderError> {
    let source = |source| FolderError::Read { path: path.to_owned(), source };
    if fs::metadata(path).map_err(source)?.len() > LARGEST_FILE {
        return Err(FolderError::TooLarge { path: path.to_owned(), limit: LARGEST_FILE });
    }
    let text = fs::read_to_string(path).map_err(source)?;
    let value: Value = serde_json::from_str(&text).map_err(|error| FolderError::NotJson {
        path: path.to_owned(),
        line: error.line(),
        column: error.column(),
        reason: strip_place(&error),
    })?;
    // A client configuration with `mcpServers` may be in the same folder; it has no
    // tools and is not a mistake.
    if value.get("mcpServers").is_some() {
        return Ok(None);
    }
    let (entries, content) = entries(path, &value)?;
    let server = server_name(path, &value)?;
    match owners.get(&server) {
        Some(owner) if owner.content == Content::List || content == Content::List => {
            let first = owner.path.clone();
            return Err(FolderError::SameServer { path: path.to_owned(), server, first });
        }
        Some(_) => {}
        None => {
            owners.insert(server.clone(), Owner { path: path.to_owned(), content });
        }
    }
    if let Some(package) = Package::read(&value) {
        catalog.packages.insert(server.clone(), package);
    }
    let list = catalog.servers.entry(server.clone()).or_default();
    list.info = server_info(&value);
    let mut names: BTreeSet<String> = list.tools.iter().map(|tool| tool.name.clone()).collect();
    for (at, entry) in entries.iter().enumerate() {
        match entry::tool(entry) {
            Ok(tool) if !names.insert(tool.name.clone()) => {
                let place = format!("tool `{}`", tool.name);
                let reason = "the server already has a tool of this name; the first one is used";
                catalog.problems.push(not_tools(path, &place, reason));
            }
            Ok(tool) => list.tools.push(tool),
            Err(error) => {
                let place = error.place(&format!("tool {}", at + 1));
                catalog.problems.push(not_tools(path, &place, &error.reason));
            }
        }
    }
    Ok(Some(server))
}

fn entries<'a>(path: &Path, value: &'a Value) -> Result<(&'a [Value], Content), FolderError> {
    let wrong = |reason| Err(not_tools(path, "the top level", reason));
    match value {
        Value::Array(entries) => Ok((entries, Content::List)),
        Value::Object(object) => match object.get("tools") {
            Some(Value::Array(entries)) => Ok((entries, Content::List)),
            Some(_) => wrong("`tools` is not a list"),
            None if object.contains_key("name") => {
                Ok((std::slice::from_ref(value), Content::OneTool))
            }
            None => wrong("expected `tools` or a list of tools"),
        },
        _ => wrong("expected an object or a list"),
    }
}

/// The name given in the file, or else the name of the file.
fn server_name(path: &Path, value: &Value) -> Result<String, FolderError> {
    match value.get("server") {
        None => {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            Ok(shown_name(&stem).into_owned())
        }
        Some(Value::String(server)) if !server.trim().is_empty() => {
            Ok(shown_name(server).into_owned())
        }
        Some(_) => Err(not_tools(path, "the top level", "`server` is empty or not text")),
    }
}

fn server_info(value: &Value) -> ServerInfo {
    let text = |key: &str| {
        let server_info = value.get("serverInfo");
        let text = value.get(key).or_else(|| server_info?.get(key)).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    ServerInfo {
        name: text("package"),
        version: text("version"),
        protocol_version: text("protocolVersion"),
    }
}

fn read_lines(path: &Path, catalog: &mut CatalogFile) -> Result<(), FolderError> {
    let failed = |source| FolderError::Read { path: path.to_owned(), source };
    let file = BufReader::new(fs::File::open(path).map_err(failed)?);
    for (at, line) in file.lines().enumerate() {
        let line = line.map_err(failed)?;
        if line.trim().is_empty() {
            continue;
        }
        let place = format!("line {}", at + 1);
        let value: Value = match serde_json::from_str(&line) {
            Ok(value) => value,
            Err(error) => {
                catalog.problems.push(FolderError::NotJson {
                    path: path.to_owned(),
                    line: at + 1,
                    column: error.column(),
                    reason: strip_place(&error),
                });
                continue;
            }
        };
        let Some(server) = value.get("server").and_then(Value::as_str) else {
            catalog.problems.push(not_tools(path, &place, "`server` is missing"));
            continue;
        };
        let server = shown_name(server).into_owned();
        match entry::tool(&value) {
            Ok(tool) => {
                if let Some(id) = value.get("id").and_then(Value::as_str) {
                    let key = ToolRef::new(&server, &tool.name);
                    catalog.ids.entry(key).or_insert_with(|| id.to_owned());
                }
                catalog.servers.entry(server).or_default().tools.push(tool);
            }
            Err(error) => {
                let place = match &error.tool {
                    Some(_) => format!("{place}, {}", error.place("")),
                    None => place,
                };
                catalog.problems.push(not_tools(path, &place, &error.reason));
            }
        }
    }
    Ok(())
}

fn not_tools(path: &Path, place: &str, reason: &str) -> FolderError {
    FolderError::NotTools {
        path: path.to_owned(),
        place: place.to_owned(),
        reason: reason.to_owned(),
    }
}

/// serde_json's text without its own " at line 1 column 2".
fn strip_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
