//! The writer thread and the questions one can ask.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rusqlite::Connection;
use thiserror::Error;
use tidegate_model::{DataType, RunId, ToolRef};
use tokio::sync::oneshot;

use crate::accepted::{self, AcceptedServer, AcceptedTool};
use crate::alerts::AlertRecord;
use crate::approvals::Approvals;
use crate::parked::{self, Parked, ParkedRun, WaitingRun};
use crate::personal::{self, PiiReport, RestoresRecord};
use crate::record::{CallRecord, CommandRecord, RunRecord, SkillRecord, Stats, insert_run};
use crate::schema::migrate;
use crate::shapes::{self, ShapeRecord};
use crate::together;
use crate::vault::{Vault, VaultKey};
use crate::waiting::Waiting;

/// Another gateway may hold the write lock; a commit takes milliseconds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a call may wait for others to be written with it. Its run waits for
/// no one: calls before it are committed together with it.
const BATCH_TIME: Duration = Duration::from_millis(50);

/// Why the state could not be kept.
#[derive(Debug, Error)]
pub enum StoreError {
    /// SQLite failed.
    #[error("the database failed")]
    Database(#[from] rusqlite::Error),
    /// A file or folder of the state could not be made.
    #[error("cannot write `{path}`")]
    File {
        /// Which one.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The database was written by a newer tidegate.
    #[error("the database has version {found}, this tidegate knows up to {known}")]
    TooNew {
        /// Its version.
        found: usize,
        /// The newest version known here.
        known: usize,
    },
    /// The transaction that held this run failed; the log has the cause.
    #[error("the run could not be recorded")]
    NotRecorded,
    /// The writer thread has ended.
    #[error("the database is closed")]
    Closed,
    /// The file with the vault's key cannot be trusted.
    #[error("the vault's key `{path}` {why}: {remedy}")]
    UnfitKey {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A token was given to two values, by two processes with the same session.
    #[error("`{token}` stands for another value already")]
    TokenTaken {
        /// Which one.
        token: String,
    },
    /// The system gave no random bytes.
    #[error("the system gave no random bytes")]
    NoRandomness,
    /// A cipher has its limits; this one is at 256 GB.
    #[error("a value is too long for the vault")]
    TooLongForVault,
}

/// The database of one state folder.
pub struct Store {
    path: PathBuf,
    waiting: Arc<Mutex<Waiting>>,
    jobs: Option<Sender<Job>>,
    writer: Option<JoinHandle<()>>,
    /// Runs that are kept here and live here, with their owners.
    parked: Mutex<BTreeMap<String, String>>,
}

enum Job {
    /// Something waits where nothing did.
    Waiting,
    Run(RunRecord, Waiter),
    /// Somebody waits for what was handed over, and not on an async channel: a report is
    /// read where a thread may block.
    Flush(Sender<()>),
}

impl Store {
    /// Opens the database in a state folder and makes both if they are missing.
    pub fn open(state_dir: &Path) -> Result<Self, StoreError> {
        create_private_dir(state_dir)?;
        let path = state_dir.join("tidegate.db");
        let mut connection = connect(&path)?;
        migrate(&mut connection)?;
        let (jobs, queue) = channel();
        let waiting = Arc::<Mutex<Waiting>>::default();
        let taken = Arc::clone(&waiting);
        let writer = thread::Builder::new()
            .name("store".into())
            .spawn(move || write_all(&mut connection, &queue, &taken))
            .map_err(|source| StoreError::File { path: path.clone(), source })?;
        let parked = Mutex::default();
        Ok(Self { path, waiting, jobs: Some(jobs), writer: Some(writer), parked })
    }

    /// Records a call. It is on disk no later than the run that made it.
    pub fn record_call(&self, call: CallRecord) {
        self.add(|waiting| waiting.calls.push(call));
    }

    /// Records a connection of a program. It is on disk no later than the run
    /// that made it.
    pub fn record_connection(&self, connection: tidegate_model::Connection) {
        self.add(|waiting| waiting.connections.push(connection));
    }

    /// Records a host command. It is on disk no later than the run that made it.
    pub fn record_command(&self, command: CommandRecord) {
        self.add(|waiting| waiting.commands.push(command));
    }

    /// Records that a skill was saved, or was not. It is on disk no later than the
    /// run that did it.
    pub fn record_skill(&self, skill: SkillRecord) {
        self.add(|waiting| waiting.skills.push(skill));
    }

    /// Keeps what is known about a tool's results, or forgets it. Does not wait.
    pub fn record_shape(&self, tool: ToolRef, shape: Option<ShapeRecord>) {
        self.add(|waiting| {
            waiting.shapes.insert(tool, shape);
        });
    }

    /// Records how many values of which type were in an answer of a tool. Does not wait.
    pub fn record_pii_seen(&self, tool: &ToolRef, found: &[(DataType, u32)], at: SystemTime) {
        // Most answers have none, and the writer is not woken for them.
        if found.iter().any(|(_, count)| *count > 0) {
            self.add(|waiting| waiting.seen.add(tool, found, at));
        }
    }

    /// Records that values were put back. Does not wait.
    pub fn record_restores(&self, restores: RestoresRecord) {
        if restores.counts.iter().any(|(_, count)| *count > 0) {
            self.add(|waiting| waiting.restores.push(restores));
        }
    }

    /// Records something that a person should look at. Does not wait.
    pub fn record_alert(&self, alert: AlertRecord) {
        self.add(|waiting| waiting.alerts.push(alert));
    }

    fn add(&self, what: impl FnOnce(&mut Waiting)) {
        let was_empty = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let was_empty = waiting.is_empty();
            what(&mut waiting);
            was_empty
        };
        if was_empty && let Some(jobs) = &self.jobs {
            // The writer only ends with the store; a panic there is reported by
            // the next `record_run`.
            let _ = jobs.send(Job::Waiting);
        }
    }

    /// Records a run and waits until it and all calls before it are on disk.
    pub async fn record_run(&self, run: RunRecord) -> Result<(), StoreError> {
        let (done, committed) = oneshot::channel();
        let jobs = self.jobs.as_ref().ok_or(StoreError::Closed)?;
        jobs.send(Job::Run(run, done)).map_err(|_| StoreError::Closed)?;
        committed.await.map_err(|_| StoreError::Closed)?
    }

    /// Waits until the writer has tried to write everything that was handed over. Whether
    /// it could is in the log: a full disk is no reason to show nothing.
    fn flush(&self) {
        let (done, written) = channel();
        if let Some(jobs) = &self.jobs
            && jobs.send(Job::Flush(done)).is_ok()
        {
            // An error is a writer that has ended: there is nothing to wait for.
            let _ = written.recv();
        }
    }

    /// Sums over all runs.
    pub fn stats(&self) -> Result<Stats, StoreError> {
        let connection = connect(&self.path)?;
        let stats = connection.query_row(
            "SELECT (SELECT count(*) FROM runs),
                    (SELECT count(*) FROM runs WHERE outcome <> 'succeeded'),
                    (SELECT count(*) FROM calls),
                    (SELECT coalesce(sum(answer_tokens), 0) FROM calls),
                    (SELECT coalesce(sum(answer_tokens), 0) FROM runs)",
            [],
            |row| {
                Ok(Stats {
                    runs: row.get(0)?,
                    failed_runs: row.get(1)?,
                    calls: row.get(2)?,
                    call_tokens: row.get(3)?,
                    answer_tokens: row.get(4)?,
                })
            },
        )?;
        Ok(stats)
    }

    /// Accepts the first tools of a server, unless it has accepted ones.
    pub fn accept_first(
        &self,
        server: &AcceptedServer,
        tools: &[AcceptedTool],
    ) -> Result<(), StoreError> {
        accepted::write_first(&mut connect(&self.path)?, server, tools)
    }

    /// Accepts definitions of tools instead of earlier ones, all or none.
    pub fn accept(
        &self,
        server: &AcceptedServer,
        tools: &[AcceptedTool],
    ) -> Result<(), StoreError> {
        let mut connection = connect(&self.path)?;
        let transaction = connection.transaction()?;
        accepted::write(&transaction, server, tools)?;
        transaction.commit()?;
        Ok(())
    }

    /// The hashes of all accepted definitions: server, tool, hash.
    pub fn accepted_hashes(&self) -> Result<Vec<(AcceptedServer, String, String)>, StoreError> {
        accepted::read_hashes(&connect(&self.path)?)
    }

    /// The accepted definition of a tool.
    pub fn accepted_definition(
        &self,
        server: &AcceptedServer,
        tool: &str,
    ) -> Result<Option<String>, StoreError> {
        accepted::read_definition(&connect(&self.path)?, server, tool)
    }

    /// Which tools each of the newest successful runs used.
    pub fn tools_of_runs(&self) -> Result<Vec<Vec<ToolRef>>, StoreError> {
        together::tools_of_runs(&connect(&self.path)?)
    }

    /// What people are asked and answer.
    pub fn approvals(&self) -> Result<Approvals, StoreError> {
        Ok(Approvals { connection: connect(&self.path)? })
    }

    /// Keeps a run that waits for a person, as the caller wrote it down, sealed with the
    /// vault's key.
    pub fn park(&self, key: &VaultKey, run: &ParkedRun<'_>) -> Result<(), StoreError> {
        parked::keep(&connect(&self.path)?, key, run)?;
        self.parked_here().insert(run.id.0.clone(), run.owner.to_owned());
        Ok(())
    }

    /// Keeps more of a run that is kept. Whether it is still its owner's: somebody else
    /// may have gone on with it.
    pub fn park_again(&self, key: &VaultKey, run: &ParkedRun<'_>) -> Result<bool, StoreError> {
        let lives_until = self.lives_until(run.id, run.lives_until);
        parked::keep_again(&connect(&self.path)?, key, &ParkedRun { lives_until, ..*run })
    }

    /// The owner of a run that is kept lives at least until then. Whether it is still its
    /// own.
    pub fn renew_parked(
        &self,
        run: &RunId,
        owner: &str,
        lives_until: SystemTime,
    ) -> Result<bool, StoreError> {
        let lives_until = self.lives_until(run, lives_until);
        parked::renew(&connect(&self.path)?, &run.0, owner, lives_until)
    }

    /// The owner of a run takes it out, to go on with it itself. Whether it was still its
    /// own.
    pub fn unpark(&self, run: &RunId, owner: &str) -> Result<bool, StoreError> {
        self.parked_here().remove(&run.0);
        parked::take_own(&connect(&self.path)?, &run.0, owner)
    }

    /// This process ends: others may go on at once with the runs that wait in it.
    pub fn release_parked(&self) -> Result<(), StoreError> {
        let parked = std::mem::take(&mut *self.parked_here());
        if parked.is_empty() {
            return Ok(());
        }
        let connection = connect(&self.path)?;
        for (run, owner) in &parked {
            parked::renew(&connection, run, owner, UNIX_EPOCH)?;
        }
        Ok(())
    }

    /// A run that was released does not live again.
    fn lives_until(&self, run: &RunId, lives_until: SystemTime) -> SystemTime {
        if self.parked_here().contains_key(&run.0) { lives_until } else { UNIX_EPOCH }
    }

    fn parked_here(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is there of a run. One that does not open with this key is not there.
    pub fn parked(&self, key: &VaultKey, run: &RunId) -> Result<Parked, StoreError> {
        parked::find(&connect(&self.path)?, key, &run.0, SystemTime::now())
    }

    /// Takes a run out that nobody has, as it was seen. Whether it was still there.
    pub fn take_parked(&self, run: &RunId, seen: &WaitingRun) -> Result<bool, StoreError> {
        parked::take(&connect(&self.path)?, &run.0, seen, SystemTime::now())
    }

    /// The values that tokens stand for.
    pub fn vault(&self, key: &VaultKey) -> Result<Vault, StoreError> {
        Vault::new(connect(&self.path)?, key)
    }

    /// Where personal data came from and went, in numbers. Has all that was recorded here
    /// before.
    pub fn pii_report(&self) -> Result<PiiReport, StoreError> {
        self.flush();
        personal::read_report(&connect(&self.path)?)
    }

    /// What was learned about tools until now.
    pub fn shapes(&self) -> Result<Vec<(ToolRef, ShapeRecord)>, StoreError> {
        shapes::read_all(&connect(&self.path)?)
    }
}

impl Drop for Store {
    /// Waits until what was handed over is on disk.
    fn drop(&mut self) {
        self.jobs.take();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(path)?;
    // Before there is anything in it; the files beside it get the same rights.
    make_private(path).map_err(|source| StoreError::File { path: path.to_owned(), source })?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // WAL with NORMAL survives a crash of the process at any point; only a
    // crash of the machine can lose the last commits.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

type Waiter = oneshot::Sender<Result<(), StoreError>>;

/// What the writer does at once.
#[derive(Default)]
struct Ready {
    runs: Vec<RunRecord>,
    waiters: Vec<Waiter>,
    flushes: Vec<Sender<()>>,
}

/// The writer thread: everything that is waiting goes into one transaction.
fn write_all(connection: &mut Connection, queue: &Receiver<Job>, waiting: &Mutex<Waiting>) {
    while let Ok(first) = queue.recv() {
        let Ready { runs, waiters, flushes } = collect(first, queue);
        // Taken after the runs: a run's calls were pushed before it was sent.
        let batch = std::mem::take(&mut *waiting.lock().unwrap_or_else(PoisonError::into_inner));
        let result = write(connection, &batch, &runs);
        if let Err(error) = &result {
            tracing::error!(%error, "runs could not be recorded");
            waiting.lock().unwrap_or_else(PoisonError::into_inner).put_back(batch);
        }
        for done in waiters {
            let answer = result.as_ref().map_err(|_| StoreError::NotRecorded).copied();
            // Nobody waits any more: the client is gone.
            let _ = done.send(answer);
        }
        for done in flushes {
            let _ = done.send(());
        }
    }
}

/// What can be written now: all runs that are queued, or whoever comes within the batch
/// time if so far there is nothing that waits for us.
fn collect(first: Job, queue: &Receiver<Job>) -> Ready {
    let until = Instant::now() + BATCH_TIME;
    let mut ready = Ready::default();
    let mut next = Some(first);
    while let Some(job) = next.take() {
        match job {
            Job::Waiting => {}
            Job::Run(run, done) => {
                ready.runs.push(run);
                ready.waiters.push(done);
            }
            Job::Flush(done) => ready.flushes.push(done),
        }
        let wait = if ready.runs.is_empty() && ready.flushes.is_empty() {
            until.saturating_duration_since(Instant::now())
        } else {
            Duration::ZERO
        };
        next = queue.recv_timeout(wait).ok();
    }
    ready
}

fn write(
    connection: &mut Connection,
    waiting: &Waiting,
    runs: &[RunRecord],
) -> Result<(), StoreError> {
    let transaction = connection.transaction()?;
    waiting.write(&transaction)?;
    for run in runs {
        insert_run(&transaction, run)?;
    }
    transaction.commit()?;
    Ok(())
}

pub(crate) fn unix_ms(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

pub(crate) fn from_unix_ms(ms: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}

pub(crate) fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// Makes a file readable for its owner only, whatever folder it is in. By its path:
/// opening and closing the file would end the locks that SQLite has on it.
fn make_private(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if std::fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
        }
    }
    Ok(())
}

/// Makes a folder that only this user can read: it will hold results.
pub(crate) fn create_private_dir(path: &Path) -> Result<(), StoreError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|source| StoreError::File { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests;
