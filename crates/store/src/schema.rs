//! The tables of the two databases, and their migrations.
//!
//! Each entry of a `MIGRATIONS` is applied once, in order, in one transaction with the
//! version number. Entries are never edited after a release: add one.

pub(crate) mod legacy;
mod record;
mod state;

use rusqlite::{Connection, TransactionBehavior};

use crate::StoreError;
use crate::database_file::Kind;

pub(crate) use record::TABLES as RECORD_TABLES;

/// Brings a database of any earlier version up to date.
pub(crate) fn migrate(connection: &mut Connection, kind: Kind) -> Result<(), StoreError> {
    match kind {
        Kind::Record => apply(connection, &record::MIGRATIONS, &record::TABLES),
        Kind::State => apply(connection, &state::MIGRATIONS, &[]),
    }
}

/// Brings `tidegate.db` of any earlier version to its last one.
pub(crate) fn migrate_legacy(connection: &mut Connection) -> Result<(), StoreError> {
    apply(connection, &legacy::MIGRATIONS, &[])
}

/// Applies the missing migrations, and forbids changes to rows of the append-only
/// tables.
fn apply(
    connection: &mut Connection,
    migrations: &[&str],
    append_only: &[&str],
) -> Result<(), StoreError> {
    // Immediate: two gateways that start at once must not both apply them.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: usize = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version > migrations.len() {
        return Err(StoreError::TooNew { found: version, known: migrations.len() });
    }
    for migration in &migrations[version..] {
        transaction.execute_batch(migration)?;
    }
    guard(&transaction, append_only)?;
    transaction.pragma_update(None, "user_version", migrations.len())?;
    transaction.commit()?;
    Ok(())
}

/// Forbids changes to rows of these tables.
pub(crate) fn guard(connection: &Connection, append_only: &[&str]) -> Result<(), StoreError> {
    for table in append_only {
        for (change, verb) in [("UPDATE", "changed"), ("DELETE", "deleted")] {
            connection.execute_batch(&format!(
                "CREATE TRIGGER IF NOT EXISTS {table}_are_not_{verb} BEFORE {change} ON {table}
                 BEGIN SELECT raise(ABORT, 'rows of the record are not {verb}'); END"
            ))?;
        }
    }
    Ok(())
}
