//! The writer thread and the questions one can ask.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, params};
use thiserror::Error;
use tidegate_model::ToolRef;
use tokio::sync::oneshot;

use crate::accepted::{self, AcceptedServer, AcceptedTool};
use crate::connections;
use crate::record::{CallRecord, CommandRecord, RunRecord, SkillRecord, Stats};
use crate::schema::migrate;
use crate::shapes::{self, ShapeRecord};
use crate::together;

/// Another gateway may hold the write lock; a commit takes milliseconds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a call may wait for others to be written with it. Its run waits for
/// no one: calls before it are committed together with it.
const BATCH_TIME: Duration = Duration::from_millis(50);

/// Calls that wait for a database that fails.
const MOST_WAITING_CALLS: usize = 100_000;

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
}

/// The database of one state folder.
pub struct Store {
    path: PathBuf,
    waiting: Arc<Mutex<Waiting>>,
    jobs: Option<Sender<Job>>,
    writer: Option<JoinHandle<()>>,
}

/// What is not on disk yet and nobody waits for. Beside the queue, because waking
/// the writer for every call costs more than the call's own bookkeeping.
#[derive(Default)]
struct Waiting {
    calls: Vec<CallRecord>,
    connections: Vec<tidegate_model::Connection>,
    commands: Vec<CommandRecord>,
    skills: Vec<SkillRecord>,
    /// The newest of each tool; `None` removes it.
    shapes: BTreeMap<ToolRef, Option<ShapeRecord>>,
}

impl Waiting {
    fn is_empty(&self) -> bool {
        self.calls.is_empty()
            && self.connections.is_empty()
            && self.commands.is_empty()
            && self.skills.is_empty()
            && self.shapes.is_empty()
    }

    /// Puts back what could not be written, before what came meanwhile: calls
    /// may belong to runs that have not ended. A disk that stays full must not
    /// fill the memory as well.
    fn put_back(&mut self, mut older: Self) {
        older.calls.append(&mut self.calls);
        older.calls.truncate(MOST_WAITING_CALLS);
        self.calls = older.calls;
        older.connections.append(&mut self.connections);
        older.connections.truncate(MOST_WAITING_CALLS);
        self.connections = older.connections;
        older.commands.append(&mut self.commands);
        older.commands.truncate(MOST_WAITING_CALLS);
        self.commands = older.commands;
        older.skills.append(&mut self.skills);
        older.skills.truncate(MOST_WAITING_CALLS);
        self.skills = older.skills;
        for (tool, shape) in older.shapes {
            self.shapes.entry(tool).or_insert(shape);
        }
    }
}

enum Job {
    /// Something waits where nothing did.
    Waiting,
    Run(RunRecord, oneshot::Sender<Result<(), StoreError>>),
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
        Ok(Self { path, waiting, jobs: Some(jobs), writer: Some(writer) })
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

/// The writer thread: everything that is waiting goes into one transaction.
fn write_all(connection: &mut Connection, queue: &Receiver<Job>, waiting: &Mutex<Waiting>) {
    while let Ok(first) = queue.recv() {
        let (runs, waiters): (Vec<RunRecord>, Vec<Waiter>) =
            collect(first, queue).into_iter().unzip();
        // Taken after the runs: a run's calls were pushed before it was sent.
        let batch = std::mem::take(&mut *waiting.lock().unwrap_or_else(PoisonError::into_inner));
        let result = write_batch(connection, &batch, &runs);
        if let Err(error) = &result {
            tracing::error!(%error, "runs could not be recorded");
            waiting.lock().unwrap_or_else(PoisonError::into_inner).put_back(batch);
        }
        for done in waiters {
            let answer = result.as_ref().map_err(|_| StoreError::NotRecorded).copied();
            // Nobody waits any more: the client is gone.
            let _ = done.send(answer);
        }
    }
}

/// The runs that can be written now: all that are queued, or whoever comes
/// within the batch time if so far there is nothing that waits for us.
fn collect(first: Job, queue: &Receiver<Job>) -> Vec<(RunRecord, Waiter)> {
    let until = Instant::now() + BATCH_TIME;
    let mut runs = Vec::new();
    let mut next = Some(first);
    while let Some(job) = next.take() {
        if let Job::Run(run, done) = job {
            runs.push((run, done));
        }
        let wait = if runs.is_empty() {
            until.saturating_duration_since(Instant::now())
        } else {
            Duration::ZERO
        };
        next = queue.recv_timeout(wait).ok();
    }
    runs
}

fn write_batch(
    connection: &mut Connection,
    waiting: &Waiting,
    runs: &[RunRecord],
) -> Result<(), StoreError> {
    let transaction = connection.transaction()?;
    for call in &waiting.calls {
        insert_call(&transaction, call)?;
    }
    for connection in &waiting.connections {
        connections::write(&transaction, connection)?;
    }
    for command in &waiting.commands {
        insert_command(&transaction, command)?;
    }
    for skill in &waiting.skills {
        insert_skill(&transaction, skill)?;
    }
    for (tool, shape) in &waiting.shapes {
        shapes::write(&transaction, tool, shape.as_ref())?;
    }
    for run in runs {
        insert_run(&transaction, run)?;
    }
    transaction.commit()?;
    Ok(())
}

fn insert_call(connection: &Connection, call: &CallRecord) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO calls (run_id, started_at_ms, server, tool, outcome, error_code,
                 duration_us, argument_bytes, answer_bytes, answer_tokens)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            call.run_id.0,
            unix_ms(call.started_at),
            call.tool.server,
            call.tool.tool,
            call.outcome.as_str(),
            call.outcome.error_code(),
            micros(call.duration),
            call.argument_bytes,
            call.answer_bytes,
            call.answer_tokens,
        ])?;
    Ok(())
}

fn insert_command(connection: &Connection, command: &CommandRecord) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO commands (run_id, started_at_ms, name, path, outcome, error_code,
                 exit_code, signal, duration_us, arguments, argument_bytes, input_bytes,
                 output_bytes)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            command.run_id.0,
            unix_ms(command.started_at),
            command.name,
            command.path,
            command.outcome.as_str(),
            command.outcome.error_code(),
            command.exit_code,
            command.signal,
            micros(command.duration),
            command.arguments,
            command.argument_bytes,
            command.input_bytes,
            command.output_bytes,
        ])?;
    Ok(())
}

fn insert_skill(connection: &Connection, skill: &SkillRecord) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO saved_skills (run_id, saved_at_ms, name, outcome, error_code, replaced,
                 language, code_bytes, code_sha256)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            skill.run_id.0,
            unix_ms(skill.saved_at),
            skill.name,
            skill.outcome.as_str(),
            skill.outcome.error_code(),
            skill.replaced,
            skill.language,
            skill.code_bytes,
            skill.code_sha256,
        ])?;
    Ok(())
}

fn insert_run(connection: &Connection, run: &RunRecord) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO runs (id, started_at_ms, kind, language, source_sha256, outcome,
                 error_code, duration_us, tool_calls, result_bytes, answer_tokens, handle)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            run.id.0,
            unix_ms(run.started_at),
            run.kind,
            run.language,
            run.source_sha256,
            run.outcome.as_str(),
            run.outcome.error_code(),
            micros(run.duration),
            run.tool_calls,
            run.result_bytes,
            run.answer_tokens as u64,
            run.handle,
        ])?;
    Ok(())
}

pub(crate) fn unix_ms(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

pub(crate) fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// Makes a folder that only this user can read: it will hold results.
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

pub(crate) fn create_private_dir(path: &Path) -> Result<(), StoreError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|source| StoreError::File { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests;
