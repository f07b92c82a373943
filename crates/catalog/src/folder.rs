//! Tool definitions from files: `--catalog PATH`.
//!
//! PATH is a folder of `*.json` files or a `.jsonl` file. A bad file is reported
//! with its place and skipped; the rest is served.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use thiserror::Error;
use tidegate_model::{Hints, ServerInfo, ToolDef, ToolList, ToolRef};

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
        /// Where: a line or an entry.
        place: String,
        /// What was wrong.
        reason: String,
    },
}

/// What a catalog holds.
#[derive(Debug, Default)]
pub struct CatalogFile {
    /// Tools by server.
    pub servers: BTreeMap<String, ToolList>,
    /// Identities that the file gave to its tools.
    pub ids: BTreeMap<ToolRef, String>,
    /// Files and entries that were skipped.
    pub problems: Vec<FolderError>,
}

/// Reads a folder of `*.json` files, one such file, or a `.jsonl` file.
pub fn read_catalog(path: &Path) -> Result<CatalogFile, FolderError> {
    let failed = |source| FolderError::Read { path: path.to_owned(), source };
    let mut catalog = CatalogFile::default();
    if !path.is_dir() {
        if path.extension().is_some_and(|end| end == "jsonl") {
            read_lines(path, &mut catalog)?;
        } else {
            read_file(path, &mut catalog)?;
        }
        return Ok(catalog);
    }
    let mut folders = vec![path.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let file = entry.map_err(failed)?.path();
            if file.is_dir() {
                folders.push(file);
            } else if file.extension().is_some_and(|end| end == "json") {
                files.push(file);
            }
        }
    }
    files.sort();
    for file in files {
        if let Err(problem) = read_file(&file, &mut catalog) {
            catalog.problems.push(problem);
        }
    }
    Ok(catalog)
}

fn read_file(path: &Path, catalog: &mut CatalogFile) -> Result<(), FolderError> {
    let source = |source| FolderError::Read { path: path.to_owned(), source };
    let text = fs::read_to_string(path).map_err(source)?;
    let value: Value = serde_json::from_str(&text).map_err(|error| FolderError::NotJson {
        path: path.to_owned(),
        line: error.line(),
        column: error.column(),
        reason: strip_place(&error),
    })?;
    // A client's file with `mcpServers` may lie in the same folder; it holds no
    // tools and is not a mistake.
    if value.get("mcpServers").is_some() {
        return Ok(());
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let server = value.get("server").and_then(Value::as_str).unwrap_or(&stem).to_owned();
    let entries: &[Value] = match &value {
        Value::Array(entries) => entries,
        Value::Object(object) => match object.get("tools") {
            Some(Value::Array(entries)) => entries,
            // One tool on its own.
            _ if object.contains_key("name") => std::slice::from_ref(&value),
            _ => {
                return Err(not_tools(
                    path,
                    "the top level",
                    "neither `tools` nor a list of tools",
                ));
            }
        },
        _ => return Err(not_tools(path, "the top level", "neither an object nor a list")),
    };
    let text = |key: &str| {
        let server_info = value.get("serverInfo");
        let text = value.get(key).or_else(|| server_info?.get(key)).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let info = ServerInfo {
        name: text("package"),
        version: text("version"),
        protocol_version: text("protocolVersion"),
    };
    let list = catalog.servers.entry(server).or_default();
    list.info = info;
    for (at, entry) in entries.iter().enumerate() {
        match tool(entry) {
            Ok(tool) => list.tools.push(tool),
            Err(reason) => {
                catalog.problems.push(not_tools(path, &format!("tool {}", at + 1), &reason));
            }
        }
    }
    Ok(())
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
        match tool(&value) {
            Ok(tool) => {
                if let Some(id) = value.get("id").and_then(Value::as_str) {
                    let key = ToolRef::new(server, &tool.name);
                    catalog.ids.entry(key).or_insert_with(|| id.to_owned());
                }
                catalog.servers.entry(server.to_owned()).or_default().tools.push(tool);
            }
            Err(reason) => catalog.problems.push(not_tools(path, &place, &reason)),
        }
    }
    Ok(())
}

/// A tool in MCP's form, or in the simple form with `parameters`.
fn tool(entry: &Value) -> Result<ToolDef, String> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    let name = text("name").ok_or("`name` is missing or not text")?;
    if name.is_empty() {
        return Err("`name` is empty".to_owned());
    }
    let input_schema = match (entry.get("inputSchema"), entry.get("parameters")) {
        (Some(schema), _) => schema.clone(),
        (None, Some(Value::Array(parameters))) => simple_schema(parameters)?,
        (None, Some(schema @ Value::Object(_))) => schema.clone(),
        (None, Some(_)) => return Err("`parameters` is not a list".to_owned()),
        (None, None) => json!({"type": "object"}),
    };
    let annotations: Option<Hints> =
        entry.get("annotations").and_then(|hints| serde_json::from_value(hints.clone()).ok());
    Ok(ToolDef {
        name,
        title: text("title"),
        description: text("description"),
        input_schema,
        output_schema: entry.get("outputSchema").cloned(),
        annotations,
    })
}

fn simple_schema(parameters: &[Value]) -> Result<Value, String> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for parameter in parameters {
        let name = parameter.get("name").and_then(Value::as_str);
        let name = name.ok_or("a parameter has no `name`")?;
        let mut schema = Map::new();
        for key in ["type", "description", "default", "enum", "items"] {
            if let Some(value) = parameter.get(key) {
                schema.insert(key.to_owned(), value.clone());
            }
        }
        if parameter.get("required").and_then(Value::as_bool) == Some(true) {
            required.push(Value::String(name.to_owned()));
        }
        properties.insert(name.to_owned(), Value::Object(schema));
    }
    Ok(json!({"type": "object", "properties": properties, "required": required}))
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
