//! Installs a list of system calls as the only ones that are left.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter_all_threads,
};

use crate::findings::Lack;
use crate::spec::Filter;
use crate::syscalls::{self, Call, Walls, When};

const REMEDY: &str = "use a kernel with seccomp filters (CONFIG_SECCOMP_FILTER)";

/// Leaves the calls of `filter` to all threads of this process, for good.
pub(crate) fn install(filter: Filter, walls: Walls) -> Result<(), Lack> {
    let failed = |error: &dyn std::fmt::Display| {
        Lack::unavailable(format!("the filter was not installed: {error}"), REMEDY)
    };
    // Two filters, of which the kernel takes the sterner word: `clone3` has its
    // flags in memory, where no filter can see them. It must seem not to exist,
    // so that `clone` is used instead; refused, it would end some engines.
    let absent = compile(&[Call::always(libc::SYS_clone3)], Otherwise::Absent);
    let allowed = compile(&syscalls::of(filter, walls), Otherwise::Refused);
    for program in [absent, allowed] {
        let program = program.map_err(|error| failed(&error))?;
        apply_filter_all_threads(&program).map_err(|error| failed(&error))?;
    }
    Ok(())
}

/// What a filter does with its calls and with all others.
#[derive(Clone, Copy)]
enum Otherwise {
    /// The calls do not exist; others are not its affair.
    Absent,
    /// The calls are allowed; others are refused.
    Refused,
}

fn compile(calls: &[Call], otherwise: Otherwise) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut conditions: BTreeMap<i64, Vec<When>> = BTreeMap::new();
    for call in calls {
        conditions.entry(call.number).or_default().push(call.when);
    }
    let rules = conditions
        .into_iter()
        .map(|(number, any_of)| Ok((number, alternatives(&any_of)?)))
        .collect::<Result<_, seccompiler::BackendError>>()?;
    let refused = |error: i32| SeccompAction::Errno(error.unsigned_abs());
    let (others, these) = match otherwise {
        Otherwise::Absent => (SeccompAction::Allow, refused(libc::ENOSYS)),
        Otherwise::Refused => (refused(libc::EPERM), SeccompAction::Allow),
    };
    SeccompFilter::new(rules, others, these, architecture()?)?.try_into()
}

fn architecture() -> Result<TargetArch, seccompiler::BackendError> {
    std::env::consts::ARCH.try_into()
}

/// One rule per condition, any of which is enough. None at all means "always".
fn alternatives(any_of: &[When]) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    if any_of.iter().any(|when| matches!(when, When::Always)) {
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

/// The ways to fulfil a condition, each of them a set of comparisons.
fn ways(when: When) -> Result<Vec<Vec<SeccompCondition>>, seccompiler::BackendError> {
    let compare = |argument, operator, value| {
        let length = SeccompCmpArgLen::Qword;
        Ok(vec![SeccompCondition::new(argument, length, operator, value)?])
    };
    match when {
        When::Always => Ok(vec![Vec::new()]),
        When::All(all) => all.iter().try_fold(vec![Vec::new()], |so_far, &when| {
            let next = ways(when)?;
            let with_next = |way: &Vec<SeccompCondition>| {
                next.iter().map(|more| [way.as_slice(), more].concat()).collect::<Vec<_>>()
            };
            Ok(so_far.iter().flat_map(with_next).collect())
        }),
        When::Clear { argument, bits } => {
            Ok(vec![compare(argument, SeccompCmpOp::MaskedEq(bits), 0)?])
        }
        When::OneOf { argument, values } => {
            values.iter().map(|&value| compare(argument, SeccompCmpOp::Eq, value)).collect()
        }
        When::OwnProcess { argument } => {
            let own = u64::from(std::process::id());
            Ok(vec![compare(argument, SeccompCmpOp::Eq, own)?])
        }
    }
}
