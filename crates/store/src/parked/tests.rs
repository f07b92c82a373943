use std::path::Path;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use tidegate_model::RunId;

use crate::{Parked, ParkedRun, Store, VaultKey};

fn key() -> VaultKey {
    VaultKey::from_bytes([7; 32])
}

fn run(id: &str) -> RunId {
    RunId(format!("session/{id}"))
}

/// Keeps a run whose owner has gone.
fn park(store: &Store, key: &VaultKey, id: &str, state: &str, expires_at: SystemTime) {
    let id = &run(id);
    let lives_until = SystemTime::UNIX_EPOCH;
    store.park(key, &ParkedRun { id, owner: "o", lives_until, expires_at, state }).unwrap();
}

/// Takes a run out.
fn take(store: &Store, id: &RunId) -> Option<String> {
    let Parked::Waits(seen) = store.parked(&key(), id).unwrap() else { return None };
    store.take_parked(id, &seen).unwrap().then_some(seen.state)
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
    park(&store, &key(), "a", "first", later());
    park(&store, &key(), "a", "second", later());
    drop(store);
    let store = Store::open(state.path()).unwrap();
    assert_eq!(take(&store, &run("b")), None);
    assert_eq!(take(&store, &run("a")).as_deref(), Some("second"));
    assert_eq!(take(&store, &run("a")), None);
}

#[test]
fn a_run_whose_time_is_over_is_not_there() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    park(&store, &key(), "a", "text", SystemTime::UNIX_EPOCH);
    park(&store, &key(), "b", "text", SystemTime::UNIX_EPOCH);
    assert_eq!(take(&store, &run("a")), None);
    assert_eq!(kept_runs(state.path()), 0);
}

#[test]
fn nothing_of_a_run_that_waits_can_be_read_in_the_files() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    let text = "the answer was jane@example.org";
    park(&store, &key(), "a", text, later());
    let mut files = 0;
    for file in std::fs::read_dir(state.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(bytes.windows(4).all(|window| window != b"jane"));
        files += 1;
    }
    assert!(files > 0);
    assert_eq!(take(&store, &run("a")).as_deref(), Some(text));
}

#[test]
fn a_run_that_was_kept_with_another_key_is_not_there() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    park(&store, &VaultKey::from_bytes([8; 32]), "a", "text", later());
    assert_eq!(take(&store, &run("a")), None);
    assert_eq!(kept_runs(state.path()), 0);
}

#[test]
fn a_run_that_was_changed_or_put_in_the_place_of_another_is_not_there() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    for id in ["changed", "moved", "stays"] {
        park(&store, &key(), id, id, later());
    }
    database(state.path())
        .execute_batch(
            "UPDATE parked_runs SET sealed = CAST(sealed || x'00' AS BLOB)
                 WHERE run_id = 'session/changed';
             UPDATE parked_runs SET run_id = 'other/moved' WHERE run_id = 'session/moved';",
        )
        .unwrap();
    assert_eq!(take(&store, &run("changed")), None);
    assert_eq!(take(&store, &RunId("other/moved".into())), None);
    assert_eq!(take(&store, &run("stays")).as_deref(), Some("stays"));
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
    assert_eq!(take(&store, &run("a")), None);
    assert_eq!(kept_runs(state.path()), 0);
}

#[test]
fn g33_a_run_that_lives_is_nobody_elses() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    let id = &run("a");
    let mine =
        ParkedRun { id, owner: "me", lives_until: later(), expires_at: later(), state: "text" };
    store.park(&key(), &mine).unwrap();
    assert_eq!(store.parked(&key(), id).unwrap(), Parked::Lives);
    // It says that it has gone, and another one goes on with it.
    assert!(store.renew_parked(id, "me", SystemTime::UNIX_EPOCH).unwrap());
    let Parked::Waits(seen) = store.parked(&key(), id).unwrap() else { panic!() };
    store.renew_parked(id, "me", later()).unwrap();
    assert!(!store.take_parked(id, &seen).unwrap(), "it lives again");
    store.renew_parked(id, "me", SystemTime::UNIX_EPOCH).unwrap();
    assert!(store.take_parked(id, &seen).unwrap());
    assert!(!store.take_parked(id, &seen).unwrap(), "once");
    // The first one finds out, also when the other one waits in its turn.
    assert!(!store.park_again(&key(), &mine).unwrap());
    store.park(&key(), &ParkedRun { owner: "another", ..mine }).unwrap();
    assert!(!store.park_again(&key(), &mine).unwrap());
    assert!(!store.renew_parked(id, "me", later()).unwrap());
    assert!(!store.unpark(id, "me").unwrap());
    assert!(store.unpark(id, "another").unwrap());
}

#[test]
fn a_run_is_not_taken_as_it_was_before() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    park(&store, &key(), "a", "first", later());
    let Parked::Waits(seen) = store.parked(&key(), &run("a")).unwrap() else { panic!() };
    park(&store, &key(), "a", "second", later());
    assert!(!store.take_parked(&run("a"), &seen).unwrap());
    assert_eq!(take(&store, &run("a")).as_deref(), Some("second"));
}

#[test]
fn runs_of_a_process_that_ends_can_be_taken_at_once() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    for id in ["a", "b"] {
        let id = &run(id);
        let (lives_until, expires_at) = (later(), later());
        let run = ParkedRun { id, owner: "me", lives_until, expires_at, state: "text" };
        store.park(&key(), &run).unwrap();
    }
    assert!(store.unpark(&run("b"), "me").unwrap());
    store.release_parked().unwrap();
    // Its last sign of life comes too late.
    store.renew_parked(&run("a"), "me", later()).unwrap();
    assert_eq!(take(&store, &run("a")).as_deref(), Some("text"));
    assert_eq!(take(&store, &run("b")), None);
}
