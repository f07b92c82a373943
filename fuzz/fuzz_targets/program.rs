//! Programs as models and attackers write them: preparing, reading and judging one
//! never panics and never hangs.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tidegate_model::Language;
use tidegate_model::reading::Reading;
use tidegate_validate::ValidationRules;

static RULES: LazyLock<ValidationRules> =
    LazyLock::new(|| ValidationRules::built_in().expect("our own rules"));

fuzz_target!(|source: &str| {
    if let Ok(prepared) = tidegate_typescript::prepare(source) {
        assert!(prepared.executable.is_some_and(|executable| !executable.code.is_empty()));
        let reading = prepared.reading;
        let text = serde_json::to_string(&reading).expect("a reading is JSON");
        let arrived: Reading = serde_json::from_str(&text).expect("a reading comes back");
        let arrived = arrived.bounded();
        assert_eq!(arrived.facts.len(), reading.facts.len());
        let findings = RULES.findings(Language::TypeScript, &arrived);
        assert!(findings.len() <= 200);
        // A program that was not read completely is never called harmless.
        assert!(reading.complete || findings.iter().any(|one| one.rule == "program.unread"));
    }
});
