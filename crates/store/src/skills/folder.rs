//! Files of skills, reached from one open folder to the next.
//!
//! No path is walked: each step opens one name in a folder that is already open,
//! and never follows a link. Whoever exchanges a folder for a link meanwhile
//! gains nothing by it.

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
    /// It says what is wrong.
    Problem(&'static str),
    /// It is longer than allowed.
    TooLong,
    /// The system refuses.
    Io(io::Error),
}

/// An open folder.
#[derive(Debug)]
pub(super) struct Folder(OwnedFd);

impl Folder {
    /// A folder by its path, which may lead over links: it is the user's own.
    pub(super) fn at(path: &std::path::Path) -> io::Result<Self> {
        Ok(Self(File::open(path)?.into()))
    }

    /// A folder in this one. A link is none.
    pub(super) fn folder(&self, name: &str) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self(openat(&self.0, name, flags, Mode::empty())?))
    }

    /// The same, made if it is not there, for its owner only.
    pub(super) fn folder_made(&self, name: &str) -> io::Result<Self> {
        match mkdirat(&self.0, name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => self.folder(name),
            Err(error) => Err(error.into()),
        }
    }

    /// Keeps others out who want to change something here, or anybody at all,
    /// until it is closed. A file system without locks does without.
    pub(super) fn lock(&self, operation: FlockOperation) -> io::Result<()> {
        match flock(&self.0, operation) {
            Ok(()) | Err(Errno::NOTSUP | Errno::NOSYS | Errno::INVAL | Errno::NOLCK) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Up to so many names in it, in order, and whether there are more.
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

    /// The text of a file, if there is one.
    pub(super) fn text(&self, name: &str, most_bytes: usize) -> Result<Option<String>, Unreadable> {
        // A pipe would keep us waiting for somebody to write.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match openat(&self.0, name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(Unreadable::Problem("is a link")),
            Err(error) => return Err(Unreadable::Io(error.into())),
        };
        if !file.metadata().map_err(Unreadable::Io)?.is_file() {
            return Err(Unreadable::Problem("is no file"));
        }
        let mut bytes = Vec::new();
        // It may grow while we read, so its length is no promise.
        file.take(most_bytes as u64 + 1).read_to_end(&mut bytes).map_err(Unreadable::Io)?;
        if bytes.len() > most_bytes {
            return Err(Unreadable::TooLong);
        }
        String::from_utf8(bytes).map(Some).map_err(|_| Unreadable::Problem("is no UTF-8 text"))
    }

    /// Whether there is something of this name, a link included.
    pub(super) fn has(&self, name: &str) -> bool {
        rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Whether it is a folder, and no link to one.
    pub(super) fn has_folder(&self, name: &str) -> bool {
        let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW);
        stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
    }

    /// Writes a file beside and renames it: a reader sees the old one or the new
    /// one whole, and a link of this name is replaced, not followed.
    pub(super) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let unfinished = format!("{PART}{}.{number}", std::process::id());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let file = openat(&self.0, &unfinished, flags | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR)?;
        let mut file = File::from(file);
        let written = file
            .write_all(text.as_bytes())
            // Or a crash of the machine could leave the name with nothing in it.
            .and_then(|()| file.sync_all())
            .and_then(|()| Ok(renameat(&self.0, &unfinished, &self.0, name)?));
        if written.is_err() {
            // It failed already, and that is what is told.
            let _ = unlinkat(&self.0, &unfinished, AtFlags::empty());
        }
        written
    }

    /// Removes a file, if it is there.
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

/// How the names of files begin that are not finished.
pub(super) const PART: &str = ".part.";
