//! The vault: the value of each token, encrypted at rest.
//!
//! In: tokens and values of a session. Out: the same, for the process that continues the
//! session. A reader of the database alone learns session names, types, counts and times,
//! but nothing about the values, not even whether two sessions have the same one.
//!
//! **Cipher.** XChaCha20-Poly1305 of RustCrypto (`chacha20poly1305`). Rows have random
//! nonces under one key that is used for years: with 24 bytes nobody has to count them,
//! with the 12 of AES-GCM or of `ring` one should. It wipes its key, is pure Rust, and is
//! as fast without AES instructions. Session, type and number of a row are authenticated
//! with it: a row that is moved to another token does not open.
//!
//! **Finding a value.** To erase a value, one must find it. Each row has an HMAC-SHA-256 of
//! its session and canonical form, under a separate key.
//!
//! **Key.** [`VaultKey`]: a file that only its owner can read, or a key that the caller
//! gets from elsewhere.
//!
//! **Erasing** deletes rows with `secure_delete` and then empties the write-ahead log, so
//! the bytes are no longer in the files. (A snapshot of the file system, or the spare
//! blocks of a disk, may still have them; without the key they are noise.) Of a session,
//! only the highest number of each type is kept, so that no number is given to another
//! value.

mod cipher;
mod key;
mod sessions;
mod text;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, params};
use tidegate_model::{Clock, DataType, Secret};

use crate::StoreError;
use crate::database::{Database, Reply};
use crate::units::unix_ms;
use cipher::Cipher;

pub use key::VaultKey;
pub use sessions::VaultSession;
pub(crate) use text::TextSeal;

/// How long the highest numbers of a session are kept after its last value has expired. A
/// conversation that is resumed later than this starts its numbers again.
const NUMBERS_LIFETIME: Duration = Duration::from_hours(90 * 24);

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

/// A token whose value is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredValue {
    /// The token's type.
    pub data_type: DataType,
    /// The token's number.
    pub number: u32,
    /// The value.
    pub value: Secret<String>,
}

/// The stored data of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loaded {
    /// The values.
    pub values: Vec<StoredValue>,
    /// The highest number given for each type, including numbers of values that are gone.
    pub last: Vec<(DataType, u32)>,
    /// Tokens whose rows did not open: sealed with another key, or changed.
    pub damaged: Vec<String>,
}

/// The contents of the vault, without values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VaultReport {
    /// Sessions with values.
    pub sessions: u64,
    /// For each type: how many values, and how often they were restored.
    pub types: Vec<(DataType, u64, u64)>,
}

/// The queue for work that belongs to no session.
const NO_SESSION: &str = "";

/// Values stored by one job. A transaction has up to a thousand jobs, and other writers wait
/// until all of them are encrypted.
const VALUES_OF_JOB: usize = 20;

/// The most values that one session has in the vault. Beyond that, the oldest are erased, and
/// their tokens are unknown. Chosen: more than any conversation sends, some 30 MB.
const MAX_VALUES_OF_SESSION: usize = 100_000;

/// The most values of all sessions, checked when a process begins to store values. Beyond that,
/// those that expire first are erased.
const MAX_VALUES: usize = 400_000;

/// Rows erased in one transaction.
const ERASED_ROWS_OF_TRANSACTION: usize = 10_000;

/// The vault of a state folder, opened with a key. Clones share it.
#[derive(Clone)]
pub struct Vault {
    database: Arc<Database>,
    clock: Clock,
    cipher: Arc<Cipher>,
}

impl Vault {
    pub(crate) fn new(database: Arc<Database>, clock: Clock, key: &VaultKey) -> Self {
        Self { database, clock, cipher: Arc::new(Cipher::new(key)) }
    }

    /// Stores values of a session for a lifetime, some at a time, each time all or none. A value that
    /// is stored already gets the later expiry. A token that already has another value is
    /// an error: two processes assigned it at once.
    pub async fn store(
        &self,
        session: &str,
        entries: Vec<VaultEntry>,
        lifetime: Duration,
    ) -> Result<(), StoreError> {
        let mut stored = Ok(());
        for entries in chunks(entries) {
            let store = self.storing(session, entries, lifetime);
            stored = stored.and(self.database.write(session, store).await);
        }
        stored
    }

    /// Like [`Vault::store`], without waiting: for values that a process has in memory
    /// anyway.
    pub fn store_in_background(&self, session: &str, entries: Vec<VaultEntry>, lifetime: Duration) {
        for entries in chunks(entries) {
            let store = self.storing(session, entries, lifetime);
            self.database.attempt(session, "tokens are not stored beyond this process", store);
        }
        self.bound(session, MAX_VALUES_OF_SESSION);
    }

    /// Erases the oldest values of a session if it has too many, in the background.
    fn bound(&self, session: &str, most: usize) {
        let name = session.to_owned();
        self.database.attempt(session, "old values could not be erased", move |connection| {
            make_room(connection, &name, most)
        });
    }

    fn storing(
        &self,
        session: &str,
        entries: Vec<VaultEntry>,
        lifetime: Duration,
    ) -> impl FnMut(&Connection) -> Result<(), StoreError> + Send + 'static {
        let (cipher, session, now) =
            (Arc::clone(&self.cipher), session.to_owned(), self.clock.now());
        move |connection| store(connection, &cipher, &session, &entries, (now, now + lifetime))
    }

    /// Waits until the session's queue has room for more in the background.
    pub async fn room(&self, session: &str) {
        self.database.room(session).await;
    }

    /// The values of a session that have not expired. A row that does not open is reported
    /// and left out.
    pub fn load(&self, session: &str) -> Reply<Loaded> {
        let (cipher, session, now) =
            (Arc::clone(&self.cipher), session.to_owned(), self.clock.now());
        // On the writing thread, after everything this session has stored before.
        self.database
            .write(&session.clone(), move |connection| load(connection, &cipher, &session, now))
    }

    /// Counts restores of tokens, all or none. Does not wait.
    pub fn count_restores(&self, session: &str, restores: Vec<(DataType, u32, u32)>) {
        let name = session.to_owned();
        self.database.attempt(session, "restores of tokens are not counted", move |connection| {
            for (data_type, number, count) in &restores {
                connection
                    .prepare_cached(
                        "UPDATE vault SET restores = restores + ?
                         WHERE session = ? AND data_type = ? AND number = ?",
                    )?
                    .execute(params![count, name, data_type.as_str(), number])?;
            }
            Ok(())
        });
    }

    /// Erases all values of a session. Returns how many there were.
    pub async fn erase_session(&self, session: &str) -> Result<usize, StoreError> {
        let mut erased = 0;
        loop {
            let name = session.to_owned();
            let some = self.database.erase(session, move |connection| {
                let sql = "DELETE FROM vault WHERE (session, data_type, number) IN
                    (SELECT session, data_type, number FROM vault WHERE session = ? LIMIT ?)";
                Ok(connection.execute(sql, params![name, ERASED_ROWS_OF_TRANSACTION])?)
            });
            let some = some.await?;
            erased += some;
            if some < ERASED_ROWS_OF_TRANSACTION {
                return Ok(erased);
            }
        }
    }

    /// Erases a value from all sessions, by its canonical forms: one for each type it may
    /// have. Returns how many rows there were.
    pub fn erase_value(&self, forms: Vec<(DataType, String)>) -> Reply<usize> {
        let cipher = Arc::clone(&self.cipher);
        self.database.erase(NO_SESSION, move |connection| {
            let sessions: Vec<String> = connection
                .prepare("SELECT DISTINCT session FROM vault")?
                .query_map([], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            let mut erased = 0;
            for session in &sessions {
                for (data_type, form) in &forms {
                    erased += connection
                        .prepare_cached("DELETE FROM vault WHERE session = ? AND value_hash = ?")?
                        .execute(params![session, cipher.hash(session, *data_type, form)])?;
                }
            }
            Ok(erased)
        })
    }

    /// Erases expired values. Returns how many there were.
    pub async fn expire(&self) -> Result<usize, StoreError> {
        let now = unix_ms(self.clock.now());
        let forgotten = self.database.write(NO_SESSION, move |connection| {
            Ok(connection.execute("DELETE FROM vault_numbers WHERE expires_at_ms <= ?", [now])?)
        });
        forgotten.await?;
        let mut erased = 0;
        loop {
            let sql = "SELECT EXISTS (SELECT 1 FROM vault WHERE expires_at_ms <= ?)";
            let some = self.database.read(move |connection| {
                Ok(connection.query_row(sql, [now], |row| row.get::<_, bool>(0))?)
            });
            // Do not empty the write-ahead log for nothing.
            if !some.await? {
                return Ok(erased);
            }
            let some = self.database.erase(NO_SESSION, move |connection| {
                let sql = "DELETE FROM vault WHERE (session, data_type, number) IN
                    (SELECT session, data_type, number FROM vault WHERE expires_at_ms <= ? LIMIT ?)";
                Ok(connection.execute(sql, params![now, ERASED_ROWS_OF_TRANSACTION])?)
            });
            erased += some.await?;
        }
    }

    /// Erases the values that expire first if there are too many of all sessions. Returns how
    /// many.
    pub async fn trim(&self) -> Result<usize, StoreError> {
        self.trim_to(MAX_VALUES).await
    }

    async fn trim_to(&self, most: usize) -> Result<usize, StoreError> {
        let mut erased = 0;
        loop {
            let count = self.database.read(|connection| {
                let sql = "SELECT count(*) FROM vault";
                Ok(connection.query_row(sql, [], |row| row.get::<_, usize>(0))?)
            });
            let surplus = count.await?.saturating_sub(most).min(ERASED_ROWS_OF_TRANSACTION);
            if surplus == 0 {
                return Ok(erased);
            }
            let some = self.database.erase(NO_SESSION, move |connection| {
                let sql = "DELETE FROM vault WHERE (session, data_type, number) IN
                    (SELECT session, data_type, number FROM vault ORDER BY expires_at_ms LIMIT ?)";
                Ok(connection.execute(sql, [surplus])?)
            });
            erased += some.await?;
        }
    }

    /// Counts its contents.
    pub fn report(&self) -> Reply<VaultReport> {
        self.database.read(report)
    }

    /// Answers once the writer has tried to write everything in the background.
    pub fn flush(&self) -> Reply<()> {
        self.database.flush()
    }
}

/// Splits entries into chunks that fit into one transaction each.
fn chunks(entries: Vec<VaultEntry>) -> impl Iterator<Item = Vec<VaultEntry>> {
    let mut entries = entries.into_iter();
    std::iter::from_fn(move || {
        let chunk: Vec<VaultEntry> = entries.by_ref().take(VALUES_OF_JOB).collect();
        (!chunk.is_empty()).then_some(chunk)
    })
}

/// Stores values that are created and expire at these times.
fn store(
    connection: &Connection,
    cipher: &Cipher,
    session: &str,
    entries: &[VaultEntry],
    (created_at, expires_at): (SystemTime, SystemTime),
) -> Result<(), StoreError> {
    let mut last: BTreeMap<DataType, u32> = BTreeMap::new();
    for entry in entries {
        let hash = cipher.hash(session, entry.data_type, entry.canonical.expose());
        let sealed = cipher.seal(session, entry)?;
        let inserted = connection
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
                unix_ms(created_at),
                unix_ms(expires_at)
            ])?;
        if inserted == 0 {
            prolong(connection, session, entry, &hash, expires_at)?;
        }
        let last = last.entry(entry.data_type).or_default();
        *last = entry.number.max(*last);
    }
    for (data_type, number) in last {
        connection
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
                unix_ms(expires_at + NUMBERS_LIFETIME)
            ])?;
    }
    Ok(())
}

/// Erases the oldest values of a session beyond three quarters of the most, if it has more.
fn make_room(connection: &Connection, session: &str, most: usize) -> Result<(), StoreError> {
    let count: usize = connection
        .prepare_cached("SELECT count(*) FROM vault WHERE session = ?")?
        .query_row([session], |row| row.get(0))?;
    if count > most {
        let sql = "DELETE FROM vault WHERE (session, data_type, number) IN
            (SELECT session, data_type, number FROM vault WHERE session = ?
             ORDER BY created_at_ms, number LIMIT ?)";
        connection.execute(sql, params![session, count - most / 4 * 3])?;
    }
    Ok(())
}

fn load(
    connection: &Connection,
    cipher: &Cipher,
    session: &str,
    now: SystemTime,
) -> Result<Loaded, StoreError> {
    let mut loaded = Loaded::default();
    let mut query = connection.prepare_cached(
        "SELECT data_type, number, nonce, sealed FROM vault
         WHERE session = ? AND expires_at_ms > ? ORDER BY data_type, number",
    )?;
    let mut rows = query.query(params![session, unix_ms(now)])?;
    while let Some(row) = rows.next()? {
        let (name, number): (String, u32) = (row.get(0)?, row.get(1)?);
        let (nonce, sealed): (Vec<u8>, Vec<u8>) = (row.get(2)?, row.get(3)?);
        let data_type = data_type(&name);
        let value = data_type
            .and_then(|data_type| cipher.open(session, data_type, number, &nonce, &sealed));
        match (data_type, value) {
            (Some(data_type), Some(value)) => {
                loaded.values.push(StoredValue { data_type, number, value });
            }
            (Some(data_type), None) => loaded.damaged.push(token(data_type, number)),
            (None, _) => loaded.damaged.push(format!("[{name}_{number}]")),
        }
    }
    let mut query = connection
        .prepare_cached("SELECT data_type, last FROM vault_numbers WHERE session = ? ORDER BY 1")?;
    let mut rows = query.query([session])?;
    while let Some(row) = rows.next()? {
        if let Some(data_type) = data_type(&row.get::<_, String>(0)?) {
            loaded.last.push((data_type, row.get(1)?));
        }
    }
    Ok(loaded)
}

fn report(connection: &Connection) -> Result<VaultReport, StoreError> {
    let sessions = "SELECT count(DISTINCT session) FROM vault";
    let sessions = connection.query_row(sessions, [], |row| row.get(0))?;
    let mut report = VaultReport { sessions, types: Vec::new() };
    let mut query = connection.prepare(
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

/// Extends the expiry of a row, if it has this value.
fn prolong(
    connection: &Connection,
    session: &str,
    entry: &VaultEntry,
    hash: &[u8],
    expires_at: SystemTime,
) -> Result<(), StoreError> {
    let changed = connection
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

/// The token as the model sees it.
fn token(data_type: DataType, number: u32) -> String {
    format!("[{}_{number}]", data_type.label())
}

pub(crate) fn data_type(name: &str) -> Option<DataType> {
    DataType::ALL.into_iter().find(|data_type| data_type.as_str() == name)
}

#[cfg(test)]
mod tests;
