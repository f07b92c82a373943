//! The framed protocol between gateway and worker.
