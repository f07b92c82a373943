//! Lists approvals, shows them, and answers them.
//!
//! An answer goes into the database, where the waiting run finds it, in whatever process
//! it is.

use std::path::Path;

use tidegate_model::Clock;
use tidegate_store::{Answered, ApprovalAnswer, ApprovalFilter, Approvals, Store, StoreError};

pub use tidegate_store::{
    Approval, ApprovalScope, ApprovalState, ApproverKey, ClientForms, KeyPlace, Signer,
};

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

    /// Approves exactly this approval, signed by the person. Returns whether the answer
    /// counts, and the updated approval; `None` if the row is gone.
    pub fn approve(
        &self,
        one: &Approval,
        scope: ApprovalScope,
        (signer, by): (&Signer, &str),
    ) -> Result<Option<(bool, Approval)>, StoreError> {
        let signature = signer.sign(&one.asked.statement(scope));
        let answer = ApprovalAnswer::Approve(scope);
        let answered = self.0.answer(&one.asked.id, answer, by, Some(signature)).wait()?;
        Ok(answered.map(|Answered { is_first, approval }| (is_first, approval)))
    }

    /// Denies an approval, which anybody may.
    pub fn deny(&self, id: &str, by: &str) -> Result<Option<(bool, Approval)>, StoreError> {
        let answered = self.0.answer(id, ApprovalAnswer::Deny, by, None).wait()?;
        Ok(answered.map(|Answered { is_first, approval }| (is_first, approval)))
    }
}
