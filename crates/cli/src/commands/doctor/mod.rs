//! `tidegate doctor`: tries everything that Tidegate needs on this machine.
//!
//! In: the configuration and the machine. Out: findings, each with a remedy.
//! Whatever can be tried is tried: a worker runs, a program is type-checked. Servers are
//! started only on request, since they are somebody else's programs.

mod approvals;
mod catalogs;
mod engines;
mod finding;
mod install;
mod isolation;
mod probe;
mod python;
mod python_types;
mod type_checker;
mod typescript;

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;
use tidegate_config::Environment;

use self::finding::{Finding, Status};
use self::isolation::Table;
use crate::args::DoctorArgs;
use crate::print;

pub(crate) async fn run(config: &Option<PathBuf>, args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let environment = Environment::from_process();
    let mut findings = Vec::new();
    let (mut table, mut who_approves) = (None, None);
    let settings = probe::configuration(config, &environment, &mut findings);
    if let Some(mut settings) = settings {
        findings.push(probe::policy(&mut settings));
        findings.push(probe::state_folder(&settings.state_dir));
        findings.extend(probe::databases(&settings.state_dir));
        let (finding, layers) = isolation::probe(&settings).await;
        findings.push(finding);
        table = layers;
        findings.push(probe::worker(&settings).await);
        let mut checker = typescript::probe(&settings, &environment).await;
        // A configured checker is used even if another one is installed.
        let fixable = checker.status != Status::Ok && settings.checks.tsc.is_none();
        if args.fix && fixable {
            match install::typescript(&settings.state_dir).await {
                Ok(()) => checker = typescript::probe(&settings, &environment).await,
                Err(error) => findings.push(install::failed(&error)),
            }
        }
        findings.push(checker);
        findings.extend(engines::probe(&settings.sandbox).await);
        findings.push(python::probe(&settings.sandbox).await);
        findings.push(python_types::probe(&settings, &environment).await);
        findings.extend(catalogs::probe(&settings));
        if args.servers {
            findings.extend(probe::servers(settings.clone(), &environment).await);
        }
        who_approves = Some(approvals::probe(&settings.state_dir));
        findings.extend(probe::changed_tools(settings, &environment).await);
    }
    findings.extend(probe::runtimes().await);
    findings.extend(who_approves);
    show(&findings, table.as_ref(), args.json);
    let healthy = findings.iter().all(|finding| finding.status != Status::Problem);
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn show(findings: &[Finding], table: Option<&Table>, json: bool) {
    if json {
        print::json(&json!({"findings": findings, "isolation": table}));
        return;
    }
    for finding in findings {
        finding.print();
        if let Some(table) = table.filter(|_| finding.name == isolation::NAME) {
            table.print();
        }
    }
}
