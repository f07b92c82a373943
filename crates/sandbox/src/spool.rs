//! Bytes of a large frame on disk, until all of them have arrived.
//!
//! In: pieces as a guest sends them. Out: the whole frame, read once.
//! Invariant: the file has no name while a guest sends, so nobody else can open it and nothing
//! is left of it when this process ends.

use std::fs::{File, OpenOptions, remove_file};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::task::spawn_blocking;

/// Names that may be taken, as by a process that was killed while it created its file.
const ATTEMPTS: usize = 16;

/// A file without a name.
#[derive(Debug)]
pub(crate) struct Spool {
    file: File,
    bytes: usize,
}

impl Spool {
    /// Creates the file in this folder.
    pub(crate) async fn create(folder: &Path) -> io::Result<Self> {
        let folder = folder.to_owned();
        let file = blocking(move || nameless(&folder)).await?;
        Ok(Self { file, bytes: 0 })
    }

    /// Appends a piece, and gives its buffer back.
    pub(crate) async fn append(self, piece: Vec<u8>) -> io::Result<(Self, Vec<u8>)> {
        let Self { mut file, bytes } = self;
        blocking(move || {
            file.write_all(&piece)?;
            Ok((Self { file, bytes: bytes + piece.len() }, piece))
        })
        .await
    }

    /// All bytes, passed to `decode` outside of the runtime's threads.
    pub(crate) async fn read<T: Send + 'static>(
        self,
        decode: impl FnOnce(&[u8]) -> T + Send + 'static,
    ) -> io::Result<T> {
        let Self { mut file, bytes } = self;
        blocking(move || {
            let mut body = vec![0; bytes];
            file.rewind()?;
            file.read_exact(&mut body)?;
            Ok(decode(&body))
        })
        .await
    }
}

fn nameless(folder: &Path) -> io::Result<File> {
    static NUMBERS: AtomicU64 = AtomicU64::new(0);
    let mut refused = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..ATTEMPTS {
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(".frame-{}-{number}", std::process::id()));
        // A link of that name is not followed: the file must be new.
        match OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => return remove_file(&path).map(|()| file),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => refused = error,
            Err(error) => return Err(error),
        }
    }
    Err(refused)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    // It panics nowhere, so the only failure is a runtime that ends.
    spawn_blocking(work).await.unwrap_or_else(|_| Err(io::ErrorKind::Interrupted.into()))
}
