//! Notes when the files that decide what is allowed have changed.
//!
//! In: the paths of the configuration and the rules, when a gateway starts and when the rules
//! are read again. Out: an alert in the record and a line in the log, for a person. Nothing is
//! refused here: the files are the user's, and an agent with the user's shell can write them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use tidegate_config::Settings;
use tidegate_model::{AlertRecord, Event, Principal, RunId};
use tidegate_store::{Reply, Store, StoreError, wait};

use crate::digest::sha256_hex;
use crate::recorder::Recorder;

/// The files that are noted.
pub(crate) struct NotedChanges {
    store: Arc<Store>,
    recorder: Recorder,
    paths: Vec<PathBuf>,
}

/// A file that can be read.
struct Fingerprint {
    sha256: String,
    owner: u32,
    modified: SystemTime,
}

impl NotedChanges {
    /// Notes the files as they are when a gateway starts.
    pub(super) fn open(settings: &Settings, store: &Arc<Store>) -> Self {
        let paths = settings.source.iter().cloned();
        let paths = paths.chain(settings.policy.path().map(Into::into)).collect();
        let noted = Self { store: Arc::clone(store), recorder: Recorder::new(store), paths };
        for (path, reply) in noted.begin() {
            noted.report(&path, wait(reply));
        }
        noted
    }

    /// Notes them again, in the background: decisions do not wait for it.
    pub(super) fn look_again(self: &Arc<Self>) {
        let noted = Arc::clone(self);
        tokio::spawn(async move {
            for (path, reply) in noted.begin() {
                let changed = reply.await;
                noted.report(&path, changed);
            }
        });
    }

    fn begin(&self) -> Vec<(PathBuf, Reply<bool>)> {
        let seen = self.store.seen_rules();
        let note = |path: &PathBuf| {
            let Fingerprint { sha256, owner, modified } = fingerprint(path);
            (path.clone(), seen.note(path, &sha256, owner, modified))
        };
        self.paths.iter().map(note).collect()
    }

    fn report(&self, path: &std::path::Path, changed: Result<bool, StoreError>) {
        match changed {
            Ok(false) => {}
            Ok(true) => {
                let detail = format!("`{}` has changed", path.display());
                tracing::warn!(path = %path.display(), "rules or configuration changed");
                let alert = AlertRecord {
                    at: self.recorder.now(),
                    run_id: RunId(String::new()),
                    kind: "rules-changed".to_owned(),
                    detail,
                };
                self.recorder.tell(&Principal::default(), Event::Alert(alert));
            }
            Err(error) => tracing::warn!(%error, "could not store the state of the rule files"),
        }
    }
}

/// A file that is not there has the hash of nothing.
fn fingerprint(path: &std::path::Path) -> Fingerprint {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let about = path.metadata().ok();
    let modified = about.as_ref().and_then(|about| about.modified().ok());
    #[cfg(unix)]
    let owner = about.as_ref().map_or(0, std::os::unix::fs::MetadataExt::uid);
    #[cfg(not(unix))]
    let owner = 0;
    let modified = modified.unwrap_or(SystemTime::UNIX_EPOCH);
    Fingerprint { sha256: sha256_hex(&text), owner, modified }
}
