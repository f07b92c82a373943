use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tidegate_model::{
    Alert, ApprovalRecord, ApprovalStep, CallRecord, Clock, ErrorCode, Event, Outcome,
    ProgramRecord, RunId, RunRecord, ToolRef, Verdict,
};

use super::Stats;
use crate::Store;

fn open(state: &Path) -> Store {
    Store::open(state, Clock::system()).unwrap()
}

fn database(state: &Path) -> Connection {
    Connection::open(state.join("record.db")).unwrap()
}

fn call(run: &str) -> Event {
    Event::Call(CallRecord {
        run_id: RunId(run.into()),
        started_at: Clock::system().now(),
        tool: ToolRef::new("files", "read"),
        outcome: Outcome::Failed(ErrorCode::ToolFailed),
        duration: Duration::from_millis(3),
        argument_bytes: 10,
        answer_bytes: 400,
        answer_tokens: 100,
    })
}

fn run(id: &str) -> RunRecord {
    RunRecord {
        id: RunId(id.into()),
        started_at: Clock::system().now(),
        kind: "execute_code",
        program: Some(ProgramRecord {
            language: "typescript",
            source_sha256: "00".into(),
            action: None,
        }),
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
    let records = open(folder.path()).records();
    records.add("s", call("r1"));
    records.add("s", call("r1"));
    records.run_ended("s", run("r1")).await.unwrap();
    // As another process sees it.
    let count = |table: &str| -> u32 {
        let sql = format!("SELECT count(*) FROM {table}");
        database(folder.path()).query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    assert_eq!((count("runs"), count("calls")), (1, 2));
    let expected = Stats { runs: 1, failed_runs: 0, calls: 2, call_tokens: 200, answer_tokens: 7 };
    assert_eq!(records.stats().await.unwrap(), expected);
    assert_eq!(open(folder.path()).records().stats().await.unwrap(), expected);
}

#[test]
fn calls_of_an_unfinished_run_reach_the_disk_by_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let records = open(folder.path()).records();
    records.add("s", call("r1"));
    let deadline = Instant::now() + Duration::from_secs(5);
    while records.stats().wait().unwrap().calls == 0 {
        assert!(Instant::now() < deadline, "the call was not written");
        std::thread::yield_now();
    }
}

#[test]
fn closing_the_store_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        open(folder.path()).records().add("s", call("r1"));
    }
    assert_eq!(open(folder.path()).records().stats().wait().unwrap().calls, 3);
}

#[tokio::test]
async fn a_run_that_was_resumed_counts_once_with_its_last_end() {
    let folder = tempfile::tempdir().unwrap();
    let records = open(folder.path()).records();
    let waits = Outcome::Failed(ErrorCode::ApprovalPending);
    records.run_ended("s", RunRecord { outcome: waits, ..run("r1") }).await.unwrap();
    records.run_ended("s", run("r1")).await.unwrap();
    let expected = Stats { runs: 1, failed_runs: 0, calls: 0, call_tokens: 0, answer_tokens: 7 };
    assert_eq!(records.stats().await.unwrap(), expected);
    let ends = "SELECT count(*) FROM run_ends";
    let ends: u32 = database(folder.path()).query_row(ends, [], |row| row.get(0)).unwrap();
    assert_eq!(ends, 2);
}

#[tokio::test]
async fn no_row_of_the_record_is_changed_or_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let records = open(folder.path()).records();
    records.add("s", call("r1"));
    records.run_ended("s", run("r1")).await.unwrap();
    let database = database(folder.path());
    let error = |sql: &str| database.execute_batch(sql).unwrap_err().to_string();
    for table in crate::schema::RECORD_TABLES {
        let triggers: u32 = database
            .query_row(
                "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?",
                [table],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(triggers, 2, "{table}");
    }
    let tables: Vec<String> = {
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
        let mut query = database.prepare(sql).unwrap();
        query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let mut guarded = crate::schema::RECORD_TABLES.to_vec();
    guarded.sort_unstable();
    assert_eq!(tables, guarded);
    assert_eq!(error("DELETE FROM calls"), "rows of the record are not deleted");
    assert_eq!(error("UPDATE calls SET tool = 'x'"), "rows of the record are not changed");
    // As our own connections set it: triggers fire for the rows that a replacement
    // deletes, too.
    database.execute_batch("PRAGMA recursive_triggers = ON").unwrap();
    assert_eq!(
        error("INSERT OR REPLACE INTO run_ends SELECT * FROM run_ends"),
        "rows of the record are not deleted"
    );
}

#[tokio::test]
async fn a_connection_is_on_disk_with_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let records = open(folder.path()).records();
    let connection = tidegate_model::Connection {
        run: RunId("r1".into()),
        started_at: Clock::system().now(),
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
    };
    records.add("s", Event::Connection(connection));
    records.run_ended("s", run("r1")).await.unwrap();
    let row: String = database(folder.path())
        .query_row(
            "SELECT concat_ws(' ', run_id, duration_us, method, host, port, address, verdict, rule,
                 bytes_sent, bytes_received, status, alert) FROM connections",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(row, "r1 3000 GET a.test 443 10.0.0.1 denied private address 1 2 denied_target");
}

#[tokio::test]
async fn the_steps_of_an_approval_are_rows() {
    let folder = tempfile::tempdir().unwrap();
    let records = open(folder.path()).records();
    let steps = [
        ApprovalStep::Asked,
        ApprovalStep::Approved { by: Some("cli".into()) },
        ApprovalStep::Denied { by: None },
        ApprovalStep::Expired,
    ];
    for step in steps {
        let approval = ApprovalRecord {
            at: Clock::system().now(),
            approval_id: "a1".into(),
            run_id: RunId("r1".into()),
            kind: "call".into(),
            subject_sha256: "00".into(),
            form_sha256: "11".into(),
            step,
        };
        records.add("s", Event::Approval(approval));
    }
    records.flush().await.unwrap();
    let rows: String = database(folder.path())
        .query_row(
            "SELECT group_concat(concat_ws(' ', approval_id, run_id, kind, subject_sha256,
                 form_sha256, step, decided_by), ', ') FROM approval_steps",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(
        rows,
        "a1 r1 call 00 11 asked, a1 r1 call 00 11 approved cli, a1 r1 call 00 11 denied, a1 r1 call \
         00 11 expired"
    );
}
