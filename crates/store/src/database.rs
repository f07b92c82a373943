//! One database file: a thread that writes it, and two that read it.
//!
//! In: closures over a connection. Out: a [`Reply`], to be awaited or waited for. Must
//! stay true: nobody else in this process has a connection to the file, so nothing waits
//! for a lock on the threads of the async runtime; what was committed is there for every
//! read that begins afterwards, in this process and in others that share the folder.

mod connect;
mod queue;
mod readers;
mod reply;
mod writer;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use crate::StoreError;
use queue::{Afterwards, Job, Queue, Waiter};
use readers::Readers;
use reply::reply;

pub(crate) use connect::connect;
pub use reply::{Reply, wait};

/// What a file is for. It decides which connections to it are allowed what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Rows are only ever inserted.
    Record,
    /// Rows change, and those that are deleted are overwritten: they may be somebody's.
    State,
}

impl Kind {
    /// Its file in a state folder.
    pub(crate) fn path(self, state_dir: &Path) -> PathBuf {
        state_dir.join(match self {
            Self::Record => "record.db",
            Self::State => "state.db",
        })
    }
}

/// A database file and its threads. Dropping it waits until everything is written.
pub(crate) struct Database {
    queue: Arc<Queue>,
    readers: Readers,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl Database {
    /// Starts the threads for a file that has its tables already. `connection` is the one
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
            .spawn(move || writer::write_all(&mut connection, &jobs))
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

    /// Changes something, all or nothing, and answers after the commit. `work` may run
    /// more than once. It is done even if nobody waits for the reply.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        session: &str,
        work: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Reply<T> {
        self.enqueue(session, Afterwards::Nothing, work)
    }

    /// The same for what deletes: after the commit the write-ahead log, which still has
    /// the pages from before, is moved into the database and emptied.
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
        // From the transaction to its commit; both happen on the writer's thread.
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
            // Nobody waits any more: the client is gone.
            let _ = sender.send(answer);
        });
        self.queue.push(session, Job { apply, waiter: Waiter::Done(done), afterwards });
        reply
    }

    /// Changes something that nobody waits for, no later than what the same session asks
    /// for next. Tried again until it succeeds.
    pub(crate) fn add(
        &self,
        session: &str,
        apply: impl FnMut(&Connection) -> Result<(), StoreError> + Send + 'static,
    ) {
        let (apply, afterwards) = (Box::new(apply), Afterwards::Nothing);
        self.queue.push(session, Job { apply, waiter: Waiter::Nobody, afterwards });
    }

    /// Changes something, all or nothing, that nobody waits for and that can fail: then the
    /// log says what.
    pub(crate) fn attempt(
        &self,
        session: &str,
        failure: &'static str,
        apply: impl FnMut(&Connection) -> Result<(), StoreError> + Send + 'static,
    ) {
        let (apply, afterwards) = (Box::new(apply), Afterwards::Nothing);
        self.queue.push(session, Job { apply, waiter: Waiter::Log(failure), afterwards });
    }

    /// Waits until the queue of a session has room.
    pub(crate) async fn room(&self, session: &str) {
        self.queue.room(session).await;
    }

    /// Answers once the writer has tried to write everything that was handed over before.
    /// Whether it could is in the log: a full disk is no reason to show nothing.
    pub(crate) fn flush(&self) -> Reply<()> {
        let (sender, reply) = reply();
        self.queue.flush(Box::new(move || {
            let _ = sender.send(Ok(()));
        }));
        reply
    }
}

impl Drop for Database {
    /// Waits until what was handed over is on disk.
    fn drop(&mut self) {
        self.queue.close();
        self.readers.close();
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writer) = writer {
            let _ = writer.join();
        }
    }
}
