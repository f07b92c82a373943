//! Finds the configuration and loads it.
//!
//! In: a folder or a file. Out: `Settings`. The only place that combines the steps
//! from a file to settings.

use std::io;
use std::path::{self, Path, PathBuf};

use crate::environment::Environment;
use crate::error::ConfigError;
use crate::keys::key::Format;
use crate::read::ownership::refuse_foreign_file;
use crate::read::source::Source;
use crate::read::{parse_json, parse_toml, reader};
use crate::resolve::resolver;
use crate::settings::Settings;
use crate::settings::policy_source::PolicySource;
use crate::settings::state_dir::state_dir;

/// Name of the project's and of the user's own file.
const OWN_FILE: &str = "tidegate.toml";

/// The file that clients share within a project.
const CLIENT_FILE: &str = ".mcp.json";

/// Loads the first that exists: `tidegate.toml` in the folder or one above it,
/// `.mcp.json` in the folder or one above it, `tidegate.toml` in the user's
/// configuration folder. Without any, the defaults.
pub fn find_and_load(start_dir: &Path, env: &Environment) -> Result<Settings, ConfigError> {
    match find(start_dir, env) {
        Some(path) => {
            let file = Source::open(&path)?;
            let remedy = format!("name it: `--config {}`", path.display());
            refuse_foreign_file(&path, &file, &remedy)?;
            load(&Source::read_open(&path, file)?, env)
        }
        None => defaults(env),
    }
}

/// Loads one file, in either format.
pub fn load_file(path: &Path, env: &Environment) -> Result<Settings, ConfigError> {
    load(&Source::read(path)?, env)
}

/// Loads the text of a file, in either format; `path` determines only its interpretation.
pub fn load_text(path: &Path, text: &str, env: &Environment) -> Result<Settings, ConfigError> {
    load(&Source::from_bytes(path, text.as_bytes().to_owned())?, env)
}

/// The settings without any file: no server, default limits and checks.
pub fn defaults(env: &Environment) -> Result<Settings, ConfigError> {
    let settings = Settings::new(state_dir(env)?);
    let policy = PolicySource::find(None, None, env);
    Ok(Settings { policy: policy.knowing(Vec::new(), &settings.permissions), ..settings })
}

fn load(source: &Source, env: &Environment) -> Result<Settings, ConfigError> {
    let format = source.format();
    let root = match format {
        Format::Toml => parse_toml::parse(source)?,
        Format::Json => parse_json::parse(source)?,
    };
    let raw = reader::read(source, format, &root)?;
    resolver::resolve(source, raw, env)
}

fn find(start_dir: &Path, env: &Environment) -> Option<PathBuf> {
    // `.` has no parents, but its absolute form has. Without a current folder there
    // is nothing above it either.
    let start = path::absolute(start_dir).unwrap_or_else(|_| start_dir.to_owned());
    let upwards = |name| start.ancestors().map(move |folder| folder.join(name));
    upwards(OWN_FILE)
        .chain(upwards(CLIENT_FILE))
        .chain(env.config().map(|folder| folder.join(OWN_FILE)))
        .find(|path| is_there(path))
}

/// Whether something exists there, readable or not: a file that cannot be read is
/// an error to report, not a reason to silently use another one.
fn is_there(path: &Path) -> bool {
    match path.symlink_metadata() {
        Ok(_) => true,
        Err(error) => {
            !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        }
    }
}

#[cfg(test)]
mod permission_tests;
#[cfg(test)]
mod tests;
