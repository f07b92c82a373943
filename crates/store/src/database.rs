//! One database file, with one thread that writes it and two that read it.
//!
//! In: closures over a connection. Out: a [`Reply`], to await or to block on.
//! Invariants: nothing else in this process has a connection to the file, so no thread of
//! the async runtime waits for a file lock. Committed data is visible to every read that
//! begins afterwards, in this process and in others that share the folder.

mod connect;
mod queue;
mod readers;
mod reply;
mod writer;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use crate::StoreError;
use queue::{Afterwards, Job, Queue, Waiter};
use readers::Readers;
use reply::reply;

pub(crate) use crate::database_file::Kind;
pub(crate) use connect::connect;
pub use reply::{Reply, wait};

/// A database file and its threads. Dropping it waits until everything is written.
pub(crate) struct Database {
    queue: Arc<Queue>,
    readers: Readers,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl Database {
    /// Starts the threads for a file whose tables exist already. `connection` is the one
    /// that writes.
    pub(crate) fn start(
        state_dir: &Path,
        kind: Kind,
        mut connection: Connection,
    ) -> Result<Arc<Self>, StoreError> {
        let path = kind.path(state_dir);
        let queue = Arc::<Queue>::default();
        let jobs = Arc::clone(&queue);
        let name = match kind {
            Kind::Record => "store-record",
            Kind::State => "store-state",
        };
        let writer = thread::Builder::new()
            .name(name.into())
            .spawn(move || writer::write_all(&mut connection, &jobs, kind))
            .map_err(|source| StoreError::File { path: path.clone(), source })?;
        let readers = Readers::start(&path, kind)?;
        Ok(Arc::new(Self { queue, readers, writer: Mutex::new(Some(writer)) }))
    }

    /// Reads on one of the reading threads.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Reply<T> {
        let (sender, reply) = reply();
        self.readers.run(Box::new(move |connection| {
            let _ = sender.send(connection.and_then(work));
        }));
        reply
    }

    /// Makes a change, all or nothing, and answers after the commit. `work` may run more
    /// than once. The change is made even if nobody awaits the reply.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        session: &str,
        work: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Reply<T> {
        self.enqueue(session, Afterwards::Nothing, work)
    }

    /// Like [`Database::write`], for deletions: after the commit, the write-ahead log,
    /// which still holds the old pages, is moved into the database and emptied.
    pub(crate) fn erase<T: Send + 'static>(
        &self,
        session: &str,
        work: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Reply<T> {
        self.enqueue(session, Afterwards::EmptyLog, work)
    }

    fn enqueue<T: Send + 'static>(
        &self,
        session: &str,
        afterwards: Afterwards,
        mut work: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Reply<T> {
        let (sender, reply) = reply();
        // Carries the value from the transaction to the commit; both happen on the writer's
        // thread.
        let value = Arc::new(Mutex::new(None));
        let written = Arc::clone(&value);
        let apply = Box::new(move |connection: &Connection| {
            let value = work(connection)?;
            *written.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
            Ok(())
        });
        let done = Box::new(move |committed: Result<(), StoreError>| {
            let value = value.lock().unwrap_or_else(PoisonError::into_inner).take();
            let answer = committed.and_then(|()| value.ok_or(StoreError::NotCommitted));
            // Fails only if nobody waits any more: the client is gone.
            let _ = sender.send(answer);
        });
        self.queue.push(session, Job { apply, waiter: Waiter::Done(done), afterwards });
        reply
    }

    /// Makes a change that nobody waits for, no later than the session's next change.
    /// Retried until it succeeds.
    pub(crate) fn add(
        &self,
        session: &str,
        apply: impl FnMut(&Connection) -> Result<(), StoreError> + Send + 'static,
    ) {
        let (apply, afterwards) = (Box::new(apply), Afterwards::Nothing);
        self.queue.push(session, Job { apply, waiter: Waiter::Nobody, afterwards });
    }

    /// Makes a change, all or nothing, that nobody waits for and that may fail; then
    /// `failure` is logged.
    pub(crate) fn attempt(
        &self,
        session: &str,
        failure: &'static str,
        apply: impl FnMut(&Connection) -> Result<(), StoreError> + Send + 'static,
    ) {
        let (apply, afterwards) = (Box::new(apply), Afterwards::Nothing);
        self.queue.push(session, Job { apply, waiter: Waiter::Log(failure), afterwards });
    }

    /// Waits until the session's queue has room.
    pub(crate) async fn room(&self, session: &str) {
        self.queue.room(session).await;
    }

    /// Answers once the writer has tried to write everything queued before. Whether that
    /// succeeded is only in the log: a full disk is no reason to show nothing.
    pub(crate) fn flush(&self) -> Reply<()> {
        let (sender, reply) = reply();
        self.queue.flush(Box::new(move || {
            let _ = sender.send(Ok(()));
        }));
        reply
    }
}

impl Drop for Database {
    /// Waits until everything queued is written.
    fn drop(&mut self) {
        self.queue.close();
        self.readers.close();
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writer) = writer {
            let _ = writer.join();
        }
    }
}
