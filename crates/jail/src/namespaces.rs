//! Creates the namespaces of a jail.
//!
//! In: the rights of the process. Out: one finding per namespace.
//! Invariant: if one namespace is unavailable, the others are still created.

#![expect(unsafe_code, reason = "`unshare` is unsafe in general and safe for these flags")]

use rustix::system::sethostname;
use rustix::thread::{UnshareFlags, unshare_unsafe};
use tidegate_model::Layer;

use crate::findings::{Findings, LayerProblem};

/// The namespaces of a jail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Namespace {
    User,
    Pid,
    Net,
    Mount,
    Ipc,
    Uts,
    Cgroup,
}

/// The namespaces that can be created with the rights inside the user namespace.
const INNER: [Namespace; 6] = [
    Namespace::Pid,
    Namespace::Net,
    Namespace::Mount,
    Namespace::Ipc,
    Namespace::Uts,
    Namespace::Cgroup,
];

impl Namespace {
    fn flag(self) -> UnshareFlags {
        match self {
            Self::User => UnshareFlags::NEWUSER,
            Self::Pid => UnshareFlags::NEWPID,
            Self::Net => UnshareFlags::NEWNET,
            Self::Mount => UnshareFlags::NEWNS,
            Self::Ipc => UnshareFlags::NEWIPC,
            Self::Uts => UnshareFlags::NEWUTS,
            Self::Cgroup => UnshareFlags::NEWCGROUP,
        }
    }

    fn layer(self) -> Layer {
        match self {
            Self::User => Layer::UserNamespace,
            Self::Pid => Layer::PidNamespace,
            Self::Net => Layer::NetNamespace,
            Self::Mount => Layer::MountNamespace,
            Self::Ipc => Layer::IpcNamespace,
            Self::Uts => Layer::UtsNamespace,
            Self::Cgroup => Layer::CgroupNamespace,
        }
    }

    /// What an operator can do if the kernel refuses it.
    pub(crate) fn remedy(self) -> &'static str {
        match self {
            Self::User => {
                "allow user namespaces: `sysctl user.max_user_namespaces` above 0, on Ubuntu \
                 `kernel.apparmor_restrict_unprivileged_userns=0` or an AppArmor profile with \
                 `userns`, in Docker a seccomp profile that allows `unshare`"
            }
            _ => "it needs a user namespace; see the layer `user_namespace`",
        }
    }
}

/// Creates all namespaces except the user namespace. The pid namespace takes effect for
/// children only.
pub(crate) fn unshare_inner(findings: &mut Findings) {
    let all = INNER.iter().fold(UnshareFlags::empty(), |all, each| all | each.flag());
    // One call for all of them usually works, and it is faster.
    let at_once = unshare_flags(all).is_ok();
    for namespace in INNER {
        let result = if at_once { Ok(()) } else { unshare(namespace) };
        findings.record(namespace.layer(), result);
    }
    if findings.holds(Layer::UtsNamespace) {
        // Cosmetic, so a failure does not matter.
        let _ = sethostname(b"tidegate");
    }
}

/// Creates one namespace.
pub(crate) fn unshare(namespace: Namespace) -> Result<(), LayerProblem> {
    let what = "the kernel refused to create it";
    unshare_flags(namespace.flag())
        .map_err(|error| LayerProblem::refused(what, error, namespace.remedy()))
}

fn unshare_flags(flags: UnshareFlags) -> rustix::io::Result<()> {
    // SAFETY: only `FILES` makes this call unsafe, and our flags never contain it.
    unsafe { unshare_unsafe(flags) }
}
