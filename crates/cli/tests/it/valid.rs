//! Arguments made from the real schemas: valid ones are permitted, a misspelt key is
//! refused with both names. Covers every tool of `testing/catalog`.

mod make;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tidegate_catalog::{ArgumentStyle, Catalog, PythonUse, ResultTypes, read_catalog};
use tidegate_model::{RiskLevel, ToolCall, ToolDef, ToolList, ToolRef};
use tidegate_policy::{Approved, ArgumentProblem, CallContext, Denial, Policy};
use tidegate_typecheck::{
    Code, Complaint, Confinement, FoundPython, SourceFile, TypeChecker, find_python,
};

use make::{Keys, Maker};

use crate::support::Equipment;

/// All tools with the names of their servers.
fn tools() -> Vec<(String, Arc<ToolDef>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testing/catalog");
    let catalog = read_catalog(&folder).unwrap();
    let tools = catalog.servers.into_iter().flat_map(|(server, list)| {
        list.tools.into_iter().map(move |tool| (server.clone(), Arc::new(tool)))
    });
    tools.collect()
}

fn decide(
    server: &str,
    tool: &Arc<ToolDef>,
    arguments: &Map<String, Value>,
) -> Result<(), ArgumentProblem> {
    let policy = Policy::for_configured_servers([server]);
    let arguments = arguments.clone();
    let call = ToolCall { tool: ToolRef::new(server, &tool.name), arguments };
    let permissions = policy.permissions(None).unwrap();
    let approved = Approved::default();
    let standing = CallContext { level: RiskLevel::Low, run: &approved, session: &approved };
    match policy.decide(&permissions, call.clone(), tool, None, standing) {
        Ok(permit) => {
            assert_eq!(permit.into_call(), call);
            Ok(())
        }
        // Approval is the last thing that a call can lack.
        Err(Denial::NeedsApproval(asked)) => {
            assert_eq!(asked.call, call);
            Ok(())
        }
        Err(Denial::Arguments(problem)) => Err(problem),
        Err(other) => panic!("{other:?}"),
    }
}

/// A typical slip: two letters swapped, or one too many.
fn misspelt(key: &str, taken: &Map<String, Value>) -> String {
    let mut letters: Vec<char> = key.chars().collect();
    if let Some(at) =
        (1..letters.len().saturating_sub(1)).find(|at| letters[*at] != letters[at + 1])
    {
        letters.swap(at, at + 1);
    } else {
        letters.push('x');
    }
    let mut name: String = letters.into_iter().collect();
    while taken.contains_key(&name) {
        name.push('x');
    }
    name
}

#[test]
fn arguments_that_fit_a_real_schema_are_permitted_and_a_misspelt_key_is_told() {
    let tools = tools();
    assert_eq!(tools.len(), 3031);
    let (mut covered, mut with_required, mut failures) = (0, 0, Vec::new());
    for (server, tool) in &tools {
        let schema = &tool.input_schema;
        let Ok(validator) = jsonschema::validator_for(schema) else { continue };
        let fits =
            |arguments: &Map<String, Value>| validator.is_valid(&Value::Object(arguments.clone()));
        let made: Vec<Map<String, Value>> = [Keys::Required, Keys::All]
            .into_iter()
            .filter_map(|keys| Maker::new(schema, keys).arguments())
            .filter(fits)
            .collect();
        covered += usize::from(made.len() == 2);
        let name = format!("{server}__{}", tool.name);
        for arguments in &made {
            if let Err(problem) = decide(server, tool, arguments) {
                failures.push(format!("{name}: {problem:?}"));
            }
        }
        let required = schema["required"].as_array().into_iter().flatten().find_map(Value::as_str);
        let (Some(key), Some(arguments)) = (required, made.first()) else { continue };
        with_required += 1;
        let mut arguments = arguments.clone();
        let slip = misspelt(key, &arguments);
        let value = arguments.shift_remove(key).unwrap();
        arguments.insert(slip.clone(), value);
        let told = match decide(server, tool, &arguments) {
            Ok(()) => "permitted".to_owned(),
            Err(problem) => format!("{} {}", problem.problem, problem.hint.unwrap_or_default()),
        };
        if ![key, &slip].iter().all(|name| told.contains(&format!("`{name}`"))) {
            failures.push(format!("{name}, `{slip}` for `{key}`: {told}"));
        }
    }
    let shown: Vec<&str> = failures.iter().take(20).map(String::as_str).collect();
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), shown.join("\n"));
    // 2,938 and 2,382 at the time of writing.
    assert!(covered * 100 >= tools.len() * 95, "{covered} of {}", tools.len());
    assert!(with_required >= 2300, "{with_required} with required keys");
}

/// A value as Python writes it.
fn python(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Array(items) => format!("[{}]", joined(items.iter().map(python).collect())),
        Value::Object(fields) => {
            let field =
                |(key, value): (&String, &Value)| format!("{}: {}", json!(key), python(value));
            format!("{{{}}}", joined(fields.iter().map(field).collect()))
        }
        other => other.to_string(),
    }
}

fn ty(test: &str) -> Option<(TempDir, TypeChecker)> {
    let ty = Equipment::get(test, &["ty"])?.command("ty").get_program().to_owned();
    let FoundPython::Checker(checker) = find_python(Some(Path::new(&ty)), OsStr::new("")) else {
        panic!("{ty:?} is not ty")
    };
    let scratch = tempfile::tempdir().unwrap();
    let checker = TypeChecker::python(&checker, scratch.path().to_owned(), Confinement::Required);
    Some((scratch, checker))
}

/// A program that calls all tools of a server, named `it`, in one form, and the stubs
/// for it.
fn calls(server: &str, list: &ToolList, passed: ArgumentStyle) -> (String, String) {
    let mut catalog = Catalog::default();
    catalog.set_tools(server, list);
    let (mut program, mut used) = (String::new(), BTreeMap::new());
    let tools = catalog.server(server).unwrap();
    for (tool, (function, _, parameters)) in tools.tools.iter().zip(tools.python_functions()) {
        for keys in [Keys::Required, Keys::All] {
            let arguments = Maker::new(&tool.input_schema, keys).arguments();
            let Some(arguments) = arguments.filter(|all| decide(server, tool, all).is_ok()) else {
                continue;
            };
            let named = |(key, value): (&String, &Value)| {
                let (written, ..) = parameters.iter().find(|(_, own, _)| own == key)?;
                Some(format!("{written}={}", python(value)))
            };
            let written = match passed {
                ArgumentStyle::Named => {
                    arguments.iter().filter_map(named).collect::<Vec<_>>().join(", ")
                }
                ArgumentStyle::Object | ArgumentStyle::Both => python(&json!(arguments)),
            };
            program.push_str(&format!("it.{function}({written})\n"));
        }
        used.insert(tool.name.clone(), PythonUse { passed, spellings: Vec::new() });
    }
    let stubs = catalog.api(server).unwrap().python_declarations(ResultTypes::All, &used);
    (program, stubs)
}

fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.into(), text: text.into() }
}

/// The type check of a program in Python does not refuse valid arguments, in either
/// form.
#[tokio::test]
async fn valid_arguments_fit_the_stubs_that_programs_in_python_are_checked_against() {
    let test = "valid_arguments_fit_the_stubs_that_programs_in_python_are_checked_against";
    let Some((_scratch, checker)) = ty(test) else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testing/catalog");
    let (mut checked, mut wrong) = (0, Vec::new());
    for (server, list) in read_catalog(&folder).unwrap().servers {
        for passed in [ArgumentStyle::Named, ArgumentStyle::Object] {
            let (program, stubs) = calls(&server, &list, passed);
            let package = file("servers/__init__.pyi", "from . import it as it\n");
            let files = [file("servers/it.pyi", &stubs), package];
            let lines: Vec<&str> = program.lines().collect();
            checked += lines.len();
            // Few at a time: only ten errors are reported.
            for part in lines.chunks(40) {
                let program = format!("from servers import it\n{}\n", part.join("\n"));
                for found in checker.check(&files, &program).await.unwrap() {
                    // Most schemas allow more keys than they name.
                    let is_surplus = match &found.code {
                        Code::Python(Complaint::UnknownArgument(_)) => true,
                        Code::Python(Complaint::Mismatch { found }) => found.contains("dict["),
                        _ => false,
                    };
                    if !is_surplus {
                        let line = part[found.line as usize - 2];
                        wrong.push(format!("{server}: {}\n  {line}", found.message));
                    }
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(checked > 10_000, "{checked}");
}
