//! Opens connections to a database file.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::Kind;
use crate::StoreError;
use crate::private_files::make_private;

/// Another gateway may hold the write lock; a commit takes milliseconds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Opens a file for writing; creates it if it is missing.
pub(crate) fn connect(path: &Path, kind: Kind) -> Result<Connection, StoreError> {
    let connection = Connection::open(path)?;
    // Before the file has any content; SQLite gives the files beside it the same
    // permissions.
    make_private(path).map_err(|source| StoreError::File { path: path.to_owned(), source })?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // WAL with NORMAL survives a crash of the process at any point; only a
    // crash of the machine can lose the last commits.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "max_page_count", kind.most_pages())?;
    match kind {
        // Without it, `INSERT OR REPLACE` deletes rows without firing their triggers.
        Kind::Record => connection.pragma_update(None, "recursive_triggers", true)?,
        // Overwrites deleted content in the pages of the database.
        Kind::State => connection.pragma_update(None, "secure_delete", true)?,
    }
    Ok(connection)
}

/// Opens a file for reading.
pub(super) fn connect_to_read(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}
