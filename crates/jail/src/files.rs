//! Landlock: the kernel refuses every file, port, socket and signal that was not
//! granted, whatever the mount table says.

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use tidegate_model::Layer;

use crate::findings::{Findings, Lack};
use crate::root;
use crate::spec::{Access, Links, Spec};

/// The newest version this is written for; older kernels enforce what they know.
const NEWEST: ABI = ABI::V7;

/// From this one on no way to change a file is left out. What later ones add is
/// about sockets, signals and devices, which other layers keep too.
const ENOUGH: ABI = ABI::V3;

const REMEDY: &str = "use a kernel from 6.2 on with `landlock` among its security modules";

/// Refuses everything but the granted paths, for this thread and what it starts.
pub(crate) fn restrict(spec: &Spec, findings: &mut Findings) {
    let came = try_restrict(spec, findings.holds(Layer::PrivateRoot));
    findings.note(Layer::Landlock, came);
}

fn try_restrict(spec: &Spec, root_is_private: bool) -> Result<(), Lack> {
    let failed = |error: RulesetError| {
        Lack::unavailable(format!("the kernel refused the rules: {error}"), REMEDY)
    };
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))
        .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(NEWEST)))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(NEWEST)))
        .and_then(Ruleset::create)
        .map_err(failed)?;
    let grants = spec.grants.iter().map(|grant| (grant.path.as_path(), grant.links, grant.access));
    // Without a private root `/tmp` is the one of everybody.
    let scratch = (spec.scratch.filter(|_| root_is_private))
        .map(|_| ("/tmp".as_ref(), Links::Refused, Access::Write));
    for (path, links, access) in grants.chain(scratch) {
        // What is not there needs no rule.
        let Ok(path) = root::find(path, links) else { continue };
        ruleset = ruleset.add_rule(PathBeneath::new(path, rights(access))).map_err(failed)?;
    }
    let status = ruleset.restrict_self().map_err(failed)?;
    let kernel = ABI::from(status.landlock);
    match status.ruleset {
        RulesetStatus::NotEnforced => Err(Lack::unavailable("the kernel has no Landlock", REMEDY)),
        _ if kernel < ENOUGH => {
            let reason = format!("the kernel knows version {} only", kernel as i32);
            Err(Lack::partial(reason, REMEDY))
        }
        RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(()),
    }
}

fn rights(access: Access) -> BitFlags<AccessFs> {
    match access {
        Access::Read => AccessFs::from_read(NEWEST),
        Access::Write => AccessFs::from_all(NEWEST) & !AccessFs::Execute & !AccessFs::IoctlDev,
        Access::Device => AccessFs::ReadFile | AccessFs::WriteFile,
    }
}
