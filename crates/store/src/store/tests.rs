//! Files of a state folder, their versions, and two gateways that share them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;
use tidegate_model::{
    CallRecord, Clock, DataType, Event, Outcome, RunId, RunRecord, Secret, ToolRef,
};

use super::Store;
use crate::{StoreError, VaultEntry, VaultKey};

fn open(state: &Path) -> Result<Store, StoreError> {
    Store::open(state, Clock::system())
}

fn run(id: &str) -> RunRecord {
    RunRecord {
        id: RunId(id.into()),
        started_at: Clock::system().now(),
        kind: "call_tool",
        program: None,
        outcome: Outcome::Succeeded,
        duration: Duration::ZERO,
        tool_calls: 1,
        result_bytes: 0,
        answer_tokens: 1,
        handle: None,
    }
}

fn call(run: &str) -> Event {
    Event::Call(CallRecord {
        run_id: RunId(run.into()),
        started_at: Clock::system().now(),
        tool: ToolRef::new("files", "read"),
        outcome: Outcome::Succeeded,
        duration: Duration::ZERO,
        argument_bytes: 0,
        answer_bytes: 0,
        answer_tokens: 0,
    })
}

#[test]
fn a_database_of_a_newer_version_is_refused() {
    for file in ["record.db", "state.db"] {
        let folder = tempfile::tempdir().unwrap();
        drop(open(folder.path()).unwrap());
        let connection = Connection::open(folder.path().join(file)).unwrap();
        connection.pragma_update(None, "user_version", 99).unwrap();
        let refused = open(folder.path()).err().unwrap();
        assert!(matches!(refused, StoreError::TooNew { found: 99, .. }), "{refused}");
    }
}

#[cfg(unix)]
#[test]
fn the_state_folder_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    drop(open(&state).unwrap());
    assert_eq!(state.metadata().unwrap().permissions().mode() & 0o777, 0o700);
}

#[cfg(unix)]
#[tokio::test]
async fn the_databases_are_for_their_owner_only_even_in_an_open_folder() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let rights = |path: &Path| {
        std::fs::metadata(path).map(|data| data.permissions().mode() & 0o777).unwrap_or(0)
    };
    for file in ["record.db", "state.db"] {
        let path = folder.path().join(file);
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    let store = open(folder.path()).unwrap();
    store.records().run_ended("s", run("a")).await.unwrap();
    for file in ["record.db", "state.db"] {
        let path = folder.path().join(file);
        assert_eq!(rights(&path), 0o600);
        assert_eq!(rights(&path.with_extension("db-wal")) & 0o077, 0);
    }
}

/// Two gateways behave like two processes: they share nothing but the files.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_gateways_write_one_folder_at_the_same_time() {
    const RUNS: u32 = 100;
    const CALLS: u32 = 20;
    let folder = tempfile::tempdir().unwrap();
    let key = VaultKey::from_state(folder.path()).unwrap();
    let mut gateways = Vec::new();
    for gateway in 0..2 {
        let store = Arc::new(open(folder.path()).unwrap());
        let vault = store.vault(&key);
        gateways.push(tokio::spawn(async move {
            let (records, session) = (store.records(), format!("s{gateway}"));
            for number in 0..RUNS {
                let id = format!("r{gateway}-{number}");
                for _ in 0..CALLS {
                    records.add(&session, call(&id));
                }
                let value = Secret::new(format!("{number}@x.org"));
                let entry = VaultEntry {
                    data_type: DataType::Email,
                    number,
                    value: value.clone(),
                    canonical: value,
                };
                let lifetime = Duration::from_secs(60);
                let stored = vault.store(&session, vec![entry], lifetime);
                let (recorded, stored) =
                    tokio::join!(records.run_ended(&session, run(&id)), stored);
                recorded.unwrap();
                stored.unwrap();
            }
        }));
    }
    for gateway in gateways {
        gateway.await.unwrap();
    }
    let store = open(folder.path()).unwrap();
    let stats = store.records().stats().await.unwrap();
    assert_eq!((stats.runs, stats.calls), (u64::from(2 * RUNS), u64::from(2 * RUNS * CALLS)));
    let report = store.vault(&key).report().await.unwrap();
    assert_eq!((report.sessions, report.types), (2, vec![(DataType::Email, 200, 0)]));
}
