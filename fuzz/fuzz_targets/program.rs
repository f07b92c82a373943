//! Programs as models and attackers write them: preparing one never panics and
//! never takes for ever.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    if let Ok(prepared) = tidegate_worker::prepare(source) {
        assert!(!prepared.code.is_empty());
    }
});
