//! Derives function names from tool names.
//!
//! A function name is camelCase; the tool's own spelling works too. If two tools
//! of a server would get the same function name, the later one in the server's
//! list gets a number: `getItem`, `getItem2`.

use std::collections::HashSet;

use serde_json::Value;
use tidegate_model::ToolDef;
use unicode_ident::{is_xid_continue, is_xid_start};

/// `list_issues`, `list-issues` and `ListIssues` all become `listIssues`.
pub fn camel_case(name: &str) -> String {
    let mut result = String::with_capacity(name.len());
    for word in words(name) {
        let mut chars = word.chars();
        let Some(first) = chars.next() else { continue };
        if result.is_empty() {
            result.extend(first.to_lowercase());
            result.extend(chars.flat_map(char::to_lowercase));
        } else {
            result.extend(first.to_uppercase());
            result.extend(chars.flat_map(char::to_lowercase));
        }
    }
    started_by_letter(identifier_characters(&result))
}

/// `identity_set` becomes `IdentitySet`. Type names are ASCII: Python treats some
/// other letters as equal.
pub(crate) fn pascal_case(name: &str) -> String {
    let ascii: String = name.chars().map(|c| if c.is_ascii() { c } else { '_' }).collect();
    let camel = camel_case(&ascii);
    let mut chars = camel.chars();
    match chars.next() {
        Some('_') => format!("T{camel}"),
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => "T".to_owned(),
    }
}

/// Whether a name needs no quotes in any compiler: their tables differ beyond ASCII.
pub(crate) fn is_identifier(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

/// Letters that have been in all Unicode tables for decades: Latin, Greek, Cyrillic, kana, and
/// the first block of CJK characters and Hangul.
fn is_settled(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{52f}'
            | '\u{3041}'..='\u{3096}'
            | '\u{30a1}'..='\u{30fa}'
            | '\u{4e00}'..='\u{9fa5}'
            | '\u{ac00}'..='\u{d7a3}'
    )
}

fn starts(c: char) -> bool {
    is_settled(c) && is_xid_start(c)
}

fn continues(c: char) -> bool {
    is_settled(c) && is_xid_continue(c)
}

/// Function names are used as file names too, whose length is limited.
const LONGEST: usize = 100;

/// Splits an identifier at separators, at `aB` and at `ABc` (before the `B`).
pub fn words(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (at, &c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            continue;
        }
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1);
        let starts_word = c.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || (before.is_uppercase() && after.is_some_and(|after| after.is_lowercase()))
            });
        if starts_word && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        word.push(c);
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// The name without case and separators, for comparing spellings.
pub fn fold(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Function names for a server's tools, in the same order. They are distinct even when
/// case is ignored, since they are used as file names too.
pub fn function_names(tools: &[ToolDef]) -> Vec<String> {
    distinct_names(tools, camel_case, is_reserved_in_typescript)
}

/// The same for Python.
pub(crate) fn python_function_names<'a>(tools: impl Iterator<Item = &'a ToolDef>) -> Vec<String> {
    distinct_names(tools, snake_case, is_reserved_in_python)
}

fn distinct_names<'a>(
    tools: impl IntoIterator<Item = &'a ToolDef>,
    style: fn(&str) -> String,
    is_reserved: fn(&str) -> bool,
) -> Vec<String> {
    let tools: Vec<&ToolDef> = tools.into_iter().collect();
    // A tool whose own name is a valid function name keeps it, even if another tool's
    // function would get the same name.
    let own: HashSet<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut taken: HashSet<String> = HashSet::new();
    let mut names = Vec::with_capacity(tools.len());
    for tool in tools {
        let mut wanted = style(&tool.name);
        if is_reserved(&wanted) {
            wanted.push('_');
        }
        let free = |name: &String| {
            !taken.contains(&name.to_lowercase())
                && (*name == tool.name || !own.contains(name.as_str()))
        };
        let name = std::iter::once(wanted.clone())
            .chain((2_u32..).map(|number| format!("{wanted}{number}")))
            .find(free)
            .unwrap_or(wanted);
        taken.insert(name.to_lowercase());
        names.push(name);
    }
    names
}

/// `listIssues` and `list-issues` become `list_issues`.
pub(crate) fn snake_case(name: &str) -> String {
    let words: Vec<String> = words(name).iter().map(|word| word.to_lowercase()).collect();
    let ascii: String = words.join("_").chars().filter(char::is_ascii).collect();
    started_by_letter(identifier_characters(&ascii))
}

/// The keyword argument for a property: itself, or the nearest identifier
/// (`page-size` is `page_size`, `from` is `from_`). `None` if nothing is left.
pub(crate) fn python_parameter(property: &str) -> Option<String> {
    // Python treats some letters beyond ASCII as equal.
    if !property.is_ascii() || property.len() > LONGEST {
        return None;
    }
    let replaced: String =
        property.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if replaced.chars().all(|c| c == '_') {
        return None;
    }
    let name = started_by_letter(replaced);
    // Two leading underscores have a special meaning in Python.
    let name =
        if name.starts_with("__") { format!("_{}", name.trim_start_matches('_')) } else { name };
    Some(if PYTHON_KEYWORDS.contains(&name.as_str()) { format!("{name}_") } else { name })
}

/// The properties of a tool's arguments as parameters, required ones first. Each has its
/// Python name, the tool's name for it, and whether `None` means that it is omitted:
/// many programs pass `None` for a missing value.
pub(crate) fn python_parameters(schema: &Value) -> Vec<(String, &str, bool)> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    let required: HashSet<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let mut taken = HashSet::new();
    let omitted = |name: &str, schema| !required.contains(name) && is_never_null(schema);
    let mut parameters: Vec<(String, &str, bool)> = properties
        .iter()
        .filter_map(|(name, schema)| {
            Some((python_parameter(name)?, name.as_str(), omitted(name, schema)))
        })
        .filter(|(parameter, ..)| taken.insert(parameter.clone()))
        .collect();
    parameters.sort_by_key(|(_, name, _)| !required.contains(name));
    parameters
}

/// Whether a schema says that its value is not null.
fn is_never_null(schema: &Value) -> bool {
    let nullable = schema.get("nullable").and_then(Value::as_bool).unwrap_or_default();
    match schema.get("type") {
        Some(Value::String(kind)) => kind != "null" && !nullable,
        Some(Value::Array(kinds)) => kinds.iter().all(|kind| kind != "null") && !nullable,
        _ => false,
    }
}

/// Whether a name is a Python identifier and not a keyword.
pub(crate) fn is_python_identifier(name: &str) -> bool {
    name.is_ascii()
        && is_identifier(name)
        && !name.contains('$')
        && !PYTHON_KEYWORDS.contains(&name)
}

fn identifier_characters(name: &str) -> String {
    name.chars().filter(|c| continues(*c)).take(LONGEST).collect()
}

fn started_by_letter(name: String) -> String {
    match name.chars().next() {
        Some(first) if first == '_' || starts(first) => name,
        Some(_) => format!("_{name}"),
        None => "_".to_owned(),
    }
}

/// Words that cannot name a function, and the names of the other files in a
/// server's folder.
fn is_reserved_in_typescript(name: &str) -> bool {
    const WORDS: [&str; 52] = [
        "abstract",
        "arguments",
        "as",
        "async",
        "await",
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "debugger",
        "declare",
        "default",
        "delete",
        "do",
        "else",
        "enum",
        "eval",
        "export",
        "extends",
        "false",
        "finally",
        "for",
        "function",
        "if",
        "implements",
        "import",
        "in",
        "index",
        "instanceof",
        "interface",
        "let",
        "new",
        "null",
        "package",
        "private",
        "protected",
        "public",
        "return",
        "static",
        "super",
        "switch",
        "this",
        "throw",
        "true",
        "try",
        "types",
        "typeof",
        "var",
        "void",
        "while",
    ];
    // `then` would make the module look like a promise.
    const MORE: [&str; 4] = ["then", "undefined", "with", "yield"];
    WORDS.contains(&name) || MORE.contains(&name)
}

const PYTHON_KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Keywords, and the names that annotations of the module use.
fn is_reserved_in_python(name: &str) -> bool {
    PYTHON_KEYWORDS.contains(&name)
        || ["annotations", "bool", "dict", "float", "int", "list", "str"].contains(&name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tidegate_model::ToolDef;

    use super::{camel_case, function_names};

    fn tools(names: &[&str]) -> Vec<ToolDef> {
        let tool = |name: &&str| ToolDef {
            name: (*name).to_owned(),
            title: None,
            description: None,
            input_schema: json!({}),
            output_schema: None,
            annotations: None,
        };
        names.iter().map(tool).collect()
    }

    #[test]
    fn names_of_all_styles_become_camel_case() {
        let cases = [
            ("list_issues", "listIssues"),
            ("get-sum", "getSum"),
            ("GetHTTPResponse", "getHttpResponse"),
            ("query.run", "queryRun"),
            ("listIssues", "listIssues"),
            ("2fa_code", "_2faCode"),
            ("übung_laden", "übungLaden"),
            ("---", "_"),
        ];
        for (name, expected) in cases {
            assert_eq!(camel_case(name), expected, "{name}");
        }
    }

    #[test]
    fn colliding_names_get_a_number_and_an_exact_name_keeps_its_own() {
        assert_eq!(
            function_names(&tools(&["get_item", "get-item", "getItem"])),
            ["getItem2", "getItem3", "getItem"]
        );
    }
}
