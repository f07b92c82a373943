//! Whether programs in Python can run, by running one.

use tidegate_config::Sandbox;
use tidegate_model::Language;
use tidegate_sandbox::find_python;

use super::finding::Finding;
use super::probe::run_program;

const NAME: &str = "programs in Python";

/// One finding. A missing Python is a problem only if one is configured.
pub(super) async fn probe(sandbox: &Sandbox) -> Finding {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let (program, packages) = (sandbox.python.as_deref(), sandbox.packages.as_deref());
    let bad = |fact: String| {
        let fact = format!("{fact}; programs in Python cannot run");
        if program.is_some() || packages.is_some() {
            let remedy = "correct `python.path` and `python.packages`, or leave them out";
            return Finding::problem(NAME, fact, remedy);
        }
        let remedy = "install Python 3.9 or later, and put it on PATH or name it as `python.path`";
        Finding::warning(NAME, fact, remedy)
    };
    let found = match find_python(program, packages, &path).await {
        Ok(found) => found,
        Err(error) => return bad(error.to_string()),
    };
    let with = match &found.packages {
        Some(folder) => format!(" with the packages in `{}`", folder.display()),
        None => String::new(),
    };
    let place = format!("{} at `{}`{with}", found.version, found.program.display());
    match run_program(sandbox.clone(), Language::Python, None).await {
        Ok(took_ms) => Finding::ok(NAME, format!("{place} ran `return 1` in {took_ms:.1} ms")),
        Err(error) => bad(format!("{place} did not run `return 1`: {error:#}")),
    }
}
