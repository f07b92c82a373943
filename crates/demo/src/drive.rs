//! The demo's drive: lists, reads, searches and writes text files in memory.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::{Value, json};

use super::files::files;
use super::server::{Demo, Refusal, Reply, read};

/// Maximum number of matches of a search.
const MAX_MATCHES: usize = 50;

/// The largest file a client may write.
const LARGEST_FILE: usize = 4 * 1024 * 1024;

pub(crate) struct Drive {
    /// Created by the first call that needs it; a handshake and a tool list do not.
    files: LazyLock<Mutex<BTreeMap<String, String>>>,
}

impl Drive {
    pub(crate) fn new() -> Self {
        Self { files: LazyLock::new(|| Mutex::new(files())) }
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        // No code panics while it holds the lock, so the data is whole.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Demo for Drive {
    const NAME: &'static str = "tidegate-demo-drive";
    const INSTRUCTIONS: &'static str =
        "Text files of a small company. Paths are relative, such as `reports/2026-w01.md`.";
    const TOOLS: &'static str = include_str!("tools/drive.json");

    fn call(&self, tool: &str, arguments: JsonObject) -> Result<Reply, Refusal> {
        match tool {
            "list_files" => Ok(self.list(&read(arguments)?)),
            "read_file" => self.read(&read(arguments)?),
            "search_files" => self.search(&read(arguments)?),
            "write_file" => self.write(read(arguments)?),
            _ => Err(Refusal::UnknownTool),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    folder: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    query: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Write {
    path: String,
    text: String,
}

impl Drive {
    fn list(&self, request: &List) -> Reply {
        let folder = request.folder.as_deref().unwrap_or_default().trim_matches('/');
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let files = self.files();
        let found: Vec<Value> = files
            .iter()
            .filter(|(path, _)| path.starts_with(&prefix))
            .map(|(path, text)| json!({"path": path, "size": text.len()}))
            .collect();
        Reply::json(json!({"files": found}))
    }

    fn read(&self, request: &Read) -> Result<Reply, Refusal> {
        let files = self.files();
        let text = files.get(&request.path).ok_or_else(|| {
            Refusal::failed(format!(
                "File not found: `{}`. Use `list_files` to see what there is.",
                request.path
            ))
        })?;
        let structured = json!({"path": request.path, "size": text.len(), "text": text});
        Ok(Reply::with_text(structured, text.clone()))
    }

    fn search(&self, request: &Search) -> Result<Reply, Refusal> {
        let wanted = request.query.trim().to_lowercase();
        if wanted.is_empty() {
            return Err(Refusal::failed("`query` must not be empty"));
        }
        let files = self.files();
        let lines = files.iter().flat_map(|(path, text)| {
            text.lines().enumerate().map(move |(index, line)| (path, index + 1, line))
        });
        let mut matches: Vec<Value> = lines
            .filter(|(path, number, line)| {
                // A file whose path matches is shown by its first line.
                line.to_lowercase().contains(&wanted)
                    || (*number == 1 && path.to_lowercase().contains(&wanted))
            })
            .take(MAX_MATCHES + 1)
            .map(|(path, number, line)| json!({"path": path, "line": number, "text": line}))
            .collect();
        let truncated = matches.len() > MAX_MATCHES;
        matches.truncate(MAX_MATCHES);
        Ok(Reply::json(json!({"matches": matches, "truncated": truncated})))
    }

    fn write(&self, request: Write) -> Result<Reply, Refusal> {
        let Write { path, text } = request;
        let parts_ok = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if !parts_ok || path.contains(['\\', '\0']) {
            return Err(Refusal::failed(format!(
                "`path` must be relative and without empty, `.` or `..` parts, got `{path}`"
            )));
        }
        if text.len() > LARGEST_FILE {
            return Err(Refusal::failed(format!(
                "`text` must be at most {LARGEST_FILE} bytes, got {}",
                text.len()
            )));
        }
        let size = text.len();
        let created = self.files().insert(path.clone(), text).is_none();
        Ok(Reply::json(json!({"path": path, "size": size, "created": created})))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::server::{call, check_tools};
    use super::super::transcript;
    use super::Drive;

    #[test]
    fn every_listed_tool_works_and_is_described() {
        check_tools(&Drive::new(), &["list_files", "read_file", "search_files", "write_file"]);
        assert_eq!(call(&Drive::new(), "nope", json!({})), Err("Unknown tool: `nope`".into()));
    }

    #[test]
    fn a_folder_lists_its_own_files_only() {
        let listed = call(&Drive::new(), "list_files", json!({"folder": "/policies/"}));
        let expected = json!({"files": [
            {"path": "policies/retention.md", "size": 80},
            {"path": "policies/travel.md", "size": 70},
        ]});
        assert_eq!(listed, Ok(expected));
    }

    #[test]
    fn a_file_is_read_whole() {
        let read = call(&Drive::new(), "read_file", json!({"path": transcript::PATH})).unwrap();
        assert_eq!(read["text"], transcript::transcript());
    }

    #[test]
    fn a_search_finds_lines_and_paths() {
        let found = call(&Drive::new(), "search_files", json!({"query": "NIGHT support."}));
        let expected = json!({"truncated": false, "matches": [{
            "path": "notes/renewal-ideas.txt",
            "line": 1,
            "text": "Split the offer by site. Three years with a way out after one. Ask about night support.",
        }]});
        assert_eq!(found, Ok(expected));
        let found = call(&Drive::new(), "search_files", json!({"query": "travel.md"})).unwrap();
        assert_eq!(
            found["matches"],
            json!([
                {"path": "policies/travel.md", "line": 1, "text": "# Travel"},
            ])
        );
    }

    #[test]
    fn what_was_written_can_be_read() {
        let drive = Drive::new();
        let write = json!({"path": "notes/new.txt", "text": "hello"});
        let written = call(&drive, "write_file", write.clone());
        assert_eq!(written, Ok(json!({"path": "notes/new.txt", "size": 5, "created": true})));
        assert_eq!(call(&drive, "write_file", write).unwrap()["created"], false);
        let read = call(&drive, "read_file", json!({"path": "notes/new.txt"}));
        assert_eq!(read, Ok(json!({"path": "notes/new.txt", "size": 5, "text": "hello"})));
    }

    #[test]
    fn wrong_arguments_are_refused_with_the_reason() {
        let refused = |tool, arguments| call(&Drive::new(), tool, arguments).unwrap_err();
        assert_eq!(
            refused("read_file", json!({"path": "nope.txt"})),
            "File not found: `nope.txt`. Use `list_files` to see what there is."
        );
        assert_eq!(
            refused("read_file", json!({})),
            "Invalid arguments for `read_file`: missing field `path`"
        );
        assert_eq!(
            refused("write_file", json!({"path": "../x", "text": ""})),
            "`path` must be relative and without empty, `.` or `..` parts, got `../x`"
        );
        assert_eq!(refused("search_files", json!({"query": " "})), "`query` must not be empty");
    }
}
