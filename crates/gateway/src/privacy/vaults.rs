//! Encrypted storage: values of personal data, and runs that wait for a person.
//!
//! In: the store and the folder of the key. Out: the vault, opened, and sealed runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use tidegate_model::RunId;
use tidegate_store::{
    Lease, Parked, ParkedRun, Reply, Store, StoreError, UnclaimedRun, Vault, VaultKey,
};

/// The location of the vault.
#[derive(Clone)]
pub(crate) struct Vaults {
    pub(crate) store: Arc<Store>,
    pub(crate) state_dir: PathBuf,
}

impl Vaults {
    pub(crate) fn open(&self) -> Result<Vault, StoreError> {
        Ok(self.store.vault(&self.key()?))
    }

    fn key(&self) -> Result<VaultKey, StoreError> {
        VaultKey::from_state(&self.state_dir)
    }

    pub(crate) fn now(&self) -> SystemTime {
        self.store.clock().now()
    }

    /// Parks a run that waits for a person, with the answers it had, sealed.
    pub(crate) fn park(&self, run: &ParkedRun<'_>) -> Reply<()> {
        match self.key() {
            Ok(key) => self.store.parked_runs().park(&key, run),
            Err(error) => Reply::ready(Err(error)),
        }
    }

    /// Updates a parked run. Returns whether it still belongs to its owner.
    pub(crate) fn update_parked(&self, run: &ParkedRun<'_>) -> Reply<Lease> {
        match self.key() {
            Ok(key) => self.store.parked_runs().update(&key, run),
            Err(error) => Reply::ready(Err(error)),
        }
    }

    /// Renews the lease of a parked run.
    pub(crate) fn renew(&self, run: &RunId, owner: &str, lease_ends: SystemTime) -> Reply<Lease> {
        self.store.parked_runs().renew(run, owner, lease_ends)
    }

    /// Unparks a run, because its owner continues it.
    pub(crate) fn take_back(&self, run: &RunId, owner: &str) -> Reply<Lease> {
        self.store.parked_runs().take_back(run, owner)
    }

    /// Looks up a parked run.
    pub(crate) fn find_parked(&self, run: &RunId) -> Reply<Parked> {
        match self.key() {
            Ok(key) => self.store.parked_runs().find(&key, run),
            Err(error) => Reply::ready(Err(error)),
        }
    }

    /// Claims a run that nobody owns. Returns whether it was still there.
    pub(crate) fn claim(&self, run: &RunId, seen: &UnclaimedRun) -> Reply<bool> {
        self.store.parked_runs().claim(run, seen)
    }
}
