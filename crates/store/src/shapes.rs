//! What was learned about the results of tools, one row per tool.
//!
//! The text of a shape is the catalog's own; here it is only kept. Rows of tools
//! whose definition has changed are removed by whoever notices.

use std::time::SystemTime;

use rusqlite::{Connection, params};
use tidegate_model::ToolRef;

use crate::StoreError;
use crate::store::unix_ms;

/// A learned shape as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeRecord {
    /// The definition it was learned with.
    pub definition_hash: String,
    /// How many results it rests on.
    pub results: u32,
    /// The shape as JSON text.
    pub shape: String,
}

/// Writes one tool's shape, or removes it.
pub(crate) fn write(
    connection: &Connection,
    tool: &ToolRef,
    record: Option<&ShapeRecord>,
) -> Result<(), StoreError> {
    let Some(record) = record else {
        connection
            .prepare_cached("DELETE FROM shapes WHERE server = ? AND tool = ?")?
            .execute(params![tool.server, tool.tool])?;
        return Ok(());
    };
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO shapes
                 (server, tool, definition_hash, results, shape, updated_at_ms)
             VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            tool.server,
            tool.tool,
            record.definition_hash,
            record.results,
            record.shape,
            unix_ms(SystemTime::now()),
        ])?;
    Ok(())
}

/// All shapes that are kept.
pub(crate) fn read_all(connection: &Connection) -> Result<Vec<(ToolRef, ShapeRecord)>, StoreError> {
    let mut query =
        connection.prepare("SELECT server, tool, definition_hash, results, shape FROM shapes")?;
    let rows = query.query_map([], |row| {
        let tool = ToolRef::new(row.get::<_, String>(0)?, row.get::<_, String>(1)?);
        let record =
            ShapeRecord { definition_hash: row.get(2)?, results: row.get(3)?, shape: row.get(4)? };
        Ok((tool, record))
    })?;
    rows.map(|row| row.map_err(StoreError::from)).collect()
}
