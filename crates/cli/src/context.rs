//! Makes the settings, the gateway and the run context that commands share.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use tidegate_config::{Environment, Settings};
use tidegate_gateway::{Gateway, OpenSession, RunContext, SessionError};
use tidegate_model::{Clock, Principal};
use tokio_util::sync::CancellationToken;

use crate::print::Usage;
use crate::{logging, print};

/// The settings of the named file, or of the first one found. Prints their warnings.
pub(crate) fn settings(
    file: &Option<PathBuf>,
    environment: &Environment,
) -> anyhow::Result<Settings> {
    let settings = match file {
        Some(file) => tidegate_config::load_file(file, environment)?,
        None => {
            let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
            tidegate_config::find_and_load(&here, environment)?
        }
    };
    for warning in &settings.warnings {
        print::note(format!("warning: {warning}"));
    }
    Ok(settings)
}

/// A gateway with the settings of the named file, or of the first one found.
pub(crate) fn gateway(file: &Option<PathBuf>) -> anyhow::Result<Arc<Gateway>> {
    let environment = Environment::from_process();
    let settings = settings(file, &environment)?;
    open(settings, &environment)
}

/// A gateway with these settings.
pub(crate) fn open(settings: Settings, environment: &Environment) -> anyhow::Result<Arc<Gateway>> {
    let gateway =
        Gateway::open(settings, own_executable()?, environment.for_children(), Clock::system())?;
    logging::redact_with(&gateway);
    Ok(gateway)
}

/// The path of this executable, which starts itself again as worker and guard.
pub(crate) fn own_executable() -> anyhow::Result<PathBuf> {
    // On Linux the link still works after an upgrade has replaced the file.
    let link = Path::new("/proc/self/exe");
    if link.exists() {
        return Ok(link.to_owned());
    }
    std::env::current_exe().context("cannot find the executable of tidegate")
}

/// A run context that Ctrl-C cancels.
pub(crate) fn cancelled_by_ctrl_c() -> RunContext {
    let cancelled = CancellationToken::new();
    let token = cancelled.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            token.cancel();
        }
    });
    RunContext { cancelled, ..RunContext::default() }
}

/// Opens a session, which ends when the returned value is dropped.
pub(crate) fn open_session(
    gateway: &Arc<Gateway>,
    principal: &Principal,
) -> anyhow::Result<OpenSession> {
    gateway.open_session(principal).map_err(|error| match error {
        SessionError::InUse(_) => Usage(error.to_string()).into(),
        SessionError::Lock { .. } => error.into(),
    })
}
