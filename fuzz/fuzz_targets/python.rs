//! Programs in Python as models and attackers write them: reading one never panics,
//! never fills a stack, and names only places that the source has.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    let Some(analysis) = tidegate_python::analyse(source) else { return };
    // In Python each of these ends a line.
    let lines = source.matches(['\n', '\r']).count() as u32 + 1;
    let places = analysis.references.iter().map(|one| (one.line, one.column));
    let places = places.chain(analysis.imports.iter().map(|one| (one.line, one.column)));
    for (line, column) in places.chain(analysis.findings.iter().map(|one| (one.line, one.column))) {
        assert!(line >= 1 && line <= lines && column >= 1, "{line}:{column}");
    }
});
