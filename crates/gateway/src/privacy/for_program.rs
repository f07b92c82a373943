//! What a program gets: the only thing that a run answers its worker with.
//!
//! In: outcomes that the privacy floor has searched. Out: a reply.
//! Invariant: only this floor makes a [`ForProgram`], and only a `ForProgram` becomes a reply:
//! an answer that was not searched for personal data does not compile as one.

use tidegate_model::{ErrorCode, RunError};
use tidegate_wire::ToGuest;

/// An answer or an error for a program. In strict mode it has no real values.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ForProgram(Result<String, RunError>);

impl ForProgram {
    pub(super) fn searched(outcome: Result<String, RunError>) -> Self {
        Self(outcome)
    }

    /// The error for an answer that does not fit into a frame.
    pub(crate) fn too_large() -> Self {
        let message = "the answer is larger than 64 MB";
        let error = RunError::new(ErrorCode::UpstreamProtocol, message);
        Self(Err(error.with_hint("ask for less at a time")))
    }

    pub(crate) fn error(&self) -> Option<&RunError> {
        self.0.as_ref().err()
    }

    /// The reply to a request.
    pub(crate) fn into_reply(self, id: u32) -> ToGuest {
        ToGuest::Reply { id, outcome: self.0 }
    }

    #[cfg(test)]
    pub(super) fn into_outcome(self) -> Result<String, RunError> {
        self.0
    }
}
