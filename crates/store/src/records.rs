//! The record: what happened, as rows of `record.db` that are only ever inserted.
//!
//! In: events, with the session they belong to. Out: totals, a report about personal
//! data, and which tools were used together.
//! Invariant: when [`Records::run_ended`] answers, the run and everything that its
//! session recorded before are on disk.

mod co_usage;
mod personal;
mod rows;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use rusqlite::params;
use tidegate_model::{ErrorCode, Event, RunId, RunRecord, ToolRef};

use crate::StoreError;
use crate::database::{Database, Reply};

pub use personal::{PiiReport, RestoredRow, SeenRow};

/// Totals over all runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stats {
    /// All runs.
    pub runs: u64,
    /// Runs that failed.
    pub failed_runs: u64,
    /// All calls.
    pub calls: u64,
    /// Tokens of all tool answers, as if they had gone to the client.
    pub call_tokens: u64,
    /// Tokens that did go to the client.
    pub answer_tokens: u64,
}

/// What the record says of a run that somebody wants to resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunOnRecord {
    /// It has ended, and does not wait for anybody.
    pub has_ended: bool,
    /// How often it has sent something that may have had an effect and is in its journal.
    pub effects: u64,
}

/// The record of a state folder. Clones share it.
#[derive(Clone)]
pub struct Records {
    database: Arc<Database>,
}

impl Records {
    pub(crate) fn new(database: Arc<Database>) -> Self {
        Self { database }
    }

    /// Waits until the session's queue has room. Called before a session does something
    /// that will be recorded, so that the record can then be added without waiting.
    pub async fn room(&self, session: &str) {
        self.database.room(session).await;
    }

    /// Records an event without waiting. It is on disk no later than the next run of the
    /// session, and otherwise about 50 ms later.
    pub fn add(&self, session: &str, event: Event) {
        // Most answers have no personal data; the writer is not woken for them.
        if !rows::is_empty(&event) {
            self.database.add(session, move |connection| rows::insert(connection, &event));
        }
    }

    /// Records an event, and answers when it and what its session recorded before are on disk.
    pub fn add_now(&self, session: &str, event: Event) -> Reply<()> {
        self.database.write(session, move |connection| rows::insert(connection, &event))
    }

    /// Records a run. Answers when it and what its session recorded before are on disk.
    pub fn run_ended(&self, session: &str, run: RunRecord) -> Reply<()> {
        self.database.write(session, move |connection| rows::insert_run(connection, &run))
    }

    /// What is on record about a run, whatever is stored of it elsewhere.
    pub fn of_run(&self, run: &RunId) -> Reply<RunOnRecord> {
        let run = run.0.clone();
        self.database.read(move |connection| {
            // A client that leaves cancels its runs, also one that waits for a person. Saving
            // a skill twice is harmless, so no journal has it.
            let sql = "SELECT EXISTS (SELECT 1 FROM run_ends
                                      WHERE id = ?1 AND coalesce(error_code, '') NOT IN (?2, ?3)),
                              (SELECT count(*) FROM effects
                               WHERE run_id = ?1 AND NOT (server = '' AND tool = 'save_skill'))";
            let goes_on = [ErrorCode::ApprovalPending, ErrorCode::Cancelled].map(ErrorCode::as_str);
            let found = connection.query_row(sql, params![run, goes_on[0], goes_on[1]], |row| {
                Ok(RunOnRecord { has_ended: row.get(0)?, effects: row.get(1)? })
            })?;
            Ok(found)
        })
    }

    /// Answers once the writer has tried to write everything recorded before.
    pub fn flush(&self) -> Reply<()> {
        self.database.flush()
    }

    /// Totals over all runs.
    pub fn stats(&self) -> Reply<Stats> {
        self.database.read(|connection| {
            let stats = connection.query_row(
                "SELECT (SELECT count(*) FROM runs),
                        (SELECT count(*) FROM runs WHERE outcome <> 'succeeded'),
                        (SELECT count(*) FROM calls),
                        (SELECT coalesce(sum(answer_tokens), 0) FROM calls),
                        (SELECT coalesce(sum(answer_tokens), 0) FROM runs)",
                [],
                |row| {
                    Ok(Stats {
                        runs: row.get(0)?,
                        failed_runs: row.get(1)?,
                        calls: row.get(2)?,
                        call_tokens: row.get(3)?,
                        answer_tokens: row.get(4)?,
                    })
                },
            )?;
            Ok(stats)
        })
    }

    /// Which tools each of the newest successful runs used.
    pub fn tools_of_runs(&self) -> Reply<Vec<Vec<ToolRef>>> {
        self.database.read(co_usage::tools_of_runs)
    }

    /// Where personal data came from and went, in numbers. Includes everything recorded
    /// here before.
    pub async fn pii_report(&self) -> Result<PiiReport, StoreError> {
        self.flush().await?;
        self.database.read(personal::read_report).await
    }
}
