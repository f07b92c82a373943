//! The typed APIs, checked by the real type checkers: every tool of the real lists in
//! `testing/catalog`, and schemas that no server has written yet.

mod schemas;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tidegate_catalog::{Catalog, Languages, tree, write_tree};
use tidegate_model::{ServerInfo, ToolDef, ToolList};

use crate::support::{Bench, Equipment, text};

/// The number of schemas of each kind.
const SCHEMAS: usize = 250;

fn catalog_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testing/catalog")
}

/// Has TypeScript check every file below a folder, as strictly as it can.
fn tsc(equipment: &Equipment, folder: &Path) -> Output {
    let config = json!({
        "compilerOptions": {
            "strict": true, "noEmit": true, "target": "es2022", "lib": ["es2022"], "types": [],
            "module": "esnext", "moduleResolution": "bundler", "exactOptionalPropertyTypes": true
        },
        "include": ["**/*.ts"]
    });
    fs::write(folder.join("tsconfig.json"), config.to_string()).unwrap();
    let mut command = equipment.command("tsc");
    command.arg("--project").arg(folder).arg("--listFilesOnly").arg("false");
    run(command.current_dir(folder))
}

/// Has ty check, and Python compile, every file below a folder.
fn python(equipment: &Equipment, folder: &Path) -> [Output; 2] {
    let mut ty = equipment.command("ty");
    ty.args(["check", "--python-version", "3.11", "--output-format", "concise", "."]);
    let mut compile = Command::new("python3");
    compile.args(["-m", "compileall", "-q", "."]);
    [run(ty.current_dir(folder)), run(compile.current_dir(folder))]
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap()
}

fn assert_accepted(outputs: &[Output]) {
    for output in outputs {
        let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
        let said: Vec<&str> = said.lines().take(20).collect();
        assert!(output.status.success(), "{}", said.join("\n"));
    }
}

/// Files with this ending.
fn count(folder: &Path, ending: &str) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| match path.is_dir() {
            true => count(&path, ending),
            false => usize::from(path.to_string_lossy().ends_with(ending)),
        })
        .sum()
}

#[test]
fn every_tool_of_the_real_lists_is_accepted_by_the_real_type_checkers() {
    let Some(equipment) = Equipment::get("the real tool lists", &["tsc", "ty"]) else { return };
    let bench = Bench::new();
    let (out, catalog) = (bench.path().join("api"), catalog_folder());
    let arguments = ["generate", "--json", "--out"].map(String::from);
    let rest = [&out, Path::new("--catalog"), &catalog].map(|path| path.display().to_string());
    let arguments: Vec<String> = arguments.into_iter().chain(rest).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let generate = || {
        let output = bench.command(&arguments);
        assert_eq!(text(&output.stderr), "");
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let first = generate();
    let written = first["written"].as_u64().unwrap();
    assert_eq!(
        first,
        json!({"servers": 112, "tools": 3031, "written": written, "unchanged": 0, "removed": 0})
    );
    // One file for each tool, an index for each server and for all of them, and types.
    assert!(count(&out, ".ts") > 3031 + 112, "{}", count(&out, ".ts"));
    assert_eq!(count(&out, ".py"), 113);
    assert_accepted(&[tsc(&equipment, &out)]);
    assert_accepted(&python(&equipment, &out));

    // Generating again changes nothing; a file that somebody changed is restored.
    let manifest = fs::read(out.join("tidegate-manifest.json")).unwrap();
    fs::write(out.join("servers/git/gitLog.ts"), "changed").unwrap();
    assert_eq!(
        generate(),
        json!({"servers": 112, "tools": 3031, "written": 1, "unchanged": written - 1, "removed": 0})
    );
    assert_eq!(fs::read(out.join("tidegate-manifest.json")).unwrap(), manifest);
}

#[test]
fn typed_definitions_cost_less_than_their_schemas() {
    let bench = Bench::new();
    let catalog = catalog_folder().display().to_string();
    let output = bench.command(&["tokens", "--json", "--catalog", &catalog]);
    let counted: Value = serde_json::from_slice(&output.stdout).unwrap();
    let percent = |level: &str| counted["typed"][level]["percent_of_json"].as_f64().unwrap();
    assert_eq!(counted["tools"], 3031);
    assert!(percent("files") <= 66.0, "{counted}");
    assert!(percent("full_without_results") <= 66.0, "{counted}");
    assert!(percent("description") <= 12.0, "{counted}");
}

#[test]
fn a_value_that_fits_a_schema_fits_the_generated_call() {
    let Some(equipment) = Equipment::get("generated schemas", &["tsc", "ty"]) else { return };
    let bench = Bench::new();
    let out = bench.path().join("api");
    let fitting = schemas::fitting(SCHEMAS);
    let nonsense = schemas::nonsense(SCHEMAS);
    let tool = |name: String, input_schema: Value, output_schema: Option<Value>| ToolDef {
        name,
        title: None,
        description: Some("*/ \"\"\" ${x} \\".into()),
        input_schema,
        output_schema,
        annotations: None,
    };
    let mut tools = Vec::new();
    let mut calls_ts = String::from("import * as made from './servers/made'\n");
    let mut calls_py = String::from("from servers import made\n");
    for (at, case) in fitting.iter().enumerate() {
        let schema = &case.schema;
        // An independent validator confirms that the value fits.
        assert!(jsonschema::is_valid(schema, &json!({"x": case.value})), "{schema} {}", case.value);
        tools.push(tool(format!("t{at}"), schema.clone(), Some(schema.clone())));
        calls_ts.push_str(&format!("void made.t{at}({{ x: {} }})\n", case.value));
        calls_py.push_str(&format!("made.t{at}(x={})\n", schemas::as_python(&case.value)));
    }
    for (at, schema) in nonsense.iter().chain(&schemas::awkward()).enumerate() {
        tools.push(tool(format!("n{at}"), schema.clone(), Some(schema.clone())));
    }
    let mut catalog = Catalog::default();
    catalog.set_tools("made", &ToolList { left_out: 0, info: ServerInfo::default(), tools });
    write_tree(&out, &tree(&catalog, Languages::All)).unwrap();
    fs::write(out.join("calls.ts"), calls_ts).unwrap();
    fs::write(out.join("calls.py"), calls_py).unwrap();
    assert_accepted(&[tsc(&equipment, &out)]);
    assert_accepted(&python(&equipment, &out));
}
