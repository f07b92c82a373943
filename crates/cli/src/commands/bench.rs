//! `tidegate bench`.

use std::process::ExitCode;

use crate::args::BenchArgs;

pub(crate) async fn run(_args: &BenchArgs) -> anyhow::Result<ExitCode> {
    Ok(ExitCode::SUCCESS)
}
