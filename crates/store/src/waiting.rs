//! What is not on disk yet and nobody waits for.

use std::collections::BTreeMap;

use rusqlite::Transaction;
use tidegate_model::{Connection, ToolRef};

use crate::StoreError;
use crate::alerts::{self, AlertRecord};
use crate::connections;
use crate::personal::{RestoresRecord, Seen, write_restores};
use crate::record::{
    CallRecord, CommandRecord, SkillRecord, insert_call, insert_command, insert_skill,
};
use crate::shapes::{self, ShapeRecord};

/// Rows of a kind that wait for a database that fails.
const MOST_WAITING: usize = 100_000;

/// Beside the queue, because waking the writer for every call costs more than the
/// call's own bookkeeping.
#[derive(Default)]
pub(crate) struct Waiting {
    pub(crate) calls: Vec<CallRecord>,
    pub(crate) connections: Vec<Connection>,
    pub(crate) commands: Vec<CommandRecord>,
    pub(crate) skills: Vec<SkillRecord>,
    /// The newest of each tool; `None` removes it.
    pub(crate) shapes: BTreeMap<ToolRef, Option<ShapeRecord>>,
    pub(crate) seen: Seen,
    pub(crate) restores: Vec<RestoresRecord>,
    pub(crate) alerts: Vec<AlertRecord>,
}

impl Waiting {
    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
            && self.connections.is_empty()
            && self.commands.is_empty()
            && self.skills.is_empty()
            && self.shapes.is_empty()
            && self.seen.is_empty()
            && self.restores.is_empty()
            && self.alerts.is_empty()
    }

    /// Puts back what could not be written, before what came meanwhile: calls
    /// may belong to runs that have not ended. A disk that stays full must not
    /// fill the memory as well.
    pub(crate) fn put_back(&mut self, older: Self) {
        put_before(&mut self.calls, older.calls);
        put_before(&mut self.connections, older.connections);
        put_before(&mut self.commands, older.commands);
        put_before(&mut self.skills, older.skills);
        for (tool, shape) in older.shapes {
            self.shapes.entry(tool).or_insert(shape);
        }
        self.seen.add_all(older.seen);
        put_before(&mut self.restores, older.restores);
        put_before(&mut self.alerts, older.alerts);
    }

    pub(crate) fn write(&self, transaction: &Transaction<'_>) -> Result<(), StoreError> {
        for call in &self.calls {
            insert_call(transaction, call)?;
        }
        for connection in &self.connections {
            connections::write(transaction, connection)?;
        }
        for command in &self.commands {
            insert_command(transaction, command)?;
        }
        for skill in &self.skills {
            insert_skill(transaction, skill)?;
        }
        for (tool, shape) in &self.shapes {
            shapes::write(transaction, tool, shape.as_ref())?;
        }
        self.seen.write(transaction)?;
        for restores in &self.restores {
            write_restores(transaction, restores)?;
        }
        for alert in &self.alerts {
            alerts::write(transaction, alert)?;
        }
        Ok(())
    }
}

fn put_before<T>(newer: &mut Vec<T>, mut older: Vec<T>) {
    older.append(newer);
    older.truncate(MOST_WAITING);
    *newer = older;
}
