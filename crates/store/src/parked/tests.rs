use std::path::Path;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use tidegate_model::RunId;

use crate::{Store, VaultKey};

fn key() -> VaultKey {
    VaultKey::from_bytes([7; 32])
}

fn run(id: &str) -> RunId {
    RunId(format!("session/{id}"))
}

fn later() -> SystemTime {
    SystemTime::now() + Duration::from_hours(1)
}

fn database(state: &Path) -> Connection {
    Connection::open(state.join("tidegate.db")).unwrap()
}

fn kept_runs(state: &Path) -> u32 {
    database(state).query_row("SELECT count(*) FROM parked_runs", [], |row| row.get(0)).unwrap()
}

#[test]
fn a_run_that_was_kept_is_there_once_also_for_another_process() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    store.park(&key(), &run("a"), "first", later()).unwrap();
    store.park(&key(), &run("a"), "second", later()).unwrap();
    drop(store);
    let store = Store::open(state.path()).unwrap();
    assert_eq!(store.unpark(&key(), &run("b")).unwrap(), None);
    assert_eq!(store.unpark(&key(), &run("a")).unwrap().as_deref(), Some("second"));
    assert_eq!(store.unpark(&key(), &run("a")).unwrap(), None);
}

#[test]
fn a_run_whose_time_is_over_is_not_there() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    store.park(&key(), &run("a"), "text", SystemTime::UNIX_EPOCH).unwrap();
    store.park(&key(), &run("b"), "text", SystemTime::UNIX_EPOCH).unwrap();
    assert_eq!(store.unpark(&key(), &run("a")).unwrap(), None);
    assert_eq!(kept_runs(state.path()), 0);
}

#[test]
fn nothing_of_a_run_that_waits_can_be_read_in_the_files() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    let text = "the answer was jane@example.org";
    store.park(&key(), &run("a"), text, later()).unwrap();
    let mut files = 0;
    for file in std::fs::read_dir(state.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(bytes.windows(4).all(|window| window != b"jane"));
        files += 1;
    }
    assert!(files > 0);
    assert_eq!(store.unpark(&key(), &run("a")).unwrap().as_deref(), Some(text));
}

#[test]
fn a_run_that_was_kept_with_another_key_is_not_there() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    store.park(&VaultKey::from_bytes([8; 32]), &run("a"), "text", later()).unwrap();
    assert_eq!(store.unpark(&key(), &run("a")).unwrap(), None);
    assert_eq!(kept_runs(state.path()), 0);
}

#[test]
fn a_run_that_was_changed_or_put_in_the_place_of_another_is_not_there() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    for id in ["changed", "moved", "stays"] {
        store.park(&key(), &run(id), id, later()).unwrap();
    }
    database(state.path())
        .execute_batch(
            "UPDATE parked_runs SET sealed = CAST(sealed || x'00' AS BLOB)
                 WHERE run_id = 'session/changed';
             UPDATE parked_runs SET run_id = 'other/moved' WHERE run_id = 'session/moved';",
        )
        .unwrap();
    assert_eq!(store.unpark(&key(), &run("changed")).unwrap(), None);
    assert_eq!(store.unpark(&key(), &RunId("other/moved".into())).unwrap(), None);
    assert_eq!(store.unpark(&key(), &run("stays")).unwrap().as_deref(), Some("stays"));
}

/// As a version before the seal wrote it, and as somebody could write it who has the
/// database and no key.
#[test]
fn a_run_in_clear_text_is_not_there() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    database(state.path())
        .execute(
            "INSERT INTO parked_runs (run_id, expires_at_ms, state) VALUES ('session/a', ?, 'text')",
            [i64::MAX],
        )
        .unwrap();
    assert_eq!(store.unpark(&key(), &run("a")).unwrap(), None);
    assert_eq!(kept_runs(state.path()), 0);
}
