//! Configuration files in both languages: reading one never panics, and an error
//! about it can always be shown.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use tidegate_config::{Environment, load_text};

fuzz_target!(|text: &str| {
    let environment = Environment::from_pairs([("HOME", "/home/ann"), ("TOKEN", "s3cret")]);
    for path in ["/p/tidegate.toml", "/p/.mcp.json"] {
        if let Err(error) = load_text(Path::new(path), text, &environment) {
            assert!(!error.to_string().contains("s3cret"));
        }
    }
});
