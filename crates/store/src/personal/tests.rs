use std::path::Path;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use tidegate_model::{DataType, RunId, ToolRef};

use super::{PiiReport, RestoredRow, RestoresRecord, SeenRow, Towards};
use crate::{AlertRecord, Store};

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

fn seen(tool: &str, data_type: DataType, count: u64, last_seen: SystemTime) -> SeenRow {
    SeenRow { server: "crm".into(), tool: tool.into(), data_type, count, last_seen }
}

fn restores(towards: Towards, counts: &[(DataType, u32)]) -> RestoresRecord {
    RestoresRecord {
        at: at(1),
        session: "s1".into(),
        run_id: RunId("r1".into()),
        towards,
        counts: counts.to_vec(),
    }
}

fn restored(towards: Towards, data_type: DataType, count: u64) -> RestoredRow {
    RestoredRow { towards, data_type, count }
}

fn alert(n: u64) -> AlertRecord {
    AlertRecord {
        at: at(n),
        run_id: RunId(format!("r{n}")),
        kind: "output-volume".into(),
        detail: format!("{n} MB in one answer"),
    }
}

fn database(state: &Path) -> Connection {
    Connection::open(state.join("tidegate.db")).unwrap()
}

fn server(name: &str) -> Towards {
    Towards::Server(name.into())
}

#[test]
fn a_new_database_has_nothing_to_report() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    // Nothing was found and nothing put back: no row of it.
    store.record_pii_seen(&ToolRef::new("crm", "find"), &[], at(1));
    store.record_pii_seen(&ToolRef::new("crm", "find"), &[(DataType::Email, 0)], at(1));
    store.record_restores(restores(Towards::Model, &[(DataType::Email, 0)]));
    assert_eq!(store.pii_report().unwrap(), PiiReport::default());
}

#[test]
fn what_came_from_a_tool_is_added_up_by_type_with_the_last_time() {
    let state = tempfile::tempdir().unwrap();
    let (find, list) = (ToolRef::new("crm", "find"), ToolRef::new("crm", "list"));
    let store = Store::open(state.path()).unwrap();
    store.record_pii_seen(&list, &[(DataType::Person, 3)], at(5));
    store.record_pii_seen(&find, &[(DataType::Person, 1), (DataType::Email, 2)], at(9));
    store.record_pii_seen(&find, &[(DataType::Email, 40)], at(7));
    // In this process it need not wait for the disk to see what it has recorded.
    let expected = [
        seen("find", DataType::Email, 42, at(9)),
        seen("find", DataType::Person, 1, at(9)),
        seen("list", DataType::Person, 3, at(5)),
    ];
    assert_eq!(store.pii_report().unwrap().seen, expected);
    // The rows that are there are added to, also by another process.
    drop(store);
    let store = Store::open(state.path()).unwrap();
    store.record_pii_seen(&list, &[(DataType::Person, 4)], at(4));
    let report = store.pii_report().unwrap();
    assert_eq!(report.seen[2], seen("list", DataType::Person, 7, at(5)));
    assert_eq!(report.seen.len(), 3);
}

#[test]
fn restores_are_reported_by_receiver_also_if_a_server_is_called_model() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    store.record_restores(restores(server("mail"), &[(DataType::Person, 1), (DataType::Email, 2)]));
    store.record_restores(restores(server("mail"), &[(DataType::Email, 3)]));
    store.record_restores(restores(Towards::Model, &[(DataType::Email, 5)]));
    store.record_restores(restores(server("model"), &[(DataType::Email, 7)]));
    let expected = [
        restored(Towards::Model, DataType::Email, 5),
        restored(server("mail"), DataType::Email, 5),
        restored(server("mail"), DataType::Person, 1),
        restored(server("model"), DataType::Email, 7),
    ];
    assert_eq!(store.pii_report().unwrap().restores, expected);
    assert_eq!(Towards::Model.to_string(), "model");
    assert_eq!(server("mail").to_string(), "mail");
}

#[test]
fn each_time_that_values_were_put_back_is_a_row_of_its_own_for_each_type() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    store.record_restores(restores(server("mail"), &[(DataType::Person, 1), (DataType::Email, 2)]));
    store.record_restores(restores(Towards::Model, &[(DataType::Email, 2)]));
    drop(store);
    let database = database(state.path());
    let mut query = database
        .prepare(
            "SELECT concat_ws(' ', at_ms, session, run_id, towards, data_type, count)
             FROM pii_restores ORDER BY id",
        )
        .unwrap();
    let rows: Vec<String> =
        query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let expected = [
        "1000 s1 r1 server:mail PERSON 1",
        "1000 s1 r1 server:mail EMAIL 2",
        "1000 s1 r1 model EMAIL 2",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn alerts_come_newest_first_and_a_hundred_at_most() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    store.record_alert(alert(3));
    store.record_alert(alert(9));
    store.record_alert(alert(6));
    assert_eq!(store.pii_report().unwrap().alerts, [alert(9), alert(6), alert(3)]);
    for n in 10..200 {
        store.record_alert(alert(n));
    }
    let newest: Vec<AlertRecord> = (100..200).rev().map(alert).collect();
    assert_eq!(store.pii_report().unwrap().alerts, newest);
}

#[tokio::test]
async fn a_report_can_be_asked_for_on_an_async_thread() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    store.record_alert(alert(1));
    assert_eq!(store.pii_report().unwrap().alerts, [alert(1)]);
}

#[test]
fn what_a_failing_database_did_not_take_is_written_once_it_works_again() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    let find = ToolRef::new("crm", "find");
    let database = database(state.path());
    database
        .execute_batch(
            "CREATE TRIGGER full BEFORE INSERT ON alerts BEGIN SELECT raise(ABORT, 'full'); END",
        )
        .unwrap();
    // What fails comes first: whenever the writer begins, it is among what it writes.
    store.record_alert(alert(1));
    store.record_pii_seen(&find, &[(DataType::Email, 2)], at(9));
    store.record_restores(restores(Towards::Model, &[(DataType::Email, 1)]));
    assert_eq!(store.pii_report().unwrap(), PiiReport::default());
    store.record_pii_seen(&find, &[(DataType::Email, 1)], at(5));
    store.record_alert(alert(2));
    database.execute_batch("DROP TRIGGER full").unwrap();
    let expected = PiiReport {
        seen: vec![seen("find", DataType::Email, 3, at(9))],
        restores: vec![restored(Towards::Model, DataType::Email, 1)],
        alerts: vec![alert(2), alert(1)],
    };
    assert_eq!(store.pii_report().unwrap(), expected);
}

/// The version with a vault had no such tables.
#[test]
fn a_database_with_a_vault_gets_the_tables_and_keeps_its_rows() {
    let state = tempfile::tempdir().unwrap();
    drop(Store::open(state.path()).unwrap());
    let database = database(state.path());
    database
        .execute_batch(
            "DROP TABLE pii_seen; DROP TABLE pii_restores; DROP TABLE alerts;
             ALTER TABLE parked_runs DROP COLUMN sealed;
             ALTER TABLE parked_runs DROP COLUMN owner;
             ALTER TABLE parked_runs DROP COLUMN lives_until_ms; PRAGMA user_version = 8;
             INSERT INTO vault_numbers (session, data_type, last, expires_at_ms)
             VALUES ('s1', 'EMAIL', 7, 1)",
        )
        .unwrap();
    let store = Store::open(state.path()).unwrap();
    assert_eq!(store.pii_report().unwrap(), PiiReport::default());
    let last: u32 =
        database.query_row("SELECT last FROM vault_numbers", [], |row| row.get(0)).unwrap();
    assert_eq!(last, 7);
}
