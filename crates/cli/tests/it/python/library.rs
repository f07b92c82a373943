//! Programs that use the standard library as models do, compared with plain Python.
//!
//! `library.py` holds them, each below a line `#### name`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

use crate::support::{Bench, Served, skip, text};

#[test]
fn programs_of_the_standard_library_print_what_plain_python_prints() {
    let test = "programs_of_the_standard_library_print_what_plain_python_prints";
    let bench = Bench::new();
    // The printed text is compared, so names must not become tokens.
    bench.write("tidegate.toml", "[privacy]\nmode = 'off'\n");
    let mut served = bench.serve();
    let Some(python) = interpreter(&mut served, test) else { return };
    let mut failures = String::new();
    // `match` came with 3.10.
    let modern = run(&mut served, "import sys\nsys.version_info >= (3, 10)")["output"] == true;
    let programs: Vec<_> =
        programs().filter(|(name, _)| modern || !name.ends_with("(3.10)")).collect();
    assert!(programs.len() >= 60, "{} programs", programs.len());
    let (of_plain, meanwhile) = (python, programs.clone());
    let plain: JoinHandle<Vec<String>> = thread::spawn(move || {
        meanwhile.iter().map(|(_, source)| plain(&of_plain, source)).collect()
    });
    let answers: Vec<Value> = programs.iter().map(|(_, source)| run(&mut served, source)).collect();
    for (((name, _), answer), expected) in programs.iter().zip(&answers).zip(plain.join().unwrap())
    {
        let got = printed(&bench, answer);
        if got != expected || expected.is_empty() {
            writeln!(failures, "{name}\n--- plain\n{expected}\n--- here\n{got}\n{answer}").unwrap();
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// The interpreter in which programs run, as they see it.
pub(crate) fn interpreter(served: &mut Served, test: &str) -> Option<String> {
    let answer = run(served, "import sys\nsys.executable");
    if answer["error"]["code"] == "sandbox.no_engine" {
        skip(test, "there is no Python on PATH");
        return None;
    }
    Some(answer["output"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned())
}

pub(crate) fn run(served: &mut Served, source: &str) -> Value {
    served.execute_with(json!({"code": source, "language": "python"}))
}

fn programs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let parts = include_str!("library.py").split("#### ").skip(1);
    parts.map(|part| part.split_once('\n').unwrap())
}

/// The output of a program in plain Python, without trailing line ends.
fn plain(python: &str, source: &str) -> String {
    let mut command = Command::new(python);
    command.args(["-I", "-X", "utf8", "-"]).env_clear().env("TZ", "UTC").current_dir("/tmp");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{source}\n{}", text(&output.stderr));
    text(&output.stdout).trim_end().to_owned()
}

/// The printed text of a program, which is its output if it returns nothing.
fn printed(bench: &Bench, answer: &Value) -> String {
    let kept = answer["handle"].as_str();
    let kept = kept.map(|handle| std::fs::read_to_string(bench.state_dir().join(handle)).unwrap());
    let text = kept.or_else(|| answer["output"].as_str().map(str::to_owned));
    text.unwrap_or_default().trim_end().to_owned()
}
