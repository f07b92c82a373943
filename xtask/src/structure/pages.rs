//! Finds paths in the documents that do not exist, and an architecture page that is too
//! long.
//!
//! In: `ARCHITECTURE.md` and the other pages. Out: a finding for each path that does not
//! exist. A path is the target of a relative link or, in back-ticks, text that begins
//! with a folder of the project or is the name of a Rust file. Such a name may leave out
//! the folders above (`bridge.rs`, `rules/pattern.rs`). A `*` stands for any name.

use std::collections::BTreeSet;

use super::Finding;
use super::source::Sources;

const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// A newcomer reads the whole page before the first change.
const MAX_LINES: usize = 200;

pub(crate) fn find(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    let paths = Paths::of(sources);
    for page in sources.paths().filter(|path| is_page(path)) {
        let text = sources.text(page).unwrap_or_default();
        for (index, line) in text.lines().enumerate() {
            let missing = named_paths(line).into_iter().filter(|path| !paths.has(page, path));
            findings.extend(missing.map(|path| Finding {
                path: page.to_owned(),
                line: index + 1,
                text: format!("`{path}` does not exist; name where it is now"),
            }));
        }
    }
    findings.extend(too_long(sources.text(ARCHITECTURE).unwrap_or_default()));
    findings
}

fn too_long(text: &str) -> Option<Finding> {
    let lines = text.lines().count();
    (lines > MAX_LINES).then(|| Finding {
        path: ARCHITECTURE.to_owned(),
        line: MAX_LINES + 1,
        text: format!(
            "the page has {lines} lines, at most {MAX_LINES} are allowed; leave out what its name says where to find"
        ),
    })
}

/// The change log and the decisions describe the past: they name paths of their time.
fn is_page(path: &str) -> bool {
    let in_root = !path.contains('/') && path != "CHANGELOG.md";
    let in_docs = path.starts_with("docs/") && !path.starts_with("docs/decisions/");
    path.ends_with(".md") && (in_root || in_docs)
}

/// A path as a page names it.
enum Named<'a> {
    /// `[text](path)`: relative to the page.
    Link(&'a str),
    /// In back-ticks: relative to the project, or the end of a path.
    Quoted(&'a str),
}

impl std::fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Link(path) | Self::Quoted(path) => f.write_str(path),
        }
    }
}

fn named_paths(line: &str) -> Vec<Named<'_>> {
    let quoted = line.split('`').skip(1).step_by(2);
    let quoted = quoted.filter(|text| is_path(text)).map(Named::Quoted);
    let links = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let links = links.map(|(target, _)| target.split('#').next().unwrap_or(target));
    let links = links.filter(|target| !target.is_empty() && !target.contains("://"));
    quoted.chain(links.map(Named::Link)).collect()
}

fn is_path(text: &str) -> bool {
    const FOLDERS: [&str; 7] =
        ["crates/", "docs/", "testing/", "xtask/", "fuzz/", "templates/", ".ci/"];
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./*".contains(&byte));
    plain && (text.ends_with(".rs") || FOLDERS.iter().any(|folder| text.starts_with(folder)))
}

/// Every file and every folder.
struct Paths(BTreeSet<String>);

impl Paths {
    fn of(sources: &Sources) -> Self {
        let mut paths = BTreeSet::new();
        for path in sources.paths() {
            let ends = path.match_indices('/').map(|(end, _)| end);
            paths.extend(ends.map(|end| path[..end].to_owned()));
            paths.insert(path.to_owned());
        }
        Self(paths)
    }

    fn has(&self, page: &str, named: &Named<'_>) -> bool {
        match named {
            Named::Link(target) => {
                let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
                self.0.contains(&joined(folder, target))
            }
            Named::Quoted(path) => {
                let path = path.trim_end_matches('/');
                self.0.iter().any(|known| ends_with(known, path))
            }
        }
    }
}

fn joined(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Whether the last parts of a path are these; `*` stands for any text within a part.
fn ends_with(path: &str, end: &str) -> bool {
    let mut parts = path.rsplit('/');
    let ends =
        end.rsplit('/').all(|pattern| parts.next().is_some_and(|part| matches(part, pattern)));
    // A path that begins with a folder of the project starts at the root.
    ends && (parts.next().is_none() || !is_anchored(end))
}

fn is_anchored(path: &str) -> bool {
    is_path(path) && !path.ends_with(".rs") || path.starts_with("crates/")
}

fn matches(part: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => part == pattern,
        Some((start, end)) => {
            part.len() >= start.len() + end.len() && part.starts_with(start) && part.ends_with(end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINES, find};
    use crate::structure::Finding;
    use crate::structure::source::Sources;

    fn findings(page: &str, text: &str) -> Vec<String> {
        let sources = Sources::of(&[
            (page, text),
            ("README.md", ""),
            ("crates/policy/src/rules.rs", ""),
            ("crates/policy/src/rules/pattern.rs", ""),
            ("testing/pins/python.txt", ""),
        ]);
        find(&sources)
            .into_iter()
            .map(|one| format!("{}:{}: {}", one.path, one.line, one.text))
            .collect()
    }

    #[test]
    fn paths_that_exist_are_fine() {
        let text = "`crates/policy/src/rules.rs`; `rules/pattern.rs`, `pattern.rs` and `crates/policy`\n\
                    `testing/pins/*.txt`, [read me](../README.md#use), [site](https://example.com/a.rs)\n\
                    `skill.py`, `GET /x.rs`, `a.rs b`";
        assert_eq!(findings("docs/page.md", text), Vec::<String>::new());
    }

    #[test]
    fn paths_that_do_not_exist_are_findings() {
        let text = "`crates/policy/src/gone.rs`\n`src/gone.rs`, `ern.rs` and `crates/rules.rs`\n\
                    [gone](README.md), `testing/pins/*.json`";
        let expected = [
            "docs/page.md:1: `crates/policy/src/gone.rs` does not exist; name where it is now",
            "docs/page.md:2: `src/gone.rs` does not exist; name where it is now",
            "docs/page.md:2: `ern.rs` does not exist; name where it is now",
            "docs/page.md:2: `crates/rules.rs` does not exist; name where it is now",
            "docs/page.md:3: `testing/pins/*.json` does not exist; name where it is now",
            "docs/page.md:3: `README.md` does not exist; name where it is now",
        ];
        assert_eq!(findings("docs/page.md", text), expected);
    }

    #[test]
    fn what_tells_of_the_past_may_name_what_is_gone() {
        for page in ["CHANGELOG.md", "docs/decisions/0001-first.md"] {
            assert_eq!(findings(page, "`crates/gone/src/lib.rs`"), Vec::<String>::new());
        }
    }

    #[test]
    fn the_architecture_page_has_a_limit() {
        let findings = |lines| find(&Sources::of(&[("ARCHITECTURE.md", &"line\n".repeat(lines))]));
        assert_eq!(findings(MAX_LINES), []);
        let text = "the page has 201 lines, at most 200 are allowed; leave out what its name says where to find";
        let expected =
            Finding { path: "ARCHITECTURE.md".to_owned(), line: 201, text: text.to_owned() };
        assert_eq!(findings(MAX_LINES + 1), [expected]);
    }
}
