//! Tests which policy files are read, what they mean, and which are refused.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;
use tidegate_model::{
    ArgumentRule, Decision, Effect, PolicyDefaults, PolicyExample, PolicyRule, RiskLevel,
};

use super::PolicySource;
use crate::environment::Environment;
use crate::keys::reference::EXAMPLE_POLICY;
use crate::read::source::Source;
use crate::settings::permissions::Permissions;

fn known() -> PolicySource {
    let servers = ["database", "files"].map(str::to_owned).to_vec();
    PolicySource::default().knowing(servers, &Permissions::default())
}

fn parse(text: &str) -> Result<(PolicyDefaults, Vec<PolicyRule>), String> {
    let source = Source::from_bytes(Path::new("/p/policy.toml"), text.into()).unwrap();
    known().parse(&source).map_err(|error| error.to_string())
}

#[test]
fn the_example_of_the_reference_page_is_read() {
    let (defaults, rules) = parse(EXAMPLE_POLICY).unwrap();
    assert_eq!(defaults, PolicyDefaults::default());
    let example = |sql: &str, expected, line| PolicyExample {
        call: Some("database__query".into()),
        arguments: json!({"sql": sql}).as_object().cloned(),
        profiles: vec!["default".into()],
        risk: RiskLevel::Low,
        effect: Effect::Unknown,
        expected,
        place: format!("policy.toml:{line}"),
    };
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let expected = [
        PolicyRule {
            servers: texts(&["database"]),
            sql: texts(&["drop", "truncate"]),
            because: Some("schemas are changed by migrations".into()),
            examples: vec![
                example("/* tidy up */ DROP TABLE users", Decision::Deny, 11),
                example("SELECT * FROM users", Decision::Allow, 16),
            ],
            place: "policy.toml:4".into(),
            ..PolicyRule::new("no-drops", Decision::Deny)
        },
        PolicyRule {
            servers: texts(&["files"]),
            tools: texts(&["write_file", "delete_*"]),
            arguments: vec![ArgumentRule {
                key: "path".into(),
                values: texts(&["/home/ann/notes/*"]),
            }],
            place: "policy.toml:21".into(),
            ..PolicyRule::new("own-notes", Decision::Allow)
        },
        PolicyRule {
            risk: Some(RiskLevel::High),
            place: "policy.toml:28".into(),
            ..PolicyRule::new("risky-programs", Decision::Ask)
        },
    ];
    assert_eq!(rules, expected);
}

#[test]
fn an_invalid_matcher_is_reported_with_its_place_and_a_remedy() {
    for (text, expected) in [
        (
            rule("servr = \"files\""),
            "error[config.unknown_key]: unknown key `servr` in rule 1\n  at /p/policy.toml:4:1\n\
             hint: did you mean `server`?",
        ),
        (
            rule("server = \"file\""),
            "error[config.bad_name]: `server` in rule 1 names `file`, which is not configured\n  \
             at /p/policy.toml:4:10\nhint: did you mean `files`?",
        ),
        (
            rule("profile = \"root\""),
            "error[config.bad_name]: `profile` in rule 1 names `root`, which is not configured\n  \
             at /p/policy.toml:4:11\nhint: there are `read_only`, `write_restricted`, `strict`, `default`, \
             `execute_full`",
        ),
        (
            rule("tool = \"files__delete\""),
            "error[config.bad_value]: `tool` in rule 1 begins with the name of a server\n  \
             at /p/policy.toml:4:8\n\
             hint: write the server as `server` and the rest as `tool`",
        ),
        (
            rule("server = []"),
            "error[config.bad_value]: `server` in rule 1 is empty\n  at /p/policy.toml:4:10\n\
             hint: remove the key to allow any value",
        ),
        (
            rule("arguments = { \"a.*\" = \"x\" }"),
            "error[config.bad_value]: `arguments` in rule 1 has a key that is not a path\n  at \
             /p/policy.toml:4:13\nhint: write `\"*\"`, or names with dots between them",
        ),
        (
            rule("arguments = { a = 1 }"),
            "error[config.wrong_type]: `arguments.a` in rule 1 expects text or a list of text, \
             got a number\n  at /p/policy.toml:4:19",
        ),
        (
            rule("sql = \"drop table\""),
            "error[config.bad_value]: `sql` in rule 1 is not one word\n  at /p/policy.toml:4:7\n\
             hint: write verbs such as `drop`",
        ),
    ] {
        assert_eq!(parse(&text).unwrap_err(), expected, "{text}");
    }
}

#[test]
fn an_invalid_rule_is_reported_with_its_place_and_a_remedy() {
    let long = format!("name = \"{}\"", "x".repeat(81));
    for (text, expected) in [
        (
            rule("risk = \"hihg\""),
            "error[config.bad_value]: `risk` in rule 1 is none of `low`, `medium`, `high`, \
             `critical`\n  at /p/policy.toml:4:8\nhint: did you mean `high`?",
        ),
        (
            rule("because = \"a\\u200bb\""),
            "error[config.bad_value]: `because` in rule 1 has an invisible character\n  at \
             /p/policy.toml:4:11",
        ),
        (
            rule("[[rule.example]]\ncall = \"mail__send\"\ndecision = \"deny\""),
            "error[config.bad_name]: `call` in an example in rule 1 names `mail`, which is not \
             configured\n  at /p/policy.toml:5:8\nhint: there are `database`, `files`",
        ),
        (
            rule("[[rule.example]]\ncall = \"files__x\""),
            "error[config.bad_value]: there is no `decision` in an example in rule 1\n  \
             at /p/policy.toml:4:1",
        ),
        (
            rule("") + &rule(""),
            "error[config.name_clash]: two rules are called `x`, the first at policy.toml:1\n  \
             at /p/policy.toml:5:1",
        ),
        (
            "[[rule]]\nname = \"x\"".into(),
            "error[config.bad_value]: there is no `decision` in rule 1\n  at /p/policy.toml:1:1",
        ),
        (
            "[[rule]]\ndecision = \"ask\"".into(),
            "error[config.bad_value]: there is no `name` in rule 1\n  at /p/policy.toml:1:1",
        ),
        (
            format!("[[rule]]\n{long}\ndecision = \"ask\""),
            "error[config.bad_value]: `name` in rule 1 is longer than 80 characters\n  \
             at /p/policy.toml:2:8",
        ),
        (
            "[default]\nunknown = \"ask\"".into(),
            "error[config.unknown_key]: unknown key `default` at the top level of a policy\n  \
             at /p/policy.toml:1:2\nhint: did you mean `defaults`?",
        ),
        (
            "[defaults]\nunknown = \"no\"".into(),
            "error[config.bad_value]: `unknown` in `defaults` is none of `allow`, `ask`, `deny`\n  \
             at /p/policy.toml:2:11",
        ),
        (
            "rule = 1".into(),
            "error[config.wrong_type]: `rule` expects a list of tables, got a number\n  \
             at /p/policy.toml:1:8",
        ),
    ] {
        assert_eq!(parse(&text).unwrap_err(), expected, "{text}");
    }
}

/// A rule with these further keys.
fn rule(keys: &str) -> String {
    format!("[[rule]]\nname = \"x\"\ndecision = \"deny\"\n{keys}\n")
}

#[test]
fn the_named_file_counts_before_the_one_beside_and_that_before_the_users() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config/tidegate");
    fs::create_dir_all(&config).unwrap();
    let env = Environment::from_pairs([
        ("HOME", folder.path().to_str().unwrap()),
        ("XDG_CONFIG_HOME", folder.path().join("config").to_str().unwrap()),
    ]);
    let configuration = folder.path().join("tidegate.toml");
    let beside = folder.path().join("policy.toml");
    let of_user = config.join("policy.toml");
    let found = || PolicySource::find(None, Some(&configuration), &env);
    assert_eq!(found().path(), Some(beside.as_path()));
    assert_eq!(found().read().unwrap(), None);
    fs::write(&of_user, "").unwrap();
    assert_eq!(found().path(), Some(of_user.as_path()));
    fs::write(&beside, "[defaults]\nunknown = \"deny\"").unwrap();
    assert_eq!(found().path(), Some(beside.as_path()));
    let read = found().read().unwrap().unwrap();
    assert_eq!(read.defaults.unknown, Decision::Deny);
    assert_eq!(Some(read.identity), found().identity());
    let named = PolicySource::find(Some("/nowhere/p.toml".into()), Some(&configuration), &env);
    assert_eq!(
        named.read().unwrap_err().to_string(),
        "error[config.missing_file]: there is no file `/nowhere/p.toml`\n\
         hint: check `file` in `[policy]`"
    );
}

#[test]
fn a_file_that_everybody_can_change_counts_only_if_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy.toml");
    fs::write(&path, "").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    let env = Environment::from_pairs::<&str, &str>([]);
    let found = PolicySource::find(None, Some(&folder.path().join("tidegate.toml")), &env);
    assert_eq!(
        found.read().unwrap_err().to_string(),
        format!(
            "error[config.foreign_file]: the configuration `{}` is writable by everybody\n\
             hint: if you trust it, name it as `file` in `[policy]`",
            path.display()
        )
    );
    assert!(PolicySource::find(Some(path), None, &env).read().unwrap().is_some());
}

#[test]
fn every_prefix_of_the_example_is_read_or_refused_without_a_panic() {
    for (end, _) in EXAMPLE_POLICY.char_indices() {
        let _ = parse(&EXAMPLE_POLICY[..end]);
    }
}
