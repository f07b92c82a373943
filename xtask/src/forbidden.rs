//! Finds words that no file of the project may contain.
//!
//! In: the files that git knows or would add. Out: each place with such a word.
//! Host names of package registries are forbidden, since a lock file with one would bind
//! everybody to the mirror of its author.

use std::fs;

use anyhow::Result;

use crate::project::Project;

/// Each in two pieces, so that this file does not contain them.
const WORDS: [&str; 6] = [
    concat!("registry.", "npmjs.org"),
    concat!("registry.", "yarnpkg.com"),
    concat!("pypi", ".org"),
    concat!("files.", "pythonhosted.org"),
    concat!("static.", "crates.io"),
    concat!("index.", "crates.io"),
];

/// Lines of the form `path:line: word`.
pub(crate) fn find(project: &Project) -> Result<Vec<String>> {
    let mut places = Vec::new();
    for path in project.files()? {
        // Listed but missing: deleted and not yet committed.
        let Ok(bytes) = fs::read(project.root.join(&path)) else { continue };
        for (line, word) in words_in(&String::from_utf8_lossy(&bytes)) {
            places.push(format!("{path}:{line}: `{word}`"));
        }
    }
    Ok(places)
}

fn words_in(text: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        found.extend(
            WORDS.iter().filter(|word| line.contains(**word)).map(|word| (index + 1, *word)),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{WORDS, words_in};

    #[test]
    fn a_forbidden_word_is_found_with_its_line() {
        let text = format!("fine\n\"resolved\": \"https://{}/x\"\n", WORDS[0]);
        assert_eq!(words_in(&text), [(2, WORDS[0])]);
    }

    #[test]
    fn the_index_that_cargo_writes_is_allowed() {
        assert_eq!(words_in("registry+https://github.com/rust-lang/crates.io-index"), []);
    }
}
