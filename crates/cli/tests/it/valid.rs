//! Arguments made from the real schemas: what fits is permitted, a misspelt key
//! is refused with both names. Every tool of `testing/catalog`.

mod make;

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};
use tidegate_catalog::read_catalog;
use tidegate_model::{ToolCall, ToolDef, ToolRef};
use tidegate_policy::{ArgumentProblem, Denial, Policy};

use make::{Keys, Maker};

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
    match policy.decide(&permissions, call.clone(), tool) {
        Ok(permit) => {
            assert_eq!(permit.into_call(), call);
            Ok(())
        }
        Err(Denial::Arguments(problem)) => Err(problem),
        Err(other) => panic!("{other:?}"),
    }
}

/// A typical slip: two letters in the wrong order, or one too many.
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
    // 2,938 and 2,382 when this was written.
    assert!(covered * 100 >= tools.len() * 95, "{covered} of {}", tools.len());
    assert!(with_required >= 2300, "{with_required} with required keys");
}
