//! Outputs that were too large to send, one file each, named by a handle.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use tidegate_model::{Clock, RunId};

use crate::StoreError;
use crate::private_files::{create_private_dir, create_private_file};

/// How long an output is stored. Long enough for the conversation it belongs to.
const MAX_AGE: Duration = Duration::from_hours(7 * 24);
/// The most of all outputs together. The oldest are removed first.
const MOST: Quota = Quota { bytes: 512 * 1024 * 1024, files: 5000 };
/// Bytes written between two checks: with one output more, the folder is never larger than
/// the quota and 128 MB. An output counts as 100 kB at least.
const PRUNE_AFTER_BYTES: u64 = 64 * 1024 * 1024;
const MIN_COUNTED: u64 = 100 * 1024;

/// The most that is stored.
#[derive(Clone, Copy)]
struct Quota {
    bytes: u64,
    files: usize,
}

/// The folder of stored outputs.
#[derive(Debug)]
pub struct Outputs {
    folder: PathBuf,
    /// Bytes since the last check.
    written: AtomicU64,
    clock: Clock,
}

impl Outputs {
    /// Uses the folder `outputs` of a state folder; creates it when needed.
    pub fn new(state_dir: &Path, clock: Clock) -> Self {
        Self { folder: state_dir.join("outputs"), written: AtomicU64::new(0), clock }
    }

    /// Stores a complete output. Returns its handle, which is its path below the state
    /// folder.
    pub fn store(
        &self,
        run: &RunId,
        extension: &str,
        content: &[u8],
    ) -> Result<String, StoreError> {
        create_private_dir(&self.folder)?;
        let name = format!("{run}.{extension}");
        let path = self.folder.join(&name);
        let failed = |source| StoreError::File { path: path.clone(), source };
        // Written under another name and renamed: a reader never sees a partial file.
        let unfinished = self.folder.join(format!("{name}.part"));
        let mut file = create_private_file(&unfinished).map_err(failed)?;
        file.write_all(content).map_err(failed)?;
        fs::rename(&unfinished, &path).map_err(failed)?;
        let counted = (content.len() as u64).max(MIN_COUNTED);
        if self.written.fetch_add(counted, Ordering::Relaxed) + counted >= PRUNE_AFTER_BYTES {
            self.written.store(0, Ordering::Relaxed);
            self.prune();
        }
        Ok(format!("outputs/{name}"))
    }

    /// Removes outputs older than a week, and the oldest beyond the quota. Called when a gateway
    /// starts, and after every 64 MB.
    pub fn prune(&self) {
        self.prune_to(MOST);
    }

    fn prune_to(&self, most: Quota) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
            .flatten()
            .filter_map(|entry| {
                let data = entry.metadata().ok()?;
                Some((data.modified().ok()?, data.len(), entry.path()))
            })
            .collect();
        // Newest first.
        files.sort_by(|a, b| b.cmp(a));
        let now = self.clock.now();
        let mut bytes = 0;
        for (number, (modified, length, path)) in files.into_iter().enumerate() {
            bytes += length;
            let age = now.duration_since(modified).unwrap_or_default();
            if age > MAX_AGE || bytes > most.bytes || number >= most.files {
                // Another gateway may have removed it already.
                let _ = fs::remove_file(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use tidegate_model::{Clock, RunId};

    use super::{Outputs, PRUNE_AFTER_BYTES, Quota};

    #[test]
    fn an_output_is_stored_whole_under_its_handle() {
        let state = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(state.path(), Clock::system());
        let handle = outputs.store(&RunId("r1".into()), "json", b"[1, 2]").unwrap();
        assert_eq!(handle, "outputs/r1.json");
        let path = state.path().join(handle);
        assert_eq!(std::fs::read(&path).unwrap(), b"[1, 2]");
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        let files = std::fs::read_dir(state.path().join("outputs")).unwrap().count();
        assert_eq!(files, 1);
    }

    #[test]
    fn g40_the_oldest_outputs_go_when_there_are_too_many() {
        let state = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(state.path(), Clock::system());
        for number in 0..5_u64 {
            let handle = outputs.store(&RunId(format!("r{number}")), "txt", &[b'x'; 100]).unwrap();
            let file =
                std::fs::File::options().append(true).open(state.path().join(handle)).unwrap();
            let time = std::time::SystemTime::now() - std::time::Duration::from_secs(100 - number);
            file.set_modified(time).unwrap();
        }
        let left = || {
            let entries = std::fs::read_dir(state.path().join("outputs")).unwrap();
            let mut left: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            left.sort();
            left
        };
        outputs.prune_to(Quota { bytes: 1000, files: 3 });
        assert_eq!(left(), ["r2.txt", "r3.txt", "r4.txt"]);
        outputs.prune_to(Quota { bytes: 250, files: 3 });
        assert_eq!(left(), ["r3.txt", "r4.txt"]);
    }

    #[test]
    fn g40_the_quota_of_outputs_is_checked_by_what_was_written() {
        let state = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(state.path(), Clock::system());
        let old = outputs.store(&RunId("old".into()), "txt", b"old").unwrap();
        let file = std::fs::File::options().append(true).open(state.path().join(&old)).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
        let half = vec![b'x'; usize::try_from(PRUNE_AFTER_BYTES / 2).unwrap()];
        outputs.store(&RunId("r1".into()), "txt", &half).unwrap();
        assert!(state.path().join(&old).exists());
        outputs.store(&RunId("r2".into()), "txt", &half).unwrap();
        assert!(!state.path().join(&old).exists());
    }
}
