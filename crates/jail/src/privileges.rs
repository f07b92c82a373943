//! Gives up capabilities, and any way to gain them by starting a program.
//!
//! In: the rights of this process. Out: none are left, or a finding that says why not.
//! Invariant: nothing given up here can be regained.

use rustix::io::Errno;
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set, no_new_privs,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};
use tidegate_model::Layer;

use crate::findings::{Findings, LayerProblem};

/// Clears the bounding set, the upper limit of the capabilities that a started program can
/// gain. All later forks inherit it, so one call before the first fork is enough.
pub(crate) fn bound() {
    for bit in 0..u64::BITS {
        let capability = CapabilitySet::from_bits_retain(1 << bit);
        // `EINVAL` means that the kernel has no further capabilities. Any other error is
        // ignored: without CAP_SETPCAP the bounding set stays, and `no_new_privs` prevents
        // gaining anything in it.
        if remove_capability_from_bounding_set(capability) == Err(Errno::INVAL) {
            return;
        }
    }
}

/// Gives up every capability this process has, and the way to get one back.
pub(crate) fn give_up(findings: &mut Findings) {
    let refused = |error| LayerProblem::refused("capabilities cannot be dropped", error, "");
    findings.record(Layer::Capabilities, drop_capabilities().map_err(refused).and_then(none_left));
    let refused = |error| LayerProblem::refused("`no_new_privs` cannot be set", error, "");
    let set = set_no_new_privs(true).map_err(refused);
    let holds = || match no_new_privs() {
        Ok(true) => Ok(()),
        _ => Err(LayerProblem::leaks("gaining rights")),
    };
    findings.record(Layer::NoNewPrivileges, set.and_then(|()| holds()));
    // No process of the same user may inspect or stop this one.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

fn drop_capabilities() -> Result<(), Errno> {
    // Kernels before 4.3 have no ambient set; then there is nothing to clear.
    let _ = clear_ambient_capability_set();
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}

fn none_left((): ()) -> Result<(), LayerProblem> {
    let left = capabilities(None)
        .map_err(|error| LayerProblem::refused("capabilities cannot be read", error, ""))?;
    if (left.effective | left.permitted | left.inheritable).is_empty() {
        return Ok(());
    }
    Err(LayerProblem::leaks("keeping a capability"))
}
