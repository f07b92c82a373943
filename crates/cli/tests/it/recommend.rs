//! The recommendations of a search: known servers that are not configured, and skills. With
//! real servers, and the real tool lists of `testing/catalog` as the known ones.

use std::path::Path;

use serde_json::{Value, json};

use crate::python::library::{interpreter, run};
use crate::support::{Bench, Equipment, text};

const SALESFORCE: &str = "Query Salesforce for all leads and summarize by domain";

fn catalog() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testing/catalog").display().to_string()
}

/// A `tidegate.toml` with the demo's servers and these further lines.
fn bench(search: &str) -> Bench {
    let bench = Bench::new();
    let mut text = search.to_owned();
    for name in ["crm", "drive", "tracker"] {
        let command = env!("CARGO_BIN_EXE_tidegate");
        text.push_str(&format!(
            "\n[servers.{name}]\ncommand = {command:?}\nargs = [\"demo-server\", \"{name}\"]\n"
        ));
    }
    bench.write("tidegate.toml", &text);
    bench
}

fn with_catalog() -> Bench {
    bench(&format!("[search]\ncatalogs = [{:?}]\n", catalog()))
}

fn json_of(bench: &Bench, arguments: &[&str]) -> Value {
    let output = bench.command(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_known_server_that_the_request_names_is_told_to_the_model_and_to_the_person() {
    let bench = with_catalog();
    let (is_error, told) =
        bench.serve().call("search_tools", json!({"query": SALESFORCE, "limit": 2}));
    let lines: Vec<&str> = told.lines().collect();
    let [first, _, more, head, known] = lines.as_slice() else { panic!("{told}") };
    assert!(!is_error && first.starts_with("servers.crm."), "{told}");
    assert!(more.starts_with('+'), "{told}");
    assert_eq!(*head, "Not configured, named in the query; only the user can add it:");
    assert!(known.starts_with("salesforce: run_soql_query  "), "{known}");
    assert!(known.ends_with(" (npx -y @salesforce/mcp@0.30.15)"), "{known}");

    let document = json_of(&bench, &["search", "--json", SALESFORCE]);
    let server = &document["recommended"]["servers"][0];
    assert_eq!(
        (&server["server"], &server["tool"], &server["reason"], &server["command"]),
        (
            &json!("salesforce"),
            &json!("run_soql_query"),
            &json!("named in the query"),
            &json!(["npx", "-y", "@salesforce/mcp@0.30.15"])
        )
    );
    let shown = text(&bench.command(&["search", SALESFORCE]).stdout);
    assert!(
        shown.ends_with(
            "[servers.salesforce]\ncommand = \"npx\"\nargs = [\"-y\", \"@salesforce/mcp@0.30.15\"]\n"
        ),
        "{shown}"
    );
    // The configuration that it shows is valid.
    let (_, table) = shown.split_once("[servers.").unwrap();
    bench.write("added.toml", &format!("[servers.{table}"));
    let listed = bench.command(&["--config", "added.toml", "servers", "list"]);
    assert!(text(&listed.stdout).contains("salesforce"), "{}", text(&listed.stderr));
}

#[test]
fn what_is_only_known_cannot_be_called_imported_or_read_about() {
    let bench = with_catalog();
    let mut served = bench.serve();
    let (_, told) = served.call("search_tools", json!({"query": SALESFORCE}));
    assert!(told.contains("salesforce: run_soql_query"), "{told}");
    let (is_error, told) = served.call(
        "call_tool",
        json!({"name": "salesforce__run_soql_query", "arguments": {"query": "x"}}),
    );
    assert!(is_error && told.contains("call.unknown_server"), "{told}");
    let (is_error, told) =
        served.call("get_tool_definition", json!({"name": "salesforce__run_soql_query"}));
    assert!(is_error && told.contains("call.unknown_server"), "{told}");
    // A use that can be read in the program is refused before the program runs.
    let answer = served.execute("return servers.salesforce.runSoqlQuery({ query: 'x' })");
    assert_eq!(answer["error"]["code"], "call.unknown_server", "{answer}");
    let answer = served.execute(
        "const name = ['sales', 'force'].join('');
         const code = async (use) => { try { await use(); return 'worked'; } catch (error) { return error.code; } };
         return [
           fs.readdirSync('./servers'),
           fs.readFileSync('./servers/README.md', 'utf8').includes('salesforce'),
           Object.keys(servers),
           await code(() => servers[name].runSoqlQuery({ query: 'x' })),
           await code(() => callMCPTool(`${name}__run_soql_query`, { query: 'x' })),
           await code(() => fs.readdirSync(`./servers/${name}`)),
         ];",
    );
    let own = json!(["crm", "drive", "tracker"]);
    let refused = "call.unknown_server";
    assert_eq!(answer["output"], json!([own, false, own, refused, refused, refused]), "{answer}");
}

#[test]
fn programs_find_it_beside_the_list_of_tools() {
    let bench = with_catalog();
    let mut served = bench.serve();
    let answer = served.execute(&format!(
        "const found = await searchTools({SALESFORCE:?});
         return [found.every((tool) => tool.call.startsWith('servers.')), found.recommended.servers[0].server,
                 JSON.stringify(found).includes('soql'), (await searchTools('list issues')).recommended];"
    ));
    assert_eq!(answer["output"], json!([true, "salesforce", false, {}]), "{answer}");
    if interpreter(&mut served, "programs_find_it_beside_the_list_of_tools").is_some() {
        let answer = run(
            &mut served,
            &format!(
                "found = search_tools({SALESFORCE:?})\n\
                 [all(tool['call'].startswith('servers.') for tool in found), \
                 found.recommended['servers'][0]['server'], 'soql' in str(found)]"
            ),
        );
        assert_eq!(answer["output"], json!([true, "salesforce", false]), "{answer}");
    }
}

#[test]
fn nothing_is_told_where_the_configured_servers_do_or_it_is_not_wanted() {
    let bench = with_catalog();
    let told = |bench: &Bench, more: &[&str]| {
        json_of(bench, &[&["search", "--json"], more].concat())["recommended"].clone()
    };
    for query in ["list open issues", "read the contents of a file", "", "🚀 ';--"] {
        assert_eq!(told(&bench, &[query]), json!({}), "{query}");
    }
    // A search limited to a server gets no recommendations.
    assert_eq!(told(&bench, &["--server", "crm", SALESFORCE]), json!({}));
    assert_eq!(told(&bench, &["--max-tokens", "60", SALESFORCE]), json!({}));
    let off = self::bench(&format!("[search]\nrecommend = false\ncatalogs = [{:?}]\n", catalog()));
    assert_eq!(told(&off, &[SALESFORCE]), json!({}));
    assert_eq!(told(&self::bench(""), &[SALESFORCE]), json!({}));
}

#[test]
fn a_real_server_is_not_recommended_beside_itself_and_its_alternatives_are() {
    let test = "a_real_server_is_not_recommended_beside_itself_and_its_alternatives_are";
    let Some(equipment) = Equipment::get(test, &["git", "time"]) else { return };
    let bench = Bench::new();
    let mut text = format!("[search]\ncatalogs = [{:?}]\n", catalog());
    for name in ["git", "time"] {
        let server = equipment.server(name, &[]);
        text.push_str(&format!(
            "[servers.{name}]\ncommand = {}\nargs = {}\n",
            server["command"], server["args"]
        ));
    }
    bench.write("tidegate.toml", &text);
    let mut served = bench.serve();
    let mut names = |query: &str| {
        let (_, told) = served.call("search_tools", json!({"query": query, "limit": 1}));
        let after = told.split_once("only the user can add it:\n").map_or("", |(_, after)| after);
        let names = after.lines().filter_map(|line| line.split_once(": ").map(|(name, _)| name));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names("show the log of commits"), [""; 0]);
    assert_eq!(names("what time is it in Tokyo"), [""; 0]);
    assert_eq!(names("add a card to the Trello board")[0], "trello");
    assert_eq!(names("take a screenshot of the page in the browser")[0], "playwright");
}

#[test]
fn categories_of_known_folders_count_for_configured_servers() {
    let bench = bench("[search]\ncatalogs = [\"known\"]\n");
    bench.write("known/sales/crm.json", r#"[{"name": "x", "description": "X."}]"#);
    bench.write(
        "known/sales/tickets.json",
        r#"[{"name": "list_tickets", "description": "Lists support tickets."}]"#,
    );
    bench.write("known/files/bad.json", "[{]");
    let output = bench.command(&["search", "--json", "--category", "sales", "list leads"]);
    let place = bench.path().join("known/files/bad.json");
    let told = format!(
        "warning: `{}` line 1, column 3 is not JSON: key must be a string\n",
        place.display()
    );
    assert_eq!(text(&output.stderr), told);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let results = found["results"].as_array().unwrap();
    assert!(!results.is_empty(), "{found}");
    assert!(results.iter().all(|tool| tool["server"] == "crm"), "{found}");
    let (_, told) = bench
        .serve()
        .call("search_tools", json!({"query": "list support tickets", "category": "files"}));
    assert!(!told.contains("tickets"), "{told}");
    // `tidegate doctor` reports the same file.
    let output = bench.command(&["doctor", "--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = document["findings"].as_array().unwrap().iter();
    let catalogs: Vec<(&Value, &Value)> = findings
        .filter(|finding| finding["name"] == "catalogs")
        .map(|finding| (&finding["status"], &finding["message"]))
        .collect();
    let bad = format!("`{}` line 1, column 3 is not JSON: key must be a string", place.display());
    assert_eq!(
        catalogs,
        [
            (
                &json!("ok"),
                &json!("known in addition to the configured ones: 1 server with 1 tool")
            ),
            (&json!("warning"), &json!(bad)),
        ]
    );
}

#[test]
fn skills_that_fit_are_told_of_to_those_who_may_read_them() {
    let bench = bench("");
    let mut served = bench.serve();
    let save = json!({
        "name": "leads-by-domain",
        "code": "return 1",
        "description": "Lists all leads, grouped by the domain of their mail address."
    });
    let (is_error, saved) = served.call("save_skill", save);
    assert!(!is_error, "{saved}");
    let mut told = |query: &str| {
        let (_, told) = served.call("search_tools", json!({"query": query, "limit": 1}));
        told.split_once("Skills, read with load_skill:\n").map(|(_, skills)| skills.to_owned())
    };
    assert_eq!(
        told("list all leads grouped by domain").as_deref(),
        Some("leads-by-domain  Lists all leads, grouped by the domain of their mail address.\n")
    );
    assert_eq!(told("close the issue"), None);
    // The built-in skill has triggers.
    let shipped = told("Which tool can read a file?").unwrap();
    assert!(shipped.starts_with("mcp-progressive-discovery  The cheapest way"), "{shipped}");
    // A program that may not read skills gets no recommendation of one.
    let source = "return (await searchTools('list all leads grouped by domain')).recommended";
    let names = |answer: &Value| answer["output"]["skills"][0]["name"].clone();
    assert_eq!(names(&served.execute(source)), "leads-by-domain");
    served.end();
    let narrow = "profile = \"narrow\"\n[profiles.narrow]\nextends = \"execute_full\"\nread = [\"servers\"]\n";
    let config = std::fs::read_to_string(bench.path().join("tidegate.toml")).unwrap();
    bench.write("tidegate.toml", &format!("{narrow}{config}"));
    assert_eq!(names(&bench.serve().execute(source)), Value::Null);
}
