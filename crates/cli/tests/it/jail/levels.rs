//! Systems that really lack a layer: what is reported, refused and guaranteed.

use serde_json::{Value, json};
use tidegate_jail::Filter;

use super::attacker::{Camp, users};
use super::limits::spec;
use super::walls::{Neighbour, assert_all_refused};

/// The removed feature, the level that is left, and layers that must be missing.
const LACKING: [(&str, &str, &[&str]); 4] = [
    ("landlock", "reduced", &["landlock"]),
    ("namespaces", "reduced", &["user_namespace", "pid_namespace", "private_root"]),
    ("user_namespaces", "reduced", &["user_namespace"]),
    ("seccomp", "any", &["seccomp"]),
];

#[test]
fn g16_what_is_missing_is_reported_and_refused_below_the_wanted_level() {
    for user in users("g16_what_is_missing_is_reported_and_refused_below_the_wanted_level") {
        for (lacking, level, missing) in LACKING {
            let camp = Camp::without(user, lacking);
            let report = camp.jailed(&spec(Filter::OwnCode), &json!({"attack": "nothing"}));
            assert_eq!(report["level"], level, "without {lacking}: {report}");
            for layer in missing {
                assert_eq!(state_of(&report, layer), "unavailable", "{layer} without {lacking}");
            }
            for wanted in ["strict", "reduced", "any"] {
                let mut gateway = camp.gateway("attacker", json!({"min_isolation": wanted}));
                let answer = gateway.attack(&json!({"attack": "nothing"}), None);
                let refused = wanted == "strict" || (wanted == "reduced" && level == "any");
                if !refused {
                    assert_eq!(gateway.code_of(&answer), "succeeded", "{lacking}, {wanted}");
                    continue;
                }
                assert_eq!(answer["error"]["code"], "sandbox.isolation", "{lacking}, {wanted}");
                let message = answer["error"]["message"].as_str().unwrap();
                assert!(missing.iter().all(|layer| message.contains(layer)), "{message}");
            }
        }
    }
}

fn state_of<'a>(report: &'a Value, layer: &str) -> &'a str {
    let lines = report["report"].as_array().unwrap();
    let line = lines.iter().find(|line| line["layer"] == layer);
    line.and_then(|line| line["state"].as_str()).unwrap_or("absent")
}

#[test]
fn g17_a_reduced_jail_refuses_the_same_attempts() {
    for user in users("g17_a_reduced_jail_refuses_the_same_attempts") {
        for lacking in ["landlock", "namespaces", "user_namespaces"] {
            let camp = Camp::without(user, lacking);
            let mut gateway = camp.gateway("attacker", json!({}));
            let answer = gateway.attack(&json!({"attack": "attempts"}), None);
            assert_all_refused(&gateway.output(&answer));
            assert_eq!(gateway.code_of(&answer), "succeeded");
        }
    }
}

/// Engines and commands have more system calls. Even without namespaces, those must not
/// reach the files and processes of the user who runs the gateway.
#[test]
fn g18_without_namespaces_an_engine_reaches_no_file_and_no_process_of_the_user() {
    for user in users("g18_without_namespaces_an_engine_reaches_no_file_and_no_process_of_the_user")
    {
        // Landlock does not hide that a file exists; see the guarantees.
        let reduced = (Camp::without(user, "namespaces"), "reduced", &["look at a file"][..]);
        for (camp, level, hidden_by_none) in [reduced, (Camp::of(user), "strict", &[])] {
            let neighbour = Neighbour::of(&camp);
            for filter in [Filter::Engine, Filter::Command] {
                let answer = camp.jailed(&spec(filter), &neighbour.attack(&camp));
                assert_eq!(answer["level"], level, "{answer}");
                let inside = answer["outcome"].as_object().unwrap();
                let possible: Vec<_> =
                    inside.iter().filter(|(_, said)| *said == "ok").map(|(name, _)| name).collect();
                assert_eq!(possible, hidden_by_none, "{filter:?} {level}");
            }
            neighbour.assert_in_reach_outside(&camp);
        }
    }
}
