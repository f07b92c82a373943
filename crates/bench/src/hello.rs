//! A program that does nothing: the minimal cost of a run.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use tidegate_config::Settings;
use tidegate_gateway::{Gateway, RunContext};
use tidegate_model::{Language, Program};

use crate::report::Figure;
use crate::samples::Samples;
use crate::setup::Setup;

const WARM_RUNS: usize = 100;
const COLD_RUNS: usize = 20;

pub(crate) async fn measure(setup: &Setup<'_>) -> anyhow::Result<Vec<Figure>> {
    let mut process = Samples::default();
    let mut cold = Samples::default();
    let mut warm = Samples::default();
    for _ in 0..COLD_RUNS {
        process.add(plain_process(setup)?);
        // A gateway of its own has no spare worker yet.
        let gateway = open(setup)?;
        cold.add(hello(&gateway).await?);
    }
    let gateway = open(setup)?;
    for _ in 0..WARM_RUNS {
        gateway.prepare_worker();
        // Wait until the spare worker is up; no run waits for it.
        tokio::time::sleep(Duration::from_millis(20)).await;
        warm.add(hello(&gateway).await?);
    }
    let yardstick_ms = process.median();
    let figure = |name: &str, samples: &mut Samples| Figure {
        name: name.to_owned(),
        ms: samples.median(),
        yardstick: "a plain start of this executable".to_owned(),
        yardstick_ms,
    };
    Ok(vec![figure("hello, warm", &mut warm), figure("hello, cold", &mut cold)])
}

async fn hello(gateway: &Arc<Gateway>) -> anyhow::Result<Duration> {
    let program = Program {
        source: "return 'hello'".to_owned(),
        language: Language::TypeScript,
        engine: None,
        timeout: None,
    };
    let started = Instant::now();
    let response = gateway.execute(program, &RunContext::default()).await;
    ensure!(response.success, "hello failed: {:?}", response.error);
    Ok(started.elapsed())
}

/// Starting and ending this executable without any work.
pub(crate) fn plain_process(setup: &Setup<'_>) -> anyhow::Result<Duration> {
    let started = Instant::now();
    let status = Command::new(setup.executable).arg("--version").stdout(Stdio::null()).status()?;
    ensure!(status.success(), "tidegate --version failed");
    Ok(started.elapsed())
}

/// A gateway without servers.
pub(crate) fn open(setup: &Setup<'_>) -> anyhow::Result<Arc<Gateway>> {
    let settings = Settings::new(setup.folder.join("hello"));
    // Measured once per process, not once per run.
    tidegate_gateway::tokens::count("warm up");
    setup.gateway(settings)
}
