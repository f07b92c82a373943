//! The thread that writes a database, many jobs per transaction.

use rusqlite::{Connection, TransactionBehavior};

use super::Kind;
use super::queue::{Afterwards, Batch, Queue};
use crate::StoreError;
use crate::retention::Retention;

/// Writes until the queue is closed and empty.
pub(super) fn write_all(connection: &mut Connection, queue: &Queue, kind: Kind) {
    let mut retention = Retention::default();
    while let Some(mut batch) = queue.next() {
        // Before it writes: a file that is full already must not stay so.
        if kind == Kind::Record {
            retention.make_room(connection);
        }
        match write(connection, &mut batch) {
            Ok(()) => {
                if batch.jobs.iter().any(|queued| queued.job.afterwards == Afterwards::EmptyLog) {
                    empty_log(connection);
                }
                queue.committed(batch);
            }
            Err(error) => {
                tracing::error!(%error, "the database could not be written");
                queue.failed(batch);
            }
        }
    }
}

/// Applies all jobs and commits them. A job that can fail alone is rolled back if it
/// does, and answered and removed; the others succeed or fail together.
fn write(connection: &mut Connection, batch: &mut Batch) -> Result<(), StoreError> {
    if batch.jobs.is_empty() {
        return Ok(());
    }
    // Immediate: what a job reads must still be true when it writes, whatever other
    // processes do.
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut refused = Vec::new();
    for (index, queued) in batch.jobs.iter_mut().enumerate() {
        if !queued.job.waiter.fails_alone() {
            (queued.job.apply)(&transaction)?;
            continue;
        }
        let savepoint = transaction.savepoint()?;
        match (queued.job.apply)(&savepoint) {
            Ok(()) => savepoint.commit()?,
            // Dropping the savepoint rolls back to it.
            Err(error) => {
                drop(savepoint);
                // On a full disk SQLite rolls back everything: the jobs that follow would
                // be committed on their own, and then again with the retried batch.
                if transaction.is_autocommit() {
                    return Err(error);
                }
                refused.push((index, error));
            }
        }
    }
    transaction.commit()?;
    for (index, error) in refused.into_iter().rev() {
        batch.jobs.remove(index).job.waiter.answer(Err(error));
    }
    Ok(())
}

/// Moves the write-ahead log into the database and empties it. Readers in other processes
/// can prevent that; then the next call does it, and until then the bytes there are
/// encrypted as everywhere.
fn empty_log(connection: &Connection) {
    let busy = connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
        .unwrap_or(1);
    if busy != 0 {
        tracing::warn!("the log of the database is in use; erased rows leave it later");
    }
}
