//! The files that decide what is allowed, as the gateways of a state folder saw them.
//!
//! In: a file's fingerprint, whenever its rules come into force. Out: whether it changed, and
//! since when. It informs people and decides nothing: whoever can write the file can write
//! here.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use rusqlite::{OptionalExtension, Row, params};
use tidegate_model::Clock;

use crate::StoreError;
use crate::database::{Database, Reply};
use crate::units::{from_unix_ms, unix_ms};

/// The queue for work that belongs to no session.
const SESSION: &str = "";

/// A file as it was when its rules came into force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesSeen {
    /// Where it is.
    pub path: String,
    /// The hash of its content.
    pub sha256: String,
    /// The user id of its owner.
    pub owner: u32,
    /// When it was last modified, by its own account.
    pub modified_at: SystemTime,
    /// Since when it has this content here.
    pub seen_at: SystemTime,
    /// The hash of the content before, if there was another.
    pub before: Option<String>,
}

/// The files that were seen. Clones share them.
#[derive(Clone)]
pub struct SeenRules {
    database: Arc<Database>,
    clock: Clock,
}

impl SeenRules {
    pub(crate) fn new(database: Arc<Database>, clock: Clock) -> Self {
        Self { database, clock }
    }

    /// Notes a file. Returns whether its content differs from what was seen before.
    pub fn note(&self, path: &Path, sha256: &str, owner: u32, modified: SystemTime) -> Reply<bool> {
        let (path, sha256) = (path.to_string_lossy().into_owned(), sha256.to_owned());
        let now = self.clock.now();
        self.database.write(SESSION, move |connection| {
            let sql = "SELECT sha256 FROM rules_seen WHERE path = ?";
            let before: Option<String> =
                connection.query_row(sql, [&path], |row| row.get(0)).optional()?;
            if before.as_ref() == Some(&sha256) {
                return Ok(false);
            }
            connection.execute(
                "INSERT OR REPLACE INTO rules_seen
                     (path, sha256, owner, modified_at_ms, seen_at_ms, before_sha256)
                 VALUES (?, ?, ?, ?, ?, ?)",
                params![path, sha256, owner, unix_ms(modified), unix_ms(now), before],
            )?;
            Ok(before.is_some())
        })
    }

    /// What was last seen of a file.
    pub fn of(&self, path: &Path) -> Reply<Option<RulesSeen>> {
        let path = path.to_string_lossy().into_owned();
        self.database.read(move |connection| {
            let sql = "SELECT path, sha256, owner, modified_at_ms, seen_at_ms, before_sha256
                       FROM rules_seen WHERE path = ?";
            Ok::<_, StoreError>(connection.query_row(sql, [path], read).optional()?)
        })
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<RulesSeen> {
    Ok(RulesSeen {
        path: row.get(0)?,
        sha256: row.get(1)?,
        owner: row.get(2)?,
        modified_at: from_unix_ms(row.get(3)?),
        seen_at: from_unix_ms(row.get(4)?),
        before: row.get(5)?,
    })
}
