//! The answers of the tracker.

use serde_json::{Value, json};

use super::super::issues::issues;
use super::super::server::{call, check_tools, to_json};
use super::Tracker;

#[test]
fn every_listed_tool_works_and_is_described() {
    let tools =
        ["list_issues", "get_issue", "add_comment", "set_labels", "close_issue", "search_issues"];
    check_tools(&Tracker::new(), &tools);
    assert_eq!(call(&Tracker::new(), "nope", json!({})), Err("Unknown tool: `nope`".into()));
}

#[test]
fn the_pages_join_to_all_issues() {
    let tracker = Tracker::new();
    let (mut joined, mut arguments, mut pages) = (Vec::new(), json!({"limit": 500}), 0);
    loop {
        let page = call(&tracker, "list_issues", arguments).unwrap();
        joined.extend(page["issues"].as_array().unwrap().clone());
        pages += 1;
        let Some(cursor) = page.get("next_cursor") else { break };
        arguments = json!({"cursor": cursor, "limit": 500});
    }
    assert_eq!(pages, 20);
    assert_eq!(Value::Array(joined), to_json(&issues()));
}

#[test]
fn all_filters_must_match() {
    let filter = json!({"state": "open", "label": "bug", "assignee": "amelia"});
    let page = call(&Tracker::new(), "list_issues", filter).unwrap();
    let expected: Vec<Value> = issues()
        .iter()
        .map(to_json)
        .filter(|issue| {
            issue["state"] == "open"
                && issue["assignee"] == "amelia"
                && issue["labels"].as_array().unwrap().contains(&json!("bug"))
        })
        .collect();
    assert_eq!(page, json!({"issues": expected}));
}

#[test]
fn an_issue_closed_while_paging_hides_no_other() {
    let tracker = Tracker::new();
    let first = call(&tracker, "list_issues", json!({"state": "open", "limit": 2})).unwrap();
    let second = json!({"state": "open", "limit": 1, "cursor": first["next_cursor"]});
    let before = call(&tracker, "list_issues", second.clone()).unwrap();
    let closed = call(&tracker, "close_issue", json!({"id": first["issues"][0]["id"]})).unwrap();
    assert_eq!(closed["changed"], true);
    let after = call(&tracker, "list_issues", second).unwrap();
    assert_eq!(before["issues"], after["issues"]);
}

#[test]
fn changes_are_seen_by_the_next_call() {
    let tracker = Tracker::new();
    let before = call(&tracker, "get_issue", json!({"id": 9_999})).unwrap();
    let count = before["comments"].as_array().unwrap().len();
    assert_eq!(before["comment_count"], count);
    let added = call(&tracker, "add_comment", json!({"id": 9_999, "text": "Done?"}));
    assert_eq!(added, Ok(json!({"id": 9_999, "comment_count": count + 1})));
    let labelled = call(&tracker, "set_labels", json!({"id": 9_999, "labels": ["a", "b", "a"]}));
    assert_eq!(labelled, Ok(json!({"id": 9_999, "labels": ["a", "b"]})));
    let after = call(&tracker, "get_issue", json!({"id": 9_999})).unwrap();
    assert_eq!(
        (&after["comments"][count], &after["labels"]),
        (&json!("Done?"), &json!(["a", "b"]))
    );
}

#[test]
fn closing_twice_changes_nothing_more() {
    let tracker = Tracker::new();
    let open = call(&tracker, "list_issues", json!({"state": "open", "limit": 1})).unwrap();
    let id = json!({"id": open["issues"][0]["id"]});
    let first = call(&tracker, "close_issue", id.clone()).unwrap();
    assert_eq!(first["closed_at"], "2026-04-01T00:00:00Z");
    assert_eq!(call(&tracker, "close_issue", id).unwrap()["changed"], false);
}

#[test]
fn a_search_finds_all_words_newest_first() {
    let query = json!({"query": "Calendar  CRASHES filter"});
    let found = call(&Tracker::new(), "search_issues", query).unwrap();
    let ids: Vec<u64> =
        found["issues"].as_array().unwrap().iter().map(|i| i["id"].as_u64().unwrap()).collect();
    assert!(!ids.is_empty());
    assert!(ids.is_sorted_by(|a, b| a > b));
}

#[test]
fn wrong_arguments_are_refused_with_the_reason() {
    let refused = |tool, arguments| call(&Tracker::new(), tool, arguments).unwrap_err();
    assert_eq!(
        refused("get_issue", json!({"id": 10_001})),
        "Issue not found: 10001. Ids go from 1 to 10000."
    );
    assert_eq!(
        refused("get_issue", json!({"id": 0})),
        "Issue not found: 0. Ids go from 1 to 10000."
    );
    assert_eq!(
        refused("get_issue", json!({"id": "TRK-1"})),
        "Invalid arguments for `get_issue`: invalid type: string \"TRK-1\", expected integer"
    );
    assert_eq!(
        refused("list_issues", json!({"state": "done"})),
        "Invalid arguments for `list_issues`: unknown variant `done`, expected `open` or `closed`"
    );
    assert_eq!(
        refused("set_labels", json!({"id": 1, "labels": [""]})),
        "a label must not be empty"
    );
}
