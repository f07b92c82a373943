//! The private root: an empty, read-only file system in memory, with what was
//! granted mounted into it. What is not granted does not exist.

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

use crate::findings::{Findings, Lack};
use crate::namespaces::{Namespace, unshare};
use crate::reaper::leave;
use crate::spec::{Access, Grant, Links, Scratch, Spec};

/// Folders over which the new root can be mounted; the first that is there is
/// taken. It is only seen in our own mount namespace, and only until the pivot.
const PLACES: [&str; 4] = ["/tmp", "/var/tmp", "/mnt", "/run"];

/// Room for mount points and nothing else. Counted by the file, since they are
/// all empty.
const ROOT_OPTIONS: &str = "mode=0755,size=64k,nr_inodes=4096";

/// What is in the root of a process that makes jails, besides what was granted: its
/// library, and processes, its own and those of its jails, where a process has to
/// write who it is in a new user namespace.
pub(crate) const OF_MAKERS: [&str; 2] = ["jail.so", "proc"];

/// Exit code of a process one of whose grants was exchanged.
const EXCHANGED: i32 = 71;

/// Where grants are found once root is dropped: what lies in a folder of root
/// alone could not be reached by its path any more.
pub(crate) struct Staged(Vec<PathBuf>);

/// As root, puts the grants where anybody can reach them, in a mount namespace
/// that nobody else sees. Who is not root, or may not mount, finds them under
/// their own paths or not at all.
pub(crate) fn stage(spec: &Spec) -> Staged {
    let own_paths = || Staged(spec.grants.iter().map(|grant| grant.path.clone()).collect());
    if spec.grants.is_empty() || !geteuid().is_root() || unshare(Namespace::Mount).is_err() {
        return own_paths();
    }
    // Half of it done would hide a part of the host and nothing else.
    try_stage(spec).unwrap_or_else(|_| own_paths())
}

fn try_stage(spec: &Spec) -> io::Result<Staged> {
    make_private()?;
    let sources: Vec<OwnedFd> = spec
        .grants
        .iter()
        .map(|grant| copy(&grant.path, grant.links))
        .collect::<io::Result<_>>()?;
    let place = place()?;
    tmpfs(place, ROOT_OPTIONS)?;
    let mut staged = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let path = Path::new(place).join(number.to_string());
        attach(source, &path)?;
        staged.push(path);
    }
    Ok(Staged(staged))
}

/// Builds the root and makes it the only one. Needs a mount namespace.
/// With a library, it is the root of a process that makes jails itself.
pub(crate) fn build(spec: &Spec, staged: &Staged, library: Option<&[u8]>, findings: &mut Findings) {
    if !findings.holds(Layer::MountNamespace) {
        let lack = Lack::unavailable("there is no mount namespace to build it in", "see there");
        findings.note(Layer::PrivateRoot, Err(lack));
        return;
    }
    let came = pivot(spec, staged, library).map_err(|error| {
        let reason = format!("the private root cannot be built: {error}");
        Lack::unavailable(reason, "report this with the output of `tidegate doctor --json`")
    });
    findings.note(Layer::PrivateRoot, came);
}

fn pivot(spec: &Spec, staged: &Staged, library: Option<&[u8]>) -> io::Result<()> {
    make_private()?;
    // Before the new root hides the place where a source may lie.
    let sources: Vec<(&Grant, OwnedFd)> = (spec.grants.iter())
        .zip(&staged.0)
        .map(|(grant, path)| Ok((grant, take(grant, path).map_err(|error| failed(grant, &error))?)))
        .collect::<io::Result<_>>()?;
    let place = place()?;
    match library {
        None => tmpfs(place, ROOT_OPTIONS)?,
        Some(library) => root_of_maker(place, library)?,
    }
    chdir(place)?;
    // Before the grants, of which some may lie below it.
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
    // The old root goes under the new one and is taken away from there.
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    chdir("/")?;
    set_attributes(CWD.as_raw_fd(), Path::new("/"), libc::MOUNT_ATTR_RDONLY, 0)?;
    Ok(())
}

/// A root with a library that can be loaded, and with processes. Neither is in the
/// roots that are built by whoever lives in it.
fn root_of_maker(place: &str, library: &[u8]) -> io::Result<()> {
    let size = library.len() + 64 * 1024;
    let options = CString::new(format!("mode=0755,size={size},nr_inodes=4096"))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", place, "tmpfs", flags, Some(options.as_c_str()))?;
    let [file, processes] = OF_MAKERS.map(|name| Path::new(place).join(name));
    fs::write(file, library)?;
    fs::create_dir(&processes)?;
    Ok(mount("proc", processes, "proc", flags | MountFlags::NOEXEC, None)?)
}

/// Nothing we mount may be seen by the host, and nothing it mounts by us.
fn make_private() -> io::Result<()> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    Ok(mount_change("/", private)?)
}

fn place() -> io::Result<&'static str> {
    let place = PLACES.into_iter().find(|place| Path::new(place).is_dir());
    place.ok_or_else(|| io::Error::other("there is no folder to mount it over"))
}

/// A copy of the mounts at a path, not visible anywhere yet. Recursive: what
/// lies under a mount of the host must not come to light.
fn copy(path: &Path, links: Links) -> io::Result<OwnedFd> {
    let source = find(path, links)?;
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_EMPTY_PATH;
    Ok(open_tree(&source, "", flags)?)
}

/// What is granted, found once: whatever is done with it is done with this.
pub(crate) fn find(path: &Path, links: Links) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    match links {
        Links::Followed => open(path, flags, Mode::empty()),
        Links::Refused => openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS),
    }
}

/// A copy of what was granted, with less rights, on the mounts below it too.
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

/// Mounts a taken source under its own path in the new root, which is the
/// current folder.
fn put(source: &OwnedFd, grant: &Grant) -> io::Result<()> {
    let inside = below(&grant.path);
    if let Some(parent) = inside.parent().filter(|parent| !parent.as_os_str().is_empty())
        && !is_there(parent)?
    {
        fs::create_dir_all(parent)?;
    }
    attach(source, &inside)
}

/// Whether a path exists. An error if it leads over a link: a grant may lie in
/// another one that a guest has written to before, and we still see the host.
fn is_there(path: &Path) -> io::Result<bool> {
    match find(path, Links::Refused) {
        Ok(_) => Ok(true),
        Err(Errno::NOENT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Makes a mount point and mounts a copy on it.
fn attach(source: &OwnedFd, point: &Path) -> io::Result<()> {
    // What is there is somebody's file, seen through another grant: never touched.
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

/// An absolute path as one from the current folder.
fn below(path: &Path) -> PathBuf {
    path.components().skip(1).collect()
}

/// Mounts nothing over a folder that was granted with the one around it.
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
    // One inode more: the folder itself.
    let inodes = u64::from(scratch.files) + 1;
    tmpfs("tmp", &format!("mode=0700,size={},nr_inodes={inodes}", scratch.bytes))
}

fn tmpfs(place: &str, options: &str) -> io::Result<()> {
    let options = CString::new(options)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    Ok(mount("tmpfs", place, "tmpfs", flags, Some(options.as_c_str()))?)
}

fn set_attributes(folder: i32, path: &Path, set: u64, flags: i32) -> Result<(), Errno> {
    let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::INVAL)?;
    let attributes = libc::mount_attr { attr_set: set, attr_clr: 0, propagation: 0, userns_fd: 0 };
    // SAFETY: the path ends with a zero byte and the structure has the size that
    // is given; both outlive the call, which keeps neither.
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

/// What to say of a grant that cannot be mounted. Does not return if it was there
/// when the host looked, a moment ago, and has been exchanged since: whoever did
/// that must not get a jail without a private root by it.
fn failed(grant: &Grant, error: &io::Error) -> io::Error {
    let exchanged = [libc::ELOOP, libc::ENOENT, libc::ENOTDIR].map(Some);
    if grant.links == Links::Refused && exchanged.contains(&error.raw_os_error()) {
        leave(EXCHANGED)
    }
    io::Error::new(error.kind(), format!("{}: {error}", grant.path.display()))
}
