//! Reports on personal data without showing values, and erases it.

use std::path::Path;
use std::sync::Arc;

use tidegate_model::Clock;
use tidegate_privacy::canonical_forms;
use tidegate_store::{PiiReport, Store, StoreError, VaultReport, VaultSession, wait};

use crate::privacy::Vaults;

/// A report on personal data, which contains none.
#[derive(Debug)]
pub struct PrivacyReport {
    /// Where it came from and where it went.
    pub record: PiiReport,
    /// What is stored, by type.
    pub vault: VaultReport,
    /// What is stored, by session.
    pub sessions: Vec<VaultSession>,
}

/// The personal data of a state folder.
pub struct PersonalDataAdmin(Vaults);

impl PersonalDataAdmin {
    pub(super) fn open(state_dir: &Path) -> Result<Self, StoreError> {
        let store = Arc::new(Store::open(state_dir, Clock::system())?);
        Ok(Self(Vaults { store, state_dir: state_dir.to_owned() }))
    }

    /// Sessions whose values are stored, the newest first.
    pub fn sessions(&self) -> Result<Vec<VaultSession>, StoreError> {
        self.0.open()?.sessions().wait()
    }

    /// The report on all personal data.
    pub fn report(&self) -> Result<PrivacyReport, StoreError> {
        let vault = self.0.open()?;
        Ok(PrivacyReport {
            record: wait(self.0.store.records().pii_report())?,
            vault: vault.report().wait()?,
            sessions: vault.sessions().wait()?,
        })
    }

    /// Erases the stored values of a session. Returns how many there were.
    pub fn erase_session(&self, session: &str) -> Result<usize, StoreError> {
        wait(self.0.open()?.erase_session(session))
    }

    /// Erases a value from all sessions. Returns how often it was stored.
    pub fn erase_value(&self, value: &str) -> Result<usize, StoreError> {
        self.0.open()?.erase_value(canonical_forms(value)).wait()
    }
}
