//! What the suites share: the measured executable, and the time of a run.

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use serde_json::Value;
use tidegate_config::{Environment, Settings};
use tidegate_gateway::{Gateway, RunContext};
use tidegate_model::{Language, Program};

/// What the suites get from the executable that they measure.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// An empty folder for state; its creator removes it.
    pub folder: &'a Path,
    /// The executable.
    pub executable: &'a Path,
    /// Opens a gateway as the executable does.
    pub open: fn(Settings, &Environment) -> anyhow::Result<Arc<Gateway>>,
}

impl Setup<'_> {
    pub(crate) fn gateway(&self, settings: Settings) -> anyhow::Result<Arc<Gateway>> {
        (self.open)(settings, &Environment::from_process())
    }
}

/// The time of a TypeScript program in a running worker.
pub(crate) async fn timed_run(gateway: &Arc<Gateway>, source: &str) -> anyhow::Result<Duration> {
    timed_when_ready(gateway, source, Language::TypeScript).await
}

/// The same in any language.
pub(crate) async fn timed_when_ready(
    gateway: &Arc<Gateway>,
    source: &str,
    language: Language,
) -> anyhow::Result<Duration> {
    gateway.prepare_worker();
    tokio::time::sleep(Duration::from_millis(20)).await;
    timed(gateway, source, language).await
}

/// How long a program takes.
pub(crate) async fn timed(
    gateway: &Arc<Gateway>,
    source: &str,
    language: Language,
) -> anyhow::Result<Duration> {
    let program = Program { source: source.to_owned(), language, engine: None, timeout: None };
    let started = Instant::now();
    let response = gateway.execute(program, &RunContext::default()).await;
    ensure!(response.success, "the program failed: {:?}", response.error);
    Ok(started.elapsed())
}

/// How to start a piece of the test equipment, if it is installed.
pub(crate) fn equipment(name: &str) -> Option<Value> {
    let path = std::env::var("TIDEGATE_TEST_EQUIPMENT").map(PathBuf::from);
    let path = path.unwrap_or_else(|_| PathBuf::from(".cache/test/equipment.json"));
    let equipment: Value = serde_json::from_slice(&std::fs::read(&path).ok()?).ok()?;
    equipment.get(name).cloned()
}

/// Says on standard error what is skipped, and why.
pub(crate) fn note(text: impl Display) {
    // Nothing can be done if standard error is closed.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
