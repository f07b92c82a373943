//! Programs in Python as models and attackers write them: reading and judging one never
//! panics, never overflows the stack, and names only places that the source has.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tidegate_model::Language;
use tidegate_validate::ValidationRules;

static RULES: LazyLock<ValidationRules> =
    LazyLock::new(|| ValidationRules::built_in().expect("our own rules"));

fuzz_target!(|source: &str| {
    let Some(analysis) = tidegate_python::prepare(source) else { return };
    // In Python each of these ends a line.
    let lines = source.matches(['\n', '\r']).count() as u32 + 1;
    let reading = &analysis.reading;
    let findings = RULES.findings(Language::Python, reading);
    assert!(findings.len() <= 200);
    // A program that was not read completely is never called harmless.
    assert!(reading.complete || findings.iter().any(|one| one.rule == "program.unread"));
    let places = analysis.references.iter().map(|one| (one.line, one.column));
    let places = places.chain(analysis.python.imports.iter().map(|one| (one.line, one.column)));
    let places = places.chain(reading.facts.iter().map(|one| (one.line, one.column)));
    for (line, column) in places.chain(findings.iter().map(|one| (one.line, one.column))) {
        assert!(line >= 1 && line <= lines && column >= 1, "{line}:{column}");
    }
});
