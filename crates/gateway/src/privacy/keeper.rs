//! Stores tokens and their values in the vault.
//!
//! In: new tokens, and how often tokens were restored. Nothing waits for the disk: the
//! process itself has the values in memory. A failed write is logged; its tokens last only
//! as long as the process.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Duration;

use tidegate_privacy::{NewValue, SessionValues, Token};
use tidegate_store::{StoreError, StoredValue, Vault, VaultEntry};
use tokio::runtime::Handle;

use super::vaults::Vaults;

/// Writes to the vault, which is opened when it is first needed: a folder whose sessions
/// never see personal data gets no key.
pub(crate) struct Keeper {
    vaults: Vaults,
    lifetime: Duration,
    /// None if it cannot be opened.
    vault: OnceLock<Option<Vault>>,
}

impl Keeper {
    pub(crate) fn new(vaults: Vaults, lifetime: Duration) -> Self {
        Self { vaults, lifetime, vault: OnceLock::new() }
    }

    /// Stores new tokens.
    pub(crate) fn keep(&self, session: &str, new: Vec<NewValue>) {
        if new.is_empty() {
            return;
        }
        let Some(vault) = self.vault() else { return };
        let entry = |new: NewValue| VaultEntry {
            data_type: new.token.data_type,
            number: new.token.number,
            canonical: new.canonical(),
            value: new.value,
        };
        let entries = new.into_iter().map(entry).collect();
        vault.store_in_background(session, entries, self.lifetime);
    }

    /// Counts restores.
    pub(crate) fn count(&self, session: &str, counts: &BTreeMap<Token, u32>) {
        if counts.is_empty() {
            return;
        }
        let Some(vault) = self.vault() else { return };
        let restores =
            counts.iter().map(|(token, count)| (token.data_type, token.number, *count)).collect();
        vault.count_restores(session, restores);
    }

    /// Waits until there is room to store more of a session.
    pub(crate) async fn room(&self, session: &str) {
        if let Some(Some(vault)) = self.vault.get() {
            vault.room(session).await;
        }
    }

    /// Loads the values of an earlier session from the vault. Also returns them, for a
    /// caller that stores them under another name.
    ///
    /// Blocks this thread: sessions are looked up in many places that cannot await, and a
    /// named one is loaded once in the life of a process.
    pub(crate) fn load(&self, session: &str, values: &mut SessionValues) -> Vec<NewValue> {
        // Queued behind the writes of a session that has just ended.
        let loaded = self.vaults.open().and_then(|vault| vault.load(session).wait());
        match loaded {
            Ok(loaded) => {
                if !loaded.damaged.is_empty() {
                    let tokens = loaded.damaged.join(" ");
                    tracing::error!(tokens, "values of the vault do not open");
                }
                let value = |stored: StoredValue| NewValue {
                    token: Token { data_type: stored.data_type, number: stored.number },
                    value: stored.value,
                };
                let stored: Vec<NewValue> = loaded.values.into_iter().map(value).collect();
                let tokens = stored.iter().map(|one| (one.token, one.value.clone()));
                values.load(tokens, loaded.last);
                stored
            }
            Err(error) => {
                tracing::error!(%error, "the vault cannot be read");
                Vec::new()
            }
        }
    }

    fn vault(&self) -> Option<&Vault> {
        let open = || match self.vaults.open() {
            Ok(vault) => {
                erase_expired(&vault);
                Some(vault)
            }
            Err(error) => {
                tracing::error!(%error, "tokens are not stored beyond this process");
                None
            }
        };
        self.vault.get_or_init(open).as_ref()
    }

    /// Blocks this thread until everything is written.
    pub(crate) fn flush(&self) {
        if let Some(Some(vault)) = self.vault.get() {
            // An error means that the database was closed.
            let _ = vault.flush().wait();
        }
    }
}

/// Erases expired values once per process, in the background. Outside of a runtime no
/// clients are served, and the next gateway erases them.
fn erase_expired(vault: &Vault) {
    let vault = vault.clone();
    if let Ok(runtime) = Handle::try_current() {
        runtime.spawn(async move {
            let erased = async { Ok::<_, StoreError>(vault.expire().await? + vault.trim().await?) };
            if let Err(error) = erased.await {
                tracing::error!(%error, "what has expired could not be erased");
            }
        });
    }
}
