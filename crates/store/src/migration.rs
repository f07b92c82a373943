//! Imports `tidegate.db`, the single database of earlier versions.
//!
//! In: a state folder. Out: its rows in `record.db` and `state.db`, and the old file beside
//! them as `tidegate.db.migrated`.
//! Invariant: every row is imported exactly once, whichever process is killed at whatever
//! point and however many start at once.
//!
//! 1. The old file is locked for writing and gets an id. Other processes wait for the lock.
//! 2. Each new file imports its rows in one transaction, together with the id. A file that
//!    has the id already is skipped: a process that was killed had committed its
//!    transaction.
//! 3. The old file is marked as done and renamed. A process that finds it marked only
//!    renames it.
//!
//! Data that can be erased later must not stay behind: after `state.db` has imported them,
//! the values of the vault and the parked runs are overwritten in the old file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior, params};
use tidegate_model::Clock;

use crate::StoreError;
use crate::database::{Kind, connect};
use crate::schema::migrate_legacy;
use crate::units::unix_ms;

/// The database of earlier versions.
pub(crate) const LEGACY: &str = "tidegate.db";

/// Another gateway may be importing it. Chosen: enough for some ten million rows.
const TAKE_OVER_TIMEOUT: Duration = Duration::from_secs(120);

/// The rows that `record.db` imports. Columns are named, since those of the two tables
/// differ.
const RECORD: &str = "
    INSERT INTO run_ends (id, started_at_ms, kind, language, source_sha256, outcome, error_code,
            duration_us, tool_calls, result_bytes, answer_tokens, handle)
        SELECT id, started_at_ms, kind, language, source_sha256, outcome, error_code,
            duration_us, tool_calls, result_bytes, answer_tokens, handle
        FROM legacy.runs ORDER BY rowid;
    INSERT INTO calls (run_id, started_at_ms, server, tool, outcome, error_code, duration_us,
            argument_bytes, answer_bytes, answer_tokens)
        SELECT run_id, started_at_ms, server, tool, outcome, error_code, duration_us,
            argument_bytes, answer_bytes, answer_tokens
        FROM legacy.calls ORDER BY id;
    INSERT INTO connections (run_id, started_at_ms, duration_us, method, host, port, address,
            verdict, rule, bytes_sent, bytes_received, status, alert)
        SELECT run_id, started_at_ms, duration_us, method, host, port, address,
            verdict, rule, bytes_sent, bytes_received, status, alert
        FROM legacy.connections ORDER BY id;
    INSERT INTO commands (run_id, started_at_ms, name, path, outcome, error_code, exit_code,
            signal, duration_us, arguments, argument_bytes, input_bytes, output_bytes)
        SELECT run_id, started_at_ms, name, path, outcome, error_code, exit_code,
            signal, duration_us, arguments, argument_bytes, input_bytes, output_bytes
        FROM legacy.commands ORDER BY id;
    INSERT INTO saved_skills (run_id, saved_at_ms, name, outcome, error_code, replaced, language,
            code_bytes, code_sha256)
        SELECT run_id, saved_at_ms, name, outcome, error_code, replaced, language,
            code_bytes, code_sha256
        FROM legacy.saved_skills ORDER BY id;
    INSERT INTO pii_seen (at_ms, server, tool, data_type, count)
        SELECT last_seen_ms, server, tool, data_type, count FROM legacy.pii_seen;
    INSERT INTO pii_restores (at_ms, session, run_id, towards, data_type, count)
        SELECT at_ms, session, run_id, towards, data_type, count
        FROM legacy.pii_restores ORDER BY id;
    INSERT INTO alerts (at_ms, run_id, kind, detail)
        SELECT at_ms, run_id, kind, detail FROM legacy.alerts ORDER BY id;
";

/// The rows that `state.db` imports. Rows that it has already are newer. Runs that an early
/// version parked in clear text can no longer be resumed; they stay behind and are
/// overwritten.
const STATE: &str = "
    INSERT OR IGNORE INTO shapes (server, tool, definition_hash, results, shape, updated_at_ms)
        SELECT server, tool, definition_hash, results, shape, updated_at_ms FROM legacy.shapes;
    INSERT OR IGNORE INTO accepted_tools
            (server, source, tool, definition_hash, definition, accepted_at_ms)
        SELECT server, source, tool, definition_hash, definition, accepted_at_ms
        FROM legacy.accepted_tools;
    INSERT OR IGNORE INTO approvals (id, run_id, kind, subject_sha256, title, details,
            created_at_ms, expires_at_ms, state, scope, decided_by, decided_at_ms)
        SELECT id, run_id, kind, subject_sha256, title, details,
            created_at_ms, expires_at_ms, state, scope, decided_by, decided_at_ms
        FROM legacy.approvals ORDER BY rowid;
    INSERT OR IGNORE INTO parked_runs (run_id, expires_at_ms, sealed, owner, lease_ends_ms)
        SELECT run_id, expires_at_ms, sealed, owner, lives_until_ms
        FROM legacy.parked_runs WHERE sealed IS NOT NULL;
    INSERT OR IGNORE INTO vault (session, data_type, number, nonce, sealed, value_hash,
            created_at_ms, expires_at_ms, restores)
        SELECT session, data_type, number, nonce, sealed, value_hash,
            created_at_ms, expires_at_ms, restores
        FROM legacy.vault;
    INSERT OR IGNORE INTO vault_numbers (session, data_type, last, expires_at_ms)
        SELECT session, data_type, last, expires_at_ms FROM legacy.vault_numbers;
";

/// Makes sure that a folder's `tidegate.db`, if it has one, can be imported: it may be of a
/// newer version.
pub(crate) fn prepare(state_dir: &Path) -> Result<Option<Connection>, StoreError> {
    let path = state_dir.join(LEGACY);
    if !path.exists() {
        return Ok(None);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut legacy = match Connection::open_with_flags(&path, flags) {
        Ok(legacy) => legacy,
        // Another process has just imported it.
        Err(_) if !path.exists() => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    legacy.busy_timeout(TAKE_OVER_TIMEOUT)?;
    legacy.pragma_update(None, "secure_delete", true)?;
    migrate_legacy(&mut legacy)?;
    Ok(Some(legacy))
}

/// Imports the database that `prepare` found. The new files have their tables already.
pub(crate) fn take_over(
    state_dir: &Path,
    mut legacy: Connection,
    clock: &Clock,
) -> Result<(), StoreError> {
    let id = mark(&legacy)?;
    let lock = legacy.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if !is_done(&lock)? {
        for (kind, rows) in [(Kind::Record, RECORD), (Kind::State, STATE)] {
            import(state_dir, kind, &id, rows, clock)?;
        }
        lock.execute_batch(
            "DELETE FROM vault; DELETE FROM vault_numbers; DELETE FROM parked_runs;
             UPDATE migration SET is_done = 1;",
        )?;
    }
    lock.commit()?;
    // The write-ahead log still has the old pages.
    let busy: i64 = legacy.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    drop(legacy);
    if busy != 0 {
        // A gateway of an earlier version has it open: after a rename, its rows would be
        // lost. The next start renames it.
        tracing::warn!("an older gateway has `tidegate.db` open; end it");
        return Ok(());
    }
    set_aside(&state_dir.join(LEGACY))
}

/// Gives the old file an id, unless it has one, and returns it.
fn mark(legacy: &Connection) -> Result<String, StoreError> {
    legacy.execute_batch(
        "CREATE TABLE IF NOT EXISTS migration (
             one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, is_done INTEGER NOT NULL
         ) STRICT;
         INSERT OR IGNORE INTO migration (one, id, is_done) VALUES (1, hex(randomblob(16)), 0);",
    )?;
    Ok(legacy.query_row("SELECT id FROM migration", [], |row| row.get(0))?)
}

fn is_done(legacy: &Transaction<'_>) -> Result<bool, StoreError> {
    Ok(legacy.query_row("SELECT is_done FROM migration", [], |row| row.get(0))?)
}

/// Imports all rows of one of the new files, in one transaction, once.
fn import(
    state_dir: &Path,
    kind: Kind,
    id: &str,
    rows: &str,
    clock: &Clock,
) -> Result<(), StoreError> {
    let mut connection = connect(&kind.path(state_dir), kind)?;
    let legacy = state_dir.join(LEGACY);
    connection.execute("ATTACH ? AS legacy", [legacy.to_string_lossy()])?;
    // Deferred, and begun with a write: an immediate transaction would also lock the old
    // file, which we have locked.
    let transaction = connection.transaction()?;
    let is_new = transaction.execute(
        "INSERT OR IGNORE INTO main.imports (id, at_ms) VALUES (?, ?)",
        params![id, unix_ms(clock.now())],
    )?;
    if is_new == 1 {
        transaction.execute_batch(rows)?;
    }
    transaction.commit()?;
    Ok(())
}

/// Renames the old file. Another process may have been faster.
fn set_aside(path: &Path) -> Result<(), StoreError> {
    let to = free_name(path);
    match std::fs::rename(path, &to) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(StoreError::File { path: to, source: error })
        }
        _ => Ok(()),
    }
}

/// A free name: a gateway of an earlier version that was still running may have created a
/// second old file.
fn free_name(path: &Path) -> PathBuf {
    let name = |number: u32| match number {
        1 => path.with_extension("db.migrated"),
        number => path.with_extension(format!("db.migrated-{number}")),
    };
    (1..).map(name).find(|name| !name.exists()).unwrap_or_else(|| name(1))
}

#[cfg(test)]
mod tests;
