//! Namespaces: each one asked for by itself, so that one that is missing does
//! not take the others with it.

#![expect(unsafe_code, reason = "`unshare` is unsafe in general and safe for these flags")]

use rustix::system::sethostname;
use rustix::thread::{UnshareFlags, unshare_unsafe};
use tidegate_model::Layer;

use crate::findings::{Findings, Lack};

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

/// Those that the rights inside the user namespace allow to make.
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

    /// What a person can do if the kernel refuses it.
    pub(crate) fn remedy(self) -> &'static str {
        match self {
            Self::User => {
                "allow user namespaces: `sysctl user.max_user_namespaces` above 0, on Ubuntu \
                 `kernel.apparmor_restrict_unprivileged_userns=0` or an AppArmor profile with \
                 `userns`, in Docker a seccomp profile that allows `unshare`"
            }
            _ => "it needs a user namespace; see there",
        }
    }
}

/// Makes all namespaces but the user's. The pid namespace holds for children.
pub(crate) fn unshare_inner(findings: &mut Findings) {
    let all = INNER.iter().fold(UnshareFlags::empty(), |all, each| all | each.flag());
    // One call for all of them is what usually works, and it is quicker.
    let at_once = unshare_flags(all).is_ok();
    for namespace in INNER {
        let came = if at_once { Ok(()) } else { unshare(namespace) };
        findings.note(namespace.layer(), came);
    }
    if findings.holds(Layer::UtsNamespace) {
        // Only to be told apart; a failure changes nothing.
        let _ = sethostname(b"tidegate");
    }
}

/// Makes one namespace.
pub(crate) fn unshare(namespace: Namespace) -> Result<(), Lack> {
    let what = "the kernel does not make it";
    unshare_flags(namespace.flag()).map_err(|error| Lack::refused(what, error, namespace.remedy()))
}

fn unshare_flags(flags: UnshareFlags) -> rustix::io::Result<()> {
    // SAFETY: unsafe for `FILES` alone, which is never among our flags.
    unsafe { unshare_unsafe(flags) }
}
