//! Suggests the names that somebody probably meant.
//!
//! In: an unknown name and the valid ones. Out: up to three valid names, closest first.

/// The longest name that is compared. Real names are below 130 bytes.
const MAX_BYTES: usize = 256;

/// Up to three candidates that are close to `given`, closest first.
///
/// Separators and case are ignored, so `listIssues` is close to `list_issues`. A
/// candidate that contains the given name (or the reverse) is close too.
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    // The cost is the product of both lengths, and programs choose one of them.
    if given.len() > MAX_BYTES {
        return Vec::new();
    }
    let wanted = fold(given);
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| (closeness(&wanted, &fold(candidate)), candidate))
        // 0.75 was chosen, not tuned: it keeps one or two typos in a short name
        // and drops names that only share a beginning.
        .filter(|(score, _)| *score >= 0.75)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.truncate(3);
    scored.into_iter().map(|(_, candidate)| candidate).collect()
}

/// A hint such as "did you mean `a` or `b`?"; none if no name is close.
pub fn did_you_mean<'a>(
    given: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let names: Vec<String> = nearest(given, candidates).iter().map(|n| format!("`{n}`")).collect();
    match names.as_slice() {
        [] => None,
        [one] => Some(format!("did you mean {one}?")),
        [first @ .., last] => Some(format!("did you mean {} or {last}?", first.join(", "))),
    }
}

fn fold(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn closeness(wanted: &str, candidate: &str) -> f64 {
    if wanted.is_empty() || candidate.is_empty() {
        return 0.0;
    }
    if wanted == candidate {
        return 1.0;
    }
    // Three letters: shorter fragments are contained in nearly everything.
    let contained = wanted.len().min(candidate.len()) >= 3
        && (candidate.contains(wanted) || wanted.contains(candidate));
    let similarity = strsim::normalized_damerau_levenshtein(wanted, candidate)
        .max(strsim::jaro_winkler(wanted, candidate) - 0.1);
    if contained { similarity.max(0.8) } else { similarity }
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, nearest};

    #[test]
    fn a_typo_and_another_spelling_find_the_name() {
        let tools = ["list_issues", "create_issue", "get_file"];
        assert_eq!(nearest("listIssue", tools), ["list_issues"]);
        assert_eq!(nearest("list-issues", tools), ["list_issues"]);
    }

    #[test]
    fn nothing_close_gives_no_hint() {
        assert_eq!(did_you_mean("zzz", ["list_issues", "get_file"]), None);
    }

    #[test]
    fn a_very_long_name_is_not_compared() {
        let long = "timeout".repeat(50);
        assert_eq!(did_you_mean(&long, [long.as_str(), "timeout"]), None);
    }

    #[test]
    fn several_close_names_are_listed() {
        let hint = did_you_mean("timeuot", ["timeout", "env", "timeouts"]);
        assert_eq!(hint.as_deref(), Some("did you mean `timeout` or `timeouts`?"));
    }
}
