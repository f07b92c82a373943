//! Programs in Python as models and attackers write them, each with its outcome in its
//! header, as in `programs.rs`.

use std::fmt::Write as _;

use serde_json::json;

use super::attacks::Field;
use super::forked::until_forked;
use super::library::{interpreter, run};
use crate::jail::attacker::{User, users};
use crate::programs::{Guest, LIMITS, bench, guests, run_folder};
use crate::support::Served;

/// Further limits, of resources that only Python can use.
const MORE: &str = "cpu = \"2s\"\ndisk = \"4MB\"\nprocesses = 16";

#[test]
fn allowed_python_programs_give_their_output() {
    run_all("allowed_python_programs_give_their_output", "allowed", "");
}

#[test]
fn denied_python_programs_are_told_what_to_change() {
    run_all("denied_python_programs_are_told_what_to_change", "denied", "");
}

#[test]
fn g25_python_programs_without_end_are_stopped_at_their_limits() {
    let test = "g25_python_programs_without_end_are_stopped_at_their_limits";
    let limits = format!("{LIMITS}\n{MORE}");
    run_all(test, "limits", &limits);
    run_without_rights(test, "limits", &limits);
}

#[test]
fn g26_hostile_python_programs_harm_nobody_but_themselves() {
    let test = "g26_hostile_python_programs_harm_nobody_but_themselves";
    run_all(test, "hostile", "");
    run_without_rights(test, "hostile", "");
}

fn run_all(test: &str, folder: &str, limits: &str) {
    let Some(bench) = bench(test, limits) else { return };
    let mut served = bench.serve();
    if interpreter(&mut served, test).is_none() {
        return;
    }
    until_forked(&mut served);
    // The start of a server is not part of the measured time.
    run(&mut served, "servers.hostile.echo(text='')");
    let after = if folder == "allowed" || folder == "denied" { nothing } else { still_works };
    run_folder(&bench, &mut served, &format!("python/{folder}"), after);
}

/// Runs the folder again as an unprivileged user, who has no control groups. Without
/// the programs that need a server, which that user could not start here.
fn run_without_rights(test: &str, folder: &str, limits: &str) {
    if users(test) != [User::Root, User::Dropped] {
        return;
    }
    let field = Field::of(User::Dropped);
    let mut served = field.gateway_with(&format!("[limits]\ntime = \"20s\"\n{limits}\n"));
    if interpreter(&mut served, test).is_none() {
        return;
    }
    until_forked(&mut served);
    let mut failures = String::new();
    for file in guests(&format!("python/{folder}")) {
        let guest = Guest::read(&file);
        if guest.needs_servers() {
            continue;
        }
        // Each run shows that the one before left nothing behind.
        for problem in guest.problems(&served.execute_with(guest.request())) {
            writeln!(failures, "{}: {problem}", file.display()).unwrap();
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
    let next = run(&mut served, "import os\n[sum(range(5)), os.listdir('workspace')]");
    assert_eq!(next["output"], json!([10, []]), "{next}");
}

fn nothing(_: &mut Served) -> Vec<String> {
    Vec::new()
}

/// The next run: the server answers, and nothing is left behind.
fn still_works(served: &mut Served) -> Vec<String> {
    let hello = "import builtins, json, os, sys\n\
        left = [name for name in ('left_behind', 'hook') if hasattr(builtins, name)]\n\
        [servers.hostile.echo(text='hello'), left, os.listdir('workspace'), json.dumps([1]), 'left' in sys.modules]";
    let answer = run(served, hello);
    if answer["output"] == json!(["hello", [], [], "[1]", false]) {
        return Vec::new();
    }
    vec![format!("the next run failed: {answer}")]
}
