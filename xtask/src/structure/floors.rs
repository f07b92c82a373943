//! Finds floors of the gateway that use a floor which `ARCHITECTURE.md` lists below them.
//!
//! In: the table of floors in that page, lowest first, and the uses between the modules of
//! the gateway. Out: a finding for each pair of floors in the wrong order, with a use that
//! proves it, and for each floor that the table leaves out.
//! Files beside the floors (`pipeline.rs`, `gateway.rs`) put them together and are not
//! ordered.

use std::collections::BTreeSet;

use anyhow::Result;

use super::Finding;
use super::modules::{Crate, Use};
use super::source::Sources;

const PAGE: &str = "ARCHITECTURE.md";
const TITLE: &str = "## The floors of the gateway";
const GATEWAY: &str = "crates/gateway/src/";

pub(crate) fn find(sources: &Sources) -> Result<Vec<Finding>> {
    let root = format!("{GATEWAY}lib.rs");
    if sources.text(&root).is_none() {
        return Ok(Vec::new());
    }
    let floors = floors(sources.text(PAGE).unwrap_or_default());
    let mut findings: Vec<Finding> = folders(sources)
        .filter(|folder| !floors.contains(folder))
        .map(|folder| Finding {
            path: PAGE.to_owned(),
            line: 1,
            text: format!("the table of floors leaves out `{folder}`"),
        })
        .collect();
    findings.extend(wrong_uses(&floors, &Crate::read(sources, &root)?.uses()));
    Ok(findings)
}

/// The first column of the table, in its order.
fn floors(page: &str) -> Vec<&str> {
    let section = page.split_once(TITLE).map_or("", |(_, rest)| rest);
    let section = section.split("\n## ").next().unwrap_or_default();
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `"));
    cells.filter_map(|cell| Some(cell.split_once("/`")?.0)).collect()
}

/// The folders of the gateway that are modules.
fn folders(sources: &Sources) -> impl Iterator<Item = &str> {
    let inside = sources.paths().filter_map(|path| path.strip_prefix(GATEWAY));
    inside.filter_map(|path| path.strip_suffix("/mod.rs")).filter(|folder| !folder.contains('/'))
}

fn wrong_uses(floors: &[&str], uses: &[Use]) -> Vec<Finding> {
    let place = |module: &[String]| {
        let floor = module.first()?;
        floors.iter().position(|one| one == floor)
    };
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for one in uses {
        let (Some(from), Some(to)) = (place(&one.from), place(&one.to)) else { continue };
        if from < to && seen.insert((from, to)) {
            findings.push(Finding {
                path: one.file.clone(),
                line: one.line,
                text: format!(
                    "`{}` uses `{}` (`{}`), which {PAGE} lists below it; move what is used, or correct the order",
                    floors[from], floors[to], one.written
                ),
            });
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{find, floors};
    use crate::structure::source::Sources;

    const TABLE: &str = "\n## The floors of the gateway\n\n| floor | struct |\n|---|---|\n| `low/` | |\n| `high/` | `High` |\n\n## Next\n\n| `other/` | |\n";

    fn texts(low: &str, high: &str) -> Vec<String> {
        let sources = Sources::of(&[
            ("ARCHITECTURE.md", TABLE),
            ("crates/gateway/src/lib.rs", "mod low; mod high; mod pipeline;"),
            ("crates/gateway/src/low/mod.rs", low),
            ("crates/gateway/src/high/mod.rs", high),
            ("crates/gateway/src/pipeline.rs", "use crate::high::High; use crate::low::Low;"),
        ]);
        let findings = find(&sources).unwrap();
        findings.into_iter().map(|one| format!("{}:{} {}", one.path, one.line, one.text)).collect()
    }

    #[test]
    fn the_table_is_read_in_its_order() {
        assert_eq!(floors(TABLE), ["low", "high"]);
    }

    #[test]
    fn a_floor_may_use_those_above_it_in_the_table() {
        assert!(texts("pub struct Low;", "use crate::low::Low; pub struct High(Low);").is_empty());
    }

    #[test]
    fn a_floor_may_not_use_one_that_is_listed_below_it() {
        let low = "pub struct Low;\nuse crate::high::High;";
        assert_eq!(
            texts(low, "pub struct High;"),
            ["crates/gateway/src/low/mod.rs:2 `low` uses `high` (`crate::high::High`), which \
              ARCHITECTURE.md lists below it; move what is used, or correct the order"]
        );
    }

    #[test]
    fn every_floor_is_in_the_table() {
        let sources = Sources::of(&[
            ("ARCHITECTURE.md", TABLE),
            ("crates/gateway/src/lib.rs", "mod third;"),
            ("crates/gateway/src/third/mod.rs", ""),
        ]);
        let [finding] = find(&sources).unwrap().try_into().unwrap();
        assert_eq!(finding.text, "the table of floors leaves out `third`");
    }
}
