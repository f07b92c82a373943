//! The shapes learned from results, and how much a running program sees of changes.

use std::process::Command;

use serde_json::{Value, json};
use tidegate_catalog::Shape;

use crate::support::{Bench, Equipment, Served, query};

/// The output of a program that must succeed.
fn output(served: &mut Served, source: &str) -> Value {
    let answer = served.execute(source);
    assert_eq!(answer["success"], true, "{answer}");
    answer["output"].clone()
}

/// Stored shapes as `server.tool`, number of results and schema.
fn kept_shapes(bench: &Bench) -> Vec<(String, u32, Value)> {
    let rows = query(
        &bench.state_dir().join("state.db"),
        "SELECT server || '.' || tool, results, shape FROM shapes ORDER BY 1",
    );
    let parse = |row: &String| {
        let mut parts = row.splitn(3, '|');
        let mut next = || parts.next().unwrap().to_owned();
        let (tool, results, shape) = (next(), next(), next());
        let shape: Shape = serde_json::from_str(&shape).unwrap();
        (tool, results.parse().unwrap(), shape.to_schema())
    };
    rows.iter().map(parse).collect()
}

#[test]
fn shapes_of_real_results_are_kept_without_a_value() {
    let test = "shapes_of_real_results_are_kept_without_a_value";
    let Some(equipment) = Equipment::get(test, &["hostile", "git", "sqlite", "filesystem"]) else {
        return;
    };
    let bench = Bench::new();
    let folder = bench.write("files/secret-plan.txt", "the secret plan");
    let folder = folder.parent().unwrap().to_str().unwrap();
    let made = Command::new("git").args(["init", "-q", folder]).status().unwrap();
    assert!(made.success());
    let database = bench.path().join("people.db");
    let servers = json!({
        "mirrors": equipment.server("hostile", &["--mirror"]),
        "git": equipment.server("git", &["--repository", folder]),
        "sqlite": equipment.server("sqlite", &["--db-path", database.to_str().unwrap()]),
        "files": equipment.server("filesystem", &[folder]),
    });
    bench.write(".mcp.json", &json!({"mcpServers": servers}).to_string());
    let mut served = bench.serve();
    let program = program_with_results(folder);
    let results = output(&mut served, &program);

    assert_eq!(kept_shapes(&bench), shapes_of(1));

    // The same after several runs and a restart, based on more results.
    for _ in 0..2 {
        output(&mut served, &program);
    }
    served.end();
    let mut served = bench.serve();
    output(&mut served, &program);
    assert_eq!(kept_shapes(&bench), shapes_of(4));

    let kept = query(&bench.state_dir().join("state.db"), "SELECT shape FROM shapes").join("\n");
    let mut values =
        vec!["anna".to_owned(), "berta".into(), "carla".into(), "jane@example.com".into()];
    texts_of(&results, &mut values);
    assert!(values.len() >= 12, "{values:?}");
    let found: Vec<&String> = values.iter().filter(|value| kept.contains(value.as_str())).collect();
    assert_eq!(found, Vec::<&String>::new());
}

/// Calls tools whose results have a shape to learn.
fn program_with_results(folder: &str) -> String {
    format!(
        "const mirror = servers.mirrors.mirrorText;\n\
         return [\n\
           await servers.git.gitStatus({{ repo_path: {folder:?} }}),\n\
           await servers.sqlite.listTables({{}}),\n\
           await servers.sqlite.readQuery({{ query: 'SELECT 42 AS answer' }}),\n\
           await servers.files.listDirectory({{ path: {folder:?} }}),\n\
           await servers.mirrors.echo({{ text: 'echoed words' }}),\n\
           await mirror({{ total: 2, rows: [\n\
             {{ id: 7, owner: 'Jane Doe', seen: {{ 'jane@example.com': 'today' }} }},\n\
             {{ id: 8, owner: null, seen: {{}}, marks: {{ anna: 'good', berta: 'fine', carla: 'bad' }} }},\n\
           ] }}),\n\
         ];"
    )
}

/// The shapes learned from `results` runs of that program.
fn shapes_of(results: u32) -> Vec<(String, u32, Value)> {
    let text = json!({"type": "string"});
    let texts = json!({"type": "object", "additionalProperties": text});
    let row = json!({
        "type": "object",
        "required": ["id", "owner", "seen"],
        "properties": {
            "id": {"type": "integer"},
            "marks": texts,
            "owner": {"type": ["string", "null"]},
            "seen": texts
        }
    });
    let table = json!({
        "type": "object",
        "required": ["rows", "total"],
        "properties": {"rows": {"type": "array", "items": row}, "total": {"type": "integer"}}
    });
    // An empty list, and a text that looks like a list but is not JSON.
    let nothing = json!({"type": "array"});
    // `files.list_directory` has an output schema of its own.
    vec![
        ("git.git_status".to_owned(), results, text.clone()),
        ("mirrors.echo".to_owned(), results, text.clone()),
        ("mirrors.mirror_text".to_owned(), results, table.clone()),
        ("sqlite.list_tables".to_owned(), results, nothing.clone()),
        ("sqlite.read_query".to_owned(), results, text.clone()),
    ]
}

/// All strings in a value, without keys.
fn texts_of(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) if !text.is_empty() => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts_of(item, texts)),
        Value::Object(object) => object.values().for_each(|item| texts_of(item, texts)),
        _ => {}
    }
}

/// A program that looks at `forecast` before and after the server changes it.
const LOOK_CHANGE_LOOK: &str = "
    const fs = require('fs');
    const look = async () => [
        fs.readFileSync('./servers/weather/forecast.ts', 'utf8').match(/version \\d/)?.[0],
        fs.readdirSync('./servers/weather').length,
        (await searchTools('forecast', { limit: 1 }))[0].text,
        (await searchTools('added at run time', { limit: 1 })).length,
    ];
    const before = await look();
    const first = await servers.weather.forecast();
    await servers.weather.changeTools();
    const name = await servers.weather.growTools();
    const grown = await callMCPTool(`weather__${name}`, {});
    return [before, first, await look(), grown];";

#[test]
fn a_running_program_keeps_what_it_started_with_and_the_next_sees_the_change() {
    let test = "a_running_program_keeps_what_it_started_with_and_the_next_sees_the_change";
    let Some(equipment) = Equipment::get(test, &["hostile"]) else { return };
    let bench =
        Bench::with_servers(json!({"weather": equipment.server("hostile", &["--changing"])}));
    let mut served = bench.serve();
    // Without a snapshot: the server's list is read when the program first looks.
    let seen = json!(["version 1", 33, "Forecast, version 1", 0]);
    let oslo = json!({"city": "Oslo", "degrees": -3.5});
    assert_eq!(output(&mut served, LOOK_CHANGE_LOOK), json!([seen, oslo, seen, "grown_1: {}"]));
    // The shape of the changed tool is gone.
    let shapes: Vec<String> = kept_shapes(&bench).into_iter().map(|(tool, ..)| tool).collect();
    assert_eq!(shapes, ["weather.change_tools", "weather.grow_tools", "weather.grown_1"]);

    // For the next program, snapshot, names, types and search are up to date.
    let changed = "[changed since it was accepted: description] Forecast, version 2";
    let seen = json!(["version 2", 34, changed, 1]);
    let bergen = json!({"town": "Bergen", "rain": true});
    assert_eq!(output(&mut served, LOOK_CHANGE_LOOK), json!([seen, bergen, seen, "grown_2: {}"]));
    let snapshot = std::fs::read(bench.state_dir().join("snapshots/weather.json")).unwrap();
    let snapshot: Value = serde_json::from_slice(&snapshot).unwrap();
    let tools = snapshot["tools"].as_array().unwrap();
    let forecast = tools.iter().find(|tool| tool["name"] == "forecast").unwrap();
    assert_eq!(forecast["description"], "Forecast, version 3");
    assert_eq!(tools.len(), 34);

    // Results learned now belong to the new definition.
    output(&mut served, "return await servers.weather.forecast()");
    let shape = kept_shapes(&bench).into_iter().find(|(tool, ..)| tool == "weather.forecast");
    let properties = json!({"rain": {"type": "boolean"}, "town": {"type": "string"}});
    let schema = json!({"type": "object", "required": ["rain", "town"], "properties": properties});
    assert_eq!(shape, Some(("weather.forecast".to_owned(), 1, schema)));
}

#[test]
fn a_learned_shape_becomes_a_type_and_a_misspelt_field_a_warning() {
    let test = "a_learned_shape_becomes_a_type_and_a_misspelt_field_a_warning";
    let Some(equipment) = Equipment::get(test, &["hostile", "tsc"]) else { return };
    let bench = Bench::new();
    let configuration = json!({
        "mcpServers": {"hostile": equipment.server("hostile", &[])},
        "mcpCodeExecution": {"tsc": equipment.server("tsc", &[])["command"]}
    });
    bench.write(".mcp.json", &configuration.to_string());
    let mut served = bench.serve();
    let read = "const { title } = await servers.hostile.echo({ text: '{\"title\": \"secret\", \"n\": 1}' });\n\
                return title";
    assert_eq!(output(&mut served, read), "secret");

    let (_, definition) = served.call("get_tool_definition", json!({"name": "hostile__echo"}));
    assert_eq!(
        definition,
        "// servers.hostile\n\
         /** Gives the text back\n\
         @readonly\n\
         @returns as observed in 1 result, not promised */\n\
         function echo(input: {\n\
         text: string\n\
         }): Promise<{\n\
         n: number\n\
         title: string\n\
         }>"
    );

    // The type is only observed, so the program runs: a result may have changed.
    let misspelt = served.execute(&read.replace("{ title }", "{ titel: title }"));
    assert_eq!(misspelt["success"], true, "{misspelt}");
    assert_eq!(
        misspelt["warnings"],
        json!(["line 1: Property 'titel' does not exist on type '{ n: number; title: string; }' \
                (as observed in earlier results)"])
    );
    assert_eq!(served.execute(read)["warnings"], Value::Null);
}

/// Two tools in one run.
const COMMIT_AND_COUNT: &str = "await servers.git.gitLog({ repo_path: REPO, max_count: 1 });
    return (await servers.time.getCurrentTime({ timezone: 'UTC' })).timezone;";

#[test]
fn tools_of_successful_runs_rank_higher_together_and_the_answer_says_why() {
    let test = "tools_of_successful_runs_rank_higher_together_and_the_answer_says_why";
    let Some(equipment) = Equipment::get(test, &["git", "time"]) else { return };
    let bench = Bench::new();
    let folder = bench.write("repo/a.txt", "a");
    let folder = folder.parent().unwrap().to_str().unwrap();
    for arguments in [
        &["init", "-q", folder][..],
        &["-C", folder, "add", "."],
        &["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"],
    ] {
        assert!(Command::new("git").args(arguments).status().unwrap().success());
    }
    let servers = json!({
        "git": equipment.server("git", &["--repository", folder]),
        "time": equipment.server("time", &[]),
    });
    bench.write(".mcp.json", &json!({"mcpServers": &servers}).to_string());
    let program = COMMIT_AND_COUNT.replace("REPO", &format!("{folder:?}"));
    let query = json!({"query": "show the log of commits, and what is the time", "limit": 20});
    let place = |found: &str| found.lines().position(|line| line.contains("getCurrentTime"));

    let mut served = bench.serve();
    let (_, before) = served.call("search_tools", query.clone());
    assert!(!before.contains("used with"), "{before}");
    output(&mut served, &program);
    output(&mut served, &program);
    // A failed run does not count towards tools that are used together.
    let failing = program.replace("return", "throw");
    assert_eq!(served.execute(&failing)["success"], false);
    let (_, twice) = served.call("search_tools", query.clone());
    let reason = "(used with servers.git.gitLog in 2 runs)";
    let line = twice.lines().find(|line| line.contains("getCurrentTime")).unwrap();
    assert!(line.ends_with(reason), "{twice}");
    assert!(place(&twice) <= place(&before), "{before}\n{twice}");
    drop(served);

    // The next gateway and the command line know it.
    let (_, later) = bench.serve().call("search_tools", query.clone());
    assert_eq!(later, twice);
    let words = query["query"].as_str().unwrap();
    let found = bench.command(&["search", words]);
    assert!(String::from_utf8_lossy(&found.stdout).contains(reason));
    let mut config = String::from("[search]\nused_together = false\n");
    for (name, server) in servers.as_object().unwrap() {
        let (command, arguments) = (&server["command"], &server["args"]);
        config += &format!("[servers.{name}]\ncommand = {command}\nargs = {arguments}\n");
    }
    bench.write("tidegate.toml", &config);
    let (_, off) = bench.serve().call("search_tools", query);
    assert_eq!(off, before);
}
