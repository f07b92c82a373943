//! Which sessions the vault has values of, for a listing.

use std::time::SystemTime;

use super::Vault;
use crate::StoreError;
use crate::store::{from_unix_ms, unix_ms};

/// A session with values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultSession {
    /// Its name.
    pub name: String,
    /// How many values it has.
    pub values: u64,
    /// When the first of them was kept.
    pub created_at: SystemTime,
    /// When the last of them expires.
    pub expires_at: SystemTime,
}

impl Vault {
    /// The sessions that have values, the newest first. What has expired is not counted,
    /// also if it was not erased yet.
    pub fn sessions(&self, now: SystemTime) -> Result<Vec<VaultSession>, StoreError> {
        let mut query = self.connection.prepare(
            "SELECT session, count(*), min(created_at_ms), max(expires_at_ms) FROM vault
             WHERE expires_at_ms > ? GROUP BY session ORDER BY 3 DESC, session",
        )?;
        let rows = query.query_map([unix_ms(now)], |row| {
            Ok(VaultSession {
                name: row.get(0)?,
                values: row.get(1)?,
                created_at: from_unix_ms(row.get(2)?),
                expires_at: from_unix_ms(row.get(3)?),
            })
        })?;
        rows.map(|row| row.map_err(StoreError::from)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use tidegate_model::{DataType, Secret};

    use super::VaultSession;
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

    #[test]
    fn sessions_come_newest_first_with_what_has_not_expired() {
        let state = tempfile::tempdir().unwrap();
        let store = Store::open(state.path()).unwrap();
        let mut vault = store.vault(&VaultKey::from_bytes([1; 32])).unwrap();
        assert_eq!(vault.sessions(hours(0)).unwrap(), []);
        vault.keep("old", &[email(1), email(2)], hours(0), hours(2)).unwrap();
        vault.keep("new", &[email(1)], hours(1), hours(3)).unwrap();
        // A session is as old as its first value and lives as long as its last.
        vault.keep("old", &[email(3)], hours(2), hours(5)).unwrap();
        let sessions = |now| vault.sessions(hours(now)).unwrap();
        assert_eq!(sessions(1), [session("new", 1, 1, 3), session("old", 3, 0, 5)]);
        assert_eq!(sessions(2), [session("old", 1, 2, 5), session("new", 1, 1, 3)]);
        assert_eq!(sessions(3), [session("old", 1, 2, 5)]);
        assert_eq!(sessions(5), []);
    }

    #[test]
    fn an_erased_session_is_not_listed() {
        let state = tempfile::tempdir().unwrap();
        let store = Store::open(state.path()).unwrap();
        let mut vault = store.vault(&VaultKey::from_bytes([1; 32])).unwrap();
        vault.keep("a", &[email(1)], hours(0), hours(2)).unwrap();
        vault.keep("b", &[email(1)], hours(0), hours(2)).unwrap();
        vault.erase_session("a").unwrap();
        assert_eq!(vault.sessions(hours(0)).unwrap(), [session("b", 1, 0, 2)]);
    }
}
