//! `tidegate serve`: runs the MCP server on standard input and output.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use tidegate_model::Principal;
use tidegate_server::{Surface, serve_stdio};
use tokio::signal::unix::{SignalKind, signal};

use crate::args::{ServeArgs, SurfaceArg};
use crate::{context, print};

pub(crate) async fn run(config: &Option<PathBuf>, args: &ServeArgs) -> anyhow::Result<ExitCode> {
    let gateway = context::gateway(config)?;
    if gateway.settings().servers.is_empty() {
        print::note("warning: no servers are configured; programs will find no tools");
    }
    let surface = match args.surface {
        SurfaceArg::Standard => Surface::Standard,
        SurfaceArg::Lean => Surface::Lean,
        SurfaceArg::Direct => Surface::Direct,
    };
    let principal = Principal::on_stdio(args.session.clone());
    let session = Arc::new(context::open_session(&gateway, &principal)?);
    let mut terminate = signal(SignalKind::terminate())?;
    let served = tokio::select! {
        served = serve_stdio(surface, Arc::clone(&session)) => served,
        _ = tokio::signal::ctrl_c() => Ok(()),
        _ = terminate.recv() => Ok(()),
    };
    gateway.close().await;
    served?;
    Ok(ExitCode::SUCCESS)
}
