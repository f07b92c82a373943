//! An honest client beside hostile programs: how much longer its runs take, and what the
//! gateway uses meanwhile.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::ensure;
use tidegate_config::{Settings, TypeCheck};
use tidegate_gateway::{Gateway, RunContext};
use tidegate_model::{Language, Program};
use tokio::task::JoinSet;

use crate::memory::Memory;
use crate::report::{Amount, Figure, Unit};
use crate::setup::{Setup, timed};

/// How long the hostile programs run.
const TIME: Duration = Duration::from_secs(60);

/// Honest runs before that.
const ALONE: usize = 200;

/// Goals of this project.
const MAX_RESIDENT: u64 = 512 * 1024 * 1024;
const MAX_STORED: u64 = 1024 * 1024 * 1024;

const HONEST: &str = "return ['ann.lee@example.org', 1]";

/// Each floods something else. `N` is different in each run.
const HOSTILE: [&str; 8] = [
    "let s = ''; for (let i = 0; i < 2200000; i++) s += i.toString(36) + 'N@ab.org '; return s",
    "let s = ''; for (let i = 0; i < 900000; i++) s += '[EMAIL_' + i + '] '; return s",
    "for (let i = 0; ; i++) console.log('x'.repeat(900) + i + 'N@ab.org')",
    "for (let i = 0; ; i++) try { await callMCPTool('nN' + i + '__t', {}) } catch {}",
    "for (let i = 0; ; i++) try { await fetch('http://hN' + i + '.example/') } catch {}",
    "const a = []; for (let i = 0; ; i++) a.push('x'.repeat(1e6) + i + N)",
    "for (let i = N; ; i++);",
    "return 'x'.repeat(30e6) + N",
];

pub(crate) async fn measure(setup: &Setup<'_>) -> anyhow::Result<(Vec<Figure>, Vec<Amount>)> {
    let folder = setup.folder.join("fair");
    let mut settings = Settings::new(folder.clone());
    settings.checks.types = TypeCheck::Off;
    let gateway = setup.gateway(settings)?;
    gateway.prepare_worker();
    let mut alone = Vec::new();
    for _ in 0..ALONE {
        alone.push(timed(&gateway, HONEST, Language::TypeScript).await?);
    }
    let (beside, resident) = beside(&gateway).await?;
    gateway.close().await;
    let runs = beside.len();
    let figure = Figure {
        name: format!("p95 of {runs} honest runs beside {} hostile programs", HOSTILE.len()),
        ms: p95(beside),
        yardstick: "p95 alone".to_owned(),
        yardstick_ms: p95(alone),
    };
    let amount = |name: &str, amount: u64, goal: u64| Amount {
        name: name.to_owned(),
        unit: Unit::Bytes,
        amount,
        goal,
        parts: Vec::new(),
    };
    let amounts = vec![
        amount("memory of the gateway beside hostile programs, at most", resident, MAX_RESIDENT),
        amount("state folder after hostile programs", stored(&folder), MAX_STORED),
    ];
    Ok((vec![figure], amounts))
}

/// Honest runs one after the other while one hostile program of each kind runs at any time,
/// and the most memory that was seen.
async fn beside(gateway: &Arc<Gateway>) -> anyhow::Result<(Vec<Duration>, u64)> {
    let is_over = Arc::new(AtomicBool::new(false));
    let mut hostile = JoinSet::new();
    for kind in HOSTILE {
        let (gateway, is_over) = (Arc::clone(gateway), Arc::clone(&is_over));
        hostile.spawn(async move {
            let mut number = 0;
            while !is_over.load(Ordering::Relaxed) {
                number += 1;
                let program = Program {
                    source: kind.replace('N', &number.to_string()),
                    language: Language::TypeScript,
                    engine: None,
                    timeout: Some(Duration::from_secs(10)),
                };
                gateway.execute(program, &RunContext::default()).await;
            }
        });
    }
    let (mut times, mut resident) = (Vec::new(), 0);
    let begun = Instant::now();
    while begun.elapsed() < TIME {
        times.push(timed(gateway, HONEST, Language::TypeScript).await?);
        resident = resident.max(Memory::of_this_process()?.bytes);
    }
    is_over.store(true, Ordering::Relaxed);
    while hostile.join_next().await.is_some() {}
    ensure!(!times.is_empty(), "no honest run has ended");
    Ok((times, resident))
}

/// In milliseconds.
fn p95(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times.get(times.len() * 95 / 100).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

fn stored(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(data) if data.is_dir() => stored(&entry.path()),
        Ok(data) => data.len(),
        // It was removed meanwhile.
        Err(_) => 0,
    });
    bytes.sum()
}
