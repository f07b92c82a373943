//! The vault: which value each token stands for, encrypted at rest.
//!
//! In: tokens and values of a session. Out: the same, for the process that goes on with
//! the session. Whoever reads the database alone learns session names, types, counts and
//! times, and nothing about the values; not even that two sessions have the same one.
//!
//! **Cipher.** XChaCha20-Poly1305 of RustCrypto (`chacha20poly1305`). Rows have random
//! nonces under one key that lives for years: with 24 bytes nobody has to count them,
//! with the 12 of AES-GCM or of `ring` one should. It wipes its key, is plain Rust and
//! equally fast without AES instructions. Session, type and number of a row are
//! authenticated with it: a row that is moved to another token does not open.
//!
//! **Finding a value.** To erase a value one must find it. Each row has an HMAC-SHA-256 of
//! its canonical form, under a key of its own and with the session in it.
//!
//! **Key.** [`VaultKey`]: a file that only its owner can read, or what the caller has got
//! from elsewhere. See there.
//!
//! **Erasing** removes rows with `secure_delete`, and then empties the write-ahead log: the
//! bytes are no longer in the files. (A snapshot of the file system, or the spare blocks of
//! a disk, may have them still; without the key they are noise.) What stays of a session
//! is how far its numbers went, so that none is given to another value.

mod cipher;
mod key;
mod sessions;
mod text;

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use tidegate_model::{DataType, Secret};

use crate::StoreError;
use crate::store::unix_ms;
use cipher::Cipher;

pub use key::VaultKey;
pub use sessions::VaultSession;
pub(crate) use text::TextSeal;

/// How much longer than its last value it is kept in mind how far the numbers of a
/// session went. A conversation that is taken up later than this begins anew.
const NUMBERS_KEPT_FOR: Duration = Duration::from_hours(90 * 24);

/// A token and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultEntry {
    /// The token's type.
    pub data_type: DataType,
    /// The token's number.
    pub number: u32,
    /// The value it is restored to.
    pub value: Secret<String>,
    /// The value's canonical form, by which it can be erased.
    pub canonical: Secret<String>,
}

/// A token whose value was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptValue {
    /// The token's type.
    pub data_type: DataType,
    /// The token's number.
    pub number: u32,
    /// The value.
    pub value: Secret<String>,
}

/// What the vault has of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loaded {
    /// The values.
    pub values: Vec<KeptValue>,
    /// The highest number that was given, of each type; also of what is gone.
    pub last: Vec<(DataType, u32)>,
    /// Tokens whose rows did not open: another key, or somebody changed them.
    pub damaged: Vec<String>,
}

/// What is in the vault, without values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VaultReport {
    /// Sessions with values.
    pub sessions: u64,
    /// For each type: how many values, and how often they were restored.
    pub types: Vec<(DataType, u64, u64)>,
}

/// The vault of a state folder.
pub struct Vault {
    connection: Connection,
    cipher: Cipher,
}

impl Vault {
    pub(crate) fn new(connection: Connection, key: &VaultKey) -> Result<Self, StoreError> {
        // Overwrites what is deleted, in the pages of the database.
        connection.pragma_update(None, "secure_delete", true)?;
        Ok(Self { connection, cipher: Cipher::new(key) })
    }

    /// Keeps values of a session, all or none. One that is kept already lives longer; a
    /// token that has another value already is an error: two processes gave it at once.
    pub fn keep(
        &mut self,
        session: &str,
        entries: &[VaultEntry],
        now: SystemTime,
        expires_at: SystemTime,
    ) -> Result<(), StoreError> {
        let Self { connection, cipher } = self;
        let transaction = immediate(connection)?;
        let mut last: BTreeMap<DataType, u32> = BTreeMap::new();
        for entry in entries {
            let hash = cipher.hash(session, entry.data_type, entry.canonical.expose());
            let sealed = cipher.seal(session, entry)?;
            let inserted = transaction
                .prepare_cached(
                    "INSERT INTO vault (session, data_type, number, nonce, sealed, value_hash,
                         created_at_ms, expires_at_ms, restores)
                     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING",
                )?
                .execute(params![
                    session,
                    entry.data_type.as_str(),
                    entry.number,
                    sealed.nonce,
                    sealed.bytes,
                    hash,
                    unix_ms(now),
                    unix_ms(expires_at)
                ])?;
            if inserted == 0 {
                prolong(&transaction, session, entry, &hash, expires_at)?;
            }
            let last = last.entry(entry.data_type).or_default();
            *last = entry.number.max(*last);
        }
        for (data_type, number) in last {
            transaction
                .prepare_cached(
                    "INSERT INTO vault_numbers (session, data_type, last, expires_at_ms)
                     VALUES (?, ?, ?, ?)
                     ON CONFLICT DO UPDATE SET last = max(last, excluded.last),
                         expires_at_ms = max(expires_at_ms, excluded.expires_at_ms)",
                )?
                .execute(params![
                    session,
                    data_type.as_str(),
                    number,
                    unix_ms(expires_at + NUMBERS_KEPT_FOR)
                ])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// What was kept of a session and has not expired. A row that does not open is named
    /// and left out; the others are there.
    pub fn load(&self, session: &str, now: SystemTime) -> Result<Loaded, StoreError> {
        let mut loaded = Loaded::default();
        let mut query = self.connection.prepare_cached(
            "SELECT data_type, number, nonce, sealed FROM vault
             WHERE session = ? AND expires_at_ms > ? ORDER BY data_type, number",
        )?;
        let mut rows = query.query(params![session, unix_ms(now)])?;
        while let Some(row) = rows.next()? {
            let (name, number): (String, u32) = (row.get(0)?, row.get(1)?);
            let (nonce, sealed): (Vec<u8>, Vec<u8>) = (row.get(2)?, row.get(3)?);
            let data_type = data_type(&name);
            let value = data_type.and_then(|data_type| {
                self.cipher.open(session, data_type, number, &nonce, &sealed)
            });
            match (data_type, value) {
                (Some(data_type), Some(value)) => {
                    loaded.values.push(KeptValue { data_type, number, value });
                }
                (Some(data_type), None) => loaded.damaged.push(token(data_type, number)),
                (None, _) => loaded.damaged.push(format!("[{name}_{number}]")),
            }
        }
        let mut query = self.connection.prepare_cached(
            "SELECT data_type, last FROM vault_numbers WHERE session = ? ORDER BY 1",
        )?;
        let mut rows = query.query([session])?;
        while let Some(row) = rows.next()? {
            if let Some(data_type) = data_type(&row.get::<_, String>(0)?) {
                loaded.last.push((data_type, row.get(1)?));
            }
        }
        Ok(loaded)
    }

    /// Counts that tokens were restored, all or none.
    pub fn count_restores(
        &mut self,
        session: &str,
        restores: &[(DataType, u32, u32)],
    ) -> Result<(), StoreError> {
        let transaction = immediate(&mut self.connection)?;
        for (data_type, number, count) in restores {
            transaction
                .prepare_cached(
                    "UPDATE vault SET restores = restores + ?
                     WHERE session = ? AND data_type = ? AND number = ?",
                )?
                .execute(params![count, session, data_type.as_str(), number])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Erases all values of a session. How many there were.
    pub fn erase_session(&mut self, session: &str) -> Result<usize, StoreError> {
        let erased = self.connection.execute("DELETE FROM vault WHERE session = ?", [session])?;
        self.empty_log()?;
        Ok(erased)
    }

    /// Erases a value from all sessions, by its canonical forms: one for each type it may
    /// have. How many rows there were.
    pub fn erase_value(&mut self, forms: &[(DataType, String)]) -> Result<usize, StoreError> {
        let Self { connection, cipher } = self;
        let transaction = immediate(connection)?;
        let sessions: Vec<String> = transaction
            .prepare("SELECT DISTINCT session FROM vault")?
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let mut erased = 0;
        for session in &sessions {
            for (data_type, form) in forms {
                erased += transaction
                    .prepare_cached("DELETE FROM vault WHERE session = ? AND value_hash = ?")?
                    .execute(params![session, cipher.hash(session, *data_type, form)])?;
            }
        }
        transaction.commit()?;
        self.empty_log()?;
        Ok(erased)
    }

    /// Erases what has expired. How many values there were.
    pub fn expire(&mut self, now: SystemTime) -> Result<usize, StoreError> {
        let transaction = immediate(&mut self.connection)?;
        let now = unix_ms(now);
        let erased = transaction.execute("DELETE FROM vault WHERE expires_at_ms <= ?", [now])?;
        transaction.execute("DELETE FROM vault_numbers WHERE expires_at_ms <= ?", [now])?;
        transaction.commit()?;
        if erased > 0 {
            self.empty_log()?;
        }
        Ok(erased)
    }

    /// What is in it.
    pub fn report(&self) -> Result<VaultReport, StoreError> {
        let sessions = "SELECT count(DISTINCT session) FROM vault";
        let sessions = self.connection.query_row(sessions, [], |row| row.get(0))?;
        let mut report = VaultReport { sessions, types: Vec::new() };
        let mut query = self.connection.prepare(
            "SELECT data_type, count(*), sum(restores) FROM vault GROUP BY data_type ORDER BY 1",
        )?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            if let Some(data_type) = data_type(&row.get::<_, String>(0)?) {
                report.types.push((data_type, row.get(1)?, row.get(2)?));
            }
        }
        report.types.sort();
        Ok(report)
    }

    /// Moves the write-ahead log into the database and empties it: it still has the pages
    /// from before. Readers of other processes can make it wait; the next time does it
    /// then, and until then the bytes there are encrypted as everywhere.
    fn empty_log(&self) -> Result<(), StoreError> {
        let busy: i64 =
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if busy != 0 {
            tracing::warn!("the log of the database is in use; erased rows leave it later");
        }
        Ok(())
    }
}

/// Immediate: what is read first must still be so when it is written.
fn immediate(connection: &mut Connection) -> Result<Transaction<'_>, StoreError> {
    Ok(connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
}

/// Lets a row live longer, if it has this value.
fn prolong(
    transaction: &Transaction<'_>,
    session: &str,
    entry: &VaultEntry,
    hash: &[u8],
    expires_at: SystemTime,
) -> Result<(), StoreError> {
    let changed = transaction
        .prepare_cached(
            "UPDATE vault SET expires_at_ms = max(expires_at_ms, ?)
             WHERE session = ? AND data_type = ? AND number = ? AND value_hash = ?",
        )?
        .execute(params![
            unix_ms(expires_at),
            session,
            entry.data_type.as_str(),
            entry.number,
            hash
        ])?;
    if changed == 0 {
        return Err(StoreError::TokenTaken { token: token(entry.data_type, entry.number) });
    }
    Ok(())
}

/// As the model sees it.
fn token(data_type: DataType, number: u32) -> String {
    format!("[{}_{number}]", data_type.label())
}

pub(crate) fn data_type(name: &str) -> Option<DataType> {
    DataType::ALL.into_iter().find(|data_type| data_type.as_str() == name)
}

#[cfg(test)]
mod tests;
