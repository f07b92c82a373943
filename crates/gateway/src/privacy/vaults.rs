//! What is kept encrypted: values of personal data, and runs that wait for a person.
//!
//! In: the store and the folder of the key. Out: the vault, opened, and sealed runs.

use std::path::PathBuf;
use std::sync::Arc;

use tidegate_model::RunId;
use tidegate_store::{Parked, ParkedRun, Store, StoreError, Vault, VaultKey};

/// Where the vault is.
#[derive(Clone)]
pub(crate) struct Vaults {
    pub(crate) store: Arc<Store>,
    pub(crate) state_dir: PathBuf,
}

impl Vaults {
    pub(crate) fn open(&self) -> Result<Vault, StoreError> {
        self.store.vault(&self.key()?)
    }

    fn key(&self) -> Result<VaultKey, StoreError> {
        VaultKey::from_state(&self.state_dir)
    }

    /// Keeps a run that waits for a person, with the answers it had, sealed.
    pub(crate) fn park(&self, run: &ParkedRun<'_>) -> Result<(), StoreError> {
        self.store.park(&self.key()?, run)
    }

    /// Keeps more of it. Whether it is still its owner's.
    pub(crate) fn park_again(&self, run: &ParkedRun<'_>) -> Result<bool, StoreError> {
        self.store.park_again(&self.key()?, run)
    }

    /// What is there of a run that waits.
    pub(crate) fn parked(&self, run: &RunId) -> Result<Parked, StoreError> {
        self.store.parked(&self.key()?, run)
    }
}
