//! Outputs that were too large to send, one file each, named by a handle.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use tidegate_model::{Clock, RunId};

use crate::StoreError;
use crate::private_files::create_private_dir;

/// How long an output is stored. Long enough for the conversation it belongs to.
const MAX_AGE: Duration = Duration::from_hours(7 * 24);
/// The most bytes of all outputs together. The oldest are removed first.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;
/// Outputs between two checks: 32 of the largest add up to as much again.
const PRUNE_EVERY: u32 = 32;

/// The folder of stored outputs.
#[derive(Debug)]
pub struct Outputs {
    folder: PathBuf,
    written: AtomicU32,
    clock: Clock,
}

impl Outputs {
    /// Uses the folder `outputs` of a state folder; creates it when needed.
    pub fn new(state_dir: &Path, clock: Clock) -> Self {
        Self { folder: state_dir.join("outputs"), written: AtomicU32::new(0), clock }
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
        let mut file = fs::File::create(&unfinished).map_err(failed)?;
        file.write_all(content).map_err(failed)?;
        fs::rename(&unfinished, &path).map_err(failed)?;
        if (self.written.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(PRUNE_EVERY) {
            self.prune();
        }
        Ok(format!("outputs/{name}"))
    }

    /// Removes outputs older than a week, and the oldest beyond a gigabyte. Called when
    /// a gateway starts and after every `PRUNE_EVERY` outputs.
    pub fn prune(&self) {
        self.prune_to(MAX_BYTES);
    }

    fn prune_to(&self, most_bytes: u64) {
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
        for (modified, length, path) in files {
            bytes += length;
            let age = now.duration_since(modified).unwrap_or_default();
            if age > MAX_AGE || bytes > most_bytes {
                // Another gateway may have removed it already.
                let _ = fs::remove_file(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tidegate_model::{Clock, RunId};

    use super::Outputs;

    #[test]
    fn an_output_is_stored_whole_under_its_handle() {
        let state = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(state.path(), Clock::system());
        let handle = outputs.store(&RunId("r1".into()), "json", b"[1, 2]").unwrap();
        assert_eq!(handle, "outputs/r1.json");
        assert_eq!(std::fs::read(state.path().join(handle)).unwrap(), b"[1, 2]");
        let files = std::fs::read_dir(state.path().join("outputs")).unwrap().count();
        assert_eq!(files, 1);
    }

    #[test]
    fn the_oldest_outputs_go_when_there_are_too_many() {
        let state = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(state.path(), Clock::system());
        for number in 0..5_u64 {
            let handle = outputs.store(&RunId(format!("r{number}")), "txt", &[b'x'; 100]).unwrap();
            let file =
                std::fs::File::options().append(true).open(state.path().join(handle)).unwrap();
            let time = std::time::SystemTime::now() - std::time::Duration::from_secs(100 - number);
            file.set_modified(time).unwrap();
        }
        outputs.prune_to(250);
        let mut left: Vec<String> = std::fs::read_dir(state.path().join("outputs"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["r3.txt", "r4.txt"]);
    }
}
