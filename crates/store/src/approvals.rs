//! What a person is asked, and what they answered.
//!
//! An approval is bound to the hash of exactly what will happen, can be answered once
//! while it is pending and used once after it was approved, and expires. Each step is
//! one statement that names the state it starts from, so of two processes that try the
//! same, one succeeds.

use std::sync::Arc;
use std::time::SystemTime;

use rusqlite::{Connection, OptionalExtension, Row, params};
use tidegate_model::Clock;

use crate::StoreError;
use crate::database::{Database, Reply};
use crate::units::{from_unix_ms, unix_ms};

/// What a person is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewApproval {
    /// Its name, as people type it.
    pub id: String,
    /// The run that waits for it.
    pub run_id: String,
    /// `program` or `call`.
    pub kind: String,
    /// Hash of exactly what will happen.
    pub subject: String,
    /// One line: what it is about.
    pub title: String,
    /// What a person is shown, as text.
    pub details: String,
    /// When it was asked.
    pub created_at: SystemTime,
    /// Until when it can be answered and used.
    pub expires_at: SystemTime,
}

/// Where an approval stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalState {
    /// Nobody has answered.
    Pending,
    /// A person said yes; it was not used yet.
    Approved,
    /// A person said no.
    Denied,
    /// Approved, and used up.
    Used,
    /// Its time is over and it was not used.
    Expired,
}

impl ApprovalState {
    /// The text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Used => "used",
            Self::Expired => "expired",
        }
    }

    fn parse(text: &str) -> Self {
        match text {
            "pending" => Self::Pending,
            "approved" => Self::Approved,
            "denied" => Self::Denied,
            "used" => Self::Used,
            // Nothing else is written here; whatever it is, it permits nothing.
            _ => Self::Expired,
        }
    }
}

/// For how long a yes holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalScope {
    /// For this once.
    Once,
    /// For the rest of the client's session.
    Session,
}

impl ApprovalScope {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
        }
    }
}

/// What a person answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalAnswer {
    /// Yes, for so long.
    Approve(ApprovalScope),
    /// No.
    Deny,
}

/// Which approvals are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalFilter {
    /// Those that can still be answered.
    Pending,
    /// All.
    All,
}

/// An approval as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// What was asked.
    pub asked: NewApproval,
    /// Where it stands now.
    pub state: ApprovalState,
    /// For how long a yes holds.
    pub scope: ApprovalScope,
    /// Who answered: `client`, `cli`, `terminal`.
    pub decided_by: Option<String>,
}

/// An answer that was tried to be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// Whether this answer was the one that counts.
    pub is_first: bool,
    /// The approval as it stands now.
    pub approval: Approval,
}

/// The approvals of a state folder. Clones share them.
#[derive(Clone)]
pub struct Approvals {
    database: Arc<Database>,
    clock: Clock,
}

const COLUMNS: &str = "id, run_id, kind, subject_sha256, title, details, created_at_ms, \
                       expires_at_ms, state, scope, decided_by";

impl Approvals {
    pub(crate) fn new(database: Arc<Database>, clock: Clock) -> Self {
        Self { database, clock }
    }

    /// Asks.
    pub fn ask(&self, new: NewApproval) -> Reply<()> {
        let session = new.run_id.clone();
        self.database.write(&session, move |connection| insert(connection, &new))
    }

    /// Answers one that is pending. Nothing if there is no such approval.
    pub fn answer(&self, id: &str, answer: ApprovalAnswer, by: &str) -> Reply<Option<Answered>> {
        let (id, by, now) = (id.to_owned(), by.to_owned(), self.clock.now());
        self.database.write("", move |connection| {
            let (state, scope) = match answer {
                ApprovalAnswer::Approve(scope) => (ApprovalState::Approved, scope),
                ApprovalAnswer::Deny => (ApprovalState::Denied, ApprovalScope::Once),
            };
            let changed = connection.execute(
                "UPDATE approvals SET state = ?, scope = ?, decided_by = ?, decided_at_ms = ?
                 WHERE id = ? AND state = 'pending' AND expires_at_ms > ?",
                params![state.as_str(), scope.as_str(), by, unix_ms(now), id, unix_ms(now)],
            )?;
            let approval = find(connection, &id, now)?;
            Ok(approval.map(|approval| Answered { is_first: changed == 1, approval }))
        })
    }

    /// Uses an approval up. Whether it was there to be used: approved, not used, not
    /// expired, and of exactly this subject.
    pub fn use_up(&self, id: &str, subject: &str) -> Reply<bool> {
        let (id, subject, now) = (id.to_owned(), subject.to_owned(), self.clock.now());
        self.database.write("", move |connection| {
            let changed = connection.execute(
                "UPDATE approvals SET state = 'used'
                 WHERE id = ? AND subject_sha256 = ? AND state = 'approved' AND expires_at_ms > ?",
                params![id, subject, unix_ms(now)],
            )?;
            Ok(changed == 1)
        })
    }

    /// The newest approval of a subject that is pending, approved or denied, and not
    /// expired.
    pub fn of_subject(&self, subject: &str) -> Reply<Option<Approval>> {
        let (subject, now) = (subject.to_owned(), self.clock.now());
        self.database.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM approvals
                 WHERE subject_sha256 = ? AND state IN ('pending', 'approved', 'denied')
                     AND expires_at_ms > ?
                 ORDER BY created_at_ms DESC, rowid DESC LIMIT 1"
            );
            let row = |row: &Row<'_>| read(row, now);
            Ok(connection.query_row(&sql, params![subject, unix_ms(now)], row).optional()?)
        })
    }

    /// The approval with this name.
    pub fn find(&self, id: &str) -> Reply<Option<Approval>> {
        let (id, now) = (id.to_owned(), self.clock.now());
        self.database.read(move |connection| find(connection, &id, now))
    }

    /// The newest 200, the newest first.
    pub fn list(&self, which: ApprovalFilter) -> Reply<Vec<Approval>> {
        let (is_pending, now) = (which == ApprovalFilter::Pending, self.clock.now());
        self.database.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM approvals
                 WHERE NOT ? OR (state = 'pending' AND expires_at_ms > ?)
                 ORDER BY created_at_ms DESC, rowid DESC LIMIT 200"
            );
            let mut query = connection.prepare(&sql)?;
            let rows = query.query_map(params![is_pending, unix_ms(now)], |row| read(row, now))?;
            rows.map(|row| row.map_err(StoreError::from)).collect()
        })
    }
}

fn insert(connection: &Connection, new: &NewApproval) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO approvals (id, run_id, kind, subject_sha256, title, details,
             created_at_ms, expires_at_ms, state)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'pending')",
        params![
            new.id,
            new.run_id,
            new.kind,
            new.subject,
            new.title,
            new.details,
            unix_ms(new.created_at),
            unix_ms(new.expires_at)
        ],
    )?;
    Ok(())
}

fn find(
    connection: &Connection,
    id: &str,
    now: SystemTime,
) -> Result<Option<Approval>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM approvals WHERE id = ?");
    Ok(connection.query_row(&sql, [id], |row| read(row, now)).optional()?)
}

fn read(row: &Row<'_>, now: SystemTime) -> rusqlite::Result<Approval> {
    let expires_at = from_unix_ms(row.get(7)?);
    let state = ApprovalState::parse(&row.get::<_, String>(8)?);
    let over =
        expires_at <= now && matches!(state, ApprovalState::Pending | ApprovalState::Approved);
    let scope: Option<String> = row.get(9)?;
    Ok(Approval {
        asked: NewApproval {
            id: row.get(0)?,
            run_id: row.get(1)?,
            kind: row.get(2)?,
            subject: row.get(3)?,
            title: row.get(4)?,
            details: row.get(5)?,
            created_at: from_unix_ms(row.get(6)?),
            expires_at,
        },
        state: if over { ApprovalState::Expired } else { state },
        scope: match scope.as_deref() {
            Some("session") => ApprovalScope::Session,
            _ => ApprovalScope::Once,
        },
        decided_by: row.get(10)?,
    })
}

#[cfg(test)]
mod tests;
