use std::path::Path;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use tidegate_model::{Clock, RunId};

use crate::{Lease, Parked, ParkedRun, ParkedRuns, Store, VaultKey};

fn key() -> VaultKey {
    VaultKey::from_bytes([7; 32])
}

fn run(id: &str) -> RunId {
    RunId(format!("session/{id}"))
}

/// Parks a run whose owner has gone.
fn park(runs: &ParkedRuns, key: &VaultKey, id: &str, state: &str, expires_at: SystemTime) {
    let id = &run(id);
    let lease_ends = SystemTime::UNIX_EPOCH;
    let run = ParkedRun { id, owner: "o", lease_ends, expires_at, state };
    runs.park(key, &run).wait().unwrap();
}

/// Claims a run.
fn take(runs: &ParkedRuns, id: &RunId) -> Option<String> {
    let Parked::Unclaimed(seen) = runs.find(&key(), id).wait().unwrap() else { return None };
    runs.claim(id, &seen).wait().unwrap().then_some(seen.state)
}

fn open(state: &Path) -> ParkedRuns {
    Store::open(state, Clock::system()).unwrap().parked_runs()
}

fn later() -> SystemTime {
    SystemTime::now() + Duration::from_hours(1)
}

fn database(state: &Path) -> Connection {
    Connection::open(state.join("state.db")).unwrap()
}

fn stored_runs(state: &Path) -> u32 {
    database(state).query_row("SELECT count(*) FROM parked_runs", [], |row| row.get(0)).unwrap()
}

#[test]
fn a_run_that_was_parked_is_there_once_even_for_another_process() {
    let state = tempfile::tempdir().unwrap();
    let runs = open(state.path());
    park(&runs, &key(), "a", "first", later());
    park(&runs, &key(), "a", "second", later());
    drop(runs);
    let runs = open(state.path());
    assert_eq!(take(&runs, &run("b")), None);
    assert_eq!(take(&runs, &run("a")).as_deref(), Some("second"));
    assert_eq!(take(&runs, &run("a")), None);
}

#[test]
fn a_run_whose_time_is_over_is_not_there() {
    let state = tempfile::tempdir().unwrap();
    let runs = open(state.path());
    park(&runs, &key(), "a", "text", SystemTime::UNIX_EPOCH);
    park(&runs, &key(), "b", "text", SystemTime::UNIX_EPOCH);
    assert_eq!(take(&runs, &run("a")), None);
    assert_eq!(stored_runs(state.path()), 0);
}

#[test]
fn nothing_of_a_run_that_waits_can_be_read_in_the_files() {
    let state = tempfile::tempdir().unwrap();
    let runs = open(state.path());
    let text = "the answer was jane@example.org";
    park(&runs, &key(), "a", text, later());
    let mut files = 0;
    for file in std::fs::read_dir(state.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(bytes.windows(4).all(|window| window != b"jane"));
        files += 1;
    }
    assert!(files > 0);
    assert_eq!(take(&runs, &run("a")).as_deref(), Some(text));
}

#[test]
fn a_run_that_was_parked_with_another_key_is_not_there() {
    let state = tempfile::tempdir().unwrap();
    let runs = open(state.path());
    park(&runs, &VaultKey::from_bytes([8; 32]), "a", "text", later());
    assert_eq!(take(&runs, &run("a")), None);
    assert_eq!(stored_runs(state.path()), 0);
}

#[test]
fn a_run_that_was_changed_or_put_in_the_place_of_another_is_not_there() {
    let state = tempfile::tempdir().unwrap();
    let runs = open(state.path());
    for id in ["changed", "moved", "stays"] {
        park(&runs, &key(), id, id, later());
    }
    database(state.path())
        .execute_batch(
            "UPDATE parked_runs SET sealed = CAST(sealed || x'00' AS BLOB)
                 WHERE run_id = 'session/changed';
             UPDATE parked_runs SET run_id = 'other/moved' WHERE run_id = 'session/moved';",
        )
        .unwrap();
    assert_eq!(take(&runs, &run("changed")), None);
    assert_eq!(take(&runs, &RunId("other/moved".into())), None);
    assert_eq!(take(&runs, &run("stays")).as_deref(), Some("stays"));
}

/// As an attacker could write it who has the database but not the key.
#[test]
fn a_run_in_clear_text_is_not_there() {
    let state = tempfile::tempdir().unwrap();
    let runs = open(state.path());
    database(state.path())
        .execute(
            "INSERT INTO parked_runs (run_id, expires_at_ms, sealed, owner, lease_ends_ms)
                 VALUES ('session/a', ?, CAST('text' AS BLOB), '', 0)",
            [i64::MAX],
        )
        .unwrap();
    assert_eq!(take(&runs, &run("a")), None);
    assert_eq!(stored_runs(state.path()), 0);
}

#[test]
fn g33_a_run_that_lives_is_nobody_elses() {
    let state = tempfile::tempdir().unwrap();
    let runs = open(state.path());
    let id = &run("a");
    let mine =
        ParkedRun { id, owner: "me", lease_ends: later(), expires_at: later(), state: "text" };
    runs.park(&key(), &mine).wait().unwrap();
    assert_eq!(runs.find(&key(), id).wait().unwrap(), Parked::Leased);
    // Its owner gives up the lease, and another process resumes the run.
    assert_eq!(runs.renew(id, "me", SystemTime::UNIX_EPOCH).wait().unwrap(), Lease::Held);
    let Parked::Unclaimed(seen) = runs.find(&key(), id).wait().unwrap() else { panic!() };
    runs.renew(id, "me", later()).wait().unwrap();
    assert!(!runs.claim(id, &seen).wait().unwrap(), "it lives again");
    runs.renew(id, "me", SystemTime::UNIX_EPOCH).wait().unwrap();
    assert!(runs.claim(id, &seen).wait().unwrap());
    assert!(!runs.claim(id, &seen).wait().unwrap(), "once");
    // The first owner finds out, even while the run waits with the other one.
    assert_eq!(runs.update(&key(), &mine).wait().unwrap(), Lease::Lost);
    runs.park(&key(), &ParkedRun { owner: "another", ..mine }).wait().unwrap();
    assert_eq!(runs.update(&key(), &mine).wait().unwrap(), Lease::Lost);
    assert_eq!(runs.renew(id, "me", later()).wait().unwrap(), Lease::Lost);
    assert_eq!(runs.take_back(id, "me").wait().unwrap(), Lease::Lost);
    assert_eq!(runs.take_back(id, "another").wait().unwrap(), Lease::Held);
}

#[test]
fn a_run_is_not_taken_as_it_was_before() {
    let state = tempfile::tempdir().unwrap();
    let runs = open(state.path());
    park(&runs, &key(), "a", "first", later());
    let Parked::Unclaimed(seen) = runs.find(&key(), &run("a")).wait().unwrap() else { panic!() };
    park(&runs, &key(), "a", "second", later());
    assert!(!runs.claim(&run("a"), &seen).wait().unwrap());
    assert_eq!(take(&runs, &run("a")).as_deref(), Some("second"));
}

#[tokio::test]
async fn runs_of_a_process_that_ends_can_be_taken_at_once() {
    let state = tempfile::tempdir().unwrap();
    let runs = open(state.path());
    for id in ["a", "b"] {
        let id = &run(id);
        let (lease_ends, expires_at) = (later(), later());
        let run = ParkedRun { id, owner: "me", lease_ends, expires_at, state: "text" };
        runs.park(&key(), &run).wait().unwrap();
    }
    assert_eq!(runs.take_back(&run("b"), "me").wait().unwrap(), Lease::Held);
    runs.release_all().await.unwrap();
    // Its last renewal comes too late.
    runs.renew(&run("a"), "me", later()).wait().unwrap();
    assert_eq!(take(&runs, &run("a")).as_deref(), Some("text"));
    assert_eq!(take(&runs, &run("b")), None);
}

#[test]
fn g33_a_lease_ends_by_itself_when_it_is_not_renewed() {
    let state = tempfile::tempdir().unwrap();
    let clock = Clock::manual(SystemTime::UNIX_EPOCH + Duration::from_hours(1));
    let runs = Store::open(state.path(), clock.clone()).unwrap().parked_runs();
    let (id, seconds) = (&run("a"), Duration::from_secs);
    let mine = ParkedRun {
        id,
        owner: "me",
        lease_ends: clock.now() + seconds(10),
        expires_at: clock.now() + seconds(100),
        state: "text",
    };
    runs.park(&key(), &mine).wait().unwrap();
    clock.advance(seconds(9));
    assert_eq!(runs.find(&key(), id).wait().unwrap(), Parked::Leased);
    assert_eq!(runs.renew(id, "me", clock.now() + seconds(10)).wait().unwrap(), Lease::Held);
    clock.advance(seconds(9));
    assert_eq!(runs.find(&key(), id).wait().unwrap(), Parked::Leased);
    clock.advance(seconds(1));
    let Parked::Unclaimed(seen) = runs.find(&key(), id).wait().unwrap() else { panic!() };
    // At the same moment its owner renews the lease: whoever is first has the run.
    runs.renew(id, "me", clock.now() + seconds(10)).wait().unwrap();
    assert!(!runs.claim(id, &seen).wait().unwrap());
    clock.advance(seconds(10));
    assert!(runs.claim(id, &seen).wait().unwrap());
    assert_eq!(runs.renew(id, "me", clock.now() + seconds(10)).wait().unwrap(), Lease::Lost);
    // A run that nobody resumes expires.
    runs.park(&key(), &ParkedRun { lease_ends: clock.now(), ..mine }).wait().unwrap();
    clock.advance(seconds(100));
    assert_eq!(runs.find(&key(), id).wait().unwrap(), Parked::NotFound);
    assert_eq!(stored_runs(state.path()), 0);
}

#[test]
fn g40_parked_runs_have_a_quota_and_expired_ones_make_room() {
    let state = tempfile::tempdir().unwrap();
    let runs = open(state.path());
    let park = |id: &str, expires_at| {
        let (id, lease_ends) = (&run(id), SystemTime::UNIX_EPOCH);
        let run = ParkedRun { id, owner: "o", lease_ends, expires_at, state: "" };
        runs.park_within(vec![0; 100], &run, 250).wait()
    };
    park("r1", SystemTime::UNIX_EPOCH).unwrap();
    park("r2", later()).unwrap();
    park("r3", later()).unwrap();
    let refused = park("r4", later()).unwrap_err().to_string();
    assert_eq!(refused, "there are too many runs that wait for a person");
    assert_eq!(stored_runs(state.path()), 2);
}
