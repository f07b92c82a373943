//! The page of guarantees and the tests that prove them name the same numbers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[test]
fn every_guarantee_has_a_test_of_its_number_and_every_number_a_guarantee() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("../../docs/guarantees.md")).unwrap();
    let written: BTreeSet<String> = page.lines().filter_map(number_of_row).collect();
    let tests = tests_below(&root.join("tests/it"));
    let proved: BTreeSet<String> = tests.iter().filter_map(|name| number_of_test(name)).collect();
    assert_eq!(written, proved);
    // Each row names its tests, by names that exist.
    for line in page.lines().filter(|line| number_of_row(line).is_some()) {
        let named: Vec<&str> =
            line.split('`').filter(|word| number_of_test(word).is_some()).collect();
        assert!(!named.is_empty(), "no test in `{line}`");
        for name in named {
            assert!(tests.contains(name), "no test `{name}`");
        }
    }
}

/// `G07` of `| G7 | …`, as in the names of tests.
fn number_of_row(line: &str) -> Option<String> {
    let number: u32 = line.strip_prefix("| G")?.split(' ').next()?.parse().ok()?;
    Some(format!("{number:02}"))
}

fn number_of_test(name: &str) -> Option<String> {
    let (number, _) = name.strip_prefix('g')?.split_once('_')?;
    (number.len() == 2 && number.parse::<u32>().is_ok()).then(|| number.to_owned())
}

fn tests_below(folder: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let text = std::fs::read_to_string(entry.path()).unwrap();
            let functions = text.lines().filter_map(|line| line.strip_prefix("fn "));
            names.extend(functions.filter_map(|rest| rest.split('(').next()).map(str::to_owned));
        }
    }
    names
}
