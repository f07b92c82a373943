//! Where personal data came from and where it was put back, in numbers.
//!
//! In: how many values of which type a tool answered with, and each time that values were
//! put back. Out: a report. Must stay true: there is no value here, and nothing by which
//! one could be found again.

use std::collections::BTreeMap;
use std::fmt;
use std::time::SystemTime;

use rusqlite::{Connection, params};
use tidegate_model::{DataType, RunId, ToolRef};

use crate::StoreError;
use crate::alerts::{self, AlertRecord};
use crate::store::{from_unix_ms, unix_ms};
use crate::vault::data_type;

/// Who values were put back for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Towards {
    /// The model: it read them in an answer.
    Model,
    /// The server with this name: they were in the arguments of a call.
    Server(String),
}

/// What every kept server begins with, because one could be called `model`.
const SERVER: &str = "server:";

impl Towards {
    fn kept(&self) -> String {
        match self {
            Self::Model => "model".to_owned(),
            Self::Server(name) => format!("{SERVER}{name}"),
        }
    }

    fn parse(kept: &str) -> Self {
        kept.strip_prefix(SERVER).map_or(Self::Model, |name| Self::Server(name.to_owned()))
    }
}

/// As people read it: `model`, or the name of the server.
impl fmt::Display for Towards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model => f.write_str("model"),
            Self::Server(name) => f.write_str(name),
        }
    }
}

/// Values were put back once, for one receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoresRecord {
    /// When.
    pub at: SystemTime,
    /// The session whose tokens they were.
    pub session: String,
    /// The run that did it.
    pub run_id: RunId,
    /// Who got them.
    pub towards: Towards,
    /// How many of which type.
    pub counts: Vec<(DataType, u32)>,
}

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

/// Values of one type that one receiver got, over all runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredRow {
    /// Who got them.
    pub towards: Towards,
    /// The type.
    pub data_type: DataType,
    /// How many values.
    pub count: u64,
}

/// What is known about personal data, without any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PiiReport {
    /// Where it came from, by server, tool and type.
    pub seen: Vec<SeenRow>,
    /// Where it was put back, by receiver and type.
    pub restores: Vec<RestoredRow>,
    /// What a person should look at, the newest 100 first.
    pub alerts: Vec<AlertRecord>,
}

/// What tools answered with and is not on disk yet, added up: a tool that is called ten
/// thousand times is one row.
#[derive(Default)]
pub(crate) struct Seen(BTreeMap<(ToolRef, DataType), (u64, SystemTime)>);

impl Seen {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn add(&mut self, tool: &ToolRef, found: &[(DataType, u32)], at: SystemTime) {
        for (data_type, count) in found {
            self.add_one((tool.clone(), *data_type), u64::from(*count), at);
        }
    }

    pub(crate) fn add_all(&mut self, other: Self) {
        for (key, (count, at)) in other.0 {
            self.add_one(key, count, at);
        }
    }

    fn add_one(&mut self, key: (ToolRef, DataType), count: u64, at: SystemTime) {
        if count > 0 {
            let (sum, last) = self.0.entry(key).or_insert((0, at));
            *sum = sum.saturating_add(count);
            *last = at.max(*last);
        }
    }

    pub(crate) fn write(&self, connection: &Connection) -> Result<(), StoreError> {
        for ((tool, data_type), (count, at)) in &self.0 {
            connection
                .prepare_cached(
                    "INSERT INTO pii_seen (server, tool, data_type, count, last_seen_ms)
                     VALUES (?, ?, ?, ?, ?)
                     ON CONFLICT DO UPDATE SET count = count + excluded.count,
                         last_seen_ms = max(last_seen_ms, excluded.last_seen_ms)",
                )?
                .execute(params![
                    tool.server,
                    tool.tool,
                    data_type.as_str(),
                    count,
                    unix_ms(*at)
                ])?;
        }
        Ok(())
    }
}

/// Writes one row for each type.
pub(crate) fn write_restores(
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
                restores.towards.kept(),
                data_type.as_str(),
                count,
            ])?;
    }
    Ok(())
}

pub(crate) fn read_report(connection: &Connection) -> Result<PiiReport, StoreError> {
    Ok(PiiReport {
        seen: read_seen(connection)?,
        restores: read_restores(connection)?,
        alerts: alerts::read_newest(connection)?,
    })
}

fn read_seen(connection: &Connection) -> Result<Vec<SeenRow>, StoreError> {
    let mut query =
        connection.prepare("SELECT data_type, server, tool, count, last_seen_ms FROM pii_seen")?;
    let mut rows = query.query([])?;
    let mut seen = Vec::new();
    while let Some(row) = rows.next()? {
        // Another name is of no type that this program knows.
        let Some(data_type) = data_type(&row.get::<_, String>(0)?) else { continue };
        seen.push(SeenRow {
            server: row.get(1)?,
            tool: row.get(2)?,
            data_type,
            count: row.get(3)?,
            last_seen: from_unix_ms(row.get(4)?),
        });
    }
    // Types in the order of all reports, which the database does not know.
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
        let towards = Towards::parse(&row.get::<_, String>(1)?);
        restores.push(RestoredRow { towards, data_type, count: row.get(2)? });
    }
    restores.sort_by(|a, b| (&a.towards, a.data_type).cmp(&(&b.towards, b.data_type)));
    Ok(restores)
}

#[cfg(test)]
mod tests;
