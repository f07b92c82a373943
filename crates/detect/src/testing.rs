//! Test helpers for single detectors: the values found with default options.

use tidegate_model::{Detect, TextKind};

use crate::{Detector, Options};

/// The values found in a text of this kind, in order.
pub(crate) fn found_as(text: &str, kind: TextKind) -> Vec<&str> {
    let detector = Detector::new(Options::default()).unwrap();
    detector.scan(text, kind).iter().map(|span| &text[span.range()]).collect()
}
