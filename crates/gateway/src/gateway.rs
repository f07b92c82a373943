//! Builds the floors of a gateway and closes them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;
use tidegate_config::Settings;
use tidegate_detect::OptionsError;
use tidegate_egress::OpenError;
use tidegate_model::{Clock, Engine, RunError};
use tidegate_sandbox::{
    CommandRunner, EngineError, ExternalEngine, Python, PythonError, groups_removed,
};
use tidegate_store::{Store, StoreError};

use crate::admit::Admission;
use crate::answer::Answers;
use crate::approvals::Approvals;
use crate::bridge::{Below, Bridge};
use crate::consent::Consent;
use crate::examine::Examiner;
use crate::examine::patterns::PatternsError;
use crate::policy::CurrentPolicy;
use crate::policy::rules_file::PolicyError;
use crate::privacy::{Privacy, Vaults};
use crate::recorder::Recorder;
use crate::run::Runner;
use crate::run::workers::Workers;
use crate::tokens;
use crate::tools::Tools;

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
    /// The detector of personal data cannot be set up.
    #[error("the detector of personal data cannot be set up")]
    Privacy(#[from] OptionsError),
    /// The rules for calls cannot be used.
    #[error(transparent)]
    Policy(#[from] PolicyError),
}

/// A running gateway: its floors, the lowest first.
pub struct Gateway {
    settings: Arc<Settings>,
    pub(crate) privacy: Arc<Privacy>,
    pub(crate) tools: Arc<Tools>,
    pub(crate) answers: Arc<Answers>,
    pub(crate) approvals: Arc<Approvals>,
    pub(crate) bridge: Arc<Bridge>,
    pub(crate) admission: Admission,
    pub(crate) examiner: Examiner,
    pub(crate) consent: Consent,
    pub(crate) runner: Arc<Runner>,
}

impl Gateway {
    /// Opens the state and prepares all floors. Starts no server. `executable` is tidegate
    /// itself, which is also started as worker and as guard; `environment` is the base
    /// environment of every stdio server; `clock` tells when things happen and expire.
    pub fn open(
        settings: Settings,
        executable: PathBuf,
        environment: BTreeMap<String, String>,
        clock: Clock,
    ) -> Result<Arc<Self>, GatewayError> {
        tokens::warm_up();
        let settings = Arc::new(settings);
        let failed = |source| GatewayError::State { path: settings.state_dir.clone(), source };
        let store = Arc::new(Store::open(&settings.state_dir, clock.clone()).map_err(failed)?);
        let policy = Arc::new(CurrentPolicy::open(&settings, &store, clock.clone())?);
        let vaults = Vaults { store: Arc::clone(&store), state_dir: settings.state_dir.clone() };
        let privacy = Arc::new(Privacy::open(settings.privacy.clone(), vaults.clone())?);
        let workers = Workers::new(
            executable.clone(),
            settings.sandbox.clone(),
            settings.limits.clone(),
            settings.state_dir.clone(),
            |name| environment.get(name).map(OsString::from),
        );
        let examiner_environment = environment.clone();
        let commands = command_runner(&settings, executable.clone());
        let tools = Tools::open(
            Arc::clone(&settings),
            Arc::clone(&policy),
            &store,
            executable,
            environment,
        );
        let tools = Arc::new(tools.map_err(failed)?);
        let answers = Arc::new(Answers::open(
            Arc::clone(&privacy),
            &settings.state_dir,
            settings.privacy.binary,
            clock.clone(),
        ));
        let approvals = Approvals::new(&settings, vaults, Arc::clone(&privacy));
        let approvals = Arc::new(approvals.map_err(failed)?);
        let below = Below {
            policy: Arc::clone(&policy),
            tools: Arc::clone(&tools),
            privacy: Arc::clone(&privacy),
            approvals: Arc::clone(&approvals),
            answers: Arc::clone(&answers),
        };
        let recorder = Recorder::new(&store);
        let bridge = Arc::new(Bridge::open(&settings, recorder.clone(), commands, below)?);
        let capacity = &settings.sandbox.capacity;
        let admission =
            Admission::new(capacity, settings.input, Arc::clone(&policy), recorder.clone(), clock);
        let examiner = Examiner::open(
            &settings,
            &examiner_environment,
            workers.readers(),
            Arc::clone(&policy),
            Arc::clone(&tools),
            recorder.clone(),
        )?;
        let consent = Consent::new(
            settings.risk.clone(),
            Workers::sandboxes(),
            policy,
            Arc::clone(&privacy),
            Arc::clone(&approvals),
            recorder,
        );
        Ok(Arc::new(Self {
            settings,
            privacy,
            tools,
            answers,
            approvals,
            runner: Runner::new(workers, Arc::clone(&bridge)),
            bridge,
            admission,
            examiner,
            consent,
        }))
    }

    /// The settings that this gateway was opened with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The tools of all servers.
    pub fn tools(&self) -> &Tools {
        &self.tools
    }

    /// Blocks `fetch` to an address that the gateway is served on, whatever the
    /// configuration allows.
    pub fn protect(&self, listening: SocketAddr) {
        self.bridge.protect(listening);
    }

    /// Keeps workers and readers ready from now on.
    pub fn prepare_worker(self: &Arc<Self>) {
        let gateway = Arc::clone(self);
        self.examiner.prepare();
        tokio::spawn(async move { gateway.runner.workers.keep_ready().await });
    }

    /// Makes sure that an engine is available, without starting it.
    pub async fn prepare_engine(&self, engine: Engine) -> Result<(), RunError> {
        self.runner.workers.prepare_engine(engine).await
    }

    /// Looks for an engine on this machine.
    pub async fn find_engine(&self, engine: Engine) -> Result<ExternalEngine, EngineError> {
        self.runner.workers.find_engine(engine).await
    }

    /// Looks for Python on this machine.
    pub async fn find_python(&self) -> Result<Python, PythonError> {
        self.runner.workers.find_python().await
    }

    /// Ends all idle workers and all servers, and waits until they are gone. Other
    /// processes can resume the runs that wait for a person.
    pub async fn close(&self) {
        self.approvals.release_runs().await;
        self.privacy.flush();
        tokio::join!(self.examiner.close(), self.runner.workers.close(), self.tools.close());
        self.bridge.recorder.flush().await;
        groups_removed().await;
    }
}

/// The runner of host commands, if any is configured.
fn command_runner(settings: &Settings, executable: PathBuf) -> Option<CommandRunner> {
    let specs = &settings.permissions.commands;
    let changeable = specs.iter().flat_map(|spec| spec.write.iter().cloned()).collect();
    let least = settings.sandbox.min_isolation;
    (!specs.is_empty()).then(|| CommandRunner::new(executable, least, changeable))
}
