//! Runs that wait for a person, so that they can go on after their client has gone.
//!
//! What is kept is the caller's own text; here it has a name, an end and an owner. Taking
//! one removes it: a run goes on once. While its owner says that it lives, nobody else
//! takes it; an owner that said nothing for too long finds out that it was taken.
//!
//! The text has the answers of tools in it, with all that they say about people. So it is
//! sealed with the vault's key, for the run it belongs to: one that was put in the place
//! of another does not open.

use std::time::SystemTime;

use rusqlite::{Connection, OptionalExtension, params};
use tidegate_model::RunId;

use crate::StoreError;
use crate::store::unix_ms;
use crate::vault::{TextSeal, VaultKey};

/// The label of the key for runs that wait.
const PURPOSE: &str = "tidegate parked runs: seal";

/// A run that waits for a person, as whoever runs it keeps it.
#[derive(Debug, Clone, Copy)]
pub struct ParkedRun<'a> {
    /// Its name.
    pub id: &'a RunId,
    /// Who runs it. What others keep under the same name is left alone.
    pub owner: &'a str,
    /// Until when the owner has it to itself, unless it says that it still lives.
    pub lives_until: SystemTime,
    /// Until when it is kept.
    pub expires_at: SystemTime,
    /// The caller's own text.
    pub state: &'a str,
}

/// What is there of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parked {
    /// Nothing, or nothing that could be gone on with.
    Nothing,
    /// It waits where it was started.
    Lives,
    /// Nobody has it.
    Waits(WaitingRun),
}

/// A run that nobody has, as it was when it was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingRun {
    /// The text of its owner.
    pub state: String,
    sealed: Vec<u8>,
}

/// Keeps a run that was not kept by this owner until now.
pub(crate) fn keep(
    connection: &Connection,
    key: &VaultKey,
    run: &ParkedRun<'_>,
) -> Result<(), StoreError> {
    let sealed = TextSeal::new(key, PURPOSE).seal(&run.id.0, run.state)?;
    let (lives, expires) = (unix_ms(run.lives_until), unix_ms(run.expires_at));
    connection.execute(
        // `state` is where the text was before it was sealed.
        "INSERT OR REPLACE INTO parked_runs
             (run_id, expires_at_ms, state, sealed, owner, lives_until_ms)
         VALUES (?, ?, '', ?, ?, ?)",
        params![run.id.0, expires, sealed, run.owner, lives],
    )?;
    Ok(())
}

/// Keeps more of a run. Whether it is still its owner's.
pub(crate) fn keep_again(
    connection: &Connection,
    key: &VaultKey,
    run: &ParkedRun<'_>,
) -> Result<bool, StoreError> {
    let sealed = TextSeal::new(key, PURPOSE).seal(&run.id.0, run.state)?;
    let (lives, expires) = (unix_ms(run.lives_until), unix_ms(run.expires_at));
    let changed = connection.execute(
        "UPDATE parked_runs SET expires_at_ms = ?, sealed = ?, lives_until_ms = ?
         WHERE run_id = ? AND owner = ?",
        params![expires, sealed, lives, run.id.0, run.owner],
    )?;
    Ok(changed == 1)
}

/// The owner of a run says how long it lives at least. Whether it is still its own.
pub(crate) fn renew(
    connection: &Connection,
    id: &str,
    owner: &str,
    lives_until: SystemTime,
) -> Result<bool, StoreError> {
    let changed = connection.execute(
        "UPDATE parked_runs SET lives_until_ms = ? WHERE run_id = ? AND owner = ?",
        params![unix_ms(lives_until), id, owner],
    )?;
    Ok(changed == 1)
}

/// Its owner takes a run out. Whether it was still its own.
pub(crate) fn take_own(connection: &Connection, id: &str, owner: &str) -> Result<bool, StoreError> {
    overwrite_deleted(connection)?;
    let sql = "DELETE FROM parked_runs WHERE run_id = ? AND owner = ?";
    Ok(connection.execute(sql, [id, owner])? == 1)
}

/// Looks at a run. One that does not open is taken out: nobody could go on with it.
pub(crate) fn find(
    connection: &Connection,
    key: &VaultKey,
    id: &str,
    now: SystemTime,
) -> Result<Parked, StoreError> {
    overwrite_deleted(connection)?;
    remove_expired(connection, now)?;
    let row = connection
        .query_row(
            "SELECT lives_until_ms > ?, sealed FROM parked_runs WHERE run_id = ?",
            params![unix_ms(now), id],
            |row| Ok((row.get::<_, bool>(0)?, row.get::<_, Option<Vec<u8>>>(1)?)),
        )
        .optional()?;
    let sealed = match row {
        None => return Ok(Parked::Nothing),
        Some((true, _)) => return Ok(Parked::Lives),
        Some((false, sealed)) => sealed.unwrap_or_default(),
    };
    if let Some(state) = TextSeal::new(key, PURPOSE).open(id, &sealed) {
        return Ok(Parked::Waits(WaitingRun { state, sealed }));
    }
    // Not even its name, which has the session in it.
    tracing::warn!(
        "a run that was kept does not open: it has another key, was changed, or is of an \
         earlier version"
    );
    let sql = "DELETE FROM parked_runs WHERE run_id = ? AND lives_until_ms <= ?";
    connection.execute(sql, params![id, unix_ms(now)])?;
    Ok(Parked::Nothing)
}

/// Takes a run out as it was seen. Whether it was still there, and nobody's.
pub(crate) fn take(
    connection: &Connection,
    id: &str,
    seen: &WaitingRun,
    now: SystemTime,
) -> Result<bool, StoreError> {
    overwrite_deleted(connection)?;
    let changed = connection.execute(
        "DELETE FROM parked_runs WHERE run_id = ? AND sealed = ? AND lives_until_ms <= ?",
        params![id, seen.sealed, unix_ms(now)],
    )?;
    Ok(changed == 1)
}

/// An earlier version kept runs in clear text.
fn overwrite_deleted(connection: &Connection) -> Result<(), StoreError> {
    Ok(connection.pragma_update(None, "secure_delete", true)?)
}

fn remove_expired(connection: &Connection, now: SystemTime) -> Result<(), StoreError> {
    connection.execute("DELETE FROM parked_runs WHERE expires_at_ms <= ?", [unix_ms(now)])?;
    Ok(())
}

#[cfg(test)]
mod tests;
