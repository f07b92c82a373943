//! Checks whether programs in Python can run, by running one.

use std::time::{Duration, Instant};

use serde_json::Value;
use tidegate_config::{Environment, Sandbox, Settings};
use tidegate_gateway::RunContext;
use tidegate_model::{Language, Program};
use tidegate_sandbox::find_python;

use super::finding::Finding;
use super::probe::run_program;
use crate::context;
use crate::temporary::private_folder;

const NAME: &str = "programs in Python";

/// How long it may take until programs are forked. Chosen: it takes about half a second.
const FORK_TIMEOUT: Duration = Duration::from_secs(3);
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(50);

/// One finding. A missing Python is a problem only if one is configured.
pub(super) async fn probe(sandbox: &Sandbox) -> Finding {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let (program, packages) = (sandbox.python.as_deref(), sandbox.packages.as_deref());
    let bad = |fact: String| {
        let fact = format!("{fact}; programs in Python cannot run");
        if program.is_some() || packages.is_some() {
            let remedy = "fix `python.path` and `python.packages`, or leave them out";
            return Finding::problem(NAME, fact, remedy);
        }
        let remedy = "install Python 3.9 or later, and put it on PATH or name it as `python.path`";
        Finding::warning(NAME, fact, remedy)
    };
    let executable = match context::own_executable() {
        Ok(executable) => executable,
        Err(error) => return bad(error.to_string()),
    };
    let found = match find_python(&executable, program, packages, &path).await {
        Ok(found) => found,
        Err(error) => return bad(error.to_string()),
    };
    let with = match &found.packages {
        Some(folder) => format!(" with the packages in `{}`", folder.display()),
        None => String::new(),
    };
    let place = format!("{} at `{}`{with}", found.version, found.program.display());
    match run_program(sandbox.clone(), Language::Python, None).await {
        Ok(took_ms) => {
            let next = match runs_forked(sandbox).await {
                Ok(true) => "later ones are forked",
                Ok(false) if sandbox.fork => "each starts a new process, see docs/python.md",
                Ok(false) => "each starts a new process, as configured",
                Err(error) => return bad(format!("{place} did not run a second time: {error:#}")),
            };
            Finding::ok(NAME, format!("{place} ran `return 1` in {took_ms:.1} ms; {next}"))
        }
        Err(error) => bad(format!("{place} did not run `return 1`: {error:#}")),
    }
}

/// Whether programs run in forked processes. Runs several, since the first ones never do.
async fn runs_forked(sandbox: &Sandbox) -> anyhow::Result<bool> {
    let folder = private_folder("doctor")?;
    let settings = Settings { sandbox: sandbox.clone(), ..Settings::new(folder.path().to_owned()) };
    let gateway = context::open(settings, &Environment::from_process())?;
    let started = Instant::now();
    let mut forked = false;
    while sandbox.fork && !forked && started.elapsed() < FORK_TIMEOUT {
        let source = "import sys\n'_tidegate.zygote' in sys.modules".to_owned();
        let language = Language::Python;
        let program = Program { source, language, engine: None, timeout: None };
        let response = gateway.execute(program, &RunContext::default()).await;
        if let Some(error) = &response.error {
            gateway.close().await;
            anyhow::bail!("{error}");
        }
        forked = response.output == Some(Value::Bool(true));
        tokio::time::sleep(PAUSE).await;
    }
    gateway.close().await;
    Ok(forked)
}
