//! Synonyms in descriptions of tools: `synonyms.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::terms::Terms;

static SYNONYMS: LazyLock<HashMap<Box<str>, Vec<Box<str>>>> =
    LazyLock::new(|| read(include_str!("synonyms.txt")));

/// The synonyms of a term, sorted.
pub(super) fn of(term: &str) -> &'static [Box<str>] {
    SYNONYMS.get(term).map_or(&[], Vec::as_slice)
}

fn read(text: &str) -> HashMap<Box<str>, Vec<Box<str>>> {
    let mut terms = Terms::new();
    let mut groups: HashMap<Box<str>, Vec<Box<str>>> = HashMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut numbers = Vec::new();
        line.split_whitespace().for_each(|word| terms.each_of_name(word, |at| numbers.push(at)));
        let group: Vec<&Box<str>> = numbers.iter().map(|at| &terms.list()[*at as usize]).collect();
        for term in &group {
            let others = group.iter().filter(|other| *other != term);
            let others = others.map(|other| (**other).clone());
            groups.entry((**term).clone()).or_default().extend(others);
        }
    }
    for others in groups.values_mut() {
        others.sort();
        others.dedup();
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn words_of_a_group_find_each_other_by_their_stems() {
        assert!(of("delet").contains(&"remov".into()));
        assert!(of("remov").contains(&"delet".into()));
        assert!(of("repo").contains(&"repositori".into()));
        assert!(of("unheardof").is_empty());
    }

    #[test]
    fn no_word_is_its_own_synonym() {
        for term in ["creat", "get", "search", "email"] {
            assert!(!of(term).is_empty() && !of(term).contains(&term.into()), "{term}");
        }
    }
}
