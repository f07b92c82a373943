//! Environment variables and user folders that settings depend on.
//!
//! In: the environment of the process, or pairs from a test. Out: lookups. Read once at
//! startup, so that nothing later depends on the process.
//! Invariant: `Debug` shows no value, since most of them do not concern us.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use directories::{BaseDirs, ProjectDirs};

/// Variables passed to stdio servers, compared without case.
const PASSED_ON: [&str; 22] = [
    "ALL_PROXY",
    "CURL_CA_BUNDLE",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "NVM_DIR",
    "PATH",
    "PYENV_ROOT",
    "REQUESTS_CA_BUNDLE",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "VOLTA_HOME",
];
/// The package managers that start servers read their settings from these variables.
const PASSED_ON_PREFIXES: [&str; 5] = ["LC_", "NPM_CONFIG_", "PIP_", "UV_", "XDG_"];

/// A lookup of environment variables and of the user's folders.
#[derive(Clone)]
pub struct Environment {
    variables: BTreeMap<String, String>,
    home: Option<PathBuf>,
    data: Option<PathBuf>,
    config: Option<PathBuf>,
}

impl Environment {
    /// The environment of this process. Variables that are not Unicode are treated as
    /// not set, since they cannot be put into a text.
    pub fn from_process() -> Self {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let project = ProjectDirs::from("", "", "tidegate");
        Self {
            variables,
            home: BaseDirs::new().map(|dirs| dirs.home_dir().to_owned()),
            data: project.as_ref().map(|dirs| dirs.data_dir().to_owned()),
            config: project.as_ref().map(|dirs| dirs.config_dir().to_owned()),
        }
    }

    /// An environment for tests. Folders follow `HOME` and the XDG variables among
    /// the pairs on every platform, so that tests behave the same everywhere.
    pub fn from_pairs<Name, Value>(pairs: impl IntoIterator<Item = (Name, Value)>) -> Self
    where
        Name: Into<String>,
        Value: Into<String>,
    {
        let variables: BTreeMap<String, String> =
            pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let home = variables.get("HOME").map(PathBuf::from);
        let folder = |variable: &str, below_home: &str| {
            let named = variables.get(variable).map(PathBuf::from);
            // XDG says to ignore a path that is not absolute.
            named
                .filter(|path| path.is_absolute())
                .or_else(|| Some(home.as_ref()?.join(below_home)))
                .map(|path| path.join("tidegate"))
        };
        let data = folder("XDG_DATA_HOME", ".local/share");
        let config = folder("XDG_CONFIG_HOME", ".config");
        Self { variables, home, data, config }
    }

    /// The value of a variable, if it is set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// The environment of every stdio server before its own variables: what programs need
    /// to find their files, certificates and packages. The rest, including any credentials
    /// in it, is not passed on.
    pub fn for_children(&self) -> BTreeMap<String, String> {
        let passed = |name: &str| {
            let upper = name.to_ascii_uppercase();
            PASSED_ON.contains(&upper.as_str())
                || PASSED_ON_PREFIXES.iter().any(|prefix| upper.starts_with(prefix))
        };
        let kept = self.variables.iter().filter(|(name, _)| passed(name));
        kept.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// The user's home folder.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The platform's folder for tidegate's data.
    pub(crate) fn data(&self) -> Option<&Path> {
        self.data.as_deref()
    }

    /// The platform's folder for tidegate's configuration.
    pub(crate) fn config(&self) -> Option<&Path> {
        self.config.as_deref()
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Environment(..)")
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Environment;

    #[test]
    fn an_environment_never_prints_a_value() {
        let env = Environment::from_pairs([("TOKEN", "hunter2")]);
        assert_eq!(format!("{env:?}"), "Environment(..)");
        assert_eq!(env.get("TOKEN"), Some("hunter2"));
    }

    #[test]
    fn folders_follow_xdg_and_fall_back_to_home() {
        let env = Environment::from_pairs([("HOME", "/home/ann"), ("XDG_DATA_HOME", "/data")]);
        assert_eq!(env.data(), Some(Path::new("/data/tidegate")));
        assert_eq!(env.config(), Some(Path::new("/home/ann/.config/tidegate")));
    }

    #[test]
    fn a_relative_xdg_folder_is_ignored() {
        let env = Environment::from_pairs([("HOME", "/home/ann"), ("XDG_DATA_HOME", "data")]);
        assert_eq!(env.data(), Some(Path::new("/home/ann/.local/share/tidegate")));
    }

    #[test]
    fn children_get_what_they_need_and_no_credentials() {
        let environment = Environment::from_pairs([
            ("PATH", "/bin"),
            ("https_proxy", "p"),
            ("npm_config_cache", "c"),
            ("AWS_SECRET_ACCESS_KEY", "s"),
            ("GITHUB_TOKEN", "t"),
        ]);
        let passed: Vec<String> = environment.for_children().into_keys().collect();
        assert_eq!(passed, ["PATH", "https_proxy", "npm_config_cache"]);
    }
}
