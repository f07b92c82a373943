//! Decides whether a configuration file may be used that was found by search, not named.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::error::{ConfigError, ConfigErrorKind};

/// A file that was found by search must belong to the user or to root, and so must
/// a link that leads to it: it names commands to start, and anyone can put one
/// into a shared folder above ours. Checks the opened file, which nobody can
/// swap between the check and the read.
pub(crate) fn refuse_foreign_file(
    path: &Path,
    file: &File,
    remedy: &str,
) -> Result<(), ConfigError> {
    let foreign = |fact: &str| {
        let message = format!("the configuration `{}` {fact}", path.display());
        let hint = format!("if you trust it, {remedy}");
        ConfigError::new(ConfigErrorKind::ForeignFile, message).with_hint(hint)
    };
    let user = nix::unistd::geteuid().as_raw();
    let trusted = |data: &Metadata| data.uid() == user || data.uid() == 0;
    let (Ok(data), Ok(entry)) = (file.metadata(), path.symlink_metadata()) else {
        return Err(foreign("cannot be examined"));
    };
    if !trusted(&data) || !trusted(&entry) {
        return Err(foreign("belongs to another user"));
    }
    if data.mode() & 0o002 != 0 {
        return Err(foreign("is writable by everybody"));
    }
    Ok(())
}
