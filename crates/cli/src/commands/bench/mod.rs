//! `tidegate bench`: hot paths as ratios to something measured in the same run.
//!
//! Machines are noisy and differ, so a time alone says little: every figure has
//! a yardstick beside it, and samples of both alternate.

mod arguments;
mod crowd;
mod deadline;
mod decision;
mod discovery;
mod echo;
mod engines;
mod hello;
mod memory;
mod privacy;
mod python;
mod samples;
mod search;
pub(crate) mod slow_server;
mod start;
mod types;
mod validation;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use serde_json::{Value, json};
use tidegate_gateway::{Gateway, RunContext};
use tidegate_model::{Language, Program};

use crate::args::{BenchArgs, BenchSuite};
use crate::print;
use crate::temporary::TemporaryFolder;

/// One measured figure.
pub(crate) struct Figure {
    name: String,
    /// Median, or what the name says, in milliseconds.
    ms: f64,
    /// What it is compared with.
    yardstick: String,
    yardstick_ms: f64,
}

impl Figure {
    fn ratio(&self) -> f64 {
        self.ms / self.yardstick_ms
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "p50_ms": nanoseconds(self.ms),
            "yardstick": self.yardstick,
            "yardstick_p50_ms": nanoseconds(self.yardstick_ms),
            "ratio": round(self.ratio()),
        })
    }
}

/// Memory or tokens that were measured, with what they must not exceed.
pub(crate) struct Amount {
    name: String,
    unit: Unit,
    amount: u64,
    goal: u64,
    /// What it is made of, per name.
    parts: Vec<(&'static str, u64)>,
}

#[derive(Clone, Copy)]
pub(crate) enum Unit {
    Bytes,
    Tokens,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Tokens => "tokens",
        }
    }

    fn text(self, amount: u64) -> String {
        match self {
            Self::Bytes => format!("{:.1} MB", amount as f64 / (1024.0 * 1024.0)),
            Self::Tokens => format!("{amount} tokens"),
        }
    }
}

impl Amount {
    fn json(&self) -> Value {
        let parts: serde_json::Map<String, Value> =
            self.parts.iter().map(|(name, amount)| ((*name).to_owned(), json!(amount))).collect();
        let unit = self.unit.name();
        json!({
            "name": self.name,
            unit: self.amount,
            format!("goal_{unit}"): self.goal,
            "parts": parts,
        })
    }

    fn line(&self) -> String {
        let text = |amount| self.unit.text(amount);
        let parts: Vec<String> =
            self.parts.iter().map(|(name, amount)| format!("{name} {}", text(*amount))).collect();
        let (amount, goal) = (text(self.amount), text(self.goal));
        format!("{:56}{amount:>10}  goal {goal} ({})", self.name, parts.join(", "))
    }
}

pub(crate) async fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    let wanted = |suite| args.suite.is_none_or(|only| only == suite);
    let folder = TemporaryFolder::new("bench")?;
    let (mut figures, mut amounts) = (Vec::new(), Vec::new());
    if cfg!(debug_assertions) {
        print::note("warning: this is a debug build; measure with `cargo run --release -- bench`");
    }
    if wanted(BenchSuite::Hello) {
        figures.extend(hello::measure(folder.path()).await?);
    }
    if wanted(BenchSuite::Echo) {
        figures.extend(echo::measure(folder.path()).await?);
    }
    if wanted(BenchSuite::Crowd) {
        let measured = crowd::measure(folder.path()).await?;
        figures.extend(measured.0);
        amounts.extend(measured.1);
    }
    if wanted(BenchSuite::Start) {
        figures.extend(start::measure(folder.path())?);
    }
    if wanted(BenchSuite::Types) {
        figures.extend(types::measure(folder.path()).await?);
    }
    if wanted(BenchSuite::Arguments) {
        figures.extend(arguments::measure()?);
    }
    if wanted(BenchSuite::Decision) {
        figures.extend(decision::measure()?);
    }
    if wanted(BenchSuite::Validation) {
        figures.extend(validation::measure()?);
    }
    if wanted(BenchSuite::Privacy) {
        figures.extend(privacy::measure()?);
    }
    if wanted(BenchSuite::Engines) {
        figures.extend(engines::measure(folder.path()).await?);
    }
    if wanted(BenchSuite::Python) {
        figures.extend(python::measure(folder.path()).await?);
    }
    if wanted(BenchSuite::Search) {
        let measured = search::measure()?;
        figures.extend(measured.0);
        amounts.extend(measured.1);
    }
    if wanted(BenchSuite::Discovery) {
        amounts.extend(discovery::measure()?);
    }
    if wanted(BenchSuite::Deadline) {
        figures.extend(deadline::measure(folder.path()).await?);
    }
    if args.json {
        let list: Vec<Value> = figures.iter().map(Figure::json).collect();
        let amounts: Vec<Value> = amounts.iter().map(Amount::json).collect();
        print::json(&json!({"figures": list, "amounts": amounts}));
    } else {
        for figure in &figures {
            print::line(format!(
                "{:56}{:>10}  {:>6.2} × {} ({})",
                figure.name,
                time(figure.ms),
                figure.ratio(),
                figure.yardstick,
                time(figure.yardstick_ms)
            ));
        }
        for amount in &amounts {
            print::line(amount.line());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// How long a program takes in a worker that is up already.
async fn timed_run(gateway: &Arc<Gateway>, source: &str) -> anyhow::Result<Duration> {
    timed_when_ready(gateway, source, Language::TypeScript).await
}

/// The same in any language.
async fn timed_when_ready(
    gateway: &Arc<Gateway>,
    source: &str,
    language: Language,
) -> anyhow::Result<Duration> {
    gateway.prepare_worker();
    tokio::time::sleep(Duration::from_millis(20)).await;
    timed(gateway, source, language).await
}

/// How long a program takes.
async fn timed(
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
fn equipment(name: &str) -> Option<Value> {
    let path = std::env::var("TIDEGATE_TEST_EQUIPMENT").map(PathBuf::from);
    let path = path.unwrap_or_else(|_| PathBuf::from(".cache/test/equipment.json"));
    let equipment: Value = serde_json::from_slice(&std::fs::read(&path).ok()?).ok()?;
    equipment.get(name).cloned()
}

/// A time in the unit that people would use.
fn time(ms: f64) -> String {
    if ms < 0.1 { format!("{:.2} µs", ms * 1000.0) } else { format!("{ms:.2} ms") }
}

/// Milliseconds without digits that say nothing.
fn nanoseconds(ms: f64) -> f64 {
    (ms * 1_000_000.0).round() / 1_000_000.0
}

fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::{nanoseconds, time};

    #[test]
    fn a_short_time_is_shown_in_microseconds() {
        assert_eq!(
            [time(0.0031), time(0.0999), time(0.1), time(12.346)],
            ["3.10 µs", "99.90 µs", "0.10 ms", "12.35 ms"]
        );
        assert!((nanoseconds(0.003_141_592_6) - 0.003_142).abs() < f64::EPSILON);
    }
}
