//! Typed APIs: generating them, and checking a program against them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::ensure;
use serde_json::Value;
use tidegate_catalog::{Catalog, Languages, read_catalog, tree};
use tidegate_config::{Checks, Environment, Settings, TypeCheck};
use tidegate_model::{Language, ToolList};
use tidegate_typecheck::{
    FoundPython, FoundTypeScript, PythonChecker, find_python, find_typescript,
};

use crate::report::Figure;
use crate::samples::Samples;
use crate::setup::{Setup, equipment, note, timed_when_ready};

const ROUNDS: usize = 10;
const CHECKS: usize = 60;

/// A program of ordinary size that uses three tools and calls none of them.
const PROGRAM: &str = "
    import * as crm from './servers/crm';
    const wanted: number = NUMBER;
    async function report(query: string) {
        const found = await crm.searchLeads({ query });
        const open = found.leads.filter((lead) => lead.status !== 'lost');
        const byCountry: Record<string, number> = {};
        for (const lead of open) byCountry[lead.country] = (byCountry[lead.country] ?? 0) + lead.value_cents;
        const file = await servers.drive.readFile({ path: `reports/${query}.txt` });
        const issues = await servers.tracker.listIssues({ state: 'open', limit: 10 });
        return { byCountry, file, titles: issues.issues.map((issue) => issue.title) };
    }
    return wanted < 0 ? await report('x') : wanted;";

/// The same in Python.
const PYTHON_PROGRAM: &str = "
from servers import crm
wanted = NUMBER
def report(query: str):
    found = crm.search_leads(query=query)
    by_country = {}
    for lead in found.leads:
        if lead.status != 'lost':
            by_country[lead.country] = by_country.get(lead.country, 0) + lead.value_cents
    file = servers.drive.read_file(path=f'reports/{query}.txt')
    issues = servers.tracker.list_issues(state='open', limit=10)
    return {'by_country': by_country, 'file': file, 'titles': [issue.title for issue in issues.issues]}
result = report('x') if wanted < 0 else wanted";

pub(crate) async fn measure(setup: &Setup<'_>) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::from_iter(generate()?);
    match compiler() {
        Some(tsc) => {
            let checks = Checks { tsc: Some(tsc), ..Checks::default() };
            figures.push(check(setup, &checks, Language::TypeScript, PROGRAM).await?);
        }
        None => note(
            "type checks are skipped: TypeScript 7 is not installed (`tidegate doctor --fix` installs it)",
        ),
    }
    match python_checker() {
        Some(python) => {
            let checks = Checks { python: Some(python), ..Checks::default() };
            figures.push(check(setup, &checks, Language::Python, PYTHON_PROGRAM).await?);
        }
        None => note("type checks of Python are skipped: ty is not installed"),
    }
    Ok(figures)
}

/// Both typed APIs of all real tool lists in this repository.
fn generate() -> anyhow::Result<Option<Figure>> {
    let mut catalog = Catalog::default();
    let Ok(files) = read_catalog(Path::new("testing/catalog")) else {
        note("generated APIs are skipped: there is no `testing/catalog` here");
        return Ok(None);
    };
    for (server, list) in &files.servers {
        catalog.set_tools(server, list);
    }
    let texts: Vec<String> =
        catalog.tools().filter_map(|(_, tool)| serde_json::to_string(&**tool).ok()).collect();
    let (mut generating, mut parsing) = (Samples::default(), Samples::default());
    for _ in 0..ROUNDS {
        let started = Instant::now();
        for text in &texts {
            let value: Value = serde_json::from_str(text)?;
            ensure!(value.is_object(), "not a tool");
        }
        parsing.add(started.elapsed());
        // A copy has not generated anything yet.
        let fresh = fresh(&catalog);
        let started = Instant::now();
        let files = tree(&fresh, Languages::All);
        generating.add(started.elapsed());
        ensure!(files.len() > texts.len(), "files are missing");
    }
    Ok(Some(Figure {
        name: format!("both typed APIs of {} tools", texts.len()),
        ms: generating.median(),
        yardstick: "parsing the same definitions".to_owned(),
        yardstick_ms: parsing.median(),
    }))
}

fn fresh(catalog: &Catalog) -> Catalog {
    let mut fresh = Catalog::default();
    for server in catalog.servers() {
        if let Some(tools) = catalog.server(server) {
            let list = ToolList {
                left_out: 0,
                info: tools.info.clone(),
                tools: tools.tools.iter().map(|tool| (**tool).clone()).collect(),
            };
            fresh.set_tools(server, &list);
        }
    }
    fresh
}

/// The time that a type check adds to a run. Each run has a changed program.
async fn check(
    setup: &Setup<'_>,
    checks: &Checks,
    language: Language,
    program: &str,
) -> anyhow::Result<Figure> {
    let servers = tidegate_demo::server_specs()?;
    let open = |name: &str, types: TypeCheck| {
        let state_dir = setup.folder.join(format!("{name}-{}", language.as_str()));
        let checks = Checks { types, ..checks.clone() };
        setup.gateway(Settings { servers: servers.clone(), checks, ..Settings::new(state_dir) })
    };
    let (checked, unchecked) =
        (open("typed", TypeCheck::Strict)?, open("untyped", TypeCheck::Off)?);
    let (mut with, mut without) = (Samples::default(), Samples::default());
    // The first round does not count: servers and compiler start.
    for round in 0..=CHECKS {
        let source = program.replace("NUMBER", &round.to_string());
        let slow = timed_when_ready(&checked, &source, language).await?;
        let fast = timed_when_ready(&unchecked, &source, language).await?;
        if round > 0 {
            with.add(slow);
            without.add(fast);
        }
    }
    checked.close().await;
    unchecked.close().await;
    let (with, without) = (with.median(), without.median());
    Ok(Figure {
        name: format!("type check of a program in {}, warm", language.as_str()),
        ms: with - without,
        yardstick: "the same run without it".to_owned(),
        yardstick_ms: without,
    })
}

/// The compiler of the test equipment, else the installed one.
fn compiler() -> Option<PathBuf> {
    let environment = Environment::from_process();
    let state_dir = tidegate_config::state_dir(&environment).ok()?;
    let equipped = equipment("tsc");
    let equipped = equipped.as_ref().and_then(|entry| entry["command"].as_str()).map(Path::new);
    let path = environment.get("PATH").map(OsStr::new).unwrap_or_default();
    match find_typescript(equipped, &state_dir, path) {
        FoundTypeScript::Native { tsc } => Some(tsc),
        _ => None,
    }
}

/// The same for Python: ty, the faster of the two.
fn python_checker() -> Option<PathBuf> {
    let environment = Environment::from_process();
    let equipped = equipment("ty");
    let equipped = equipped.as_ref().and_then(|entry| entry["command"].as_str()).map(Path::new);
    let path = environment.get("PATH").map(OsStr::new).unwrap_or_default();
    match find_python(equipped, path) {
        FoundPython::Checker(PythonChecker::Ty { path }) => Some(path),
        _ => None,
    }
}
