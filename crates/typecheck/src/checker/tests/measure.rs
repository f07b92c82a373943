//! How long checks take. Not run with the other tests:
//! `cargo test -p tidegate-typecheck -- --ignored --nocapture measure`.

use std::time::{Duration, Instant};

use super::{Bench, file, github};

const PROGRAM: &str = "import * as github from './servers/github';
const issues = await github.listIssues({ owner: 'a', repo: 'b', state: 'open' });
const byLabel: Record<string, number> = {};
for (const issue of issues) {
  for (const label of issue.labels) byLabel[label.name] = (byLabel[label.name] ?? 0) + 1;
}
const old = issues.filter(issue => new Date(issue.created_at) < new Date('2024-01-01'));
for (const issue of old.slice(0, 5)) {
  await github.createIssue({ owner: 'a', repo: 'b', title: `again: ${issue.title}`, labels: ['old'] });
}
return { count: issues.length, byLabel, first: old[0].titel };
";

#[tokio::test]
#[ignore = "a measurement"]
async fn measure_checks() {
    let Some(mut bench) = Bench::new("measure_checks") else { return };
    let mut cold = Vec::new();
    for _ in 0..10 {
        bench = Bench::new("measure_checks").unwrap();
        cold.push(timed(&bench, &github(), PROGRAM).await);
    }
    let mut warm = Vec::new();
    for number in 0..200 {
        warm.push(timed(&bench, &github(), &format!("{PROGRAM}// {number}\n")).await);
    }
    let mut worlds = Vec::new();
    for number in 0..50 {
        let mut files = github();
        files.push(file("servers/x/index.ts", &format!("export const x = {number};")));
        worlds.push(timed(&bench, &files, PROGRAM).await);
    }
    let started = Instant::now();
    let all = (0..50).map(|_| bench.check(PROGRAM));
    let all: Vec<_> = all.collect();
    for check in all {
        check.await;
    }
    eprintln!("50 one after another: {:?}", started.elapsed());
    report("cold", cold);
    report("warm", warm);
    report("new world, server warm", worlds);
}

async fn timed(bench: &Bench, files: &[crate::SourceFile], program: &str) -> Duration {
    let started = Instant::now();
    let errors = bench.checker.check(files, program).await.unwrap();
    let took = started.elapsed();
    assert_eq!(errors.len(), 1);
    took
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    eprintln!("{what}: p50 {:?}, p95 {:?}, max {:?}", at(50), at(95), at(100));
}

/// Whether the compiler's memory grows with the number of checks.
#[cfg(target_os = "linux")]
#[tokio::test]
#[ignore = "a measurement"]
async fn measure_memory() {
    let Some(bench) = Bench::new("measure_memory") else { return };
    for round in 0..10 {
        for number in 0..200 {
            let mut files = github();
            if number % 4 == 0 {
                files.push(file(
                    "servers/x/index.ts",
                    &format!("export const x = {round}{number};"),
                ));
            }
            timed(&bench, &files, &format!("{PROGRAM}// {round} {number}\n")).await;
        }
        eprintln!("after {} checks: {} MB", (round + 1) * 200, resident_mb());
    }
}

/// Resident memory of the children of this process.
#[cfg(target_os = "linux")]
fn resident_mb() -> u64 {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let mut sum = 0;
    for thread in std::fs::read_dir("/proc/self/task").unwrap().flatten() {
        let children = read(&format!("{}/children", thread.path().display()));
        for child in children.split_whitespace() {
            let status = read(&format!("/proc/{child}/status"));
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
            let kilobytes =
                line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
            sum += kilobytes.unwrap_or(0);
        }
    }
    sum / 1024
}
