//! Many runs at once: how fast new workers start, and how much memory waiting ones take.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use tidegate_config::{Capacity, Settings};
use tidegate_gateway::{Gateway, Progress, RunContext};
use tidegate_model::{Language, Limits, Program, Secret, ServerSpec, Transport};
use tokio::process::Command;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::memory::{Memory, memory_of_workers};
use crate::report::{Amount, Figure, Unit};
use crate::setup::Setup;

const RUNS: u32 = 400;
const BURST: u32 = 200;
const WAITING: u32 = 1000;
const ROUNDS: usize = 3;

/// Gateway and workers together; a goal of this project.
const GOAL_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// How long a thousand programs may take to reach their tool.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) async fn measure(setup: &Setup<'_>) -> anyhow::Result<(Vec<Figure>, Vec<Amount>)> {
    let gateway = open(setup, "crowd")?;
    gateway.prepare_worker();
    let (mut runs, mut bursts, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        plain.push(plain_processes(RUNS).await?);
        runs.push(steady(&gateway).await?);
        bursts.push(burst(&gateway).await?);
    }
    gateway.close().await;
    let plain_ms = middle(plain) / f64::from(RUNS);
    let figure = |name: String, ms: f64, times: u32| Figure {
        name,
        ms,
        yardstick: match times {
            1 => "fork and exec of /bin/true".to_owned(),
            many => format!("{many} × fork and exec of /bin/true"),
        },
        yardstick_ms: plain_ms * f64::from(times),
    };
    let figures = vec![
        figure("one run in a fresh worker, all cores".into(), middle(runs) / f64::from(RUNS), 1),
        figure(format!("burst of {BURST} runs"), middle(bursts), BURST),
    ];
    Ok((figures, vec![waiting(setup).await?]))
}

/// Consecutive runs, as many in parallel as there are cores.
async fn steady(gateway: &Arc<Gateway>) -> anyhow::Result<Duration> {
    let lanes = lanes();
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for lane in 0..lanes {
        let gateway = Arc::clone(gateway);
        tasks.spawn(async move {
            for _ in (lane..RUNS).step_by(lanes as usize) {
                succeed(&gateway).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(task) = tasks.join_next().await {
        task??;
    }
    Ok(started.elapsed())
}

async fn burst(gateway: &Arc<Gateway>) -> anyhow::Result<Duration> {
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..BURST {
        let gateway = Arc::clone(gateway);
        tasks.spawn(async move { succeed(&gateway).await });
    }
    while let Some(task) = tasks.join_next().await {
        task??;
    }
    Ok(started.elapsed())
}

async fn succeed(gateway: &Arc<Gateway>) -> anyhow::Result<()> {
    let response = gateway.execute(program("return 1"), &RunContext::default()).await;
    ensure!(response.success, "a run failed: {:?}", response.error);
    Ok(())
}

/// The same number of processes that do nothing, as many in parallel.
async fn plain_processes(count: u32) -> anyhow::Result<Duration> {
    let lanes = lanes();
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for lane in 0..lanes {
        tasks.spawn(async move {
            for _ in (lane..count).step_by(lanes as usize) {
                let status = Command::new("/bin/true").stdin(Stdio::null()).status().await;
                ensure!(status.context("cannot start /bin/true")?.success(), "/bin/true failed");
            }
            anyhow::Ok(())
        });
    }
    while let Some(task) = tasks.join_next().await {
        task??;
    }
    Ok(started.elapsed())
}

/// Programs that all wait for a slow tool at the same time.
async fn waiting(setup: &Setup<'_>) -> anyhow::Result<Amount> {
    let gateway = open(setup, "waiting")?;
    let before = Memory::of_this_process()?;
    let mut tasks = JoinSet::new();
    let mut contexts = Vec::new();
    for _ in 0..WAITING {
        let context = RunContext::default();
        contexts.push((context.cancelled.clone(), context.progress.subscribe()));
        let gateway = Arc::clone(&gateway);
        tasks.spawn(async move {
            let program = program("return await servers.slow.wait({ seconds: 600 })");
            gateway.execute(program, &context).await
        });
    }
    let all = async {
        for (_, progress) in &mut contexts {
            reached(progress).await?;
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(PATIENCE, all).await.context("not all programs reached their tool")??;
    let workers = memory_of_workers();
    let gateway_bytes = Memory::of_this_process()?;
    for (cancelled, _) in &contexts {
        cancelled.cancel();
    }
    while tasks.join_next().await.is_some() {}
    gateway.close().await;
    ensure!(workers.count >= WAITING as usize, "only {} workers were running", workers.count);
    Ok(Amount {
        name: format!("{WAITING} programs that wait for a slow tool"),
        unit: Unit::Bytes,
        amount: workers.bytes + gateway_bytes.bytes,
        goal: GOAL_BYTES,
        parts: vec![
            ("gateway", gateway_bytes.bytes),
            ("gateway before", before.bytes),
            ("one worker", workers.bytes / workers.count.max(1) as u64),
        ],
    })
}

async fn reached(progress: &mut watch::Receiver<Progress>) -> anyhow::Result<()> {
    let started = progress.wait_for(|now| now.calls_started > 0).await;
    started.context("a program ended before it reached its tool")?;
    Ok(())
}

fn program(source: &str) -> Program {
    let source = source.to_owned();
    Program { source, language: Language::TypeScript, engine: None, timeout: None }
}

fn lanes() -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(cores).unwrap_or(u32::MAX)
}

/// The median, in milliseconds.
fn middle(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

fn open(setup: &Setup<'_>, name: &str) -> anyhow::Result<Arc<Gateway>> {
    let executable = std::env::current_exe().context("cannot find the executable of tidegate")?;
    let slow = ServerSpec {
        name: "slow".to_owned(),
        transport: Transport::Stdio {
            command: executable.to_str().context("the path is not Unicode")?.to_owned(),
            args: vec![Secret::new("slow-server".into())],
            env: BTreeMap::new(),
            cwd: None,
        },
        timeout: Duration::from_secs(600),
        connect_timeout: Duration::from_secs(30),
        max_concurrent: WAITING as usize,
    };
    let mut settings = Settings {
        servers: vec![slow],
        limits: Limits { time: Duration::from_secs(600), ..Limits::default() },
        ..Settings::new(setup.folder.join(name))
    };
    settings.checks.types = tidegate_config::TypeCheck::Off;
    settings.sandbox.capacity = Capacity {
        max_runs: Some(WAITING),
        max_runs_per_session: Some(WAITING),
        max_waiting: WAITING,
        ..Capacity::default()
    };
    setup.gateway(settings)
}
