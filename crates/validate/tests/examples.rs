//! The examples of the built-in rules, through the real front end.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

use tidegate_model::Language;
use tidegate_model::reading::Reading;
use tidegate_validate::ValidationRules;

/// The reading of a program. Python examples are tested in `tidegate-python`.
fn reading(language: Language, source: &str) -> Reading {
    match language {
        Language::TypeScript => tidegate_typescript::prepare(source).unwrap().reading,
        Language::Python => Reading::unread(),
    }
}

#[test]
fn the_examples_of_the_built_in_rules_hold() {
    let rules = ValidationRules::built_in().unwrap();
    let mut failed = Vec::new();
    for example in ValidationRules::built_in_examples().unwrap() {
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
