//! The settings that the program uses: everything expanded, checked and defaulted.
//!
//! Plain data with its defaults, one file per section that has rules of its own. Filled
//! in by `resolve`; `keys` shows the defaults on the reference page.
//! `policy_source.rs` says where the rules for calls are, `state_dir.rs` where state is
//! stored.

pub(crate) mod checks;
pub(crate) mod permissions;
pub(crate) mod policy_source;
pub(crate) mod privacy;
pub(crate) mod risk;
pub(crate) mod sandbox;
pub(crate) mod state_dir;

use std::path::PathBuf;
use std::time::Duration;

use tidegate_model::{Limits, Network, ServerSpec};

use self::checks::Checks;
use self::permissions::Permissions;
use self::policy_source::PolicySource;
use self::privacy::Privacy;
use self::risk::RiskTable;
use self::sandbox::Sandbox;

/// Timeout of one request. A minute is the default of the MCP TypeScript SDK, so that
/// a server that works in most clients works here.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// Timeout of a start. Chosen: `npx` and `uvx` download a package
/// before its first start.
pub(crate) const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// Chosen: enough to keep a server busy without overloading it.
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
    /// What runs programs, and how well it must isolate them.
    pub sandbox: Sandbox,
    /// How tools are found.
    pub search: Search,
    /// How people are asked for approval.
    pub approvals: Approvals,
    /// Where programs run, by their risk.
    pub risk: RiskTable,
    /// How personal data is treated.
    pub privacy: Privacy,
    /// What programs may reach with `fetch`.
    pub network: Network,
    /// What runs may do at most.
    pub permissions: Permissions,
    /// Where the rules for calls are.
    pub policy: PolicySource,
    /// How large programs and arguments may be.
    pub input: Input,
    /// The folder where state is stored. Absolute; need not exist yet.
    pub state_dir: PathBuf,
    /// The file that was read, if any.
    pub source: Option<PathBuf>,
    /// Things that a person should know but need not act on. Without secrets.
    pub warnings: Vec<String>,
}

impl Settings {
    /// The settings without any file: no server, and defaults for the rest.
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

/// Size limits for programs and arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// Bytes of a program.
    pub program_bytes: u64,
    /// Bytes of the arguments of one call, as JSON.
    pub argument_bytes: u64,
}

impl Default for Input {
    /// Chosen: a program of 1 MB is longer than any that a model writes, and 16 MB are enough for
    /// the files that tools are given; both fit into a worker's frame.
    fn default() -> Self {
        Self { program_bytes: 1024 * 1024, argument_bytes: 16 * 1024 * 1024 }
    }
}

/// How people are asked for approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approvals {
    /// How long a request waits for approval from outside the client.
    pub wait: Duration,
    /// How long a pending approval can be answered.
    pub expires: Duration,
    /// Whether a request waits for approval from outside the client at all.
    pub pending: bool,
}

impl Default for Approvals {
    /// Chosen: a client that cannot ask has nothing to wait for, and its model can tell its
    /// user at once; a person who is asked is back within a quarter of an hour or has
    /// forgotten the context.
    fn default() -> Self {
        let (wait, expires) = (Duration::from_secs(5), Duration::from_secs(15 * 60));
        Self { wait, expires, pending: true }
    }
}

/// How tools are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// Whether search also compares the meanings of texts.
    pub semantic: bool,
    /// Files or folders with servers that are known but not configured. Absolute; need
    /// not exist.
    pub catalogs: Vec<PathBuf>,
    /// Whether known servers and skills that fit are recommended.
    pub recommend: bool,
    /// Whether tools that were used together before rank higher together.
    pub used_together: bool,
}

impl Default for Search {
    fn default() -> Self {
        Self { semantic: true, catalogs: Vec::new(), recommend: true, used_together: true }
    }
}
