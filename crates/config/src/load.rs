//! Finds the configuration and loads it.
//!
//! In: a folder or a file. Out: `Settings`. The only place where the steps
//! from a file to settings are put together.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{self, Path, PathBuf};

use crate::environment::Environment;
use crate::error::{ConfigError, ConfigErrorKind};
use crate::policy_file::PolicySource;
use crate::settings::{Settings, state_dir};
use crate::source::{Format, Source};
use crate::{parse_json, parse_toml, read, resolve};

/// The project's and the user's own file.
const OWN_FILE: &str = "tidegate.toml";

/// The file that clients share in a project.
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

/// A file that was found, not named, must be the user's own or root's, and so must
/// a link that leads to it: it names commands to start, and anybody can put one
/// into a shared folder above us. The file is the opened one, which nobody can
/// exchange between this look and the reading.
pub(crate) fn refuse_foreign_file(
    path: &Path,
    file: &File,
    remedy: &str,
) -> Result<(), ConfigError> {
    let foreign = |fact: &str| {
        let message = format!("the configuration `{}` {fact}", path.display());
        let hint = format!("if you trust it, {remedy}");
        ConfigError::new(ConfigErrorKind::ForeignFile, message).with_hint(hint)
    };
    let user = nix::unistd::geteuid().as_raw();
    let trusted = |data: &Metadata| data.uid() == user || data.uid() == 0;
    let (Ok(data), Ok(entry)) = (file.metadata(), path.symlink_metadata()) else {
        return Err(foreign("cannot be looked at"));
    };
    if !trusted(&data) || !trusted(&entry) {
        return Err(foreign("belongs to another user"));
    }
    if data.mode() & 0o002 != 0 {
        return Err(foreign("can be changed by everybody"));
    }
    Ok(())
}

/// Loads one file, in either format.
pub fn load_file(path: &Path, env: &Environment) -> Result<Settings, ConfigError> {
    load(&Source::read(path)?, env)
}

/// Loads the text of a file, in either format; `path` is only for its meaning.
pub fn load_text(path: &Path, text: &str, env: &Environment) -> Result<Settings, ConfigError> {
    load(&Source::from_bytes(path, text.as_bytes().to_owned())?, env)
}

/// The settings without any file: no server, and the default limits and checks.
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
    let raw = read::read(source, format, &root)?;
    resolve::resolve(source, raw, env)
}

fn find(start_dir: &Path, env: &Environment) -> Option<PathBuf> {
    // `.` has no parents; its absolute form has. Without a current folder there
    // is nothing above it either.
    let start = path::absolute(start_dir).unwrap_or_else(|_| start_dir.to_owned());
    let upwards = |name| start.ancestors().map(move |folder| folder.join(name));
    upwards(OWN_FILE)
        .chain(upwards(CLIENT_FILE))
        .chain(env.config().map(|folder| folder.join(OWN_FILE)))
        .find(|path| is_there(path))
}

/// Whether something is there, readable or not: a file that cannot be read is
/// an error to report, not a reason to go on and use another one.
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
