//! Builds the private root: an empty, read-only file system in memory, with the grants
//! mounted into it.
//!
//! In: the grants of a [`Spec`]. Out: a new root directory for this process.
//! Invariant: a path that was not granted does not exist inside.

#![expect(unsafe_code, reason = "`mount_setattr` has no safe wrapper yet")]

use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use nix::libc;
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, open, openat2};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount,
    mount_change, move_mount, open_tree, unmount,
};
use rustix::process::{chdir, geteuid, pivot_root};
use tidegate_model::Layer;

use crate::findings::{Findings, LayerProblem};
use crate::namespaces::{Namespace, unshare};
use crate::reaper::leave;
use crate::spec::{Access, Grant, LinkPolicy, Scratch, Spec};

/// Folders over which the new root can be mounted; the first that exists is used. The
/// mount is visible in our own mount namespace only, and only until the pivot.
const MOUNT_POINTS: [&str; 4] = ["/tmp", "/var/tmp", "/mnt", "/run"];

/// Room for mount points only. They are empty, so the number of files is what counts.
const ROOT_OPTIONS: &str = "mode=0755,size=64k,nr_inodes=4096";

/// Entries in the root of a zygote besides the grants: its library, and `proc`, where a
/// process writes its user map after it enters a new user namespace.
pub(crate) const ZYGOTE_ROOT_ENTRIES: [&str; 2] = ["jail.so", "proc"];

/// The two kinds of root, by the process that lives in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RootKind {
    /// The grants and nothing else.
    Guest,
    /// The grants, and what it takes to build the jails of workers.
    Zygote,
}

/// Exit code of a process if one of its grants was replaced.
const GRANT_REPLACED: i32 = 71;

/// The paths under which grants are reachable after root is dropped. Their original paths
/// may lead through a folder that only root can enter.
pub(crate) struct Staged(Vec<PathBuf>);

/// As root, mounts the grants where any user can reach them, in a private mount
/// namespace. Without root, or without the right to mount, the original paths are used.
pub(crate) fn stage(spec: &Spec) -> Staged {
    let own_paths = || Staged(spec.grants.iter().map(|grant| grant.path.clone()).collect());
    if spec.grants.is_empty() || !geteuid().is_root() || unshare(Namespace::Mount).is_err() {
        return own_paths();
    }
    // If staging failed halfway, the original paths may still work.
    try_stage(spec).unwrap_or_else(|_| own_paths())
}

fn try_stage(spec: &Spec) -> io::Result<Staged> {
    make_private()?;
    let sources: Vec<OwnedFd> = spec
        .grants
        .iter()
        .map(|grant| copy(&grant.path, grant.links))
        .collect::<io::Result<_>>()?;
    let mount_point = mount_point()?;
    tmpfs(mount_point, ROOT_OPTIONS)?;
    let mut staged = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let path = Path::new(mount_point).join(number.to_string());
        attach(source, &path)?;
        staged.push(path);
    }
    Ok(Staged(staged))
}

/// Builds the root and makes it the only one. Needs a mount namespace. With a library, it
/// is the root of a zygote.
pub(crate) fn build(spec: &Spec, staged: &Staged, library: Option<&[u8]>, findings: &mut Findings) {
    if !findings.holds(Layer::MountNamespace) {
        let lack = LayerProblem::unavailable(
            "there is no mount namespace to build it in",
            "see the layer `mount_namespace`",
        );
        findings.record(Layer::PrivateRoot, Err(lack));
        return;
    }
    let result = pivot(spec, staged, library).map_err(|error| {
        let reason = format!("the private root cannot be built: {error}");
        LayerProblem::unavailable(reason, "report this with the output of `tidegate doctor --json`")
    });
    findings.record(Layer::PrivateRoot, result);
}

fn pivot(spec: &Spec, staged: &Staged, library: Option<&[u8]>) -> io::Result<()> {
    make_private()?;
    // Take the sources before the new root hides the folder that may contain them.
    let sources: Vec<(&Grant, OwnedFd)> = (spec.grants.iter())
        .zip(&staged.0)
        .map(|(grant, path)| Ok((grant, take(grant, path).map_err(|error| failed(grant, &error))?)))
        .collect::<io::Result<_>>()?;
    let mount_point = mount_point()?;
    match library {
        None => tmpfs(mount_point, ROOT_OPTIONS)?,
        Some(library) => zygote_root(mount_point, library)?,
    }
    chdir(mount_point)?;
    // Before the grants, some of which may be below `/tmp`.
    if let Some(scratch) = spec.scratch {
        make_scratch(scratch)?;
    }
    for (grant, source) in &sources {
        put(source, grant).map_err(|error| failed(grant, &error))?;
    }
    for folder in &spec.hidden {
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", folder.display()))
        };
        hide(&below(folder)).map_err(named)?;
    }
    for link in &spec.links {
        let inside = below(&link.path);
        fs::create_dir_all(inside.parent().unwrap_or(Path::new("")))?;
        symlink(&link.target, inside)?;
    }
    // This stacks the old root on the new one, so that it can be unmounted.
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    chdir("/")?;
    set_attributes(CWD.as_raw_fd(), Path::new("/"), libc::MOUNT_ATTR_RDONLY, 0)?;
    Ok(())
}

/// The root of a zygote, with its library and `proc`. The roots that the zygote builds for
/// its workers have neither.
fn zygote_root(mount_point: &str, library: &[u8]) -> io::Result<()> {
    let size = library.len() + 64 * 1024;
    let options = CString::new(format!("mode=0755,size={size},nr_inodes=4096"))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", mount_point, "tmpfs", flags, Some(options.as_c_str()))?;
    let [file, processes] = ZYGOTE_ROOT_ENTRIES.map(|name| Path::new(mount_point).join(name));
    fs::write(file, library)?;
    fs::create_dir(&processes)?;
    Ok(mount("proc", processes, "proc", flags | MountFlags::NOEXEC, None)?)
}

/// Separates our mounts from those of the host, in both directions.
fn make_private() -> io::Result<()> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    Ok(mount_change("/", private)?)
}

fn mount_point() -> io::Result<&'static str> {
    let mount_point = MOUNT_POINTS.into_iter().find(|mount_point| Path::new(mount_point).is_dir());
    mount_point.ok_or_else(|| io::Error::other("there is no folder to mount it over"))
}

/// A copy of the mounts at a path, not attached anywhere yet. Recursive: otherwise files
/// hidden below a mount of the host would become visible.
fn copy(path: &Path, links: LinkPolicy) -> io::Result<OwnedFd> {
    let source = find(path, links)?;
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_EMPTY_PATH;
    Ok(open_tree(&source, "", flags)?)
}

/// Opens a granted path once. All further steps use this descriptor, so that the path
/// cannot be replaced in between.
pub(crate) fn find(path: &Path, links: LinkPolicy) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    match links {
        LinkPolicy::Followed => open(path, flags, Mode::empty()),
        LinkPolicy::Refused => openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS),
    }
}

/// A copy of a grant with restricted rights, including the mounts below it.
fn take(grant: &Grant, path: &Path) -> io::Result<OwnedFd> {
    let source = copy(path, grant.links)?;
    let attributes = match grant.access {
        Access::Read => libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
        Access::Write => libc::MOUNT_ATTR_NOEXEC | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
        Access::Device => libc::MOUNT_ATTR_NOEXEC | libc::MOUNT_ATTR_NOSUID,
    };
    let how = libc::AT_RECURSIVE | libc::AT_EMPTY_PATH;
    set_attributes(source.as_raw_fd(), Path::new(""), attributes, how)?;
    Ok(source)
}

/// Mounts a prepared source under its own path in the new root, which is the current
/// folder.
fn put(source: &OwnedFd, grant: &Grant) -> io::Result<()> {
    let inside = below(&grant.path);
    if let Some(parent) = inside.parent().filter(|parent| !parent.as_os_str().is_empty())
        && !is_there(parent)?
    {
        fs::create_dir_all(parent)?;
    }
    attach(source, &inside)
}

/// Whether a path exists. An error if it contains a symbolic link: a grant may be inside
/// another one that a guest has written to before, and the host is still visible here.
fn is_there(path: &Path) -> io::Result<bool> {
    match find(path, LinkPolicy::Refused) {
        Ok(_) => Ok(true),
        Err(Errno::NOENT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Creates a mount point and mounts a copy on it.
fn attach(source: &OwnedFd, point: &Path) -> io::Result<()> {
    // An existing path is a file of the host, visible through another grant: do not touch.
    if !is_there(point)? {
        if FileType::from_raw_mode(fstat(source)?.st_mode).is_dir() {
            fs::create_dir(point)?;
        } else {
            File::create_new(point)?;
        }
    }
    let from_descriptor = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    move_mount(source.as_fd(), "", CWD, point, from_descriptor)?;
    Ok(())
}

/// An absolute path, made relative to the current folder.
fn below(path: &Path) -> PathBuf {
    path.components().skip(1).collect()
}

/// Mounts an empty folder over one that was granted together with its parent.
fn hide(folder: &Path) -> io::Result<()> {
    if !is_there(folder)? {
        return Ok(());
    }
    let empty = CString::new("mode=0755,size=4k,nr_inodes=1")?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
    Ok(mount("tmpfs", folder, "tmpfs", flags, Some(empty.as_c_str()))?)
}

fn make_scratch(scratch: Scratch) -> io::Result<()> {
    fs::create_dir_all("tmp")?;
    // One more inode, for the folder itself.
    let inodes = u64::from(scratch.files) + 1;
    tmpfs("tmp", &format!("mode=0700,size={},nr_inodes={inodes}", scratch.bytes))
}

fn tmpfs(mount_point: &str, options: &str) -> io::Result<()> {
    let options = CString::new(options)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    Ok(mount("tmpfs", mount_point, "tmpfs", flags, Some(options.as_c_str()))?)
}

fn set_attributes(folder: i32, path: &Path, set: u64, flags: i32) -> Result<(), Errno> {
    let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::INVAL)?;
    let attributes = libc::mount_attr { attr_set: set, attr_clr: 0, propagation: 0, userns_fd: 0 };
    // SAFETY: the path ends with a zero byte and the structure has the given size; both
    // outlive the call, which keeps neither.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            folder,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    if outcome == 0 {
        return Ok(());
    }
    Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::INVAL))
}

/// The error for a grant that cannot be mounted. Does not return if the grant existed when
/// the host checked it a moment ago and was replaced since: an attacker who does that must
/// not get a jail without a private root.
fn failed(grant: &Grant, error: &io::Error) -> io::Error {
    let replaced = [libc::ELOOP, libc::ENOENT, libc::ENOTDIR].map(Some);
    if grant.links == LinkPolicy::Refused && replaced.contains(&error.raw_os_error()) {
        leave(GRANT_REPLACED)
    }
    io::Error::new(error.kind(), format!("{}: {error}", grant.path.display()))
}
