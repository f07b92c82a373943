//! The rules of a policy file, read at startup and again when the file changes.
//!
//! In: the location of the file. Out: the rules in force. At startup, an invalid file is
//! an error. Later it is a warning, and the previous rules stay in force, even if the
//! file was deleted or emptied: deleting it must not allow anything.

use std::path::Path;
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant, SystemTime};

use tidegate_config::{ConfigError, PolicyFile, PolicySource};
use tidegate_model::{Clock, FileIdentity};
use tidegate_policy::{Policy, RuleError, Rules};

/// The shortest time between two checks of the file. Chosen: a person who saves a file
/// and tries it at once waits less than a second, and a check is one system call.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Why a policy file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// It cannot be read or is malformed.
    #[error(transparent)]
    File(#[from] ConfigError),
    /// A rule or one of its examples is wrong.
    #[error("error[policy.rule]: {0}\nhint: {hint}", hint = .0.problem.hint())]
    Rule(#[from] RuleError),
}

/// Reads a policy file and compiles its rules. `None` if there is no file.
pub fn read_policy(source: &PolicySource) -> Result<Option<(PolicyFile, Rules)>, PolicyError> {
    let Some(file) = source.read()? else { return Ok(None) };
    let rules = Rules::new(&file.rules, file.defaults)?;
    Ok(Some((file, rules)))
}

/// A policy file that is watched.
pub(crate) struct RulesFile {
    source: PolicySource,
    clock: Clock,
    watch: Mutex<Watch>,
}

/// What a check of the file found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refreshed {
    /// The rules in force are the same.
    Same,
    /// Others are in force now.
    Changed,
}

struct Watch {
    looked: Instant,
    /// The state of the file when its rules were loaded or the last warning was logged.
    known: Option<FileIdentity>,
    /// A newer state, seen once; the file may still be incomplete.
    fresh: Option<Option<FileIdentity>>,
}

impl RulesFile {
    /// Puts the rules of the file in force.
    pub(crate) fn open(
        source: PolicySource,
        policy: &Policy,
        clock: Clock,
    ) -> Result<Self, PolicyError> {
        let read = read_policy(&source)?;
        let known = read.as_ref().map(|(file, _)| file.identity);
        if let Some((_, rules)) = read {
            policy.set_rules(rules);
        }
        let watch = Watch { looked: Instant::now(), known, fresh: None };
        Ok(Self { source, clock, watch: Mutex::new(watch) })
    }

    /// Checks whether the file has changed, unless that was just done, and puts its rules
    /// in force. Called before every decision.
    pub(crate) fn refresh(&self, policy: &Policy) -> Refreshed {
        let mut watch = match self.watch.try_lock() {
            Ok(watch) => watch,
            Err(TryLockError::Poisoned(poisoned)) => PoisonError::into_inner(poisoned),
            // Another decision is checking.
            Err(TryLockError::WouldBlock) => return Refreshed::Same,
        };
        if watch.looked.elapsed() < LOOK_EVERY {
            return Refreshed::Same;
        }
        watch.looked = Instant::now();
        self.look(&mut watch, policy, self.clock.now())
    }

    fn look(&self, watch: &mut Watch, policy: &Policy, time: SystemTime) -> Refreshed {
        let Some(path) = self.source.path() else { return Refreshed::Same };
        let now = self.source.identity();
        if now == watch.known {
            watch.fresh = None;
            return Refreshed::Same;
        }
        if !is_settled(now, time) && watch.fresh != Some(now) {
            watch.fresh = Some(now);
            return Refreshed::Same;
        }
        watch.fresh = None;
        watch.known = now;
        match read_policy(&self.source) {
            Ok(Some((file, _))) if file.identity.bytes == 0 => warn_unusable(path, "it is empty"),
            Ok(Some((file, rules))) => {
                tracing::info!(path = %path.display(), rules = rules.len(), "policy read again");
                // The file that was read may be newer than the state that was checked.
                watch.known = Some(file.identity);
                policy.set_rules(rules);
                return Refreshed::Changed;
            }
            Ok(None) => warn_unusable(path, "it is gone"),
            Err(error) => warn_unusable(path, &error.to_string()),
        }
        Refreshed::Same
    }
}

fn warn_unusable(path: &Path, why: &str) {
    tracing::warn!(
        path = %path.display(),
        "the policy file cannot be used, and the rules that were read before stay in force: {why}"
    );
}

/// Whether a file has not changed for a while. A file must not be read while an editor
/// rewrites it: half of a policy can be a valid policy.
fn is_settled(identity: Option<FileIdentity>, time: SystemTime) -> bool {
    let Some(identity) = identity else { return false };
    let now = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let age = i128::try_from(now.as_nanos()).unwrap_or(i128::MAX) - identity.changed_ns;
    age >= i128::try_from(LOOK_EVERY.as_nanos()).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests;
