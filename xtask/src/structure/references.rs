//! The paths in the items of one module that may lead to another module.
//!
//! In: its items. Out: what `use` brings into scope, and every `use` and every path
//! that begins with `crate`, `self` or `super`, with its line.
//! Items for tests and the items of inline modules are left out; the latter are
//! modules of their own.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{ImplItem, Item, ItemMod, ItemUse, Macro, Path, UseTree};

use super::source::{attributes_of, attributes_of_member, is_test_only};

/// A path as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) segments: Vec<String>,
    pub(crate) line: usize,
}

#[derive(Default)]
pub(crate) struct References {
    /// At the top level of the module: name to path.
    pub(crate) imports: BTreeMap<String, Vec<String>>,
    pub(crate) references: Vec<Reference>,
}

pub(crate) fn read(items: &[Item]) -> References {
    let mut references = References::default();
    for item in items {
        if let Item::Use(item) = item
            && !is_test_only(&item.attrs)
        {
            for import in imports_of(item) {
                references.imports.insert(import.name, import.segments);
            }
        }
        references.visit_item(item);
    }
    references
}

impl<'ast> Visit<'ast> for References {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test_only(attributes_of(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if !is_test_only(attributes_of_member(item)) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, _: &'ast ItemMod) {}

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let imports = imports_of(item).into_iter();
        self.references
            .extend(imports.map(|one| Reference { segments: one.segments, line: one.line }));
    }

    fn visit_path(&mut self, path: &'ast Path) {
        if let Some(first) = path.segments.first() {
            let segments: Vec<String> =
                path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.add(segments, first.ident.span().start().line);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        self.add_tokens(item.tokens.clone());
        visit::visit_macro(self, item);
    }
}

impl References {
    fn add(&mut self, segments: Vec<String>, line: usize) {
        let anchored = ["crate", "self", "super"].contains(&segments[0].as_str());
        if anchored && segments.len() > 1 {
            self.references.push(Reference { segments, line });
        }
    }

    /// The arguments of a macro have no syntax tree; paths are names joined by `::`.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut line = 0;
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.end_path(&mut path, line);
                        line = name.span().start().line;
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                other => {
                    self.end_path(&mut path, line);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.add_tokens(group.stream());
                    }
                }
            }
        }
        self.end_path(&mut path, line);
    }

    fn end_path(&mut self, path: &mut Vec<String>, line: usize) {
        if !path.is_empty() {
            self.add(std::mem::take(path), line);
        }
    }
}

struct Import {
    name: String,
    segments: Vec<String>,
    line: usize,
}

fn imports_of(item: &ItemUse) -> Vec<Import> {
    let mut imports = Vec::new();
    // `use ::name` is a crate.
    if item.leading_colon.is_none() {
        add_imports(&item.tree, &mut Vec::new(), &mut imports);
    }
    imports
}

fn add_imports(tree: &UseTree, prefix: &mut Vec<String>, imports: &mut Vec<Import>) {
    let (name, shown) = match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            add_imports(&path.tree, prefix, imports);
            prefix.pop();
            return;
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                add_imports(tree, prefix, imports);
            }
            return;
        }
        UseTree::Name(name) => (&name.ident, &name.ident),
        UseTree::Rename(rename) => (&rename.ident, &rename.rename),
        UseTree::Glob(_) => return,
    };
    let mut segments = prefix.clone();
    let mut shown = shown.to_string();
    // `use a::{self}` brings in `a`.
    if name == "self" {
        shown = segments.last().cloned().unwrap_or(shown);
    } else {
        segments.push(name.to_string());
    }
    imports.push(Import { name: shown, segments, line: name.span().start().line });
}

#[cfg(test)]
mod tests {
    use super::read;

    fn found(text: &str) -> Vec<String> {
        let file = syn::parse_file(text).unwrap();
        let references = read(&file.items).references;
        references.iter().map(|one| format!("{}: {}", one.line, one.segments.join("::"))).collect()
    }

    #[test]
    fn paths_are_found_in_uses_types_bodies_and_macros() {
        let text = "use crate::a::{self, b::C as D};\n\
                    fn f(x: crate::e::F) -> Self { super::g::h(self.x) }\n\
                    fn i() { format!(\"{}\", crate::j::K::L, (self::m::n())); }\n\
                    fn o() { use crate::p::Q; Q::r() }\n";
        let expected = [
            "1: crate::a",
            "1: crate::a::b::C",
            "2: crate::e::F",
            "2: super::g::h",
            "3: crate::j::K::L",
            "3: self::m::n",
            "4: crate::p::Q",
        ];
        assert_eq!(found(text), expected);
    }

    #[test]
    fn paths_of_tests_and_other_crates_are_not() {
        let text = "use ::std::fs;\n\
                    #[cfg(test)] use crate::a::B;\n\
                    impl C { #[cfg(test)] fn d() { crate::e::f() } }\n\
                    mod inner { use crate::g::H; }\n\
                    fn i(self) { std::fs::read(\"x\"); self.j() }\n";
        assert_eq!(found(text), Vec::<String>::new());
    }

    #[test]
    fn names_that_are_imported_at_the_top_are_kept() {
        let file = syn::parse_file("use a::b::{self, C as D};\nfn f() { use e::F; }").unwrap();
        let imports = read(&file.items).imports;
        let imports: Vec<String> =
            imports.iter().map(|(name, path)| format!("{name}: {}", path.join("::"))).collect();
        assert_eq!(imports, ["D: a::b::C", "b: a::b"]);
    }
}
