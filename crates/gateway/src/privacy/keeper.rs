//! Writes tokens and their values into the vault, in a thread of its own.
//!
//! In: new tokens, and how often tokens were restored. Nobody waits for the disk: the
//! process itself has the values in memory. What cannot be written is said in the log
//! once; the tokens last as long as the process then.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use tidegate_model::DataType;
use tidegate_privacy::{NewValue, SessionValues, Token};
use tidegate_store::{KeptValue, VaultEntry};

use super::vaults::Vaults;

enum Job {
    Keep {
        session: String,
        entries: Vec<VaultEntry>,
    },
    Count {
        session: String,
        restores: Vec<(DataType, u32, u32)>,
    },
    /// Everything before it is written when the sender is dropped.
    Flush(Sender<()>),
}

/// The thread, which starts with its first job.
pub(crate) struct Keeper {
    vaults: Vaults,
    expires: Duration,
    thread: Mutex<Option<(Sender<Job>, JoinHandle<()>)>>,
}

impl Keeper {
    pub(crate) fn new(vaults: Vaults, expires: Duration) -> Self {
        Self { vaults, expires, thread: Mutex::default() }
    }

    /// Keeps new tokens.
    pub(crate) fn keep(&self, session: &str, new: Vec<NewValue>) {
        if new.is_empty() {
            return;
        }
        let entry = |new: NewValue| VaultEntry {
            data_type: new.token.data_type,
            number: new.token.number,
            canonical: new.canonical(),
            value: new.value,
        };
        let entries = new.into_iter().map(entry).collect();
        self.send(Job::Keep { session: session.to_owned(), entries });
    }

    /// Counts restores.
    pub(crate) fn count(&self, session: &str, counts: &BTreeMap<Token, u32>) {
        if counts.is_empty() {
            return;
        }
        let restores =
            counts.iter().map(|(token, count)| (token.data_type, token.number, *count)).collect();
        self.send(Job::Count { session: session.to_owned(), restores });
    }

    /// What the vault has of a session of before. It is also given back, for whoever keeps
    /// it under another name.
    pub(crate) fn load(&self, session: &str, values: &mut SessionValues) -> Vec<NewValue> {
        // The session may have ended a moment ago, with values that are not written yet.
        self.flush();
        let loaded = self.vaults.open().and_then(|vault| vault.load(session, SystemTime::now()));
        match loaded {
            Ok(loaded) => {
                if !loaded.damaged.is_empty() {
                    let tokens = loaded.damaged.join(" ");
                    tracing::error!(tokens, "values of the vault do not open");
                }
                let value = |kept: KeptValue| NewValue {
                    token: Token { data_type: kept.data_type, number: kept.number },
                    value: kept.value,
                };
                let kept: Vec<NewValue> = loaded.values.into_iter().map(value).collect();
                let tokens = kept.iter().map(|one| (one.token, one.value.clone()));
                values.load(tokens, loaded.last);
                kept
            }
            Err(error) => {
                tracing::error!(%error, "the vault cannot be read");
                Vec::new()
            }
        }
    }

    /// Waits until all jobs so far are done.
    pub(crate) fn flush(&self) {
        let (done, written) = channel();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = thread.as_ref().map(|(jobs, _)| jobs.send(Job::Flush(done)));
        drop(thread);
        if matches!(sent, Some(Ok(()))) {
            // An error is what it waits for: the thread has dropped its end.
            let _ = written.recv();
        }
    }

    fn send(&self, job: Job) {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        let (sender, _) = thread.get_or_insert_with(|| {
            let (sender, jobs) = channel();
            let (vaults, expires) = (self.vaults.clone(), self.expires);
            (sender, std::thread::spawn(move || work(&vaults, expires, &jobs)))
        });
        // It ends with us, or after a panic, which is in the log.
        let _ = sender.send(job);
    }

    /// Waits until all is written, and ends.
    pub(crate) fn close(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((sender, thread)) = thread {
            drop(sender);
            let _ = thread.join();
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.close();
    }
}

fn work(vaults: &Vaults, expires: Duration, jobs: &Receiver<Job>) {
    let mut vault = match vaults.open() {
        Ok(vault) => vault,
        Err(error) => {
            tracing::error!(%error, "tokens are not kept beyond this process");
            return;
        }
    };
    if let Err(error) = vault.expire(SystemTime::now()) {
        tracing::error!(%error, "what has expired could not be erased");
    }
    let mut failed = false;
    for job in jobs {
        let now = SystemTime::now();
        let done = match job {
            Job::Keep { session, entries } => vault.keep(&session, &entries, now, now + expires),
            Job::Count { session, restores } => vault.count_restores(&session, &restores),
            Job::Flush(done) => {
                drop(done);
                Ok(())
            }
        };
        if let Err(error) = done
            && !std::mem::replace(&mut failed, true)
        {
            tracing::error!(%error, "tokens could not be kept beyond this process");
        }
    }
}
