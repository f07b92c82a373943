//! `tidegate check`: shows what a program would do, without running it.
//!
//! In: a program, or the examples of the user's own rules. Out: findings, risk, impact and
//! type errors; the exit code says whether the program is acceptable.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};
use tidegate_gateway::{Expected, FailedExample, Inspected, Judgement};
use tidegate_model::{
    CallImpact, Decision, Impact, Program, RiskLevel, Severity, visible, visible_line,
};

use crate::args::CheckArgs;
use crate::commands::run::{language, read};
use crate::print::Colour;
use crate::{context, print};

pub(crate) async fn run(config: &Option<PathBuf>, args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let Some(file) = &args.file else { return examples(config, args).await };
    let source = read(file)?;
    let language = language(file, args.lang, &source);
    let program = Program { source, language, engine: None, timeout: None };
    let gateway = context::gateway(config)?;
    let mut context = context::cancelled_by_ctrl_c();
    context.profile.clone_from(&args.profile);
    let inspected = {
        let _spinner = print::Spinner::start("checking");
        gateway.inspect(&program, &context).await
    };
    gateway.close().await;
    let inspected = match inspected {
        Ok(inspected) => inspected,
        Err(error) => return Ok(print::failed(&error)),
    };
    if args.json {
        print::json(&document(&inspected)?);
    } else {
        show(&inspected);
    }
    let failed = !inspected.judgement.is_secure || !inspected.errors.is_empty();
    Ok(ExitCode::from(if inspected.denied { 3 } else { u8::from(failed) }))
}

/// Checks the examples in the user's own rules.
async fn examples(config: &Option<PathBuf>, args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let gateway = context::gateway(config)?;
    let mut context = context::cancelled_by_ctrl_c();
    context.profile.clone_from(&args.profile);
    let checked = {
        let _spinner = print::Spinner::start("checking the examples");
        gateway.try_examples(&context).await
    };
    gateway.close().await;
    let (count, failed) = match checked {
        Ok(checked) => checked,
        Err(error) => return Ok(print::failed(&error)),
    };
    if args.json {
        let failed: Vec<Value> = failed
            .iter()
            .map(|one| {
                let (rule, source) = (&one.example.id, &one.example.source);
                json!({"rule": rule, "source": source, "expected": expected(one), "found": one.found})
            })
            .collect();
        print::json(&json!({"examples": count, "failed": failed}));
    } else {
        for one in &failed {
            print::line(format!(
                "{}: {}, but found {:?} in",
                one.example.id,
                expected(one),
                one.found
            ));
            print::line(visible(&one.example.source));
        }
        match count {
            0 => print::line("no examples: list your rule files under `patterns` in `[checks]`"),
            _ => print::line(format!("{} of {count} examples pass", count - failed.len())),
        }
    }
    Ok(ExitCode::from(u8::from(!failed.is_empty())))
}

fn expected(failed: &FailedExample) -> &'static str {
    match failed.example.expected {
        Expected::Finding => "the rule must match",
        Expected::NoFinding => "the rule must not match",
        Expected::Harmless => "expected no finding above low severity",
        Expected::Harmful => "expected a finding above low severity",
    }
}

fn document(inspected: &Inspected) -> anyhow::Result<Value> {
    let mut document = serde_json::to_value(&inspected.judgement)?;
    document["type_errors"] = json!(inspected.errors);
    document["warnings"] = json!(inspected.warnings);
    Ok(document)
}

fn show(inspected: &Inspected) {
    let judgement = &inspected.judgement;
    for issue in &judgement.issues {
        let severity = format!("{:?}", issue.severity).to_lowercase();
        print::line(format!(
            "{} {}:{}  {}  ({})",
            print::painted(&severity, colour(issue.severity)),
            issue.line,
            issue.column,
            visible_line(&issue.message),
            issue.rule
        ));
        print::line(format!("  hint: {}", visible_line(&issue.suggestion)));
    }
    for error in &inspected.errors {
        print::line(visible(&error.to_string()));
    }
    for warning in &inspected.warnings {
        print::line(format!("warning: {}", visible(warning)));
    }
    show_verdict(judgement, inspected.denied);
    show_impact(&judgement.impact);
}

fn show_verdict(judgement: &Judgement, denied: bool) {
    let level = print::painted(judgement.level.as_str(), colour_of_level(judgement.level));
    let verdict = match (denied, judgement.requires_approval) {
        (true, _) => "your rules deny it",
        (false, true) => "needs approval before it runs",
        (false, false) => "runs without approval",
    };
    print::line(format!("risk {level} ({} of 100): {verdict}", judgement.risk_score));
}

fn show_impact(impact: &Impact) {
    for tool in &impact.tools {
        let decision = match tool.decision {
            Decision::Allow => String::new(),
            word => format!("  {word}: {}", tool.because),
        };
        let name = tool.tool.to_string();
        print::line(format!("  calls {}  ({}){decision}", visible_line(&name), tool.effect));
        tool.calls.iter().for_each(show_call);
    }
    for file in &impact.files {
        print::line(format!("  {} file {}", file.access, visible_line(&file.path)));
    }
    for address in &impact.network {
        print::line(format!("  reaches {}", visible_line(address)));
    }
    for command in &impact.commands {
        print::line(format!("  runs the command {}", visible_line(command)));
    }
    if impact.unseen {
        print::line("  calls tools whose names are computed at run time");
    }
    let reversible = match impact.reversible {
        Some(true) => "reversible",
        Some(false) => "irreversible",
        None => "unknown whether reversible",
    };
    if impact.modifies_data {
        print::line(format!("  changes data outside the sandbox; {reversible}"));
    } else {
        print::line("  changes nothing outside the sandbox");
    }
}

fn show_call(call: &CallImpact) {
    let again = if call.repeated { ", in a loop" } else { "" };
    print::line(format!("    line {}{again}", call.line));
    for (key, value) in call.arguments.iter().filter(|(key, _)| !call.computed.contains(key)) {
        print::line(format!("      {} = {}", visible_line(key), visible_line(&value.to_string())));
    }
    for key in &call.computed {
        print::line(format!("      {}: computed at run time", visible_line(key)));
    }
    if call.open {
        print::line("      arguments that are computed at run time");
    }
}

const fn colour(severity: Severity) -> Colour {
    match severity {
        Severity::Low => Colour::Green,
        Severity::Medium => Colour::Yellow,
        Severity::High | Severity::Critical => Colour::Red,
    }
}

const fn colour_of_level(level: RiskLevel) -> Colour {
    match level {
        RiskLevel::Low => Colour::Green,
        RiskLevel::Medium => Colour::Yellow,
        RiskLevel::High | RiskLevel::Critical => Colour::Red,
    }
}
