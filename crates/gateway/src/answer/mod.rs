//! The answer: what the client is shown of a run.

pub(crate) mod result;
pub(crate) mod shown;
pub(crate) mod summary;
pub(crate) mod weight;
