//! Takes a worker, sends it the program and listens to it until the run has ended.

use std::sync::Arc;

use tidegate_model::{ErrorCode, Isolation, LimitName, RunError, SandboxKind};
use tidegate_sandbox::{ChannelError, End, Life, Usage, Watch, Worker};
use tidegate_wire::RunRequest;
use tokio::sync::{Mutex, mpsc};

use crate::consent::stage::Consented;
use crate::explain;
use crate::explain::limit::{code_of, start_error};
use crate::gateway::Gateway;
use crate::run::active::{ActiveRun, Ended, Outcome, RunShared, cancelled};
use crate::run::clock::RunClock;
use crate::run::limits::{Spent, cause, measured};

impl Gateway {
    /// Runs a program that may run.
    pub(crate) async fn run(self: &Arc<Self>, consented: Consented) -> Ended {
        let cancelled = consented.run.person.context().cancelled.clone();
        let taken = tokio::select! {
            taken = consented.workers.take() => taken,
            () = cancelled.cancelled() => return Ended::failed(self::cancelled()),
        };
        let (worker, _lease) = match taken {
            Ok(taken) => taken,
            Err(error) => {
                tracing::error!(%error, run = %consented.run.id, "no worker");
                let limits = &self.settings.limits;
                let error = explain::sandbox(&error, |limit| start_error(limit, limits));
                return Ended::failed(error);
            }
        };
        let wanted = consented.sandbox;
        if wanted == SandboxKind::Strict && worker.report.level() < Isolation::Strict {
            return Ended::failed(explain::not_strict(&worker.report));
        }
        drive(self, worker, consented).await
    }
}

/// Sends the program and listens until the run has ended.
async fn drive(gateway: &Arc<Gateway>, worker: Worker, consented: Consented) -> Ended {
    let Worker { mut reader, writer, life, report: _ } = worker;
    let Consented { run, executable, view, mut turn, warnings, used, .. } = consented;
    turn.started();
    let writer = Arc::new(Mutex::new(writer));
    let clock = Arc::new(RunClock::start(run.limits.time, used, Arc::clone(&writer)));
    run.person.set_clock(Arc::clone(&clock));
    let request = RunRequest {
        source: run.program.source.clone(),
        executable,
        time_ms: milliseconds(run.limits.time.saturating_sub(used)),
        cpu_ms: milliseconds(run.limits.cpu),
        memory_bytes: run.limits.memory_bytes,
        output_bytes: run.limits.output_bytes,
    };
    let (interrupt, mut interruptions) = mpsc::unbounded_channel();
    let context = run.person.context().clone();
    let mut watch = life.watch(&run.limits);
    let shared = RunShared {
        gateway: Arc::clone(gateway),
        id: run.id,
        person: run.person,
        permissions: run.permissions,
        limits: run.limits,
        view,
        writer,
        interrupt,
    };
    let mut active = ActiveRun::new(shared);
    let mut end = End::Now;
    let listen = async || -> Outcome {
        active.send(request).await?;
        loop {
            let message = tokio::select! {
                message = reader.next() => message,
                // Our own word, which does not go through the worker and cannot be caught
                // by the program.
                Some(error) = interruptions.recv() => return Err(error),
                limit = exceeded(&mut watch) => {
                    return Err(RunError::new(code_of(limit), "killed"));
                }
            };
            match message {
                Ok(message) => {
                    if let Some(outcome) = active.take(message) {
                        return outcome;
                    }
                }
                Err(error) => {
                    if matches!(error, ChannelError::Gone(_)) {
                        end = End::ByItself;
                    }
                    return Err(active.worker_error(&error));
                }
            }
        }
    };
    let outcome = tokio::select! {
        outcome = listen() => outcome,
        () = clock.over() => Err(RunError::new(ErrorCode::TimeLimit, "killed")),
        () = context.cancelled.cancelled() => Err(cancelled()),
    };
    let watched = watch.is_some();
    let (outcome, usage) = end_worker(&mut active, outcome, life, end, watched).await;
    active.into_ended(outcome, &Spent { time: clock.used(), usage }, warnings)
}

/// Ends the worker and all calls under way. What the run ended with, and what its jail
/// has used if that says more than we know.
async fn end_worker(
    active: &mut ActiveRun,
    outcome: Outcome,
    life: Box<dyn Life>,
    end: End,
    watched: bool,
) -> (Outcome, Usage) {
    // While it is still there to be looked at.
    let usage = outcome.as_ref().err().filter(|error| measured(error.code, watched));
    let usage = usage.map(|_| life.usage()).unwrap_or_default();
    // First of all: what was broken off must not continue beside what follows.
    let gone = tokio::spawn(life.end(end));
    // Cancels the calls that are still under way, and waits until each of them
    // is recorded.
    active.tasks.shutdown().await;
    let worker_died = matches!(&outcome, Err(error) if error.code == ErrorCode::WorkerDied);
    if !worker_died {
        // It has nothing more to say; the answer need not wait for it.
        return (outcome, usage);
    }
    let ending = gone.await.unwrap_or_default();
    tracing::warn!(run = %active.shared.id, how = ending.text, "worker died");
    let code = ending.cause.or_else(|| cause(&usage, &active.shared.limits));
    let outcome = outcome.map_err(|error| match code {
        Some(code) => RunError::new(code, "killed"),
        None => error,
    });
    (outcome, usage)
}

/// The next limit that the watch finds exceeded, if there is a watch.
async fn exceeded(watch: &mut Option<Watch>) -> LimitName {
    match watch {
        Some(watch) => watch.await,
        None => std::future::pending().await,
    }
}

fn milliseconds(time: std::time::Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}
