//! Admin: read models and actions for people, behind the command line and later a dashboard.
//!
//! Contains: approvals (`approvals.rs`), skills (`skills.rs`), personal data
//! (`personal_data.rs`), unaccepted tools (`unaccepted.rs`) and statistics.
//! In: settings, which say where the state is; for tools, the [`Tools`](crate::Tools) of a
//! gateway. Out: rows for a person to read, and the changes that they ask for.
//! Invariant: opening an [`Admin`] starts no gateway and reads nothing; each part opens
//! what it needs, and blocks the calling thread on the database, since a command has
//! nothing else to do meanwhile. No profile limits what a person does here; what only the
//! approver may do needs their passphrase, which the command asks for.

mod approvals;
mod personal_data;
mod skills;
mod unaccepted;

use std::path::{Path, PathBuf};

use tidegate_config::Settings;
use tidegate_model::Clock;
use tidegate_store::Store;

pub use approvals::{
    Approval, ApprovalScope, ApprovalState, ApprovalsAdmin, ApproverKey, ClientForms, KeyPlace,
    Signer,
};
pub use personal_data::{PersonalDataAdmin, PrivacyReport};
pub use skills::{Skill, SkillError, SkillList, SkillOrigin, SkillsAdmin, code_file};
pub use tidegate_store::{RulesSeen, Stats, StoreError};
pub use unaccepted::{ToolReview, Unaccepted};

/// The state that people can view and change without a running gateway.
pub struct Admin {
    state_dir: PathBuf,
}

impl Admin {
    /// Opens nothing yet.
    pub fn new(settings: &Settings) -> Self {
        Self { state_dir: settings.state_dir.clone() }
    }

    /// Pending and answered approvals.
    pub fn approvals(&self) -> Result<ApprovalsAdmin, StoreError> {
        ApprovalsAdmin::open(&self.state_dir)
    }

    /// The skills of the state folder.
    pub fn skills(&self) -> SkillsAdmin {
        SkillsAdmin::new(&self.state_dir)
    }

    /// Reports on personal data, and its erasure.
    pub fn personal_data(&self) -> Result<PersonalDataAdmin, StoreError> {
        PersonalDataAdmin::open(&self.state_dir)
    }

    /// What the gateways of this state folder last saw of a file that decides what is allowed.
    pub fn rules_seen(&self, path: &Path) -> Result<Option<RulesSeen>, StoreError> {
        Store::open(&self.state_dir, Clock::system())?.seen_rules().of(path).wait()
    }

    /// Totals over all runs.
    pub fn stats(&self) -> Result<Stats, StoreError> {
        Store::open(&self.state_dir, Clock::system())?.records().stats().wait()
    }
}
