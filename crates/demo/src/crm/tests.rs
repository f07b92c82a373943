//! The answers of the CRM.

use serde_json::{Value, json};

use super::super::leads::leads;
use super::super::server::{call, check_tools, to_json};
use super::Crm;

#[test]
fn every_listed_tool_works_and_is_described() {
    let tools = ["list_leads", "get_lead", "update_lead", "create_note", "search_leads"];
    check_tools(&Crm::new(), &tools);
    assert_eq!(call(&Crm::new(), "nope", json!({})), Err("Unknown tool: `nope`".into()));
}

#[test]
fn the_pages_join_to_all_leads() {
    let crm = Crm::new();
    let (mut joined, mut arguments, mut pages) = (Vec::new(), json!({}), 0);
    loop {
        let page = call(&crm, "list_leads", arguments).unwrap();
        joined.extend(page["leads"].as_array().unwrap().clone());
        pages += 1;
        let Some(cursor) = page.get("next_cursor") else { break };
        arguments = json!({"cursor": cursor});
    }
    assert_eq!(pages, 5);
    assert_eq!(Value::Array(joined), to_json(&leads()));
}

#[test]
fn a_status_filters_the_list() {
    let page = call(&Crm::new(), "list_leads", json!({"status": "won", "limit": 3})).unwrap();
    let statuses: Vec<&Value> =
        page["leads"].as_array().unwrap().iter().map(|lead| &lead["status"]).collect();
    assert_eq!(statuses, ["won", "won", "won"]);
}

#[test]
fn an_update_changes_the_named_fields_only() {
    let crm = Crm::new();
    let mut expected = call(&crm, "get_lead", json!({"id": "L-0001"})).unwrap();
    expected["owner"] = json!("Grace Hopper");
    expected["value_cents"] = json!(100);
    let update = json!({"id": "L-0001", "fields": {"owner": "Grace Hopper", "value_cents": 100}});
    assert_eq!(call(&crm, "update_lead", update.clone()).unwrap()["changed"], true);
    assert_eq!(call(&crm, "update_lead", update).unwrap()["changed"], false);
    assert_eq!(call(&crm, "get_lead", json!({"id": "L-0001"})), Ok(expected));
}

#[test]
fn a_long_note_is_kept_whole_and_listed_short() {
    let crm = Crm::new();
    let text = "é".repeat(1_000);
    let before = call(&crm, "get_lead", json!({"id": "L-0417"})).unwrap();
    let count = before["notes"].as_array().unwrap().len();
    let created = call(&crm, "create_note", json!({"lead_id": "L-0417", "text": text}));
    let id = format!("N-417-{}", count + 1);
    assert_eq!(created, Ok(json!({"id": id, "lead_id": "L-0417", "length": 1_000})));
    let whole = call(&crm, "get_lead", json!({"id": "L-0417"})).unwrap();
    assert_eq!(whole["notes"][count], text);
    let listed = call(&crm, "search_leads", json!({"query": "halvorsen freight"})).unwrap();
    assert_eq!(listed["leads"][0]["notes"][count], format!("{}…", "é".repeat(160)));
}

#[test]
fn a_search_that_matches_too_much_says_so() {
    let found = call(&Crm::new(), "search_leads", json!({"query": ".example"})).unwrap();
    assert_eq!(found["leads"].as_array().unwrap().len(), 50);
    assert_eq!(found["truncated"], true);
}

#[test]
fn wrong_arguments_are_refused_with_the_reason() {
    let refused = |tool, arguments| call(&Crm::new(), tool, arguments).unwrap_err();
    assert_eq!(
        refused("list_leads", json!({"status": "hot"})),
        "Invalid arguments for `list_leads`: unknown variant `hot`, \
         expected one of `new`, `contacted`, `qualified`, `lost`, `won`"
    );
    assert_eq!(
        refused("list_leads", json!({"limit": 500})),
        "`limit` must be between 1 and 200, got 500"
    );
    assert_eq!(
        refused("get_lead", json!({"id": "L-9999"})),
        "Lead not found: `L-9999`. Ids look like `L-0042`; use `search_leads` to find one."
    );
    assert_eq!(
        refused("update_lead", json!({"id": "L-0001", "fields": {"compny": "x"}})),
        "Invalid arguments for `update_lead`: unknown field `compny`, expected one of \
         `name`, `email`, `phone`, `status`, `value_cents`, `owner`, `last_contact`"
    );
    assert_eq!(
        refused("update_lead", json!({"id": "L-0001", "fields": {}})),
        "`fields` must name at least one field to change"
    );
    assert_eq!(
        refused("create_note", json!({"lead_id": "L-0001", "text": " "})),
        "`text` must not be empty"
    );
}
