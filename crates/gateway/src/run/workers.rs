//! The registry of workers: one pool for each kind of sandbox and each engine.
//!
//! In: a program and the sandbox that it runs in. Out: workers for it, or an error that
//! says how to get them. An engine that is not in `sandbox.engines` has none, and neither
//! has a kind of sandbox without a driver. Engines on the machine are looked for when they
//! are first needed: most gateways never need one.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tidegate_config::Sandbox;
use tidegate_model::{Engine, ErrorCode, Language, Limits, Program, RunError, SandboxKind};
use tidegate_sandbox::{
    EngineError, ExternalEngine, Pool, PoolSettings, ProcessDriver, Python, PythonError,
    find_engine, find_python,
};

use crate::explain;

/// The kinds of sandboxes that are jailed processes. They share their workers: a worker
/// that is not isolated enough for `strict` is refused when it is taken.
const JAILED: [SandboxKind; 2] = [SandboxKind::Process, SandboxKind::Strict];

/// The interpreter that runs a program inside its sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Interpreter {
    JavaScript(Engine),
    Python,
}

type Pools = HashMap<(SandboxKind, Interpreter), Arc<Pool>>;

/// The workers of a gateway.
pub(crate) struct Workers {
    executable: PathBuf,
    sandbox: Sandbox,
    limits: Limits,
    state_dir: PathBuf,
    path_variable: OsString,
    home: Option<PathBuf>,
    /// Whether workers are kept ready: for the default engine from the start, for others
    /// once a program has asked for them.
    keeps_ready: AtomicBool,
    /// The modules that Python programs can import, once Python was found; unset if that
    /// is not known for sure.
    modules: OnceLock<BTreeSet<String>>,
    pools: Mutex<Pools>,
    /// Held while an engine is looked for. One that was not found is looked for again: the
    /// user may have installed it.
    search: tokio::sync::Mutex<()>,
}

impl Workers {
    /// Starts nothing and looks for nothing yet.
    pub(crate) fn new(
        executable: PathBuf,
        sandbox: Sandbox,
        limits: Limits,
        state_dir: PathBuf,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Self {
        let workers = Self {
            executable,
            sandbox,
            limits,
            state_dir,
            path_variable: variable("PATH").unwrap_or_default(),
            home: variable("HOME").map(PathBuf::from),
            keeps_ready: AtomicBool::new(false),
            modules: OnceLock::new(),
            pools: Mutex::default(),
            search: tokio::sync::Mutex::default(),
        };
        workers.register(&JAILED, Interpreter::JavaScript(Engine::QuickJs), workers.process());
        workers
    }

    /// The readers of programs. Starts nothing yet.
    pub(crate) fn readers(&self) -> Pool {
        Pool::new(Arc::new(self.process().reading()), ready(&self.sandbox))
    }

    /// The kinds of sandboxes that have workers.
    pub(crate) fn sandboxes() -> Vec<SandboxKind> {
        JAILED.to_vec()
    }

    /// Keeps workers ready from now on.
    pub(crate) async fn keep_ready(&self) {
        self.keeps_ready.store(true, Ordering::Relaxed);
        // The first run gets the error of a missing engine.
        if let Ok(workers) = self.jailed(Interpreter::JavaScript(self.sandbox.engine)).await {
            workers.prepare();
        }
    }

    /// Looks for the engine of a program, and starts a worker if none is ready: it is needed
    /// once the program was read.
    pub(crate) async fn prepare(&self, program: &Program) -> Result<(), RunError> {
        self.jailed(self.interpreter(program)?).await?.start_ahead();
        Ok(())
    }

    /// Looks for an engine.
    pub(crate) async fn prepare_engine(&self, engine: Engine) -> Result<(), RunError> {
        self.jailed(Interpreter::JavaScript(engine)).await.map(drop)
    }

    /// Workers that can run this program in this kind of sandbox.
    pub(crate) async fn get(
        &self,
        kind: SandboxKind,
        program: &Program,
    ) -> Result<Arc<Pool>, RunError> {
        let interpreter = self.interpreter(program)?;
        match kind {
            SandboxKind::Process | SandboxKind::Strict => self.jailed(interpreter).await,
            // These have no driver. A kind that has one is looked up like a jailed one.
            SandboxKind::Docker | SandboxKind::Vm => {
                let pool = self.registered(kind, interpreter);
                pool.ok_or_else(|| explain::no_such_sandbox(kind))
            }
        }
    }

    /// The modules that a program in Python can import, if that is known.
    pub(crate) fn python_modules(&self) -> Option<&BTreeSet<String>> {
        self.modules.get()
    }

    /// Looks for Python on the machine.
    pub(crate) async fn find_python(&self) -> Result<Python, PythonError> {
        let (path, packages) = (self.sandbox.python.as_deref(), self.sandbox.packages.as_deref());
        find_python(&self.executable, path, packages, &self.path_variable).await
    }

    /// Looks for an engine on the machine.
    pub(crate) async fn find_engine(&self, engine: Engine) -> Result<ExternalEngine, EngineError> {
        let configured = match engine {
            Engine::Deno => self.sandbox.deno.as_deref(),
            Engine::Node => self.sandbox.node.as_deref(),
            Engine::QuickJs => None,
        };
        find_engine(engine, configured, &self.path_variable, self.home.as_deref()).await
    }

    /// Ends the idle workers, and waits until they are gone.
    pub(crate) async fn close(&self) {
        // A pool may be registered for several kinds; closing it again does nothing.
        let pools: Vec<Arc<Pool>> = self.pools().values().map(Arc::clone).collect();
        for pool in pools {
            pool.close().await;
        }
    }

    /// The interpreter for this program.
    fn interpreter(&self, program: &Program) -> Result<Interpreter, RunError> {
        match (program.language, program.engine) {
            (Language::TypeScript, engine) => {
                Ok(Interpreter::JavaScript(engine.unwrap_or(self.sandbox.engine)))
            }
            (Language::Python, None) => Ok(Interpreter::Python),
            (Language::Python, Some(engine)) => {
                let message = format!("`{}` does not run Python", engine.as_str());
                let hint = "leave `engine` out: it is for programs in TypeScript";
                Err(RunError::new(ErrorCode::BadArgument, message).with_hint(hint))
            }
        }
    }

    /// Workers that are jailed processes, if the engine may be used and is found.
    async fn jailed(&self, interpreter: Interpreter) -> Result<Arc<Pool>, RunError> {
        if let Interpreter::JavaScript(engine) = interpreter
            && !self.sandbox.engines.contains(&engine)
        {
            return Err(denied(engine, &self.sandbox));
        }
        if let Some(pool) = self.registered(SandboxKind::Process, interpreter) {
            return Ok(pool);
        }
        let _searching = self.search.lock().await;
        // Another run may have found it meanwhile.
        if let Some(pool) = self.registered(SandboxKind::Process, interpreter) {
            return Ok(pool);
        }
        let driver = match interpreter {
            Interpreter::JavaScript(engine) => self.with_engine(engine).await?,
            Interpreter::Python => self.with_python().await?,
        };
        Ok(self.register(&JAILED, interpreter, driver))
    }

    fn process(&self) -> ProcessDriver {
        let least = self.sandbox.min_isolation;
        ProcessDriver::new(self.executable.clone(), self.limits.clone(), least)
            .spooling_in(self.state_dir.clone())
    }

    async fn with_python(&self) -> Result<ProcessDriver, RunError> {
        let python = self.find_python().await.map_err(|error| {
            tracing::warn!(%error, "no Python");
            explain::no_python(&error)
        })?;
        // A virtual environment can have any module.
        if python.packages.is_none() && !python.modules.is_empty() {
            let _ = self.modules.set(python.modules.clone());
        }
        Ok(self.process().with_python(python, self.sandbox.fork))
    }

    async fn with_engine(&self, engine: Engine) -> Result<ProcessDriver, RunError> {
        let external = self.find_engine(engine).await.map_err(|error| {
            tracing::warn!(%error, engine = engine.as_str(), "no engine");
            missing(engine, &error)
        })?;
        self.process().with_engine(&external).await.map_err(|error| {
            tracing::warn!(%error, engine = engine.as_str(), "its files are not known");
            let program = external.program.clone();
            missing(engine, &EngineError::Broken { program, reason: error.to_string() })
        })
    }

    fn register(
        &self,
        kinds: &[SandboxKind],
        interpreter: Interpreter,
        driver: ProcessDriver,
    ) -> Arc<Pool> {
        let pool = Arc::new(Pool::new(Arc::new(driver), ready(&self.sandbox)));
        if self.keeps_ready.load(Ordering::Relaxed) {
            pool.prepare();
        }
        let mut pools = self.pools();
        pools.extend(kinds.iter().map(|kind| ((*kind, interpreter), Arc::clone(&pool))));
        drop(pools);
        pool
    }

    fn registered(&self, kind: SandboxKind, interpreter: Interpreter) -> Option<Arc<Pool>> {
        self.pools().get(&(kind, interpreter)).map(Arc::clone)
    }

    fn pools(&self) -> MutexGuard<'_, Pools> {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many workers are kept ready.
fn ready(sandbox: &Sandbox) -> PoolSettings {
    PoolSettings::at_most(usize::try_from(sandbox.capacity.warm_workers).unwrap_or(usize::MAX))
}

/// For the model, which can ask for another, and its user, who can allow it.
fn denied(engine: Engine, sandbox: &Sandbox) -> RunError {
    let hint = format!(
        "omit `engine` to run it with `{}`; the user can allow others under `sandbox.engines`",
        sandbox.engine.as_str()
    );
    let fact = format!("programs may not run with `{}`", engine.as_str());
    RunError::new(ErrorCode::EngineDenied, fact).with_hint(hint)
}

/// For the model and its user. Omits the paths of the machine, which `tidegate doctor`
/// shows.
fn missing(engine: Engine, error: &EngineError) -> RunError {
    let word = engine.as_str();
    let fact = match error {
        EngineError::Missing { .. } => format!("there is no `{word}` on this machine"),
        EngineError::Broken { .. } => format!("the `{word}` of this machine does not run"),
        EngineError::TooOld { version, least, .. } => {
            format!("found `{word}` {version}; {least} or later is required")
        }
    };
    let hint = format!(
        "omit `engine` to run it with `quickjs`, or ask the user to install `{word}` on PATH or to \
         set `sandbox.{word}`; `tidegate doctor` shows what was found"
    );
    RunError::new(ErrorCode::EngineMissing, fact).with_hint(hint)
}
