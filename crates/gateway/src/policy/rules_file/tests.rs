//! Tests which rules are in force after the file changes.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use tidegate_config::{Environment, PolicySource};
use tidegate_model::{Clock, Decision, Effect, RiskLevel, ToolRef};
use tidegate_policy::{Policy, RuleInput};

use super::{PolicyError, RulesFile};

struct Watched {
    folder: tempfile::TempDir,
    policy: Policy,
    file: RulesFile,
}

fn source(folder: &tempfile::TempDir) -> PolicySource {
    let configuration = folder.path().join("tidegate.toml");
    fs::write(&configuration, "[servers.files]\ncommand = \"x\"").unwrap();
    let home = folder.path().to_str().unwrap();
    let environment = Environment::from_pairs([("HOME", home)]);
    tidegate_config::load_file(&configuration, &environment).unwrap().policy
}

impl Watched {
    fn new(text: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        if let Some(text) = text {
            fs::write(folder.path().join("policy.toml"), text).unwrap();
        }
        let policy = Policy::default();
        let file = RulesFile::open(source(&folder), &policy, Clock::system()).unwrap();
        Self { folder, policy, file }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("policy.toml")
    }

    /// One check, at a time at which no file is old.
    fn look(&self) -> Decision {
        self.look_at(SystemTime::UNIX_EPOCH)
    }

    fn look_at(&self, time: SystemTime) -> Decision {
        let mut watch = self.file.watch.lock().unwrap();
        self.file.look(&mut watch, &self.policy, time);
        self.word()
    }

    /// Two checks: the second finds the file as it was in the first.
    fn looks(&self) -> Decision {
        self.look();
        self.look()
    }

    fn word(&self) -> Decision {
        let tool = ToolRef::new("files", "read");
        let subject = RuleInput {
            tool: Some(&tool),
            arguments: None,
            profiles: &[],
            level: RiskLevel::Low,
            effect: Effect::Unknown,
        };
        self.policy.rules().rule(&subject).word
    }
}

fn unknown(word: &str) -> String {
    format!("[defaults]\nunknown = \"{word}\"\n")
}

#[test]
fn a_changed_file_is_in_force_once_it_is_seen_twice_alike() {
    let watched = Watched::new(Some(&unknown("deny")));
    assert_eq!(watched.word(), Decision::Deny);
    fs::write(watched.path(), unknown("ask")).unwrap();
    assert_eq!(watched.look(), Decision::Deny);
    assert_eq!(watched.look(), Decision::Ask);
    // The same for a new file in its place.
    let other = watched.folder.path().join("new");
    fs::write(&other, unknown("deny")).unwrap();
    fs::rename(&other, watched.path()).unwrap();
    assert_eq!(watched.looks(), Decision::Deny);
}

#[test]
fn a_file_that_was_changed_a_while_ago_is_in_force_at_once() {
    let watched = Watched::new(Some(&unknown("deny")));
    fs::write(watched.path(), unknown("ask")).unwrap();
    let changed = fs::metadata(watched.path()).unwrap().modified().unwrap();
    assert_eq!(watched.look_at(changed), Decision::Deny);
    fs::write(watched.path(), unknown("allow")).unwrap();
    assert_eq!(watched.look_at(SystemTime::now() + Duration::from_secs(60)), Decision::Allow);
}

#[test]
fn a_file_that_came_later_is_in_force() {
    let watched = Watched::new(None);
    assert_eq!(watched.looks(), Decision::Allow);
    fs::write(watched.path(), unknown("deny")).unwrap();
    assert_eq!(watched.looks(), Decision::Deny);
}

#[test]
fn a_bad_an_empty_and_a_deleted_file_leave_the_rules_in_force() {
    let watched = Watched::new(Some(&unknown("deny")));
    for bad in ["[defaults", "[defaults]\nunknown = \"no\"", "", "[[rule]]\nname = \"x\""] {
        fs::write(watched.path(), bad).unwrap();
        assert_eq!(watched.looks(), Decision::Deny, "{bad}");
        assert_eq!(watched.looks(), Decision::Deny, "{bad}");
    }
    fs::remove_file(watched.path()).unwrap();
    assert_eq!(watched.looks(), Decision::Deny);
    fs::create_dir(watched.path()).unwrap();
    assert_eq!(watched.looks(), Decision::Deny);
    fs::remove_dir(watched.path()).unwrap();
    fs::write(watched.path(), unknown("allow")).unwrap();
    assert_eq!(watched.looks(), Decision::Allow);
}

#[test]
fn at_the_start_a_bad_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[[rule]]\nname = \"x\"\ndecision = \"ask\"\n[[rule.example]]\n\
                call = \"files__read\"\ndecision = \"allow\"";
    fs::write(folder.path().join("policy.toml"), text).unwrap();
    let error =
        RulesFile::open(source(&folder), &Policy::default(), Clock::system()).err().unwrap();
    assert!(matches!(error, PolicyError::Rule(_)));
    assert_eq!(
        error.to_string(),
        "error[policy.rule]: rule `x` at policy.toml:4: the example expects `allow`, got `ask` \
         from rule `x` at policy.toml:1\n\
         hint: correct the rule or the example; `tidegate policy test` shows each step"
    );
}
