//! Lists the sessions that have values in the vault.

use std::collections::BTreeSet;
use std::time::SystemTime;

use rusqlite::params;
use tidegate_model::DataType;

use super::{Vault, data_type};
use crate::StoreError;
use crate::database::Reply;
use crate::units::{from_unix_ms, unix_ms};

/// A session with values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultSession {
    /// Its name.
    pub name: String,
    /// How many values it has.
    pub values: u64,
    /// When the first of them was stored.
    pub created_at: SystemTime,
    /// When the last of them expires.
    pub expires_at: SystemTime,
}

impl Vault {
    /// The sessions that have values, newest first. Expired values are not counted, even
    /// if they are not erased yet.
    pub fn sessions(&self) -> Reply<Vec<VaultSession>> {
        let now = unix_ms(self.clock.now());
        self.database.read(move |connection| {
            let mut query = connection.prepare(
                "SELECT session, count(*), min(created_at_ms), max(expires_at_ms) FROM vault
                 WHERE expires_at_ms > ? GROUP BY session ORDER BY 3 DESC, session",
            )?;
            let rows = query.query_map([now], |row| {
                Ok(VaultSession {
                    name: row.get(0)?,
                    values: row.get(1)?,
                    created_at: from_unix_ms(row.get(2)?),
                    expires_at: from_unix_ms(row.get(3)?),
                })
            })?;
            rows.map(|row| row.map_err(StoreError::from)).collect()
        })
    }

    /// The sessions that have values for these tokens.
    pub fn sessions_with(&self, tokens: Vec<(DataType, u32)>) -> Reply<Vec<String>> {
        let now = unix_ms(self.clock.now());
        self.database.read(move |connection| {
            let mut query = connection.prepare(
                "SELECT DISTINCT session FROM vault
                 WHERE data_type = ? AND number = ? AND expires_at_ms > ?",
            )?;
            let mut found = BTreeSet::new();
            for (data_type, number) in &tokens {
                let row = params![data_type.as_str(), number, now];
                for session in query.query_map(row, |row| row.get::<_, String>(0))? {
                    found.insert(session?);
                }
            }
            Ok(found.into_iter().collect())
        })
    }

    /// The highest number of each type that any session was given.
    pub fn highest_numbers(&self) -> Reply<Vec<(DataType, u32)>> {
        self.database.read(|connection| {
            let mut query = connection
                .prepare("SELECT data_type, max(last) FROM vault_numbers GROUP BY data_type")?;
            let rows = query.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
            let mut highest = Vec::new();
            for row in rows {
                let (name, number) = row?;
                highest.extend(data_type(&name).map(|data_type| (data_type, number)));
            }
            Ok(highest)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use tidegate_model::{Clock, DataType, Secret};

    use super::VaultSession;
    use crate::vault::Vault;
    use crate::{Store, VaultEntry, VaultKey};

    fn hours(hours: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_hours(hours)
    }

    fn email(number: u32) -> VaultEntry {
        let value = Secret::new(format!("{number}@x.org"));
        VaultEntry { data_type: DataType::Email, number, value: value.clone(), canonical: value }
    }

    fn session(name: &str, values: u64, created: u64, expires: u64) -> VaultSession {
        VaultSession {
            name: name.into(),
            values,
            created_at: hours(created),
            expires_at: hours(expires),
        }
    }

    fn opened() -> (tempfile::TempDir, Clock, Vault) {
        let state = tempfile::tempdir().unwrap();
        let clock = Clock::manual(SystemTime::UNIX_EPOCH);
        let store = Store::open(state.path(), clock.clone()).unwrap();
        (state, clock, store.vault(&VaultKey::from_bytes([1; 32])))
    }

    #[tokio::test]
    async fn sessions_come_newest_first_with_what_has_not_expired() {
        let (_state, clock, vault) = opened();
        let store = async |session: &str, entries: Vec<VaultEntry>, hours| {
            vault.store(session, entries, Duration::from_hours(hours)).await.unwrap();
        };
        let hour = || clock.advance(Duration::from_hours(1));
        assert_eq!(vault.sessions().await.unwrap(), []);
        store("old", vec![email(1), email(2)], 2).await;
        hour();
        store("new", vec![email(1)], 2).await;
        hour();
        // A session is as old as its first value and lives as long as its last.
        store("old", vec![email(3)], 3).await;
        assert_eq!(
            vault.sessions().await.unwrap(),
            [session("old", 1, 2, 5), session("new", 1, 1, 3)]
        );
        hour();
        assert_eq!(vault.sessions().await.unwrap(), [session("old", 1, 2, 5)]);
        hour();
        hour();
        assert_eq!(vault.sessions().await.unwrap(), []);
    }

    #[tokio::test]
    async fn an_erased_session_is_not_listed() {
        let (_state, _clock, vault) = opened();
        vault.store("a", vec![email(1)], Duration::from_hours(2)).await.unwrap();
        vault.store("b", vec![email(1)], Duration::from_hours(2)).await.unwrap();
        vault.erase_session("a").await.unwrap();
        assert_eq!(vault.sessions().await.unwrap(), [session("b", 1, 0, 2)]);
    }
}
