//! Every path that `ARCHITECTURE.md` names exists: a map that names a missing file
//! misleads its reader.
//!
//! Every text in back-ticks that looks like a path is looked up, outside of code blocks.
//! Text that begins with a folder of the repository is a path from its root. Any other,
//! such as `spread.rs` or `index/spread.rs`, is the end of some file's path.

use std::collections::BTreeSet;
use std::path::Path;

/// The endings of file names that have no folder.
const FILES: [&str; 9] = [".rs", ".md", ".toml", ".py", ".pyi", ".js", ".ts", ".json", ".txt"];
/// Folders that builds and tools leave behind.
const NOT_OURS: [&str; 4] = [".git", ".cache", "target", "node_modules"];

#[test]
fn every_path_in_the_architecture_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let mut paths = BTreeSet::new();
    list(&root, "", &mut paths);
    let missing: Vec<&str> = named(&page).filter(|name| !exists(name, &paths)).collect();
    assert_eq!(missing, [""; 0], "ARCHITECTURE.md names what does not exist");
}

#[test]
fn a_path_that_is_gone_is_noticed_however_it_is_written() {
    let paths = ["crates", "crates/a", "crates/a/one.rs", "crates/a/keys_x.rs"];
    let paths: BTreeSet<String> = paths.iter().map(|path| format!("/{path}")).collect();
    let page = "`crates/a/` `crates/a/one.rs` `one.rs` `a/one.rs` `keys_*.rs` `a::b` `10/s` `.x`
        `crates/b` `crates/a/two.rs` `two.rs` `ne.rs` `b/one.rs` `other_*.rs` `crates/a/*.py`
        ```
        `three.rs`
        ```";
    let missing: Vec<&str> = named(page).filter(|name| !exists(name, &paths)).collect();
    let gone = [
        "crates/b",
        "crates/a/two.rs",
        "two.rs",
        "ne.rs",
        "b/one.rs",
        "other_*.rs",
        "crates/a/*.py",
    ];
    assert_eq!(missing, gone);
}

/// The paths that a page names.
fn named(page: &str) -> impl Iterator<Item = &str> {
    // Every second piece is inside: first of code blocks, then of back-ticks.
    let prose = page.split("```").step_by(2);
    prose.flat_map(|prose| prose.split('`').skip(1).step_by(2)).filter(|text| {
        let is_path = |char: char| char.is_ascii_alphanumeric() || "/._-*".contains(char);
        let names_a_file = FILES.iter().any(|end| text.len() > end.len() && text.ends_with(end));
        let has_folder = text.starts_with(|char: char| char.is_ascii_lowercase())
            && text.contains('/')
            && !text.starts_with("http");
        text.chars().all(is_path) && (names_a_file || has_folder)
    })
}

/// Whether some path is this one or ends with it; `*` is any part of a name.
fn exists(name: &str, paths: &BTreeSet<String>) -> bool {
    let name = format!("/{}", name.trim_end_matches('/'));
    let top = name[1..].split('/').next().map(|first| format!("/{first}"));
    let from_the_root = top.is_some_and(|top| name.len() > top.len() && paths.contains(&top));
    let fits = |path: &str| match name.split_once('*') {
        None if from_the_root => path == name,
        None => path.ends_with(&name),
        Some((start, end)) => {
            let start_at = if from_the_root {
                path.find(start).filter(|at| *at == 0)
            } else {
                path.rfind(start)
            };
            start_at.is_some_and(|at| {
                let rest = &path[at + start.len()..];
                rest.ends_with(end) && !rest.contains('/')
            })
        }
    };
    paths.iter().any(|path| fits(path))
}

/// Files and folders below the root, each as `/crates/…`.
fn list(folder: &Path, prefix: &str, paths: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if NOT_OURS.contains(&name.as_str()) {
            continue;
        }
        let path = format!("{prefix}/{name}");
        if entry.file_type().unwrap().is_dir() {
            list(&entry.path(), &path, paths);
        }
        paths.insert(path);
    }
}
