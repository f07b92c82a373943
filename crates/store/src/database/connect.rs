//! Opens connections to a database file.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::Kind;
use crate::StoreError;
use crate::private_files::make_private;

/// Another gateway may hold the write lock; a commit takes milliseconds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Between two attempts to turn the write-ahead log on.
const BUSY_PAUSE: Duration = Duration::from_millis(5);

/// Opens a file for writing; creates it if it is missing.
pub(crate) fn connect(path: &Path, kind: Kind) -> Result<Connection, StoreError> {
    let connection = Connection::open(path)?;
    // Before the file has any content; SQLite gives the files beside it the same
    // permissions.
    make_private(path).map_err(|source| StoreError::File { path: path.to_owned(), source })?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    use_wal(&connection)?;
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

/// Turns the write-ahead log on. SQLite does not wait for others here, whatever the timeout: a
/// gateway that is started while another one makes the file would fail.
fn use_wal(connection: &Connection) -> Result<(), StoreError> {
    let until = Instant::now() + BUSY_TIMEOUT;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if is_busy(&error) && Instant::now() < until => sleep(BUSY_PAUSE),
            result => return Ok(result?),
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Opens a file for reading.
pub(super) fn connect_to_read(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::{Kind, connect};

    #[test]
    fn many_processes_open_a_new_file_at_once() {
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("record.db");
            let start = Barrier::new(8);
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        start.wait();
                        let mut connection = connect(&path, Kind::Record).unwrap();
                        crate::schema::migrate(&mut connection, Kind::Record).unwrap();
                    });
                }
            });
        }
    }
}
