//! Encrypted storage: values of personal data, and runs that wait for a person.
//!
//! In: the store and the folder of the key. Out: the vault, opened, sealed runs, and the
//! numbers of tokens, which no two sessions of the vault share.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use tidegate_model::{DataType, RunId};
use tidegate_privacy::ReserveNumbers;
use tidegate_store::{
    Lease, Parked, ParkedRun, Reply, Store, StoreError, TokenNumbers, UnclaimedRun, Vault, VaultKey,
};

/// The location of the vault.
#[derive(Clone)]
pub(crate) struct Vaults {
    pub(crate) store: Arc<Store>,
    pub(crate) state_dir: PathBuf,
}

impl ReserveNumbers for Vaults {
    fn reserve(&self, data_type: DataType, above: u32, count: u32) -> u32 {
        let given = || self.open()?.highest_numbers().wait();
        let numbers = TokenNumbers::new(&self.state_dir);
        numbers.reserve(data_type, above, count, given).unwrap_or_else(|error| {
            tracing::error!(%error, "the numbers of tokens cannot be reserved");
            unreserved()
        })
    }
}

/// A number that is most likely not in use: a value must be replaced even if the disk fails.
fn unreserved() -> u32 {
    const FROM: u32 = 1 << 30;
    const TO: u32 = 1 << 31;
    let random = RandomState::new().hash_one(());
    FROM + u32::try_from(random % u64::from(TO - FROM)).unwrap_or_default()
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
