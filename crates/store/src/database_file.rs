//! The two database files: their names and their largest size.

use std::path::{Path, PathBuf};

/// The largest size of a database file: 1 GB.
pub const QUOTA_BYTES: u64 = 1024 * 1024 * 1024;

/// The purpose of a file, which decides what its connections may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Rows are only ever inserted.
    Record,
    /// Rows change. Deleted rows are overwritten, since they may hold personal data.
    State,
}

impl Kind {
    /// The most pages of 4 kB that it may have. Then nothing more is written, which fails
    /// whatever must be recorded first. In the record, the oldest runs make room before.
    pub(crate) const fn most_pages(self) -> u32 {
        match self {
            Self::Record | Self::State => (QUOTA_BYTES / 4096) as u32,
        }
    }

    /// Its file in a state folder.
    pub(crate) fn path(self, state_dir: &Path) -> PathBuf {
        state_dir.join(match self {
            Self::Record => "record.db",
            Self::State => "state.db",
        })
    }
}
