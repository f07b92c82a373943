//! The pipeline and the bridge.
