//! The type checker of one language, as the rest of the gateway sees it.
//!
//! In: declarations and a program. Out: its errors, within a deadline.
//! Invariant: there is at most one checker process. The first check starts it; it is killed
//! when a check takes too long, and the next check starts it again.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::{OnceCell, Semaphore};
use tokio::time::timeout_at;

use crate::complaint::{of_pyright, of_ty};
use crate::confine::Confinement;
use crate::diagnostic::{Diagnostic, Report};
use crate::dialect::Dialect;
use crate::error::TypeCheckError;
use crate::failures::Failures;
use crate::launch::Launch;
use crate::message::Paths;
use crate::python::PythonChecker;
use crate::scratch::Scratch;
use crate::server::Server;
use crate::world::{self, Lease, SourceFile, Worlds};
use crate::{python, returns, unchecked};

/// The most concurrent checks; more wait for their turn. This bounds the memory used for a
/// checker that does not read its input.
const MAX_CONCURRENT_CHECKS: usize = 64;

/// Checks programs. Cheap to create; nothing is started until the first check.
pub struct TypeChecker {
    inner: Arc<Inner>,
}

struct Inner {
    launch: Launch,
    folder: PathBuf,
    worlds: OnceCell<Arc<Worlds>>,
    server: tokio::sync::Mutex<Option<Arc<Server>>>,
    failures: Mutex<Failures>,
    permits: Semaphore,
}

impl TypeChecker {
    /// `tsc` is TypeScript's native compiler (see [`find_typescript`](crate::find_typescript)),
    /// `folder` a private scratch folder, which other gateways may share.
    pub fn new(tsc: PathBuf, folder: PathBuf, confinement: Confinement) -> Self {
        Self::with(Launch::typescript(tsc, confinement), folder)
    }

    /// The same for Python (see [`find_python`](crate::find_python)).
    pub fn python(checker: &PythonChecker, folder: PathBuf, confinement: Confinement) -> Self {
        Self::with(checker.launch(confinement), folder)
    }

    pub(crate) fn with(launch: Launch, folder: PathBuf) -> Self {
        let inner = Inner {
            launch,
            folder,
            worlds: OnceCell::new(),
            server: tokio::sync::Mutex::default(),
            failures: Mutex::default(),
            permits: Semaphore::new(MAX_CONCURRENT_CHECKS),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Starts the checker in the background and lets it read its library, so that the first
    /// check avoids a cold start. Needs a Tokio runtime.
    pub fn warm_up(&self) {
        let inner = Arc::clone(&self.inner);
        tokio::spawn(async move {
            if let Err(error) = inner.check(&[], "").await {
                tracing::debug!(%error, "the type checker did not warm up");
            }
        });
    }

    /// The errors of a program that may import these files. `./servers/github`
    /// in the program is `servers/github/index.ts` of `files`.
    pub async fn check(
        &self,
        files: &[SourceFile],
        program: &str,
    ) -> Result<Vec<Diagnostic>, TypeCheckError> {
        let dialect = self.inner.launch.dialect;
        let refused = match dialect.is_python() {
            true => python::refusal(program),
            false => unchecked::reason(program),
        };
        if let Some(reason) = refused.or_else(|| world::refusal(dialect, files)) {
            return Err(TypeCheckError::Refused { reason });
        }
        let inner = Arc::clone(&self.inner);
        let (files, program) = (files.to_vec(), program.to_owned());
        // In a task of its own: if the caller is cancelled, the checker must still be
        // watched until it is done or killed.
        let checked = tokio::spawn(async move { inner.check(&files, &program).await });
        checked.await.unwrap_or_else(|error| Err(broken(error.to_string())))
    }

    /// The compiler process, if there is one.
    #[cfg(test)]
    pub(crate) async fn server(&self) -> Option<Arc<Server>> {
        self.inner.server.lock().await.clone()
    }
}

impl Inner {
    async fn check(
        &self,
        files: &[SourceFile],
        program: &str,
    ) -> Result<Vec<Diagnostic>, TypeCheckError> {
        if let Some(retry_in) = self.failures().off_for(Instant::now()) {
            return Err(TypeCheckError::Off { retry_in });
        }
        let dialect = self.launch.dialect;
        let timeout = || TypeCheckError::Timeout { after: self.launch.deadline };
        let deadline = tokio::time::Instant::now() + self.launch.deadline;
        let waited = timeout_at(deadline, self.permits.acquire()).await;
        let _permit = waited.map_err(|_| timeout())?.map_err(|error| broken(error.to_string()))?;
        let lease = timeout_at(deadline, self.lease(files)).await.map_err(|_| timeout())??;
        let mut may_retry = true;
        loop {
            let server = self.running_server(deadline).await?;
            match timeout_at(deadline, diagnose(&server, lease.folder(), program)).await {
                Ok(Ok(report)) => {
                    self.failures().succeeded();
                    return Ok(errors(dialect, report, &self.paths(&lease)));
                }
                // The process was killed because of another program, so retry once.
                Ok(Err(_)) if may_retry && server.was_stopped() => may_retry = false,
                Ok(Err(reason)) => {
                    self.stop_failed(&server);
                    return Err(broken(reason));
                }
                Err(_) => {
                    self.stop_failed(&server);
                    return Err(timeout());
                }
            }
        }
    }

    async fn lease(&self, files: &[SourceFile]) -> Result<Lease, TypeCheckError> {
        let worlds = Arc::clone(self.worlds().await?);
        let files = files.to_vec();
        let leased = tokio::task::spawn_blocking(move || worlds.lease(&files)).await;
        leased.map_err(|error| broken(error.to_string()))?.map_err(|cause| self.unusable(cause))
    }

    async fn worlds(&self) -> Result<&Arc<Worlds>, TypeCheckError> {
        let make = || async {
            let folder = self.folder.clone();
            let made = tokio::task::spawn_blocking(move || Scratch::make(&folder)).await;
            let scratch = made.map_err(|error| broken(error.to_string()))?;
            let dialect = self.launch.dialect;
            scratch
                .map(|scratch| Arc::new(Worlds::new(scratch, dialect)))
                .map_err(|error| self.unusable(error))
        };
        self.worlds.get_or_try_init(make).await
    }

    async fn running_server(
        &self,
        deadline: tokio::time::Instant,
    ) -> Result<Arc<Server>, TypeCheckError> {
        let starting = async {
            let mut slot = self.server.lock().await;
            if let Some(server) = slot.as_ref().filter(|server| server.is_alive()) {
                return Ok(Arc::clone(server));
            }
            let server = Server::start(&self.launch, self.worlds().await?.folder()).await?;
            Ok(Arc::clone(slot.insert(Arc::new(server))))
        };
        let timeout = TypeCheckError::Timeout { after: self.launch.deadline };
        let started = timeout_at(deadline, starting).await.unwrap_or(Err(timeout));
        if started.is_err() {
            self.failures().failed(Instant::now());
        }
        started
    }

    fn stop_failed(&self, server: &Server) {
        server.stop();
        if server.is_first_failure() {
            self.failures().failed(Instant::now());
        }
    }

    /// The longest paths first, since a world is inside the scratch folder.
    fn paths(&self, lease: &Lease) -> Paths {
        let library = self.launch.compiler.canonicalize().unwrap_or_default();
        let library = library.parent().map(|folder| folder.display().to_string());
        let world = lease.folder().display().to_string();
        let scratch = lease.folder().parent().map(|folder| folder.display().to_string());
        let shown = if self.launch.dialect.is_python() { "checker" } else { "typescript" };
        let places = [(Some(world), "."), (scratch, "…"), (library, shown)];
        let shown = places
            .into_iter()
            .filter_map(|(place, shown)| Some((place.filter(|place| place.len() > 1)?, shown)))
            .collect();
        Paths { shown }
    }

    fn failures(&self) -> std::sync::MutexGuard<'_, Failures> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unusable(&self, cause: std::io::Error) -> TypeCheckError {
        TypeCheckError::Folder { folder: self.folder.display().to_string(), cause }
    }
}

/// Runs one check, and a second one if the first found a `return` whose value it did not
/// check.
async fn diagnose(server: &Server, folder: &Path, program: &str) -> Result<Report, String> {
    let report = server.diagnose(folder, program).await?;
    match returns::as_throws(program, &report.top_level_returns()) {
        Some(changed) => server.diagnose(folder, &changed).await,
        None => Ok(report),
    }
}

fn errors(dialect: Dialect, report: Report, paths: &Paths) -> Vec<Diagnostic> {
    match dialect {
        Dialect::TypeScript => report.errors(paths),
        Dialect::Ty => python::errors(report, of_ty),
        Dialect::Pyright => python::errors(report, of_pyright),
    }
}

fn broken(reason: String) -> TypeCheckError {
    TypeCheckError::Broken { reason }
}

#[cfg(test)]
mod tests;
