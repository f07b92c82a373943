use serde_json::{Value, json};
use tidegate_model::{ServerInfo, ToolDef, ToolList};

use crate::{Catalog, Scoring};

fn tool(name: &str, description: &str, input_schema: Value) -> ToolDef {
    ToolDef {
        name: name.to_owned(),
        title: None,
        description: Some(description.to_owned()),
        input_schema,
        output_schema: None,
        annotations: None,
    }
}

fn list(tools: &[(&str, &str)]) -> ToolList {
    let tools = tools.iter().map(|(name, text)| tool(name, text, json!({}))).collect();
    ToolList { left_out: 0, info: ServerInfo::default(), tools }
}

fn office() -> Catalog {
    office_by(Scoring::WordsAndMeaning)
}

fn office_by(scoring: Scoring) -> Catalog {
    let mut catalog = Catalog::with_scoring(scoring);
    let sheets = [
        ("read_rows", "Reads the rows of a spreadsheet"),
        ("append_row", "Adds a row to a spreadsheet"),
        ("delete_sheet", "Deletes a sheet"),
    ];
    let slack = [
        ("post_message", "Posts a message to a channel"),
        ("list_channels", "Lists all channels of the workspace"),
        ("search", "Searches messages"),
    ];
    let github = [
        ("createIssue", "Opens a new issue in a repository"),
        ("listIssues", "Lists issues of a repository"),
        ("search", "Searches repositories"),
    ];
    catalog.set_tools("sheets", &list(&sheets));
    catalog.set_tools("slack", &list(&slack));
    catalog.set_tools("github", &list(&github));
    catalog.set_tools(
        "bing",
        &list(&[("bing_search", "使用必应搜索指定的关键词，并返回搜索结果列表")]),
    );
    catalog
}

fn best(query: &str, number: usize) -> Vec<String> {
    office().search(query, number).into_iter().map(|hit| hit.id.to_string()).collect()
}

#[test]
fn several_needs_give_tools_for_each() {
    let three = best("read sheet rows and post to slack", 3);
    assert_eq!(three[0], "sheets__read_rows");
    assert!(three.contains(&"slack__post_message".to_owned()), "{three:?}");
}

#[test]
fn synonyms_and_other_forms_of_a_word_are_found() {
    assert_eq!(best("remove a worksheet", 1), ["sheets__delete_sheet"]);
    assert_eq!(best("open a ticket in the repo", 1), ["github__createIssue"]);
    assert_eq!(best("listing of the channel", 1), ["slack__list_channels"]);
}

#[test]
fn who_is_called_by_name_comes_first() {
    assert_eq!(best("github search", 1), ["github__search"]);
    assert_eq!(best("slack__search", 1), ["slack__search"]);
    assert_eq!(best("list_issues", 1), ["github__listIssues"]);
    assert_eq!(best("post a message about what append_row does", 1), ["sheets__append_row"]);
    let all_of_a_server = best("Sheets", 3);
    assert!(all_of_a_server.iter().all(|id| id.starts_with("sheets__")), "{all_of_a_server:?}");
}

#[test]
fn text_in_other_scripts_is_found() {
    assert_eq!(best("搜索关键词", 1), ["bing__bing_search"]);
}

#[test]
fn odd_queries_have_sane_answers() {
    assert_eq!(best("", 5), [""; 0]);
    assert_eq!(best("🙂 '; -- .*", 5), [""; 0]);
    assert_eq!(best(&"channel ".repeat(1_250), 1), ["slack__list_channels"]);
    assert_eq!(best("DROP TABLE sheets; -- delete sheet", 1), ["sheets__delete_sheet"]);
}

#[test]
fn equal_scores_are_ordered_by_identity() {
    // `a` is a stop word: a server of that name must not lose its tools. Words only: by
    // meaning, the names would score differently.
    let mut catalog = Catalog::with_scoring(Scoring::Words);
    for server in ["b", "a", "c"] {
        catalog.set_tools(server, &list(&[("ping", "Says pong"), ("other", "Else")]));
    }
    let ids: Vec<String> =
        catalog.search("ping", 9).into_iter().map(|hit| hit.id.to_string()).collect();
    assert_eq!(ids, ["a__ping", "b__ping", "c__ping"]);
}

#[test]
fn a_change_of_one_server_gives_what_a_new_catalog_would() {
    let mut changed = office();
    // Builds the index, so that the change has to update it.
    assert!(!changed.search("message", 9).is_empty());
    let new = list(&[("send_mail", "Sends a message by mail")]);
    changed.set_tools("slack", &new);
    let mut fresh = Catalog::default();
    for server in ["bing", "github", "sheets"] {
        let tools = changed.server(server).map(|tools| tools.tools.clone()).unwrap_or_default();
        let tools = tools.iter().map(|tool| (**tool).clone()).collect();
        fresh.set_tools(server, &ToolList { left_out: 0, info: ServerInfo::default(), tools });
    }
    fresh.set_tools("slack", &new);
    for query in ["send a message", "list channels", "slack"] {
        assert_eq!(changed.search(query, 9), fresh.search(query, 9), "{query}");
    }
    assert_eq!(changed.search("message", 1)[0].id.to_string(), "slack__send_mail");
}

#[test]
fn a_tool_that_says_it_in_other_words_is_found_by_meaning_only() {
    let first = |scoring, query| {
        let hits = office_by(scoring).search(query, 1);
        hits.into_iter().next().map(|hit| hit.id.to_string())
    };
    let query = "grid of cells";
    assert_eq!(first(Scoring::Words, query), None);
    assert!(first(Scoring::WordsAndMeaning, query).is_some_and(|id| id.starts_with("sheets__")));
    // A query that is close to nothing finds nothing.
    assert_eq!(first(Scoring::WordsAndMeaning, "zebra giraffe"), None);
}
