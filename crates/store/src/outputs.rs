//! Outputs that were too large to send, one file each, named by a handle.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tidegate_model::RunId;

use crate::StoreError;
use crate::store::create_private_dir;

/// How long an output is kept. Long enough for the conversation it belongs to.
const KEPT_FOR: Duration = Duration::from_hours(7 * 24);

/// The folder of kept outputs.
#[derive(Debug, Clone)]
pub struct Outputs {
    folder: PathBuf,
}

impl Outputs {
    /// Uses (and makes when needed) the folder `outputs` of a state folder.
    pub fn new(state_dir: &Path) -> Self {
        Self { folder: state_dir.join("outputs") }
    }

    /// Keeps an output whole. Returns its handle, which is its path below the
    /// state folder.
    pub fn keep(&self, run: &RunId, extension: &str, content: &[u8]) -> Result<String, StoreError> {
        create_private_dir(&self.folder)?;
        let name = format!("{run}.{extension}");
        let path = self.folder.join(&name);
        let failed = |source| StoreError::File { path: path.clone(), source };
        // Written beside and renamed: a reader never sees half of it.
        let unfinished = self.folder.join(format!("{name}.part"));
        let mut file = fs::File::create(&unfinished).map_err(failed)?;
        file.write_all(content).map_err(failed)?;
        fs::rename(&unfinished, &path).map_err(failed)?;
        Ok(format!("outputs/{name}"))
    }

    /// Removes what is older than a week. Called when a gateway starts.
    pub fn prune(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let now = SystemTime::now();
        for entry in entries.flatten() {
            let modified = entry.metadata().and_then(|data| data.modified());
            let age = modified.ok().and_then(|time| now.duration_since(time).ok());
            if age.is_some_and(|age| age > KEPT_FOR) {
                // Another gateway may have been faster.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}
