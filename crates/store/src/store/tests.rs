//! What is recorded is on disk when it should be, and survives.

use std::time::{Duration, Instant, SystemTime};

use rusqlite::Connection;
use tidegate_model::{Alert, ErrorCode, RunId, ToolRef, Verdict};

use super::{Store, StoreError};
use crate::accepted::{AcceptedServer, AcceptedTool};
use crate::record::{CallRecord, Outcome, RunRecord, Stats};
use crate::shapes::ShapeRecord;

fn call(run: &str) -> CallRecord {
    CallRecord {
        run_id: RunId(run.into()),
        started_at: SystemTime::now(),
        tool: ToolRef::new("files", "read"),
        outcome: Outcome::Failed(ErrorCode::ToolFailed),
        duration: Duration::from_millis(3),
        argument_bytes: 10,
        answer_bytes: 400,
        answer_tokens: 100,
    }
}

fn run(id: &str) -> RunRecord {
    RunRecord {
        id: RunId(id.into()),
        started_at: SystemTime::now(),
        kind: "execute_code",
        language: Some("typescript"),
        source_sha256: Some("00".into()),
        outcome: Outcome::Succeeded,
        duration: Duration::from_millis(5),
        tool_calls: 2,
        result_bytes: 1000,
        answer_tokens: 7,
        handle: None,
    }
}

#[tokio::test]
async fn a_run_is_on_disk_with_all_of_its_calls_when_it_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.record_call(call("r1"));
    store.record_call(call("r1"));
    store.record_run(run("r1")).await.unwrap();
    let expected = Stats { runs: 1, failed_runs: 0, calls: 2, call_tokens: 200, answer_tokens: 7 };
    assert_eq!(store.stats().unwrap(), expected);
    // A second gateway of the same folder sees the same.
    assert_eq!(Store::open(folder.path()).unwrap().stats().unwrap(), expected);
}

#[test]
fn calls_of_an_unfinished_run_reach_the_disk_by_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.record_call(call("r1"));
    let deadline = Instant::now() + Duration::from_secs(5);
    while store.stats().unwrap().calls == 0 {
        assert!(Instant::now() < deadline, "the call was not written");
        std::thread::yield_now();
    }
}

#[test]
fn closing_the_store_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        let store = Store::open(folder.path()).unwrap();
        store.record_call(call("r1"));
    }
    assert_eq!(Store::open(folder.path()).unwrap().stats().unwrap().calls, 3);
}

#[tokio::test]
async fn a_connection_is_on_disk_with_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.record_connection(tidegate_model::Connection {
        run: RunId("r1".into()),
        started_at: SystemTime::now(),
        duration: Duration::from_millis(3),
        method: "GET".into(),
        host: "a.test".into(),
        port: 443,
        address: Some("10.0.0.1".parse().unwrap()),
        verdict: Verdict::Denied,
        rule: "private address".into(),
        bytes_sent: 1,
        bytes_received: 2,
        status: None,
        alert: Some(Alert::DeniedTarget),
    });
    store.record_run(run("r1")).await.unwrap();
    let connection = Connection::open(folder.path().join("tidegate.db")).unwrap();
    let row: String = connection
        .query_row(
            "SELECT concat_ws(' ', run_id, duration_us, method, host, port, address, verdict, rule,
                 bytes_sent, bytes_received, status, alert) FROM connections",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(row, "r1 3000 GET a.test 443 10.0.0.1 denied private address 1 2 denied_target");
}

#[test]
fn the_newest_shape_of_each_tool_is_kept_until_it_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let (read, write) = (ToolRef::new("files", "read"), ToolRef::new("files", "write"));
    let shape = |results| ShapeRecord {
        definition_hash: "00".into(),
        results,
        shape: format!("{{\"results\":{results}}}"),
    };
    let reopened = || Store::open(folder.path()).unwrap();
    let store = reopened();
    store.record_shape(read.clone(), Some(shape(1)));
    store.record_shape(write.clone(), Some(shape(1)));
    store.record_shape(read.clone(), Some(shape(2)));
    drop(store);
    let expected = [(read.clone(), shape(2)), (write.clone(), shape(1))];
    assert_eq!(reopened().shapes().unwrap(), expected);
    reopened().record_shape(write, None);
    assert_eq!(reopened().shapes().unwrap(), [(read, shape(2))]);
}

#[test]
fn a_database_of_the_first_version_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path()).unwrap());
    let connection = Connection::open(folder.path().join("tidegate.db")).unwrap();
    connection
        .execute_batch(
            "DROP TABLE shapes; DROP TABLE connections; DROP TABLE commands;
             DROP TABLE saved_skills; DROP TABLE accepted_tools;
             DROP TABLE approvals; DROP TABLE parked_runs;
             DROP TABLE vault; DROP TABLE vault_numbers;
             DROP TABLE pii_seen; DROP TABLE pii_restores; DROP TABLE alerts;
             PRAGMA user_version = 1",
        )
        .unwrap();
    assert_eq!(Store::open(folder.path()).unwrap().shapes().unwrap(), []);
}

/// The version with saved skills had none of accepted tools.
#[test]
fn a_database_without_accepted_tools_gets_them_and_keeps_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path()).unwrap());
    let connection = Connection::open(folder.path().join("tidegate.db")).unwrap();
    connection
        .execute_batch(
            "DROP TABLE accepted_tools;
             DROP TABLE approvals; DROP TABLE parked_runs;
             DROP TABLE vault; DROP TABLE vault_numbers;
             DROP TABLE pii_seen; DROP TABLE pii_restores; DROP TABLE alerts;
             PRAGMA user_version = 5;
             INSERT INTO saved_skills (run_id, saved_at_ms, name, outcome, replaced, language,
                                       code_bytes, code_sha256)
             VALUES ('r', 1, 'kept', 'succeeded', 0, 'python', 1, 'x')",
        )
        .unwrap();
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.accepted_hashes().unwrap(), []);
    let kept: String =
        connection.query_row("SELECT name FROM saved_skills", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, "kept");
}

#[test]
fn a_database_of_a_newer_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path()).unwrap());
    let connection = Connection::open(folder.path().join("tidegate.db")).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    let refused = Store::open(folder.path()).err().unwrap();
    assert!(matches!(refused, StoreError::TooNew { found: 99, known: 10 }));
}

#[cfg(unix)]
#[test]
fn the_state_folder_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    drop(Store::open(&state).unwrap());
    assert_eq!(state.metadata().unwrap().permissions().mode() & 0o777, 0o700);
}

#[cfg(unix)]
#[tokio::test]
async fn the_database_is_for_its_owner_only_also_in_an_open_folder() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = folder.path().join("tidegate.db");
    let rights = |path: &std::path::Path| {
        std::fs::metadata(path).map(|data| data.permissions().mode() & 0o777).unwrap_or(0)
    };
    std::fs::write(&path, "").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.record_run(run("a")).await.unwrap();
    assert_eq!(rights(&path), 0o600);
    assert_eq!(rights(&path.with_extension("db-wal")) & 0o077, 0);
}

#[test]
fn only_the_first_tools_of_a_server_are_accepted_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let server = |source: &str| AcceptedServer { name: "files".into(), source: source.into() };
    let tool = |name: &str, text: &str| AcceptedTool {
        name: name.into(),
        definition_hash: format!("hash of {text}"),
        definition: text.into(),
    };
    store.accept_first(&server("a"), &[tool("read", "1")]).unwrap();
    store.accept_first(&server("a"), &[tool("read", "2"), tool("write", "2")]).unwrap();
    store.accept_first(&server("b"), &[tool("read", "3")]).unwrap();
    let kept = |source: &str, name: &str| store.accepted_definition(&server(source), name).unwrap();
    assert_eq!(kept("a", "read").as_deref(), Some("1"));
    assert_eq!(kept("a", "write"), None);
    assert_eq!(kept("b", "read").as_deref(), Some("3"));
    store.accept(&server("a"), &[tool("read", "4")]).unwrap();
    assert_eq!(kept("a", "read").as_deref(), Some("4"));
    let hashes = store.accepted_hashes().unwrap();
    assert_eq!(
        hashes,
        [
            (server("a"), "read".to_owned(), "hash of 4".to_owned()),
            (server("b"), "read".to_owned(), "hash of 3".to_owned()),
        ]
    );
}
