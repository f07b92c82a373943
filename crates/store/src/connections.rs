//! The connections that programs made, and those that they were refused.

use rusqlite::{Connection, params};

use crate::StoreError;
use crate::store::{micros, unix_ms};

/// Writes one hop of one `fetch`.
pub(crate) fn write(
    database: &Connection,
    connection: &tidegate_model::Connection,
) -> Result<(), StoreError> {
    database
        .prepare_cached(
            "INSERT INTO connections (run_id, started_at_ms, duration_us, method, host, port,
                 address, verdict, rule, bytes_sent, bytes_received, status, alert)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            connection.run.0,
            unix_ms(connection.started_at),
            micros(connection.duration),
            connection.method,
            connection.host,
            connection.port,
            connection.address.map(|address| address.to_string()),
            connection.verdict.as_str(),
            connection.rule,
            connection.bytes_sent,
            connection.bytes_received,
            connection.status,
            connection.alert.map(tidegate_model::Alert::as_str),
        ])?;
    Ok(())
}
