//! Finds functions that are too long to read at once.
//!
//! In: a Rust file. Out: a finding for each function of more than `MAX_LINES`.
//! Lines count from `fn` to the closing brace, comments and empty lines included.
//! Functions of tests count as well.

use syn::visit::{self, Visit};
use syn::{Block, ImplItemFn, ItemFn, Signature, TraitItemFn};

use super::Finding;
use super::source::RustFile;

/// Two screens. Most functions have 25 lines or fewer.
const MAX_LINES: usize = 80;

pub(crate) fn find(file: &RustFile<'_>) -> Vec<Finding> {
    let mut functions = Functions { path: file.path, findings: Vec::new() };
    functions.visit_file(&file.syntax);
    functions.findings
}

struct Functions<'a> {
    path: &'a str,
    findings: Vec<Finding>,
}

impl Functions<'_> {
    fn measure(&mut self, signature: &Signature, body: &Block) {
        let first = signature.fn_token.span.start().line;
        let last = body.brace_token.span.close().end().line;
        let lines = last + 1 - first;
        if lines > MAX_LINES {
            let text = format!(
                "function `{}` has {lines} lines, at most {MAX_LINES} are allowed; split it by what its parts do",
                signature.ident
            );
            self.findings.push(Finding { path: self.path.to_owned(), line: first, text });
        }
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.measure(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.measure(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(body) = &item.default {
            self.measure(&item.sig, body);
        }
        visit::visit_trait_item_fn(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINES, find};
    use crate::structure::Finding;
    use crate::structure::source::RustFile;

    fn findings(text: &str) -> Vec<Finding> {
        find(&RustFile { path: "a.rs", syntax: syn::parse_file(text).unwrap() })
    }

    /// A method, below a comment that does not count.
    fn method_of(lines: usize) -> String {
        format!("impl A {{\n/// Long.\nfn long() {{\n{}}}\n}}", "\n".repeat(lines - 2))
    }

    #[test]
    fn a_function_of_the_allowed_length_is_fine() {
        assert_eq!(findings(&method_of(MAX_LINES)), []);
    }

    #[test]
    fn one_line_more_is_a_finding() {
        let text =
            "function `long` has 81 lines, at most 80 are allowed; split it by what its parts do";
        let expected = Finding { path: "a.rs".to_owned(), line: 3, text: text.to_owned() };
        assert_eq!(findings(&method_of(MAX_LINES + 1)), [expected]);
    }
}
