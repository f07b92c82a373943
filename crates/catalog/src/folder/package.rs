//! The registry package that a catalog's server is started from.
//!
//! In: a catalog file. Out: a package whose command a person can read and judge, or `None`. The
//! file is not trusted: a name that a shell or a package manager could misread is rejected.

use serde_json::Value;

/// Longest name that npm accepts; PyPI's are shorter.
const LONGEST_NAME: usize = 214;
/// Chosen: versions consist of a few numbers.
const LONGEST_VERSION: usize = 64;

/// A package that a server is started from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    registry: Registry,
    name: String,
    version: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Registry {
    Npm,
    PyPi,
}

impl Package {
    /// The package in a file, if it is complete.
    pub(super) fn read(file: &Value) -> Option<Self> {
        let text = |key: &str| file.get(key).and_then(Value::as_str);
        let registry = match text("registry")?.to_ascii_lowercase().as_str() {
            "npm" => Registry::Npm,
            "pypi" => Registry::PyPi,
            _ => return None,
        };
        let name = text("package").filter(|name| is_name(registry, name))?.to_owned();
        let version = text("version").filter(|version| is_version(version)).map(str::to_owned);
        Some(Self { registry, name, version })
    }

    /// Its name in the registry.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The command that starts it: a program and its arguments.
    pub fn command(&self) -> Vec<String> {
        let package = match &self.version {
            Some(version) => format!("{}@{version}", self.name),
            None => self.name.clone(),
        };
        match self.registry {
            Registry::Npm => vec!["npx".to_owned(), "-y".to_owned(), package],
            Registry::PyPi => vec!["uvx".to_owned(), package],
        }
    }
}

fn is_name(registry: Registry, name: &str) -> bool {
    let bare = match (registry, name.strip_prefix('@').and_then(|rest| rest.split_once('/'))) {
        (Registry::Npm, Some((scope, bare))) if is_word(scope) => bare,
        (Registry::Npm | Registry::PyPi, _) => name,
    };
    name.len() <= LONGEST_NAME && is_word(bare)
}

fn is_version(version: &str) -> bool {
    version.len() <= LONGEST_VERSION && is_word(&version.replace('+', "."))
}

/// Starts with a letter or a digit: neither an option nor a hidden path.
fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Package;

    fn command(registry: &str, package: &str, version: Option<&str>) -> Option<String> {
        let file = json!({"registry": registry, "package": package, "version": version});
        Package::read(&file).map(|package| package.command().join(" "))
    }

    #[test]
    fn a_package_is_started_as_its_registry_does() {
        let npm = command("npm", "@salesforce/mcp", Some("0.30.15"));
        assert_eq!(npm.as_deref(), Some("npx -y @salesforce/mcp@0.30.15"));
        let pypi = command("PyPI", "awslabs.eks-mcp-server", Some("1.0.0a7+x"));
        assert_eq!(pypi.as_deref(), Some("uvx awslabs.eks-mcp-server@1.0.0a7+x"));
        assert_eq!(command("npm", "exa-mcp", None).as_deref(), Some("npx -y exa-mcp"));
        // An invalid version is ignored.
        assert_eq!(command("npm", "exa-mcp", Some("1; ls")).as_deref(), Some("npx -y exa-mcp"));
    }

    #[test]
    fn what_is_no_name_of_a_package_is_not_shown_as_a_command() {
        for name in [
            "",
            "-g",
            "a b",
            "a;b",
            "a$(b)",
            "../x",
            "./x",
            "@/x",
            "@x/",
            "@x",
            "@x/y/z",
            "a\nb",
            "git+ssh://x",
            "http://x",
            "file:x",
            "a@1",
            "\u{202e}a",
            "näh",
        ] {
            assert_eq!(command("npm", name, None), None, "{name}");
            assert_eq!(command("pypi", name, None), None, "{name}");
        }
        assert_eq!(command("pypi", "@x/y", None), None);
        assert_eq!(command("npm", &"a".repeat(215), None), None);
        assert_eq!(command("apt", "curl", None), None);
    }
}
