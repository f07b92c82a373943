//! Approvals: what a person is asked, and the answer.
//!
//! An approval is bound to the hash of exactly what will happen. It can be answered
//! once, while it is pending, and used once after it was approved, and it expires. Each
//! step is a single statement that names the state it starts from, so if two processes
//! try the same step, only one succeeds.

use std::sync::Arc;
use std::time::SystemTime;

use rusqlite::{Connection, OptionalExtension, Row, params};
use tidegate_model::Clock;

use crate::StoreError;
use crate::database::{Database, Reply};
use crate::units::{from_unix_ms, unix_ms};

/// A new request for approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewApproval {
    /// Its id, as people type it.
    pub id: String,
    /// The run that waits for it.
    pub run_id: String,
    /// The principal that needs it, as it is stored.
    pub asked_by: String,
    /// `program` or `call`.
    pub kind: String,
    /// Hash of exactly what will happen.
    pub subject: String,
    /// A one-line summary.
    pub title: String,
    /// All details, as text. A person is shown them, or a part that says what it leaves out.
    pub details: String,
    /// Hash of title and details.
    pub form_sha256: String,
    /// When approval was requested.
    pub created_at: SystemTime,
    /// The time until which it can be answered and used.
    pub expires_at: SystemTime,
}

impl NewApproval {
    /// What a person signs who approves this: everything that they were shown, and for how
    /// long and for whom it counts. Length prefixes keep different approvals apart.
    pub fn statement(&self, scope: ApprovalScope) -> Vec<u8> {
        let expires = unix_ms(self.expires_at).to_string();
        let parts = [
            "tidegate approval 1",
            scope.as_str(),
            &self.id,
            &self.asked_by,
            &self.kind,
            &self.subject,
            &self.title,
            &self.details,
            &self.form_sha256,
            &expires,
        ];
        let mut statement = Vec::new();
        for part in parts {
            statement.extend_from_slice(&(part.len() as u64).to_le_bytes());
            statement.extend_from_slice(part.as_bytes());
        }
        statement
    }
}

/// The state of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalState {
    /// Nobody has answered.
    Pending,
    /// A person approved it; it was not used yet.
    Approved,
    /// A person denied it.
    Denied,
    /// Approved, and then used.
    Used,
    /// It expired before it was used.
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
            // Nothing else is ever written here; an unknown state must permit nothing.
            _ => Self::Expired,
        }
    }
}

/// How long an approval lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalScope {
    /// For one use.
    Once,
    /// For the rest of the client's session, exactly as shown.
    Session,
    /// The same, and for every call of the same tools, whatever its arguments.
    AllCalls,
}

impl ApprovalScope {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::AllCalls => "all calls",
        }
    }

    fn parse(text: Option<&str>) -> Self {
        match text {
            Some("session") => Self::Session,
            Some("all calls") => Self::AllCalls,
            _ => Self::Once,
        }
    }
}

/// The answer of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalAnswer {
    /// Approve, with this scope.
    Approve(ApprovalScope),
    /// Deny.
    Deny,
}

/// Which approvals to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalFilter {
    /// Those that can still be answered.
    Pending,
    /// All.
    All,
}

/// An approval and its current state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// The request.
    pub asked: NewApproval,
    /// Its current state.
    pub state: ApprovalState,
    /// How long the approval lasts.
    pub scope: ApprovalScope,
    /// How the answer was given: `client`, `passphrase`, `system passphrase`, `cli`,
    /// `terminal`.
    pub decided_by: Option<String>,
    /// When.
    pub decided_at: Option<SystemTime>,
    /// The approver's signature under it, if there is one.
    pub signature: Option<Vec<u8>>,
}

/// The outcome of an attempt to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// Whether this answer took effect.
    pub is_first: bool,
    /// The approval as it is now.
    pub approval: Approval,
}

/// The approvals of a state folder. Clones share them.
#[derive(Clone)]
pub struct Approvals {
    database: Arc<Database>,
    record: Arc<Database>,
    clock: Clock,
}

/// What can be asked and stored.
#[derive(Clone, Copy)]
struct Quota {
    /// Questions that wait for an answer: more are refused.
    pending: u64,
    /// Bytes of their details.
    pending_bytes: u64,
    /// Questions that are answered or expired: the oldest are removed.
    past: u64,
}

/// Chosen: more than any person answers.
const MOST: Quota = Quota { pending: 1000, pending_bytes: 32 * 1024 * 1024, past: 5000 };

const COLUMNS: &str = "id, run_id, kind, subject_sha256, title, details, created_at_ms, \
                       expires_at_ms, state, scope, decided_by, form_sha256, asked_by, \
                       decided_at_ms, signature";

impl Approvals {
    pub(crate) fn new(database: Arc<Database>, record: Arc<Database>, clock: Clock) -> Self {
        Self { database, record, clock }
    }

    /// Requests an approval. An error if too many wait already.
    pub fn ask(&self, new: NewApproval) -> Reply<()> {
        self.ask_within(new, MOST)
    }

    fn ask_within(&self, new: NewApproval, most: Quota) -> Reply<()> {
        let session = new.run_id.clone();
        self.database.write(&session, move |connection| {
            make_room(connection, &new, most)?;
            insert(connection, &new)
        })
    }

    /// Answers a pending approval; `signature` proves who approves. `None` if there is no such
    /// approval.
    pub fn answer(
        &self,
        id: &str,
        answer: ApprovalAnswer,
        by: &str,
        signature: Option<Vec<u8>>,
    ) -> Reply<Option<Answered>> {
        let (id, by, now) = (id.to_owned(), by.to_owned(), self.clock.now());
        self.database.write("", move |connection| {
            let (state, scope) = match answer {
                ApprovalAnswer::Approve(scope) => (ApprovalState::Approved, scope),
                ApprovalAnswer::Deny => (ApprovalState::Denied, ApprovalScope::Once),
            };
            let changed = connection.execute(
                "UPDATE approvals
                 SET state = ?, scope = ?, decided_by = ?, decided_at_ms = ?, signature = ?
                 WHERE id = ? AND state = 'pending' AND expires_at_ms > ?",
                params![
                    state.as_str(),
                    scope.as_str(),
                    by,
                    unix_ms(now),
                    signature,
                    id,
                    unix_ms(now)
                ],
            )?;
            let approval = find(connection, &id, now)?;
            Ok(approval.map(|approval| Answered { is_first: changed == 1, approval }))
        })
    }

    /// Uses up an approval. Returns whether it was usable: approved, not used, not
    /// expired, and for exactly this subject.
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

    /// Whether the record says that an approval was used, whatever its row says.
    pub fn was_used(&self, id: &str) -> Reply<bool> {
        let id = id.to_owned();
        self.record.read(move |connection| {
            let sql = "SELECT EXISTS (SELECT 1 FROM approval_steps
                                      WHERE approval_id = ? AND step = 'approved')";
            Ok(connection.query_row(sql, [id], |row| row.get(0))?)
        })
    }

    /// The newest approval of a subject that is pending, approved or denied, or was used and is
    /// for the session, and not expired.
    pub fn of_subject(&self, subject: &str) -> Reply<Option<Approval>> {
        let (subject, now) = (subject.to_owned(), self.clock.now());
        self.database.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM approvals
                 WHERE subject_sha256 = ? AND expires_at_ms > ?
                     AND (state IN ('pending', 'approved', 'denied')
                         OR (state = 'used' AND scope <> 'once'))
                 ORDER BY created_at_ms DESC, rowid DESC LIMIT 1"
            );
            let row = |row: &Row<'_>| read(row, now);
            Ok(connection.query_row(&sql, params![subject, unix_ms(now)], row).optional()?)
        })
    }

    /// The approval with this id.
    pub fn find(&self, id: &str) -> Reply<Option<Approval>> {
        let (id, now) = (id.to_owned(), self.clock.now());
        self.database.read(move |connection| find(connection, &id, now))
    }

    /// The newest 200, newest first.
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

/// Removes the oldest questions that nobody can answer any more, and checks that there are not
/// too many others.
fn make_room(connection: &Connection, new: &NewApproval, most: Quota) -> Result<(), StoreError> {
    let now = unix_ms(new.created_at);
    let (pending, bytes): (u64, u64) = connection.query_row(
        "SELECT count(*), coalesce(sum(length(details)), 0) FROM approvals
         WHERE state = 'pending' AND expires_at_ms > ?",
        [now],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    if pending >= most.pending || bytes + new.details.len() as u64 > most.pending_bytes {
        return Err(StoreError::TooMuch { what: "questions that wait for an answer" });
    }
    let all: u64 = connection.query_row("SELECT count(*) FROM approvals", [], |row| row.get(0))?;
    let surplus = (all - pending).saturating_sub(most.past);
    if surplus > 0 {
        connection.execute(
            "DELETE FROM approvals WHERE id IN
                (SELECT id FROM approvals WHERE state <> 'pending' OR expires_at_ms <= ?
                 ORDER BY created_at_ms, rowid LIMIT ?)",
            params![now, surplus],
        )?;
    }
    Ok(())
}

fn insert(connection: &Connection, new: &NewApproval) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO approvals (id, run_id, kind, subject_sha256, title, details,
             created_at_ms, expires_at_ms, form_sha256, asked_by, state)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')",
        params![
            new.id,
            new.run_id,
            new.kind,
            new.subject,
            new.title,
            new.details,
            unix_ms(new.created_at),
            unix_ms(new.expires_at),
            new.form_sha256,
            new.asked_by,
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
    let decided_at: Option<i64> = row.get(13)?;
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
            form_sha256: row.get(11)?,
            asked_by: row.get(12)?,
        },
        state: if over { ApprovalState::Expired } else { state },
        scope: ApprovalScope::parse(scope.as_deref()),
        decided_by: row.get(10)?,
        decided_at: decided_at.map(from_unix_ms),
        signature: row.get(14)?,
    })
}

#[cfg(test)]
mod tests;
