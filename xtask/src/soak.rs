//! Runs all tests many times beside a busy neighbour, to find those that depend on timing.
//!
//! In: the number of rounds. Out: which tests failed in how many rounds, on standard output;
//! the chore fails if any did. The output of each round is kept in the cache.
//! Must stay true: nothing is retried. A test that fails once counts, and either the test or
//! the product is wrong.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::progress::Progress;
use crate::project::Project;
use crate::run_tests::cargo_test;
use crate::setup::{self, Verify};

pub(crate) const DEFAULT_ROUNDS: u32 = 20;

/// How long the neighbour works and rests, in milliseconds. Found by trial: periods of
/// different lengths meet each test at another moment.
const BURSTS: [(u64, u64); 5] = [(40, 20), (300, 100), (7, 3), (900, 250), (120, 400)];

pub(crate) fn run(project: &Project, progress: &Progress, rounds: u32) -> Result<()> {
    setup::run(project, progress, Verify::AfterInstall)?;
    // Built before the neighbour starts: only the tests are to be disturbed.
    progress.run("build", &mut cargo_test(project, &["--no-run".to_owned()]))?;
    let folder = project.cache.join("soak");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;

    let neighbour = Neighbour::start();
    let mut failures: BTreeMap<String, u32> = BTreeMap::new();
    for round in 1..=rounds {
        let log = folder.join(format!("round-{round}.log"));
        for test in failed_in_round(project, &log)? {
            *failures.entry(test).or_default() += 1;
        }
        progress.say(&format!("round {round} of {rounds}: {} tests failed so far", failures.len()));
    }
    neighbour.stop();

    io::stdout().write_all(table(&failures, rounds).as_bytes()).context("cannot print")?;
    if !failures.is_empty() {
        bail!("{} tests failed; see `{}`", failures.len(), folder.display());
    }
    Ok(())
}

/// Runs all tests once and returns the names of those that failed.
fn failed_in_round(project: &Project, log: &Path) -> Result<Vec<String>> {
    fs::write(project.skipped_file(), "").context("cannot empty the list of skipped tests")?;
    let file = File::create(log).with_context(|| format!("cannot create `{}`", log.display()))?;
    let errors = file.try_clone().context("cannot share the log")?;
    let status = cargo_test(project, &[])
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(errors)
        .status()
        .context("cannot start cargo")?;
    let text = fs::read(log).with_context(|| format!("cannot read `{}`", log.display()))?;
    let mut failed = failed_tests(&String::from_utf8_lossy(&text));
    // A test binary that crashed names no test.
    if failed.is_empty() && !status.success() {
        failed.push(format!("(cargo test: {status})"));
    }
    Ok(failed)
}

fn failed_tests(output: &str) -> Vec<String> {
    let name =
        |line: &str| line.strip_prefix("test ")?.strip_suffix(" ... FAILED").map(str::to_owned);
    output.lines().filter_map(name).collect()
}

fn table(failures: &BTreeMap<String, u32>, rounds: u32) -> String {
    if failures.is_empty() {
        return format!("all tests passed in {rounds} rounds\n");
    }
    let row = |(test, count): (&String, &u32)| format!("{count:>4} of {rounds}  {test}\n");
    failures.iter().map(row).collect()
}

/// Threads that use every core in bursts.
struct Neighbour {
    stopped: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Neighbour {
    fn start() -> Self {
        let stopped = Arc::new(AtomicBool::new(false));
        let cores = thread::available_parallelism().map_or(2, usize::from);
        let threads = (0..cores)
            .map(|core| {
                let stopped = Arc::clone(&stopped);
                thread::spawn(move || disturb(&stopped, core))
            })
            .collect();
        Self { stopped, threads }
    }

    fn stop(self) {
        self.stopped.store(true, Ordering::Relaxed);
        for thread in self.threads {
            // A thread of ours that panicked disturbed less, which fails no test.
            let _ = thread.join();
        }
    }
}

fn disturb(stopped: &AtomicBool, core: usize) {
    for (work, rest) in BURSTS.iter().cycle().skip(core) {
        if stopped.load(Ordering::Relaxed) {
            return;
        }
        let end = Instant::now() + Duration::from_millis(*work);
        let mut number = 1_u64;
        while Instant::now() < end {
            for _ in 0..10_000 {
                number = black_box(number.wrapping_mul(6_364_136_223_846_793_005) + 1);
            }
        }
        thread::sleep(Duration::from_millis(*rest));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{failed_tests, table};

    #[test]
    fn failed_tests_are_counted_by_name() {
        let output = "test a::b ... ok\ntest a::c ... FAILED\ntest d ... ignored\ntest e ... FAILED\n\
                      failures:\n    a::c\n";
        assert_eq!(failed_tests(output), ["a::c", "e"]);
        let failures = BTreeMap::from([("a::c".to_owned(), 2), ("e".to_owned(), 11)]);
        assert_eq!(table(&failures, 20), "   2 of 20  a::c\n  11 of 20  e\n");
        assert_eq!(table(&BTreeMap::new(), 20), "all tests passed in 20 rounds\n");
    }
}
