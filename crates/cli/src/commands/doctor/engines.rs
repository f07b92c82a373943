//! Checks the engines of this machine by running a program in each.

use std::ffi::OsString;

use tidegate_config::Sandbox;
use tidegate_model::{Engine, Language};
use tidegate_sandbox::{ExternalEngine, find_engine};

use super::finding::Finding;
use super::probe::run_program;

/// One finding for each engine that is not built in. A missing engine is a problem only
/// if it is the configured one.
pub(super) async fn probe(sandbox: &Sandbox) -> Vec<Finding> {
    let mut findings = Vec::new();
    for engine in [Engine::Deno, Engine::Node] {
        findings.push(match sandbox.engines.contains(&engine) {
            true => probe_one(engine, sandbox).await,
            false => Finding::ok(
                &format!("engine {}", engine.as_str()),
                "disabled: it is not in `sandbox.engines`".to_owned(),
            ),
        });
    }
    findings
}

async fn probe_one(engine: Engine, sandbox: &Sandbox) -> Finding {
    let name = format!("engine {}", engine.as_str());
    let (configured, remedy) = match engine {
        Engine::Node | Engine::QuickJs => (
            sandbox.node.as_deref(),
            "install Node 20 or later, and put it on PATH or name it as `sandbox.node`",
        ),
        Engine::Deno => (
            sandbox.deno.as_deref(),
            "install Deno 2 or later (`npm install -g deno`), and put it on PATH or name it as \
             `sandbox.deno`",
        ),
    };
    let path: OsString = std::env::var_os("PATH").unwrap_or_default();
    let home = std::env::home_dir();
    let bad = |fact: String| {
        if sandbox.engine == engine {
            return Finding::problem(&name, format!("{fact}; it is the configured engine"), remedy);
        }
        let word = engine.as_str();
        Finding::warning(&name, format!("{fact}; programs cannot ask for `{word}`"), remedy)
    };
    let found = match find_engine(engine, configured, &path, home.as_deref()).await {
        Ok(found) => found,
        Err(error) => return bad(error.to_string()),
    };
    let ExternalEngine { program, version, .. } = &found;
    let place = format!("{version} at `{}`", program.display());
    match run_program(sandbox.clone(), Language::TypeScript, Some(engine)).await {
        Ok(took_ms) => Finding::ok(&name, format!("{place} ran `return 1` in {took_ms:.1} ms")),
        Err(error) => bad(format!("{place} did not run `return 1`: {error:#}")),
    }
}
