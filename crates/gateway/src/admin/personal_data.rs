//! Reports on personal data without showing values, and erases it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use tidegate_model::{Clock, ErrorCode, RunError, Secret};
use tidegate_privacy::{
    RestoreError, SessionValues, Token, TokenAction, canonical_forms, find_tokens,
};
use tidegate_store::{PiiReport, Store, StoreError, VaultReport, VaultSession, wait};

use crate::answer::shown::Sanitized;
use crate::privacy::{Vaults, listed_are};

/// A report on personal data, which contains none.
#[derive(Debug)]
pub struct PrivacyReport {
    /// Where it came from and where it went.
    pub record: PiiReport,
    /// What is stored, by type.
    pub vault: VaultReport,
    /// What is stored, by session.
    pub sessions: Vec<VaultSession>,
}

/// The personal data of a state folder.
pub struct PersonalDataAdmin(Vaults);

impl PersonalDataAdmin {
    pub(super) fn open(state_dir: &Path) -> Result<Self, StoreError> {
        let store = Arc::new(Store::open(state_dir, Clock::system())?);
        Ok(Self(Vaults { store, state_dir: state_dir.to_owned() }))
    }

    /// Sessions whose values are stored, the newest first.
    pub fn sessions(&self) -> Result<Vec<VaultSession>, StoreError> {
        self.0.open()?.sessions().wait()
    }

    /// The report on all personal data.
    pub fn report(&self) -> Result<PrivacyReport, StoreError> {
        let vault = self.0.open()?;
        Ok(PrivacyReport {
            record: wait(self.0.store.records().pii_report())?,
            vault: vault.report().wait()?,
            sessions: vault.sessions().wait()?,
        })
    }

    /// Replaces the tokens in a text by their values, whichever sessions they belong to. A
    /// token that stands for different values in two sessions is refused: state folders of
    /// earlier versions have such tokens.
    pub fn restore(&self, text: &str) -> Result<Result<Sanitized, RunError>, StoreError> {
        let vault = self.0.open()?;
        let tokens: BTreeSet<Token> =
            find_tokens(text).into_iter().map(|found| found.token).collect();
        let asked = tokens.iter().map(|token| (token.data_type, token.number)).collect();
        let mut values: BTreeMap<Token, String> = BTreeMap::new();
        let mut ambiguous = BTreeSet::new();
        for session in vault.sessions_with(asked).wait()? {
            for stored in vault.load(&session).wait()?.values {
                let token = Token { data_type: stored.data_type, number: stored.number };
                let value = stored.value.expose();
                if tokens.contains(&token)
                    && values.insert(token, value.clone()).is_some_and(|other| other != *value)
                {
                    ambiguous.insert(token);
                }
            }
        }
        if let Some(token) = ambiguous.first() {
            return Ok(Err(ambiguous_token(*token)));
        }
        let mut session = SessionValues::default();
        session.load(values.into_iter().map(|(token, value)| (token, Secret::new(value))), []);
        let restored = session.restore(text, &|_| TokenAction::Restore);
        Ok(restored.map(Sanitized::from).map_err(|error| match error {
            RestoreError::Unknown(tokens) | RestoreError::NotAllowed(tokens) => not_stored(&tokens),
            error @ RestoreError::TooLong => {
                RunError::new(ErrorCode::BadArgument, error.to_string())
            }
        }))
    }

    /// Erases the stored values of a session. Returns how many there were.
    pub fn erase_session(&self, session: &str) -> Result<usize, StoreError> {
        wait(self.0.open()?.erase_session(session))
    }

    /// Erases a value from all sessions. Returns how often it was stored.
    pub fn erase_value(&self, value: &str) -> Result<usize, StoreError> {
        self.0.open()?.erase_value(canonical_forms(value)).wait()
    }
}

fn ambiguous_token(token: Token) -> RunError {
    let message = format!("`{token}` stands for different values in two sessions");
    RunError::new(ErrorCode::UnknownToken, message).with_hint(
        "name the session that the text is from, with `--session NAME`; `tidegate pii report` \
         lists them",
    )
}

fn not_stored(tokens: &[Token]) -> RunError {
    let message = format!("{} unknown in every stored session", listed_are(tokens));
    RunError::new(ErrorCode::UnknownToken, message).with_hint(
        "values are kept until `privacy.expires`; the text may be older, or from another machine",
    )
}
