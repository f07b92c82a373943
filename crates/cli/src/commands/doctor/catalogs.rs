//! Reads the catalogs of servers that are not configured, as the first search would.

use tidegate_config::Settings;
use tidegate_gateway::{KnownServers, catalog_paths};

use super::finding::Finding;
use crate::print::counted;

const NAME: &str = "catalogs";

/// The size of the catalogs and each problem in them. Nothing without catalogs.
pub(super) fn probe(settings: &Settings) -> Vec<Finding> {
    if catalog_paths(settings).is_empty() {
        return Vec::new();
    }
    let known = KnownServers::read(settings);
    let (servers, tools) = known.size();
    let mut findings = vec![Finding::ok(
        NAME,
        format!(
            "known in addition to the configured ones: {} with {}",
            counted(servers, "server"),
            counted(tools, "tool")
        ),
    )];
    let remedy = "fix it, or remove it from `catalogs` in `[search]`; the rest is used";
    let problem = |problem: &String| Finding::warning(NAME, problem, remedy);
    findings.extend(known.problems.iter().map(problem));
    findings
}
