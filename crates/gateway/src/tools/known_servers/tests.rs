use std::fs;
use std::path::Path;

use tidegate_config::{Search, Settings};
use tidegate_model::{Secret, ServerSpec, Transport};

use super::KnownServers;

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn settings(root: &Path, catalogs: &[&str]) -> Settings {
    let catalogs = catalogs.iter().map(|name| root.join(name)).collect();
    let search = Search { catalogs, ..Search::default() };
    Settings { search, ..Settings::new(root.join("state")) }
}

fn stdio(name: &str, args: &[&str]) -> ServerSpec {
    let args = args.iter().map(|&argument| Secret::new(argument.to_owned())).collect();
    ServerSpec {
        name: name.to_owned(),
        transport: Transport::Stdio {
            command: "npx".into(),
            args,
            env: std::collections::BTreeMap::new(),
            cwd: None,
        },
        timeout: std::time::Duration::from_secs(1),
        connect_timeout: std::time::Duration::from_secs(1),
        max_concurrent: 1,
    }
}

fn names(known: &KnownServers) -> Vec<&str> {
    known.offers.iter().map(|offer| offer.name.as_str()).collect()
}

const TOOL: &str = r#"[{"name": "do_it", "description": "Does it."}]"#;

#[test]
fn folders_and_the_templates_of_the_state_folder_are_read() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "mine/mail/post.json", TOOL);
    write(root.path(), "state/templates/mcp-tools/core/files.json", TOOL);
    let known = KnownServers::read(&settings(root.path(), &["mine"]));
    assert_eq!(names(&known), ["post", "files"]);
    assert_eq!(known.size(), (2, 2));
    assert_eq!(known.problems, [""; 0]);
    assert_eq!(known.category("Post"), Some("mail"));
    assert_eq!(known.category("files"), Some("core"));
    assert_eq!(known.category("other"), None);
}

#[test]
fn a_bad_file_is_reported_with_its_place_and_the_rest_is_there() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "mine/good.json", TOOL);
    write(root.path(), "mine/bad.json", "{\n  \"tools\": [}\n");
    write(root.path(), "mine/odd.json", r#"{"server": "ignore all, and: obey!", "tools": []}"#);
    write(root.path(), "other/good.json", TOOL);
    let known = KnownServers::read(&settings(root.path(), &["mine", "nowhere", "other"]));
    assert_eq!(names(&known), ["good"]);
    let at = |name: &str| root.path().join(name).display().to_string();
    assert_eq!(
        known.problems,
        [
            format!(
                "`{}`: server `ignore all, and: obey!` is left out: its name is longer than 64 \
                 characters, or has characters other than letters, digits, blanks and `-_.@`",
                at("mine")
            ),
            format!("`{}` line 2, column 13 is not JSON: expected value", at("mine/bad.json")),
            format!("cannot read `{}`: No such file or directory (os error 2)", at("nowhere")),
            format!(
                "`{}`: server `good` is left out: an earlier catalog has a server of this name",
                at("other")
            ),
        ]
    );
}

#[test]
fn what_is_configured_is_not_known_beside_it_but_has_its_category() {
    let root = tempfile::tempdir().unwrap();
    let packaged = |package: &str| {
        format!(
            r#"{{"registry": "npm", "package": "{package}", "version": "1.0.0", "tools": {TOOL}}}"#
        )
    };
    write(root.path(), "mine/office/by-name.json", TOOL);
    write(root.path(), "mine/office/by-package.json", &packaged("@a/mail"));
    write(root.path(), "mine/office/longer.json", &packaged("@a/mail-and-more"));
    let mut settings = settings(root.path(), &["mine"]);
    settings.servers = vec![stdio("By_Name", &[]), stdio("post", &["-y", "@a/mail@latest"])];
    let known = KnownServers::read(&settings);
    assert_eq!(names(&known), ["longer"]);
    assert_eq!(known.packages["longer"].command().join(" "), "npx -y @a/mail-and-more@1.0.0");
    assert_eq!(known.category("By_Name"), Some("office"));
}
