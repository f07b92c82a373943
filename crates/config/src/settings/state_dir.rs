//! The folder where state is stored.

use std::path::{self, Path, PathBuf};

use crate::environment::Environment;
use crate::error::{ConfigError, ConfigErrorKind};

/// The folder where state is stored: `TIDEGATE_HOME`, or else the platform's data folder.
pub fn state_dir(env: &Environment) -> Result<PathBuf, ConfigError> {
    // An empty variable counts as not set, as with the XDG variables.
    if let Some(named) = env.get("TIDEGATE_HOME").filter(|value| !value.is_empty()) {
        let named = from_home(named, env).ok_or_else(no_home)?;
        return path::absolute(&named).map_err(|cause| {
            let message = "`TIDEGATE_HOME` is relative, and there is no current folder";
            ConfigError::new(ConfigErrorKind::NoHome, message)
                .with_hint("write an absolute path")
                .with_cause(cause)
        });
    }
    env.data().map(Path::to_owned).ok_or_else(no_home)
}

/// The path with a leading `~` replaced by the home folder. `None` if there is no home folder.
pub(crate) fn from_home(text: &str, env: &Environment) -> Option<PathBuf> {
    match text.strip_prefix("~/") {
        Some(rest) => Some(env.home()?.join(rest.trim_start_matches('/'))),
        None if text == "~" => Some(env.home()?.to_owned()),
        None => Some(PathBuf::from(text)),
    }
}

fn no_home() -> ConfigError {
    ConfigError::new(ConfigErrorKind::NoHome, "there is no home folder to keep state in")
        .with_hint("set `TIDEGATE_HOME` to a folder that tidegate may write to")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::state_dir;
    use crate::Environment;

    #[test]
    fn state_lives_under_tidegate_home_and_else_in_the_data_folder() {
        let home = ("HOME", "/home/ann");
        let named = Environment::from_pairs([home, ("TIDEGATE_HOME", "/srv/tide")]);
        assert_eq!(state_dir(&named).unwrap(), Path::new("/srv/tide"));
        let tilde = Environment::from_pairs([home, ("TIDEGATE_HOME", "~/tide")]);
        assert_eq!(state_dir(&tilde).unwrap(), Path::new("/home/ann/tide"));
        let empty = Environment::from_pairs([home, ("TIDEGATE_HOME", "")]);
        assert_eq!(state_dir(&empty).unwrap(), Path::new("/home/ann/.local/share/tidegate"));
        let xdg = Environment::from_pairs([home, ("XDG_DATA_HOME", "/data")]);
        assert_eq!(state_dir(&xdg).unwrap(), Path::new("/data/tidegate"));
    }

    #[test]
    fn without_any_folder_there_is_an_error() {
        let nowhere = Environment::from_pairs::<&str, &str>([]);
        assert_eq!(
            state_dir(&nowhere).unwrap_err().to_string(),
            "error[config.no_home]: there is no home folder to keep state in\n\
             hint: set `TIDEGATE_HOME` to a folder that tidegate may write to"
        );
    }
}
