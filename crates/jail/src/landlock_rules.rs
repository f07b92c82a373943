//! Landlock: the kernel refuses every file, port, socket and signal that was not granted,
//! whatever the mount table says.
//!
//! In: the grants of a [`Spec`]. Out: the rules hold for this thread and everything it
//! starts, or a finding says why not.

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use tidegate_model::Layer;

use crate::findings::{Findings, LayerProblem};
use crate::root;
use crate::spec::{Access, LinkPolicy, Spec};

/// The newest version this code knows; older kernels enforce what they support.
const NEWEST_ABI: ABI = ABI::V7;

/// The first version that covers every way to change a file. Later versions add sockets,
/// signals and devices, which other layers cover too.
const SUFFICIENT_ABI: ABI = ABI::V3;

const REMEDY: &str = "use a kernel from 6.2 on with `landlock` among its security modules";

/// Refuses everything except the granted paths, for this thread and everything it starts.
pub(crate) fn restrict(spec: &Spec, findings: &mut Findings) {
    let result = try_restrict(spec, findings.holds(Layer::PrivateRoot));
    findings.record(Layer::Landlock, result);
}

fn try_restrict(spec: &Spec, root_is_private: bool) -> Result<(), LayerProblem> {
    let failed = |error: RulesetError| {
        LayerProblem::unavailable(format!("the kernel refused the rules: {error}"), REMEDY)
    };
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST_ABI))
        .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(NEWEST_ABI)))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(NEWEST_ABI)))
        .and_then(Ruleset::create)
        .map_err(failed)?;
    let grants = spec.grants.iter().map(|grant| (grant.path.as_path(), grant.links, grant.access));
    // Without a private root, `/tmp` is shared with the whole host.
    let scratch = (spec.scratch.filter(|_| root_is_private))
        .map(|_| ("/tmp".as_ref(), LinkPolicy::Refused, Access::Write));
    for (path, links, access) in grants.chain(scratch) {
        // A missing path needs no rule.
        let Ok(path) = root::find(path, links) else { continue };
        ruleset = ruleset.add_rule(PathBeneath::new(path, rights(access))).map_err(failed)?;
    }
    let status = ruleset.restrict_self().map_err(failed)?;
    let kernel = ABI::from(status.landlock);
    match status.ruleset {
        RulesetStatus::NotEnforced => {
            Err(LayerProblem::unavailable("the kernel has no Landlock", REMEDY))
        }
        _ if kernel < SUFFICIENT_ABI => {
            let reason = format!("the kernel supports only version `{}`", kernel as i32);
            Err(LayerProblem::partial(reason, REMEDY))
        }
        RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(()),
    }
}

fn rights(access: Access) -> BitFlags<AccessFs> {
    match access {
        Access::Read => AccessFs::from_read(NEWEST_ABI),
        Access::Write => AccessFs::from_all(NEWEST_ABI) & !AccessFs::Execute & !AccessFs::IoctlDev,
        Access::Device => AccessFs::ReadFile | AccessFs::WriteFile,
    }
}
