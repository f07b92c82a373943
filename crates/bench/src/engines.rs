//! QuickJS, Deno and Node: the cost of a start and of a long computation.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{anyhow, ensure};
use tidegate_config::Settings;
use tidegate_gateway::{Gateway, RunContext};
use tidegate_model::{Engine, Language, Program};

use crate::report::Figure;
use crate::samples::Samples;
use crate::setup::{Setup, note};

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

/// The programs, with their names.
const PROGRAMS: [(&str, &str); 2] =
    [("cold start", "return 'hello'"), ("primes below 1e6, cold", SIEVE)];

pub(crate) async fn measure(setup: &Setup<'_>) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let found = open(setup)?;
    for engine in [Engine::Deno, Engine::Node] {
        if let Err(error) = found.find_engine(engine).await {
            note(format!("skipped: engine {}: {error}", engine.as_str()));
            continue;
        }
        for (name, source) in PROGRAMS {
            figures.push(against_quickjs(setup, engine, name, source).await?);
        }
    }
    Ok(figures)
}

async fn against_quickjs(
    setup: &Setup<'_>,
    engine: Engine,
    name: &str,
    source: &str,
) -> anyhow::Result<Figure> {
    let (mut theirs, mut ours) = (Samples::default(), Samples::default());
    for _ in 0..RUNS {
        theirs.add(cold(setup, engine, source).await?);
        ours.add(cold(setup, Engine::QuickJs, source).await?);
    }
    Ok(Figure {
        name: format!("{}, {name}", engine.as_str()),
        ms: theirs.median(),
        yardstick: "quickjs".to_owned(),
        yardstick_ms: ours.median(),
    })
}

/// A run with a gateway of its own, which has no spare worker yet.
async fn cold(setup: &Setup<'_>, engine: Engine, source: &str) -> anyhow::Result<Duration> {
    let gateway = open(setup)?;
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

fn open(setup: &Setup<'_>) -> anyhow::Result<Arc<Gateway>> {
    setup.gateway(Settings::new(setup.folder.join("state")))
}
