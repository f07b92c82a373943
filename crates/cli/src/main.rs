//! The executable `tidegate`: builds the parts and starts them.
//!
//! Started as `tidegate worker`, `reader`, `scripts`, `jail` or `guard`, it becomes that
//! process before anything else happens: no argument parser, no logger, no runtime.

mod args;
mod closed;
mod commands;
mod context;
mod logging;
mod passphrase;
mod print;
mod temporary;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(first) if first == "worker" => {
            let spec = arguments.next().unwrap_or_default();
            return tidegate_worker::enter(&spec.to_string_lossy(), arguments);
        }
        Some(first) if first == "reader" => {
            let spec = arguments.next().unwrap_or_default();
            return tidegate_reader::enter(&spec.to_string_lossy(), arguments);
        }
        Some(first) if first == "scripts" => {
            let error = tidegate_worker::print_scripts(&arguments.next().unwrap_or_default());
            eprintln!("cannot start Python: {error}");
            return ExitCode::FAILURE;
        }
        Some(first) if first == "jail" => {
            let spec = arguments.next().unwrap_or_default();
            return tidegate_sandbox::become_command(&spec.to_string_lossy());
        }
        Some(first) if first == "guard" => {
            // `guard -- COMMAND ARGS…`
            let mut rest = arguments.skip_while(|argument| argument == "--");
            let Some(command) = rest.next() else { return ExitCode::from(2) };
            return tidegate_upstream::guard::run(&command, &rest.collect::<Vec<_>>());
        }
        _ => {}
    }
    if let Err(error) = closed::close_to_others() {
        print::error(&format!("error: cannot close this process to others: {error}"));
        return ExitCode::FAILURE;
    }
    let cli = Cli::parse();
    logging::start(cli.verbose);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            print::error(&format!("error: cannot start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    // On one of the runtime's own threads: between this thread and theirs, every message
    // of a run would wake a sleeping thread.
    let code =
        runtime.block_on(async { tokio::spawn(dispatch(cli)).await.unwrap_or(ExitCode::FAILURE) });
    // A blocked read of standard input must not keep the process alive.
    runtime.shutdown_background();
    code
}

async fn dispatch(cli: Cli) -> ExitCode {
    let outcome = match cli.command {
        Command::Demo(args) => commands::demo::run(&args).await,
        Command::Serve(args) => commands::serve::run(&cli.config, &args).await,
        Command::Check(args) => commands::check::run(&cli.config, &args).await,
        Command::Run(args) => commands::run::run(&cli.config, &args).await,
        Command::Search(args) => commands::search::run(&cli.config, &args).await,
        Command::Tools(args) => commands::tools::run(&cli.config, &args).await,
        Command::Servers(args) => commands::servers::run(&cli.config, &args).await,
        Command::Tokens(args) => commands::tokens::run(&cli.config, &args).await,
        Command::Generate(args) => commands::generate::run(&cli.config, &args).await,
        Command::Approvals(args) => commands::approvals::run(&cli.config, &args),
        Command::Skills(args) => commands::skills::run(&cli.config, &args),
        Command::Policy(args) => commands::policy::run(&cli.config, &args).await,
        Command::Pii(args) => commands::pii::run(&cli.config, &args).await,
        Command::Doctor(args) => commands::doctor::run(&cli.config, &args).await,
        Command::Bench(args) => commands::bench::run(&args).await,
        Command::SlowServer => tidegate_bench::serve_slowly().await.map(|()| ExitCode::SUCCESS),
        Command::DemoServer { name } => {
            tidegate_demo::serve(name).await.map(|()| ExitCode::SUCCESS)
        }
    };
    outcome.unwrap_or_else(|error| print::failure(&error))
}
