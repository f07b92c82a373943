//! Decides who may resume a parked run, and under which terms.
//!
//! In: a run's id and the request that asks for it. Out: the run with its journal, taken
//! over by this process. Invariant: only the principal that started a run finds it, and a
//! run resumes with its own profile. Where only the approver's signature counts, nothing that
//! is stored with a run counts as an approval.

use std::sync::Arc;

use tidegate_model::{ErrorCode, RunError, RunId};
use tidegate_store::ClientForms;

use super::Approvals;
use super::journal::{self, Identity};
use super::person::Person;
use crate::context::RunContext;

impl Approvals {
    /// Takes a parked run over, to resume it in this process, and returns the person behind
    /// it.
    pub(crate) async fn take_over(
        &self,
        id: &RunId,
        context: &RunContext,
    ) -> Result<(Identity, Arc<Person>), RunError> {
        let mut found = journal::find(&self.vaults, id, &context.principal.storage_key()).await?;
        // Before the run is taken: one that is refused here can resume elsewhere.
        self.has_profile(context.profile.as_deref(), found.identity.profile.as_deref())?;
        let tokens_of = self.privacy.adopt_tokens(&context.principal, &found.identity.tokens_of)?;
        found.identity.tokens_of = tokens_of;
        found.identity.sandbox = found.identity.sandbox.max(context.sandbox);
        if self.signed.client_forms() == ClientForms::DoNotCount {
            found.forget_approvals();
        }
        let (identity, journal) = found.take(&self.vaults).await?;
        let person = self.person_of_run(&identity, journal, context);
        Ok((identity, person))
    }

    /// A run resumes only with its own profile: a person may have approved it as it is.
    fn has_profile(&self, asked: Option<&str>, own: Option<&str>) -> Result<(), RunError> {
        let own = own.unwrap_or(&self.profile);
        if asked.is_none_or(|asked| asked == own) {
            return Ok(());
        }
        let message =
            format!("the run has the profile `{own}`, and cannot be resumed with another one");
        Err(RunError::new(ErrorCode::BadArgument, message)
            .with_hint("omit `profile`, or send the program again with the one you want"))
    }

    /// Releases the runs that wait here, so that other processes can resume them at once.
    pub(crate) async fn release_runs(&self) {
        if let Err(error) = self.vaults.store.parked_runs().release_all().await {
            tracing::warn!(%error, "waiting runs can be resumed only in a few seconds");
        }
    }
}
