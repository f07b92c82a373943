//! `./servers/README.md`: a table of contents of the tree, for a few tokens.
//!
//! In: a catalog. Out: text of at most [`MAX_TOKENS`], however many servers there are:
//! with some functions of each, else with their number, else as many names as there is
//! room for. Made when it is read. A function whose definition has a note (instructions
//! in its text, a change since it was accepted) carries [`NOTED`].

use tidegate_catalog::Catalog;
use tidegate_model::{Language, ToolRef};

use crate::tokens;

/// The most tokens that it costs.
pub(crate) const MAX_TOKENS: usize = 300;

/// The mark after a function, and what it means.
const NOTED: &str = "(!)";
const NOTED_MEANS: &str = "(!): see the note in its definition before you use it\n";

/// Functions that are named for each server, from the richest text to the poorest.
const NAMED: [usize; 4] = [8, 4, 2, 0];

/// The text for programs in a language.
pub(crate) fn contents(catalog: &Catalog, language: Language) -> String {
    let text = |named: usize| {
        let lines = catalog.servers().map(|server| line(catalog, language, server, named));
        page(language, &lines.collect::<String>())
    };
    let fits = |text: &String| tokens::count(text) <= MAX_TOKENS;
    NAMED.into_iter().map(text).find(fits).unwrap_or_else(|| names_only(catalog, language))
}

fn page(language: Language, lines: &str) -> String {
    let how = match language {
        Language::TypeScript => "Definition of one tool: `./servers/<server>/<function>.ts`",
        Language::Python => "Definitions of a server: `./servers/<server>/__init__.py`",
    };
    let noted = if lines.contains(NOTED) { NOTED_MEANS } else { "" };
    format!("{lines}{noted}{how}\n")
}

fn line(catalog: &Catalog, language: Language, server: &str, named: usize) -> String {
    let tools = catalog.server(server).filter(|tools| !tools.tools.is_empty());
    let Some(tools) = tools else {
        return format!("{server}: not listed yet\n");
    };
    let functions = tools.names_in(language);
    let shown =
        functions.iter().zip(&tools.tools).take(named).map(|(function, tool)| {
            match catalog.notes(&ToolRef::new(server, &tool.name)).is_empty() {
                true => function.clone(),
                false => format!("{function} {NOTED}"),
            }
        });
    let shown = shown.collect::<Vec<_>>().join(", ");
    match functions.len() - functions.len().min(named) {
        0 => format!("{server}: {shown}\n"),
        more if shown.is_empty() => format!("{server}: {more} tools\n"),
        more => format!("{server}: {shown}, +{more}\n"),
    }
}

/// As many names as there is room for.
fn names_only(catalog: &Catalog, language: Language) -> String {
    let all: Vec<&str> = catalog.servers().collect();
    let text = |count: usize| {
        let names = all[..count].join(", ");
        page(language, &format!("{} servers: {names}, …; search instead\n", all.len()))
    };
    // The largest number that fits.
    let (mut fits, mut too_many) = (0, all.len() + 1);
    while too_many - fits > 1 {
        let middle = fits.midpoint(too_many);
        if tokens::count(&text(middle)) <= MAX_TOKENS {
            fits = middle;
        } else {
            too_many = middle;
        }
    }
    text(fits)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tidegate_catalog::Catalog;
    use tidegate_model::{Change, Language, OnChange, ToolDef, ToolList};

    use super::{MAX_TOKENS, contents};
    use crate::tokens;

    fn catalog(servers: usize, tools: usize) -> Catalog {
        let mut catalog = Catalog::default();
        for server in 0..servers {
            let tool = |number: usize| ToolDef {
                name: format!("read_thing_{number}"),
                title: None,
                description: None,
                input_schema: json!({}),
                output_schema: None,
                annotations: None,
            };
            let list = ToolList { tools: (0..tools).map(tool).collect(), ..ToolList::default() };
            catalog.set_tools(&format!("server-{server}"), &list);
        }
        catalog
    }

    #[test]
    fn a_few_servers_are_told_with_their_functions() {
        let text = contents(&catalog(2, 3), Language::TypeScript);
        assert_eq!(
            text,
            "server-0: readThing0, readThing1, readThing2\n\
             server-1: readThing0, readThing1, readThing2\n\
             Definition of one tool: `./servers/<server>/<function>.ts`\n"
        );
        let text = contents(&catalog(1, 20), Language::Python);
        assert!(text.contains("read_thing_7, +12\n"), "{text}");
    }

    #[test]
    fn a_function_with_a_note_carries_a_mark() {
        let mut catalog = catalog(1, 2);
        let changed = ("read_thing_1".to_owned(), (Change::New, OnChange::Mark));
        catalog.set_changes("server-0", [changed].into());
        assert_eq!(
            contents(&catalog, Language::Python),
            "server-0: read_thing_0, read_thing_1 (!)\n\
             (!): see the note in its definition before you use it\n\
             Definitions of a server: `./servers/<server>/__init__.py`\n"
        );
    }

    #[test]
    fn it_costs_no_more_however_many_servers_there_are() {
        let mut catalog = catalog(1, 1);
        catalog.add_server("late");
        assert!(contents(&catalog, Language::TypeScript).contains("late: not listed yet\n"));
        for servers in [0, 1, 10, 40, 200, 5000] {
            let text = contents(&self::catalog(servers, 30), Language::TypeScript);
            let cost = tokens::count(&text);
            assert!(cost <= MAX_TOKENS, "{servers} servers cost {cost}");
            assert!(servers < 40 || cost > MAX_TOKENS / 2, "{servers} servers cost {cost}");
        }
    }
}
