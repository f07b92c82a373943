//! The public functions against real files in a temporary folder.
//!
//! The search goes up to the root, so these tests require that there is no configuration
//! in the folders above the temporary one.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests may")]

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use tidegate_config::{
    Approvals, Checks, Environment, Input, Permissions, Privacy, RiskTable, Sandbox, Search,
    Settings, defaults, find_and_load, load_file,
};
use tidegate_model::{Limits, Network};

/// A folder with these files, each containing one server named after the file.
fn folder(files: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("project/deep/er")).unwrap();
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = if file.ends_with(".toml") {
            "[servers.a]\ncommand = 'a'\n"
        } else {
            r#"{"mcpServers": {"a": {"command": "a"}}}"#
        };
        fs::write(path, text).unwrap();
    }
    folder
}

fn env(folder: &TempDir) -> Environment {
    let home = folder.path().join("home");
    Environment::from_pairs([("HOME", home.to_str().unwrap())])
}

/// The file found from `project/deep/er`, relative to the folder.
fn found(folder: &TempDir) -> Option<String> {
    let start = folder.path().join("project/deep/er");
    let settings = find_and_load(&start, &env(folder)).unwrap();
    let source = settings.source?;
    Some(source.strip_prefix(folder.path()).unwrap().to_str().unwrap().to_owned())
}

#[test]
fn the_nearest_own_file_wins() {
    let folder = folder(&["tidegate.toml", "project/deep/tidegate.toml"]);
    assert_eq!(found(&folder).as_deref(), Some("project/deep/tidegate.toml"));
}

#[test]
fn an_own_file_above_wins_over_a_client_file_beside() {
    let folder = folder(&["project/tidegate.toml", "project/deep/er/.mcp.json"]);
    assert_eq!(found(&folder).as_deref(), Some("project/tidegate.toml"));
}

#[test]
fn a_client_file_wins_over_the_user_file() {
    let folder = folder(&["project/.mcp.json", "home/.config/tidegate/tidegate.toml"]);
    assert_eq!(found(&folder).as_deref(), Some("project/.mcp.json"));
}

#[test]
fn the_user_file_is_the_last_resort() {
    let folder = folder(&["home/.config/tidegate/tidegate.toml"]);
    assert_eq!(found(&folder).as_deref(), Some("home/.config/tidegate/tidegate.toml"));
}

#[test]
fn the_user_file_is_found_under_xdg_config_home() {
    let folder = folder(&["xdg/tidegate/tidegate.toml"]);
    let xdg = folder.path().join("xdg");
    let env =
        Environment::from_pairs([("HOME", "/nowhere"), ("XDG_CONFIG_HOME", xdg.to_str().unwrap())]);
    let settings = find_and_load(&folder.path().join("project"), &env).unwrap();
    assert_eq!(settings.source, Some(xdg.join("tidegate/tidegate.toml")));
}

#[test]
fn without_a_file_the_defaults_hold() {
    let folder = folder(&[]);
    let found = find_and_load(folder.path(), &env(&folder)).unwrap();
    let of_user = folder.path().join("home/.config/tidegate/policy.toml");
    assert_eq!(found.policy.path(), Some(of_user.as_path()));
    let expected = Settings {
        policy: found.policy.clone(),
        input: Input::default(),
        approvals: Approvals::default(),
        risk: RiskTable::default(),
        servers: Vec::new(),
        limits: Limits::default(),
        checks: Checks::default(),
        permissions: Permissions::default(),
        sandbox: Sandbox::default(),
        search: Search::default(),
        network: Network::default(),
        privacy: Privacy::default(),
        state_dir: folder.path().join("home/.local/share/tidegate"),
        source: None,
        warnings: Vec::new(),
    };
    assert_eq!(found, expected);
    assert_eq!(defaults(&env(&folder)).unwrap(), expected);
}

#[test]
fn a_found_file_that_cannot_be_read_is_an_error_and_not_skipped() {
    let folder = folder(&[".mcp.json"]);
    let path = folder.path().join("project/tidegate.toml");
    fs::create_dir(&path).unwrap();
    let error = find_and_load(&folder.path().join("project"), &env(&folder)).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "error[config.unreadable_file]: `{}` is a folder\nhint: name a file in it",
            path.display()
        )
    );
}

#[test]
fn a_missing_file_is_an_error_of_its_own() {
    let env = Environment::from_pairs([("HOME", "/nowhere")]);
    let error = load_file(Path::new("/nowhere/tidegate.toml"), &env).unwrap_err();
    assert_eq!(
        error.to_string(),
        "error[config.missing_file]: there is no file `/nowhere/tidegate.toml`\n\
         hint: check the path; without one, `tidegate.toml` and `.mcp.json` are looked for"
    );
}

/// The folders of the crate and the folders that each may import, which excludes cycles.
const MAY_IMPORT: [(&str, &[&str]); 4] = [
    ("settings", &[]),
    ("keys", &["settings"]),
    ("read", &["keys", "settings"]),
    ("resolve", &["read", "settings"]),
];

#[test]
fn folders_import_only_the_folders_below_them() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for (folder, allowed) in MAY_IMPORT {
        for file in fs::read_dir(sources.join(folder)).unwrap().map(|file| file.unwrap().path()) {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            let others = MAY_IMPORT.iter().map(|(other, _)| *other).chain(["load", "policy_file"]);
            let imported = |other: &&str| text.contains(&format!("crate::{other}::"));
            let forbidden = others.filter(|other| *other != folder && !allowed.contains(other));
            let found =
                forbidden.filter(imported).map(|other| format!("{}: {other}", file.display()));
            wrong.extend(found);
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
