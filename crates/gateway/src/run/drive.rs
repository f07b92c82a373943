//! Takes a worker, sends it the program and listens to it until the run has ended.

use std::sync::Arc;

use tidegate_model::{ErrorCode, Isolation, LimitName, RunError, SandboxKind, Stage};
use tidegate_sandbox::{
    ChannelError, FrameReader, Lease, LimitWatch, Termination, Usage, Worker, WorkerHandle,
};
use tidegate_wire::{FromGuest, RunRequest};
use tokio::sync::{Mutex, mpsc};

use super::{Runner, cancelled};
use crate::answer::ended::{Ended, Outcome};
use crate::approvals::run_clock::RunClock;
use crate::consent::stage::Consented;
use crate::explain;
use crate::explain::limit::{code_of, start_error};
use crate::run::active::{ActiveRun, RunShared};
use crate::run::given_errors::GivenErrors;
use crate::run::limit_errors::{Spent, cause, measured};

impl Runner {
    /// Runs a consented program.
    pub(crate) async fn run(self: &Arc<Self>, consented: Consented) -> Ended {
        let client_gone = consented.run.person.context().cancelled.clone();
        let taken = tokio::select! {
            taken = self.worker_for(&consented) => taken,
            () = client_gone.cancelled() => Err(cancelled()),
        };
        match taken {
            // The lease ends with the run.
            Ok((worker, _lease)) => drive(self, worker, consented).await,
            Err(error) => Ended::failed(error),
        }
    }

    /// A worker of the sandbox and the engine that the program needs.
    async fn worker_for(&self, consented: &Consented) -> Result<(Worker, Lease), RunError> {
        let Consented { run, sandbox, .. } = consented;
        let workers = self.workers.get(*sandbox, &run.program).await?;
        let (worker, lease) = workers.take().await.map_err(|error| {
            tracing::error!(%error, run = %run.id, "no worker");
            let limits = self.configured_limits();
            explain::sandbox(&error, |limit| start_error(limit, limits))
        })?;
        if *sandbox == SandboxKind::Strict && worker.report.level() < Isolation::Strict {
            return Err(explain::not_strict(&worker.report));
        }
        let isolation = worker.report.level();
        let principal = &run.person.context().principal;
        self.bridge.recorder.passed(principal, &run.id, Stage::Started { isolation });
        Ok((worker, lease))
    }
}

/// Sends the program and listens until the run has ended.
async fn drive(runner: &Arc<Runner>, worker: Worker, consented: Consented) -> Ended {
    let Worker { mut reader, writer, handle, report: _ } = worker;
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
    let mut watch = handle.watch(&run.limits);
    let shared = RunShared {
        runner: Arc::clone(runner),
        id: run.id,
        program: run.program,
        person: run.person,
        permissions: run.permissions,
        limits: run.limits,
        view,
        writer,
        interrupt,
        given: GivenErrors::default(),
    };
    let mut active = ActiveRun::new(shared);
    let mut end = Termination::Kill;
    let listen = async || -> Outcome {
        active.send(request).await?;
        loop {
            let message = tokio::select! {
                message = next_message(&mut reader, &clock) => message,
                // Our own error, which does not go through the worker, so the program
                // cannot catch it.
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
                    if matches!(error, ChannelError::Closed(_)) {
                        end = Termination::AwaitExit;
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
    active.ended.memory.output = reader.take_memory();
    let watched = watch.is_some();
    let (outcome, usage) = end_worker(&mut active, outcome, handle, end, watched).await;
    active.into_ended(outcome, &Spent { time: clock.used(), usage }, warnings)
}

/// The next message. While a large one waits for the memory that others use, the clock of the
/// run stands still.
async fn next_message(
    reader: &mut FrameReader,
    clock: &RunClock,
) -> Result<FromGuest, ChannelError> {
    let arrived = reader.arrived().await?;
    match arrived.waits() {
        true => clock.stopped_during(reader.open(arrived)).await,
        false => reader.open(arrived).await,
    }
}

/// Ends the worker and all calls under way. Returns the outcome of the run, and the usage
/// of its jail if that says more than we know.
async fn end_worker(
    active: &mut ActiveRun,
    outcome: Outcome,
    handle: Box<dyn WorkerHandle>,
    end: Termination,
    watched: bool,
) -> (Outcome, Usage) {
    // Measured while the worker still exists.
    let usage = outcome.as_ref().err().filter(|error| measured(error.code, watched));
    let usage = usage.map(|_| handle.usage()).unwrap_or_default();
    // Started first: an interrupted program must not continue during what follows.
    let gone = tokio::spawn(handle.end(end));
    // Cancels the calls that are still under way, and waits until each of them
    // is recorded.
    active.tasks.shutdown().await;
    let worker_died = matches!(&outcome, Err(error) if error.code == ErrorCode::WorkerDied);
    if !worker_died {
        // Its exit tells nothing more, so the answer need not wait for it.
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
async fn exceeded(watch: &mut Option<LimitWatch>) -> LimitName {
    match watch {
        Some(watch) => watch.await,
        None => std::future::pending().await,
    }
}

fn milliseconds(time: std::time::Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}
