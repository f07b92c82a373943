//! Systems without any of these layers: says so, and confines nothing.

use tidegate_model::{IsolationReport, Layer, LayerReport, LayerState};

use crate::spec::Spec;

/// How a process came to be one that is to be confined.
pub enum Way<'a> {
    /// The gateway has started it for this.
    Started,
    /// The same, to become a process that workers are forked from.
    Zygote(&'a [u8]),
}

/// A process that could give up nothing.
pub struct Confined;

/// Confines nothing; the report says so.
pub fn enter(_: Spec, _: Way<'_>) -> Confined {
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
