//! Makes room in `record.db` before its quota is reached.
//!
//! In: the connection that writes. Out: the oldest runs removed, all their rows at once, and one
//! row of `removed` that says how many, and from which time.
//! Invariant: this is the only place where rows of the record are deleted. The triggers that
//! refuse it are gone only inside of its transaction, which creates them again.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, TransactionBehavior, params};

use crate::StoreError;
use crate::schema::{RECORD_TABLES, guard};

/// Percent of the quota from which a warning is logged, from which rows are removed, and down to
/// which.
const WARN: u64 = 80;
const FULL: u64 = 95;
const ENOUGH: u64 = 90;

/// Rows of runs removed at once, about, so that what must be recorded meanwhile waits for
/// milliseconds. Chosen: more than one transaction adds. A run has some and one for each call.
const ROWS: i64 = 5_000;
const ROWS_OF_RUN: i64 = 10;

/// Rows removed at once that belong to no run, or to one whose end was never recorded.
const OTHER_ROWS: u32 = 5_000;

/// A run that waits for a person may go on: it is kept for this long.
const PENDING_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// The tables with a row or more for a run, and an index by run.
const OF_RUNS: [&str; 6] =
    ["stages", "calls", "effects", "connections", "commands", "saved_skills"];

/// Those that are read by time, with their column of it.
const BY_TIME: [(&str, &str); 10] = [
    ("stages", "at_ms"),
    ("calls", "started_at_ms"),
    ("effects", "at_ms"),
    ("connections", "started_at_ms"),
    ("commands", "started_at_ms"),
    ("saved_skills", "saved_at_ms"),
    ("pii_seen", "at_ms"),
    ("pii_restores", "at_ms"),
    ("alerts", "at_ms"),
    ("approval_steps", "at_ms"),
];

/// Keeps a record within its quota. One per writer.
#[derive(Debug, Default)]
pub(crate) struct Retention {
    is_removing: bool,
    has_warned: bool,
}

impl Retention {
    /// Removes some of the oldest runs if the file is nearly full. Called between transactions.
    pub(crate) fn make_room(&mut self, connection: &mut Connection) {
        let percent = match percent_used(connection) {
            Ok(percent) => percent,
            Err(error) => return tracing::error!(%error, "the size of the record is unknown"),
        };
        if percent >= WARN && !self.has_warned {
            self.has_warned = true;
            tracing::warn!(
                percent,
                "the record is nearly full; from {FULL} percent on, its oldest runs are removed"
            );
        }
        let threshold = if self.is_removing { ENOUGH } else { FULL };
        let was_removing = std::mem::replace(&mut self.is_removing, percent >= threshold);
        if !self.is_removing {
            return;
        }
        match remove_oldest(connection) {
            Ok(0) => tracing::error!(percent, "the record is full, and no run can be removed"),
            Ok(rows) if !was_removing => {
                tracing::warn!(rows, "removing the oldest runs: the record is nearly full");
            }
            Ok(_) => {}
            Err(error) => tracing::error!(%error, "the oldest runs could not be removed"),
        }
    }
}

/// How much of the pages that a file may have is in use.
fn percent_used(connection: &Connection) -> Result<u64, StoreError> {
    let number = |pragma: &str| connection.query_row(pragma, [], |row| row.get::<_, u64>(0));
    let pages = number("PRAGMA page_count")?.saturating_sub(number("PRAGMA freelist_count")?);
    Ok(pages * 100 / number("PRAGMA max_page_count")?.max(1))
}

/// Removes the oldest runs that have ended. Returns how many rows that were.
fn remove_oldest(connection: &mut Connection) -> Result<u64, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS leaving (id TEXT PRIMARY KEY); DELETE FROM leaving",
    )?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let pending_since = milliseconds(now.saturating_sub(PENDING_TIME));
    // The last row of each run; one that was resumed has more.
    transaction.execute(
        "INSERT OR IGNORE INTO leaving SELECT id FROM (
            SELECT id, row, sum(?2 + tool_calls) OVER (ORDER BY row) - tool_calls AS before FROM (
                SELECT * FROM runs
                WHERE started_at_ms < ?1 OR error_code IS NOT 'approval.pending'
                ORDER BY row LIMIT ?3 / ?2))
         WHERE before <= ?3 OR row = (SELECT min(row) FROM run_ends)",
        params![pending_since, ROWS_OF_RUN, ROWS],
    )?;
    let span = "SELECT min(started_at_ms), max(started_at_ms) FROM run_ends
                WHERE id IN (SELECT id FROM leaving)";
    let (oldest, newest): (Option<i64>, Option<i64>) =
        transaction.query_row(span, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (Some(oldest), Some(newest)) = (oldest, newest) else { return Ok(0) };
    for table in RECORD_TABLES {
        transaction.execute_batch(&format!("DROP TRIGGER {table}_are_not_deleted"))?;
    }
    let mut rows = 0;
    for table in OF_RUNS {
        let sql = format!("DELETE FROM {table} WHERE run_id IN (SELECT id FROM leaving)");
        rows += transaction.execute(&sql, [])? as u64;
    }
    rows += transaction.execute("DELETE FROM run_ends WHERE id IN (SELECT id FROM leaving)", [])?
        as u64;
    for (table, time) in BY_TIME {
        // What happened before the oldest run that stays, and belongs to none that stays.
        let orphan = match table {
            "pii_seen" => "",
            _ => "AND NOT EXISTS (SELECT 1 FROM run_ends WHERE run_ends.id = run_id)",
        };
        let sql = format!(
            "DELETE FROM {table} WHERE {time} <= ?1 {orphan}
             AND id IN (SELECT id FROM {table} ORDER BY id LIMIT ?2)"
        );
        rows += transaction.execute(&sql, params![newest, OTHER_ROWS])? as u64;
    }
    transaction.execute(
        "INSERT INTO removed (at_ms, rows, oldest_ms, newest_ms) VALUES (?, ?, ?, ?)",
        params![milliseconds(now), rows, oldest, newest],
    )?;
    guard(&transaction, &RECORD_TABLES)?;
    transaction.commit()?;
    Ok(rows)
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::Retention;
    use crate::database::{Kind, connect};
    use crate::schema::migrate;

    fn record(folder: &std::path::Path) -> Connection {
        let mut connection = connect(&Kind::Record.path(folder), Kind::Record).unwrap();
        migrate(&mut connection, Kind::Record).unwrap();
        connection.pragma_update(None, "max_page_count", 400).unwrap();
        connection
    }

    fn add(connection: &Connection, run: i64, outcome: &str) -> rusqlite::Result<()> {
        let text = "x".repeat(1000);
        connection.execute(
            "INSERT INTO run_ends (id, started_at_ms, kind, outcome, error_code, duration_us,
                tool_calls, result_bytes, answer_tokens)
             VALUES ('r' || ?1, 9000000000000 + ?1, 'execute_code', 'failed', ?2, 1, 1, 1, 1)",
            rusqlite::params![run, outcome],
        )?;
        connection.execute(
            "INSERT INTO alerts (at_ms, run_id, kind, detail) VALUES (9000000000000 + ?1, 'r' || ?1, 'k', ?2)",
            rusqlite::params![run, text],
        )?;
        connection.execute(
            "INSERT INTO effects (run_id, at_ms, server, tool) VALUES ('r' || ?1, 9000000000000 + ?1, 's', ?2)",
            rusqlite::params![run, text],
        )?;
        Ok(())
    }

    #[test]
    fn g40_the_oldest_runs_make_room_in_the_record_and_that_is_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = record(folder.path());
        let mut retention = Retention::default();
        add(&connection, 0, "approval.pending").unwrap();
        // Several times what fits.
        for run in 1..5000 {
            retention.make_room(&mut connection);
            add(&connection, run, "limit.time").unwrap();
        }
        let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        // Each run that is there is there with all of its rows, and no rows are left of others.
        let runs = count("SELECT count(*) FROM runs");
        assert!((50..1000).contains(&runs), "{runs}");
        for table in ["effects", "alerts"] {
            let all = count(&format!("SELECT count(*) FROM {table}"));
            assert_eq!(all, runs, "{table}");
        }
        assert_eq!(count("SELECT count(*) FROM runs WHERE id IN ('r0', 'r4999')"), 2);
        assert_eq!(count("SELECT sum(rows) FROM removed"), (5000 - runs) * 3);
        assert_eq!(count("SELECT min(oldest_ms) FROM removed"), 9_000_000_000_001);
        // Nobody else can.
        for table in ["run_ends", "removed"] {
            let refused = connection.execute_batch(&format!("DELETE FROM {table}")).unwrap_err();
            assert_eq!(refused.to_string(), "rows of the record are not deleted");
        }
    }
}
