//! How well programs are kept in on this machine, layer by layer: a worker is
//! jailed, tries what it must not do, and reports.

use serde::Serialize;
use tidegate_config::Settings;
use tidegate_model::{Isolation, IsolationReport, Layer, LayerReport, LayerState, visible};
use tidegate_sandbox::{Driver, ProcessDriver};

use super::finding::Finding;
use crate::print::{self, Colour};

/// What came of it.
#[derive(Debug, Serialize)]
pub(super) struct Table {
    level: Isolation,
    min_isolation: Isolation,
    layers: IsolationReport,
}

pub(super) const NAME: &str = "isolation";

/// Jails a worker. The table is missing if none could be started.
pub(super) async fn probe(settings: &Settings) -> (Finding, Option<Table>) {
    let wanted = settings.sandbox.min_isolation;
    let executable = match std::env::current_exe() {
        Ok(executable) => executable,
        Err(error) => return (no_worker(&error), None),
    };
    // Whatever it reports is to be shown, so nothing is refused here.
    let driver = ProcessDriver::new(executable, settings.limits.clone(), Isolation::Any);
    let report = match driver.start().await {
        Ok(worker) => worker.report,
        Err(error) => return (no_worker(&error), None),
    };
    let table = Table { level: report.level(), min_isolation: wanted, layers: report };
    (judge(&table), Some(table))
}

fn no_worker(error: &dyn std::error::Error) -> Finding {
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    Finding::problem(NAME, format!("{error}{cause}"), "see the finding about the worker")
}

fn judge(table: &Table) -> Finding {
    let Table { level, min_isolation, layers } = table;
    let lacking: Vec<&LayerReport> =
        layers.0.iter().filter(|line| line.state != LayerState::Enforced).collect();
    let names: Vec<&str> = lacking.iter().map(|line| line.layer.as_str()).collect();
    let what = match names.as_slice() {
        [] => format!("`{level}`: all {} layers hold", layers.0.len()),
        names => format!("`{level}`: without {}", names.join(", ")),
    };
    if level < min_isolation {
        let message = format!("{what}; `{min_isolation}` is wanted, so programs are refused");
        return Finding::problem(NAME, message, &remedy(&lacking));
    }
    // Memory is limited in other ways too, and few users can make such groups.
    if lacking.iter().all(|line| line.layer == Layer::Cgroup) {
        return Finding::ok(NAME, what);
    }
    Finding::warning(NAME, what, &remedy(&lacking))
}

/// The first layer's remedy: the others usually fall with it.
fn remedy(lacking: &[&LayerReport]) -> String {
    let first = lacking.iter().find(|line| !line.remedy.is_empty());
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
