//! Several gateways in one state folder, and what the record has of each run.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::{Bench, query};

/// Gateways at the same time, as many windows of a client start them.
const GATEWAYS: usize = 3;

/// Programs for each of them.
const PROGRAMS: usize = 25;

fn bench() -> Bench {
    let bench = Bench::with_servers(json!({
        "crm": {"command": env!("CARGO_BIN_EXE_tidegate"), "args": ["demo-server", "crm"]},
    }));
    bench.asks_nobody()
}

#[test]
fn gateways_share_a_state_folder_and_lose_nothing() {
    let bench = bench();
    let tokens: Vec<BTreeSet<String>> = std::thread::scope(|scope| {
        let gateways: Vec<_> = (0..GATEWAYS)
            .map(|gateway| {
                let bench = &bench;
                scope.spawn(move || {
                    let mut served = bench.serve();
                    let mut tokens = BTreeSet::new();
                    for at in 0..PROGRAMS {
                        let id = 1 + gateway * PROGRAMS + at;
                        let answer = served.execute(&format!(
                            "await servers.crm.createNote({{ lead_id: 'L-0001', text: 'note {id}' }});\n\
                             return (await servers.crm.getLead({{ id: 'L-{id:04}' }})).email"
                        ));
                        let token = answer["output"].as_str();
                        let token = token.unwrap_or_else(|| panic!("{answer}"));
                        assert!(token.starts_with("[EMAIL_"), "{token}");
                        tokens.insert(token.to_owned());
                    }
                    served.end();
                    tokens
                })
            })
            .collect();
        gateways.into_iter().map(|gateway| gateway.join().unwrap()).collect()
    });
    // Each value has a token of its own, and no two sessions give out the same one.
    let all: BTreeSet<&String> = tokens.iter().flatten().collect();
    assert_eq!(all.len(), GATEWAYS * PROGRAMS);
    let record = bench.state_dir().join("record.db");
    let count = |sql: &str| query(&record, sql)[0].parse::<usize>().unwrap();
    let runs = "SELECT count(*) FROM runs WHERE kind = 'execute_code' AND outcome = 'succeeded'";
    assert_eq!(count(runs), GATEWAYS * PROGRAMS);
    let calls = "SELECT count(*) FROM calls JOIN runs ON runs.id = calls.run_id \
                 WHERE calls.outcome = 'succeeded'";
    assert_eq!(count(calls), 2 * GATEWAYS * PROGRAMS);
    assert_eq!(
        count("SELECT count(*) FROM effects WHERE tool = 'create_note'"),
        GATEWAYS * PROGRAMS
    );
}

#[test]
fn each_stage_of_a_run_is_in_the_record_and_a_refused_run_has_no_later_one() {
    let bench = Bench::new().asks_nobody();
    let tidegate = env!("CARGO_BIN_EXE_tidegate");
    let crm = format!("command = '{tidegate}'\nargs = ['demo-server', 'crm']");
    bench.write("tidegate.toml", &format!("[risk]\ncritical = 'deny'\n[servers.crm]\n{crm}\n"));
    let mut served = bench.serve();
    let good = served.execute("return (await servers.crm.getLead({ id: 'L-0001' })).id");
    let refused = served.execute("eval('1')");
    let invalid = served.execute("return (");
    served.end();
    let stages = |answer: &Value| -> BTreeMap<String, Value> {
        let id = answer["run_id"].as_str().unwrap();
        let sql = format!("SELECT stage || ' ' || result FROM stages WHERE run_id = '{id}'");
        let rows = query(&bench.state_dir().join("record.db"), &sql);
        let parts = rows.iter().map(|row| row.split_once(' ').unwrap());
        parts.map(|(stage, result)| (stage.into(), serde_json::from_str(result).unwrap())).collect()
    };
    let passed = stages(&good);
    let names: Vec<&str> = passed.keys().map(String::as_str).collect();
    assert_eq!(names, ["admitted", "consented", "judged", "started"], "{good}");
    assert_eq!(passed["admitted"], json!({"profiles": ["default"]}));
    assert_eq!(passed["judged"]["level"], "low");
    assert_eq!(passed["judged"]["tools"], 1);
    assert_eq!(passed["consented"], json!({"sandbox": "process"}));
    assert!(passed["started"]["isolation"].is_string(), "{passed:?}");
    let passed = stages(&refused);
    let names: Vec<&str> = passed.keys().map(String::as_str).collect();
    assert_eq!(names, ["admitted", "judged"], "{refused}");
    assert_eq!(passed["judged"]["rules"], json!(["code.eval"]));
    let names: Vec<String> = stages(&invalid).into_keys().collect();
    assert_eq!(names, ["admitted"], "{invalid}");
}
