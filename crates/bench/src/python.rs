//! Programs in Python: the cost of a start, and their speed compared with plain Python.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use tidegate_config::Settings;
use tidegate_model::Language;

use crate::report::Figure;
use crate::samples::Samples;
use crate::setup::{Setup, note, timed};

const WARM_RUNS: usize = 40;
const COLD_RUNS: usize = 15;
const JOBS: usize = 7;

/// Time for a spare worker to start; no run waits for it.
const PAUSE: Duration = Duration::from_millis(250);

/// Time for the parent of forked programs to import its modules. Chosen generously.
const ZYGOTE: Duration = Duration::from_secs(3);

/// 10 MB of JSON, read and filtered as programs do.
const JOB: &str = r#"
import json
rows = [{"id": n, "name": f"item {n}", "price": n % 997 / 7, "tags": ["a", "b", str(n % 10)],
         "stock": {"here": n % 5, "there": n % 3}} for n in range(85_000)]
text = json.dumps(rows)
kept = [row for row in json.loads(text) if row["stock"]["here"] and "3" in row["tags"]]
print(len(text) > 10_000_000, len(kept), round(sum(row["price"] for row in kept), 2))
"#;

pub(crate) async fn measure(setup: &Setup<'_>) -> anyhow::Result<Vec<Figure>> {
    let settings = || Settings::new(setup.folder.join("python"));
    let mut anew = settings();
    anew.sandbox.fork = false;
    let starting = setup.gateway(anew)?;
    let Ok(python) = starting.find_python().await else {
        note("Python is skipped: there is no Python 3.9 or later on this machine");
        return Ok(Vec::new());
    };
    let python = python.program;
    let (mut plain, mut cold, mut warm) = <(Samples, Samples, Samples)>::default();
    let mut forked = Samples::default();
    // Neither has a spare worker. The forking one starts to fork after its first run.
    let forking = setup.gateway(settings())?;
    for gateway in [&starting, &forking, &forking] {
        timed(gateway, "print('first')", Language::Python).await?;
    }
    tokio::time::sleep(ZYGOTE).await;
    for _ in 0..COLD_RUNS {
        plain.add(plain_python(&python, "pass")?);
        cold.add(timed(&starting, "print('hello')", Language::Python).await?);
        forked.add(timed(&forking, "print('hello')", Language::Python).await?);
    }
    forking.close().await;
    starting.close().await;
    let gateway = setup.gateway(settings())?;
    gateway.prepare_worker();
    timed(&gateway, "print('first')", Language::Python).await?;
    for _ in 0..WARM_RUNS {
        tokio::time::sleep(PAUSE).await;
        warm.add(timed(&gateway, "print('hello')", Language::Python).await?);
    }
    let (mut outside, mut inside) = <(Samples, Samples)>::default();
    for _ in 0..JOBS {
        outside.add(plain_python(&python, JOB)?);
        tokio::time::sleep(PAUSE).await;
        inside.add(timed(&gateway, JOB, Language::Python).await?);
    }
    gateway.close().await;
    let figure = |name: &str, ms: f64, yardstick: &str, yardstick_ms: f64| Figure {
        name: name.to_owned(),
        ms,
        yardstick: yardstick.to_owned(),
        yardstick_ms,
    };
    let start = plain.median();
    Ok(vec![
        figure("Python hello, warm", warm.median(), "a plain start of Python", start),
        figure("Python hello, cold, forked", forked.median(), "a plain start of Python", start),
        figure("Python hello, cold, started", cold.median(), "a plain start of Python", start),
        figure("a filter over 10 MB of JSON", inside.median(), "plain Python", outside.median()),
    ])
}

fn plain_python(python: &PathBuf, source: &str) -> anyhow::Result<Duration> {
    let started = Instant::now();
    let status = Command::new(python)
        .args(["-I", "-c", source])
        .stdout(Stdio::null())
        .status()
        .context("cannot start Python")?;
    ensure!(status.success(), "Python failed");
    Ok(started.elapsed())
}
