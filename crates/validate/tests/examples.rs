//! The examples of our own rules, through the front ends that programs go through.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

use tidegate_model::Language;
use tidegate_model::reading::Reading;
use tidegate_validate::Rules;

/// What a front end reads out of a program.
fn reading(language: Language, source: &str) -> Reading {
    match language {
        Language::TypeScript => tidegate_typescript::prepare(source).unwrap().reading,
        Language::Python => Reading::unread(),
    }
}

#[test]
fn the_examples_of_our_rules_hold() {
    let rules = Rules::built_in().unwrap();
    let mut failed = Vec::new();
    for example in Rules::built_in_examples().unwrap() {
        if example.language == Language::Python {
            continue;
        }
        let read = reading(example.language, &example.source);
        let findings = rules.findings(example.language, &read);
        if !example.holds(&findings) {
            let told: Vec<String> =
                findings.iter().map(|one| format!("{} {:?}", one.rule, one.severity)).collect();
            let facts: Vec<String> =
                read.facts.iter().map(|one| format!("{:?} {}", one.kind, one.path)).collect();
            failed.push(format!(
                "{}: {:?} of\n{}\n  findings {told:?}\n  facts {facts:?}\n  {:?}",
                example.id, example.expected, example.source, read.measures
            ));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}
