//! Hints on what to write instead, for the most common mistakes of models.
//!
//! In: the message of an error and the line it occurred in. Out: a hint, or nothing.
//! Invariant: the hint never replaces the message, since the guess may be wrong.

use tidegate_model::nearest;

/// Names that other languages, runtimes and clients have.
const NAMES: [(&[&str], &str); 16] = [
    (&["print", "println", "printf", "puts", "echo"], "write `console.log(…)`"),
    (&["len"], "write `value.length`"),
    (&["None", "nil", "NULL"], "write `null`"),
    (&["True"], "write `true`"),
    (&["False"], "write `false`"),
    (&["str", "int", "float", "bool"], "write `String(…)`, `Number(…)` or `Boolean(…)`"),
    (
        &["range", "enumerate", "zip"],
        "write a `for` loop or `Array.from({ length: n }, (_, i) => i)`",
    ),
    (&["dict", "list", "tuple"], "write `{ … }` or `[ … ]`"),
    (&["json"], "write `JSON`"),
    (&["asyncio"], "write `await Promise.all([ … ])`"),
    (
        &["module", "exports"],
        "programs have no exports: end it with `return value` or `export default value`",
    ),
    (
        &["Deno", "Bun", "window", "document", "localStorage", "axios", "requests", "httpx", "$"],
        "programs have no network, no page and no files of their own: call a tool of a server",
    ),
    (
        &[
            "mcp",
            "tools",
            "tool",
            "server",
            "client",
            "mcpClient",
            "callTool",
            "call_tool",
            "useMcpTool",
            "use_mcp_tool",
            "useTool",
            "api",
            "functions",
            "default_api",
        ],
        "tools are called as `await servers.<server>.<tool>({ … })`",
    ),
    (&["search_tools", "searchTool"], "write `await searchTools(\"query\")`"),
    (&["load_skill"], "write `await loadSkill(\"name\")`"),
    (&["save_skill"], "write `await saveSkill(\"name\", code, \"what it does\")`"),
];

/// Methods that only lists have.
const LIST_METHODS: [&str; 7] =
    [".map(", ".filter(", ".forEach(", ".reduce(", ".find(", ".some(", ".slice("];

/// For a name that is not defined. `servers` are the names of all servers.
pub(crate) fn undefined_name(name: &str, servers: &[String]) -> String {
    if let Some((_, remedy)) = NAMES.iter().find(|(names, _)| names.contains(&name)) {
        return named(remedy, servers);
    }
    let meant = nearest(name, servers.iter().map(String::as_str));
    match meant.first() {
        Some(server) => format!("write `servers.{server}`"),
        None => named(
            &format!(
                "declare `{name}` first; a tool is called as `await servers.<server>.{name}({{ … }})`"
            ),
            servers,
        ),
    }
}

fn named(remedy: &str, servers: &[String]) -> String {
    if !remedy.contains("<server>") || servers.is_empty() {
        return remedy.to_owned();
    }
    let shown: Vec<String> = servers.iter().take(12).map(|name| format!("`{name}`")).collect();
    format!("{remedy}; the servers are {}", shown.join(", "))
}

/// For a value that is not what the program expects. `line` is the text of its line.
pub(crate) fn wrong_value(name: &str, message: &str, line: &str) -> Option<String> {
    let has = |parts: &[&str]| parts.iter().any(|part| line.contains(part));
    let hint = match name {
        "SyntaxError" if has(&["JSON.parse("]) && !message.contains("'object'") => {
            "the text is not JSON: `return` it once to see it"
        }
        "SyntaxError" if has(&["JSON.parse("]) => {
            "`JSON.parse` takes text; what a tool call returns is parsed already where it is JSON"
        }
        "TypeError" if has(&[".content[", ".content?.", ".content.", "structuredContent"]) => {
            "a tool call returns the data itself: leave out `.content[0].text` and `.structuredContent`"
        }
        "TypeError"
            if message.starts_with("cannot read property '")
                || message.starts_with("Cannot read properties of ") =>
        {
            return missing_value(message);
        }
        "TypeError" if has(&[".get(", ".append(", ".keys()", ".items()", ".values()"]) => {
            "in TypeScript, write `object.key`, `list.push(…)` and `Object.entries(object)`"
        }
        "TypeError" if message.ends_with("not iterable") || has(&LIST_METHODS) => {
            "the value is not a list: it may be text, or an object that holds the list, such as \
             `{ items: [ … ] }`; `return` the value once to see it"
        }
        _ => return None,
    };
    Some(hint.to_owned())
}

/// `cannot read property 'a' of undefined` names the property but not the owner, and so does
/// V8's `Cannot read properties of undefined (reading 'a')`.
fn missing_value(message: &str) -> Option<String> {
    let (property, of) = match message.strip_prefix("Cannot read properties of ") {
        Some(rest) => {
            let (of, property) = rest.split_once(" (reading '")?;
            (property.strip_suffix("')")?, of)
        }
        None => message.strip_prefix("cannot read property '")?.rsplit_once("' of ")?,
    };
    let property = &property[..property.floor_char_boundary(60)];
    Some(format!(
        "the value before `.{property}` is {of}: a field is missing or has another name, or an \
         `await` is missing; `return` that value once to see it"
    ))
}

/// For an error thrown by the program that no other hint explains.
pub(crate) fn environment(source: &str) -> Option<&'static str> {
    source.contains("process.env").then_some(
        "programs have no environment variables; servers hold their own credentials, so call their tools",
    )
}

#[cfg(test)]
mod tests {
    use super::{undefined_name, wrong_value};

    #[test]
    fn a_name_of_another_language_gets_ours_and_a_server_its_place() {
        let servers = ["crm".to_owned(), "tracker".to_owned()];
        let hint = |name: &str| undefined_name(name, &servers);
        assert_eq!(hint("print"), "write `console.log(…)`");
        assert_eq!(hint("trackr"), "write `servers.tracker`");
        assert_eq!(
            hint("mcp"),
            "tools are called as `await servers.<server>.<tool>({ … })`; the servers are `crm`, `tracker`"
        );
        assert_eq!(
            hint("zzz"),
            "declare `zzz` first; a tool is called as `await servers.<server>.zzz({ … })`; \
             the servers are `crm`, `tracker`"
        );
    }

    #[test]
    fn a_missing_value_gets_the_same_hint_in_every_engine() {
        let ours = wrong_value("TypeError", "cannot read property 'a' of undefined", "x.a");
        let theirs =
            wrong_value("TypeError", "Cannot read properties of undefined (reading 'a')", "x.a");
        assert!(ours.is_some());
        assert_eq!(ours, theirs);
    }

    #[test]
    fn an_unknown_error_gets_no_hint() {
        assert_eq!(wrong_value("TypeError", "not a function", "run()"), None);
        assert_eq!(wrong_value("RangeError", "cannot read property 'a' of null", "a"), None);
        assert_eq!(wrong_value("TypeError", "cannot read property '", "a.b"), None);
        assert_eq!(wrong_value("TypeError", "Cannot read properties of null", "a.b"), None);
    }
}
