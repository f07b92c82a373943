//! Project chores: `cargo xtask <chore>`, see `HELP`.
//!
//! In: one chore and its arguments. Out: progress on stderr and an exit code that is
//! zero only if everything that ran has passed.
//! Must stay true: nothing here is part of the product, and nothing outside the
//! project folder and the test cache is changed.

mod check;
mod coverage;
mod equipment;
mod forbidden;
mod fuzz;
mod install;
mod json;
mod pins;
mod probe;
mod progress;
mod project;
mod run_tests;
mod setup;
mod soak;
mod structure;
mod tools;

use std::process::ExitCode;

use anyhow::{Result, bail};
use progress::Progress;
use project::Project;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let chore = arguments.next().unwrap_or_else(|| "help".to_owned());
    let rest: Vec<String> = arguments.collect();
    match run(&chore, &rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(chore: &str, rest: &[String]) -> Result<()> {
    let project = Project::find()?;
    let progress = Progress::start();
    match chore {
        "setup" => setup::run(&project, &progress, setup::Verify::Always).map(drop),
        "check" => check::run(&project, &progress),
        "structure" => structure::run(&project, &progress),
        "test" => run_tests::run(&project, &progress, rest),
        "bench" => bench(&project, &progress, rest),
        "coverage" => coverage::run(&project, &progress, rest),
        "fuzz" => fuzz::run(&project, &progress, number(chore, rest)?.unwrap_or(60)),
        "soak" => {
            let rounds = number(chore, rest)?.unwrap_or(soak::DEFAULT_ROUNDS);
            soak::run(&project, &progress, rounds)
        }
        "help" | "--help" | "-h" => {
            eprint!("{HELP}");
            Ok(())
        }
        unknown => bail!("unknown chore `{unknown}`\n{HELP}"),
    }
}

const HELP: &str = "\
usage: cargo xtask <chore> [arguments]

  setup      install the pinned test equipment and start each server once
  check      format, lints, dependency rules, structure, forbidden words
  structure  the part of `check` that takes seconds: module cycles, lengths, paths
  test       set up, then run all tests; arguments go to `cargo test`
  coverage   the share of lines that the tests execute; arguments go to `cargo test`
  fuzz       run each fuzz target for a minute, or for the given number of seconds
  soak       run all tests 20 times beside a busy neighbour, or the given number of times
  bench      `tidegate bench` in release mode; arguments go to it
  help       print this text

The equipment goes to `.cache/test`, or to the folder in TIDEGATE_TEST_CACHE.
";

fn number(chore: &str, rest: &[String]) -> Result<Option<u32>> {
    match rest {
        [] => Ok(None),
        [number] => Ok(Some(number.parse()?)),
        _ => bail!("`{chore}` takes one number"),
    }
}

fn bench(project: &Project, progress: &Progress, rest: &[String]) -> Result<()> {
    let mut cargo = project.cargo();
    cargo.args(["run", "--release", "--", "bench"]).args(rest);
    progress.run("bench", &mut cargo)
}
