//! The modules of one crate, and which of them uses which.
//!
//! In: the crate's root file. Out: a `Crate` with every module that is compiled without
//! tests, and every use of one by another.
//! A path counts for the module that it leads to, re-exports included: with
//! `pub use store::Store;` in the root, `crate::Store` is a use of `store`.
//! Not followed: glob imports (the style forbids them), paths in attributes, and names
//! that only a macro makes.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use syn::{Item, ItemMod};

use super::references::{self, Reference};
use super::source::{Sources, is_test_only};

/// Names of modules from the root on; empty for the root.
pub(crate) type ModulePath = Vec<String>;

/// Longer chains of re-exports than this do not occur; a cycle would be one.
const MAX_HOPS: usize = 16;

#[derive(Default)]
pub(crate) struct Crate {
    modules: BTreeMap<ModulePath, Module>,
}

struct Module {
    /// The file, and the module that it is: an inline module belongs to the one of its file.
    file: String,
    of_file: ModulePath,
    /// What `use` brings into scope at the top level: name to path.
    imports: BTreeMap<String, Vec<String>>,
    references: Vec<Reference>,
}

/// One module uses another. Both are modules with a file of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) from: ModulePath,
    pub(crate) to: ModulePath,
    pub(crate) file: String,
    pub(crate) line: usize,
    /// The path as it is written.
    pub(crate) written: String,
}

/// A module whose items are still to be read.
struct Unread<'a> {
    path: ModulePath,
    file: &'a str,
    of_file: ModulePath,
}

impl Crate {
    pub(crate) fn read(sources: &Sources, root: &str) -> Result<Self> {
        let mut read = Self::default();
        read.add_file(sources, root, Vec::new())?;
        Ok(read)
    }

    /// Every use between two files, once for each place.
    pub(crate) fn uses(&self) -> Vec<Use> {
        let mut uses = Vec::new();
        for (path, module) in &self.modules {
            for reference in &module.references {
                for to in self.resolve(path, &reference.segments) {
                    let to = self.modules[&to].of_file.clone();
                    if to != module.of_file {
                        uses.push(Use {
                            from: module.of_file.clone(),
                            to,
                            file: module.file.clone(),
                            line: reference.line,
                            written: reference.segments.join("::"),
                        });
                    }
                }
            }
        }
        uses
    }

    fn add_file(&mut self, sources: &Sources, file: &str, path: ModulePath) -> Result<()> {
        let parsed = sources.parse(file)?;
        if is_test_only(&parsed.syntax.attrs) {
            return Ok(());
        }
        let module = Unread { of_file: path.clone(), path, file };
        self.add(sources, &module, &parsed.syntax.items)
    }

    fn add(&mut self, sources: &Sources, module: &Unread<'_>, items: &[Item]) -> Result<()> {
        let found = references::read(items);
        self.modules.insert(
            module.path.clone(),
            Module {
                file: module.file.to_owned(),
                of_file: module.of_file.clone(),
                imports: found.imports,
                references: found.references,
            },
        );
        for item in items {
            if let Item::Mod(child) = item
                && !is_test_only(&child.attrs)
            {
                self.add_child(sources, module, child)?;
            }
        }
        Ok(())
    }

    fn add_child(&mut self, sources: &Sources, parent: &Unread<'_>, child: &ItemMod) -> Result<()> {
        let mut path = parent.path.clone();
        path.push(child.ident.to_string());
        if let Some((_, items)) = &child.content {
            let module = Unread { path, file: parent.file, of_file: parent.of_file.clone() };
            return self.add(sources, &module, items);
        }
        let inside = &path[parent.of_file.len()..];
        let candidates = candidates(parent.file, inside);
        let file = candidates.iter().find(|file| sources.text(file).is_some());
        let file = file.with_context(|| {
            format!(
                "`{}` declares `mod {}`, but neither of `{}` exists",
                parent.file,
                child.ident,
                candidates.join("`, `")
            )
        })?;
        self.add_file(sources, file, path)
    }

    /// The modules that a path leads to: the last one, and on the way each one that
    /// re-exports the name. Nothing for a path into another crate.
    fn resolve(&self, from: &[String], segments: &[String]) -> BTreeSet<ModulePath> {
        let mut reached = BTreeSet::new();
        let mut from = from.to_owned();
        let mut segments = segments.to_owned();
        for _ in 0..MAX_HOPS {
            let Some((module, rest)) = self.walk(&from, &segments) else { break };
            reached.insert(module.clone());
            let Some((name, rest)) = rest.split_first() else { break };
            let Some(import) = self.modules[&module].imports.get(name) else { break };
            segments = import.iter().chain(rest).cloned().collect();
            from = module;
        }
        reached
    }

    /// Follows a path as long as it names modules. Returns the last of them and the rest.
    fn walk(&self, from: &[String], segments: &[String]) -> Option<(ModulePath, Vec<String>)> {
        let mut module = from.to_owned();
        let mut rest = segments;
        while let Some((first, after)) = rest.split_first() {
            match first.as_str() {
                "crate" => module.clear(),
                "self" => {}
                "super" => drop(module.pop()?),
                _ => break,
            }
            rest = after;
        }
        let relative = rest.len() == segments.len();
        let mut steps = 0;
        while let Some((first, after)) = rest.split_first() {
            module.push(first.clone());
            if !self.modules.contains_key(&module) {
                module.pop();
                break;
            }
            steps += 1;
            rest = after;
        }
        // A bare first name is a module below this one, something imported, or a crate.
        let known =
            rest.first().is_some_and(|name| self.modules[&module].imports.contains_key(name));
        (!relative || steps > 0 || known).then(|| (module, rest.to_owned()))
    }
}

/// Where `mod a { mod b; }` of a file may be: `inside` is `[a, b]`.
fn candidates(file: &str, inside: &[String]) -> [String; 2] {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let stem = name.trim_end_matches(".rs");
    let folder = if ["lib", "main", "mod"].contains(&stem) {
        folder.to_owned()
    } else {
        format!("{folder}/{stem}")
    };
    let inside = inside.join("/");
    [format!("{folder}/{inside}.rs"), format!("{folder}/{inside}/mod.rs")]
}

#[cfg(test)]
mod tests {
    use super::{Crate, candidates};
    use crate::structure::source::Sources;

    /// `from -> to` for each use.
    fn uses(files: &[(&str, &str)]) -> Vec<String> {
        let sources = Sources::of(files);
        let uses = Crate::read(&sources, "crates/a/src/lib.rs").unwrap().uses();
        let lines = uses.iter().map(|one| {
            format!("{}:{} {} -> {}", one.file, one.line, one.from.join("::"), one.to.join("::"))
        });
        lines.collect()
    }

    #[test]
    fn a_use_leads_to_the_module_that_has_the_item() {
        let files = [
            ("crates/a/src/lib.rs", "mod one;\nmod two;\npub use two::Two;"),
            (
                "crates/a/src/one.rs",
                "use crate::Two;\nuse std::fs;\nfn f() { super::two::deep::g() }",
            ),
            ("crates/a/src/two/mod.rs", "pub mod deep;\npub use deep::Two;"),
            ("crates/a/src/two/deep.rs", "pub struct Two;\npub fn g() {}"),
        ];
        let expected = [
            "crates/a/src/lib.rs:3  -> two",
            "crates/a/src/lib.rs:3  -> two::deep",
            "crates/a/src/one.rs:1 one -> ",
            "crates/a/src/one.rs:1 one -> two",
            "crates/a/src/one.rs:1 one -> two::deep",
            "crates/a/src/one.rs:3 one -> two::deep",
            "crates/a/src/two/mod.rs:2 two -> two::deep",
        ];
        assert_eq!(uses(&files), expected);
    }

    #[test]
    fn what_only_tests_use_does_not_count() {
        let files = [
            ("crates/a/src/lib.rs", "mod one;\nmod two;\n#[cfg(test)]\nmod gone;"),
            ("crates/a/src/one.rs", "#[cfg(test)]\nmod tests { use crate::two::X; }"),
            ("crates/a/src/two.rs", "pub struct X;"),
        ];
        assert_eq!(uses(&files), Vec::<String>::new());
    }

    #[test]
    fn an_inline_module_belongs_to_its_file() {
        let files = [
            ("crates/a/src/lib.rs", "mod one;\nmod two;"),
            (
                "crates/a/src/one.rs",
                "mod inner { use super::super::two::X; use super::Y; }\nstruct Y;",
            ),
            ("crates/a/src/two.rs", "pub struct X;"),
        ];
        assert_eq!(uses(&files), ["crates/a/src/one.rs:1 one -> two"]);
    }

    #[test]
    fn a_module_without_a_file_is_an_error() {
        let sources = Sources::of(&[("crates/a/src/lib.rs", "mod gone;")]);
        let error = Crate::read(&sources, "crates/a/src/lib.rs").err().unwrap();
        let expected = "`crates/a/src/lib.rs` declares `mod gone`, but neither of `crates/a/src/gone.rs`, `crates/a/src/gone/mod.rs` exists";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn files_of_modules_are_found_beside_and_below() {
        let inside = ["b".to_owned()];
        assert_eq!(candidates("src/a.rs", &inside), ["src/a/b.rs", "src/a/b/mod.rs"]);
        assert_eq!(candidates("src/a/mod.rs", &inside), ["src/a/b.rs", "src/a/b/mod.rs"]);
    }
}
