//! Whole files in, whole settings and whole messages out.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tidegate_model::{
    DataType, Decision, Engine, Isolation, Limits, Network, NetworkMode, RiskLevel, Secret,
    ServerSpec, Transport,
};

use super::{find_and_load, load, load_file};
use crate::keys::reference::{EXAMPLE_JSON, EXAMPLE_TOML};
use crate::read::ownership::refuse_foreign_file;
use crate::read::source::Source;
use crate::settings::policy_source::PolicySource;
use crate::{
    Approvals, BinaryContent, Checks, ConfigError, Environment, Privacy, PrivacyMode, RiskTable,
    Sandbox, Search, Settings, TypeCheck,
};

fn env() -> Environment {
    Environment::from_pairs([
        ("HOME", "/home/ann"),
        ("USER", "ann"),
        ("ISSUES_TOKEN", "hunter2"),
        ("BAD_HEADER", "a\r\nHost: evil"),
        ("BAD_URL", "hunter2"),
    ])
}

fn load_text(path: &str, text: &str) -> Result<Settings, ConfigError> {
    let loaded = load(&Source::from_bytes(Path::new(path), text.into())?, &env())?;
    // The search for rules has its own tests, in `policy_file`.
    Ok(Settings { policy: PolicySource::default(), ..loaded })
}

fn toml(text: &str) -> Settings {
    load_text("/p/tidegate.toml", text).unwrap()
}

fn json(text: &str) -> Settings {
    load_text("/p/.mcp.json", text).unwrap()
}

fn toml_error(text: &str) -> String {
    load_text("tidegate.toml", text).unwrap_err().to_string()
}

fn json_error(text: &str) -> String {
    load_text("mcp.json", text).unwrap_err().to_string()
}

#[test]
fn approvals_wait_a_moment_and_expire_unless_something_else_is_configured() {
    let default =
        Approvals { wait: Duration::from_secs(5), expires: Duration::from_mins(15), pending: true };
    assert_eq!(toml("").approvals, default);
    let configured = toml("[approvals]\nwait = '1s'\nexpires = '2m'\npending = false\n");
    let (wait, expires) = (Duration::from_secs(1), Duration::from_mins(2));
    assert_eq!(configured.approvals, Approvals { wait, expires, pending: false });
}

/// A server with nothing but its transport.
fn plain(name: &str, transport: Transport) -> ServerSpec {
    ServerSpec {
        name: name.into(),
        transport,
        timeout: Duration::from_secs(60),
        connect_timeout: Duration::from_secs(30),
        max_concurrent: 16,
    }
}

fn stdio(command: &str, args: &[&str], env: &[(&str, &str)], cwd: Option<&str>) -> Transport {
    Transport::Stdio {
        command: command.into(),
        args: args.iter().map(|arg| Secret::new((*arg).into())).collect(),
        env: secrets(env),
        cwd: cwd.map(PathBuf::from),
    }
}

fn http(url: &str, headers: &[(&str, &str)]) -> Transport {
    Transport::Http { url: Secret::new(url.into()), headers: secrets(headers) }
}

fn secrets(pairs: &[(&str, &str)]) -> BTreeMap<String, Secret<String>> {
    pairs.iter().map(|(name, value)| ((*name).into(), Secret::new((*value).into()))).collect()
}

fn settings(path: &str, servers: Vec<ServerSpec>) -> Settings {
    Settings {
        servers,
        source: Some(path.into()),
        ..Settings::new("/home/ann/.local/share/tidegate".into())
    }
}

/// `Debug` hides secrets, so a failed `assert_eq` would not show what differs.
#[test]
fn both_examples_load_as_the_same_settings() {
    let arguments = ["mcp-server-git", "--repository", "/p"];
    let git = ServerSpec {
        timeout: Duration::from_secs(120),
        connect_timeout: Duration::from_secs(45),
        max_concurrent: 4,
        ..plain(
            "git",
            stdio("uvx", &arguments, &[("GIT_AUTHOR_NAME", "ann")], Some("/home/ann/src")),
        )
    };
    let authorization = [("Authorization", "Bearer hunter2")];
    let issues = plain("issues", http("https://issues.example.com/mcp", &authorization));
    let servers = vec![git, issues];
    let network = Network {
        mode: NetworkMode::Allowlist,
        allow: ["api.example.org", "GET,HEAD https://*.example.com"]
            .map(|rule| rule.parse().unwrap())
            .to_vec(),
        ..Network::default()
    };
    let expected = |path| Settings { network: network.clone(), ..settings(path, servers.clone()) };
    assert_eq!(toml(EXAMPLE_TOML), expected("/p/tidegate.toml"));
    assert_eq!(json(EXAMPLE_JSON), expected("/p/.mcp.json"));
}

#[test]
fn every_prefix_of_the_examples_loads_or_errors_without_a_panic() {
    for (path, example) in [("a.toml", EXAMPLE_TOML), ("a.json", EXAMPLE_JSON)] {
        for (end, _) in example.char_indices() {
            let _ = load_text(path, &example[..end]);
        }
    }
}

#[test]
fn every_example_with_one_character_changed_loads_or_errors_without_a_panic() {
    for (path, example) in [("a.toml", EXAMPLE_TOML), ("a.json", EXAMPLE_JSON)] {
        for (at, letter) in example.char_indices() {
            for other in ["\"", "{", "]", "=", "\u{e9}", "\0", "$", ""] {
                let (before, after) = (&example[..at], &example[at + letter.len_utf8()..]);
                let _ = load_text(path, &format!("{before}{other}{after}"));
            }
        }
    }
}

#[test]
fn deep_nesting_is_an_error_and_not_a_crash() {
    let deep = |part: &str| part.repeat(100_000);
    let nested = "not valid JSON: maximum nesting depth exceeded";
    assert_eq!(
        json_error(&deep("[")),
        format!("error[config.syntax]: {nested}\n  at mcp.json:1:513")
    );
    assert_eq!(
        json_error(&deep("{\"a\":")),
        format!("error[config.syntax]: {nested}\n  at mcp.json:1:1282")
    );
    for text in [
        format!("a = {}", deep("[")),
        format!("a = {}", deep("{a=")),
        format!("{}a = 1", deep("a.")),
        format!("[{}a]", deep("a.")),
        deep("["),
        deep("[a]\n[["),
    ] {
        let error = load_text("tidegate.toml", &text).unwrap_err();
        assert_eq!(error.kind.as_str(), "config.syntax");
    }
}

#[test]
fn an_empty_own_file_has_no_servers() {
    assert_eq!(toml(""), settings("/p/tidegate.toml", Vec::new()));
}

#[test]
fn limits_are_read_from_the_own_file() {
    let read = toml(
        "[limits]\ntime = 1500\nmemory = '64MiB'\noutput = 1024\ntool_calls = 7\nparallel_calls = 3\n\
         cpu = '2s'\ndisk = '8MB'\nprocesses = 5",
    );
    let limits = Limits {
        time: Duration::from_millis(1500),
        cpu: Duration::from_secs(2),
        memory_bytes: 64 * 1024 * 1024,
        disk_bytes: 8 * 1024 * 1024,
        output_bytes: 1024,
        tool_calls: 7,
        parallel_calls: 3,
        processes: 5,
    };
    assert_eq!(read, Settings { limits, ..settings("/p/tidegate.toml", Vec::new()) });
}

#[test]
fn search_by_meaning_can_be_turned_off() {
    let search = Search { semantic: false, used_together: false, ..Search::default() };
    assert_eq!(
        toml("[search]\nsemantic = false\nused_together = false"),
        Settings { search, ..settings("/p/tidegate.toml", Vec::new()) }
    );
    assert_eq!(toml("[search]"), settings("/p/tidegate.toml", Vec::new()));
}

#[test]
fn catalogs_are_found_from_the_folder_of_the_file() {
    let catalogs = ["/p/tools", "/srv/all", "/home/ann/mine.jsonl"].map(PathBuf::from).into();
    let search = Search { catalogs, recommend: false, ..Search::default() };
    assert_eq!(
        toml("[search]\ncatalogs = [\"tools\", \"/srv/all\", \"~/mine.jsonl\"]\nrecommend = false"),
        Settings { search, ..settings("/p/tidegate.toml", Vec::new()) }
    );
}

#[test]
fn the_sandbox_is_read_from_the_own_file() {
    let read = toml(
        "[sandbox]\nmin_isolation = 'strict'\nengine = 'deno'\ndeno = 'bin/deno'\nnode = '/n/node'",
    );
    let sandbox = Sandbox {
        min_isolation: Isolation::Strict,
        engine: Engine::Deno,
        deno: Some("/p/bin/deno".into()),
        node: Some("/n/node".into()),
        ..Sandbox::default()
    };
    assert_eq!(read, Settings { sandbox, ..settings("/p/tidegate.toml", Vec::new()) });
}

#[test]
fn engines_that_may_be_used_are_listed_with_the_default_among_them() {
    let engines = |text: &str| toml(&format!("[sandbox]\n{text}")).sandbox.engines;
    assert_eq!(engines(""), Engine::ALL);
    assert_eq!(engines("engines = ['quickjs']"), [Engine::QuickJs]);
    assert_eq!(engines("engine = 'node'\nengines = ['node']"), [Engine::Node]);
    for (list, place, problem) in [
        ("engines = ['deno']", "2:11", "leaves out `quickjs`, which is its `engine`"),
        (
            "engine = 'deno'\nengines = ['quickjs']",
            "3:11",
            "leaves out `deno`, which is its `engine`",
        ),
        ("engines = []", "2:11", "leaves out `quickjs`, which is its `engine`"),
    ] {
        let error = toml_error(&format!("[sandbox]\n{list}"));
        assert!(error.contains(&format!("`engines` in `sandbox` {problem}\n")), "{error}");
        assert!(error.contains(&format!("tidegate.toml:{place}\n")), "{error}");
    }
    let error = toml_error("[sandbox]\nengines = ['quickjs', 'dino']");
    assert!(
        error.contains("`engines[1]` in `sandbox` is none of `quickjs`, `deno`, `node`"),
        "{error}"
    );
    assert!(error.ends_with("hint: did you mean `deno`?"), "{error}");
}

#[test]
fn checks_are_read_from_either_file() {
    for (word, types) in [
        ("auto", TypeCheck::Auto),
        ("off", TypeCheck::Off),
        ("warn", TypeCheck::Warn),
        ("strict", TypeCheck::Strict),
    ] {
        let python = Some("/opt/ty".into());
        let checks = Checks { types, tsc: Some("/opt/tsc".into()), python, patterns: Vec::new() };
        let own =
            toml(&format!("[checks]\ntypes = '{word}'\ntsc = '/opt/tsc'\npython = '/opt/ty'"));
        let path = "/p/tidegate.toml";
        assert_eq!(own, Settings { checks: checks.clone(), ..settings(path, Vec::new()) });
        let client = json(&format!(
            r#"{{"mcpServers": {{}}, "mcpCodeExecution": {{"typeCheck": "{word}", "tsc": "/opt/tsc", "pythonChecker": "/opt/ty"}}}}"#
        ));
        assert_eq!(client, Settings { checks, ..settings("/p/.mcp.json", Vec::new()) });
    }
}

#[test]
fn the_path_of_the_compiler_is_expanded_and_counts_from_the_workspace() {
    for (written, tsc) in [
        ("~/bin/tsc", "/home/ann/bin/tsc"),
        ("${USER}/tsc", "/p/ann/tsc"),
        ("${workspaceFolder}/tsc", "/p/tsc"),
        ("node_modules/.bin/tsc", "/p/node_modules/.bin/tsc"),
    ] {
        let checks = Checks { tsc: Some(tsc.into()), ..Checks::default() };
        let own = toml(&format!("[checks]\ntsc = '{written}'"));
        let path = "/p/tidegate.toml";
        assert_eq!(own, Settings { checks: checks.clone(), ..settings(path, Vec::new()) });
        let path = "/p/.vscode/mcp.json";
        let text = format!(r#"{{"servers": {{}}, "mcpCodeExecution": {{"tsc": "{written}"}}}}"#);
        let client = load_text(path, &text).unwrap();
        assert_eq!(client, Settings { checks, ..settings(path, Vec::new()) });
    }
}

#[test]
fn a_client_file_may_hold_keys_of_its_client() {
    let text = r#"{
        "numStartups": 7, "mcp": {"allowed": ["x"]}, "lspServers": {}, "inputs": [],
        "enabledMcpjsonServers": [], "enableAllProjectMcpServers": true, "mcpContextUris": [],
        "excludeMCPServers": [], "context_servers": {}, "projects": {}, "security": {},
        "session": {}, "settings": {}, "numStartups": 8, "limits": 7,
        "mcpServers": {"a": {"command": "a"}}
    }"#;
    let servers = vec![plain("a", stdio("a", &[], &[], None))];
    assert_eq!(json(text), settings("/p/.mcp.json", servers));
}

#[test]
fn a_client_key_that_looks_like_a_typo_is_an_error() {
    for (given, meant) in [
        ("mcpServer", "mcpServers"),
        ("mcp_servers", "mcpServers"),
        ("mcpservers", "mcpServers"),
        ("mpcServers", "mcpServers"),
        ("server", "servers"),
        ("mcpCodeExecutoin", "mcpCodeExecution"),
    ] {
        assert_eq!(
            json_error(&format!("{{\n  \"{given}\": {{}}\n}}")),
            format!(
                "error[config.unknown_key]: unknown key `{given}` at the top level\n  \
                 at mcp.json:2:3\nhint: did you mean `{meant}`?"
            )
        );
    }
}

#[test]
fn a_client_file_without_servers_gives_a_warning() {
    let read = json("// nothing\n{}");
    let warnings =
        vec!["the file has no `mcpServers`, so there is no server (at /p/.mcp.json:2:1)".into()];
    assert_eq!(read, Settings { warnings, ..settings("/p/.mcp.json", Vec::new()) });
}

#[test]
fn a_file_of_vs_code_is_read_from_its_workspace() {
    let text = r#"{"servers": {"a": {
        "type": "stdio", "command": "${workspaceFolder}/a", "args": ["${env:USER}"], "cwd": "x"
    }}, "inputs": []}"#;
    let path = "/p/.vscode/mcp.json";
    let servers = vec![plain("a", stdio("/p/a", &["ann"], &[], Some("/p/x")))];
    assert_eq!(load_text(path, text).unwrap(), settings(path, servers));
}

#[test]
fn other_spellings_of_url_and_type_mean_the_same() {
    let transport = || http("http://localhost:1/mcp", &[]);
    for (key, word) in [
        ("url", "http"),
        ("serverUrl", "streamable-http"),
        ("httpUrl", "streamable_http"),
        ("url", "streamableHttp"),
        ("url", "remote"),
    ] {
        let text = format!(
            r#"{{"mcpServers": {{"a": {{"type": "{word}", "{key}": "http://localhost:1/mcp"}}}}}}"#
        );
        assert_eq!(json(&text), settings("/p/.mcp.json", vec![plain("a", transport())]));
    }
    let local = toml("[servers.a]\ntype = 'local'\ncommand = '~/a'\ncwd = 'x'");
    let servers = vec![plain("a", stdio("/home/ann/a", &[], &[], Some("/p/x")))];
    assert_eq!(local, settings("/p/tidegate.toml", servers));
}

#[test]
fn client_keys_in_a_server_are_accepted_and_warned_of_where_they_matter() {
    let text = r#"{"mcpServers": {"a": {
"command": "a", "alwaysAllow": ["x"], "autoApprove": [], "description": "d", "trust": true,
"tools": ["*"], "metadata": {},
"includeTools": ["x"],
"excludeTools": ["y"],
"envFile": ".env",
"oauth": {}
    }}}"#;
    let warnings = [
        "`includeTools` in server `a` is not honoured: every tool of the server is offered (at \
         /p/.mcp.json:4:1)",
        "`excludeTools` in server `a` is not honoured: every tool of the server is offered (at \
         /p/.mcp.json:5:1)",
        "`envFile` in server `a` is not honoured: the file is not read, so write its variables \
         under `env` (at /p/.mcp.json:6:1)",
        "`oauth` in server `a` is not honoured: no OAuth login is made, so write a token under \
         `headers` (at /p/.mcp.json:7:1)",
    ];
    let servers = vec![plain("a", stdio("a", &[], &[], None))];
    let warnings = warnings.map(String::from).to_vec();
    assert_eq!(json(text), Settings { warnings, ..settings("/p/.mcp.json", servers) });
}

#[test]
fn a_server_that_is_left_out_is_not_resolved() {
    let text = "[servers.a]\nenabled = false\ncommand = '${NOBODY}'\n[servers.A]\ncommand = 'a'";
    let servers = vec![plain("A", stdio("a", &[], &[], None))];
    assert_eq!(toml(text), settings("/p/tidegate.toml", servers));
}

#[test]
fn a_short_number_of_milliseconds_gives_a_warning() {
    let read = json(r#"{"mcpServers": {"a": {"command": "a", "timeout": 60}}}"#);
    let server =
        ServerSpec { timeout: Duration::from_millis(60), ..plain("a", stdio("a", &[], &[], None)) };
    let warnings = vec![
        "`timeout` in server `a` is under a second, since a number alone counts milliseconds; \
         write a unit, such as \"30s\" (at /p/.mcp.json:1:50)"
            .into(),
    ];
    assert_eq!(read, Settings { warnings, ..settings("/p/.mcp.json", vec![server]) });
}

#[test]
fn keys_without_effect_on_the_transport_give_a_warning() {
    let read = toml(
        "[servers.a]\ncommand = 'a'\nheaders = { X = 'hunter2' }\n\
         [servers.b]\nurl = 'http://b'\nargs = ['hunter2']\nenv = { K = 'hunter2' }\ncwd = '/'\n\
         [servers.c]\nurl = 'http://c'\nargs = []\nenv = {}",
    );
    let servers = vec![
        plain("a", stdio("a", &[], &[], None)),
        plain("b", http("http://b", &[])),
        plain("c", http("http://c", &[])),
    ];
    let warnings = [
        "`headers` in server `a` has no effect on a local server (at /p/tidegate.toml:3:17)",
        "`args` in server `b` has no effect on a remote server (at /p/tidegate.toml:6:9)",
        "`env` in server `b` has no effect on a remote server (at /p/tidegate.toml:7:13)",
        "`cwd` in server `b` has no effect on a remote server (at /p/tidegate.toml:8:7)",
    ];
    let warnings = warnings.map(String::from).to_vec();
    assert_eq!(read, Settings { warnings, ..settings("/p/tidegate.toml", servers) });
}

#[test]
fn code_execution_is_honoured_or_warned_of() {
    let text = r#"{"mcpServers": {}, "mcpCodeExecution": {
"enabled": false,
"sandboxMode": "process",
"securityLevel": "strict",
"maxExecutionTime": 5e3,
"piiTokenization": true,
"auditLogging": false,
"resourceLimits": {
"memory": "64m",
"cpu": 1.5,
"disk": "1GB"}}}"#;
    let limits = Limits {
        time: Duration::from_secs(5),
        memory_bytes: 64 * 1024 * 1024,
        disk_bytes: 1024 * 1024 * 1024,
        ..Limits::default()
    };
    let warnings = [
        "`enabled` in `mcpCodeExecution` is false, without effect: running code is what tidegate is for (at /p/.mcp.json:2:1)",
        "`auditLogging` in `mcpCodeExecution` is false, without effect: runs and calls are always \
         recorded (at /p/.mcp.json:7:1)",
        "`cpu` in `mcpCodeExecution.resourceLimits` is not honoured: CPU time is limited, the \
         number of cores is not (at /p/.mcp.json:10:1)",
    ];
    let warnings = warnings.map(String::from).to_vec();
    let mut risk = RiskTable::default();
    risk.least = RiskLevel::Critical;
    let expected = Settings { limits, risk, warnings, ..settings("/p/.mcp.json", Vec::new()) };
    assert_eq!(json(text), expected);
}

#[test]
fn code_execution_that_asks_for_nothing_special_gives_no_warning() {
    let text = r#"{"mcpServers": {}, "mcpCodeExecution": {"enabled": true, "piiTokenization": false,
        "auditLogging": true, "resourceLimits": {}}}"#;
    let privacy = Privacy { mode: PrivacyMode::Off, ..Privacy::default() };
    assert_eq!(json(text), Settings { privacy, ..settings("/p/.mcp.json", Vec::new()) });
}

#[test]
fn what_is_done_about_personal_data_is_read() {
    let text = "[privacy]\nmode = 'strict'\ntypes = ['EMAIL', 'PERSON']\npatterns = ['P-\\d+']\n\
                keys = ['badge']\nterms = ['Falcon']\nexclude = ['a@b.c']\nbinary = 'pass'\n\
                restore = 'deny'\nexpires = '2h'\n[privacy.receive]\ncrm = ['EMAIL']\nwiki = ['none']\n";
    let read = toml(text).privacy;
    assert_eq!(read.mode, PrivacyMode::Strict);
    assert_eq!(read.types, [DataType::Email, DataType::Person]);
    assert_eq!(
        (&*read.patterns[0], &*read.keys[0], &*read.terms[0]),
        ("P-\\d+", "badge", "Falcon")
    );
    assert_eq!(read.exclude, ["a@b.c"]);
    assert_eq!((read.binary, read.restore), (BinaryContent::Pass, Decision::Deny));
    assert_eq!(read.expires, Duration::from_secs(7200));
    let receives = |server: &str| read.may_receive(server, DataType::Email);
    assert!(receives("crm") && receives("other") && !receives("wiki"));
    assert!(!read.may_receive("crm", DataType::Person));
}

mod network;
mod refused;

#[test]
fn a_found_file_of_another_user_is_refused_and_a_named_one_is_taken() {
    if !nix::unistd::geteuid().is_root() {
        // Only root can create a file that belongs to another user.
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tidegate.toml");
    std::fs::write(&file, "").unwrap();
    std::os::unix::fs::chown(&file, Some(12_345), None).unwrap();
    let env = Environment::from_pairs([("HOME", "/nowhere")]);
    let refused = find_and_load(folder.path(), &env).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "error[config.foreign_file]: the configuration `{0}` belongs to another user\n\
             hint: if you trust it, name it: `--config {0}`",
            file.display()
        )
    );
    assert!(load_file(&file, &env).is_ok());
}

#[test]
fn a_found_link_of_another_user_is_refused_and_so_is_a_file_that_everybody_can_change() {
    let folder = tempfile::tempdir().unwrap();
    let (found, own) = (folder.path().join("tidegate.toml"), folder.path().join("own.toml"));
    let env = Environment::from_pairs([("HOME", "/nowhere")]);
    let refused = || find_and_load(folder.path(), &env).unwrap_err().to_string();
    std::fs::write(&own, "").unwrap();
    std::os::unix::fs::symlink(&own, &found).unwrap();
    // The control: a link of the same user is followed.
    assert!(find_and_load(folder.path(), &env).is_ok());
    if nix::unistd::geteuid().is_root() {
        std::os::unix::fs::lchown(&found, Some(12_345), None).unwrap();
        assert!(refused().contains("belongs to another user"), "{}", refused());
        std::os::unix::fs::lchown(&found, Some(0), None).unwrap();
    }
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o666)).unwrap();
    assert!(refused().contains("is writable by everybody"), "{}", refused());
    assert!(load_file(&found, &env).is_ok());
}

/// Another user swaps the file between the ownership check and the read.
#[test]
fn the_file_whose_owner_was_looked_at_is_the_one_that_is_read() {
    if !nix::unistd::geteuid().is_root() {
        // Only root can create a file that belongs to another user.
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (found, other) = (folder.path().join("tidegate.toml"), folder.path().join("other"));
    std::fs::write(&found, "foreign").unwrap();
    std::os::unix::fs::chown(&found, Some(12_345), None).unwrap();
    std::fs::write(&other, "own").unwrap();
    let opened = Source::open(&found).unwrap();
    std::fs::rename(&other, &found).unwrap();
    // The file now at this path is ours; the one that was opened, and would be read, is not.
    assert!(refuse_foreign_file(&found, &opened, "").is_err());
    assert_eq!(Source::read_open(&found, opened).unwrap().text, "foreign");
    let opened = Source::open(&found).unwrap();
    assert!(refuse_foreign_file(&found, &opened, "").is_ok());
    assert_eq!(Source::read_open(&found, opened).unwrap().text, "own");
}

#[test]
fn a_pipe_that_somebody_has_put_there_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("tidegate.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let env = Environment::from_pairs([("HOME", "/nowhere")]);
    // Looks like an empty file.
    assert!(find_and_load(folder.path(), &env).is_ok());
}

#[test]
fn one_line_decides_about_a_level_of_risk() {
    use tidegate_model::SandboxKind;
    let risk = toml("[risk]\nmedium = \"ask\"\nhigh = [\"deny\", \"vm\", \"ask\"]\n").risk;
    assert_eq!(RiskLevel::ALL.map(|level| risk.decision(level)), {
        use Decision::{Allow, Ask, Deny};
        [Allow, Ask, Deny, Allow]
    });
    assert_eq!(risk.sandboxes(RiskLevel::Medium), [SandboxKind::Process]);
    assert_eq!(risk.sandboxes(RiskLevel::High), [SandboxKind::Vm]);
    assert_eq!(
        toml_error("[risk]\nhigh = \"asks\"\n"),
        "error[config.bad_value]: `high` in `risk` is none of `process`, `strict`, `docker`, `vm`, \
         `ask`, `deny`\n  at tidegate.toml:2:8\nhint: did you mean `ask`?"
    );
    assert_eq!(
        toml_error("[risk]\nhigh = 1\n"),
        "error[config.wrong_type]: `high` in `risk` expects one of `process`, `strict`, `docker`, \
         `vm`, `ask`, `deny` or a list of them, got a number\n  at tidegate.toml:2:8"
    );
}
