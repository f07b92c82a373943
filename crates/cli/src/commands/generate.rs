//! `tidegate generate`: the typed APIs of all servers as files.

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
    let done = write_tree(&args.out, &tree(&catalog, languages))?;
    let tools = catalog.tools().count();
    if args.json {
        print::json(&json!({
            "servers": catalog.servers().count(),
            "tools": tools,
            "written": done.written,
            "unchanged": done.unchanged,
            "removed": done.removed,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    print::line(format!(
        "{tools} tools of {} servers: {} files written, {} unchanged, {} removed",
        catalog.servers().count(),
        done.written,
        done.unchanged,
        done.removed
    ));
    Ok(ExitCode::SUCCESS)
}
