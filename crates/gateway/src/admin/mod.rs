//! Admin: read models and actions for people, behind the command line and later a dashboard.
//!
//! Lives here: approvals (`approvals.rs`), skills (`skills.rs`), personal data
//! (`personal_data.rs`), tools that wait to be accepted (`unaccepted.rs`) and statistics.
//! In: settings, which say where the state is; for tools, the [`Tools`](crate::Tools) of a
//! gateway. Out: rows for a person to read, and the changes that they ask for.
//! Must stay true: opening an [`Admin`] starts no gateway and reads nothing; each part opens
//! what it needs, and waits for the database on the thread that asks, since a command does
//! nothing else meanwhile. No profile limits what a person does here.

mod approvals;
mod personal_data;
mod skills;
mod unaccepted;

use std::path::PathBuf;

use tidegate_config::Settings;
use tidegate_model::Clock;
use tidegate_store::Store;

pub use approvals::{Approval, ApprovalState, ApprovalsAdmin};
pub use personal_data::{PersonalDataAdmin, PrivacyReport};
pub use skills::{Skill, SkillError, SkillList, SkillOrigin, SkillsAdmin, code_file};
pub use tidegate_store::{Stats, StoreError};
pub use unaccepted::{ToolReview, Unaccepted};

/// What people can look at and change without a running gateway.
pub struct Admin {
    state_dir: PathBuf,
}

impl Admin {
    /// Opens nothing yet.
    pub fn new(settings: &Settings) -> Self {
        Self { state_dir: settings.state_dir.clone() }
    }

    /// Questions that wait for an answer, and those that had one.
    pub fn approvals(&self) -> Result<ApprovalsAdmin, StoreError> {
        ApprovalsAdmin::open(&self.state_dir)
    }

    /// The skills of the state folder.
    pub fn skills(&self) -> SkillsAdmin {
        SkillsAdmin::new(&self.state_dir)
    }

    /// What is known about personal data.
    pub fn personal_data(&self) -> Result<PersonalDataAdmin, StoreError> {
        PersonalDataAdmin::open(&self.state_dir)
    }

    /// Sums over all runs.
    pub fn stats(&self) -> Result<Stats, StoreError> {
        Store::open(&self.state_dir, Clock::system())?.records().stats().wait()
    }
}
