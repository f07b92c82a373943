//! The accepted definitions of tools, one row per tool.
//!
//! A server is identified by its name and its source: a fingerprint of how it is
//! started or reached. Definitions are opaque text here; their format belongs to the
//! caller.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};
use tidegate_model::Clock;

use crate::StoreError;
use crate::database::{Database, Reply};
use crate::units::unix_ms;

/// The queue for work that belongs to no session.
const SESSION: &str = "";

/// A server whose tools were accepted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AcceptedServer {
    /// Its name in the configuration.
    pub name: String,
    /// The fingerprint of how it is started or reached.
    pub source: String,
}

/// A definition that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedTool {
    /// The tool's own name.
    pub name: String,
    /// The hash of the definition.
    pub definition_hash: String,
    /// The definition as JSON text.
    pub definition: String,
}

/// The accepted tools of a state folder. Clones share them.
#[derive(Clone)]
pub struct AcceptedTools {
    database: Arc<Database>,
    clock: Clock,
}

impl AcceptedTools {
    pub(crate) fn new(database: Arc<Database>, clock: Clock) -> Self {
        Self { database, clock }
    }

    /// Accepts the first tools of a server. Does nothing if it has some already,
    /// whichever process stored them.
    pub fn accept_first(&self, server: AcceptedServer, tools: Vec<AcceptedTool>) -> Reply<()> {
        let now = unix_ms(self.clock.now());
        self.database.write(SESSION, move |connection| {
            let is_known: bool = connection.query_row(
                "SELECT EXISTS (SELECT 1 FROM accepted_tools WHERE server = ? AND source = ?)",
                params![server.name, server.source],
                |row| row.get(0),
            )?;
            if is_known { Ok(()) } else { write(connection, &server, &tools, now) }
        })
    }

    /// Accepts these definitions in place of earlier ones, all or none.
    pub fn accept(&self, server: AcceptedServer, tools: Vec<AcceptedTool>) -> Reply<()> {
        let now = unix_ms(self.clock.now());
        self.database.write(SESSION, move |connection| write(connection, &server, &tools, now))
    }

    /// The hashes of all accepted definitions: server, tool, hash.
    pub fn hashes(&self) -> Reply<Vec<(AcceptedServer, String, String)>> {
        self.database.read(read_hashes)
    }

    /// The accepted definition of a tool.
    pub fn definition(&self, server: AcceptedServer, tool: String) -> Reply<Option<String>> {
        self.database.read(move |connection| read_definition(connection, &server, &tool))
    }
}

fn write(
    connection: &Connection,
    server: &AcceptedServer,
    tools: &[AcceptedTool],
    now: i64,
) -> Result<(), StoreError> {
    let mut insert = connection.prepare_cached(
        "INSERT OR REPLACE INTO accepted_tools
             (server, source, tool, definition_hash, definition, accepted_at_ms)
         VALUES (?, ?, ?, ?, ?, ?)",
    )?;
    for tool in tools {
        let AcceptedTool { name, definition_hash, definition } = tool;
        insert.execute(params![
            server.name,
            server.source,
            name,
            definition_hash,
            definition,
            now
        ])?;
    }
    Ok(())
}

fn read_hashes(
    connection: &Connection,
) -> Result<Vec<(AcceptedServer, String, String)>, StoreError> {
    let mut query = connection.prepare(
        "SELECT server, source, tool, definition_hash FROM accepted_tools ORDER BY 1, 2, 3",
    )?;
    let rows = query.query_map([], |row| {
        let server = AcceptedServer { name: row.get(0)?, source: row.get(1)? };
        Ok((server, row.get(2)?, row.get(3)?))
    })?;
    rows.map(|row| row.map_err(StoreError::from)).collect()
}

fn read_definition(
    connection: &Connection,
    server: &AcceptedServer,
    tool: &str,
) -> Result<Option<String>, StoreError> {
    let found = connection.query_row(
        "SELECT definition FROM accepted_tools WHERE server = ? AND source = ? AND tool = ?",
        params![server.name, server.source, tool],
        |row| row.get(0),
    );
    Ok(found.optional()?)
}

#[cfg(test)]
mod tests;
