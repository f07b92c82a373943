//! How long after its deadline a run ends that resists.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use tidegate_gateway::{Gateway, RunContext};
use tidegate_model::{ErrorCode, Language, Program};

use crate::hello::open;
use crate::report::Figure;
use crate::samples::Samples;
use crate::setup::Setup;

/// A loop that the engine can interrupt, one that it cannot, and one that waits.
const PROGRAMS: [(&str, &str); 3] = [
    ("a loop", "while (true) {}"),
    (
        "a loop in native code",
        "const s = 'a'.repeat(1 << 24); while (true) s.indexOf('a'.repeat(1 << 16) + 'b')",
    ),
    ("a sleep", "await new Promise((done) => setTimeout(done, 1e9))"),
];

const ROUNDS: usize = 10;
const TIME: Duration = Duration::from_millis(200);

/// The guarantee, G7.
const PROMISED_MS: f64 = 250.0;

/// The slowest of all rounds: a promise is not about the median.
pub(crate) async fn measure(setup: &Setup<'_>) -> anyhow::Result<Vec<Figure>> {
    let gateway = open(setup)?;
    let mut figures = Vec::new();
    for (name, source) in PROGRAMS {
        let mut late = Samples::default();
        for _ in 0..ROUNDS {
            late.add(overshoot(&gateway, source).await?);
        }
        figures.push(Figure {
            name: format!("deadline, latest end of {name}"),
            ms: late.max(),
            yardstick: "the promised limit".to_owned(),
            yardstick_ms: PROMISED_MS,
        });
    }
    Ok(figures)
}

async fn overshoot(gateway: &Arc<Gateway>, source: &str) -> anyhow::Result<Duration> {
    let program = Program {
        source: source.to_owned(),
        language: Language::TypeScript,
        engine: None,
        timeout: Some(TIME),
    };
    let started = Instant::now();
    let response = gateway.execute(program, &RunContext::default()).await;
    let code = response.error.as_ref().map(|error| error.code);
    ensure!(code == Some(ErrorCode::TimeLimit), "the program ended with {code:?}");
    Ok(started.elapsed().saturating_sub(TIME))
}
