//! Things that a person should look at.

use std::time::SystemTime;

use rusqlite::{Connection, params};
use tidegate_model::RunId;

use crate::StoreError;
use crate::store::{from_unix_ms, unix_ms};

/// Chosen: more than a person reads at once. Older ones stay in the database.
const MOST_SHOWN: u32 = 100;

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertRecord {
    /// When it was noticed.
    pub at: SystemTime,
    /// The run that gave cause for it.
    pub run_id: RunId,
    /// What it is about, as `output-volume`.
    pub kind: String,
    /// One line for a person. Sizes, counts and names; never a value.
    pub detail: String,
}

pub(crate) fn write(connection: &Connection, alert: &AlertRecord) -> Result<(), StoreError> {
    connection
        .prepare_cached("INSERT INTO alerts (at_ms, run_id, kind, detail) VALUES (?, ?, ?, ?)")?
        .execute(params![unix_ms(alert.at), alert.run_id.0, alert.kind, alert.detail])?;
    Ok(())
}

/// The newest first.
pub(crate) fn read_newest(connection: &Connection) -> Result<Vec<AlertRecord>, StoreError> {
    let mut query = connection.prepare(
        "SELECT at_ms, run_id, kind, detail FROM alerts ORDER BY at_ms DESC, id DESC LIMIT ?",
    )?;
    let rows = query.query_map([MOST_SHOWN], |row| {
        Ok(AlertRecord {
            at: from_unix_ms(row.get(0)?),
            run_id: RunId(row.get(1)?),
            kind: row.get(2)?,
            detail: row.get(3)?,
        })
    })?;
    rows.map(|row| row.map_err(StoreError::from)).collect()
}
