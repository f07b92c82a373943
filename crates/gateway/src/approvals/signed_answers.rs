//! Whether a stored approval was given by the person.
//!
//! In: a row of the database and what this process asks. Out: whether it counts. Every
//! program of this user can write the row, so it approves nothing by itself: it needs the
//! approver's signature under exactly what is asked, and counts once.
//!
//! The same key says whether a reply to a form counts, which is not signed: the process that
//! shows the form may be the agent itself.
//!
//! Invariant: the first key that a process sees is its key. One that replaces it in the
//! state folder counts only for processes that start later.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use tidegate_store::{Approval, ApproverKey, ClientForms, NewApproval, StoreError};

/// The approver's key, and the approvals that were used here.
pub(super) struct SignedAnswers {
    state_dir: PathBuf,
    key: OnceLock<ApproverKey>,
    /// Until when each could be used again if its row were set back.
    used: Mutex<HashMap<String, SystemTime>>,
}

impl SignedAnswers {
    /// Pins the key, if there is one already. One that cannot be trusted is an error.
    pub(super) fn open(state_dir: PathBuf) -> Result<Self, StoreError> {
        let key = ApproverKey::load(&state_dir)?.map(OnceLock::from).unwrap_or_default();
        Ok(Self { state_dir, key, used: Mutex::default() })
    }

    /// The key; `None` if nobody has set one up, or it cannot be trusted.
    pub(super) fn key(&self) -> Option<&ApproverKey> {
        self.load().ok().flatten()
    }

    fn load(&self) -> Result<Option<&ApproverKey>, StoreError> {
        if let Some(key) = self.key.get() {
            return Ok(Some(key));
        }
        match ApproverKey::load(&self.state_dir) {
            Ok(found) => Ok(found.map(|key| self.key.get_or_init(|| key))),
            Err(error) => {
                tracing::error!(%error, "no approval from the command line counts");
                Err(error)
            }
        }
    }

    /// Whether a reply counts that nobody signed. A key that cannot be trusted might say no.
    pub(super) fn client_forms(&self) -> ClientForms {
        match self.load() {
            Ok(key) => key.map(ApproverKey::client_forms).unwrap_or_default(),
            Err(_) => ClientForms::DoNotCount,
        }
    }

    /// Whether the person has signed that this row approves what is asked.
    pub(super) fn approves(&self, found: &Approval, asked: &NewApproval) -> bool {
        let Some(signature) = &found.signature else { return false };
        self.key().is_some_and(|key| key.has_signed(&asked.statement(found.scope), signature))
    }

    /// Marks an approval as used. Returns whether it was unused here.
    pub(super) fn use_up(&self, asked: &NewApproval, now: SystemTime) -> bool {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|_, until| *until > now);
        used.insert(asked.id.clone(), asked.expires_at).is_none()
    }
}
