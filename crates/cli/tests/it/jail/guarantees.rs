//! The page of guarantees and the tests that prove them have the same numbers, and the
//! page of attacks names tests and programs that exist.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[test]
fn every_guarantee_has_a_test_of_its_number_and_every_number_a_guarantee() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("../../docs/guarantees.md")).unwrap();
    let written: BTreeSet<String> = page.lines().filter_map(number_of_row).collect();
    let tests = tests_below(&[root.join(".."), root.join("../../testing/double")]);
    let proved: BTreeSet<String> = tests.iter().filter_map(|name| number_of_test(name)).collect();
    assert_eq!(written, proved);
    // Each row names its tests, and they exist.
    for line in page.lines().filter(|line| number_of_row(line).is_some()) {
        let named: Vec<&str> =
            line.split('`').filter(|word| number_of_test(word).is_some()).collect();
        assert!(!named.is_empty(), "no test in `{line}`");
        for name in named {
            assert!(tests.contains(name), "no test `{name}`");
        }
    }
    // So does each row about what is kept.
    let kept =
        page.split("## What the gateway keeps").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = kept.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| what"));
    for line in rows {
        let by = line.rsplit('|').nth(1).unwrap();
        let mut named = by.split('`').skip(1).step_by(2).peekable();
        assert!(named.peek().is_some(), "no test in `{line}`");
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

#[test]
fn every_attack_names_tests_and_programs_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("../../docs/attacks.md")).unwrap();
    let tests = tests_below(&[root.join(".."), root.join("../../testing/double")]);
    let is_there = |name: &str| match name.rsplit_once('/') {
        Some((folder, file)) => has_guest(&root.join("tests/guests").join(folder), file),
        None => tests.contains(name),
    };
    let names = |text: &str| -> Vec<String> {
        text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let mut rows = 0;
    for line in page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| attack"))
    {
        let [_, _, what, by, _] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("not three columns: {line}");
        };
        let named = names(by);
        assert_eq!(named.is_empty(), what.trim().starts_with("no such feature yet"), "{line}");
        for name in named {
            assert!(is_there(&name), "there is no `{name}`: {line}");
        }
        rows += 1;
    }
    assert!(rows > 60, "{rows} rows");
    // The tests that run the programs are named above the tables.
    let beginning = page.split("\n## ").next().unwrap();
    for name in names(beginning).iter().filter(|name| !name.contains('/')) {
        assert!(is_there(name), "there is no `{name}`");
    }
}

/// Whether there is a program of this name; `*` stands for any letters.
fn has_guest(folder: &Path, name: &str) -> bool {
    let (start, end) = name.split_once('*').unwrap_or((name, ""));
    let whole = |stem: &str| match name.contains('*') {
        true => stem.starts_with(start) && stem.ends_with(end),
        false => stem == name,
    };
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files
        .filter_map(|file| Some(file.path().file_stem()?.to_str()?.to_owned()))
        .any(|stem| whole(&stem))
}

/// The names of all tests in these folders.
fn tests_below(folders: &[PathBuf]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut folders = folders.to_vec();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if entry.path().extension().is_some_and(|extension| extension == "rs") {
                names.extend(tests_of(&std::fs::read_to_string(entry.path()).unwrap()));
            }
        }
    }
    names
}

/// Functions below a test attribute.
fn tests_of(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_test = false;
    for line in source.lines().map(str::trim_start) {
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if let Some(rest) = line.trim_start_matches("async ").strip_prefix("fn ") {
            if is_test {
                names.extend(rest.split('(').next().map(str::to_owned));
            }
            is_test = false;
        }
    }
    names
}
