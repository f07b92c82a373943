//! The definitions of tools that were accepted, one row per tool.
//!
//! A server is its name and its source: a fingerprint of how it is started or
//! reached. The text of a definition is the caller's own; here it is only kept.

use std::time::SystemTime;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::StoreError;
use crate::store::unix_ms;

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

/// Accepts the first tools of a server. Nothing happens if it has some already,
/// whoever wrote them.
pub(crate) fn write_first(
    connection: &mut Connection,
    server: &AcceptedServer,
    tools: &[AcceptedTool],
) -> Result<(), StoreError> {
    // Immediate: of two gateways that list a server at once, one is the first.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let known: bool = transaction.query_row(
        "SELECT EXISTS (SELECT 1 FROM accepted_tools WHERE server = ? AND source = ?)",
        params![server.name, server.source],
        |row| row.get(0),
    )?;
    if !known {
        write(&transaction, server, tools)?;
    }
    transaction.commit()?;
    Ok(())
}

/// Accepts these definitions instead of earlier ones.
pub(crate) fn write(
    connection: &Connection,
    server: &AcceptedServer,
    tools: &[AcceptedTool],
) -> Result<(), StoreError> {
    let mut insert = connection.prepare_cached(
        "INSERT OR REPLACE INTO accepted_tools
             (server, source, tool, definition_hash, definition, accepted_at_ms)
         VALUES (?, ?, ?, ?, ?, ?)",
    )?;
    let now = unix_ms(SystemTime::now());
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

/// The hashes of all accepted definitions: server, tool, hash.
pub(crate) fn read_hashes(
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

/// The accepted definition of a tool.
pub(crate) fn read_definition(
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
