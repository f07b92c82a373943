//! Reads the catalogs of known servers, as the first search would.

use tidegate_config::Settings;
use tidegate_gateway::{KnownServers, catalog_paths};

use super::finding::Finding;

const NAME: &str = "catalogs";

/// What they hold, and what is wrong with them. Nothing if there is none.
pub(super) fn probe(settings: &Settings) -> Vec<Finding> {
    if catalog_paths(settings).is_empty() {
        return Vec::new();
    }
    let known = KnownServers::read(settings);
    let (servers, tools) = known.size();
    let mut findings = vec![Finding::ok(
        NAME,
        format!("{servers} servers with {tools} tools are known beside the configured ones"),
    )];
    let remedy = "correct it, or take it out of `catalogs` in `[search]`; the rest is used";
    let problem = |problem: &String| Finding::warning(NAME, problem, remedy);
    findings.extend(known.problems.iter().map(problem));
    findings
}
