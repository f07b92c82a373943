//! Reports what is known about personal data, without values, and erases it.

use std::path::Path;
use std::sync::Arc;

use tidegate_model::Clock;
use tidegate_privacy::canonical_forms;
use tidegate_store::{PiiReport, Store, StoreError, VaultReport, VaultSession, wait};

use crate::privacy::Vaults;

/// What is known about personal data, without any.
#[derive(Debug)]
pub struct PrivacyReport {
    /// Where it came from and where it went.
    pub record: PiiReport,
    /// What is kept, by type.
    pub vault: VaultReport,
    /// What is kept, by session.
    pub sessions: Vec<VaultSession>,
}

/// The personal data of a state folder.
pub struct PersonalDataAdmin(Vaults);

impl PersonalDataAdmin {
    pub(super) fn open(state_dir: &Path) -> Result<Self, StoreError> {
        let store = Arc::new(Store::open(state_dir, Clock::system())?);
        Ok(Self(Vaults { store, state_dir: state_dir.to_owned() }))
    }

    /// Sessions whose values are kept, the newest first.
    pub fn sessions(&self) -> Result<Vec<VaultSession>, StoreError> {
        self.0.open()?.sessions().wait()
    }

    /// What is known about personal data.
    pub fn report(&self) -> Result<PrivacyReport, StoreError> {
        let vault = self.0.open()?;
        Ok(PrivacyReport {
            record: wait(self.0.store.records().pii_report())?,
            vault: vault.report().wait()?,
            sessions: vault.sessions().wait()?,
        })
    }

    /// Erases the kept values of a session. How many there were.
    pub fn erase_session(&self, session: &str) -> Result<usize, StoreError> {
        wait(self.0.open()?.erase_session(session))
    }

    /// Erases a value from what is kept of all sessions. How often it was there.
    pub fn erase_value(&self, value: &str) -> Result<usize, StoreError> {
        self.0.open()?.erase_value(canonical_forms(value)).wait()
    }
}
