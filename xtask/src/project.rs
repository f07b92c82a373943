//! Knows the project folder and the test cache.
//!
//! In: the folder of this crate, fixed at build time, and `TIDEGATE_TEST_CACHE`.
//! Out: absolute paths and ready-made commands.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf, absolute};
use std::process::Command;

use anyhow::{Context, Result};

use crate::progress::output_of;

/// Names a folder for the installed packages, so that fresh clones can share them.
const CACHE_VARIABLE: &str = "TIDEGATE_TEST_CACHE";

pub(crate) struct Project {
    pub(crate) root: PathBuf,
    /// Folder of the installed packages. May be shared between clones.
    pub(crate) cache: PathBuf,
    cargo: OsString,
}

impl Project {
    pub(crate) fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("this crate is not in a workspace")?
            .to_owned();
        let cache = match env::var_os(CACHE_VARIABLE).filter(|value| !value.is_empty()) {
            Some(folder) => absolute(folder).context("cannot resolve `TIDEGATE_TEST_CACHE`")?,
            None => root.join(".cache/test"),
        };
        Ok(Self { root, cache, cargo: env::var_os("CARGO").unwrap_or_else(|| "cargo".into()) })
    }

    /// The files that git knows or would add, relative to the project folder.
    pub(crate) fn files(&self) -> Result<Vec<String>> {
        let mut list = Command::new("git");
        list.current_dir(&self.root).args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]);
        Ok(output_of(&mut list)?.split_terminator('\0').map(str::to_owned).collect())
    }

    /// Always inside the project, since it names files of this clone.
    pub(crate) fn equipment_file(&self) -> PathBuf {
        self.root.join(".cache/test/equipment.json")
    }

    /// Where tests record what they skipped, one line each.
    pub(crate) fn skipped_file(&self) -> PathBuf {
        self.root.join(".cache/test/skipped.txt")
    }

    pub(crate) fn testing(&self, name: &str) -> PathBuf {
        self.root.join("testing").join(name)
    }

    pub(crate) fn cargo(&self) -> Command {
        let mut command = Command::new(&self.cargo);
        command.current_dir(&self.root);
        command
    }
}
