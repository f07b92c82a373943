//! Where the rules for calls are, and the names that they can refer to.

use std::path::{Path, PathBuf};

use tidegate_model::FileIdentity;

use crate::environment::Environment;
use crate::settings::permissions::Permissions;

/// The file beside a configuration, and in the user's folder.
const POLICY_FILE: &str = "policy.toml";

/// Where the rules are, and the names that they can speak of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicySource {
    path: Option<PathBuf>,
    pub(crate) origin: Origin,
    pub(crate) servers: Vec<String>,
    pub(crate) profiles: Vec<String>,
    /// The profile that bounds every run.
    pub(crate) profile: String,
}

/// How the file came to be the one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It is where it is looked for, or would be there.
    #[default]
    Found,
    /// `[policy]` names it, so it must be there.
    Named,
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
}
