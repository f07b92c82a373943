//! The parts of a running gateway, put together and taken apart.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;
use tidegate_catalog::{Catalog, Snapshots};
use tidegate_config::{Checks, Settings, TypeCheck};
use tidegate_detect::OptionsError;
use tidegate_egress::{Egress, OpenError};
use tidegate_model::{Engine, RunError};
use tidegate_policy::{Approved, Grants, Policy};
use tidegate_sandbox::{
    CommandRunner, EngineError, ExternalEngine, Pool, Python, PythonError, cleared,
};
use tidegate_store::{Outputs, Skills, Store, StoreError};
use tidegate_typecheck::{Found, FoundPython, TypeChecker, find, find_python};
use tidegate_upstream::Upstreams;
use tidegate_validate::ValidationRules as Patterns;

use crate::admit::admission::Admission;
use crate::admit::capacity;
use crate::bridge::rules_file::{PolicyError, RulesFile};
use crate::context::RunContext;
use crate::examine::patterns::{self, PatternsError};
use crate::examine::python_types::PythonTypes;
use crate::examine::type_check::Types;
use crate::privacy::{Privacy, Vaults};
use crate::run::engines::Engines;
use crate::run_id::new_run_id;
use crate::tokens;
use crate::tools::acceptance::Acceptance;
use crate::tools::discovery::Discovery;
use crate::tools::known::scoring;
use crate::tools::shapes::Shapes;
use crate::tools::together::Together;
use crate::tools::wider::Wider;

/// Why a gateway could not be opened.
#[derive(Debug, Error)]
pub enum GatewayError {
    /// The state folder cannot be used.
    #[error("the state folder `{path}` cannot be used")]
    State {
        /// The folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: StoreError,
    },
    /// The rules about programs cannot be used.
    #[error(transparent)]
    Patterns(#[from] PatternsError),
    /// The network for programs cannot be set up.
    #[error("the network for programs cannot be set up")]
    Network(#[from] OpenError),
    /// What finds personal data cannot be set up.
    #[error("the search for personal data cannot be set up")]
    Privacy(#[from] OptionsError),
    /// The rules for calls cannot be used.
    #[error(transparent)]
    Policy(#[from] PolicyError),
}

/// A running gateway.
pub struct Gateway {
    pub(crate) settings: Settings,
    pub(crate) discovery: Discovery,
    pub(crate) wider: Wider,
    pub(crate) policy: Policy,
    pub(crate) rules_file: RulesFile,
    pub(crate) store: Arc<Store>,
    pub(crate) shapes: Arc<Shapes>,
    pub(crate) together: Together,
    pub(crate) outputs: Arc<Outputs>,
    pub(crate) skills: Skills,
    pub(crate) egress: Egress,
    pub(crate) admission: Arc<Admission>,
    pub(crate) engines: Engines,
    /// What is dangerous in programs.
    pub(crate) patterns: Patterns,
    /// What is done about personal data.
    pub(crate) privacy: Arc<Privacy>,
    pub(crate) vaults: Vaults,
    /// What people approved for sessions, by who asked.
    sessions: Mutex<HashMap<String, Arc<Approved>>>,
    /// The name of this process, for questions of a client that has it to itself.
    own_name: String,
    /// What reads programs.
    pub(crate) readers: Pool,
    /// None if there is no command to run.
    pub(crate) commands: Option<CommandRunner>,
    /// None if it is off, or there is no compiler.
    pub(crate) types: Option<Types>,
    /// The same for Python.
    pub(crate) python_types: Option<PythonTypes>,
}

impl Gateway {
    /// Opens the state and prepares all parts. Starts no server. `executable`
    /// is tidegate itself, started again as worker and as guard; `environment`
    /// is what every stdio server gets before its own variables.
    pub fn open(
        settings: Settings,
        executable: PathBuf,
        environment: BTreeMap<String, String>,
    ) -> Result<Arc<Self>, GatewayError> {
        tokens::warm_up();
        let failed = |source| GatewayError::State { path: settings.state_dir.clone(), source };
        let store = Arc::new(Store::open(&settings.state_dir).map_err(failed)?);
        let shapes = Arc::new(Shapes::open(Arc::clone(&store)).map_err(failed)?);
        let outputs = Arc::new(Outputs::new(&settings.state_dir));
        outputs.prune();
        let on_change = settings.permissions.on_change;
        let acceptance = Acceptance::open(Arc::clone(&store), on_change).map_err(failed)?;
        let snapshots = Snapshots::new(&settings.state_dir);
        let mut catalog = Catalog::with_scoring(scoring(&settings));
        for spec in &settings.servers {
            match snapshots.load(spec) {
                Some((list, hashes)) => {
                    catalog.set_tools(&spec.name, &list);
                    let changes = acceptance.changes(spec, &list, Some(&hashes));
                    catalog.set_changes(&spec.name, changes);
                }
                None => catalog.add_server(&spec.name),
            }
        }
        let policy = Policy::new(Grants {
            servers: settings.servers.iter().map(|spec| spec.name.clone()).collect(),
            tools: settings.permissions.tools.clone(),
            profiles: settings.permissions.profiles.clone(),
            profile: settings.permissions.profile.clone(),
            on_change,
            commands: settings.permissions.commands.clone(),
        });
        let rules_file = RulesFile::open(settings.policy.clone(), &policy)?;
        let types = type_checker(&settings, &environment);
        let python_types = python_type_checker(&settings, &environment);
        let engines = Engines::new(
            executable.clone(),
            settings.sandbox.clone(),
            settings.limits.clone(),
            |name| environment.get(name).map(OsString::from),
        );
        let readers = engines.readers();
        let upstreams = Upstreams::new(settings.servers.clone(), executable.clone(), environment);
        let specs = settings.servers.clone();
        let discovery =
            Discovery::new(catalog, upstreams, snapshots, Arc::clone(&shapes), acceptance, specs);
        let least = settings.sandbox.min_isolation;
        let specs = &settings.permissions.commands;
        let changeable = specs.iter().flat_map(|spec| spec.write.iter().cloned()).collect();
        let commands =
            (!specs.is_empty()).then(|| CommandRunner::new(executable, least, changeable));
        let egress = Egress::open(settings.network.clone())?;
        let patterns = patterns::load(&settings.checks.patterns)?;
        let vaults = Vaults { store: Arc::clone(&store), state_dir: settings.state_dir.clone() };
        let privacy = Arc::new(Privacy::open(settings.privacy.clone(), vaults.clone())?);
        Ok(Arc::new(Self {
            admission: Admission::new(capacity::bounds(&settings.sandbox.capacity)),
            skills: Skills::new(&settings.state_dir),
            together: Together::new(settings.search.used_together),
            settings,
            discovery,
            wider: Wider::default(),
            policy,
            rules_file,
            store,
            shapes,
            outputs,
            egress,
            engines,
            patterns,
            privacy,
            vaults,
            sessions: Mutex::default(),
            own_name: new_run_id().0,
            readers,
            commands,
            types,
            python_types,
        }))
    }

    /// Whose question it is if a request needs a person's word: the answer is for them and
    /// for nobody else.
    pub(crate) fn asker(&self, context: &RunContext) -> String {
        match &*context.session.0 {
            "" if context.by_hand => "by hand".to_owned(),
            "" => format!("process {}", self.own_name),
            name => format!("session {name}"),
        }
    }

    /// What a person has approved for the session of whoever asks.
    pub(crate) fn approved_for(&self, asker: &str) -> Arc<Approved> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(sessions.entry(asker.to_owned()).or_default())
    }

    /// A text for the log, in which personal data has tokens.
    pub fn redacted(&self, text: &str) -> String {
        self.privacy.redacted(text)
    }

    /// The settings this gateway was opened with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The gateway is served here: no program gets there with `fetch`, whatever
    /// the configuration allows.
    pub fn protect(&self, listening: SocketAddr) {
        self.egress.protect(listening);
    }

    /// From now on workers are kept ready; the type checker starts too. That of Python
    /// waits for the first program: many never see one, and pyright takes 140 MB.
    pub fn prepare_worker(self: &Arc<Self>) {
        let gateway = Arc::clone(self);
        self.readers.prepare();
        tokio::spawn(async move { gateway.engines.keep_ready().await });
        if let Some(types) = &self.types {
            types.warm_up();
        }
    }

    /// Makes sure that an engine is there, without starting it.
    pub async fn prepare_engine(&self, engine: Engine) -> Result<(), RunError> {
        self.engines.workers(engine).await.map(|_| ())
    }

    /// Looks for an engine of this machine.
    pub async fn find_engine(&self, engine: Engine) -> Result<ExternalEngine, EngineError> {
        self.engines.find(engine).await
    }

    /// Looks for Python on this machine.
    pub async fn find_python(&self) -> Result<Python, PythonError> {
        self.engines.find_python().await
    }

    /// Ends all waiting workers and all servers, and waits until they are gone.
    /// Runs that wait for a person can go on elsewhere.
    pub async fn close(&self) {
        if let Err(error) = self.store.release_parked() {
            tracing::warn!(%error, "runs that wait can go on only in some seconds");
        }
        self.shapes.keep_all();
        self.privacy.close();
        tokio::join!(self.readers.close(), self.engines.close(), self.discovery.close());
        cleared().await;
    }
}

/// The type checker, if it is wanted and there is a compiler.
fn type_checker(settings: &Settings, environment: &BTreeMap<String, String>) -> Option<Types> {
    let Checks { types, tsc, .. } = &settings.checks;
    if *types == TypeCheck::Off {
        return None;
    }
    let path = environment.get("PATH").map(OsStr::new).unwrap_or_default();
    match find(tsc.as_deref(), &settings.state_dir, path) {
        Found::Native { tsc } => {
            let folder = settings.state_dir.join("types");
            let checker = TypeChecker::new(tsc, folder, settings.sandbox.min_isolation.into());
            Some(Types::new(checker, *types))
        }
        found => {
            tracing::info!(?found, "programs are not type-checked; see `tidegate doctor`");
            None
        }
    }
}

/// The type checker of Python, in the same way.
fn python_type_checker(
    settings: &Settings,
    environment: &BTreeMap<String, String>,
) -> Option<PythonTypes> {
    let Checks { types, python, .. } = &settings.checks;
    if *types == TypeCheck::Off {
        return None;
    }
    let path = environment.get("PATH").map(OsStr::new).unwrap_or_default();
    match find_python(python.as_deref(), path) {
        FoundPython::Checker(checker) => {
            let folder = settings.state_dir.join("types");
            let least = settings.sandbox.min_isolation;
            let checker = TypeChecker::python(&checker, folder, least.into());
            Some(PythonTypes::new(checker, *types))
        }
        found => {
            tracing::info!(
                ?found,
                "programs in Python are not type-checked; see `tidegate doctor`"
            );
            None
        }
    }
}
