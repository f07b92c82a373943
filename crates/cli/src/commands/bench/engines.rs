//! QuickJS, Deno and Node: what a start costs, and what a long computation does.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{anyhow, ensure};
use tidegate_config::{Environment, Settings};
use tidegate_gateway::{Gateway, RunContext};
use tidegate_model::{Engine, Language, Program};

use super::Figure;
use super::samples::Samples;
use crate::{context, print};

const RUNS: usize = 10;

/// A sieve: loops, comparisons and a list, as programs that compute have them.
const SIEVE: &str = "const most = 1_000_000;
    const composite = new Uint8Array(most + 1);
    let primes = 0;
    for (let n = 2; n <= most; n++) {
      if (composite[n]) continue;
      primes++;
      for (let multiple = n * 2; multiple <= most; multiple += n) composite[multiple] = 1;
    }
    return primes;";

/// What is run, and what it is called.
const PROGRAMS: [(&str, &str); 2] =
    [("cold start", "return 'hello'"), ("primes below 1e6, cold", SIEVE)];

pub(crate) async fn measure(folder: &Path) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let found = open(folder)?;
    for engine in [Engine::Deno, Engine::Node] {
        if let Err(error) = found.find_engine(engine).await {
            print::note(format!("skipped: engine {}: {error}", engine.as_str()));
            continue;
        }
        for (name, source) in PROGRAMS {
            figures.push(against_quickjs(folder, engine, name, source).await?);
        }
    }
    Ok(figures)
}

async fn against_quickjs(
    folder: &Path,
    engine: Engine,
    name: &str,
    source: &str,
) -> anyhow::Result<Figure> {
    let (mut theirs, mut ours) = (Samples::default(), Samples::default());
    for _ in 0..RUNS {
        theirs.add(cold(folder, engine, source).await?);
        ours.add(cold(folder, Engine::QuickJs, source).await?);
    }
    Ok(Figure {
        name: format!("{}, {name}", engine.as_str()),
        ms: theirs.median(),
        yardstick: "quickjs".to_owned(),
        yardstick_ms: ours.median(),
    })
}

/// A run with a gateway of its own, which has no spare worker yet.
async fn cold(folder: &Path, engine: Engine, source: &str) -> anyhow::Result<Duration> {
    let gateway = open(folder)?;
    // Looking for the engine is done once per gateway, not once per run.
    let program = |source: &str| Program {
        source: source.to_owned(),
        language: Language::TypeScript,
        engine: Some(engine),
        timeout: None,
    };
    gateway.prepare_engine(engine).await.map_err(|error| anyhow!("{error}"))?;
    let started = Instant::now();
    let response = gateway.execute(program(source), &RunContext::default()).await;
    let took = started.elapsed();
    ensure!(response.success, "the program failed: {:?}", response.error);
    Ok(took)
}

fn open(folder: &Path) -> anyhow::Result<Arc<Gateway>> {
    context::open(Settings::new(folder.join("state")), &Environment::from_process())
}
