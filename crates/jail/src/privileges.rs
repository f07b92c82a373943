//! Rights given up for good: capabilities, and gaining any by starting a program.

use rustix::io::Errno;
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, capability_is_in_bounding_set,
    clear_ambient_capability_set, no_new_privs, remove_capability_from_bounding_set,
    set_capabilities, set_no_new_privs,
};
use tidegate_model::Layer;

use crate::findings::{Findings, Lack};

/// Gives up every capability in every set, and the way to get one back.
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
    for capability in each_capability() {
        match remove_capability_from_bounding_set(capability) {
            // `EINVAL`: the kernel does not know it. `EPERM`: without CAP_SETPCAP
            // the bounding set stays; what it bounds cannot be gained any more.
            Ok(()) | Err(Errno::INVAL | Errno::PERM) => {}
            Err(error) => return Err(error),
        }
    }
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

/// Every capability this kernel knows, one at a time.
fn each_capability() -> impl Iterator<Item = CapabilitySet> {
    (0..u64::BITS)
        .map(|bit| CapabilitySet::from_bits_retain(1 << bit))
        .take_while(|&capability| capability_is_in_bounding_set(capability).is_ok())
}
