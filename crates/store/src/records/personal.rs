//! Where personal data came from and where it was restored, in numbers.
//!
//! In: how many values of which type a tool's answer had, and each restore of values. Out:
//! a report.
//! Invariant: no value is stored here, nor anything that could identify one.

use std::time::SystemTime;

use rusqlite::{Connection, params};
use tidegate_model::{AlertRecord, DataType, RestoresRecord, RunId, SeenRecord, Towards};

use crate::StoreError;
use crate::units::{from_unix_ms, unix_ms};
use crate::vault::data_type;

/// The prefix of every stored server name, because a server could be called `model`.
const SERVER: &str = "server:";

/// Chosen: more alerts than a person reads at once. Older ones stay in the database.
const ALERTS_REPORTED: u32 = 100;

/// Values of one type that came from one tool, over all runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenRow {
    /// The server.
    pub server: String,
    /// Its tool.
    pub tool: String,
    /// The type.
    pub data_type: DataType,
    /// How many values.
    pub count: u64,
    /// When the last one came.
    pub last_seen: SystemTime,
}

/// Values of one type that were restored for one receiver, over all runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredRow {
    /// The receiver.
    pub towards: Towards,
    /// The type.
    pub data_type: DataType,
    /// How many values.
    pub count: u64,
}

/// A report about personal data, without any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PiiReport {
    /// Where it came from, by server, tool and type.
    pub seen: Vec<SeenRow>,
    /// Where it was restored, by receiver and type.
    pub restores: Vec<RestoredRow>,
    /// What a person should look at: the newest 100, newest first.
    pub alerts: Vec<AlertRecord>,
}

/// Writes one row for each type. Reports add them up: a counter would have to be changed,
/// and the record is append-only.
pub(super) fn insert_seen(connection: &Connection, seen: &SeenRecord) -> Result<(), StoreError> {
    for (data_type, count) in seen.counts.iter().filter(|(_, count)| *count > 0) {
        connection
            .prepare_cached(
                "INSERT INTO pii_seen (at_ms, server, tool, data_type, count)
                 VALUES (?, ?, ?, ?, ?)",
            )?
            .execute(params![
                unix_ms(seen.at),
                seen.tool.server,
                seen.tool.tool,
                data_type.as_str(),
                count
            ])?;
    }
    Ok(())
}

/// Writes one row for each type.
pub(super) fn insert_restores(
    connection: &Connection,
    restores: &RestoresRecord,
) -> Result<(), StoreError> {
    for (data_type, count) in restores.counts.iter().filter(|(_, count)| *count > 0) {
        connection
            .prepare_cached(
                "INSERT INTO pii_restores (at_ms, session, run_id, towards, data_type, count)
                 VALUES (?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                unix_ms(restores.at),
                restores.session,
                restores.run_id.0,
                stored(&restores.towards),
                data_type.as_str(),
                count,
            ])?;
    }
    Ok(())
}

pub(super) fn read_report(connection: &Connection) -> Result<PiiReport, StoreError> {
    Ok(PiiReport {
        seen: read_seen(connection)?,
        restores: read_restores(connection)?,
        alerts: read_alerts(connection)?,
    })
}

fn read_seen(connection: &Connection) -> Result<Vec<SeenRow>, StoreError> {
    let mut query = connection.prepare(
        "SELECT data_type, server, tool, sum(count), max(at_ms) FROM pii_seen
             GROUP BY server, tool, data_type",
    )?;
    let mut rows = query.query([])?;
    let mut seen = Vec::new();
    while let Some(row) = rows.next()? {
        // Not the name of a type that this program knows.
        let Some(data_type) = data_type(&row.get::<_, String>(0)?) else { continue };
        seen.push(SeenRow {
            server: row.get(1)?,
            tool: row.get(2)?,
            data_type,
            count: row.get(3)?,
            last_seen: from_unix_ms(row.get(4)?),
        });
    }
    // Types in the order of all reports, which SQL does not know.
    seen.sort_by(|a, b| (&a.server, &a.tool, a.data_type).cmp(&(&b.server, &b.tool, b.data_type)));
    Ok(seen)
}

fn read_restores(connection: &Connection) -> Result<Vec<RestoredRow>, StoreError> {
    let mut query = connection.prepare(
        "SELECT data_type, towards, sum(count) FROM pii_restores GROUP BY data_type, towards",
    )?;
    let mut rows = query.query([])?;
    let mut restores = Vec::new();
    while let Some(row) = rows.next()? {
        let Some(data_type) = data_type(&row.get::<_, String>(0)?) else { continue };
        let towards = towards(&row.get::<_, String>(1)?);
        restores.push(RestoredRow { towards, data_type, count: row.get(2)? });
    }
    restores.sort_by(|a, b| (&a.towards, a.data_type).cmp(&(&b.towards, b.data_type)));
    Ok(restores)
}

/// Newest first.
fn read_alerts(connection: &Connection) -> Result<Vec<AlertRecord>, StoreError> {
    let mut query = connection.prepare(
        "SELECT at_ms, run_id, kind, detail FROM alerts ORDER BY at_ms DESC, id DESC LIMIT ?",
    )?;
    let rows = query.query_map([ALERTS_REPORTED], |row| {
        Ok(AlertRecord {
            at: from_unix_ms(row.get(0)?),
            run_id: RunId(row.get(1)?),
            kind: row.get(2)?,
            detail: row.get(3)?,
        })
    })?;
    rows.map(|row| row.map_err(StoreError::from)).collect()
}

fn stored(towards: &Towards) -> String {
    match towards {
        Towards::Model => "model".to_owned(),
        Towards::Server(name) => format!("{SERVER}{name}"),
    }
}

fn towards(stored: &str) -> Towards {
    let server = stored.strip_prefix(SERVER);
    server.map_or(Towards::Model, |name| Towards::Server(name.to_owned()))
}

#[cfg(test)]
mod tests;
