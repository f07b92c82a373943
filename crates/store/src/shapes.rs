//! The learned shapes of tool results, one row per tool.
//!
//! A shape is opaque text here; its format belongs to the catalog. Whoever notices that
//! a tool's definition has changed removes its row.

use std::sync::Arc;

use rusqlite::{Connection, params};
use tidegate_model::{Clock, ToolRef};

use crate::StoreError;
use crate::database::{Database, Reply};
use crate::units::unix_ms;

/// The queue for work that belongs to no session.
const SESSION: &str = "";

/// A learned shape as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeRecord {
    /// The definition it was learned with.
    pub definition_hash: String,
    /// The number of results it is based on.
    pub results: u32,
    /// The shape as JSON text.
    pub shape: String,
}

/// The learned shapes of a state folder. Clones share them.
#[derive(Clone)]
pub struct Shapes {
    database: Arc<Database>,
    clock: Clock,
}

impl Shapes {
    pub(crate) fn new(database: Arc<Database>, clock: Clock) -> Self {
        Self { database, clock }
    }

    /// Stores what is known about a tool's results. Does not wait.
    pub fn set(&self, tool: ToolRef, shape: ShapeRecord) {
        let now = unix_ms(self.clock.now());
        self.database.add(SESSION, move |connection| {
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO shapes
                         (server, tool, definition_hash, results, shape, updated_at_ms)
                     VALUES (?, ?, ?, ?, ?, ?)",
                )?
                .execute(params![
                    tool.server,
                    tool.tool,
                    shape.definition_hash,
                    shape.results,
                    shape.shape,
                    now,
                ])?;
            Ok(())
        });
    }

    /// Forgets what is known about a tool's results. Does not wait.
    pub fn remove(&self, tool: ToolRef) {
        self.database.add(SESSION, move |connection| {
            connection
                .prepare_cached("DELETE FROM shapes WHERE server = ? AND tool = ?")?
                .execute(params![tool.server, tool.tool])?;
            Ok(())
        });
    }

    /// All stored shapes.
    pub fn all(&self) -> Reply<Vec<(ToolRef, ShapeRecord)>> {
        self.database.read(read_all)
    }

    /// Answers once the writer has tried to write everything before.
    pub fn flush(&self) -> Reply<()> {
        self.database.flush()
    }
}

fn read_all(connection: &Connection) -> Result<Vec<(ToolRef, ShapeRecord)>, StoreError> {
    let mut query = connection.prepare(
        "SELECT server, tool, definition_hash, results, shape FROM shapes ORDER BY 1, 2",
    )?;
    let rows = query.query_map([], |row| {
        let tool = ToolRef::new(row.get::<_, String>(0)?, row.get::<_, String>(1)?);
        let record =
            ShapeRecord { definition_hash: row.get(2)?, results: row.get(3)?, shape: row.get(4)? };
        Ok((tool, record))
    })?;
    rows.map(|row| row.map_err(StoreError::from)).collect()
}

#[cfg(test)]
mod tests;
