//! Where the rules for calls are, and the names that they can refer to.

use std::path::{Path, PathBuf};

use tidegate_model::FileIdentity;

use crate::environment::Environment;
use crate::settings::permissions::Permissions;

/// Name of the policy file, beside a configuration or in the user's folder.
const POLICY_FILE: &str = "policy.toml";

/// Where the rules are, and the names that they can refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicySource {
    path: Option<PathBuf>,
    pub(crate) origin: Origin,
    pub(crate) servers: Vec<String>,
    pub(crate) profiles: Vec<String>,
    /// The profile that bounds every run.
    pub(crate) profile: String,
}

/// How the file was chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    /// By search: it is at one of the usual places, or would be there.
    #[default]
    Found,
    /// `[policy]` names it, so it must exist.
    Named,
}

impl PolicySource {
    /// The first that exists: the named one, the one beside the configuration, the
    /// user's. If none exists, the one beside the configuration, which may be created later.
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

    /// Where the file is or could be created, in order of precedence.
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

    /// The same, with the names that rules can refer to.
    pub(crate) fn knowing(self, servers: Vec<String>, permissions: &Permissions) -> Self {
        let profiles = permissions.profiles.iter().map(|profile| profile.name.clone()).collect();
        Self { servers, profiles, profile: permissions.profile.clone(), ..self }
    }

    /// Lets rules refer to these servers, too.
    pub fn add_servers(&mut self, names: impl IntoIterator<Item = String>) {
        self.servers.extend(names);
    }

    /// The servers that rules can refer to.
    pub fn servers(&self) -> impl Iterator<Item = &str> {
        self.servers.iter().map(String::as_str)
    }

    /// The file, whether it exists or not.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The identity of the file now; `None` if it does not exist.
    pub fn identity(&self) -> Option<FileIdentity> {
        let data = self.path()?.metadata().ok()?;
        Some(FileIdentity::of(&data))
    }
}
