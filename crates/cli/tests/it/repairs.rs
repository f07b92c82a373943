//! Typical mistakes of models, and the answers to them.
//!
//! Each program of `tests/repairs` has one typical mistake, named by its file. The
//! answer is in `<name>.expected`, exactly as the model gets it except for the run id
//! and measured values. `UPDATE_SNAPSHOTS=1` writes the answers; read them as a model
//! would before you keep them: is it evident what to write instead? A program that
//! begins with `// needs: memory` needs that server of the test equipment. TypeScript's
//! compiler reports some mistakes earlier or better: then that answer is in
//! `<name>.typed`.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::support::{Bench, Equipment};

#[test]
fn a_slip_is_told_with_its_remedy() {
    let (own, _) = programs();
    let bench = Bench::new().asks_nobody();
    configure(&bench, &demo_servers(), &json!({"typeCheck": "off"}));
    check(&bench, &own, "expected");
}

#[test]
fn a_slip_is_told_with_its_remedy_by_the_type_checker() {
    let test = "a_slip_is_told_with_its_remedy_by_the_type_checker";
    let Some(equipment) = Equipment::get(test, &["tsc"]) else { return };
    let (own, _) = programs();
    let bench = Bench::new().asks_nobody();
    configure(&bench, &demo_servers(), &json!({"tsc": equipment.server("tsc", &[])["command"]}));
    check(&bench, &own, "typed");
}

#[test]
fn a_slip_with_a_real_server_is_told_with_its_remedy() {
    let test = "a_slip_with_a_real_server_is_told_with_its_remedy";
    let Some(equipment) = Equipment::get(test, &["memory", "filesystem"]) else { return };
    let bench = Bench::new().asks_nobody();
    bench.write("files/notes.txt", "one\ntwo\n");
    let mut servers = demo_servers();
    let folder = bench.path().join("files");
    servers["filesystem"] = equipment.server("filesystem", &[folder.to_str().unwrap()]);
    servers["memory"] = equipment.server("memory", &[]);
    servers["memory"]["env"] = json!({"MEMORY_FILE_PATH": bench.path().join("memory.json")});
    configure(&bench, &servers, &json!({"typeCheck": "off"}));
    let (_, real) = programs();
    check(&bench, &real, "expected");
}

#[test]
fn a_server_that_cannot_be_started_is_told_where_it_is_called() {
    let bench = Bench::with_servers(json!({"broken": {"command": "tidegate-no-such-command"}}));
    let mut served = bench.serve();
    let unused =
        served.execute("const n = 1;\nif (n > 1) await servers.broken.doIt({});\nreturn n;");
    assert_eq!(unused["output"], 1, "{unused}");
    let used = served.execute("console.log('begun');\nawait servers.broken.doIt({});");
    assert_eq!(used["error"]["code"], "upstream.unavailable", "{used}");
    assert_eq!((&used["error"]["line"], &used["logs"]), (&json!(2), &json!("begun")));
}

fn configure(bench: &Bench, servers: &Value, checks: &Value) {
    let configuration = json!({"mcpServers": servers, "mcpCodeExecution": checks});
    bench.write(".mcp.json", &configuration.to_string());
}

fn demo_servers() -> Value {
    let server = |name: &str| json!({"command": env!("CARGO_BIN_EXE_tidegate"), "args": ["demo-server", name]});
    json!({"crm": server("crm"), "drive": server("drive"), "tracker": server("tracker")})
}

/// The programs for the demo's servers, and those for real ones.
fn programs() -> (Vec<PathBuf>, Vec<PathBuf>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/repairs");
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "ts"));
    files.sort();
    let (real, own): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|file| fs::read_to_string(file).unwrap().starts_with("// needs: "));
    assert!(!own.is_empty() && !real.is_empty());
    (own, real)
}

/// Runs the programs in one gateway and reports all answers that changed.
fn check(bench: &Bench, files: &[PathBuf], ending: &str) {
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    let mut served = bench.serve();
    let mut failures = String::new();
    for file in files {
        // Some are Python sent with the wrong language.
        let request = json!({"code": fs::read_to_string(file).unwrap(), "language": "typescript"});
        let answer = answer_text(&served.execute_with(request));
        // The path of the test's own folder differs each time.
        let answer = answer.replace(bench.path().to_str().unwrap(), "<folder>");
        let usual = fs::read_to_string(file.with_extension("expected")).unwrap_or_default();
        let snapshot = file.with_extension(ending);
        if update {
            match ending == "expected" || answer != usual {
                true => fs::write(&snapshot, &answer).unwrap(),
                false => drop(fs::remove_file(&snapshot)),
            }
            continue;
        }
        let expected = fs::read_to_string(&snapshot).unwrap_or(usual);
        if answer != expected {
            let name = file.file_name().unwrap().to_string_lossy();
            writeln!(failures, "{name}: expected\n{expected}got\n{answer}").unwrap();
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// An answer without the parts that differ from run to run.
fn answer_text(answer: &Value) -> String {
    let mut told: Map<String, Value> = answer.as_object().unwrap().clone();
    for volatile in ["run_id", "metrics", "handle", "pii_tokenized"] {
        told.remove(volatile);
    }
    // Shows that no part of a refused program has run.
    told.insert("tool_calls".to_owned(), answer["metrics"]["tool_calls"].clone());
    // The same as the error.
    if told.contains_key("error") {
        told.remove("summary");
    }
    serde_json::to_string_pretty(&told).unwrap() + "\n"
}
