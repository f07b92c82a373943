//! Installs a seccomp filter that allows only the listed system calls.
//!
//! In: a [`Filter`]. Out: the filter holds permanently for all threads of this process.
//! Invariant: a call that is not listed fails with `EPERM`.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter_all_threads,
};

use crate::findings::LayerProblem;
use crate::spec::Filter;
use crate::syscalls::{self, AllowedCall, Condition, EnforcedLayers};

const REMEDY: &str = "use a kernel with seccomp filters (CONFIG_SECCOMP_FILTER)";

/// Allows only the calls of `filter` in all threads of this process, permanently.
pub(crate) fn install(filter: Filter, enforced_layers: EnforcedLayers) -> Result<(), LayerProblem> {
    let failed = |error: &dyn std::fmt::Display| {
        LayerProblem::unavailable(format!("the filter was not installed: {error}"), REMEDY)
    };
    // Two filters; the stricter one wins. `clone3` takes its flags in memory, where no filter
    // can see them, so it must appear not to exist; callers then fall back to `clone`. Some
    // engines abort if it is refused with `EPERM` instead.
    let absent = compile(&[AllowedCall::always(libc::SYS_clone3)], FilterMode::Absent);
    let allowed = compile(&syscalls::allowed_calls(filter, enforced_layers), FilterMode::Refused);
    for program in [absent, allowed] {
        let program = program.map_err(|error| failed(&error))?;
        apply_filter_all_threads(&program).map_err(|error| failed(&error))?;
    }
    Ok(())
}

/// What a filter does with the listed calls and with all others.
#[derive(Clone, Copy)]
enum FilterMode {
    /// The listed calls fail with `ENOSYS`; all others are left to the other filter.
    Absent,
    /// The listed calls are allowed; all others fail with `EPERM`.
    Refused,
}

fn compile(
    calls: &[AllowedCall],
    otherwise: FilterMode,
) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut conditions: BTreeMap<i64, Vec<Condition>> = BTreeMap::new();
    for call in calls {
        conditions.entry(call.number).or_default().push(call.when);
    }
    let rules = conditions
        .into_iter()
        .map(|(number, any_of)| Ok((number, alternatives(&any_of)?)))
        .collect::<Result<_, seccompiler::BackendError>>()?;
    let refused = |error: i32| SeccompAction::Errno(error.unsigned_abs());
    let (others, these) = match otherwise {
        FilterMode::Absent => (SeccompAction::Allow, refused(libc::ENOSYS)),
        FilterMode::Refused => (refused(libc::EPERM), SeccompAction::Allow),
    };
    SeccompFilter::new(rules, others, these, architecture()?)?.try_into()
}

fn architecture() -> Result<TargetArch, seccompiler::BackendError> {
    std::env::consts::ARCH.try_into()
}

/// One rule per alternative, any of which is enough. An empty list means "always".
fn alternatives(any_of: &[Condition]) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    if any_of.iter().any(|when| matches!(when, Condition::Always)) {
        return Ok(Vec::new());
    }
    let mut rules = Vec::new();
    for &when in any_of {
        for way in ways(when)? {
            rules.push(SeccompRule::new(way)?);
        }
    }
    Ok(rules)
}

/// The alternatives that satisfy a condition, each a set of comparisons.
fn ways(when: Condition) -> Result<Vec<Vec<SeccompCondition>>, seccompiler::BackendError> {
    let compare = |argument, operator, value| {
        let length = SeccompCmpArgLen::Qword;
        Ok(vec![SeccompCondition::new(argument, length, operator, value)?])
    };
    match when {
        Condition::Always => Ok(vec![Vec::new()]),
        Condition::All(all) => all.iter().try_fold(vec![Vec::new()], |so_far, &when| {
            let next = ways(when)?;
            let with_next = |way: &Vec<SeccompCondition>| {
                next.iter().map(|more| [way.as_slice(), more].concat()).collect::<Vec<_>>()
            };
            Ok(so_far.iter().flat_map(with_next).collect())
        }),
        Condition::Clear { argument, bits } => {
            Ok(vec![compare(argument, SeccompCmpOp::MaskedEq(bits), 0)?])
        }
        Condition::OneOf { argument, values } => {
            values.iter().map(|&value| compare(argument, SeccompCmpOp::Eq, value)).collect()
        }
        Condition::OwnProcess { argument } => {
            let own = u64::from(std::process::id());
            Ok(vec![compare(argument, SeccompCmpOp::Eq, own)?])
        }
    }
}
