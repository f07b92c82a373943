//! `tidegate bench`: runs the suites of `tidegate_bench` and shows their figures.

use std::process::ExitCode;

use tidegate_bench::Setup;

use crate::args::BenchArgs;
use crate::temporary::private_folder;
use crate::{context, print};

pub(crate) async fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    let folder = private_folder("bench")?;
    if cfg!(debug_assertions) {
        print::note("warning: this is a debug build; measure with `cargo run --release -- bench`");
    }
    let executable = context::own_executable()?;
    let setup = Setup { folder: folder.path(), executable: &executable, open: context::open };
    let report = tidegate_bench::run(args.suite, &setup).await?;
    if args.json {
        print::json(&report.json());
    } else {
        report.lines().for_each(print::line);
    }
    Ok(ExitCode::SUCCESS)
}
