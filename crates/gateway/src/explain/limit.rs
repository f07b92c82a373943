//! Explains to a model which limit was hit, its value, how much of it was used, and what
//! to raise.
//!
//! In: what was measured, by the host wherever possible. Out: the sentence and the hint
//! that all limits of programs and commands share:
//!
//! ```text
//! the program hit its limit `memory` of 64 MB: it used 71 MB
//! hint: work in smaller pieces, or let the user raise `limits.memory`
//! ```
//!
//! `docs/sandbox.md` has a table of all limits.

use std::fmt;

use tidegate_model::{CommandSpec, ErrorCode, LimitName, Limits, RunError};
use tidegate_policy::Permissions;
use tidegate_sandbox::LimitHit;

/// The program or command that hit a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject<'a> {
    Program,
    Command(&'a str),
}

/// What would have to be raised to allow more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The request asked for less, and can ask for more up to this much.
    Request(u64),
    /// A key of the configuration.
    Key(String),
}

/// The limit that a code stands for, if it is one that can be configured.
pub(crate) fn limit_of(code: ErrorCode) -> Option<LimitName> {
    match code {
        ErrorCode::TimeLimit => Some(LimitName::Time),
        ErrorCode::CpuLimit => Some(LimitName::Cpu),
        ErrorCode::MemoryLimit => Some(LimitName::Memory),
        ErrorCode::DiskLimit => Some(LimitName::Disk),
        ErrorCode::OutputLimit => Some(LimitName::Output),
        ErrorCode::CallLimit => Some(LimitName::ToolCalls),
        ErrorCode::ProcessLimit => Some(LimitName::Processes),
        _ => None,
    }
}

/// The code of a program that hit a limit.
pub(crate) fn code_of(limit: LimitName) -> ErrorCode {
    match limit {
        LimitName::Time => ErrorCode::TimeLimit,
        LimitName::Cpu => ErrorCode::CpuLimit,
        LimitName::Memory => ErrorCode::MemoryLimit,
        LimitName::Disk => ErrorCode::DiskLimit,
        LimitName::Output => ErrorCode::OutputLimit,
        // Excess parallel calls wait; that is not an error.
        LimitName::ToolCalls | LimitName::ParallelCalls => ErrorCode::CallLimit,
        LimitName::Processes => ErrorCode::ProcessLimit,
    }
}

/// The code of a command that a limit ended.
fn code_of_command(limit: LimitName) -> ErrorCode {
    match limit {
        LimitName::Time => ErrorCode::CommandTime,
        LimitName::Cpu => ErrorCode::CommandCpu,
        LimitName::Memory => ErrorCode::CommandMemory,
        LimitName::Disk => ErrorCode::CommandDisk,
        LimitName::Processes => ErrorCode::CommandProcesses,
        // These do not end a command.
        LimitName::Output | LimitName::ToolCalls | LimitName::ParallelCalls => {
            ErrorCode::CommandFailed
        }
    }
}

/// What determines a limit of a program. `limits` are those in force for it.
pub(crate) fn bound_of_program(
    limit: LimitName,
    limits: &Limits,
    configured: &Limits,
    permissions: &Permissions,
) -> Bound {
    let narrowed = permissions.limits(configured.clone());
    if limit.of(limits) < limit.of(&narrowed) {
        return Bound::Request(limit.of(&narrowed));
    }
    Bound::Key(key(limit, configured, permissions))
}

/// The same for a command, which has limits of its own.
pub(crate) fn bound_of_command(
    limit: LimitName,
    limits: &Limits,
    configured: &Limits,
    permissions: &Permissions,
    spec: &CommandSpec,
) -> Bound {
    let own = match limit {
        LimitName::Time => u64::try_from(spec.time.as_millis()).ok(),
        LimitName::Memory => Some(spec.memory_bytes),
        LimitName::Output => Some(spec.output_bytes),
        _ => None,
    };
    let of_the_run = limit.of(&permissions.limits(configured.clone()));
    let most = own.map_or(of_the_run, |own| own.min(of_the_run));
    if limit.of(limits) < most {
        return Bound::Request(most);
    }
    match own {
        Some(own) if own <= of_the_run => {
            Bound::Key(format!("commands.{}.{}", spec.name, limit.as_str()))
        }
        _ => Bound::Key(key(limit, configured, permissions)),
    }
}

fn key(limit: LimitName, configured: &Limits, permissions: &Permissions) -> String {
    match permissions.narrowed_by(limit, configured) {
        Some(profile) => format!("profiles.{profile}.limits.{}", limit.as_str()),
        None => format!("limits.{}", limit.as_str()),
    }
}

/// The error of a program whose engine reached a limit before the program started: the
/// configured limit applies, whoever the run is for.
pub(crate) fn start_error(limit: LimitName, configured: &Limits) -> RunError {
    let hit = LimitHit { limit, used: Some(limit.of(configured)) };
    let bound = Bound::Key(format!("limits.{}", limit.as_str()));
    RunError::new(code_of(limit), message(Subject::Program, hit, configured)).with_hint(hint(
        Subject::Program,
        limit,
        &bound,
    ))
}

/// The error of a program that hit a limit.
pub(crate) fn limit_error(
    limit: LimitName,
    used: Option<u64>,
    limits: &Limits,
    configured: &Limits,
    permissions: &Permissions,
) -> RunError {
    let hit = LimitHit { limit, used };
    let bound = bound_of_program(limit, limits, configured, permissions);
    RunError::new(code_of(limit), message(Subject::Program, hit, limits)).with_hint(hint(
        Subject::Program,
        limit,
        &bound,
    ))
}

/// The error of a command that a limit ended.
pub(crate) fn command_error(name: &str, hit: LimitHit, limits: &Limits, bound: &Bound) -> RunError {
    let subject = Subject::Command(name);
    RunError::new(code_of_command(hit.limit), message(subject, hit, limits))
        .with_hint(hint(subject, hit.limit, bound))
}

/// The sentence that says what happened.
pub(crate) fn message(subject: Subject<'_>, hit: LimitHit, limits: &Limits) -> String {
    let (limit, most) = (hit.limit, hit.limit.of(limits));
    let who = match subject {
        Subject::Program => "the program".to_owned(),
        Subject::Command(name) => format!("`{name}`"),
    };
    let fact = format!("{who} hit its limit `{}` of {}", limit.as_str(), Amount(limit, most));
    match hit.used {
        Some(used) => format!("{fact}: {}", spent(limit, used, most)),
        None => fact,
    }
}

fn spent(limit: LimitName, used: u64, most: u64) -> String {
    let amount = Amount(limit, used);
    match limit {
        LimitName::Time => format!("it ran for {used} ms"),
        LimitName::Cpu => format!("it used {used} ms of CPU time"),
        // Memory that was refused or never touched does not count as used.
        LimitName::Memory if used < most => {
            format!("it used {amount} of physical memory and asked for more")
        }
        LimitName::Memory => format!("it used {amount}"),
        LimitName::Disk => format!("it had written {amount} and wanted more"),
        LimitName::Output => format!("it wrote {amount}"),
        LimitName::ToolCalls | LimitName::ParallelCalls => format!("it made {amount}"),
        // At the limit the kernel refuses more; a number above it was counted by us.
        LimitName::Processes if used > most => format!("it had {amount}"),
        LimitName::Processes => format!("it had {amount} and asked for more"),
    }
}

/// The hint that says what to do.
pub(crate) fn hint(subject: Subject<'_>, limit: LimitName, bound: &Bound) -> String {
    let advice = match (subject, limit) {
        (Subject::Program, LimitName::Time | LimitName::Cpu) => "do less per run",
        (Subject::Program, LimitName::Memory) => "work in smaller pieces",
        (_, LimitName::Disk) => "write less",
        (Subject::Program, LimitName::Output) => "print and return less",
        (Subject::Command(_), LimitName::Output) => "let it write less",
        (Subject::Program, LimitName::ToolCalls | LimitName::ParallelCalls) => {
            "call tools that take lists"
        }
        (_, LimitName::Processes) => "start fewer processes and threads",
        (Subject::Command(_), _) => "do less at once",
    };
    match bound {
        Bound::Request(most) => {
            format!("{advice}, or ask for a larger `timeout_ms`, up to {most}")
        }
        Bound::Key(key) => format!("{advice}, or let the user raise `{key}`"),
    }
}

/// A number in the unit of its limit.
struct Amount(LimitName, u64);

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(limit, amount) = *self;
        match limit {
            LimitName::Time | LimitName::Cpu if amount.is_multiple_of(1000) && amount > 0 => {
                write!(f, "{} s", amount / 1000)
            }
            LimitName::Time | LimitName::Cpu => write!(f, "{amount} ms"),
            LimitName::Memory | LimitName::Disk | LimitName::Output => bytes(f, amount),
            LimitName::ToolCalls | LimitName::ParallelCalls => write!(f, "{amount} calls"),
            LimitName::Processes => write!(f, "{amount} processes and threads"),
        }
    }
}

/// In the largest unit that is still precise.
fn bytes(f: &mut fmt::Formatter<'_>, amount: u64) -> fmt::Result {
    const KILO: u64 = 1024;
    const MEGA: u64 = KILO * KILO;
    match amount {
        ..KILO => write!(f, "{amount} bytes"),
        KILO..MEGA => write!(f, "{} KB", amount / KILO),
        MEGA.. if amount.is_multiple_of(MEGA) => write!(f, "{} MB", amount / MEGA),
        // Rounded down to a tenth: nothing may look like more than it was.
        _ => write!(f, "{}.{} MB", amount / MEGA, amount % MEGA * 10 / MEGA),
    }
}

#[cfg(test)]
mod tests;
