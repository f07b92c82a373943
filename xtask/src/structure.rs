//! Rules for the structure of the code and of the documents, beyond the checks of the
//! compiler and clippy.
//!
//! In: the files that git knows or would add. Out: one finding for each rule that is
//! broken, with its place and what to do.
//! Must stay true: nothing is built and nothing is changed, so this takes seconds.

mod cycles;
mod floors;
mod functions;
mod modules;
mod pages;
mod references;
mod source;
mod structs;

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use crate::progress::Progress;
use crate::project::Project;

use modules::Crate;
use source::Sources;

/// Prints every finding and fails if there is one.
pub(crate) fn run(project: &Project, progress: &Progress) -> Result<()> {
    progress.say("structure");
    let sources = Sources::read(project)?;
    let mut findings = Vec::new();
    for root in sources.crate_roots() {
        findings.extend(cycles::find(&Crate::read(&sources, &root)?));
    }
    for file in sources.rust_files() {
        findings.extend(functions::find(&file));
        findings.extend(structs::find(&file));
    }
    findings.extend(floors::find(&sources)?);
    findings.extend(structs::stale_exceptions(&sources));
    findings.extend(pages::find(&sources));
    if findings.is_empty() {
        return Ok(());
    }
    let count = findings.len();
    bail!("structure: {count} findings\n{}", by_place(findings).join("\n"))
}

/// One rule that is broken in one place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Relative to the project folder.
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) text: String,
}

fn by_place(findings: Vec<Finding>) -> Vec<String> {
    let mut places: BTreeMap<(String, usize), Vec<String>> = BTreeMap::new();
    for finding in findings {
        places.entry((finding.path, finding.line)).or_default().push(finding.text);
    }
    let lines = places.into_iter().flat_map(|((path, line), texts)| {
        texts.into_iter().map(move |text| format!("{path}:{line}: {text}"))
    });
    lines.collect()
}
