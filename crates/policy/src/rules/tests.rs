//! Tests which rule wins, and the decision while the arguments are not known.

use serde_json::{Value, json};
use tidegate_model::{
    ArgumentRule, Decision, Effect, PolicyDefaults, PolicyExample, PolicyRule, RiskLevel, ToolRef,
};

use super::{RuleInput, Rules, Ruling, RulingReason};

use Decision::{Allow, Ask, Deny};

/// A rule from `key=value` words: `server`, `tool`, `profile`, `risk`, `sql`; any other
/// key names an argument.
fn rule(word: Decision, text: &str) -> PolicyRule {
    let mut rule = PolicyRule::new(format!("{word} {text}"), word);
    for (key, value) in text.split_whitespace().map(|part| part.split_once('=').unwrap()) {
        let values: Vec<String> = value.split('|').map(str::to_owned).collect();
        match key {
            "server" => rule.servers = values,
            "tool" => rule.tools = values,
            "profile" => rule.profiles = values,
            "sql" => rule.sql = values,
            "risk" => rule.risk = RiskLevel::ALL.into_iter().find(|level| level.as_str() == value),
            _ => rule.arguments.push(ArgumentRule { key: key.into(), values }),
        }
    }
    rule
}

fn rules(rules: &[(Decision, &str)]) -> Rules {
    let rules: Vec<PolicyRule> = rules.iter().map(|(word, text)| rule(*word, text)).collect();
    Rules::new(&rules, PolicyDefaults::default()).unwrap()
}

fn decide(rules: &Rules, arguments: Option<&Value>, level: RiskLevel) -> Ruling {
    rules.rule(&RuleInput {
        tool: Some(&ToolRef::new("files", "write_file")),
        arguments: arguments.map(|arguments| arguments.as_object().unwrap()),
        profiles: &["default", "narrow"],
        level,
        effect: Effect::Unknown,
    })
}

fn winner(given: &[(Decision, &str)], arguments: &Value) -> String {
    let ruling = decide(&rules(given), Some(arguments), RiskLevel::Medium);
    match ruling.why {
        RulingReason::Rule { name, .. } => name.to_string(),
        RulingReason::Effect(effect) => format!("{} {effect}", ruling.word),
        RulingReason::Risk(level) => format!("{} {level}", ruling.word),
        other => other.to_string(),
    }
}

#[test]
fn the_most_specific_rule_wins_in_either_order() {
    let arguments = json!({"path": "/etc/passwd", "mode": "w"});
    // Each beats the next.
    let ladder = [
        "path=/etc/passwd mode=w",
        "path=/etc/passwd mode=*",
        "path=/etc/* mode=*",
        "path=/etc/passwd tool=write_file server=files",
        "path=/etc/passwd server=files",
        "path=/etc/passwd",
        "path=/etc/*",
        "path=/e*",
        "path=regex:^/etc/.*",
        "path=* tool=write_file",
        "path=*",
        "tool=write_file server=files profile=narrow risk=medium",
        "tool=write_file server=files profile=narrow",
        "tool=write_file server=files profile=n*",
        "tool=write_file server=files",
        "tool=write_file server=f*",
        "tool=write_file",
        "tool=write_* server=files",
        "tool=write_*",
        "tool=w*",
        "server=files profile=narrow",
        "server=files",
        "server=f*",
        "profile=narrow",
        "profile=*row",
        "risk=medium",
        "tool=*",
    ];
    for pair in ladder.windows(2) {
        let [narrow, wide] = pair else { continue };
        for (one, other) in [(Allow, Deny), (Deny, Allow), (Ask, Deny)] {
            let expected = format!("{one} {narrow}");
            assert_eq!(winner(&[(one, narrow), (other, wide)], &arguments), expected);
            assert_eq!(winner(&[(other, wide), (one, narrow)], &arguments), expected);
        }
    }
}

#[test]
fn among_equally_specific_rules_the_strictest_wins_in_any_order() {
    let path = json!({"path": "abc"});
    for text in ["tool=write_file", "server=files", "path=a*", "profile=default", "tool=*"] {
        let words = [Allow, Ask, Deny];
        for first in words {
            for second in words {
                let expected = format!("{} {text}", first.max(second));
                assert_eq!(winner(&[(first, text), (second, text)], &path), expected);
            }
        }
    }
    // Both have three literal characters.
    assert_eq!(winner(&[(Allow, "tool=wri*"), (Deny, "tool=*ile")], &path), "deny tool=*ile");
}

#[test]
fn without_a_rule_the_defaults_decide_by_what_the_tool_does() {
    let tool = ToolRef::new("files", "x");
    let word = |tool: Option<&ToolRef>, effect, level| {
        let subject = RuleInput { tool, arguments: None, profiles: &[], level, effect };
        Rules::default().rule(&subject).word
    };
    let calls = Effect::ALL.map(|effect| word(Some(&tool), effect, RiskLevel::Critical));
    assert_eq!(calls, [Allow, Allow, Ask, Allow]);
    let programs = RiskLevel::ALL.map(|level| word(None, Effect::Destructive, level));
    assert_eq!(programs, [Allow, Allow, Allow, Ask]);
}

#[test]
fn without_arguments_the_strictest_possible_outcome_is_reported() {
    let ahead = |given: &[(Decision, &str)]| {
        let ruling = decide(&rules(given), None, RiskLevel::Low);
        (ruling.word, ruling.depends_on_arguments)
    };
    assert_eq!(ahead(&[(Allow, "tool=write_file")]), (Allow, false));
    assert_eq!(ahead(&[(Allow, "tool=write_file"), (Ask, "path=/etc/*")]), (Ask, true));
    assert_eq!(ahead(&[(Ask, "path=/etc/*"), (Deny, "path=/etc/shadow")]), (Deny, true));
    assert_eq!(ahead(&[(Allow, "path=/home/*"), (Deny, "tool=write_file")]), (Deny, true));
    assert_eq!(ahead(&[(Deny, "sql=drop")]), (Deny, true));
    // Rules that cannot match do not count.
    assert_eq!(ahead(&[(Deny, "server=git path=/etc/*")]), (Allow, false));
    assert_eq!(ahead(&[(Deny, "risk=high path=/etc/*")]), (Allow, false));
    // An empty object is known: it has no such argument.
    let none = decide(&rules(&[(Deny, "path=*")]), Some(&json!({})), RiskLevel::Low);
    assert_eq!((none.word, none.depends_on_arguments), (Allow, false));
}

#[test]
fn denials_match_arguments_at_any_depth_in_any_case_and_by_one_value() {
    let denied = |text: &str, arguments: Value| {
        let ruling = decide(&rules(&[(Deny, text)]), Some(&arguments), RiskLevel::Low);
        ruling.word == Deny
    };
    for (text, arguments) in [
        ("path=/etc/*", json!({"path": "/etc/passwd"})),
        ("path=/etc/*", json!({"PATH": "/ETC/passwd"})),
        ("path=/etc/*", json!({"path": ["/tmp/a", "/etc/passwd"]})),
        ("path=/etc/*", json!({"files": [{"path": "/tmp/a"}, {"path": "/etc/passwd"}]})),
        ("path=/etc/*", json!({"path": {"value": "/etc/passwd"}})),
        ("filter.owner=root", json!({"filter": {"owner": "root"}})),
        ("filter.owner=root", json!({"query": {"filter": [{"owner": ["ann", "root"]}]}})),
        ("filter.owner=root", json!({"filter.owner": "root"})),
        ("*=/etc/*", json!({"a": {"b": [[["/etc/passwd"]]]}})),
        ("*=/etc/*", json!({"files": {"/etc/passwd": "text"}})),
        ("force=true", json!({"force": true})),
        ("count=1000", json!({"count": 1000})),
        ("owner=null", json!({"owner": null})),
        ("a=1|2", json!({"a": 2})),
        ("sql=drop", json!({"q": {"text": "select 1; DROP table t"}})),
    ] {
        assert!(denied(text, arguments.clone()), "{text} {arguments}");
    }
    for (text, arguments) in [
        ("path=/etc/*", json!({"other": "/etc/passwd"})),
        ("path=/etc/*", json!({"paths": "/etc/passwd"})),
        ("path=/etc/*", json!({"path": "/tmp/etc/x"})),
        ("filter.owner=root", json!({"filter": {"x": {"owner": "root"}}})),
        ("filter.owner=root", json!({"owner": "root"})),
        ("a=1 b=2", json!({"a": 1, "b": 3})),
        ("sql=drop", json!({"drop": "select 1"})),
    ] {
        assert!(!denied(text, arguments.clone()), "{text} {arguments}");
    }
}

#[test]
fn allowances_need_every_value_to_match_where_the_rule_says() {
    let allowed = |arguments: Value| {
        let given = rules(&[(Deny, "tool=write_file"), (Allow, "path=/home/ann/*")]);
        decide(&given, Some(&arguments), RiskLevel::Low).word == Allow
    };
    assert!(allowed(json!({"path": "/home/ann/a"})));
    assert!(allowed(json!({"path": ["/home/ann/a", "/home/ann/b"], "mode": "w"})));
    for arguments in [
        json!({"path": ["/home/ann/a", "/etc/shadow"]}),
        json!({"path": "/HOME/ann/a"}),
        json!({"path": "/home/\u{200b}ann/a"}),
        json!({"Path": "/home/ann/a"}),
        json!({"path": "/home/ann/a", "PATH": "/etc/shadow"}),
        json!({"path": "/home/ann/a", "options": {"path": "/etc/shadow"}}),
        json!({"options": {"path": "/home/ann/a"}}),
        json!({"path": []}),
        json!({"path": null}),
        json!({}),
        // Keys that look like the path are not the path.
        json!({"path.": "/home/ann/a"}),
        json!({"path.x": "/home/ann/a"}),
        json!({".path": "/home/ann/a"}),
        json!({"path[0]": "/home/ann/a"}),
        json!({"path ": "/home/ann/a"}),
        json!({"path\u{200b}": "/home/ann/a"}),
        json!({"path": {"x": "/home/ann/a"}}),
        json!({"path": {"": "/home/ann/a"}}),
        json!({"path": [{"path": "/home/ann/a"}]}),
        json!({"path": ["/home/ann/a", {"x": "/home/ann/b"}]}),
        json!({"path": "/home/ann/a", "x.path": "/etc/shadow"}),
        json!({"": {"path": "/home/ann/a"}}),
    ] {
        assert!(!allowed(arguments.clone()), "{arguments}");
    }
}

#[test]
fn a_nested_path_of_an_allowance_is_the_real_structure() {
    let allowed = |arguments: Value| {
        let given = rules(&[(Deny, "tool=write_file"), (Allow, "filter.owner=ann")]);
        decide(&given, Some(&arguments), RiskLevel::Low).word == Allow
    };
    assert!(allowed(json!({"filter": {"owner": "ann"}})));
    assert!(allowed(json!({"filter": [{"owner": ["ann"]}, {"owner": "ann"}]})));
    for arguments in [
        json!({"filter.owner": "ann"}),
        json!({"filter": {"owner.": "ann"}}),
        json!({"filter.owner.x": "ann"}),
        json!({"filter": {"owner": {"x": "ann"}}}),
        json!({"x": {"filter": {"owner": "ann"}}}),
        json!({"filter": {"owner": "ann"}, "filter.owner": "bob"}),
    ] {
        assert!(!allowed(arguments.clone()), "{arguments}");
    }
}

#[test]
fn risk_is_a_minimum_for_denials_and_a_maximum_for_allowances() {
    let words = |given: &[(Decision, &str)]| {
        let rules = rules(given);
        RiskLevel::ALL.map(|level| decide(&rules, None, level).word)
    };
    assert_eq!(words(&[(Deny, "risk=high")]), [Allow, Allow, Deny, Deny]);
    assert_eq!(words(&[(Ask, "tool=*"), (Allow, "risk=medium")]), [Allow, Allow, Ask, Ask]);
    // The higher bound of two is the more specific.
    assert_eq!(words(&[(Deny, "risk=critical"), (Ask, "risk=medium")]), [Allow, Ask, Ask, Deny]);
    assert_eq!(words(&[(Ask, "risk=critical"), (Deny, "risk=low")]), [Deny, Deny, Deny, Ask]);
}

#[test]
fn a_program_is_ruled_on_by_its_risk_and_profile_only() {
    let word = |given: &[(Decision, &str)], level| {
        let arguments = None;
        let profiles = &["default"];
        let effect = Effect::Destructive;
        rules(given).rule(&RuleInput { tool: None, arguments, profiles, level, effect }).word
    };
    for calls in ["tool=*", "server=files", "path=x", "sql=drop", "tool=x risk=low"] {
        assert_eq!(word(&[(Deny, calls)], RiskLevel::High), Allow, "{calls}");
    }
    assert_eq!(word(&[(Deny, "profile=default")], RiskLevel::High), Allow);
    assert_eq!(word(&[(Deny, "risk=high")], RiskLevel::High), Deny);
    assert_eq!(word(&[(Deny, "risk=high profile=default")], RiskLevel::High), Deny);
    assert_eq!(word(&[(Deny, "risk=high profile=other")], RiskLevel::High), Allow);
    assert_eq!(word(&[(Allow, "risk=critical")], RiskLevel::Critical), Allow);
}

#[test]
fn a_failing_example_is_reported_with_the_actual_outcome() {
    let example = |expected| PolicyExample {
        call: Some("files__write_file".into()),
        arguments: json!({"path": "/etc/x"}).as_object().cloned(),
        profiles: vec!["default".into()],
        risk: RiskLevel::Low,
        effect: Effect::Destructive,
        expected,
        place: "policy.toml:9".into(),
    };
    let with = |word, expected| {
        let examples = vec![example(expected)];
        let place = "policy.toml:1".into();
        let rules = [PolicyRule { examples, place, ..rule(word, "path=/etc/*") }];
        Rules::new(&rules, PolicyDefaults::default()).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(with(Deny, Deny), Ok(()));
    let expected = "rule `deny path=/etc/*` at policy.toml:9: the example expects `allow`, got `deny` \
                    from rule `deny path=/etc/*` at policy.toml:1";
    assert_eq!(with(Deny, Allow), Err(expected.into()));
}

#[test]
fn a_rule_that_does_not_compile_is_reported() {
    let problem = |word, text| {
        let rules = [PolicyRule { place: "policy.toml:1".into(), ..rule(word, text) }];
        Rules::new(&rules, PolicyDefaults::default()).unwrap_err().to_string()
    };
    assert_eq!(
        problem(Deny, "path=regex:("),
        "rule `deny path=regex:(` at policy.toml:1: `(` is not a supported regular \
         expression"
    );
    assert_eq!(
        problem(Allow, "sql=select"),
        "rule `allow sql=select` at policy.toml:1: `sql` is used in an `allow` rule, but \
         detecting SQL verbs is only a best effort"
    );
}
