//! The typed APIs of all servers as files.
//!
//! `servers/index.ts`, `servers/<server>/index.ts`, `types.ts` and one file per
//! tool for TypeScript; `servers/__init__.py` and `servers/<server>/__init__.py`
//! for Python, where the folder is an identifier. The same catalog always gives
//! the same files.

use std::collections::HashSet;

use tidegate_model::is_hidden;

use crate::catalog::Catalog;
use crate::names::{camel_case, is_identifier, snake_case};

/// Which languages to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Languages {
    /// TypeScript only.
    TypeScript,
    /// Python only.
    Python,
    /// Both.
    All,
}

/// One file: a path with `/`, relative, and its text.
pub type TreeFile = (String, String);

/// All files, server by server.
pub fn tree(catalog: &Catalog, languages: Languages) -> Vec<TreeFile> {
    let typescript = languages != Languages::Python;
    let python = languages != Languages::TypeScript;
    let mut files = Vec::new();
    let mut index = String::new();
    let mut folders = HashSet::new();
    let mut packages = HashSet::new();
    let mut exports = HashSet::new();
    for server in catalog.servers() {
        let Some(api) = catalog.api(server) else { continue };
        if typescript {
            let folder = free(folder_name(server), &mut folders);
            for name in api.files() {
                let text = api.file(&name).unwrap_or_default();
                files.push((format!("servers/{folder}/{name}"), text));
            }
            let export = free(export_name(server), &mut exports);
            index.push_str(&format!("export * as {export} from \"./{folder}\"\n"));
        }
        if python {
            let package = free(snake_case(server), &mut packages);
            files.push((format!("servers/{package}/__init__.py"), api.python()));
        }
    }
    if typescript {
        files.push(("servers/index.ts".to_owned(), index));
    }
    if python {
        files.push(("servers/__init__.py".to_owned(), String::new()));
    }
    files
}

/// A server's name as a folder name: a server may be called anything, including `..` or
/// `index.ts`.
pub fn folder_name(server: &str) -> String {
    let harmless = |c: char| (c.is_alphanumeric() && !is_hidden(c)) || matches!(c, '-' | '_');
    let name: String = server.chars().map(|c| if harmless(c) { c } else { '_' }).take(80).collect();
    match name.as_str() {
        "" => "_".to_owned(),
        "index" => "index_".to_owned(),
        _ => name,
    }
}

fn export_name(server: &str) -> String {
    if is_identifier(server) { server.to_owned() } else { camel_case(server) }
}

/// The name, with a number if it is taken, ignoring case.
fn free(name: String, taken: &mut HashSet<String>) -> String {
    let numbered = (2_u32..).map(|number| format!("{name}{number}"));
    let free = std::iter::once(name.clone())
        .chain(numbered)
        .find(|name| !taken.contains(&name.to_lowercase()))
        .unwrap_or(name);
    taken.insert(free.to_lowercase());
    free
}
