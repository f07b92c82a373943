//! Reads the policy file, at startup and whenever it has changed.
//!
//! In: where the settings say the file is. Out: its rules, with the identity of the file
//! that they were read from, so that a change can be detected. An invalid file is an
//! error, and none of its rules are used.

use std::io;
use std::path::Path;

use tidegate_model::{FileIdentity, PolicyDefaults, PolicyRule};

use crate::error::{ConfigError, ConfigErrorKind};
use crate::keys::key::Format;
use crate::read::ownership::refuse_foreign_file;
use crate::read::source::Source;
use crate::read::{parse_toml, policy};
use crate::settings::policy_source::{Origin, PolicySource};

/// The content of a policy file.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyFile {
    /// The decisions where no rule matches.
    pub defaults: PolicyDefaults,
    /// The rules, in the order of the file.
    pub rules: Vec<PolicyRule>,
    /// The state of the file that was read.
    pub identity: FileIdentity,
}

impl PolicySource {
    /// Reads the file. `None` if it does not exist and the configuration does not name it.
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
        policy::read(source, Format::Toml, &root, self)
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
