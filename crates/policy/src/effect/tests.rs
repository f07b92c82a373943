//! Effects by configuration, annotation and name; rules and profiles agree on them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tidegate_model::{
    Effect, EffectOverrides, EffectSource, Hints, RiskLevel, ToolDef, ToolPattern, ToolRef,
};

use super::{effect_of, effect_of_call};
use crate::decide::Policy;
use crate::explanation::ExplainRequest;
use crate::rules::RulingReason;

fn effect(name: &str, hints: Option<Hints>, words: &EffectOverrides) -> (Effect, EffectSource) {
    let tool = ToolRef::new("files", name);
    match hints {
        Some(hints) => effect_of(&tool, Some(&hints), words),
        None => effect_of(&tool, None, words),
    }
}

#[test]
fn a_claim_is_read_as_mcp_defines_it() {
    let claim = |read_only_hint, destructive_hint| {
        let hints = Hints { read_only_hint, destructive_hint, ..Hints::default() };
        effect("touch", Some(hints), &EffectOverrides::default())
    };
    let (yes, no) = (Some(true), Some(false));
    let claims = |effect| (effect, EffectSource::Claim);
    for (read_only, destructive, expected) in [
        (yes, None, claims(Effect::ReadOnly)),
        (yes, no, claims(Effect::ReadOnly)),
        (yes, yes, claims(Effect::Destructive)),
        (no, None, claims(Effect::Destructive)),
        (no, yes, claims(Effect::Destructive)),
        (no, no, claims(Effect::Additive)),
        (None, no, claims(Effect::Additive)),
        (None, yes, claims(Effect::Destructive)),
        (None, None, (Effect::Unknown, EffectSource::Nothing)),
    ] {
        assert_eq!(claim(read_only, destructive), expected, "{read_only:?} {destructive:?}");
    }
}

#[test]
fn a_verb_in_a_name_counts_where_nothing_is_claimed() {
    let words = EffectOverrides::default();
    for name in [
        "delete_file",
        "deleteFile",
        "bulk-remove",
        "DBDrop",
        "force_push",
        "x2Wipe",
        "RESET",
        "delete2",
        "2dropAll",
    ] {
        let destroys = (Effect::Destructive, EffectSource::Name);
        assert_eq!(effect(name, None, &words), destroys, "{name}");
        // A title is not a claim about the effect.
        assert_eq!(effect(name, Some(Hints::default()), &words), destroys, "{name}");
    }
    for name in ["undelete", "dropdown", "list_deleted", "get_reset_count", "reinforce", "", "_"] {
        assert_eq!(effect(name, None, &words), (Effect::Unknown, EffectSource::Nothing));
    }
    let hints = Hints { read_only_hint: Some(true), ..Hints::default() };
    let claimed = (Effect::ReadOnly, EffectSource::Claim);
    assert_eq!(effect("delete_file", Some(hints), &words), claimed);
}

#[test]
fn the_users_word_comes_first_and_the_strictest_of_them_wins() {
    let all = || ToolPattern::parse("files__*").into_iter().collect::<Vec<_>>();
    let hints = Hints { read_only_hint: Some(true), ..Hints::default() };
    let strict =
        EffectOverrides { destructive: all(), read_only: all(), ..EffectOverrides::default() };
    let word = effect("read", Some(hints.clone()), &strict);
    assert_eq!(word, (Effect::Destructive, EffectSource::User));
    let mild = EffectOverrides { read_only: all(), ..EffectOverrides::default() };
    assert_eq!(effect("delete", None, &mild), (Effect::ReadOnly, EffectSource::User));
    // Overrides for another server do not apply.
    let other = effect_of(&ToolRef::new("other", "read"), Some(&hints), &strict);
    assert_eq!(other, (Effect::ReadOnly, EffectSource::Claim));
}

/// Every tool of the published servers in `testing/catalog`, with its server.
fn published_tools() -> Vec<(ToolRef, Arc<ToolDef>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testing/catalog");
    let mut tools = Vec::new();
    for file in fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        if file.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let mut catalog: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let server = file.file_stem().unwrap().to_str().unwrap();
        for tool in catalog["tools"].as_array_mut().unwrap() {
            let tool: ToolDef = serde_json::from_value(tool.take()).unwrap();
            tools.push((ToolRef::new(server, &*tool.name), Arc::new(tool)));
        }
    }
    tools
}

#[test]
fn rules_and_profiles_agree_on_every_published_tool_with_annotations() {
    let tools = published_tools();
    let policy = Policy::for_configured_servers(tools.iter().map(|(id, _)| &*id.server));
    let mut table = BTreeSet::new();
    for (id, tool) in &tools {
        let Some(hints) = &tool.annotations else { continue };
        // Without their arguments, those that execute text are as strict as can be.
        if policy.effect(id, tool, None).depends_on_arguments {
            continue;
        }
        let explained = |profile| {
            policy.explain(&ExplainRequest {
                permissions: &policy.permissions(Some(profile)).unwrap(),
                id,
                tool,
                change: None,
                arguments: None,
                level: RiskLevel::Low,
            })
        };
        let RulingReason::Effect(ruled) = explained("default").ruling.why else { panic!("{id}") };
        let profiles = ["read_only", "write_restricted", "default"];
        let narrowest = profiles.into_iter().find(|name| explained(name).refused.is_none());
        table.insert(format!(
            "{:?} {:?}: {ruled}, {}",
            hints.read_only_hint,
            hints.destructive_hint,
            narrowest.unwrap()
        ));
    }
    // `readOnlyHint` `destructiveHint`: effect for the rules, narrowest profile.
    let expected = [
        "None None: destructive, default",
        "None None: unknown, default",
        "None Some(false): additive, write_restricted",
        "None Some(true): destructive, default",
        "Some(false) None: destructive, default",
        "Some(false) Some(false): additive, write_restricted",
        "Some(false) Some(true): destructive, default",
        "Some(true) None: read_only, read_only",
        "Some(true) Some(false): read_only, read_only",
    ];
    assert_eq!(table, expected.map(str::to_owned).into());
}

/// What a call does, for a tool with this name, these claims and this description.
fn call_effect(
    (server, name): (&str, &str),
    hints: Option<Hints>,
    description: Option<&str>,
    arguments: &Value,
) -> (Effect, EffectSource) {
    let tool = ToolDef {
        name: name.into(),
        title: None,
        description: description.map(str::to_owned),
        input_schema: json!({"type": "object"}),
        output_schema: None,
        annotations: hints,
    };
    let id = ToolRef::new(server, name);
    let found = effect_of_call(&id, &tool, arguments.as_object(), &EffectOverrides::default());
    (found.effect, found.source)
}

const BY_ARGUMENTS: (Effect, EffectSource) = (Effect::Destructive, EffectSource::Arguments);

#[test]
fn destructive_text_counts_under_every_name_and_nesting_and_against_every_claim() {
    let read_only = Hints { read_only_hint: Some(true), ..Hints::default() };
    let additive = Hints { destructive_hint: Some(false), ..Hints::default() };
    let shapes = |text: &str| {
        [
            json!({"query": text}),
            json!({"sql": text}),
            json!({"x": text}),
            json!({"input": {"anything": [{"deep": [text]}]}}),
            json!({"list": ["select 1", text]}),
            json!({"options": {"timeout": 1}, "params": {"body": text}}),
            json!({"document": json!({"sql": text}).to_string()}),
            json!({"a": "SELECT 1", "statements": [text]}),
        ]
    };
    for tool in [
        ("sqlite", "write_query"),
        ("sqlite", "read_query"),
        ("db", "query"),
        ("db", "execute"),
        ("any", "execute_sql"),
        ("any", "run_query"),
        ("any", "executeQuery"),
        ("any", "query"),
        ("any", "execute"),
        ("any", "run"),
        ("pg", "run"),
        ("any", "sql"),
        ("any", "mysql_exec"),
    ] {
        for hints in [None, Some(read_only.clone()), Some(additive.clone())] {
            for text in
                ["DELETE FROM t", "drop table t", "SELECT 1; UPDATE t SET a = 1 WHERE b = 2"]
            {
                for arguments in shapes(text) {
                    let found = call_effect(tool, hints.clone(), None, &arguments);
                    assert_eq!(found, BY_ARGUMENTS, "{tool:?} {hints:?} {arguments}");
                }
            }
            let read =
                call_effect(tool, hints.clone(), None, &json!({"query": "SELECT 'drop table t'"}));
            assert_ne!(read.0, Effect::Destructive, "{tool:?}");
        }
    }
    // A description or the name of an argument says so as well.
    let described = Some("Sends SQL to the warehouse and returns rows");
    let text = json!({"text": "delete from t"});
    assert_eq!(call_effect(("w", "submit"), None, described, &text), BY_ARGUMENTS);
    let named = json!({"args": {"sql": "delete from t"}});
    assert_eq!(call_effect(("w", "do_it"), Some(read_only), None, &named), BY_ARGUMENTS);
}

#[test]
fn command_lines_count_as_lines_and_as_words() {
    let effect = |tool: &str, arguments: Value| call_effect(("any", tool), None, None, &arguments);
    for tool in
        ["run_command", "execute_command", "bash", "shell", "terminal_exec", "start_process"]
    {
        for arguments in [
            json!({"command": "rm -rf x"}),
            json!({"cmd": "ls; rm x"}),
            json!({"anything": "unheard-of"}),
            json!({"command": ["rm", "-rf", "x"]}),
            json!({"argv": ["bash", "-c", "rm x"]}),
            json!({"command": "rm", "args": ["-rf", "x"]}),
            json!({"commands": ["ls -l", "rm -rf x"]}),
            json!({"request": {"line": "git push --force"}, "cwd": "/"}),
            json!({"command": "ls", "stdin": "", "script": "x > y"}),
        ] {
            let found = effect(tool, arguments.clone());
            let is_side = arguments.get("script").is_some();
            assert!(found == BY_ARGUMENTS || is_side, "{tool} {arguments} {found:?}");
        }
        for arguments in [
            json!({"command": "ls -la", "cwd": "/home/ann", "description": "delete old files"}),
            json!({"command": "git", "args": ["status"], "timeout": 5}),
            json!({"command": ["cat", "a > b"]}),
            json!({"command": "pwd", "shell_id": "main"}),
            json!({}),
        ] {
            let nothing = (Effect::Unknown, EffectSource::Nothing);
            assert_eq!(effect(tool, arguments.clone()), nothing, "{tool} {arguments}");
        }
    }
}

#[test]
fn tools_that_execute_something_are_recognised_by_what_they_are_sent() {
    let long = format!("DELETE FROM users /*{}*/", "x".repeat(70_000));
    for (server, tool, arguments) in [
        ("any", "execute", json!({"input": "TRUNCATE users"})),
        ("any", "run", json!({"x": "DELETE FROM ONLY users"})),
        ("any", "run", json!({"x": long})),
        ("any", "query", json!({"q": "CALL db.wipe()"})),
        ("any", "execute", json!({"DROP TABLE users": []})),
        ("any", "execute", json!({"document": "{\"DROP TABLE users\": 1}"})),
        ("any", "exec", json!({"text": "rm notes.txt"})),
        ("any", "run", json!({"text": "if true; then rm -rf /x; fi"})),
        ("any", "runcmd", json!({"cmd": "rm a.txt"})),
        ("any", "runcmd", json!({"text": "unheard-of"})),
        ("postgres", "migrate", json!({"script": "DROP TABLE t"})),
        ("postgres", "change", json!({"script": "dbo.usp_wipe"})),
        ("postgres", "change", json!({"note": "DROP TABLE t"})),
        ("mssql", "execute", json!({"text": "dbo.usp_wipe"})),
        ("sqlite", "write_query", json!({"query": "usp_wipe"})),
        ("any", "send", json!({"raw_sql": "usp_wipe"})),
    ] {
        let shown: String = arguments.to_string().chars().take(60).collect();
        let found = call_effect((server, tool), None, None, &arguments);
        assert_eq!(found, BY_ARGUMENTS, "{server} {tool} {shown}");
    }
    for (server, tool, arguments) in [
        ("postgres", "describe_database", json!({"schema": "public.users"})),
        ("postgres", "list_tables", json!({"schema": "public"})),
        ("prometheus", "execute_query", json!({"query": "up"})),
        ("prometheus", "run_query", json!({"query": "rate(http_requests_total[5m])"})),
        ("kusto", "run_query", json!({"query": "StormEvents | take 10"})),
        ("files", "write_file", json!({"path": "a.txt", "content": "x".repeat(70_000)})),
        ("db", "execute_sql", json!({"sql": "SELECT ?", "params": ["x".repeat(70_000)]})),
        ("db", "execute_sql", json!({"sql": "SELECT 1", "project_id": "my.project"})),
        ("any", "run", json!({"user id": 1, "text": "run the tests"})),
        ("spark", "run_job", json!({"job_id": "daily-job"})),
        ("supabase", "search_docs", json!({"query": "how to sign in"})),
        ("db", "execute_sql", json!({"sql": "SELECT 1", "sql_dialect": "postgres"})),
        ("db", "describe", json!({"sql_dialect": "postgres"})),
        ("db", "run_query", json!({"query": {"text": "SELECT $1", "values": ["Ann"]}})),
        ("db", "run_query", json!({"query": "{\"find\": \"users\"}"})),
    ] {
        let shown: String = arguments.to_string().chars().take(60).collect();
        let found = call_effect((server, tool), None, None, &arguments);
        assert_ne!(found.0, Effect::Destructive, "{server} {tool} {shown}");
    }
}

#[test]
fn a_command_and_its_arguments_count_together() {
    let effect = |arguments: &Value| call_effect(("any", "run_command"), None, None, arguments);
    for arguments in [
        json!({"command": "git", "args": "push --force"}),
        json!({"command": "find", "args": "/home/ann -delete"}),
        json!({"command": "kubectl", "args": "delete ns prod"}),
        json!({"command": "git", "args": [["clean", "-fdx"]]}),
        json!({"command": "git", "flags": ["push", "--force"]}),
        json!({"command": "git", "extra_args": "push"}),
        json!({"command": ["git", ["clean", "-fdx"]]}),
        json!({"command": ["head", "-n", 5, ";", "rm", "x"]}),
        json!({"command": "git push", "args": "--force"}),
        json!({"line": "git", "args": "push"}),
        json!({"command": "ls", "env": {"LD_PRELOAD": "/tmp/x.so"}}),
        json!({"command": "git status", "env": ["GIT_EXTERNAL_DIFF=/tmp/x"]}),
        json!({"command": "ls", "environment": "PATH=/tmp/x"}),
        json!({"command": ["ls", ";", "rm", "x"]}),
    ] {
        assert_eq!(effect(&arguments), BY_ARGUMENTS, "{arguments}");
    }
    for arguments in [
        json!({"command": "git", "args": "log --oneline -5"}),
        json!({"command": "git", "args": ["diff", "--stat"], "env": {}}),
        json!({"command": "ls", "args": ["-la"], "env": {"LANG": "C", "LC_ALL": "C", "NO_COLOR": "1"}}),
        json!({"command": ["head", "-n", 5, "a.txt"]}),
        json!({"command": "ls -la", "target": "the home folder; nothing else"}),
    ] {
        assert_ne!(effect(&arguments).0, Effect::Destructive, "{arguments}");
    }
}

#[test]
fn data_and_prose_make_no_call_destructive() {
    for (server, tool, arguments) in [
        ("github", "create_issue", json!({"title": "Delete from cart", "body": "drop table t"})),
        ("github", "search_issues", json!({"query": "delete button broken"})),
        ("files", "write_note", json!({"content": "UPDATE the readme"})),
        ("slack", "post_message", json!({"text": "rm the old files, then drop by"})),
        ("agents", "run_task", json!({"prompt": "Update the docs and delete old files"})),
        ("agents", "execute_workflow", json!({"name": "clean", "inputs": {"mode": "delete"}})),
        ("db", "run_query", json!({"sql": "SELECT 1", "explanation": "Delete the old rows"})),
        ("db", "run_query", json!({"sql": "SELECT 1", "database": "drop"})),
        ("sqlite", "append_insight", json!({"insight": "Delete the old rows"})),
        ("sqlite", "create_table", json!({"query": "CREATE TABLE IF NOT EXISTS t (a)"})),
        ("sqlite", "write_query", json!({"query": "INSERT INTO t VALUES ('drop table t')"})),
        ("browser", "evaluate", json!({"function": "() => document.title"})),
    ] {
        let found = call_effect((server, tool), None, None, &arguments);
        assert_eq!(found, (Effect::Unknown, EffectSource::Nothing), "{tool} {arguments}");
    }
}

#[test]
fn arguments_only_make_an_effect_stricter_and_the_users_word_stays() {
    let words = |patterns: &[&str]| EffectOverrides {
        read_only: patterns.iter().filter_map(|one| ToolPattern::parse(one)).collect(),
        ..EffectOverrides::default()
    };
    let id = ToolRef::new("db", "query");
    let tool = |hints| ToolDef {
        name: "query".into(),
        title: None,
        description: None,
        input_schema: json!({}),
        output_schema: None,
        annotations: Some(hints),
    };
    let arguments = json!({"sql": "SELECT 1"});
    let destructive = tool(Hints { destructive_hint: Some(true), ..Hints::default() });
    let found = effect_of_call(&id, &destructive, arguments.as_object(), &words(&[]));
    assert_eq!((found.effect, found.source), (Effect::Destructive, EffectSource::Claim));
    let reading = tool(Hints { read_only_hint: Some(true), ..Hints::default() });
    let insert = json!({"sql": "INSERT INTO t VALUES (1)"});
    let found = effect_of_call(&id, &reading, insert.as_object(), &words(&[]));
    assert_eq!((found.effect, found.source), (Effect::Additive, EffectSource::Arguments));
    let drop = json!({"sql": "DROP TABLE t"});
    let found = effect_of_call(&id, &reading, drop.as_object(), &words(&["db__query"]));
    assert_eq!((found.effect, found.source), (Effect::ReadOnly, EffectSource::User));
    let ahead = effect_of_call(&id, &reading, None, &words(&[]));
    assert!(ahead.depends_on_arguments && ahead.effect == Effect::ReadOnly);
}
