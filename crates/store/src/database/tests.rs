use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rusqlite::Connection;

use super::queue::{JOBS_OF_SESSION, JOBS_OF_TRANSACTION};
use super::{Database, Kind, connect};
use crate::StoreError;

fn open(folder: &Path) -> Arc<Database> {
    let connection = connect(&Kind::State.path(folder), Kind::State).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, session TEXT, value ANY)",
        )
        .unwrap();
    Database::start(folder, Kind::State, connection).unwrap()
}

fn insert(session: &str) -> impl FnMut(&Connection) -> Result<(), StoreError> + Send + use<> {
    let session = session.to_owned();
    move |connection| {
        let sql = "INSERT INTO rows (session) VALUES (?)";
        connection.prepare_cached(sql)?.execute([&session])?;
        Ok(())
    }
}

fn count(connection: &Connection) -> Result<usize, StoreError> {
    Ok(connection.query_row("SELECT count(*) FROM rows", [], |row| row.get(0))?)
}

#[tokio::test]
async fn a_change_is_there_for_every_read_after_its_reply() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path());
    for expected in 1..=50 {
        database.write("s", insert("s")).await.unwrap();
        assert_eq!(database.read(count).await.unwrap(), expected);
    }
}

#[tokio::test]
async fn a_reply_can_be_waited_for_on_an_async_thread() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path());
    for _ in 0..1000 {
        // More often than tokio lets a task act before it must yield.
        database.read(count).wait().unwrap();
    }
    database.write("s", insert("s")).wait().unwrap();
    assert_eq!(database.read(count).wait().unwrap(), 1);
}

#[tokio::test]
async fn what_a_session_adds_is_written_before_what_it_waits_for() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path());
    for _ in 0..10 {
        database.add("s", insert("s"));
    }
    assert_eq!(database.write("s", count).await.unwrap(), 10);
}

#[tokio::test]
async fn a_change_that_fails_is_undone_alone() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path());
    database.add("s", insert("s"));
    let failed = database.write("s", |connection| {
        connection.execute("INSERT INTO rows (session) VALUES ('half')", [])?;
        Err::<(), _>(StoreError::NoRandomness)
    });
    let other = database.write("s", insert("s"));
    assert!(matches!(failed.await, Err(StoreError::NoRandomness)));
    other.await.unwrap();
    assert_eq!(database.read(count).await.unwrap(), 2);
}

#[tokio::test]
async fn a_flood_of_one_session_does_not_make_another_wait() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path());
    // Held, so that the flood is in the queue before the other session's change.
    let lock = Connection::open(Kind::State.path(folder.path())).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    const FLOOD: usize = 20 * JOBS_OF_TRANSACTION;
    for _ in 0..FLOOD {
        database.add("flood", insert("flood"));
    }
    let other = database.write("other", count);
    lock.execute_batch("COMMIT").unwrap();
    // The transaction that the writer had begun with, and the other session's own.
    let before = other.await.unwrap();
    assert!(before <= 2 * JOBS_OF_TRANSACTION, "{before} of {FLOOD} rows were written first");
    database.flush().await.unwrap();
    assert_eq!(database.read(count).await.unwrap(), FLOOD);
}

#[tokio::test]
async fn a_session_with_a_full_queue_waits_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path());
    // Another gateway holds the lock, so nothing can be written.
    let lock = Connection::open(Kind::State.path(folder.path())).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut added = 0;
    // The writer may have taken one transaction's worth out of the queue.
    while added < 2 * (JOBS_OF_SESSION + JOBS_OF_TRANSACTION) {
        let room = tokio::time::timeout(Duration::from_millis(200), database.room("s"));
        if room.await.is_err() {
            break;
        }
        database.add("s", insert("s"));
        added += 1;
    }
    assert!(added <= JOBS_OF_SESSION + JOBS_OF_TRANSACTION, "{added} were let in");
    // Other sessions have room.
    tokio::time::timeout(Duration::from_secs(1), database.room("other")).await.unwrap();
    lock.execute_batch("COMMIT").unwrap();
    database.room("s").await;
    database.flush().await.unwrap();
    assert_eq!(database.read(count).await.unwrap(), added);
}

#[tokio::test]
async fn a_flood_is_written_in_transactions_of_bounded_size() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path());
    // Seen from inside: how many jobs ran since the last transaction began.
    let in_transaction = Arc::new(AtomicU32::new(0));
    let longest = Arc::new(AtomicU32::new(0));
    let begun = Arc::new(std::sync::Mutex::new(0_i64));
    for number in 0..5 * JOBS_OF_TRANSACTION {
        let (now, longest, begun) =
            (Arc::clone(&in_transaction), Arc::clone(&longest), Arc::clone(&begun));
        database.add(&format!("s{}", number % 7), move |connection| {
            let other = Connection::open(connection.path().unwrap_or_default())?;
            let committed: i64 =
                other.query_row("SELECT count(*) FROM rows", [], |row| row.get(0))?;
            let mut begun = begun.lock().unwrap();
            if std::mem::replace(&mut *begun, committed) != committed {
                now.store(0, Ordering::Relaxed);
            }
            longest.fetch_max(now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
            connection.execute("INSERT INTO rows (value) VALUES (1)", [])?;
            Ok(())
        });
    }
    database.flush().await.unwrap();
    let most = u32::try_from(JOBS_OF_TRANSACTION).unwrap();
    assert!(longest.load(Ordering::Relaxed) <= most, "{longest:?} jobs in one transaction");
    assert_eq!(database.read(count).await.unwrap(), 5 * JOBS_OF_TRANSACTION);
}

#[tokio::test]
async fn what_a_failing_database_did_not_take_is_written_once_it_works_again() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path());
    let other = Connection::open(Kind::State.path(folder.path())).unwrap();
    other
        .execute_batch(
            "CREATE TRIGGER full BEFORE INSERT ON rows BEGIN SELECT raise(ABORT, 'full'); END",
        )
        .unwrap();
    for _ in 0..2 * JOBS_OF_SESSION {
        database.add("s", insert("s"));
    }
    database.flush().await.unwrap();
    assert_eq!(database.read(count).await.unwrap(), 0);
    // Callers that wait get an error, and calls continue: the disk may stay full for a
    // day.
    assert!(database.write("s", insert("s")).await.is_err());
    tokio::time::timeout(Duration::from_secs(1), database.room("s")).await.unwrap();
    other.execute_batch("DROP TRIGGER full").unwrap();
    database.write("s", |_| Ok(())).await.unwrap();
    database.flush().await.unwrap();
    assert_eq!(database.read(count).await.unwrap(), 2 * JOBS_OF_SESSION);
}

#[tokio::test]
async fn g40_a_full_database_refuses_and_stays_within_its_quota() {
    let folder = tempfile::tempdir().unwrap();
    let path = Kind::State.path(folder.path());
    let connection = connect(&path, Kind::State).unwrap();
    let pages: u32 = connection.query_row("PRAGMA max_page_count", [], |row| row.get(0)).unwrap();
    assert_eq!(pages, 256 * 1024);
    connection.execute_batch("CREATE TABLE rows (id INTEGER PRIMARY KEY, value TEXT)").unwrap();
    connection.pragma_update(None, "max_page_count", 50).unwrap();
    let database = Database::start(folder.path(), Kind::State, connection).unwrap();
    let add = || {
        database.write("s", |connection| {
            connection.execute("INSERT INTO rows (value) VALUES (?)", ["x".repeat(10_000)])?;
            Ok(())
        })
    };
    let mut added = 0;
    while add().await.is_ok() {
        added += 1;
        assert!(added < 100, "it has no quota");
    }
    assert!(add().await.is_err());
    // What is there can be read.
    assert_eq!(database.read(count).await.unwrap(), added);
    drop(database);
    assert!(path.metadata().unwrap().len() <= 50 * 4096);
}
