use std::path::Path;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use tidegate_model::{
    AlertRecord, Clock, DataType, Event, RestoresRecord, RunId, SeenRecord, ToolRef, Towards,
};

use super::{PiiReport, RestoredRow, SeenRow};
use crate::{Records, Store};

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
    Connection::open(state.join("record.db")).unwrap()
}

fn open(state: &Path) -> Records {
    Store::open(state, Clock::system()).unwrap().records()
}

fn found(records: &Records, tool: &ToolRef, counts: &[(DataType, u32)], at: SystemTime) {
    let seen = SeenRecord { at, tool: tool.clone(), counts: counts.to_vec() };
    records.add("s", Event::Seen(seen));
}

fn server(name: &str) -> Towards {
    Towards::Server(name.into())
}

#[tokio::test]
async fn a_new_database_has_nothing_to_report() {
    let state = tempfile::tempdir().unwrap();
    let records = open(state.path());
    // Nothing was found and nothing restored, so there is no row.
    found(&records, &ToolRef::new("crm", "find"), &[], at(1));
    found(&records, &ToolRef::new("crm", "find"), &[(DataType::Email, 0)], at(1));
    records.add("s", Event::Restores(restores(Towards::Model, &[(DataType::Email, 0)])));
    assert_eq!(records.pii_report().await.unwrap(), PiiReport::default());
}

#[tokio::test]
async fn what_came_from_a_tool_is_added_up_by_type_with_the_last_time() {
    let state = tempfile::tempdir().unwrap();
    let (find, list) = (ToolRef::new("crm", "find"), ToolRef::new("crm", "list"));
    let records = open(state.path());
    found(&records, &list, &[(DataType::Person, 3)], at(5));
    found(&records, &find, &[(DataType::Person, 1), (DataType::Email, 2)], at(9));
    found(&records, &find, &[(DataType::Email, 40)], at(7));
    // Within one process, a report includes what was just recorded.
    let expected = [
        seen("find", DataType::Email, 42, at(9)),
        seen("find", DataType::Person, 1, at(9)),
        seen("list", DataType::Person, 3, at(5)),
    ];
    assert_eq!(records.pii_report().await.unwrap().seen, expected);
    // Existing rows are added to, even by another process.
    drop(records);
    let records = open(state.path());
    found(&records, &list, &[(DataType::Person, 4)], at(4));
    let report = records.pii_report().await.unwrap();
    assert_eq!(report.seen[2], seen("list", DataType::Person, 7, at(5)));
    assert_eq!(report.seen.len(), 3);
}

#[tokio::test]
async fn restores_are_reported_by_receiver_also_if_a_server_is_called_model() {
    let state = tempfile::tempdir().unwrap();
    let records = open(state.path());
    records.add(
        "s",
        Event::Restores(restores(server("mail"), &[(DataType::Person, 1), (DataType::Email, 2)])),
    );
    records.add("s", Event::Restores(restores(server("mail"), &[(DataType::Email, 3)])));
    records.add("s", Event::Restores(restores(Towards::Model, &[(DataType::Email, 5)])));
    records.add("s", Event::Restores(restores(server("model"), &[(DataType::Email, 7)])));
    let expected = [
        restored(Towards::Model, DataType::Email, 5),
        restored(server("mail"), DataType::Email, 5),
        restored(server("mail"), DataType::Person, 1),
        restored(server("model"), DataType::Email, 7),
    ];
    assert_eq!(records.pii_report().await.unwrap().restores, expected);
    assert_eq!(Towards::Model.to_string(), "model");
    assert_eq!(server("mail").to_string(), "mail");
}

#[tokio::test]
async fn each_time_that_values_were_put_back_is_a_row_of_its_own_for_each_type() {
    let state = tempfile::tempdir().unwrap();
    let records = open(state.path());
    records.add(
        "s",
        Event::Restores(restores(server("mail"), &[(DataType::Person, 1), (DataType::Email, 2)])),
    );
    records.add("s", Event::Restores(restores(Towards::Model, &[(DataType::Email, 2)])));
    drop(records);
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

#[tokio::test]
async fn alerts_come_newest_first_and_a_hundred_at_most() {
    let state = tempfile::tempdir().unwrap();
    let records = open(state.path());
    records.add("s", Event::Alert(alert(3)));
    records.add("s", Event::Alert(alert(9)));
    records.add("s", Event::Alert(alert(6)));
    assert_eq!(records.pii_report().await.unwrap().alerts, [alert(9), alert(6), alert(3)]);
    for n in 10..200 {
        records.add("s", Event::Alert(alert(n)));
    }
    let newest: Vec<AlertRecord> = (100..200).rev().map(alert).collect();
    assert_eq!(records.pii_report().await.unwrap().alerts, newest);
}

#[tokio::test]
async fn what_a_failing_database_did_not_take_is_written_once_it_works_again() {
    let state = tempfile::tempdir().unwrap();
    let records = open(state.path());
    let find = ToolRef::new("crm", "find");
    let database = database(state.path());
    database
        .execute_batch(
            "CREATE TRIGGER full BEFORE INSERT ON alerts BEGIN SELECT raise(ABORT, 'full'); END",
        )
        .unwrap();
    // The failing row comes first: whenever the writer begins, it is in the
    // transaction.
    records.add("s", Event::Alert(alert(1)));
    found(&records, &find, &[(DataType::Email, 2)], at(9));
    records.add("s", Event::Restores(restores(Towards::Model, &[(DataType::Email, 1)])));
    assert_eq!(records.pii_report().await.unwrap(), PiiReport::default());
    found(&records, &find, &[(DataType::Email, 1)], at(5));
    records.add("s", Event::Alert(alert(2)));
    database.execute_batch("DROP TRIGGER full").unwrap();
    let expected = PiiReport {
        seen: vec![seen("find", DataType::Email, 3, at(9))],
        restores: vec![restored(Towards::Model, DataType::Email, 1)],
        alerts: vec![alert(2), alert(1)],
    };
    assert_eq!(records.pii_report().await.unwrap(), expected);
}
