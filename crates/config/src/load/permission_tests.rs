//! Profiles and commands: whole files in, whole profiles and whole messages out.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use tidegate_model::{
    ArgumentPattern, CommandAccess, CommandSpec, EffectCeiling, EffectOverrides, FileIdentity,
    HostLists, LimitCeilings, LimitName, NetworkAccess, Profile, Scope, ToolPattern,
};

use super::load;
use crate::read::source::Source;
use crate::{ConfigError, Environment, Permissions, Settings};

const SERVERS: &str =
    "[servers.git]\ncommand = \"x\"\n[servers.off]\ncommand = \"x\"\nenabled = false\n";

fn load_text(text: &str) -> Result<Settings, ConfigError> {
    let env = Environment::from_pairs([("HOME", "/home/ann")]);
    load(&Source::from_bytes(Path::new("tidegate.toml"), text.into())?, &env)
}

fn permissions(text: &str) -> Permissions {
    load_text(text).unwrap().permissions
}

fn error(text: &str) -> String {
    load_text(text).unwrap_err().to_string()
}

fn built_in(name: &str) -> Profile {
    Profile::built_in().into_iter().find(|profile| profile.name == name).unwrap()
}

fn pattern(text: &str) -> ToolPattern {
    ToolPattern::parse(text).unwrap()
}

#[test]
fn without_a_word_there_are_the_built_in_profiles_and_no_command() {
    let found = permissions("");
    assert_eq!(found, Permissions::default());
    assert_eq!(found.profile, "default");
    let default = built_in("default");
    assert_eq!(default.effects, EffectCeiling::All);
    assert_eq!(default.commands, CommandAccess::Only(BTreeSet::new()));
}

#[test]
fn a_profile_holds_what_it_sets_and_else_what_it_extends() {
    let text = format!(
        "profile = \"b\"\n{SERVERS}\
         [profiles.b]\nextends = \"a\"\ndeny = [\"git__drop\"]\nlimits = {{ time = \"2s\" }}\n\
         [profiles.a]\nextends = \"execute_full\"\ntools = \"additive\"\nallow = [\"git__*\"]\n\
         deny = [\"off__*\"]\nread = [\"servers\"]\nwrite = []\nnetwork = \"none\"\ncommands = []\n\
         approval_required = true\n\
         limits = {{ time = \"3s\", tool_calls = 7 }}\n\
         [tools]\nread_only = [\"git__log\"]\nadditive = [\"git__add\"]\ndestructive = [\"git__*\"]\n"
    );
    let found = permissions(&text);
    let a = Profile {
        name: "a".into(),
        effects: EffectCeiling::Additive,
        allow: Some(vec![pattern("git__*")]),
        deny: vec![pattern("off__*")],
        read: BTreeSet::from([Scope::Servers]),
        write: BTreeSet::new(),
        network: NetworkAccess::None,
        hosts: Vec::new(),
        approval_required: true,
        commands: CommandAccess::Only(BTreeSet::new()),
        limits: LimitCeilings([(LimitName::Time, 3000), (LimitName::ToolCalls, 7)].into()),
    };
    let b = Profile {
        name: "b".into(),
        deny: vec![pattern("off__*"), pattern("git__drop")],
        limits: LimitCeilings([(LimitName::Time, 2000), (LimitName::ToolCalls, 7)].into()),
        ..a.clone()
    };
    assert_eq!(found.profile, "b");
    assert_eq!(found.profiles[5..], [a, b]);
    let words = EffectOverrides {
        read_only: vec![pattern("git__log")],
        additive: vec![pattern("git__add")],
        destructive: vec![pattern("git__*")],
    };
    assert_eq!(found.tools, words);
}

#[test]
fn a_wider_setting_is_refused_with_both_places() {
    let hint = "hint: a profile can only narrow: extend a wider one, or leave this out";
    for (setting, key, column) in [
        ("tools = \"all\"", "tools", 9),
        ("network = \"configured\"", "network", 11),
        ("write = [\"workspace\"]", "write", 9),
    ] {
        assert_eq!(
            error(&format!("[profiles.mine]\nextends = \"read_only\"\n{setting}\n")),
            format!(
                "error[config.wider_profile]: `{key}` in profile `mine` is wider than in profile \
                 `read_only`, which it extends (built in)\n  at tidegate.toml:3:{column}\n{hint}"
            )
        );
    }
    let own = |narrow: &str, wide: &str| {
        format!(
            "{SERVERS}[profiles.n]\nextends = \"w\"\n{narrow}\n[profiles.w]\nextends = \"execute_full\"\n{wide}\n"
        )
    };
    for (narrow, wide, key) in [
        ("allow = [\"git__a\"]", "allow = [\"git__b\"]", "allow[0]"),
        ("allow = [\"git__*\"]", "allow = [\"git__b\"]", "allow[0]"),
        ("allow = [\"git__a\"]", "deny = [\"git__*\"]", "allow[0]"),
    ] {
        assert_eq!(
            error(&own(narrow, wide)),
            format!(
                "error[config.wider_profile]: `{key}` in profile `n` is wider than in profile `w`, \
                 which it extends (at line 9, column 11)\n  at tidegate.toml:8:10\n{hint}"
            )
        );
    }
    assert!(load_text(&own("allow = [\"git__a\"]", "allow = [\"git__*\"]")).is_ok());
    let limits = own("limits = { time = \"3s\" }", "limits = { time = \"2s\" }");
    assert_eq!(
        error(&limits),
        format!(
            "error[config.wider_profile]: `time` in `limits` of profile `n` is wider than in \
             profile `w`, which it extends (at line 9, column 11)\n  at tidegate.toml:8:19\n{hint}"
        )
    );
    assert_eq!(
        error(
            "[limits]\ntime = \"1s\"\n[profiles.n]\nextends = \"default\"\nlimits.time = \"2s\"\n"
        ),
        "error[config.wider_profile]: `time` in `limits` of profile `n` is above the one in \
         `limits`\n  at tidegate.toml:5:15\n\
         hint: a profile can only lower a limit; raise it there first"
    );
    let commands = "[commands.id]\npath = \"/usr/bin/id\"\n";
    assert_eq!(
        error(&format!("{commands}[profiles.n]\nextends = \"default\"\ncommands = [\"id\"]\n")),
        format!(
            "error[config.wider_profile]: `commands[0]` in profile `n` is wider than in profile \
             `default`, which it extends (built in)\n  at tidegate.toml:5:13\n{hint}"
        )
    );
}

#[test]
fn profiles_that_mean_nothing_are_refused() {
    for (text, expected) in [
        (
            "profile = \"nope\"",
            "error[config.bad_value]: `profile` is not a profile\n  at \
          tidegate.toml:1:11\nhint: there is `read_only`, `write_restricted`, `strict`, `default`, `execute_full`",
        ),
        (
            "[profiles.read_only]\nextends = \"default\"",
            "error[config.bad_name]: profile \
          `read_only` is built in and cannot be changed\n  at tidegate.toml:1:11",
        ),
        (
            "[profiles.a]\ntools = \"all\"",
            "error[config.bad_value]: profile `a` has no `extends`\n  \
          at tidegate.toml:1:11\nhint: name the profile that it narrows, such as `execute_full`",
        ),
        (
            "[profiles.a]\nextends = \"b\"\n[profiles.b]\nextends = \"a\"",
            "error[config.bad_value]: \
          profile `b` extends itself\n  at tidegate.toml:4:11",
        ),
        (
            "[profiles.a]\nextends = \"a\"",
            "error[config.bad_value]: profile `a` extends itself\n  \
          at tidegate.toml:2:11",
        ),
        (
            "[profiles.a]\nextends = \"readonly\"",
            "error[config.bad_value]: `extends` in profile \
          `a` is not a profile\n  at tidegate.toml:2:11\nhint: did you mean `read_only`?",
        ),
        (
            "[profiles.a]\nextends = \"default\"\ndeny = [\"issus__x\"]\n[servers.issues]\ncommand = \"x\"",
            "error[config.bad_value]: `deny[0]` in profile `a` names an unknown server\n  \
          at tidegate.toml:3:9\nhint: did you mean `issues`?",
        ),
        (
            "[tools]\nread_only = [\"git\"]",
            "error[config.bad_value]: `read_only[0]` in `tools` is \
          not a tool\n  at tidegate.toml:2:14\nhint: write `server__tool`, or `server__*` for all \
          tools of a server",
        ),
        (
            "[profiles.a]\nextends = \"default\"\nread = [\"server\"]",
            "error[config.bad_value]: \
          `read[0]` in profile `a` is none of `servers`, `skills`, `workspace`\n  at \
          tidegate.toml:3:9\nhint: did you mean `servers`?",
        ),
        (
            "[profiles.a]\nextends = \"execute_full\"\ncommands = [\"id\"]",
            "error[config.bad_value]: \
          `commands[0]` in profile `a` is not a command\n  at tidegate.toml:3:13",
        ),
    ] {
        assert_eq!(error(text), expected, "{text}");
    }
}

#[test]
fn a_command_is_read_whole_and_its_executable_pinned() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap().join("real");
    std::fs::copy("/usr/bin/id", &real).unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let text = format!(
        "[commands.c]\npath = {link:?}\nargs = [\"a\", \"*\", \"regex:[0-9]+\", \"exact:*\"]\n\
         rest = \"*\"\nread = [\"/usr/share\"]\nenv = {{ A = \"${{HOME}}\" }}\ntime = \"2s\"\n\
         output = \"1KB\"\nmemory = \"8MB\"\n"
    );
    let expected = CommandSpec {
        name: "c".into(),
        identity: Some(FileIdentity::of(&real.metadata().unwrap())),
        path: real,
        arguments: vec![
            ArgumentPattern::Exact("a".into()),
            ArgumentPattern::Any,
            ArgumentPattern::Regex("[0-9]+".into()),
            ArgumentPattern::Exact("*".into()),
        ],
        rest: Some(ArgumentPattern::Any),
        read: vec!["/usr/share".into()],
        write: Vec::new(),
        environment: [("A".into(), tidegate_model::Secret::new("/home/ann".into()))].into(),
        time: Duration::from_secs(2),
        output_bytes: 1024,
        memory_bytes: 8 << 20,
    };
    assert_eq!(permissions(&text).commands, [expected]);
    let missing = load_text("[commands.c]\npath = \"/nope/x\"\n").unwrap();
    assert_eq!(missing.permissions.commands[0].identity, None);
    assert_eq!(
        missing.warnings,
        ["the executable of command `c` is not there, so it cannot be run (at tidegate.toml:2:8)"]
    );
}

#[test]
fn shells_and_what_runs_anything_are_no_commands() {
    for path in ["/bin/sh", "/usr/bin/bash", "/usr/bin/env", "/usr/bin/sudo", "/nope/busybox"] {
        assert_eq!(
            error(&format!("[commands.c]\npath = \"{path}\"\n")),
            "error[config.bad_command]: `path` in command `c` runs whatever its arguments say\n  \
             at tidegate.toml:2:8\n\
             hint: name the executable that is to be run, without a shell",
            "{path}"
        );
    }
    // A link with a harmless name does not hide a shell.
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("harmless");
    std::os::unix::fs::symlink("/bin/sh", &link).unwrap();
    assert!(error(&format!("[commands.c]\npath = {link:?}\n")).contains("config.bad_command"));
    assert!(load_text("[commands.c]\npath = \"/usr/bin/id\"\n").is_ok());
}

#[test]
fn no_command_can_write_the_configuration_or_the_state() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let (below, state) = (folder.join("below"), folder.join("state"));
    std::fs::create_dir(&below).unwrap();
    std::fs::create_dir(&state).unwrap();
    let file = folder.join("tidegate.toml");
    let load = |granted: &Path, home: &Path| {
        let text = format!("[commands.c]\npath = \"/usr/bin/id\"\nwrite = [{granted:?}]\n");
        std::fs::write(&file, &text).unwrap();
        let env = Environment::from_pairs([("TIDEGATE_HOME", home.to_str().unwrap())]);
        super::load_file(&file, &env).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(load(&below, &state), Ok(()));
    for (granted, home, what) in [
        (&folder, Path::new("/nowhere"), "this configuration"),
        (&file, Path::new("/nowhere"), "this configuration"),
        (&state, &*state, "the state folder"),
        (&below, &below.join("new"), "the state folder"),
    ] {
        assert_eq!(
            load(granted, home).unwrap_err(),
            format!(
                "error[config.bad_command]: command `c` could write {what}\n\
                   \x20 at {}:1:11\n\
                 hint: grant a subfolder, or move it elsewhere",
                file.display()
            )
        );
    }
}

#[test]
fn no_command_can_write_rules_or_patterns() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    for name in ["project", "rules", "user/tidegate", "out", "behind"] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
    }
    std::os::unix::fs::symlink(folder.join("behind"), folder.join("out/link")).unwrap();
    let file = folder.join("project/tidegate.toml");
    let load = |granted: &str, more: &str| {
        let granted = folder.join(granted);
        let text = format!("{more}[commands.c]\npath = \"/usr/bin/id\"\nwrite = [{granted:?}]\n");
        std::fs::write(&file, &text).unwrap();
        let user = folder.join("user");
        let env = Environment::from_pairs([
            ("TIDEGATE_HOME", "/nowhere"),
            ("XDG_CONFIG_HOME", user.to_str().unwrap()),
        ]);
        super::load_file(&file, &env).map(drop).map_err(|error| error.to_string())
    };
    let (policy, patterns) = (
        "the rules for calls (`policy`)",
        "the rule files of \
                                                                 `checks.patterns`",
    );
    let named = |path: &str| format!("[policy]\nfile = {:?}\n", folder.join(path));
    let looked_for = |path: &str| format!("[checks]\npatterns = [{:?}]\n", folder.join(path));
    std::fs::write(folder.join("rules/there.toml"), "").unwrap();
    for (granted, more, what) in [
        ("rules", named("rules/p.toml"), policy),
        ("rules", named("rules/not/yet/p.toml"), policy),
        ("rules/there.toml", named("rules/there.toml"), policy),
        // The target of a link, and the link itself.
        ("behind", named("out/link/p.toml"), policy),
        ("out", named("out/link/p.toml"), policy),
        // Where a policy would be found.
        ("user", String::new(), policy),
        ("rules", looked_for("rules/x.toml"), patterns),
    ] {
        let place = format!("{}:{}:11", file.display(), more.lines().count() + 1);
        assert_eq!(
            load(granted, &more).unwrap_err(),
            format!(
                "error[config.bad_command]: command `c` could write {what}\n\
                   \x20 at {place}\n\
                 hint: grant a subfolder, or move it elsewhere"
            ),
            "{granted} {more}"
        );
    }
    assert_eq!(load("out", &named("rules/p.toml")), Ok(()));
    // If a policy is named, no other place is searched.
    assert_eq!(load("user", &named("rules/p.toml")), Ok(()));
}

#[test]
fn commands_that_are_mistakes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let open = folder.path().join("open");
    std::fs::copy("/usr/bin/id", &open).unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o757)).unwrap();
    let id = "[commands.c]\npath = \"/usr/bin/id\"\n";
    for (text, expected) in [
        ("[commands.c]\nargs = []".to_owned(), "command `c` has no `path`"),
        ("[commands.c]\npath = \"id\"".into(), "`path` in command `c` is not absolute"),
        ("[commands.c]\npath = \"/usr\"".into(), "`path` in command `c` is not an executable file"),
        (
            format!("[commands.c]\npath = {open:?}"),
            "`path` in command `c` is writable by everybody",
        ),
        (
            format!("{id}args = [\"a*\"]"),
            "`args[0]` in command `c` has a `*` inside, which means nothing",
        ),
        (
            format!("{id}rest = \"regex:(\""),
            "`rest` in command `c` is not a regular expression, or is too large",
        ),
        (
            format!("{id}args = [\"a\\nb\"]"),
            "`args[0]` in command `c` has a NUL or a line end, which no argument can have",
        ),
        (format!("{id}env = {{ LD_PRELOAD = \"x\" }}"), "`env` in command `c` has an invalid name"),
        (format!("{id}read = [\"data\"]"), "`read[0]` in command `c` is not absolute"),
        (format!("{id}read = [\"/nope\"]"), "`read[0]` in command `c` is not there"),
        (format!("{id}write = [\"/\"]"), "`write[0]` in command `c` would open the whole machine"),
        (
            format!("{id}read = [\"/usr/share/doc\"]\nwrite = [\"/usr/share\"]"),
            "`/usr/share/doc` is granted as read-only, but is inside a path that command `c` can \
             write",
        ),
        (
            format!("{id}write = [\"/usr/bin\"]"),
            "the executable of command `c` is inside a path that command `c` can write",
        ),
        (
            "[commands.\"a b\"]\npath = \"/usr/bin/id\"".into(),
            "command name `a b` must have letters, digits, `_` and `-` only",
        ),
    ] {
        assert_eq!(load_text(&text).unwrap_err().message, expected, "{text}");
    }
}

#[test]
fn lists_of_hosts_narrow_those_of_the_extended_profile() {
    let found = permissions(
        "[profiles.wide]\nextends = \"execute_full\"\nnetwork_allow = [\"*.example.org\"]\n\
         [profiles.narrow]\nextends = \"wide\"\nnetwork_deny = [\"docs.example.org\"]\n",
    );
    let lists = |profile: &str, allow: Option<&str>, deny: &[&str]| HostLists {
        profile: profile.into(),
        allow: allow.map(|rule| vec![rule.parse().unwrap()]),
        deny: deny.iter().map(|rule| rule.parse().unwrap()).collect(),
    };
    let hosts = |name: &str| {
        let mut found = found.profiles.iter().filter(|profile| profile.name == name);
        found.next().unwrap().hosts.clone()
    };
    let wide = lists("wide", Some("*.example.org"), &[]);
    assert_eq!(hosts("wide"), std::slice::from_ref(&wide));
    assert_eq!(hosts("narrow"), [wide, lists("narrow", None, &["docs.example.org"])]);
    assert_eq!(
        error("[profiles.a]\nextends = \"read_only\"\nnetwork_deny = [\"a.example\"]\n"),
        "error[config.bad_value]: profile `a` has no network to narrow\n  at tidegate.toml:3:1\n\
         hint: leave `network_allow` and `network_deny` out"
    );
    let error = error(
        "[profiles.a]\nextends = \"b\"\napproval_required = false\n\
         [profiles.b]\nextends = \"default\"\napproval_required = true\n",
    );
    assert!(error.starts_with("error[config.wider_profile]: `approval_required`"), "{error}");
}
