//! `tidegate pii`: finds personal data in a text, replaces it with tokens and restores it,
//! and reports or erases the stored values.

mod report;

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use serde::Deserialize;
use serde_json::{Value, json};
use tidegate_config::{Environment, Settings};
use tidegate_gateway::admin::{Admin, PersonalDataAdmin};
use tidegate_gateway::{Gateway, RunContext, detector};
use tidegate_model::{Clock, Detect, Principal, SessionName, Span, visible_line};

use crate::args::pii::{PiiArgs, PiiCommand, PiiKind};
use crate::print::Usage;
use crate::{context, passphrase, print};

pub(crate) async fn run(config: &Option<PathBuf>, args: &PiiArgs) -> anyhow::Result<ExitCode> {
    match &args.command {
        PiiCommand::Scan { file, kind, json, jsonl } => {
            let settings = settings(config)?;
            let detector = detector(&settings.privacy)?;
            if *jsonl {
                scan_lines(&*detector, file)?;
            } else {
                let text = read(file)?;
                show_spans(&text, &detector.scan(&text, kind.text_kind()), *json);
            }
            return Ok(ExitCode::SUCCESS);
        }
        PiiCommand::Report { json } => {
            report::show(&personal_data(config)?.report()?, Clock::system().now(), *json);
            return Ok(ExitCode::SUCCESS);
        }
        PiiCommand::Erase { session, value } => {
            let what = "Erase personal data? It cannot be undone.";
            passphrase::unlock(&settings(config)?.state_dir, what)?;
            return erase(config, session.as_ref(), value.as_deref());
        }
        PiiCommand::Restore { .. } => {
            let what = "Show the real values of tokens?";
            passphrase::unlock(&settings(config)?.state_dir, what)?;
        }
        PiiCommand::Tokenize { .. } => {}
    }
    let gateway = context::gateway(config)?;
    let outcome = with_gateway(&gateway, &args.command);
    gateway.close().await;
    outcome
}

fn with_gateway(gateway: &Arc<Gateway>, command: &PiiCommand) -> anyhow::Result<ExitCode> {
    match command {
        PiiCommand::Scan { .. } | PiiCommand::Report { .. } | PiiCommand::Erase { .. } => {}
        PiiCommand::Tokenize { file, session, json } => {
            let text = read(file)?;
            let context = RunContext {
                principal: Principal::at_terminal(session.clone()),
                ..RunContext::default()
            };
            let _session = context::open_session(gateway, &context.principal)?;
            let done = match gateway.sanitize_pii(&text, &context) {
                Ok(done) => done,
                Err(error) => return Ok(print::failed(&error)),
            };
            let name = gateway.pii_session(&context);
            if *json {
                print::json(&json!({"text": done.text, "counts": done.counts, "session": name}));
            } else {
                print::line(done.text.strip_suffix('\n').unwrap_or(&done.text));
                print::note(format!("session: {name}"));
            }
        }
        PiiCommand::Restore { file, session, json } => {
            let text = read(file)?;
            let restored = match session {
                Some(name) => {
                    let principal = Principal::Session(name.clone());
                    let context = RunContext { principal, ..RunContext::default() };
                    gateway.reveal_pii(&text, &context)
                }
                None => Admin::new(gateway.settings()).personal_data()?.restore(&text)?,
            };
            let restored = match restored {
                Ok(restored) => restored,
                Err(error) => return Ok(print::failed(&error)),
            };
            if *json {
                print::json(&json!({"text": restored.text, "counts": restored.counts}));
            } else {
                print::line(restored.text.strip_suffix('\n').unwrap_or(&restored.text));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn erase(
    config: &Option<PathBuf>,
    session: Option<&SessionName>,
    value: Option<&Path>,
) -> anyhow::Result<ExitCode> {
    let kept = personal_data(config)?;
    let erased = match session {
        Some(session) => kept.erase_session(session.as_str())?,
        None => kept.erase_value(read(value.unwrap_or(Path::new("-")))?.trim())?,
    };
    print::line(format!("{} erased", print::counted(erased, "value")));
    print::note("running gateways keep seen values in memory until they exit");
    Ok(ExitCode::SUCCESS)
}

fn settings(config: &Option<PathBuf>) -> anyhow::Result<Settings> {
    context::settings(config, &Environment::from_process())
}

fn personal_data(config: &Option<PathBuf>) -> anyhow::Result<PersonalDataAdmin> {
    Ok(Admin::new(&settings(config)?).personal_data()?)
}

/// One line of `tidegate pii scan --jsonl`.
#[derive(Deserialize)]
struct InputLine {
    id: Value,
    text: String,
    #[serde(default)]
    kind: PiiKind,
}

fn scan_lines(detector: &dyn Detect, file: &Path) -> anyhow::Result<()> {
    let lines: Box<dyn BufRead> = if file == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        let opened = std::fs::File::open(file);
        Box::new(std::io::BufReader::new(opened.with_context(|| unreadable(file))?))
    };
    for (number, line) in lines.lines().enumerate() {
        let line = line.with_context(|| unreadable(file))?;
        if line.trim().is_empty() {
            continue;
        }
        let InputLine { id, text, kind } = serde_json::from_str(&line).map_err(|error| {
            Usage(format!(
                "line {} is not valid: {error}\nhint: write each line as \
                 {{\"id\": …, \"text\": \"…\", \"kind\": \"text\" or \"json\"}}",
                number + 1
            ))
        })?;
        let spans = detector.scan(&text, kind.text_kind());
        let spans: Vec<Value> = spans.iter().map(span_json).collect();
        print::line(json!({"id": id, "spans": spans}).to_string());
    }
    Ok(())
}

fn show_spans(text: &str, spans: &[Span], json: bool) {
    if json {
        print::json(&json!({"spans": spans.iter().map(span_json).collect::<Vec<_>>()}));
        return;
    }
    for span in spans {
        let value = text.get(span.range()).unwrap_or_default();
        let (name, start) = (span.data_type.as_str(), span.start);
        print::line(format!("{name:<12} {start:>8}  {}", visible_line(value)));
    }
    print::note(match spans.len() {
        0 => "no personal data found".to_owned(),
        count => format!("{} found", print::counted(count, "value")),
    });
}

fn span_json(span: &Span) -> Value {
    json!({"start": span.start, "end": span.end, "type": span.data_type.as_str()})
}

fn read(file: &Path) -> anyhow::Result<String> {
    if file != Path::new("-") {
        return std::fs::read_to_string(file).with_context(|| unreadable(file));
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("standard input is not UTF-8 text")?;
    Ok(text)
}

fn unreadable(file: &Path) -> String {
    format!("cannot read `{}`", file.display())
}
