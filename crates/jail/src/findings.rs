//! What each layer came to, collected on the way in.

use rustix::io::Errno;
use tidegate_model::{IsolationReport, Layer, LayerReport, LayerState};

/// One line per layer that was tried so far; the last word on a layer counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings(Vec<LayerReport>);

impl Findings {
    /// Notes what came of a layer.
    pub(crate) fn note(&mut self, layer: Layer, came: Result<(), Lack>) {
        let line = match came {
            Ok(()) => LayerReport::enforced(layer),
            Err(Lack { state, reason, remedy }) => {
                LayerReport::lacking(layer, state, reason, remedy)
            }
        };
        self.0.retain(|other| other.layer != layer);
        self.0.push(line);
    }

    /// Whether a layer holds, as far as is known.
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
pub(crate) struct Lack {
    state: LayerState,
    reason: String,
    remedy: String,
}

impl Lack {
    pub(crate) fn unavailable(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { state: LayerState::Unavailable, reason: reason.into(), remedy: remedy.into() }
    }

    pub(crate) fn partial(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { state: LayerState::Partial, reason: reason.into(), remedy: remedy.into() }
    }

    /// The kernel said no.
    pub(crate) fn refused(what: &str, error: Errno, remedy: &str) -> Self {
        Self::unavailable(format!("{what}: {}", describe(error)), remedy)
    }

    /// A layer was put up, and what it should stop was possible.
    pub(crate) fn leaks(what: &str) -> Self {
        Self::unavailable(format!("{what} was possible all the same"), "report this as a bug")
    }
}

/// The error without its number, which helps nobody.
fn describe(error: Errno) -> String {
    let text = std::io::Error::from(error).to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
