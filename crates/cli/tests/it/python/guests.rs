//! Programs in Python as models write them, and as attackers do, each with its
//! outcome in its header, as in `programs.rs`.

use serde_json::json;

use super::library::{interpreter, run};
use crate::programs::{LIMITS, bench, run_folder};
use crate::support::Served;

/// More than `LIMITS`, of what only Python can use.
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
    run_all(test, "limits", &format!("{LIMITS}\n{MORE}"));
}

#[test]
fn g26_hostile_python_programs_harm_nobody_but_themselves() {
    run_all("g26_hostile_python_programs_harm_nobody_but_themselves", "hostile", "");
}

fn run_all(test: &str, folder: &str, limits: &str) {
    let Some(bench) = bench(test, limits) else { return };
    let mut served = bench.serve();
    if interpreter(&mut served, test).is_none() {
        return;
    }
    // A server's start is not part of what is timed.
    run(&mut served, "servers.hostile.echo(text='')");
    let after = if folder == "allowed" || folder == "denied" { nothing } else { still_works };
    run_folder(&mut served, &format!("python/{folder}"), after);
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
