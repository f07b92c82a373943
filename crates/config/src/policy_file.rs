//! Where the rules for calls are, and reading them, at the start and again.
//!
//! In: what the configuration says of the file. Out: its rules with the identity of the
//! state of the file that they were read from, so that a change can be noticed. A file
//! that is no policy gives an error and never a part of its rules.

use std::io;
use std::path::{Path, PathBuf};

use tidegate_model::{FileIdentity, PolicyDefaults, PolicyRule};

use crate::environment::Environment;
use crate::error::{ConfigError, ConfigErrorKind};
use crate::load::refuse_foreign_file;
use crate::settings::Permissions;
use crate::source::{Format, Source};
use crate::{parse_toml, read_policy};

/// The file beside a configuration, and in the user's folder.
const POLICY_FILE: &str = "policy.toml";

/// Where the rules are, and the names that they can speak of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicySource {
    path: Option<PathBuf>,
    origin: Origin,
    pub(crate) servers: Vec<String>,
    pub(crate) profiles: Vec<String>,
    /// The profile that bounds every run.
    pub(crate) profile: String,
}

/// How the file came to be the one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Origin {
    /// It is where it is looked for, or would be there.
    #[default]
    Found,
    /// `[policy]` names it, so it must be there.
    Named,
}

/// What a policy file says.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyFile {
    /// What is said where no rule matches.
    pub defaults: PolicyDefaults,
    /// The rules, in the order of the file.
    pub rules: Vec<PolicyRule>,
    /// The state of the file that was read.
    pub identity: FileIdentity,
}

impl PolicySource {
    /// The first that is there: the named one, the one beside the configuration, the
    /// user's. If none is, the one beside the configuration may still come.
    pub(crate) fn find(
        named: Option<PathBuf>,
        configuration: Option<&Path>,
        env: &Environment,
    ) -> Self {
        let origin = if named.is_some() { Origin::Named } else { Origin::Found };
        let places = Self::places(named, configuration, env);
        let there = places.iter().find(|path| path.symlink_metadata().is_ok());
        let path = there.or(places.first()).cloned();
        Self { path, origin, ..Self::default() }
    }

    /// Where the file is or could come to be, the first that counts first.
    pub(crate) fn places(
        named: Option<PathBuf>,
        configuration: Option<&Path>,
        env: &Environment,
    ) -> Vec<PathBuf> {
        if let Some(named) = named {
            return vec![named];
        }
        let beside = configuration.and_then(Path::parent);
        beside.into_iter().chain(env.config()).map(|folder| folder.join(POLICY_FILE)).collect()
    }

    /// The same, with the names that rules can speak of.
    pub(crate) fn knowing(self, servers: Vec<String>, permissions: &Permissions) -> Self {
        let profiles = permissions.profiles.iter().map(|profile| profile.name.clone()).collect();
        Self { servers, profiles, profile: permissions.profile.clone(), ..self }
    }

    /// Rules can speak of these servers, too.
    pub fn add_servers(&mut self, names: impl IntoIterator<Item = String>) {
        self.servers.extend(names);
    }

    /// The servers that rules can speak of.
    pub fn servers(&self) -> impl Iterator<Item = &str> {
        self.servers.iter().map(String::as_str)
    }

    /// The file, whether it is there or not.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The state of the file now; none if it is not there.
    pub fn identity(&self) -> Option<FileIdentity> {
        let data = self.path()?.metadata().ok()?;
        Some(FileIdentity::of(&data))
    }

    /// Reads the file. None if there is none, and need not be one.
    pub fn read(&self) -> Result<Option<PolicyFile>, ConfigError> {
        let Some(path) = self.path() else { return Ok(None) };
        let missing = |error: &ConfigError| error.kind == ConfigErrorKind::MissingFile;
        let file = match (Source::open(path), self.origin) {
            (Ok(file), _) => file,
            (Err(error), Origin::Found) if missing(&error) => return Ok(None),
            (Err(error), Origin::Named) if missing(&error) => {
                return Err(error.with_hint("check `file` in `[policy]`"));
            }
            (Err(error), _) => return Err(error),
        };
        if self.origin == Origin::Found {
            refuse_foreign_file(path, &file, "name it as `file` in `[policy]`")?;
        }
        let data = file.metadata().map_err(|cause| unusable(path, cause))?;
        if !data.is_file() {
            return Err(unusable(path, io::Error::from(io::ErrorKind::InvalidInput)));
        }
        let identity = FileIdentity::of(&data);
        let source = Source::read_open(path, file)?;
        let (defaults, rules) = self.parse(&source)?;
        Ok(Some(PolicyFile { defaults, rules, identity }))
    }

    pub(crate) fn parse(
        &self,
        source: &Source,
    ) -> Result<(PolicyDefaults, Vec<PolicyRule>), ConfigError> {
        let root = parse_toml::parse(source)?;
        read_policy::read(source, Format::Toml, &root, self)
    }
}

fn unusable(path: &Path, cause: io::Error) -> ConfigError {
    let message = format!("`{}` cannot be read", path.display());
    ConfigError::new(ConfigErrorKind::UnreadableFile, message)
        .with_hint("check that it is a plain file on a disk that works")
        .with_cause(cause)
}

#[cfg(test)]
mod tests;
