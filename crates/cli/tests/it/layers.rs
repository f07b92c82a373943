//! The architecture as a test: which crate may depend on which, and who owns what.
//!
//! The rules hold for normal and build dependencies, including those of a single target
//! (`[target.'cfg(unix)'.dependencies]`): all of them end up in the product or make it.
//! Dev-dependencies are free: tests use higher layers on purpose (`validate` is tested
//! with programs that `worker` reads), and none of them ships.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The layer table of ARCHITECTURE.md. A crate may depend on lower layers only, and
/// layers 1 and 2 only on the crates named here. In the top layer, the executable may
/// use the crates beside it.
const LAYERS: [(&str, u8, &[&str]); 24] = [
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
    ("detect", 1, &["model"]),
    ("python", 1, &["model"]),
    ("typescript", 1, &["model"]),
    ("validate", 1, &["model"]),
    ("wire", 1, &["model"]),
    ("sandbox", 2, &["model", "jail", "wire"]),
    ("worker", 2, &["model", "jail", "wire"]),
    ("reader", 2, &["model", "jail", "wire", "typescript", "python"]),
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
            "detect",
            "store",
            "egress",
            "typecheck",
            "validate",
            "wire",
            "sandbox",
        ],
    ),
    ("server", 4, &["model", "config", "gateway"]),
    ("demo", TOP, &["model", "config", "gateway"]),
    (
        "bench",
        TOP,
        &[
            "model",
            "config",
            "catalog",
            "policy",
            "privacy",
            "detect",
            "typecheck",
            "python",
            "typescript",
            "validate",
            "gateway",
            "demo",
        ],
    ),
    (
        "cli",
        TOP,
        &[
            "model",
            "config",
            "upstream",
            "catalog",
            "policy",
            "typecheck",
            "sandbox",
            "reader",
            "worker",
            "gateway",
            "server",
            "bench",
            "demo",
        ],
    ),
];

/// The layer of the executable.
const TOP: u8 = 5;

/// Each dangerous or heavy dependency has one owner.
const OWNERS: [(&str, &[&str]); 12] = [
    ("rusqlite", &["store"]),
    ("rquickjs", &["worker"]),
    ("oxc", &["typescript"]),
    ("ruff_python_parser", &["python"]),
    ("jsonschema", &["policy"]),
    ("sqlparser", &["policy"]),
    ("tiktoken-rs", &["gateway"]),
    ("toml_edit", &["config", "validate"]),
    ("landlock", &["typecheck", "jail"]),
    ("hyper", &["egress"]),
    ("tokio-rustls", &["egress"]),
    ("rmcp", &["upstream", "server", "demo", "bench"]),
];

#[test]
fn no_crate_depends_against_the_layers() {
    let layer: BTreeMap<&str, u8> = LAYERS.iter().map(|(name, layer, _)| (*name, *layer)).collect();
    let workspace = Workspace::load();
    for (name, own_layer, allowed) in LAYERS {
        for dependency in workspace.dependencies(name) {
            let ours = dependency.strip_prefix("tidegate-");
            let Some(dependency) = ours else {
                assert!(!workspace.members.contains_key(&dependency), "{name} uses {dependency}");
                continue;
            };
            let lower =
                layer.get(dependency).is_some_and(|layer| *layer < own_layer || own_layer == TOP);
            assert!(lower, "{name} (layer {own_layer}) uses {dependency}");
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
    // ARCHITECTURE.md must agree.
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for (name, layer, _) in LAYERS {
        let row = page.lines().find(|line| line.starts_with(&format!("| {layer} |")));
        let row = row.unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for layer {layer}"));
        assert!(row.contains(&format!("`{name}`")), "{name} is not in `{row}`");
    }
}

#[test]
fn heavy_and_dangerous_dependencies_have_one_owner() {
    let workspace = Workspace::load();
    for (dependency, owners) in OWNERS {
        for (name, _, _) in LAYERS {
            let uses = workspace.dependencies(name).contains(dependency);
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
                !excepted || ["jail", "reader", "worker", "zygote"].contains(&name),
                "{}",
                file.display()
            );
        }
    }
}

/// Without `[lints] workspace = true`, a crate has none of our lints: `unsafe` would be
/// allowed in it, and `unwrap` would go unnoticed.
#[test]
fn every_crate_inherits_the_lints_of_the_workspace() {
    for (name, member) in Workspace::load().members {
        let manifest = std::fs::read_to_string(&member.manifest).unwrap();
        let manifest: toml_edit::DocumentMut = manifest.parse().unwrap();
        let inherits = manifest.get("lints").and_then(|lints| lints.get("workspace"));
        let inherits = inherits.and_then(toml_edit::Item::as_bool);
        assert_eq!(inherits, Some(true), "{name} does not inherit the workspace lints");
    }
}

#[test]
fn the_pipeline_stays_short_enough_to_read() {
    let file = root().join("crates/gateway/src/pipeline.rs");
    let lines = std::fs::read_to_string(file).unwrap().lines().count();
    assert!(lines <= 150, "pipeline.rs has {lines} lines");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The crates of the workspace as cargo sees them. Cargo resolves what a line of a
/// manifest can hide: another target, another name (`package = "rusqlite"`).
struct Workspace {
    members: BTreeMap<String, Member>,
}

struct Member {
    manifest: PathBuf,
    /// Its dependencies, on any system.
    dependencies: BTreeSet<String>,
}

impl Workspace {
    fn load() -> Self {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
        let output = cargo.current_dir(root()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
        let members = metadata["packages"].as_array().unwrap().iter().map(|package| {
            let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
            let all = package["dependencies"].as_array().unwrap();
            let dependencies = all.iter().filter(|one| one["kind"] != "dev").map(name).collect();
            let manifest = package["manifest_path"].as_str().unwrap().into();
            (name(package), Member { manifest, dependencies })
        });
        Self { members: members.collect() }
    }

    fn dependencies(&self, name: &str) -> BTreeSet<String> {
        self.members[&format!("tidegate-{name}")].dependencies.clone()
    }
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
