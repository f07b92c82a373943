//! What cannot be recorded is not sent, floods leave few rows, and the state folder is private.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use rusqlite::Connection;
use serde_json::json;

use crate::support::{Bench, text};

/// A tool that writes files.
fn drive() -> Bench {
    Bench::with_servers(json!({
        "drive": {"command": env!("CARGO_BIN_EXE_tidegate"), "args": ["demo-server", "drive"]},
    }))
    .asks_nobody()
}

#[test]
fn g39_what_cannot_be_recorded_is_not_sent_and_not_answered() {
    let bench = drive();
    let mut served = bench.serve();
    let write = |name: &str| {
        format!("return (await servers.drive.writeFile({{ path: '{name}', text: 'x' }})).created")
    };
    assert_eq!(served.execute(&write("first"))["output"], true);
    // As on a full disk: first only the calls cannot be recorded.
    let record = Connection::open(bench.state_dir().join("record.db")).unwrap();
    let fails = |table: &str| {
        let sql = format!(
            "CREATE TRIGGER full_{table} BEFORE INSERT ON {table}
             BEGIN SELECT raise(ABORT, 'full'); END"
        );
        record.execute_batch(&sql).unwrap();
    };
    fails("effects");
    let refused = served.execute(&write("second"));
    assert_eq!(refused["error"]["code"], "gateway.internal", "{refused}");
    assert_eq!(
        refused["error"]["message"], "the call could not be recorded, so it was not sent",
        "{refused}"
    );
    // A call that changes nothing shows that nothing was written.
    let list = "return (await servers.drive.searchFiles({ query: 'second' })).files?.length ?? 0";
    let listed = served.execute(list);
    assert_eq!(listed["output"], 0, "{listed}");
    record.execute_batch("DROP TRIGGER full_effects").unwrap();
    // Then only the end of the run.
    fails("run_ends");
    let withheld = served.execute(&write("third"));
    assert_eq!(withheld["success"], false, "{withheld}");
    assert_eq!(
        withheld["error"]["message"],
        "this could not be recorded, so its answer is withheld; what it has sent may have had an \
         effect: `drive.write_file` × 1",
        "{withheld}"
    );
    let direct = served.call(
        "call_tool",
        json!({"name": "drive__write_file", "arguments": {"path": "fourth", "text": "x"}}),
    );
    assert!(direct.0 && direct.1.contains("`drive.write_file` × 1"), "{direct:?}");
    record.execute_batch("DROP TRIGGER full_run_ends").unwrap();
    assert_eq!(served.execute(&write("fifth"))["output"], true);
}

#[test]
fn g40_a_flood_of_unknown_names_leaves_few_rows() {
    let bench = drive();
    let flood = "for (let i = 0; i < 2000; i++) try { await callMCPTool('no' + i + '__t', {}) }
                 catch {}
                 return 'done'";
    let answer = bench.run(flood);
    assert_eq!(answer["output"], "done", "{answer}");
    let record = Connection::open(bench.state_dir().join("record.db")).unwrap();
    let rows: Vec<String> = record
        .prepare("SELECT tool FROM calls ORDER BY id")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(rows.len(), 200 + 9);
    assert_eq!(rows[200], "(unknown names, 200 so far)");
    assert_eq!(rows[208], "(unknown names, 1800 so far)");
}

#[test]
fn g48_the_command_line_mends_a_state_folder_and_refuses_a_link() {
    let bench = drive();
    let state = bench.state_dir();
    let rights = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let open = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    fs::create_dir(&state).unwrap();
    open(&state, 0o755);
    assert_eq!(bench.run("return 'x'.repeat(10000)")["success"], true);
    assert_eq!(rights(&state), 0o700);
    let outputs = state.join("outputs");
    let output = fs::read_dir(&outputs).unwrap().next().unwrap().unwrap().path();
    for (path, mode) in [
        (state.clone(), 0o777),
        (outputs.clone(), 0o755),
        (output.clone(), 0o644),
        (state.join("record.db"), 0o664),
    ] {
        open(&path, mode);
    }
    let doctor = text(&bench.command(&["doctor"]).stdout);
    assert!(doctor.contains("other users had rights to 4 entries of"), "{doctor}");
    assert_eq!(
        [&state, &outputs, &output, &state.join("record.db")].map(|path| rights(path)),
        [0o700, 0o700, 0o600, 0o600]
    );
    // A link in its place leads to a folder of somebody's choice.
    let elsewhere = bench.path().join("elsewhere");
    fs::rename(&state, &elsewhere).unwrap();
    symlink(&elsewhere, &state).unwrap();
    for arguments in [&["run", "-"][..], &["doctor"], &["approvals", "list"]] {
        let refused = bench.command(arguments);
        let said = text(&refused.stdout) + &text(&refused.stderr);
        assert!(!refused.status.success() && said.contains("is a link"), "{arguments:?}: {said}");
        assert!(said.contains("set `TIDEGATE_HOME` to a folder of your own"), "{said}");
    }
}
