//! Runs that wait for a person, so that they can go on after their client has gone.
//!
//! What is kept is the caller's own text; here it has a name and an end. Taking one
//! removes it: a run goes on once.
//!
//! The text has the answers of tools in it, with all that they say about people. So it is
//! sealed with the vault's key, for the run it belongs to: one that was put in the place
//! of another does not open.

use std::time::SystemTime;

use rusqlite::{Connection, OptionalExtension, params};

use crate::StoreError;
use crate::store::unix_ms;
use crate::vault::{TextSeal, VaultKey};

/// The label of the key for runs that wait.
const PURPOSE: &str = "tidegate parked runs: seal";

/// Keeps a run, instead of what was kept of it before.
pub(crate) fn keep(
    connection: &Connection,
    key: &VaultKey,
    run: &str,
    state: &str,
    expires_at: SystemTime,
) -> Result<(), StoreError> {
    let sealed = TextSeal::new(key, PURPOSE).seal(run, state)?;
    connection.execute(
        // `state` is where the text was before it was sealed.
        "INSERT OR REPLACE INTO parked_runs (run_id, expires_at_ms, state, sealed)
         VALUES (?, ?, '', ?)",
        params![run, unix_ms(expires_at), sealed],
    )?;
    Ok(())
}

/// Takes a run out, if it is there and its time is not over. One that does not open is
/// taken out too and is not there: nobody could go on with it.
pub(crate) fn take(
    connection: &Connection,
    key: &VaultKey,
    run: &str,
    now: SystemTime,
) -> Result<Option<String>, StoreError> {
    // Overwrites what is deleted: an earlier version kept runs in clear text.
    connection.pragma_update(None, "secure_delete", true)?;
    remove_expired(connection, now)?;
    let taken: Option<Option<Vec<u8>>> = connection
        .query_row("DELETE FROM parked_runs WHERE run_id = ? RETURNING sealed", [run], |row| {
            row.get(0)
        })
        .optional()?;
    let Some(sealed) = taken else { return Ok(None) };
    let state = sealed.and_then(|sealed| TextSeal::new(key, PURPOSE).open(run, &sealed));
    if state.is_none() {
        // Not even its name, which has the session in it.
        tracing::warn!(
            "a run that was kept does not open: it has another key, was changed, or is of an \
             earlier version"
        );
    }
    Ok(state)
}

fn remove_expired(connection: &Connection, now: SystemTime) -> Result<(), StoreError> {
    connection.execute("DELETE FROM parked_runs WHERE expires_at_ms <= ?", [unix_ms(now)])?;
    Ok(())
}

#[cfg(test)]
mod tests;
