use std::path::Path;

use tidegate_catalog::{Catalog, read_catalog};

use super::{Detail, SearchRequest, search};
use crate::tokens;

/// The catalog that comes with the project.
fn templates() -> Catalog {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates/mcp-tools");
    let files = read_catalog(&path).unwrap();
    let mut catalog = Catalog::default();
    for (server, list) in &files.servers {
        catalog.set_tools(server, list);
    }
    for (server, category) in &files.categories {
        catalog.set_category(server, category);
    }
    catalog
}

fn request(query: &str) -> SearchRequest {
    SearchRequest { query: query.to_owned(), ..SearchRequest::default() }
}

#[test]
fn an_answer_costs_no_more_than_was_asked_for() {
    let catalog = templates();
    for query in ["create a file", "github", "search the web and post to slack", "zzzz"] {
        for detail in [Detail::Name, Detail::Description, Detail::Full] {
            for budget in [30, 60, 150, 400, 800, 5000] {
                let asked = SearchRequest {
                    detail,
                    limit: Some(50),
                    max_tokens: Some(budget),
                    ..request(query)
                };
                let answer = search(&catalog, &asked);
                let cost = tokens::count(&answer.to_string());
                assert!(cost <= budget, "`{query}` {detail:?} {budget}: {cost}\n{answer}");
            }
        }
    }
}

#[test]
fn what_is_left_over_is_counted_and_where_it_is_is_told() {
    let catalog = templates();
    let all = search(
        &catalog,
        &SearchRequest { limit: Some(50), max_tokens: Some(20_000), ..request("create") },
    );
    let few = search(&catalog, &SearchRequest { limit: Some(2), ..request("create") });
    assert_eq!(few.results.len() + few.more, all.results.len() + all.more);
    assert!(few.more > 0);
    let told: usize = few.more_of.iter().map(|(_, count)| count).sum();
    assert!((1..=few.more).contains(&told));
    let text = few.to_string();
    assert!(text.contains(&format!("+{} more (", few.more)), "{text}");
    assert!(text.contains("narrow with `server`"), "{text}");
}

#[test]
fn a_definition_that_is_too_long_is_told_in_fewer_words() {
    let catalog = templates();
    let asked =
        SearchRequest { detail: Detail::Full, max_tokens: Some(60), ..request("create issue") };
    let answer = search(&catalog, &asked);
    let first = answer.results.first().unwrap();
    assert_eq!(first.tokens, None);
}

#[test]
fn filters_keep_what_fits_them() {
    let catalog = templates();
    let asked = SearchRequest { category: Some("Integrations".into()), ..request("create") };
    let found = search(&catalog, &asked).results;
    assert!(!found.is_empty());
    let servers = ["github", "gitlab", "slack"];
    assert!(found.iter().all(|found| servers.contains(&found.server.as_str())), "{found:?}");
    let asked = SearchRequest { server: Some("slack".into()), ..request("message") };
    let found = search(&catalog, &asked).results;
    assert!(!found.is_empty() && found.iter().all(|found| found.server == "slack"));
    let asked = SearchRequest { category: Some("none such".into()), ..request("create") };
    assert!(search(&catalog, &asked).results.is_empty());
    for wanted in [true, false] {
        let asked = SearchRequest {
            read_only: Some(wanted),
            limit: Some(50),
            max_tokens: Some(20_000),
            ..request("check or format a file")
        };
        let found = search(&catalog, &asked).results;
        assert!(!found.is_empty(), "{wanted}");
        assert!(found.iter().all(|found| found.state.read_only == wanted), "{found:?}");
    }
}

#[test]
fn odd_queries_get_sane_answers() {
    let catalog = templates();
    let long = "create an issue ".repeat(700);
    for query in ["", " ", "🚀🚀", "'; DROP TABLE tools; --", ".*(?:a+)+$[", "\u{0}\u{202e}", &long]
    {
        let answer = search(&catalog, &request(query));
        assert!(tokens::count(&answer.to_string()) <= 800, "{query:.40}");
    }
    assert_eq!(search(&catalog, &request(&long)).results[0].function, "createIssue");
}
