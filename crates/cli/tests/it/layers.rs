//! The architecture as a test: who may depend on whom, and who owns what.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The layer table of ARCHITECTURE.md. A crate may depend on lower layers only,
/// and layers 1 and 2 only on what is named here.
const LAYERS: [(&str, u8, &[&str]); 19] = [
    ("model", 0, &[]),
    ("config", 1, &["model"]),
    ("upstream", 1, &["model"]),
    ("catalog", 1, &["model"]),
    ("policy", 1, &["model"]),
    ("jail", 1, &["model"]),
    ("store", 1, &["model"]),
    ("egress", 1, &["model"]),
    ("typecheck", 1, &["model"]),
    ("privacy", 1, &["model"]),
    ("python", 1, &["model"]),
    ("validate", 1, &["model"]),
    ("wire", 1, &["model"]),
    ("sandbox", 2, &["model", "jail", "wire"]),
    ("worker", 2, &["model", "jail", "wire"]),
    ("zygote", 2, &["jail", "wire"]),
    (
        "gateway",
        3,
        &[
            "model",
            "config",
            "upstream",
            "catalog",
            "policy",
            "privacy",
            "store",
            "egress",
            "typecheck",
            "python",
            "validate",
            "wire",
            "sandbox",
        ],
    ),
    ("server", 4, &["model", "config", "gateway"]),
    (
        "cli",
        5,
        &[
            "model",
            "config",
            "upstream",
            "catalog",
            "policy",
            "privacy",
            "store",
            "egress",
            "typecheck",
            "python",
            "validate",
            "wire",
            "sandbox",
            "worker",
            "gateway",
            "server",
        ],
    ),
];

/// Dangerous or heavy things have one owner.
const OWNERS: [(&str, &[&str]); 11] = [
    ("rusqlite", &["store"]),
    ("rquickjs", &["worker"]),
    ("oxc", &["worker"]),
    ("ruff_python_parser", &["python"]),
    ("jsonschema", &["policy"]),
    ("tiktoken-rs", &["gateway"]),
    ("toml_edit", &["config", "validate"]),
    ("landlock", &["typecheck", "jail"]),
    ("hyper", &["egress"]),
    ("tokio-rustls", &["egress"]),
    ("rmcp", &["upstream", "server", "cli"]),
];

#[test]
fn no_crate_depends_against_the_layers() {
    let layer: BTreeMap<&str, u8> = LAYERS.iter().map(|(name, layer, _)| (*name, *layer)).collect();
    for (name, own_layer, allowed) in LAYERS {
        for dependency in dependencies(name) {
            let Some(dependency) = dependency.strip_prefix("tidegate-") else { continue };
            assert!(layer[dependency] < own_layer, "{name} (layer {own_layer}) uses {dependency}");
            assert!(allowed.contains(&dependency), "{name} may not use {dependency}");
        }
    }
}

#[test]
fn every_crate_has_its_place_in_the_table() {
    let on_disk: BTreeSet<String> = std::fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let in_table: BTreeSet<String> = LAYERS.iter().map(|(name, _, _)| (*name).to_owned()).collect();
    assert_eq!(on_disk, in_table);
    // The page that people read says the same.
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for (name, layer, _) in LAYERS {
        let row = page.lines().find(|line| line.starts_with(&format!("| {layer} |")));
        let row = row.unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for layer {layer}"));
        assert!(row.contains(&format!("`{name}`")), "{name} is not in `{row}`");
    }
}

#[test]
fn heavy_and_dangerous_dependencies_have_one_owner() {
    for (dependency, owners) in OWNERS {
        for (name, _, _) in LAYERS {
            let uses = dependencies(name).contains(dependency);
            assert!(!uses || owners.contains(&name), "{name} uses {dependency}");
        }
    }
}

#[test]
fn unsafe_code_is_in_what_is_jailed_only() {
    for (name, _, _) in LAYERS {
        for file in rust_files(&root().join("crates").join(name).join("src")) {
            let text = std::fs::read_to_string(&file).unwrap();
            // Every exception to the lint names it.
            let excepted = text.contains("unsafe_code");
            assert!(
                !excepted || ["jail", "worker", "zygote"].contains(&name),
                "{}",
                file.display()
            );
        }
    }
}

#[test]
fn the_pipeline_stays_short_enough_to_read() {
    let file = root().join("crates/gateway/src/pipeline.rs");
    let lines = std::fs::read_to_string(file).unwrap().lines().count();
    assert!(lines < 200, "pipeline.rs has {lines} lines");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Names in `[dependencies]` of a crate's manifest. Test dependencies may be
/// anything.
fn dependencies(name: &str) -> BTreeSet<String> {
    let manifest =
        std::fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
    let mut in_dependencies = false;
    let mut names = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = line == "[dependencies]";
        } else if in_dependencies && let Some(end) = line.find(['.', ' ', '=']) {
            names.insert(line[..end].to_owned());
        }
    }
    names
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
    files
}
