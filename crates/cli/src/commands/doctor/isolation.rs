//! Shows how well programs are isolated on this machine, layer by layer: a jailed
//! worker tries what it must not do, and reports.

use serde::Serialize;
use tidegate_config::Settings;
use tidegate_model::{Isolation, IsolationReport, Layer, LayerReport, LayerState, visible};
use tidegate_sandbox::{Driver, ProcessDriver};

use super::finding::Finding;
use crate::print::{self, Colour};

/// The result, layer by layer.
#[derive(Debug, Serialize)]
pub(super) struct Table {
    level: Isolation,
    min_isolation: Isolation,
    layers: IsolationReport,
}

pub(super) const NAME: &str = "isolation";

/// Jails a worker. There is no table if it could not be started.
pub(super) async fn probe(settings: &Settings) -> (Finding, Option<Table>) {
    let required = settings.sandbox.min_isolation;
    let executable = match std::env::current_exe() {
        Ok(executable) => executable,
        Err(error) => return (no_worker(&error), None),
    };
    // Every report is shown, so no level is refused here.
    let driver = ProcessDriver::new(executable, settings.limits.clone(), Isolation::Any);
    let report = match driver.start().await {
        Ok(worker) => worker.report,
        Err(error) => return (no_worker(&error), None),
    };
    let table = Table { level: report.level(), min_isolation: required, layers: report };
    (judge(&table), Some(table))
}

fn no_worker(error: &dyn std::error::Error) -> Finding {
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    Finding::problem(NAME, format!("{error}{cause}"), "see the finding about the worker")
}

fn judge(table: &Table) -> Finding {
    let Table { level, min_isolation, layers } = table;
    let missing: Vec<&LayerReport> =
        layers.0.iter().filter(|line| line.state != LayerState::Enforced).collect();
    let names: Vec<&str> = missing.iter().map(|line| line.layer.as_str()).collect();
    let summary = match names.as_slice() {
        [] => format!("`{level}`: all {} layers are enforced", layers.0.len()),
        names => format!("`{level}`: without {}", names.join(", ")),
    };
    if level < min_isolation {
        let message = format!("{summary}; `{min_isolation}` is required, so programs are refused");
        return Finding::problem(NAME, message, &remedy(&missing));
    }
    // Memory is limited in other ways too, and few users can create control groups.
    if missing.iter().all(|line| line.layer == Layer::Cgroup) {
        return Finding::ok(NAME, summary);
    }
    Finding::warning(NAME, summary, &remedy(&missing))
}

/// The remedy of the first layer: the others usually depend on it.
fn remedy(missing: &[&LayerReport]) -> String {
    let first = missing.iter().find(|line| !line.remedy.is_empty());
    first.map_or_else(|| "see the table".to_owned(), |line| line.remedy.clone())
}

impl Table {
    /// One line for each layer, below the finding.
    pub(super) fn print(&self) {
        for LayerReport { layer, state, reason, .. } in &self.layers.0 {
            let colour = match state {
                LayerState::Enforced => Colour::Green,
                LayerState::Partial | LayerState::NotRequested => Colour::Yellow,
                LayerState::Unavailable => Colour::Red,
            };
            let state = print::painted(&format!("{:<11}", state.as_str()), colour);
            let reason = visible(reason);
            print::line(format!("         {:<18} {state} {reason}", layer.as_str()).trim_end());
        }
    }
}
