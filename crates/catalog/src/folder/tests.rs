//! Catalogs as people write them, right and wrong.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tidegate_model::{Secret, ServerSpec, ToolDef, ToolList, Transport};

use super::{CatalogFile, read_catalog};
use crate::Snapshots;

fn write(folder: &TempDir, name: &str, content: &Value) {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content.to_string()).unwrap();
}

/// Problems as they are shown, with paths relative to the catalog's folder.
fn problems(folder: &TempDir, catalog: &CatalogFile) -> Vec<String> {
    let root = format!("{}/", folder.path().display());
    catalog.problems.iter().map(|problem| problem.to_string().replace(&root, "")).collect()
}

/// `server__tool` of all tools, in the order in which they are served.
fn names(catalog: &CatalogFile) -> Vec<String> {
    let tools = |(server, list): (&String, &tidegate_model::ToolList)| {
        list.tools.iter().map(|tool| format!("{server}__{}", tool.name)).collect::<Vec<_>>()
    };
    catalog.servers.iter().flat_map(tools).collect()
}

fn one_tool(name: &str) -> Value {
    json!({"tools": [{"name": name}]})
}

/// The schema of one tool with these parameters.
fn schema_of(parameters: &Value) -> Result<Value, String> {
    let entry = json!({"name": "t", "parameters": parameters});
    let tool = super::entry::tool(&entry);
    tool.map(|tool| tool.input_schema)
        .map_err(|error| format!("{}: {}", error.place("?"), error.reason))
}

#[test]
fn subfolders_are_read_and_dotted_names_are_not() {
    let folder = TempDir::new().unwrap();
    write(&folder, "a.json", &one_tool("one"));
    write(&folder, "deep/er/b.json", &one_tool("two"));
    write(&folder, "deep/notes.txt", &json!("not a catalog"));
    write(&folder, ".git/c.json", &json!("not a catalog"));
    write(&folder, ".d.json", &json!("not a catalog"));
    let catalog = read_catalog(folder.path()).unwrap();
    assert_eq!(names(&catalog), ["a__one", "b__two"]);
    assert_eq!(problems(&folder, &catalog), Vec::<String>::new());
}

#[test]
fn folders_are_entered_eight_deep_and_not_nine() {
    let folder = TempDir::new().unwrap();
    write(&folder, "1/2/3/4/5/6/7/8/last.json", &one_tool("t"));
    write(&folder, "1/2/3/4/5/6/7/8/9/beyond.json", &one_tool("t"));
    let catalog = read_catalog(folder.path()).unwrap();
    assert_eq!(names(&catalog), ["last__t"]);
    assert_eq!(
        problems(&folder, &catalog),
        ["`1/2/3/4/5/6/7/8/9` was skipped: it is more than 8 folders deep"]
    );
}

#[cfg(unix)]
#[test]
fn links_are_followed_to_files_inside_and_nowhere_else() {
    use std::os::unix::fs::symlink;

    let outside = TempDir::new().unwrap();
    write(&outside, "secret.json", &one_tool("secret"));
    let folder = TempDir::new().unwrap();
    write(&folder, ".versions/a.json", &one_tool("t"));
    symlink(".versions/a.json", folder.path().join("a.json")).unwrap();
    symlink(outside.path().join("secret.json"), folder.path().join("b.json")).unwrap();
    symlink(outside.path(), folder.path().join("elsewhere")).unwrap();
    symlink(".", folder.path().join("loop")).unwrap();
    let catalog = read_catalog(folder.path()).unwrap();
    assert_eq!(names(&catalog), ["a__t"]);
    assert_eq!(
        problems(&folder, &catalog),
        [
            "`b.json` was skipped: links out of the catalog are not followed; \
             copy the files there, or name their folder",
            "`elsewhere` was skipped: links to folders are not followed; \
             copy the files there, or name their folder",
            "`loop` was skipped: links to folders are not followed; \
             copy the files there, or name their folder",
        ]
    );
}

#[cfg(unix)]
#[test]
fn the_folder_that_was_named_may_be_a_link() {
    let folder = TempDir::new().unwrap();
    write(&folder, "real/a.json", &one_tool("t"));
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("real", &link).unwrap();
    assert_eq!(names(&read_catalog(&link).unwrap()), ["a__t"]);
}

#[test]
fn two_lists_for_one_server_are_refused_and_both_files_named() {
    let folder = TempDir::new().unwrap();
    write(&folder, "a/git.json", &one_tool("one"));
    write(&folder, "b/mine.json", &json!({"server": "git", "tools": [{"name": "two"}]}));
    let catalog = read_catalog(folder.path()).unwrap();
    assert_eq!(names(&catalog), ["git__one"]);
    assert_eq!(
        problems(&folder, &catalog),
        ["`b/mine.json` was skipped: the tools of server `git` are already in `a/git.json`; \
          give one of them another `server`"]
    );
}

#[test]
fn files_of_one_tool_each_may_share_a_server() {
    let folder = TempDir::new().unwrap();
    write(&folder, "git/log.json", &json!({"server": "git", "name": "log"}));
    write(&folder, "git/status.json", &json!({"server": "git", "name": "status"}));
    write(&folder, "git/z.json", &json!({"server": "git", "name": "log"}));
    let catalog = read_catalog(folder.path()).unwrap();
    assert_eq!(names(&catalog), ["git__log", "git__status"]);
    assert_eq!(
        problems(&folder, &catalog),
        ["`git/z.json` at tool `log`: the server already has a tool of this name; \
          the first one is used"]
    );
}

#[test]
fn a_wrong_file_is_named_with_its_place_and_the_rest_is_served() {
    let folder = TempDir::new().unwrap();
    write(&folder, "a.json", &json!({"server": 7, "tools": []}));
    write(&folder, "b.json", &json!({"tools": {"name": "t"}}));
    write(&folder, "c.json", &json!([{"description": "no name"}, {"name": "t", "description": 1}]));
    write(
        &folder,
        "d.json",
        &json!([{"name": "t", "parameters": [{"name": "p", "type": "strng"}]}, {"name": "good"}]),
    );
    let catalog = read_catalog(folder.path()).unwrap();
    assert_eq!(names(&catalog), ["d__good"]);
    assert_eq!(
        problems(&folder, &catalog),
        [
            "`a.json` at the top level: `server` is empty or not text",
            "`b.json` at the top level: `tools` is not a list",
            "`c.json` at tool 1: `name` is missing or not text",
            "`c.json` at tool `t`, `description`: is not text",
            "`d.json` at tool `t`, parameter `p`: unknown type `strng`; the types are \
             `string`, `number`, `integer`, `boolean`, `array`, `object`, `any`",
        ]
    );
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    let failed = read_catalog(Path::new("/no/such/catalog")).map(|catalog| names(&catalog));
    assert_eq!(failed.unwrap_err().to_string(), "cannot read `/no/such/catalog`");
}

#[test]
fn the_simple_form_is_read_completely() {
    let schema = schema_of(&json!([
        {"name": "text", "type": "string", "description": "What", "required": true, "minLength": 1},
        {"name": "width", "type": "integer", "default": 80, "minimum": 1},
        {"name": "mode", "type": "string", "enum": ["fast", "safe"], "required": false},
        {"name": "ratio", "type": "number"},
        {"name": "strict", "type": "boolean", "default": false},
        {"name": "paths", "type": "array", "items": "string"},
        {"name": "rest", "type": "any", "description": "Anything"},
        {"name": "untyped"},
        {"name": "maybe", "type": ["string", "null"]},
        {"name": "files", "type": "array", "items": {"type": "object", "properties": [
            {"name": "path", "type": "string", "required": true},
            {"name": "lines", "type": "array", "items": {"type": "integer"}},
        ]}},
        {"name": "options", "type": "object", "required": ["a"], "properties": {
            "a": {"type": "string"},
            "b": {"type": "number", "required": true},
            "c": "boolean",
        }},
    ]));
    assert_eq!(
        schema,
        Ok(json!({
            "type": "object",
            "properties": {
                "text": {"type": "string", "description": "What", "minLength": 1},
                "width": {"type": "integer", "default": 80, "minimum": 1},
                "mode": {"type": "string", "enum": ["fast", "safe"]},
                "ratio": {"type": "number"},
                "strict": {"type": "boolean", "default": false},
                "paths": {"type": "array", "items": {"type": "string"}},
                "rest": {"description": "Anything"},
                "untyped": {},
                "maybe": {"type": ["string", "null"]},
                "files": {"type": "array", "items": {
                    "type": "object",
                    "properties": {
                        "path": {"type": "string"},
                        "lines": {"type": "array", "items": {"type": "integer"}},
                    },
                    "required": ["path"],
                }},
                "options": {
                    "type": "object",
                    "properties": {
                        "a": {"type": "string"},
                        "b": {"type": "number"},
                        "c": {"type": "boolean"},
                    },
                    "required": ["a", "b"],
                },
            },
            "required": ["text"],
        }))
    );
}

#[test]
fn a_mistake_in_the_simple_form_names_the_parameter() {
    let reason = |parameters: Value| schema_of(&parameters).unwrap_err();
    let types = "the types are `string`, `number`, `integer`, `boolean`, `array`, `object`, `any`";
    assert_eq!(
        reason(json!([{"name": "p", "type": "array", "items": {"type": "object", "properties": [
            {"name": "q", "type": "int"},
        ]}}])),
        format!("tool `t`, parameter `p.items.q`: unknown type `int`; {types}")
    );
    assert_eq!(
        reason(json!([{"name": "p", "type": ["string", "nul"]}])),
        format!("tool `t`, parameter `p`: unknown type `nul`; {types}")
    );
    assert_eq!(
        reason(json!([{"name": "p", "type": 3}])),
        "tool `t`, parameter `p`: `type` is not text"
    );
    assert_eq!(
        reason(json!([{"name": "p", "required": "yes"}])),
        "tool `t`, parameter `p`: `required` is neither true nor false"
    );
    assert_eq!(
        reason(json!([{"name": "p", "enum": []}])),
        "tool `t`, parameter `p`: `enum` is empty or not a list"
    );
    assert_eq!(
        reason(json!([{"name": "p"}, {"name": "p"}])),
        "tool `t`, parameter `p`: is listed twice"
    );
    assert_eq!(
        reason(json!([{"name": "p"}, {"type": "string"}])),
        "tool `t`, parameter `2`: `name` is missing, empty or not text"
    );
    assert_eq!(
        reason(json!([{"name": "p", "items": 1}])),
        "tool `t`, parameter `p.items`: is neither a type nor an object with `type`"
    );
    assert_eq!(
        reason(json!([{"name": "p", "properties": 1}])),
        "tool `t`, parameter `p`: `properties` is neither a list nor an object"
    );
    assert_eq!(reason(json!("none")), "tool `t`, `parameters`: is not a list");
}

#[test]
fn what_a_tool_returns_is_read_under_both_names() {
    let output = |key: &str, given: Value| {
        let mut entry = json!({"name": "t"});
        entry[key] = given;
        let tool = super::entry::tool(&entry);
        tool.map(|tool| tool.output_schema)
            .map_err(|error| format!("{}: {}", error.place("?"), error.reason))
    };
    assert_eq!(output("returns", json!("string")), Ok(Some(json!({"type": "string"}))));
    assert_eq!(output("output", json!("any")), Ok(Some(json!({}))));
    let members = json!([{"name": "ok", "type": "boolean", "required": true}]);
    let schema =
        json!({"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]});
    assert_eq!(output("returns", members.clone()), Ok(Some(schema.clone())));
    let object = json!({"type": "object", "properties": members});
    assert_eq!(output("output", object), Ok(Some(schema.clone())));
    assert_eq!(output("outputSchema", schema.clone()), Ok(Some(schema)));
    assert_eq!(output("title", json!("T")), Ok(None));
    assert_eq!(
        output("returns", json!({"type": "array", "items": "text"})),
        Err("tool `t`, `returns.items`: unknown type `text`; the types are `string`, `number`, \
             `integer`, `boolean`, `array`, `object`, `any`"
            .to_owned())
    );
}

/// The parameters of a schema, including nested ones.
fn members(schema: &Value, path: &str, found: &mut Vec<(String, Value)>) {
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        members(member, &path, found);
        members(&member["items"], &path, found);
        for choice in member["items"]["anyOf"].as_array().into_iter().flatten() {
            members(choice, &path, found);
        }
        found.push((path, member.clone()));
    }
}

#[test]
fn every_template_loads_and_describes_all_that_it_has() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates/mcp-tools");
    let catalog = read_catalog(&root).unwrap();
    let wrong: Vec<String> = catalog.problems.iter().map(ToString::to_string).collect();
    assert_eq!(wrong, Vec::<String>::new());
    let servers: Vec<(&str, usize)> =
        catalog.servers.iter().map(|(name, list)| (name.as_str(), list.tools.len())).collect();
    assert_eq!(
        servers,
        [
            ("black", 4),
            ("eslint", 1),
            ("github", 26),
            ("gitlab", 9),
            ("magic", 4),
            ("prettier", 6),
            ("ruff", 6),
            ("sequential-thinking", 1),
            ("serena", 29),
            ("slack", 8),
            ("tavily", 5),
        ]
    );
    let mut undescribed = Vec::new();
    for (server, list) in &catalog.servers {
        for tool in &list.tools {
            let name = format!("{server}__{}", tool.name);
            let mut found = vec![(name.clone(), json!({"description": tool.description}))];
            members(&tool.input_schema, &name, &mut found);
            if let Some(output) = &tool.output_schema {
                members(output, &format!("{name} returns"), &mut found);
                members(&output["items"], &format!("{name} returns"), &mut found);
            }
            let bare = |(_, member): &(String, Value)| {
                member["description"].as_str().is_none_or(|text| text.trim().is_empty())
            };
            undescribed.extend(found.into_iter().filter(bare).map(|(path, _)| path));
        }
    }
    assert_eq!(undescribed, Vec::<String>::new());
}

#[test]
fn the_templates_use_both_forms() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates/mcp-tools");
    let mut simple = Vec::new();
    for file in super::files::below(&root, &mut Vec::new()).unwrap() {
        let value: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let tools = value["tools"].as_array().unwrap();
        if tools.iter().all(|tool| tool.get("parameters").is_some()) {
            simple.push(value["server"].as_str().unwrap().to_owned());
        } else {
            assert!(tools.iter().all(|tool| tool.get("inputSchema").is_some()), "{file:?}");
        }
    }
    assert_eq!(simple, ["gitlab", "prettier", "black", "ruff", "magic"]);
}

#[test]
fn what_is_null_is_not_there() {
    let folder = TempDir::new().unwrap();
    let tool = json!({
        "name": "t", "description": null, "inputSchema": null, "outputSchema": null,
        "parameters": null, "returns": null, "annotations": null
    });
    write(&folder, "a.json", &json!({"server": "a", "tools": [tool]}));
    let catalog = read_catalog(folder.path()).unwrap();
    assert_eq!(problems(&folder, &catalog), Vec::<String>::new());
    let read = &catalog.servers["a"].tools[0];
    assert_eq!((&read.input_schema, &read.output_schema), (&json!({"type": "object"}), &None));
}

#[test]
fn a_snapshot_is_a_catalog_too() {
    let folder = tempfile::tempdir().unwrap();
    let spec = ServerSpec {
        name: "my mail".into(),
        transport: Transport::Http { url: Secret::new("http://x".into()), headers: [].into() },
        timeout: Duration::ZERO,
        connect_timeout: Duration::ZERO,
        max_concurrent: 1,
    };
    let tool: ToolDef = serde_json::from_value(json!({
        "name": "send",
        "description": "Sends it.",
        "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}},
        "annotations": {"readOnlyHint": false},
    }))
    .unwrap();
    let list = ToolList { tools: vec![tool], ..ToolList::default() };
    Snapshots::new(folder.path()).save(&spec, &list).unwrap();
    let catalog = read_catalog(&folder.path().join("snapshots")).unwrap();
    assert_eq!(problems(&folder, &catalog), [""; 0]);
    assert_eq!(catalog.servers["my mail"].tools, list.tools);
}

#[test]
fn a_file_that_is_too_large_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "small.json", &one_tool("a"));
    // A sparse file: none of it is on the disk.
    let large = fs::File::create(folder.path().join("large.json")).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    let catalog = read_catalog(folder.path()).unwrap();
    assert_eq!(names(&catalog), ["small__a"]);
    let told = "`large.json` was skipped: it is larger than 67108864 bytes";
    assert_eq!(problems(&folder, &catalog), [told]);
}

#[test]
fn one_server_after_another_is_the_same_as_all_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = json!({
        "registry": "npm", "package": "a", "tools": [{"name": "one"}, {"name": "two"}]
    });
    write(&folder, "work/list.json", &file);
    write(&folder, "work/single-a.json", &json!({"server": "single", "name": "a"}));
    write(&folder, "work/single-b.json", &json!({"server": "single", "name": "b"}));
    write(&folder, "x/again.json", &json!({"server": "list", "tools": [{"name": "three"}]}));
    let all = read_catalog(folder.path()).unwrap();
    let mut given = Vec::new();
    let left_out = super::for_each_server(folder.path(), |one| {
        let tools: Vec<&str> = one.list.tools.iter().map(|tool| tool.name.as_str()).collect();
        let package = one.package.map(|package| package.name().to_owned());
        let category = one.category.map(str::to_owned);
        given.push((one.server.to_owned(), tools.join(" "), category, package));
    });
    let work = Some("work".to_owned());
    assert_eq!(
        given,
        [
            ("list".to_owned(), "one two".to_owned(), work.clone(), Some("a".to_owned())),
            ("single".to_owned(), "a b".to_owned(), work, None),
        ]
    );
    let shown = |problems: &[super::FolderError]| format!("{problems:?}");
    assert_eq!(shown(&left_out.unwrap()), shown(&all.problems));
    assert_eq!(all.problems.len(), 1);
}
