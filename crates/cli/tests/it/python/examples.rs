//! The examples that the documentation shows side by side in both languages: they run,
//! and do the same.

use std::path::Path;

use serde_json::{Value, json};

use super::library::{interpreter, run};
use crate::network::{Server, opened};
use crate::programs::bench;
use crate::support::{Bench, WHATEVER_THE_RISK};

/// The first example in each language below a heading.
fn pair(page: &str, heading: &str) -> [String; 2] {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let text = std::fs::read_to_string(path).unwrap();
    let (_, below) = text.split_once(heading).unwrap_or_else(|| panic!("no `{heading}` in {page}"));
    ["```ts\n", "```python\n"].map(|fence| {
        let (_, inside) = below.split_once(fence).unwrap_or_else(|| panic!("no {fence} in {page}"));
        inside.split("```").next().unwrap().to_owned()
    })
}

#[test]
fn the_programs_of_the_first_page_do_the_same_in_both_languages() {
    let test = "the_programs_of_the_first_page_do_the_same_in_both_languages";
    let Some(bench) = bench(test, "") else { return };
    let mut served = bench.serve();
    if interpreter(&mut served, test).is_none() {
        return;
    }
    let [typescript, python] = pair("README.md", "# Tidegate");
    let expected = served.execute(&typescript);
    assert!(expected["output"]["noted"].as_u64().is_some_and(|noted| noted > 1000), "{expected}");
    let answer = run(&mut served, &python);
    assert_eq!(answer["output"], expected["output"], "{answer}");
    assert_eq!(answer["metrics"]["tool_calls"], expected["metrics"]["tool_calls"]);
}

#[test]
fn requests_and_commands_are_written_alike_in_both_languages() {
    let test = "requests_and_commands_are_written_alike_in_both_languages";
    let (server, bench) = (Server::start(), Bench::new());
    let commands = "[commands.sort]\npath = \"/usr/bin/sort\"\nargs = [\"regex:-n|-r|-u\"]\n";
    let settings = format!("profile = \"execute_full\"\n{}{commands}", opened(&server, ""));
    bench.write("tidegate.toml", &(settings + WHATEVER_THE_RISK));
    let mut served = bench.serve();
    if interpreter(&mut served, test).is_none() {
        return;
    }
    let mut both = |[typescript, python]: [String; 2], expected: Value| {
        let answer = served.execute(&typescript);
        assert_eq!(answer["output"], expected, "{answer}");
        let answer = run(&mut served, &python);
        assert_eq!(answer["output"], expected, "{answer}");
    };
    let here = |program: String| {
        let there = "https://api.example.org/items";
        assert!(program.contains(there), "{program}");
        program.replace(there, &format!("{}/json", server.base()))
    };
    both(pair("docs/network.md", "## What a program sees").map(here), json!({"n": 1}));
    let [typescript, python] = pair("docs/permissions.md", "## Host commands");
    let sorted =
        [typescript + "return [exit_code, stdout]", python + "[answer.exit_code, answer.stdout]"];
    both(sorted, json!([0, "1\n2\n3\n"]));
}
