//! What the program uses: everything expanded, checked and defaulted.

use std::path::{self, Path, PathBuf};
use std::time::Duration;

use tidegate_model::{
    Backend, CommandSpec, Engine, Isolation, Level, Limits, Network, OnChange, Profile, ServerSpec,
    ToolWords,
};

use crate::environment::Environment;
use crate::error::{ConfigError, ConfigErrorKind};
use crate::policy_file::PolicySource;
use crate::privacy::Privacy;

/// One request may take a minute: the default of the MCP TypeScript SDK, so that
/// a server that works in most clients works here.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// A start may take half a minute. Chosen: `npx` and `uvx` download a package
/// before its first start.
pub(crate) const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// Chosen: enough to keep a server busy, few enough not to drown it.
pub(crate) const DEFAULT_MAX_CONCURRENT: u32 = 16;

/// The settings of a gateway.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The servers to use, in the order of the file.
    pub servers: Vec<ServerSpec>,
    /// What one run may use.
    pub limits: Limits,
    /// What is checked before a run.
    pub checks: Checks,
    /// What runs programs, and how well it must keep them in.
    pub sandbox: Sandbox,
    /// How tools are found.
    pub search: Search,
    /// How a person is asked.
    pub approvals: Approvals,
    /// Where programs run, by their risk.
    pub risk: RiskTable,
    /// What is done about personal data.
    pub privacy: Privacy,
    /// What programs may reach with `fetch`.
    pub network: Network,
    /// What runs may do at most.
    pub permissions: Permissions,
    /// Where the rules for calls are.
    pub policy: PolicySource,
    /// How large programs and arguments may be.
    pub input: Input,
    /// Where state lives. Absolute; need not exist yet.
    pub state_dir: PathBuf,
    /// The file that was read, if any.
    pub source: Option<PathBuf>,
    /// What a person should know and need not act on. Without secrets.
    pub warnings: Vec<String>,
}

impl Settings {
    /// What holds without any file: no server, and the default for the rest.
    pub fn new(state_dir: PathBuf) -> Self {
        Self {
            servers: Vec::new(),
            limits: Limits::default(),
            checks: Checks::default(),
            sandbox: Sandbox::default(),
            search: Search::default(),
            approvals: Approvals::default(),
            risk: RiskTable::default(),
            privacy: Privacy::default(),
            network: Network::default(),
            permissions: Permissions::default(),
            policy: PolicySource::default(),
            input: Input::default(),
            state_dir,
            source: None,
            warnings: Vec::new(),
        }
    }
}

/// What runs may do at most.
#[derive(Clone, Debug, PartialEq)]
pub struct Permissions {
    /// The name of the profile that bounds every run.
    pub profile: String,
    /// Every profile, the built-in ones first.
    pub profiles: Vec<Profile>,
    /// What tools do, as the user says.
    pub tools: ToolWords,
    /// What happens to a tool that is not as it was accepted.
    pub on_change: OnChange,
    /// Commands of the host.
    pub commands: Vec<CommandSpec>,
}

impl Default for Permissions {
    /// Every tool of the configured servers, and no command.
    fn default() -> Self {
        Self {
            profile: Profile::DEFAULT.into(),
            profiles: Profile::built_in().into(),
            tools: ToolWords::default(),
            on_change: OnChange::default(),
            commands: Vec::new(),
        }
    }
}

/// How large what comes in may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// Bytes of a program.
    pub program_bytes: u64,
    /// Bytes of the arguments of one call, as JSON.
    pub argument_bytes: u64,
}

impl Default for Input {
    /// Chosen: a program of 1 MB is longer than any that a model writes, and 16 MB hold
    /// the files that tools are given; both are below what a worker's frame holds.
    fn default() -> Self {
        Self { program_bytes: 1024 * 1024, argument_bytes: 16 * 1024 * 1024 }
    }
}

/// What runs programs, and how well it must keep them in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    /// A worker that reports less serves no run.
    pub min_isolation: Isolation,
    /// What runs a program that asks for no engine.
    pub engine: Engine,
    /// What may run programs; `engine` is among them.
    pub engines: Vec<Engine>,
    /// The Deno to use instead of one that is found. Absolute; need not exist.
    pub deno: Option<PathBuf>,
    /// The Node to use instead of one that is found. Absolute; need not exist.
    pub node: Option<PathBuf>,
    /// The Python to use instead of one that is found. Absolute; need not exist.
    pub python: Option<PathBuf>,
    /// The virtual environment whose packages programs in Python can import.
    pub packages: Option<PathBuf>,
    /// Whether programs in Python run in processes that are forked from one in which
    /// Python is started already.
    pub fork: bool,
    /// How many programs run, wait and are prepared for.
    pub capacity: Capacity,
}

impl Default for Sandbox {
    /// All engines that are found: a program can ask for one, and every one is
    /// in the same jail.
    fn default() -> Self {
        Self {
            min_isolation: Isolation::default(),
            engine: Engine::default(),
            engines: Engine::ALL.into(),
            deno: None,
            node: None,
            python: None,
            packages: None,
            fork: true,
            capacity: Capacity::default(),
        }
    }
}

/// How many programs run, wait and are prepared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Runs that exist at once. None: by the memory of the machine.
    pub max_runs: Option<u32>,
    /// Runs of one session at once. None: half of `max_runs`.
    pub max_runs_per_session: Option<u32>,
    /// Runs that wait for their turn.
    pub max_waiting: u32,
    /// Workers that are kept ready at most.
    pub warm_workers: u32,
}

impl Default for Capacity {
    /// Chosen: 256 waiting programs are a burst, more are a mistake; 8 idle
    /// workers cost less than 40 MB (see `tidegate bench crowd`).
    fn default() -> Self {
        Self { max_runs: None, max_runs_per_session: None, max_waiting: 256, warm_workers: 8 }
    }
}

/// How a person is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approvals {
    /// How long a request waits for an answer from elsewhere.
    pub wait: Duration,
    /// How long a question stands.
    pub expires: Duration,
    /// Whether questions wait for an answer from elsewhere at all.
    pub pending: bool,
}

impl Default for Approvals {
    /// Chosen: many clients give up on a call after a minute; a person who is asked is
    /// back within a quarter of an hour or has forgotten what it was about.
    fn default() -> Self {
        let (wait, expires) = (Duration::from_secs(45), Duration::from_secs(15 * 60));
        Self { wait, expires, pending: true }
    }
}

/// Where programs run, by their risk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RiskTable {
    /// The level that every program has at least.
    pub least: Level,
    low: Vec<Backend>,
    medium: Vec<Backend>,
    high: Vec<Backend>,
    critical: Vec<Backend>,
}

impl RiskTable {
    /// The sandboxes for a level, the preferred one first. Never empty.
    pub fn backends(&self, level: Level) -> &[Backend] {
        match level.max(self.least) {
            Level::Low => &self.low,
            Level::Medium => &self.medium,
            Level::High => &self.high,
            Level::Critical => &self.critical,
        }
    }

    pub(crate) fn set(&mut self, level: Level, backends: Vec<Backend>) {
        match level {
            Level::Low => self.low = backends,
            Level::Medium => self.medium = backends,
            Level::High => self.high = backends,
            Level::Critical => self.critical = backends,
        }
    }
}

impl Default for RiskTable {
    fn default() -> Self {
        Self {
            least: Level::Low,
            low: vec![Backend::Process],
            medium: vec![Backend::Process],
            high: vec![Backend::Docker, Backend::Strict],
            critical: vec![Backend::Vm, Backend::Docker, Backend::Strict],
        }
    }
}

/// How tools are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// Also by what their texts mean.
    pub semantic: bool,
    /// Where servers are described that are known and not configured. Absolute; need
    /// not exist.
    pub catalogs: Vec<PathBuf>,
    /// Whether known servers and skills that fit are told of.
    pub recommend: bool,
    /// Tools that were used together before rank higher together.
    pub used_together: bool,
}

impl Default for Search {
    fn default() -> Self {
        Self { semantic: true, catalogs: Vec::new(), recommend: true, used_together: true }
    }
}

/// What is checked before a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// What the type check does.
    pub types: TypeCheck,
    /// The compiler to use instead of one that is found. Absolute; need not
    /// exist.
    pub tsc: Option<PathBuf>,
    /// The same for Python: ty or pyright.
    pub python: Option<PathBuf>,
    /// Files with the user's own rules about programs. Absolute; need not exist.
    pub patterns: Vec<PathBuf>,
}

/// What the type check of a program does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TypeCheck {
    /// Arguments that do not fit the declared input types refuse the program
    /// before it runs; what concerns results is a warning with the answer.
    #[default]
    Auto,
    /// There is no type check.
    Off,
    /// Every type error is only a warning.
    Warn,
    /// Every type error refuses the program.
    Strict,
}

impl TypeCheck {
    pub(crate) const ALL: [Self; 4] = [Self::Auto, Self::Off, Self::Warn, Self::Strict];

    /// The word for it in a configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Off => "off",
            Self::Warn => "warn",
            Self::Strict => "strict",
        }
    }
}

/// Where state lives: `TIDEGATE_HOME`, else the platform's data folder.
pub fn state_dir(env: &Environment) -> Result<PathBuf, ConfigError> {
    // An empty variable counts as not set, as with the XDG variables.
    if let Some(named) = env.get("TIDEGATE_HOME").filter(|value| !value.is_empty()) {
        let named = from_home(named, env).ok_or_else(no_home)?;
        return path::absolute(&named).map_err(|cause| {
            let message = "`TIDEGATE_HOME` is relative, and there is no current folder";
            ConfigError::new(ConfigErrorKind::NoHome, message)
                .with_hint("write an absolute path")
                .with_cause(cause)
        });
    }
    env.data().map(Path::to_owned).ok_or_else(no_home)
}

/// The path with `~` at its start replaced by the home folder. `None` if there
/// is no home folder to replace it by.
pub(crate) fn from_home(text: &str, env: &Environment) -> Option<PathBuf> {
    match text.strip_prefix("~/") {
        Some(rest) => Some(env.home()?.join(rest.trim_start_matches('/'))),
        None if text == "~" => Some(env.home()?.to_owned()),
        None => Some(PathBuf::from(text)),
    }
}

fn no_home() -> ConfigError {
    ConfigError::new(ConfigErrorKind::NoHome, "there is no home folder to keep state in")
        .with_hint("set `TIDEGATE_HOME` to a folder that tidegate may write to")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::state_dir;
    use crate::Environment;

    #[test]
    fn state_lives_under_tidegate_home_and_else_in_the_data_folder() {
        let home = ("HOME", "/home/ann");
        let named = Environment::from_pairs([home, ("TIDEGATE_HOME", "/srv/tide")]);
        assert_eq!(state_dir(&named).unwrap(), Path::new("/srv/tide"));
        let tilde = Environment::from_pairs([home, ("TIDEGATE_HOME", "~/tide")]);
        assert_eq!(state_dir(&tilde).unwrap(), Path::new("/home/ann/tide"));
        let empty = Environment::from_pairs([home, ("TIDEGATE_HOME", "")]);
        assert_eq!(state_dir(&empty).unwrap(), Path::new("/home/ann/.local/share/tidegate"));
        let xdg = Environment::from_pairs([home, ("XDG_DATA_HOME", "/data")]);
        assert_eq!(state_dir(&xdg).unwrap(), Path::new("/data/tidegate"));
    }

    #[test]
    fn without_any_folder_there_is_an_error() {
        let nowhere = Environment::from_pairs::<&str, &str>([]);
        assert_eq!(
            state_dir(&nowhere).unwrap_err().to_string(),
            "error[config.no_home]: there is no home folder to keep state in\n\
             hint: set `TIDEGATE_HOME` to a folder that tidegate may write to"
        );
    }
}
