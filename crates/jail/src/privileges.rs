//! Rights given up for good: capabilities, and gaining any by starting a program.

use rustix::io::Errno;
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set, no_new_privs,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};
use tidegate_model::Layer;

use crate::findings::{Findings, Lack};

/// Gives up what a program that is started could gain at most. Holds for all
/// processes that are forked later, so it is done once, while there is one.
pub(crate) fn bound() {
    for bit in 0..u64::BITS {
        let capability = CapabilitySet::from_bits_retain(1 << bit);
        // Another error than this one: without CAP_SETPCAP the bounding set stays,
        // and what it bounds cannot be gained without new privileges anyway.
        if remove_capability_from_bounding_set(capability) == Err(Errno::INVAL) {
            // The kernel knows no more.
            return;
        }
    }
}

/// Gives up every capability this process has, and the way to get one back.
pub(crate) fn give_up(findings: &mut Findings) {
    let refused = |error| Lack::refused("capabilities cannot be dropped", error, "");
    findings.note(Layer::Capabilities, drop_capabilities().map_err(refused).and_then(none_left));
    let refused = |error| Lack::refused("it cannot be set", error, "");
    let set = set_no_new_privs(true).map_err(refused);
    let holds = || match no_new_privs() {
        Ok(true) => Ok(()),
        _ => Err(Lack::leaks("gaining rights")),
    };
    findings.note(Layer::NoNewPrivileges, set.and_then(|()| holds()));
    // Nobody of the same user may look into the process or stop it.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

fn drop_capabilities() -> Result<(), Errno> {
    // Kernels before 4.3 have no ambient set; then there is nothing to clear.
    let _ = clear_ambient_capability_set();
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}

fn none_left((): ()) -> Result<(), Lack> {
    let left =
        capabilities(None).map_err(|error| Lack::refused("they cannot be read", error, ""))?;
    if (left.effective | left.permitted | left.inheritable).is_empty() {
        return Ok(());
    }
    Err(Lack::leaks("keeping a capability"))
}
