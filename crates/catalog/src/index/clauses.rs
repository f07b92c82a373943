//! Splits a query into clauses: "read the sheet and post to Slack" expresses two needs.
//!
//! In: a query of any length. Out: its clauses, at most `MAX_CLAUSES`. Only the first
//! `LONGEST_QUERY` bytes are used, so that a caller cannot raise the cost of a search.

/// Longer than any request that people or models write. Chosen.
const LONGEST_QUERY: usize = 4_000;
const MAX_CLAUSES: usize = 24;

/// Words that join two needs.
const CONJUNCTIONS: [&str; 6] = ["and", "then", "also", "additionally", "plus", "afterwards"];

/// The part of a query that is used.
pub(crate) fn bounded(query: &str) -> &str {
    let mut end = query.len().min(LONGEST_QUERY);
    while !query.is_char_boundary(end) {
        end -= 1;
    }
    &query[..end]
}

/// Splits at the ends of sentences, at commas, and at words that join two needs.
pub(crate) fn clauses(query: &str) -> Vec<String> {
    let mut clauses = vec![String::new()];
    for word in query.split_whitespace() {
        let ends = word.ends_with(['.', '?', '!', ';', ':', ',', '。', '？', '！', '；', '，']);
        if CONJUNCTIONS.contains(&word.to_lowercase().as_str()) {
            start_clause(&mut clauses);
            continue;
        }
        if let Some(last) = clauses.last_mut() {
            last.push(' ');
            last.push_str(word);
        }
        if ends {
            start_clause(&mut clauses);
        }
    }
    clauses.retain(|clause| !clause.is_empty());
    clauses
}

fn start_clause(clauses: &mut Vec<String>) {
    let open = clauses.last().is_none_or(|last| !last.is_empty());
    if open && clauses.len() < MAX_CLAUSES {
        clauses.push(String::new());
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_QUERY, MAX_CLAUSES, bounded, clauses};

    #[test]
    fn a_query_is_split_where_another_need_begins() {
        let parts = clauses("Read sheet rows, sort them and then post to slack. Also version 1.5");
        assert_eq!(parts, [" Read sheet rows,", " sort them", " post to slack.", " version 1.5"]);
    }

    #[test]
    fn a_long_query_has_an_end() {
        let long = "ä, ".repeat(LONGEST_QUERY);
        assert!(bounded(&long).len() <= LONGEST_QUERY);
        assert_eq!(clauses(bounded(&long)).len(), MAX_CLAUSES);
    }
}
