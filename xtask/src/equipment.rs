//! Writes `equipment.json`, which tells the tests what they can use.
//!
//! In: the pieces that the set-up found. Out: a file with a command line for each piece, or
//! the reason why it is missing.
//! Must stay true: every piece is in the file, either with a command or in `skipped` with a
//! reason.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use anyhow::{Context, Result};

use crate::json;

/// How to start one piece. Tests add their own arguments at the end.
#[derive(Clone)]
pub(crate) struct Invocation {
    pub(crate) command: PathBuf,
    pub(crate) args: Vec<String>,
}

impl Invocation {
    pub(crate) fn new(command: &Path, args: &[&str]) -> Self {
        Self { command: command.to_owned(), args: args.iter().map(|&arg| arg.to_owned()).collect() }
    }
}

#[derive(Default)]
pub(crate) struct Equipment {
    pub(crate) pieces: Vec<(String, Invocation)>,
    /// Name and reason.
    pub(crate) skipped: Vec<(String, String)>,
}

impl Equipment {
    pub(crate) fn add(&mut self, name: &str, piece: Result<Invocation, String>) {
        match piece {
            Ok(invocation) => self.pieces.push((name.to_owned(), invocation)),
            Err(reason) => self.skipped.push((name.to_owned(), reason)),
        }
    }

    /// Marks a piece that does not work as skipped.
    pub(crate) fn skip(&mut self, name: &str, reason: String) {
        self.pieces.retain(|(other, _)| other != name);
        self.skipped.push((name.to_owned(), reason));
    }

    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let folder = path.parent().context("the equipment file has no folder")?;
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make `{}`", folder.display()))?;
        // A reader must never see half a file.
        let half = folder.join(format!("equipment.json.{}", process::id()));
        fs::write(&half, self.to_json())
            .with_context(|| format!("cannot write `{}`", half.display()))?;
        fs::rename(&half, path).with_context(|| format!("cannot write `{}`", path.display()))
    }

    fn to_json(&self) -> String {
        let mut members: Vec<(String, String)> = Vec::new();
        for (name, invocation) in &self.pieces {
            let command = json::text(&invocation.command.to_string_lossy());
            let fields = [
                ("command".to_owned(), command),
                ("args".to_owned(), json::list(&invocation.args)),
            ];
            members.push((name.clone(), json::object(&fields, "  ")));
        }
        let reasons: Vec<(String, String)> =
            self.skipped.iter().map(|(name, reason)| (name.clone(), json::text(reason))).collect();
        members.push(("skipped".to_owned(), json::object(&reasons, "  ")));
        json::object(&members, "") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Equipment, Invocation};

    #[test]
    fn a_piece_is_either_usable_or_skipped() {
        let mut equipment = Equipment::default();
        equipment.add("one", Ok(Invocation::new(Path::new("/bin/one"), &["-m", "x"])));
        equipment.add("two", Err("no `two` here".to_owned()));
        equipment.add("three", Ok(Invocation::new(Path::new("/bin/three"), &[])));
        equipment.skip("three", "does not start".to_owned());
        let expected = "{\n  \"one\": {\n    \"command\": \"/bin/one\",\n    \"args\": [\"-m\", \"x\"]\n  },\n  \
                        \"skipped\": {\n    \"two\": \"no `two` here\",\n    \"three\": \"does not start\"\n  }\n}\n";
        assert_eq!(equipment.to_json(), expected);
    }
}
