//! `tidegate run`: one program, exactly as `execute_code` would run it.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use serde_json::Value;
use tidegate_model::{Language, Program, Response, visible_json};

use crate::args::{EngineArg, RunArgs};
use crate::print::Usage;
use crate::{context, print};

pub(crate) async fn run(config: &Option<PathBuf>, args: &RunArgs) -> anyhow::Result<ExitCode> {
    let source = read(&args.file)?;
    let language = match (args.lang, args.file.extension().and_then(OsStr::to_str)) {
        (Some(lang), _) => lang.language(),
        (None, Some(ending)) if Language::parse(ending).is_some() => {
            Language::parse(ending).unwrap_or_default()
        }
        (None, _) => Language::of(&source),
    };
    let gateway = context::gateway(config)?;
    let mut context = context::cancelled_by_ctrl_c();
    context.profile.clone_from(&args.profile);
    let program = Program {
        source,
        language,
        engine: args.engine.map(EngineArg::engine),
        timeout: args.timeout,
    };
    let response = {
        let _spinner = print::Spinner::start("running");
        gateway.execute(program, &context).await
    };
    gateway.close().await;
    if args.json {
        print::json(&serde_json::to_value(&response)?);
    } else {
        show(&response, &gateway.settings().state_dir);
    }
    let code = response.error.as_ref().map_or(0, |error| error.code.exit_code());
    Ok(ExitCode::from(code))
}

fn read(file: &Path) -> anyhow::Result<String> {
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

/// For people: logs and errors on standard error, the output on standard output.
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
        print::note(format!("whole output: {}", state_dir.join(handle).display()));
    }
}
