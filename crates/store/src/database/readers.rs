//! The threads that read a database, each with a connection of its own.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use super::Kind;
use super::connect::connect_to_read;
use crate::StoreError;

/// Two: a long report does not delay a short query, and more would only compete for the
/// disk.
const THREADS: usize = 2;

type Read = Box<dyn FnOnce(Result<&Connection, StoreError>) + Send>;

/// The reading threads of one file.
pub(super) struct Readers {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    reads: VecDeque<Read>,
    is_closed: bool,
}

impl Readers {
    pub(super) fn start(path: &Path, kind: Kind) -> Result<Self, StoreError> {
        let shared = Arc::<Shared>::default();
        let mut threads = Vec::with_capacity(THREADS);
        for _ in 0..THREADS {
            let (path, own) = (path.to_owned(), Arc::clone(&shared));
            let name = match kind {
                Kind::Record => "read-record",
                Kind::State => "read-state",
            };
            let thread = thread::Builder::new().name(name.into());
            let failed = |source| StoreError::File { path: PathBuf::from(name), source };
            threads.push(thread.spawn(move || read_all(&path, &own)).map_err(failed)?);
        }
        Ok(Self { shared, threads: Mutex::new(threads) })
    }

    pub(super) fn run(&self, read: Read) {
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.reads.push_back(read);
        drop(state);
        self.shared.wake.notify_one();
    }

    /// Waits until all requested reads are answered.
    pub(super) fn close(&self) {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).is_closed = true;
        self.shared.wake.notify_all();
        let threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            let _ = thread.join();
        }
    }
}

fn read_all(path: &Path, shared: &Shared) {
    // Opened on first use: many commands never read one of the files.
    let mut connection = None;
    while let Some(read) = next(shared) {
        let opened = match &connection {
            Some(connection) => Ok(connection),
            None => connect_to_read(path).map(|opened| &*connection.insert(opened)),
        };
        read(opened);
    }
}

fn next(shared: &Shared) -> Option<Read> {
    let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if let Some(read) = state.reads.pop_front() {
            return Some(read);
        }
        if state.is_closed {
            return None;
        }
        state = shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}
