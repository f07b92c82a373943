//! Parked runs: they wait for a person and can be resumed after their client has gone.
//!
//! The stored text belongs to the caller; here it has an id, an expiry and an owner with a
//! lease. Claiming a run removes it, so it is resumed only once. While the owner's lease
//! lasts, nobody else can claim the run; an owner that did not renew its lease in time
//! finds out that the run was claimed.
//!
//! The text contains answers of tools, and so personal data. It is therefore sealed with
//! the vault's key for one run: a text that was moved to another run does not open.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, params};
use tidegate_model::{Clock, RunId};

use crate::StoreError;
use crate::database::{Database, Reply};
use crate::units::unix_ms;
use crate::vault::{TextSeal, VaultKey};

/// The most bytes of all parked runs. More wait for their person as long as their client does.
const MAX_BYTES: u64 = 128 * 1024 * 1024;

/// The label of the key for parked runs.
const PURPOSE: &str = "tidegate parked runs: seal";

/// A run that waits for a person, as its owner parks it.
#[derive(Debug, Clone, Copy)]
pub struct ParkedRun<'a> {
    /// Its id.
    pub id: &'a RunId,
    /// Its owner. Runs that others park under the same id are left alone.
    pub owner: &'a str,
    /// When the owner's lease ends, unless it is renewed.
    pub lease_ends: SystemTime,
    /// The time until which it can be resumed.
    pub expires_at: SystemTime,
    /// The caller's own text.
    pub state: &'a str,
}

/// The state of a parked run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parked {
    /// There is no such run, or it can no longer be resumed.
    NotFound,
    /// It waits where it was started; its owner has the lease.
    Leased,
    /// Nobody has the lease.
    Unclaimed(UnclaimedRun),
}

/// A run without a lease, as it was when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnclaimedRun {
    /// The text that its owner stored.
    pub state: String,
    sealed: Vec<u8>,
}

/// Whether the owner of a run still has the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lease {
    /// It has.
    Held,
    /// Somebody else has claimed the run.
    Lost,
}

impl Lease {
    fn of(changed: usize) -> Self {
        if changed == 1 { Self::Held } else { Self::Lost }
    }
}

/// The parked runs of a state folder. Clones share them.
#[derive(Clone)]
pub struct ParkedRuns {
    database: Arc<Database>,
    clock: Clock,
    /// Runs that were parked by this process and are leased to it, with their owners.
    leased_here: Arc<Mutex<BTreeMap<String, String>>>,
}

impl ParkedRuns {
    pub(crate) fn new(database: Arc<Database>, clock: Clock) -> Self {
        Self { database, clock, leased_here: Arc::default() }
    }

    /// Parks a run, sealed with the vault's key.
    pub fn park(&self, key: &VaultKey, run: &ParkedRun<'_>) -> Reply<()> {
        let sealed = match TextSeal::new(key, PURPOSE).seal(&run.id.0, run.state) {
            Ok(sealed) => sealed,
            Err(error) => return Reply::ready(Err(error)),
        };
        self.park_within(sealed, run, MAX_BYTES)
    }

    fn park_within(&self, sealed: Vec<u8>, run: &ParkedRun<'_>, most_bytes: u64) -> Reply<()> {
        self.leased_here().insert(run.id.0.clone(), run.owner.to_owned());
        let now = unix_ms(self.clock.now());
        let (id, owner) = (run.id.0.clone(), run.owner.to_owned());
        let (lease_ends, expires) = (unix_ms(run.lease_ends), unix_ms(run.expires_at));
        self.database.write(&run.id.0, move |connection| {
            connection.execute("DELETE FROM parked_runs WHERE expires_at_ms <= ?", [now])?;
            let bytes = "SELECT coalesce(sum(length(sealed)), 0) FROM parked_runs";
            let bytes: u64 = connection.query_row(bytes, [], |row| row.get(0))?;
            if bytes + sealed.len() as u64 > most_bytes {
                return Err(StoreError::TooMuch { what: "runs that wait for a person" });
            }
            connection.execute(
                "INSERT OR REPLACE INTO parked_runs
                     (run_id, expires_at_ms, sealed, owner, lease_ends_ms)
                 VALUES (?, ?, ?, ?, ?)",
                params![id, expires, sealed, owner, lease_ends],
            )?;
            Ok(())
        })
    }

    /// Replaces the text of a parked run.
    pub fn update(&self, key: &VaultKey, run: &ParkedRun<'_>) -> Reply<Lease> {
        let sealed = match TextSeal::new(key, PURPOSE).seal(&run.id.0, run.state) {
            Ok(sealed) => sealed,
            Err(error) => return Reply::ready(Err(error)),
        };
        let (id, owner) = (run.id.0.clone(), run.owner.to_owned());
        let lease_ends = unix_ms(self.unless_released(run.id, run.lease_ends));
        let expires = unix_ms(run.expires_at);
        self.database.write(&run.id.0, move |connection| {
            let changed = connection.execute(
                "UPDATE parked_runs SET expires_at_ms = ?, sealed = ?, lease_ends_ms = ?
                 WHERE run_id = ? AND owner = ?",
                params![expires, sealed, lease_ends, id, owner],
            )?;
            Ok(Lease::of(changed))
        })
    }

    /// Renews the lease of a run, or ends it if `lease_ends` is in the past.
    pub fn renew(&self, run: &RunId, owner: &str, lease_ends: SystemTime) -> Reply<Lease> {
        let lease_ends = self.unless_released(run, lease_ends);
        self.set_lease(run.0.clone(), owner.to_owned(), lease_ends)
    }

    /// The owner of a run takes it back, to resume it itself.
    pub fn take_back(&self, run: &RunId, owner: &str) -> Reply<Lease> {
        self.leased_here().remove(&run.0);
        let (id, owner) = (run.0.clone(), owner.to_owned());
        self.database.write(&run.0, move |connection| {
            let sql = "DELETE FROM parked_runs WHERE run_id = ? AND owner = ?";
            Ok(Lease::of(connection.execute(sql, [&id, &owner])?))
        })
    }

    /// Releases all runs that this process parked: it ends, and others can claim them at
    /// once.
    pub async fn release_all(&self) -> Result<(), StoreError> {
        let leased = std::mem::take(&mut *self.leased_here());
        let released: Vec<Reply<Lease>> =
            leased.into_iter().map(|(run, owner)| self.set_lease(run, owner, UNIX_EPOCH)).collect();
        for reply in released {
            reply.await?;
        }
        Ok(())
    }

    /// Looks up a run. One that does not open with this key is removed: nobody could
    /// resume it.
    pub fn find(&self, key: &VaultKey, run: &RunId) -> Reply<Parked> {
        let (seal, id, now) = (TextSeal::new(key, PURPOSE), run.0.clone(), self.clock.now());
        // Expired runs and those that do not open are deleted, so this is a write.
        self.database.write(&run.0, move |connection| find(connection, &seal, &id, now))
    }

    /// Claims a run if it is still as it was read. Returns whether it was.
    pub fn claim(&self, run: &RunId, seen: &UnclaimedRun) -> Reply<bool> {
        let (id, sealed, now) = (run.0.clone(), seen.sealed.clone(), unix_ms(self.clock.now()));
        self.database.write(&run.0, move |connection| {
            let changed = connection.execute(
                "DELETE FROM parked_runs WHERE run_id = ? AND sealed = ? AND lease_ends_ms <= ?",
                params![id, sealed, now],
            )?;
            Ok(changed == 1)
        })
    }

    fn set_lease(&self, id: String, owner: String, lease_ends: SystemTime) -> Reply<Lease> {
        let session = id.clone();
        self.database.write(&session, move |connection| {
            let changed = connection.execute(
                "UPDATE parked_runs SET lease_ends_ms = ? WHERE run_id = ? AND owner = ?",
                params![unix_ms(lease_ends), id, owner],
            )?;
            Ok(Lease::of(changed))
        })
    }

    /// The lease of a run that was released is not renewed.
    fn unless_released(&self, run: &RunId, lease_ends: SystemTime) -> SystemTime {
        if self.leased_here().contains_key(&run.0) { lease_ends } else { UNIX_EPOCH }
    }

    fn leased_here(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.leased_here.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn find(
    connection: &Connection,
    seal: &TextSeal,
    id: &str,
    now: SystemTime,
) -> Result<Parked, StoreError> {
    connection.execute("DELETE FROM parked_runs WHERE expires_at_ms <= ?", [unix_ms(now)])?;
    let row = connection
        .query_row(
            "SELECT lease_ends_ms > ?, sealed FROM parked_runs WHERE run_id = ?",
            params![unix_ms(now), id],
            |row| Ok((row.get::<_, bool>(0)?, row.get::<_, Vec<u8>>(1)?)),
        )
        .optional()?;
    let sealed = match row {
        None => return Ok(Parked::NotFound),
        Some((true, _)) => return Ok(Parked::Leased),
        Some((false, sealed)) => sealed,
    };
    if let Some(state) = seal.open(id, &sealed) {
        return Ok(Parked::Unclaimed(UnclaimedRun { state, sealed }));
    }
    // Not even its id is logged: it contains the session.
    tracing::warn!(
        "a parked run does not open: it has another key, was changed, or is of an earlier version"
    );
    connection.execute("DELETE FROM parked_runs WHERE run_id = ?", [id])?;
    Ok(Parked::NotFound)
}

#[cfg(test)]
mod tests;
