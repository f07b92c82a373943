//! `tidegate run`: runs one program exactly as `execute_code` would.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use serde_json::Value;
use tidegate_model::{Language, Principal, Program, Response, RunId, RunOptions, visible_json};

use crate::args::{EngineArg, LangArg, RunArgs};
use crate::print::Usage;
use crate::{context, print, terminal};

pub(crate) async fn run(config: &Option<PathBuf>, args: &RunArgs) -> anyhow::Result<ExitCode> {
    let program = args.file.as_deref().map(|file| program(file, args)).transpose()?;
    let gateway = context::gateway(config)?;
    let mut context = context::cancelled_by_ctrl_c();
    context.profile.clone_from(&args.profile);
    context.principal = Principal::at_terminal(args.session.clone());
    let _session = context::open_session(&gateway, &context.principal)?;
    context.approver = terminal::approver(gateway.settings());
    context.sandbox = Some(args.sandbox.kind());
    context.options = RunOptions {
        memory_bytes: args.memory_mb.map(|megabytes| u64::from(megabytes) << 20),
        needs_approval: args.ask,
        action: args.action.clone(),
    };
    let response = {
        let _spinner = print::Spinner::start("running");
        match (program, &args.resume) {
            (Some(program), _) => Ok(gateway.execute(program, &context).await),
            (None, id) => gateway.resume(&RunId(id.clone().unwrap_or_default()), &context).await,
        }
    };
    gateway.close().await;
    let response = match response {
        Ok(response) => response,
        Err(error) => return Ok(print::failed(&error)),
    };
    if args.json {
        print::json(&serde_json::to_value(&response)?);
    } else {
        show(&response, &gateway.settings().state_dir);
    }
    let code = response.error.as_ref().map_or(0, |error| error.code.exit_code());
    Ok(ExitCode::from(code))
}

fn program(file: &Path, args: &RunArgs) -> anyhow::Result<Program> {
    let source = read(file)?;
    let language = language(file, args.lang, &source);
    let (engine, timeout) = (args.engine.map(EngineArg::engine), args.timeout);
    Ok(Program { source, language, engine, timeout })
}

/// The language that was asked for, else that of the file name, else that of the source.
pub(crate) fn language(file: &Path, requested: Option<LangArg>, source: &str) -> Language {
    let of_name = file.extension().and_then(OsStr::to_str).and_then(Language::parse);
    requested.map(LangArg::language).or(of_name).unwrap_or_else(|| Language::of(source))
}

pub(crate) fn read(file: &Path) -> anyhow::Result<String> {
    if file == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
        return String::from_utf8(bytes)
            .map_err(|_| Usage("standard input is not UTF-8 text".into()).into());
    }
    match std::fs::read_to_string(file) {
        Ok(source) => Ok(source),
        Err(error) => {
            Err(Usage(format!("cannot read the program `{}`: {error}", file.display())).into())
        }
    }
}

/// Logs and errors go to standard error, the output to standard output.
fn show(response: &Response, state_dir: &Path) {
    if let Some(logs) = &response.logs {
        print::note(print::harmless(logs));
    }
    if let Some(error) = &response.error {
        print::error(&error.to_string());
        return;
    }
    match &response.output {
        Some(Value::String(text)) => print::line(print::harmless(text)),
        Some(value) => {
            let text = serde_json::to_string_pretty(value).unwrap_or_default();
            print::line(visible_json(&text));
        }
        None => print::line(print::harmless(&response.summary)),
    }
    if let Some(handle) = &response.handle {
        print::note(format!("full output: {}", state_dir.join(handle).display()));
    }
}
