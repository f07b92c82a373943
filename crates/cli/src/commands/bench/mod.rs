//! `tidegate bench`: hot paths as ratios to something measured in the same run.
//!
//! Machines are noisy and differ, so a time alone says little: every figure has
//! a yardstick beside it, and samples of both alternate.

mod echo;
mod hello;
mod samples;
mod start;
mod types;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use serde_json::{Value, json};

use crate::args::{BenchArgs, BenchSuite};
use crate::print;

/// One measured figure.
pub(crate) struct Figure {
    name: String,
    /// Median, in milliseconds.
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
            "p50_ms": round(self.ms),
            "yardstick": self.yardstick,
            "yardstick_p50_ms": round(self.yardstick_ms),
            "ratio": round(self.ratio()),
        })
    }
}

pub(crate) async fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    let wanted = |suite| args.suite.is_none_or(|only| only == suite);
    let folder = Scratch::new()?;
    let mut figures = Vec::new();
    if cfg!(debug_assertions) {
        print::note("warning: this is a debug build; measure with `cargo run --release -- bench`");
    }
    if wanted(BenchSuite::Hello) {
        figures.extend(hello::measure(&folder.0).await?);
    }
    if wanted(BenchSuite::Echo) {
        figures.extend(echo::measure(&folder.0).await?);
    }
    if wanted(BenchSuite::Start) {
        figures.extend(start::measure(&folder.0)?);
    }
    if wanted(BenchSuite::Types) {
        figures.extend(types::measure(&folder.0).await?);
    }
    if args.json {
        let list: Vec<Value> = figures.iter().map(Figure::json).collect();
        print::json(&json!({"figures": list}));
    } else {
        for figure in &figures {
            print::line(format!(
                "{:46}{:>9.2} ms  {:>6.2} × {} ({:.2} ms)",
                figure.name,
                figure.ms,
                figure.ratio(),
                figure.yardstick,
                figure.yardstick_ms
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// How to start a piece of the test equipment, if it is installed.
fn equipment(name: &str) -> Option<Value> {
    let path = std::env::var("TIDEGATE_TEST_EQUIPMENT").map(PathBuf::from);
    let path = path.unwrap_or_else(|_| PathBuf::from(".cache/test/equipment.json"));
    let equipment: Value = serde_json::from_slice(&std::fs::read(&path).ok()?).ok()?;
    equipment.get(name).cloned()
}

fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// A folder for state and configuration, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> anyhow::Result<Self> {
        let folder = std::env::temp_dir().join(format!("tidegate-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder).context("cannot make a folder for the measurements")?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
