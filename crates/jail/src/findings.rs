//! The state of each isolation layer, collected while the process enters its jail.
//!
//! In: one result per layer. Out: an [`IsolationReport`].
//! Invariant: a layer is never reported as enforced after it was found to leak.

use rustix::io::Errno;
use tidegate_model::{IsolationReport, Layer, LayerReport, LayerState};

/// One line per layer that was set up so far; the last result for a layer counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings(Vec<LayerReport>);

impl Findings {
    /// Records the result for a layer.
    pub(crate) fn record(&mut self, layer: Layer, result: Result<(), LayerProblem>) {
        let line = match result {
            Ok(()) => LayerReport::enforced(layer),
            Err(LayerProblem { state, reason, remedy }) => {
                LayerReport::lacking(layer, state, reason, remedy)
            }
        };
        self.0.retain(|other| other.layer != layer);
        self.0.push(line);
    }

    /// Whether a layer holds, according to its last result.
    pub(crate) fn holds(&self, layer: Layer) -> bool {
        self.0.iter().any(|line| line.layer == layer && line.state == LayerState::Enforced)
    }

    /// All lines, in the order of the layers.
    pub(crate) fn into_report(mut self) -> IsolationReport {
        self.0.sort_by_key(|line| line.layer);
        IsolationReport(self.0)
    }
}

/// Why a layer does not hold.
#[derive(Debug)]
pub(crate) struct LayerProblem {
    state: LayerState,
    reason: String,
    remedy: String,
}

impl LayerProblem {
    pub(crate) fn unavailable(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { state: LayerState::Unavailable, reason: reason.into(), remedy: remedy.into() }
    }

    pub(crate) fn partial(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { state: LayerState::Partial, reason: reason.into(), remedy: remedy.into() }
    }

    /// The kernel refused it.
    pub(crate) fn refused(what: &str, error: Errno, remedy: &str) -> Self {
        Self::unavailable(format!("{what}: {}", describe(error)), remedy)
    }

    /// The layer was set up, but what it should prevent was still possible.
    pub(crate) fn leaks(what: &str) -> Self {
        Self::unavailable(format!("{what} was still possible"), "report this as a bug")
    }
}

/// The text of the error without its number.
fn describe(error: Errno) -> String {
    let text = std::io::Error::from(error).to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
