//! Workers for each engine: which one a program gets.
//!
//! In: what a program asks for, else what is configured. Out: workers with that
//! engine, or an error that says how to get one; none with an engine that is not
//! in `sandbox.engines`. Engines of the machine are
//! looked for when they are first asked for: most gateways never need one.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tidegate_config::Sandbox;
use tidegate_model::{Engine, ErrorCode, Language, Limits, Program, RunError};
use tidegate_sandbox::{
    EngineError, ExternalEngine, Pool, PoolSettings, ProcessDriver, Python, PythonError,
    find_engine, find_python,
};
use tokio::sync::Mutex;

use crate::explain;

/// The workers of a gateway.
pub(crate) struct Engines {
    executable: PathBuf,
    sandbox: Sandbox,
    limits: Limits,
    path_variable: OsString,
    home: Option<PathBuf>,
    quickjs: Arc<Pool>,
    /// Whether workers are kept ready: of the default engine from the start, of
    /// others once a program has asked for them.
    keeps_ready: AtomicBool,
    /// Those with Python, once it was found.
    python: Mutex<Option<Arc<Pool>>>,
    /// The modules that programs in Python can import, once it was found; nothing if
    /// that is not known for sure.
    modules: OnceLock<Arc<BTreeSet<String>>>,
    /// Those of engines that were found. One that was not is looked for again:
    /// the user may have installed it.
    found: Mutex<HashMap<Engine, Arc<Pool>>>,
}

impl Engines {
    /// Starts nothing and looks for nothing yet.
    pub(crate) fn new(
        executable: PathBuf,
        sandbox: Sandbox,
        limits: Limits,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Self {
        let driver = ProcessDriver::new(executable.clone(), limits.clone(), sandbox.min_isolation);
        let quickjs = Arc::new(Pool::new(Arc::new(driver), ready(&sandbox)));
        let path_variable = variable("PATH").unwrap_or_default();
        let home = variable("HOME").map(PathBuf::from);
        Self {
            executable,
            sandbox,
            limits,
            path_variable,
            home,
            quickjs,
            keeps_ready: AtomicBool::new(false),
            python: Mutex::default(),
            modules: OnceLock::new(),
            found: Mutex::default(),
        }
    }

    /// What reads programs. Starts nothing yet.
    pub(crate) fn readers(&self) -> Pool {
        let (limits, least) = (self.limits.clone(), self.sandbox.min_isolation);
        let source = ProcessDriver::new(self.executable.clone(), limits, least).reading();
        Pool::new(Arc::new(source), ready(&self.sandbox))
    }

    /// The engine of a program that asks for this one, or for none.
    pub(crate) fn chosen(&self, asked: Option<Engine>) -> Engine {
        asked.unwrap_or(self.sandbox.engine)
    }

    /// From now on workers are kept ready.
    pub(crate) async fn keep_ready(&self) {
        self.keeps_ready.store(true, Ordering::Relaxed);
        // An engine that is missing is told to the first run.
        if let Ok(workers) = self.workers(self.chosen(None)).await {
            workers.prepare();
        }
    }

    fn pool(&self, driver: ProcessDriver) -> Arc<Pool> {
        let workers = Arc::new(Pool::new(Arc::new(driver), ready(&self.sandbox)));
        if self.keeps_ready.load(Ordering::Relaxed) {
            workers.prepare();
        }
        workers
    }

    /// Workers that can run this program.
    pub(crate) async fn workers_for(&self, program: &Program) -> Result<Arc<Pool>, RunError> {
        match (program.language, program.engine) {
            (Language::TypeScript, asked) => self.workers(self.chosen(asked)).await,
            (Language::Python, None) => self.python_workers().await,
            (Language::Python, Some(engine)) => {
                let message = format!("`{}` does not run Python", engine.as_str());
                let hint = "leave `engine` out: it is for programs in TypeScript";
                Err(RunError::new(ErrorCode::BadArgument, message).with_hint(hint))
            }
        }
    }

    async fn python_workers(&self) -> Result<Arc<Pool>, RunError> {
        let mut known = self.python.lock().await;
        if let Some(workers) = &*known {
            return Ok(Arc::clone(workers));
        }
        let python = self.find_python().await.map_err(|error| {
            tracing::warn!(%error, "no Python");
            explain::no_python(&error)
        })?;
        // What a virtual environment has can be anything.
        if python.packages.is_none() && !python.modules.is_empty() {
            let _ = self.modules.set(Arc::new(python.modules.clone()));
        }
        let (limits, least) = (self.limits.clone(), self.sandbox.min_isolation);
        let driver = ProcessDriver::new(self.executable.clone(), limits, least)
            .with_python(python, self.sandbox.fork);
        let workers = self.pool(driver);
        *known = Some(Arc::clone(&workers));
        Ok(workers)
    }

    /// The modules that a program in Python can import, if that is known.
    pub(crate) fn python_modules(&self) -> Option<&BTreeSet<String>> {
        self.modules.get().map(AsRef::as_ref)
    }

    /// Looks for Python on the machine.
    pub(crate) async fn find_python(&self) -> Result<Python, PythonError> {
        let (path, packages) = (self.sandbox.python.as_deref(), self.sandbox.packages.as_deref());
        find_python(&self.executable, path, packages, &self.path_variable).await
    }

    /// Workers with this engine, if it may be used.
    pub(crate) async fn workers(&self, engine: Engine) -> Result<Arc<Pool>, RunError> {
        if !self.sandbox.engines.contains(&engine) {
            return Err(denied(engine, &self.sandbox));
        }
        if engine == Engine::QuickJs {
            return Ok(Arc::clone(&self.quickjs));
        }
        let mut found = self.found.lock().await;
        if let Some(workers) = found.get(&engine) {
            return Ok(Arc::clone(workers));
        }
        let external = self.find(engine).await.map_err(|error| {
            tracing::warn!(%error, engine = engine.as_str(), "no engine");
            missing(engine, &error)
        })?;
        let (limits, least) = (self.limits.clone(), self.sandbox.min_isolation);
        let driver = ProcessDriver::new(self.executable.clone(), limits, least)
            .with_engine(&external)
            .await
            .map_err(|error| {
                tracing::warn!(%error, engine = engine.as_str(), "its files are not known");
                let program = external.program.clone();
                missing(engine, &EngineError::Broken { program, reason: error.to_string() })
            })?;
        let workers = self.pool(driver);
        found.insert(engine, Arc::clone(&workers));
        Ok(workers)
    }

    /// Ends the workers that wait, and waits until they are gone.
    pub(crate) async fn close(&self) {
        self.quickjs.close().await;
        if let Some(workers) = &*self.python.lock().await {
            workers.close().await;
        }
        for workers in self.found.lock().await.values() {
            workers.close().await;
        }
    }

    /// Looks for an engine of the machine.
    pub(crate) async fn find(&self, engine: Engine) -> Result<ExternalEngine, EngineError> {
        let configured = match engine {
            Engine::Deno => self.sandbox.deno.as_deref(),
            Engine::Node => self.sandbox.node.as_deref(),
            Engine::QuickJs => None,
        };
        find_engine(engine, configured, &self.path_variable, self.home.as_deref()).await
    }
}

/// How many workers are kept ready.
fn ready(sandbox: &Sandbox) -> PoolSettings {
    PoolSettings::at_most(usize::try_from(sandbox.capacity.warm_workers).unwrap_or(usize::MAX))
}

/// For the model, which can ask for another, and its user, who can allow it.
fn denied(engine: Engine, sandbox: &Sandbox) -> RunError {
    let hint = format!(
        "leave `engine` out to run it with `{}`; the user allows others under `sandbox.engines`",
        sandbox.engine.as_str()
    );
    let fact = format!("programs may not run with `{}`", engine.as_str());
    RunError::new(ErrorCode::EngineDenied, fact).with_hint(hint)
}

/// For the model and its user. Without the paths of the machine: `tidegate
/// doctor` shows them.
fn missing(engine: Engine, error: &EngineError) -> RunError {
    let word = engine.as_str();
    let fact = match error {
        EngineError::Missing { .. } => format!("there is no `{word}` on this machine"),
        EngineError::Broken { .. } => format!("the `{word}` of this machine does not run"),
        EngineError::TooOld { version, least, .. } => {
            format!("the `{word}` of this machine is of version {version}, {least} is needed")
        }
    };
    let hint = format!(
        "leave `engine` out to run it with `quickjs`; or let the user install `{word}` on PATH or \
         set `sandbox.{word}`, `tidegate doctor` says what was found"
    );
    RunError::new(ErrorCode::EngineMissing, fact).with_hint(hint)
}
