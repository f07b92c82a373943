//! `tidegate generate`: writes the typed APIs of all servers as files.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;
use tidegate_catalog::{Languages, tree, write_tree};

use crate::args::{GenerateArgs, GenerateLang};
use crate::commands::search::{from_files, from_servers};
use crate::print;

pub(crate) async fn run(config: &Option<PathBuf>, args: &GenerateArgs) -> anyhow::Result<ExitCode> {
    let catalog = match &args.catalog {
        Some(path) => from_files(path)?.0,
        None => from_servers(config).await?,
    };
    let languages = match args.lang {
        GenerateLang::Ts => Languages::TypeScript,
        GenerateLang::Py => Languages::Python,
        GenerateLang::All => Languages::All,
    };
    let outcome = write_tree(&args.out, &tree(&catalog, languages))?;
    let tools = catalog.tools().count();
    if args.json {
        print::json(&json!({
            "servers": catalog.servers().count(),
            "tools": tools,
            "written": outcome.written,
            "unchanged": outcome.unchanged,
            "removed": outcome.removed,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    print::line(format!(
        "{} of {}: {} written, {} unchanged, {} removed",
        print::counted(tools, "tool"),
        print::counted(catalog.servers().count(), "server"),
        print::counted(outcome.written, "file"),
        outcome.unchanged,
        outcome.removed
    ));
    Ok(ExitCode::SUCCESS)
}
