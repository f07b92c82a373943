//! The limits in the errors of a run: which was hit, and how much of it was used.
//!
//! In: an error of the worker or of the host, and what was measured from outside.
//! Out: the error as the model reads it. `explain/limit.rs` words it.

use std::thread::available_parallelism;
use std::time::Duration;

use tidegate_model::{ErrorCode, LimitName, Limits, RunError};
use tidegate_sandbox::{LimitHit, Usage};
use tidegate_wire::EngineLimit;

use crate::answer::ended::{Ended, Outcome};
use crate::explain::limit::{Subject, bound_of_program, hint, limit_of, message};
use crate::run::active::{ActiveRun, RunShared, broken_protocol};

/// How much earlier than ours the clock of a worker may be: it counts milliseconds.
const CLOCK_SLACK: Duration = Duration::from_millis(20);

/// Whether the usage of the jail is worth a look, because it explains a limit or a silent
/// end. In a jail with more than one process, every failure may come from a process that
/// was refused.
pub(crate) fn measured(code: ErrorCode, watched: bool) -> bool {
    watched || matches!(code, ErrorCode::CpuLimit | ErrorCode::MemoryLimit | ErrorCode::WorkerDied)
}

/// The limit that must have ended a worker silently.
pub(crate) fn cause(usage: &Usage, limits: &Limits) -> Option<ErrorCode> {
    // A worker that ignores SIGXCPU is killed without it.
    if usage.cpu >= Some(limits.cpu) {
        return Some(ErrorCode::CpuLimit);
    }
    usage.ran_out_of_processes(limits).then_some(ErrorCode::ProcessLimit)
}

/// The usage of a run, as measured from outside.
pub(crate) struct Spent {
    pub(crate) time: Duration,
    pub(crate) usage: Usage,
}

impl ActiveRun {
    /// The end of the run, with this outcome.
    pub(crate) fn into_ended(
        mut self,
        outcome: Outcome,
        spent: &Spent,
        warnings: Vec<String>,
    ) -> Ended {
        self.ended.outcome = outcome.map_err(|error| match self.is_plausible(spent) {
            true => self.with_limit(error, spent),
            false => broken_protocol(),
        });
        self.ended.warnings = warnings;
        let notice = self.notice(spent);
        self.ended.warnings.extend(notice.into_iter().chain(self.log_memory.warning()));
        self.ended.memory.logs = Some(self.log_memory);
        self.ended
    }

    /// Whether the limit at which the engine claims to have stopped was reached, as far as
    /// that shows from outside. Only the engine knows its heap, its stack and its files.
    fn is_plausible(&self, spent: &Spent) -> bool {
        let limits = &self.shared.limits;
        match self.claimed {
            Some(EngineLimit::Time) => spent.time + CLOCK_SLACK >= limits.time,
            // A process that has ended may not be measured any more, but no processor is faster
            // than the clock.
            Some(EngineLimit::Cpu) => {
                spent.time.saturating_mul(cores()) + CLOCK_SLACK >= limits.cpu
            }
            Some(
                EngineLimit::Memory | EngineLimit::Stack | EngineLimit::Output | EngineLimit::Disk,
            )
            | None => true,
        }
    }

    /// The host names the limits: the guest does not know what was configured, and the
    /// host measures the usage wherever it can.
    fn with_limit(&self, mut error: RunError, spent: &Spent) -> RunError {
        if error.code == ErrorCode::StackLimit {
            // Not a configured limit, but the engine's own.
            error.message = "the program recursed too deeply".into();
            error.hint = Some("use a loop, or end the recursion earlier".into());
        }
        let limit = limit_of(error.code);
        // A refused call may say more than the limit itself.
        let is_worded = error.code == ErrorCode::CallLimit && !error.message.is_empty();
        let Some(limit) = limit.filter(|_| !is_worded) else { return error };
        let hit = LimitHit { limit, used: self.used(limit, spent) };
        error.message = message(Subject::Program, hit, &self.shared.limits);
        error.hint = Some(self.hint(limit));
        error
    }

    fn used(&self, limit: LimitName, Spent { time, usage }: &Spent) -> Option<u64> {
        match limit {
            LimitName::Time => u64::try_from(time.as_millis()).ok(),
            LimitName::ToolCalls => Some(self.ended.tool_calls.into()),
            LimitName::Output => Some(self.output_bytes),
            // Without a control group that counts it, the worker's own figure.
            LimitName::Memory => usage.memory_bytes.or_else(|| {
                let said = self.ended.memory_bytes;
                (said > 0).then_some(said)
            }),
            other => usage.of(other, &self.shared.limits),
        }
    }

    pub(crate) fn hint(&self, limit: LimitName) -> String {
        let RunShared { runner, limits, permissions, .. } = &*self.shared;
        let configured = runner.configured_limits();
        let bound = bound_of_program(limit, limits, configured, permissions);
        hint(Subject::Program, limit, &bound)
    }

    /// A note for a run that failed with an error of its own: refused processes may be
    /// the reason.
    fn notice(&self, spent: &Spent) -> Option<String> {
        let error = self.ended.outcome.as_ref().err()?;
        let (limit, limits) = (LimitName::Processes, &self.shared.limits);
        if error.code == ErrorCode::ProcessLimit || !spent.usage.ran_out_of_processes(limits) {
            return None;
        }
        let hit = LimitHit { limit, used: self.used(limit, spent) };
        Some(format!("{}; {}", message(Subject::Program, hit, limits), self.hint(limit)))
    }
}

fn cores() -> u32 {
    available_parallelism().map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(u32::MAX))
}
