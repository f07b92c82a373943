//! The files of skills, opened one folder at a time.
//!
//! Paths are not resolved as a whole: each step opens one name in a folder that is
//! already open, and never follows a link. An attacker who replaces a folder with a
//! link meanwhile gains nothing.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{
    AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, flock, mkdirat, openat, renameat,
    unlinkat,
};
use rustix::io::Errno;

/// Why a file of a skill cannot be used.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// What is wrong with it.
    Problem(&'static str),
    /// It is longer than allowed.
    TooLong,
    /// The operating system returned an error.
    Io(io::Error),
}

/// An open folder.
#[derive(Debug)]
pub(super) struct Folder(OwnedFd);

impl Folder {
    /// Opens a folder by its path, which may contain links: it is the user's own.
    pub(super) fn at(path: &std::path::Path) -> io::Result<Self> {
        Ok(Self(File::open(path)?.into()))
    }

    /// Opens a folder in this one. Links are refused.
    pub(super) fn folder(&self, name: &str) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self(openat(&self.0, name, flags, Mode::empty())?))
    }

    /// The same, but creates it if it is missing, for its owner only.
    pub(super) fn folder_made(&self, name: &str) -> io::Result<Self> {
        match mkdirat(&self.0, name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => self.folder(name),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes a shared or exclusive lock until the folder is closed. Does nothing on a
    /// file system without locks.
    pub(super) fn lock(&self, operation: FlockOperation) -> io::Result<()> {
        match flock(&self.0, operation) {
            Ok(()) | Err(Errno::NOTSUP | Errno::NOSYS | Errno::INVAL | Errno::NOLCK) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Up to `most` names in it, and whether there are more. Sorted if there are not.
    pub(super) fn names(&self, most: usize) -> io::Result<(Vec<Vec<u8>>, bool)> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            if names.len() == most {
                return Ok((names, true));
            }
            names.push(name.to_owned());
        }
        names.sort();
        Ok((names, false))
    }

    /// The text of a file, if it exists.
    pub(super) fn text(&self, name: &str, most_bytes: usize) -> Result<Option<String>, Unreadable> {
        // Opening a pipe would block until somebody writes to it.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match openat(&self.0, name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(Unreadable::Problem("is a link")),
            Err(error) => return Err(Unreadable::Io(error.into())),
        };
        if !file.metadata().map_err(Unreadable::Io)?.is_file() {
            return Err(Unreadable::Problem("is not a file"));
        }
        let mut bytes = Vec::new();
        // It may grow while we read, so its length cannot be relied on.
        file.take(most_bytes as u64 + 1).read_to_end(&mut bytes).map_err(Unreadable::Io)?;
        if bytes.len() > most_bytes {
            return Err(Unreadable::TooLong);
        }
        String::from_utf8(bytes).map(Some).map_err(|_| Unreadable::Problem("is not UTF-8 text"))
    }

    /// Whether something of this name exists, including a link.
    pub(super) fn has(&self, name: &str) -> bool {
        rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Whether it is a folder, not a link to one.
    pub(super) fn has_folder(&self, name: &str) -> bool {
        let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW);
        stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
    }

    /// Writes a file under another name and renames it: a reader sees either the old
    /// one or the new one in full, and a link of this name is replaced, not followed.
    pub(super) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let unfinished = format!("{PART}{}.{number}", std::process::id());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let file = openat(&self.0, &unfinished, flags | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR)?;
        let mut file = File::from(file);
        let written = file
            .write_all(text.as_bytes())
            // Otherwise a crash of the machine could leave an empty file of this name.
            .and_then(|()| file.sync_all())
            .and_then(|()| Ok(renameat(&self.0, &unfinished, &self.0, name)?));
        if written.is_err() {
            // The first error is the one that is returned.
            let _ = unlinkat(&self.0, &unfinished, AtFlags::empty());
        }
        written
    }

    /// Removes a file, if it exists.
    pub(super) fn remove(&self, name: &[u8]) -> io::Result<()> {
        match unlinkat(&self.0, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes an empty folder.
    pub(super) fn remove_folder(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The prefix of unfinished files.
pub(super) const PART: &str = ".part.";
