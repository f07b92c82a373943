//! Lists approvals, shows them, and answers them.
//!
//! An answer goes into the database, where the waiting run finds it, in whatever process
//! it is.

use std::path::Path;

use tidegate_model::Clock;
use tidegate_store::{
    Answered, ApprovalAnswer, ApprovalFilter, ApprovalScope, Approvals, Store, StoreError,
};

pub use tidegate_store::{Approval, ApprovalState};

use crate::context::Reply;

/// The approvals of a state folder.
pub struct ApprovalsAdmin(Approvals);

impl ApprovalsAdmin {
    pub(super) fn open(state_dir: &Path) -> Result<Self, StoreError> {
        Ok(Self(Store::open(state_dir, Clock::system())?.approvals()))
    }

    /// Pending approvals.
    pub fn pending(&self) -> Result<Vec<Approval>, StoreError> {
        self.0.list(ApprovalFilter::Pending).wait()
    }

    /// All approvals.
    pub fn all(&self) -> Result<Vec<Approval>, StoreError> {
        self.0.list(ApprovalFilter::All).wait()
    }

    /// One approval.
    pub fn find(&self, id: &str) -> Result<Option<Approval>, StoreError> {
        self.0.find(id).wait()
    }

    /// Answers an approval; `by` names who answers, for the record. Returns whether the
    /// answer counts, and the updated approval; `None` if the id is unknown.
    pub fn answer(
        &self,
        id: &str,
        reply: Reply,
        by: &str,
    ) -> Result<Option<(bool, Approval)>, StoreError> {
        let answer = match reply {
            Reply::Once => ApprovalAnswer::Approve(ApprovalScope::Once),
            Reply::Session => ApprovalAnswer::Approve(ApprovalScope::Session),
            Reply::AllCalls => ApprovalAnswer::Approve(ApprovalScope::AllCalls),
            Reply::Deny => ApprovalAnswer::Deny,
        };
        let answered = self.0.answer(id, answer, by).wait()?;
        Ok(answered.map(|Answered { is_first, approval }| (is_first, approval)))
    }
}
