//! Finds structs that own too much.
//!
//! In: a Rust file. Out: a finding for each struct of more than `MAX_FIELDS` fields in a
//! crate of the product, unless it is listed as plain data.
//! Structs of tests do not count.

use syn::visit::{self, Visit};
use syn::{Item, ItemStruct};

use super::Finding;
use super::source::{RustFile, Sources, attributes_of, is_test_only};

/// More than this is more than one concept, or parts of several floors.
const MAX_FIELDS: usize = 10;

/// The product. The benchmark and the demo have rows of tables, and no request.
fn is_checked(path: &str) -> bool {
    let is_product = path.starts_with("crates/") && path.contains("/src/");
    is_product && !["crates/bench/", "crates/demo/"].iter().any(|other| path.starts_with(other))
}

/// Plain records that mirror something with that many values: path, struct, reason.
const EXCEPTIONS: [(&str, &str, &str); 17] = [
    (
        "crates/gateway/src/approvals/journal.rs",
        "StoredRun",
        "the stored form of a run: one key of JSON for each, which earlier versions have written",
    ),
    ("crates/cli/src/args/program.rs", "RunArgs", "one field for each flag of `tidegate run`"),
    ("crates/config/src/read/raw.rs", "RawConfig", "one field for each section of a file"),
    ("crates/config/src/read/raw.rs", "RawServer", "one field for each key of a server"),
    ("crates/config/src/read/raw.rs", "RawNetwork", "one field for each key of `[network]`"),
    ("crates/config/src/read/raw.rs", "RawProfile", "one field for each key of a profile"),
    ("crates/config/src/read/raw.rs", "RawCommand", "one field for each key of a command"),
    ("crates/config/src/settings/mod.rs", "Settings", "one field for each section of a file"),
    ("crates/model/src/command.rs", "CommandSpec", "one field for each key of a command"),
    ("crates/model/src/network.rs", "Network", "one field for each key of `[network]`"),
    ("crates/model/src/network.rs", "Connection", "one field for each column of the record"),
    ("crates/model/src/permissions.rs", "Profile", "one field for each key of a profile"),
    ("crates/model/src/ruling.rs", "PolicyRule", "one field for each key of a rule"),
    ("crates/model/src/reading.rs", "Measures", "one field for each measure that rules can name"),
    ("crates/model/src/reference.rs", "Reference", "one field for each fact about a place"),
    (
        "crates/model/src/impact.rs",
        "ToolImpact",
        "one field for each key of `tidegate check --json`",
    ),
    (
        "crates/model/src/response.rs",
        "Response",
        "one field for each key of the answer to a client",
    ),
];

pub(crate) fn find(file: &RustFile<'_>) -> Vec<Finding> {
    if !is_checked(file.path) {
        return Vec::new();
    }
    let large = large_structs(file).into_iter();
    let unexpected = large.filter(|one| {
        !EXCEPTIONS.iter().any(|(path, name, _)| *path == file.path && one.name == *name)
    });
    let findings = unexpected.map(|one| Finding {
        path: file.path.to_owned(),
        line: one.line,
        text: format!(
            "struct `{}` has {} fields, at most {MAX_FIELDS} are allowed here; group what belongs together, or list it with a reason in `xtask/src/structure/structs.rs` if it is plain data",
            one.name, one.fields
        ),
    });
    findings.collect()
}

/// Exceptions that are no longer needed.
pub(crate) fn stale_exceptions(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, name, _) in EXCEPTIONS {
        let file = sources.parse(path).ok();
        let needed =
            file.is_some_and(|file| large_structs(&file).iter().any(|one| one.name == name));
        if !needed {
            let text = format!(
                "struct `{name}` has at most {MAX_FIELDS} fields or is gone; remove its exception from `xtask/src/structure/structs.rs`"
            );
            findings.push(Finding { path: path.to_owned(), line: 1, text });
        }
    }
    findings
}

struct LargeStruct {
    name: String,
    fields: usize,
    line: usize,
}

fn large_structs(file: &RustFile<'_>) -> Vec<LargeStruct> {
    let mut structs = Structs(Vec::new());
    if !is_test_only(&file.syntax.attrs) {
        structs.visit_file(&file.syntax);
    }
    structs.0
}

struct Structs(Vec<LargeStruct>);

impl<'ast> Visit<'ast> for Structs {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test_only(attributes_of(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        let fields = item.fields.len();
        if fields > MAX_FIELDS {
            let line = item.struct_token.span.start().line;
            self.0.push(LargeStruct { name: item.ident.to_string(), fields, line });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_FIELDS, find};
    use crate::structure::Finding;
    use crate::structure::source::RustFile;

    fn findings(path: &str, text: &str) -> Vec<Finding> {
        find(&RustFile { path, syntax: syn::parse_file(text).unwrap() })
    }

    fn struct_of(fields: usize) -> String {
        let fields: Vec<String> = (0..fields).map(|index| format!("field{index}: u8")).collect();
        format!("\nstruct Large {{ {} }}", fields.join(", "))
    }

    #[test]
    fn a_struct_of_the_allowed_size_is_fine() {
        assert_eq!(findings("crates/wire/src/a.rs", &struct_of(MAX_FIELDS)), []);
    }

    #[test]
    fn one_field_more_is_a_finding_in_the_product_only() {
        let text = "struct `Large` has 11 fields, at most 10 are allowed here; group what belongs together, or list it with a reason in `xtask/src/structure/structs.rs` if it is plain data";
        let expected =
            Finding { path: "crates/wire/src/a.rs".to_owned(), line: 2, text: text.to_owned() };
        let large = struct_of(MAX_FIELDS + 1);
        assert_eq!(findings("crates/wire/src/a.rs", &large), [expected]);
        assert_eq!(findings("crates/demo/src/a.rs", &large), []);
        assert_eq!(findings("crates/wire/src/a.rs", &format!("#[cfg(test)]{large}")), []);
    }
}
