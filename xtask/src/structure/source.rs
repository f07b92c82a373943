//! The files of the project and their syntax.
//!
//! In: the files that git knows or would add. Out: their text, and the syntax tree of
//! the Rust ones.
//! Must stay true: paths are relative to the project folder and use `/`.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use syn::{Attribute, ImplItem, Item, Meta};

use crate::project::Project;

/// Text of each file; empty for files that are not UTF-8.
#[derive(Default)]
pub(crate) struct Sources {
    files: BTreeMap<String, String>,
}

/// One parsed Rust file.
pub(crate) struct RustFile<'a> {
    pub(crate) path: &'a str,
    pub(crate) syntax: syn::File,
}

impl Sources {
    pub(crate) fn read(project: &Project) -> Result<Self> {
        let mut files = BTreeMap::new();
        for path in project.files()? {
            // Listed but missing: deleted and not yet committed.
            let Ok(bytes) = fs::read(project.root.join(&path)) else { continue };
            files.insert(path, String::from_utf8(bytes).unwrap_or_default());
        }
        Ok(Self { files })
    }

    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|&(path, text)| (path.to_owned(), text.to_owned()));
        Self { files: files.collect() }
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// `lib.rs` and `main.rs` of every crate of the workspace. `fuzz` is not one.
    pub(crate) fn crate_roots(&self) -> Vec<String> {
        let roots = self
            .rust_paths()
            .filter(|path| path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs"));
        roots.map(str::to_owned).collect()
    }

    /// Everything that is compiled into the product, its tests and its chores.
    pub(crate) fn rust_files(&self) -> impl Iterator<Item = RustFile<'_>> {
        // A file that does not parse does not compile either, and cargo explains that
        // better.
        self.rust_paths().filter_map(|path| self.parse(path).ok())
    }

    pub(crate) fn parse<'a>(&'a self, path: &'a str) -> Result<RustFile<'a>> {
        let text = self.text(path).with_context(|| format!("`{path}` does not exist"))?;
        let syntax = syn::parse_file(text).with_context(|| format!("cannot parse `{path}`"))?;
        Ok(RustFile { path, syntax })
    }

    /// Test data of compile-fail tests is not our code: it is wrong on purpose.
    fn rust_paths(&self) -> impl Iterator<Item = &str> {
        self.paths().filter(|path| {
            path.ends_with(".rs")
                && !path.contains("/compile_fail/")
                && ["crates/", "testing/double/", "xtask/"].iter().any(|top| path.starts_with(top))
        })
    }
}

/// Whether something is compiled for tests only: `#[cfg(test)]` or `#[cfg(all(test, …))]`.
pub(crate) fn is_test_only(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        let condition = list.tokens.to_string();
        list.path.is_ident("cfg")
            && (condition == "test" || condition.replace(' ', "").starts_with("all(test,"))
    })
}

pub(crate) fn attributes_of(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        // Not written in this project: foreign blocks, unions, aliases of traits.
        _ => &[],
    }
}

pub(crate) fn attributes_of_member(item: &ImplItem) -> &[Attribute] {
    match item {
        ImplItem::Const(item) => &item.attrs,
        ImplItem::Fn(item) => &item.attrs,
        ImplItem::Type(item) => &item.attrs,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::{Sources, attributes_of, is_test_only};

    #[test]
    fn code_for_tests_is_recognised() {
        let cases = [
            ("#[cfg(test)] mod tests {}", true),
            ("#[cfg(all(test, unix))] use std::fs;", true),
            ("#[cfg(unix)] mod tests {}", false),
            ("#[cfg(not(test))] fn f() {}", false),
            ("#[test] fn f() {}", false),
        ];
        for (text, expected) in cases {
            let file = syn::parse_file(text).unwrap();
            assert_eq!(is_test_only(attributes_of(&file.items[0])), expected, "{text}");
        }
    }

    #[test]
    fn the_roots_are_those_of_the_workspace() {
        let paths = [
            "crates/a/src/lib.rs",
            "crates/a/src/main.rs",
            "crates/a/src/b/lib.rs",
            "fuzz/src/lib.rs",
        ];
        let sources = Sources::of(&paths.map(|path| (path, "")));
        assert_eq!(sources.crate_roots(), ["crates/a/src/lib.rs", "crates/a/src/main.rs"]);
    }
}
