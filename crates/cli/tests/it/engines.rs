//! Deno and Node as engines: the guests of `programs.rs` again, with the same
//! outcome. The real engines, as `cargo xtask setup` installs them.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::programs::{self, Guest};
use crate::support::{Bench, Equipment, Served, descendants, wait_until_gone};

/// Guests that end otherwise than in QuickJS, with how they end and why.
const OTHERWISE: &[(&str, &str, &str)] = &[];

#[test]
fn guests_end_alike_in_deno() {
    guests_end_alike("guests_end_alike_in_deno", "deno");
}

#[test]
fn guests_end_alike_in_node() {
    guests_end_alike("guests_end_alike_in_node", "node");
}

fn guests_end_alike(test: &str, engine: &str) {
    let folders = [("allowed", ""), ("denied", ""), ("hostile", ""), ("limits", programs::LIMITS)];
    let mut failures = String::new();
    for (folder, limits) in folders {
        let Some(bench) = bench(test, engine, limits) else { return };
        let mut served = bench.serve();
        for file in programs::guests(folder) {
            let guest = Guest::read(&file);
            let mut request = guest.request();
            request["engine"] = json!(engine);
            let answer = served.execute_with(request);
            let name = format!("{folder}/{}", file.file_stem().unwrap().to_str().unwrap());
            let expected = expected(&name, &guest);
            let got = outcome(&answer, &expected);
            if got != expected {
                let whole = answer.get("error").unwrap_or(&Value::Null);
                writeln!(failures, "{name}\n  expected {expected}\n       got {got} {whole}")
                    .unwrap();
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// The outcome as the guest's header has it, without what is the engine's own:
/// its words for an error, and columns.
fn expected(name: &str, guest: &Guest) -> String {
    match OTHERWISE.iter().find(|(other, ..)| *other == name) {
        Some((_, outcome, _)) => (*outcome).to_owned(),
        None => without_words(&guest.expected_outcome()),
    }
}

fn without_words(outcome: &str) -> String {
    let Some(error) = outcome.strip_prefix("error ") else { return outcome.to_owned() };
    let (place, _) = error.split_once(": ").unwrap_or((error, ""));
    let (place, _) = place.split_once(", column").unwrap_or((place, ""));
    format!("error {place}")
}

fn outcome(answer: &Value, expected: &str) -> String {
    let Some(error) = answer.get("error") else {
        return answer
            .get("output")
            .map_or("nothing".to_owned(), |output| format!("output {output}"));
    };
    let code = error["code"].as_str().unwrap();
    // V8 does not say where a limit stopped it.
    match error
        .get("line")
        .filter(|_| !code.starts_with("limit.") && expected.contains(" at line "))
    {
        Some(line) => format!("error {code} at line {line}"),
        None => format!("error {code}"),
    }
}

/// A folder with the servers of the guests, and this engine.
fn bench(test: &str, engine: &str, limits: &str) -> Option<Bench> {
    let equipment = Equipment::get(test, &[engine])?;
    let program = equipment.server(engine, &[])["command"].to_string();
    let more = format!("{limits}\n[sandbox]\n{engine} = {program}\n");
    programs::bench(test, &more)
}
