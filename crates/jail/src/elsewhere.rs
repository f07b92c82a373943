//! Systems without any of these layers: says so, and confines nothing.

use tidegate_model::{IsolationReport, Layer, LayerReport, LayerState};

use crate::spec::Spec;

/// A process that could give up nothing.
pub struct Confined;

/// Confines nothing; the report says so.
pub fn enter(_: Spec) -> Confined {
    Confined
}

impl Confined {
    /// A report in which every layer is missing.
    pub fn seal(self) -> IsolationReport {
        let line = |&layer: &Layer| {
            let reason = format!("{} has no such layer", std::env::consts::OS);
            let remedy = "run tidegate on Linux, in a container or in a virtual machine";
            LayerReport::lacking(layer, LayerState::Unavailable, reason, remedy)
        };
        IsolationReport(Layer::ALL.iter().map(line).collect())
    }
}
