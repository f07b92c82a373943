//! The private root: an empty, read-only file system in memory, with what was
//! granted mounted into it. What is not granted does not exist.

#![expect(unsafe_code, reason = "`mount_setattr` has no safe wrapper yet")]

use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use nix::libc;
use rustix::fs::CWD;
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount,
    mount_change, move_mount, open_tree, unmount,
};
use rustix::process::{chdir, pivot_root};
use tidegate_model::Layer;

use crate::findings::{Findings, Lack};
use crate::spec::{Access, Grant, Scratch, Spec};

/// Folders over which the new root can be mounted; the first that is there is
/// taken. It is only seen in our own mount namespace, and only until the pivot.
const PLACES: [&str; 4] = ["/tmp", "/var/tmp", "/mnt", "/run"];

/// Room for mount points and nothing else. Counted by the file, since they are
/// all empty.
const ROOT_OPTIONS: &str = "mode=0755,size=64k,nr_inodes=4096";

/// Builds the root and makes it the only one. Needs a mount namespace.
pub(crate) fn build(spec: &Spec, findings: &mut Findings) {
    if !findings.holds(Layer::MountNamespace) {
        let lack = Lack::unavailable("there is no mount namespace to build it in", "see there");
        findings.note(Layer::PrivateRoot, Err(lack));
        return;
    }
    let came = pivot(spec).map_err(|error| {
        let reason = format!("the private root cannot be built: {error}");
        Lack::unavailable(reason, "report this with the output of `tidegate doctor --json`")
    });
    findings.note(Layer::PrivateRoot, came);
}

fn pivot(spec: &Spec) -> io::Result<()> {
    // Nothing we mount may be seen by the host, and nothing it mounts by us.
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private)?;
    // Before the new root hides the place where a source may lie.
    let sources: Vec<(&Grant, OwnedFd)> = spec
        .grants
        .iter()
        .map(|grant| Ok((grant, take(grant).map_err(|error| at(&grant.path, &error))?)))
        .collect::<io::Result<_>>()?;
    let place = PLACES.into_iter().find(|place| Path::new(place).is_dir());
    let place = place.ok_or_else(|| io::Error::other("there is no folder to mount it over"))?;
    tmpfs(place, ROOT_OPTIONS)?;
    chdir(place)?;
    // First: it would hide what is granted below `/tmp`.
    if let Some(scratch) = spec.scratch {
        make_scratch(scratch)?;
    }
    for (grant, source) in &sources {
        put(source, grant).map_err(|error| at(&grant.path, &error))?;
    }
    // The old root goes under the new one and is taken away from there.
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    chdir("/")?;
    set_attributes(CWD.as_raw_fd(), Path::new("/"), libc::MOUNT_ATTR_RDONLY, 0)?;
    Ok(())
}

/// A copy of the mounts at a granted path, not visible anywhere yet, with less
/// rights. Recursive: a mount below it would stay writable otherwise.
fn take(grant: &Grant) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE;
    let source = open_tree(CWD, &grant.path, flags)?;
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
    let inside: PathBuf = grant.path.components().skip(1).collect();
    if rustix::fs::FileType::from_raw_mode(rustix::fs::fstat(source)?.st_mode).is_dir() {
        fs::create_dir_all(&inside)?;
    } else {
        if let Some(parent) = inside.parent() {
            fs::create_dir_all(parent)?;
        }
        File::create(&inside)?;
    }
    let from_descriptor = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    move_mount(source.as_fd(), "", CWD, &inside, from_descriptor)?;
    Ok(())
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

fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
