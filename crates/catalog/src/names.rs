//! How the names of tools become the names of functions.
//!
//! A function is camelCase; the tool's own spelling works too. Where two tools
//! of a server would get the same function name, the later one in the server's
//! list gets a number: `getItem`, `getItem2`.

use std::collections::HashSet;

use tidegate_model::ToolDef;

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
    match result.chars().next() {
        Some(first) if first.is_ascii_digit() => format!("_{result}"),
        Some(_) => result,
        None => "_".to_owned(),
    }
}

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

/// Function names for a server's tools, in the same order, without duplicates.
pub fn function_names(tools: &[ToolDef]) -> Vec<String> {
    // A tool whose own name is a camelCase identifier keeps it, whatever
    // another tool would be called.
    let exact: HashSet<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut taken: HashSet<String> = HashSet::new();
    let mut names = Vec::with_capacity(tools.len());
    for tool in tools {
        let wanted = camel_case(&tool.name);
        let free = |name: &String| {
            !taken.contains(name) && (*name == tool.name || !exact.contains(name.as_str()))
        };
        let name = std::iter::once(wanted.clone())
            .chain((2_u32..).map(|number| format!("{wanted}{number}")))
            .find(free)
            .unwrap_or(wanted);
        taken.insert(name.clone());
        names.push(name);
    }
    names
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
