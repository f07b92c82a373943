//! A database of the previous version, created by its schema, with rows in every table.

use std::path::Path;
use std::sync::Barrier;

use rusqlite::Connection;
use tidegate_model::Clock;

use super::{LEGACY, import, mark, prepare};
use crate::database::{Kind, connect};
use crate::schema::legacy::MIGRATIONS;
use crate::schema::migrate;
use crate::{Parked, Store, StoreError, VaultKey};

/// Two rows in every table of the last version.
const ROWS: &str = "
    INSERT INTO runs VALUES ('r1', 1, 'execute_code', 'python', 'aa', 'failed', 'thrown', 2, 3, 4,
        5, 'outputs/r1.json'), ('r2', 6, 'call_tool', NULL, NULL, 'succeeded', NULL, 7, 8, 9, 10,
        NULL);
    INSERT INTO calls VALUES (7, 'r1', 1, 'files', 'read', 'succeeded', NULL, 2, 3, 4, 5),
        (9, 'r2', 6, 'files', 'write', 'failed', 'tool_failed', 7, 8, 9, 10);
    INSERT INTO connections VALUES (1, 'r1', 1, 2, 'GET', 'a.test', 443, '10.0.0.1', 'denied',
        'private address', 3, 4, 200, 'denied_target'),
        (2, 'r2', 1, 2, 'GET', 'b.test', 80, NULL, 'allowed', 'rule', 3, 4, NULL, NULL);
    INSERT INTO commands VALUES (1, 'r1', 1, 'git', '/usr/bin/git', 'succeeded', NULL, 0, NULL, 2,
        3, 4, 5, 6), (2, 'r2', 1, 'rm', NULL, 'failed', 'command_denied', NULL, 'KILL', 2, 3, 4, 5,
        6);
    INSERT INTO saved_skills VALUES (1, 'r1', 1, 'mail', 'succeeded', NULL, 0, 'python', 2, 'bb'),
        (2, 'r2', 2, 'post', 'failed', 'denied', 1, 'typescript', 3, 'cc');
    INSERT INTO pii_seen VALUES ('crm', 'find', 'EMAIL', 42, 9), ('crm', 'list', 'PERSON', 3, 5);
    INSERT INTO pii_restores VALUES (1, 1, 's1', 'r1', 'model', 'EMAIL', 2),
        (2, 2, 's1', 'r1', 'server:mail', 'PERSON', 1);
    INSERT INTO alerts VALUES (1, 1, 'r1', 'output-volume', 'much'), (2, 2, 'r2', 'x', 'y');
    INSERT INTO shapes VALUES ('files', 'read', 'h1', 3, '{}', 1), ('files', 'write', 'h2', 4, '[]',
        2);
    INSERT INTO accepted_tools VALUES ('files', 'src', 'read', 'h1', '{}', 1),
        ('files', 'src', 'write', 'h2', '{}', 2);
    INSERT INTO approvals VALUES ('a1', 'r1', 'call', 's', 't', 'd', 1, 2, 'used', 'once', 'cli', 3),
        ('a2', 'r2', 'program', 's', 't', 'd', 1, 9000000000000, 'pending', NULL, NULL, NULL);
    INSERT INTO parked_runs VALUES ('s/r1', 9000000000000, '', x'0102', 'o', 5),
        ('s/r2', 9000000000000, 'clear text of an early version', NULL, '', 0);
    INSERT INTO vault VALUES ('s1', 'EMAIL', 1, x'01', x'5ea1ed5ea1ed', x'03', 1, 9, 2),
        ('s1', 'PERSON', 1, x'04', x'5ea1ed5ea1ee', x'06', 1, 9, 0);
    INSERT INTO vault_numbers VALUES ('s1', 'EMAIL', 7, 9), ('s1', 'PERSON', 1, 9);
";

/// The columns to read back: table, columns, order.
const TABLES: [(Kind, &str, &str); 14] = [
    (
        Kind::Record,
        "runs",
        "id, started_at_ms, kind, language, source_sha256, outcome, error_code, duration_us, \
         tool_calls, result_bytes, answer_tokens, handle",
    ),
    (
        Kind::Record,
        "calls",
        "run_id, started_at_ms, server, tool, outcome, error_code, duration_us, argument_bytes, \
         answer_bytes, answer_tokens",
    ),
    (
        Kind::Record,
        "connections",
        "run_id, started_at_ms, duration_us, method, host, port, address, verdict, rule, \
         bytes_sent, bytes_received, status, alert",
    ),
    (
        Kind::Record,
        "commands",
        "run_id, started_at_ms, name, path, outcome, error_code, exit_code, signal, duration_us, \
         arguments, argument_bytes, input_bytes, output_bytes",
    ),
    (
        Kind::Record,
        "saved_skills",
        "run_id, saved_at_ms, name, outcome, error_code, replaced, language, code_bytes, \
         code_sha256",
    ),
    (Kind::Record, "pii_seen", "server, tool, data_type, count"),
    (Kind::Record, "pii_restores", "at_ms, session, run_id, towards, data_type, count"),
    (Kind::Record, "alerts", "at_ms, run_id, kind, detail"),
    (Kind::State, "shapes", "server, tool, definition_hash, results, shape, updated_at_ms"),
    (
        Kind::State,
        "accepted_tools",
        "server, source, tool, definition_hash, definition, accepted_at_ms",
    ),
    (
        Kind::State,
        "approvals",
        "id, run_id, kind, subject_sha256, title, details, created_at_ms, expires_at_ms, state, \
         scope, decided_by, decided_at_ms",
    ),
    (Kind::State, "parked_runs", "run_id, expires_at_ms, hex(sealed), owner"),
    (
        Kind::State,
        "vault",
        "session, data_type, number, hex(nonce), hex(sealed), hex(value_hash), created_at_ms, \
         expires_at_ms, restores",
    ),
    (Kind::State, "vault_numbers", "session, data_type, last, expires_at_ms"),
];

/// A folder as the version with this many migrations left it.
fn legacy(state: &Path, version: usize) -> Connection {
    let connection = Connection::open(state.join(LEGACY)).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    for migration in &MIGRATIONS[..version] {
        connection.execute_batch(migration).unwrap();
    }
    connection.pragma_update(None, "user_version", version).unwrap();
    connection
}

/// A folder of the previous version, with rows.
fn filled(state: &Path) {
    legacy(state, MIGRATIONS.len()).execute_batch(ROWS).unwrap();
}

fn rows(connection: &Connection, table: &str, columns: &str) -> Vec<String> {
    let columns: Vec<String> =
        columns.split(", ").map(|column| format!("coalesce({column}, '-')")).collect();
    let sql = format!("SELECT concat_ws('|', {}) FROM {table} ORDER BY 1", columns.join(", "));
    let mut query = connection.prepare(&sql).unwrap();
    query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// All rows of a folder, by table.
fn contents(state: &Path) -> Vec<(&'static str, Vec<String>)> {
    let open = |kind: Kind| Connection::open(kind.path(state)).unwrap();
    TABLES
        .iter()
        .map(|(kind, table, columns)| (*table, rows(&open(*kind), table, columns)))
        .collect()
}

/// The rows of the file that `filled` makes.
fn expected() -> Vec<(&'static str, Vec<String>)> {
    let state = tempfile::tempdir().unwrap();
    filled(state.path());
    let connection = Connection::open(state.path().join(LEGACY)).unwrap();
    connection.execute("DELETE FROM parked_runs WHERE sealed IS NULL", []).unwrap();
    TABLES.iter().map(|(_, table, columns)| (*table, rows(&connection, table, columns))).collect()
}

fn open(state: &Path) -> Result<Store, StoreError> {
    Store::open(state, Clock::system())
}

#[test]
fn every_row_of_every_table_arrives_once() {
    let state = tempfile::tempdir().unwrap();
    filled(state.path());
    // No table of the last version is missing here.
    let known: usize = {
        let connection = Connection::open(state.path().join(LEGACY)).unwrap();
        let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table'";
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(known, TABLES.len());
    drop(open(state.path()).unwrap());
    assert_eq!(contents(state.path()), expected());
    assert!(!state.path().join(LEGACY).exists());
    assert!(state.path().join("tidegate.db.migrated").exists());
    drop(open(state.path()).unwrap());
    assert_eq!(contents(state.path()), expected());
}

#[tokio::test]
async fn what_was_taken_over_is_read_like_anything_else() {
    let state = tempfile::tempdir().unwrap();
    filled(state.path());
    let store = open(state.path()).unwrap();
    let stats = store.records().stats().await.unwrap();
    assert_eq!((stats.runs, stats.failed_runs, stats.calls), (2, 1, 2));
    let report = store.records().pii_report().await.unwrap();
    assert_eq!(report.seen.iter().map(|row| row.count).collect::<Vec<_>>(), [42, 3]);
    assert_eq!((report.restores.len(), report.alerts.len()), (2, 2));
    assert_eq!(store.shapes().all().await.unwrap().len(), 2);
    assert_eq!(store.accepted_tools().hashes().await.unwrap().len(), 2);
    assert!(store.approvals().find("a1").await.unwrap().is_some());
    let key = VaultKey::from_bytes([7; 32]);
    assert_eq!(store.vault(&key).load("s1").await.unwrap().last.len(), 2);
}

/// Texts that the previous version sealed open in this one.
#[tokio::test]
async fn sealed_texts_open_after_they_were_taken_over() {
    let state = tempfile::tempdir().unwrap();
    let key = VaultKey::from_bytes([7; 32]);
    let seal = crate::vault::TextSeal::new(&key, "tidegate parked runs: seal");
    let sealed = seal.seal("s/r1", "the text").unwrap();
    legacy(state.path(), MIGRATIONS.len())
        .execute("INSERT INTO parked_runs VALUES ('s/r1', 9000000000000, '', ?, 'o', 5)", [sealed])
        .unwrap();
    let runs = open(state.path()).unwrap().parked_runs();
    let found = runs.find(&key, &tidegate_model::RunId("s/r1".into())).await.unwrap();
    let Parked::Unclaimed(run) = found else { panic!("{found:?}") };
    assert_eq!(run.state, "the text");
}

#[test]
fn each_earlier_version_is_taken_over() {
    for version in 0..MIGRATIONS.len() {
        let state = tempfile::tempdir().unwrap();
        let old = legacy(state.path(), version);
        if version > 0 {
            old.execute(
                "INSERT INTO calls VALUES (7, 'r1', 1, 'files', 'read', 'succeeded', NULL, 2, 3, 4, 5)",
                [],
            )
            .unwrap();
        }
        drop(old);
        let store = open(state.path()).unwrap();
        let calls = store.records().stats().wait().unwrap().calls;
        assert_eq!(calls, u64::from(version > 0), "version {version}");
    }
}

#[test]
fn an_early_version_with_a_parked_run_in_clear_text_leaves_no_text_behind() {
    let state = tempfile::tempdir().unwrap();
    filled(state.path());
    drop(open(state.path()).unwrap());
    for file in std::fs::read_dir(state.path()).unwrap() {
        let path = file.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let has = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
        assert!(!has(b"clear text of an early version"), "{}", path.display());
        // Erasable data is in `state.db` and in no other file.
        let is_state = path.file_name().unwrap().to_string_lossy().starts_with("state.db");
        assert!(is_state || !has(b"\x5e\xa1\xed\x5e\xa1\xed"), "{}", path.display());
    }
}

#[test]
fn a_process_that_was_killed_in_the_middle_is_made_up_for() {
    for steps in 0..=3 {
        let state = tempfile::tempdir().unwrap();
        filled(state.path());
        // The steps that the first process completed.
        let old = prepare(state.path()).unwrap().unwrap();
        let id = mark(&old).unwrap();
        for (step, kind) in [Kind::Record, Kind::State].into_iter().enumerate() {
            let mut new = connect(&kind.path(state.path()), kind).unwrap();
            migrate(&mut new, kind).unwrap();
            let rows = match kind {
                Kind::Record => super::RECORD,
                Kind::State => super::STATE,
            };
            if step < steps {
                import(state.path(), kind, &id, rows, &Clock::system()).unwrap();
            }
        }
        if steps == 3 {
            old.execute("UPDATE migration SET is_done = 1", []).unwrap();
        }
        drop(old);
        drop(open(state.path()).unwrap());
        assert_eq!(contents(state.path()), expected(), "after {steps} steps");
        assert!(!state.path().join(LEGACY).exists());
    }
}

/// Killed within a transaction: SQLite itself rolls it back.
#[test]
fn half_an_import_leaves_nothing() {
    let state = tempfile::tempdir().unwrap();
    filled(state.path());
    let old = prepare(state.path()).unwrap().unwrap();
    let id = mark(&old).unwrap();
    let mut new = connect(&Kind::Record.path(state.path()), Kind::Record).unwrap();
    migrate(&mut new, Kind::Record).unwrap();
    let rows = "INSERT INTO alerts (at_ms, run_id, kind, detail) VALUES (1, 'r', 'k', 'd');
                INSERT INTO nowhere VALUES (1)";
    import(state.path(), Kind::Record, &id, rows, &Clock::system()).unwrap_err();
    drop(old);
    drop(open(state.path()).unwrap());
    assert_eq!(contents(state.path()), expected());
}

#[test]
fn of_processes_that_start_at_once_one_takes_over_and_all_see_it() {
    let state = tempfile::tempdir().unwrap();
    filled(state.path());
    let barrier = Barrier::new(6);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                barrier.wait();
                let store = open(state.path()).unwrap();
                assert_eq!(store.records().stats().wait().unwrap().runs, 2);
                assert_eq!(store.shapes().all().wait().unwrap().len(), 2);
            });
        }
    });
    assert_eq!(contents(state.path()), expected());
    assert!(!state.path().join("tidegate.db.migrated-2").exists());
}

#[test]
fn a_second_old_file_is_taken_over_as_well() {
    let state = tempfile::tempdir().unwrap();
    filled(state.path());
    drop(open(state.path()).unwrap());
    // A gateway of the previous version that is still running creates it again.
    legacy(state.path(), MIGRATIONS.len())
        .execute("INSERT INTO alerts VALUES (1, 3, 'r3', 'late', 'one')", [])
        .unwrap();
    let store = open(state.path()).unwrap();
    let mut expected = expected();
    expected[7].1.push("3|r3|late|one".into());
    assert_eq!(contents(state.path()), expected);
    assert!(state.path().join("tidegate.db.migrated-2").exists());
    drop(store);
}

#[test]
fn a_file_of_a_newer_version_is_refused_and_left_alone() {
    let state = tempfile::tempdir().unwrap();
    legacy(state.path(), MIGRATIONS.len()).pragma_update(None, "user_version", 99).unwrap();
    let refused = open(state.path()).err().unwrap();
    assert_eq!(refused.to_string(), "the database has version 99, this tidegate knows up to 10");
    assert!(state.path().join(LEGACY).exists());
}
