//! Shortens an error message of the compiler for a model.
//!
//! In: a message of the language server, with its chain of reasons, one per line, each
//! indented further than its parent. Out: one or two lines without host paths. Pure.

const MAX_CHARACTERS: usize = 300;

/// Longest type within a message.
const MAX_TYPE_CHARACTERS: usize = 90;

/// The prefixes of host paths, and what is shown instead.
pub(crate) struct Paths {
    /// Longest first.
    pub(crate) shown: Vec<(String, &'static str)>,
}

/// The message as the model sees it.
pub(crate) fn shorten(message: &str, paths: &Paths) -> String {
    let mut text = relevant(message);
    for (host, shown) in &paths.shown {
        text = text.replace(host.as_str(), shown);
    }
    let text = without_import_types(&text).replace(" | undefined", "");
    truncated(with_short_types(&text))
}

/// Shortens types, which are in single quotes: a long one would hide the rest of the message.
fn with_short_types(text: &str) -> String {
    let mut short = String::with_capacity(text.len());
    for (at, part) in text.split('\'').enumerate() {
        if at > 0 {
            short.push('\'');
        }
        match part.char_indices().nth(MAX_TYPE_CHARACTERS) {
            Some((end, _)) if at % 2 == 1 => {
                short.push_str(&part[..end]);
                short.push('…');
            }
            _ => short.push_str(part),
        }
    }
    short
}

/// The deepest line, since it states the problem. If it does not name the property, it is
/// preceded by the line that does, or by the first line.
fn relevant(message: &str) -> String {
    let lines: Vec<&str> = message.lines().filter(|line| !line.trim().is_empty()).collect();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let Some(deepest) = lines.iter().map(|line| depth(line)).max() else { return String::new() };
    let at = lines.iter().position(|line| depth(line) == deepest).unwrap_or(0);
    let line = lines[at].trim();
    if at == 0 || names_the_place(line) {
        return line.to_owned();
    }
    let context =
        lines[..at].iter().rev().find(|above| names_the_place(above.trim())).unwrap_or(&lines[0]);
    format!("{}\n{line}", context.trim())
}

/// Whether a line names the property or argument that it is about.
fn names_the_place(line: &str) -> bool {
    ["Property", "Object literal", "Types of property", "The types of", "Expected"]
        .iter()
        .any(|start| line.starts_with(start))
        || line.contains("is missing the following properties")
}

/// `import("…").Issue` is `Issue`; a module by itself keeps its name.
fn without_import_types(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("import(\"") {
        let name = &rest[at + 8..];
        let Some(end) = name.find("\")") else { break };
        plain.push_str(&rest[..at]);
        rest = &name[end + 2..];
        match rest.strip_prefix('.') {
            Some(member) => rest = member,
            None => {
                let name = &name[..end];
                let module = name.strip_suffix("/index").unwrap_or(name);
                plain.push_str(&format!("import(\"{module}\")"));
            }
        }
    }
    plain + rest
}

fn truncated(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_CHARACTERS) {
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Paths, shorten};

    fn cleaned(message: &str) -> String {
        let shown = vec![("/scratch/p/w".to_owned(), "."), ("/scratch".to_owned(), "…")];
        shorten(message, &Paths { shown })
    }

    #[test]
    fn a_single_line_stays() {
        assert_eq!(cleaned("Cannot find name 'foo'."), "Cannot find name 'foo'.");
    }

    #[test]
    fn the_deepest_line_of_a_chain_is_shown() {
        let chain = "Argument of type '{ owner: string; }' is not assignable to parameter of type 'Input'.\n  \
                     Property 'repo' is missing in type '{ owner: string; }' but required in type 'Input'.";
        assert_eq!(
            cleaned(chain),
            "Property 'repo' is missing in type '{ owner: string; }' but required in type 'Input'."
        );
    }

    #[test]
    fn a_deepest_line_that_names_no_property_is_shown_with_the_one_that_does() {
        let chain = "Argument of type '{ a: number; }' is not assignable to parameter of type 'Input'.\n  \
                     Types of property 'a' are incompatible.\n    \
                     Type 'number' is not assignable to type 'string'.";
        assert_eq!(
            cleaned(chain),
            "Types of property 'a' are incompatible.\nType 'number' is not assignable to type 'string'."
        );
        let other = "Type 'A' is not assignable to type 'B'.\n  Type 'number' is not assignable to type 'string'.";
        assert_eq!(
            cleaned(other),
            "Type 'A' is not assignable to type 'B'.\nType 'number' is not assignable to type 'string'."
        );
    }

    #[test]
    fn host_paths_and_import_types_are_gone() {
        assert_eq!(
            cleaned(
                "Type 'import(\"/scratch/p/w/servers/a/types\").Issue[]' is not 'import(\"/scratch/x\").B<C>'."
            ),
            "Type 'Issue[]' is not 'B<C>'."
        );
        assert_eq!(
            cleaned(
                "Property 'z' does not exist on type 'typeof import(\"/scratch/p/w/servers/a/index\")'."
            ),
            "Property 'z' does not exist on type 'typeof import(\"./servers/a\")'."
        );
        assert_eq!(
            cleaned("File '/scratch/other/x.ts' is not a module."),
            "File '…/other/x.ts' is not a module."
        );
        assert_eq!(cleaned("unended import(\"/scratch/p/w/a"), "unended import(\"./a");
    }

    #[test]
    fn what_is_said_about_a_long_type_is_not_lost() {
        let fields: String = (0..40).map(|n| format!("field{n}?: string | undefined; ")).collect();
        let message = format!(
            "'stauts' does not exist in type '{{ {fields}}}'. Did you mean to write 'status'?"
        );
        assert_eq!(
            cleaned(&message),
            "'stauts' does not exist in type '{ field0?: string; field1?: string; field2?: string; \
             field3?: string; field4?: string; fie…'. Did you mean to write 'status'?"
        );
    }

    #[test]
    fn long_messages_are_cut_between_characters() {
        assert_eq!(cleaned(&"ä".repeat(301)), format!("{}…", "ä".repeat(300)));
        assert_eq!(cleaned(&"ä".repeat(300)), "ä".repeat(300));
        assert_eq!(cleaned(""), "");
    }
}
