//! Tests that a learned shape is true, small, and reveals no value.

use proptest::collection::{btree_map, vec};
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use serde_json::{Value, json};

use super::{MAX_NODES, Shape};

fn learned(results: &[Value]) -> Value {
    shape(results).to_schema()
}

fn shape(results: &[Value]) -> Shape {
    let mut shape = Shape::default();
    for result in results {
        shape.observe(result, &|_| false);
    }
    shape
}

#[test]
fn a_record_has_its_fields_with_types_and_those_always_there_are_required() {
    let results = [
        json!({"id": 1, "name": "Oslo", "rain": null, "wind": {"speed": 2.5}}),
        json!({"id": 2, "name": "Bergen", "rain": true, "wind": {"speed": 3}, "note": "wet"}),
    ];
    assert_eq!(
        learned(&results),
        json!({
            "type": "object",
            "required": ["id", "name", "rain", "wind"],
            "properties": {
                "id": {"type": "integer"},
                "name": {"type": "string"},
                "note": {"type": "string"},
                "rain": {"type": ["boolean", "null"]},
                "wind": {"type": "object", "required": ["speed"], "properties": {"speed": {"type": "number"}}}
            }
        })
    );
}

#[test]
fn kinds_that_differ_are_all_told() {
    assert_eq!(
        learned(&[json!([]), json!([1, "a", [true], {"a": 1}]), json!("text")]),
        json!({"anyOf": [
            {"type": "array", "items": {"anyOf": [
                {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}},
                {"type": "array", "items": {"type": "boolean"}},
                {"type": ["string", "integer"]}
            ]}},
            {"type": "string"}
        ]})
    );
    assert_eq!(learned(&[json!([])]), json!({"type": "array"}));
    assert_eq!(learned(&[json!({})]), json!({"type": "object"}));
}

#[test]
fn an_object_with_keys_that_are_values_is_a_map_for_good() {
    let map = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    assert_eq!(learned(&[json!({"jane@example.com": 1})]), map);
    assert_eq!(learned(&[json!({"a": 1}), json!({"Jane Doe": 1}), json!({"a": 1})]), map);
    let many: Value = (0..65).map(|n| (format!("k{n}"), json!(n))).collect();
    assert_eq!(learned(&[many]), map);
}

#[test]
fn an_object_of_values_alike_is_a_map_until_its_keys_are_seen_with_other_values() {
    let people = json!({"jane": "Oslo", "ola": "Bergen", "kari": "Voss"});
    let moved = json!({"jane": "Oslo", "ola": "Bergen", "kari": "Odda"});
    let map = json!({"type": "object", "additionalProperties": {"type": "string"}});
    assert_eq!(learned(std::slice::from_ref(&people)), map);
    assert_eq!(learned(&[people.clone(), json!({"jane": "a", "ola": "b", "per": "c"})]), map);
    // The same result again proves nothing.
    assert_eq!(learned(&[people.clone(), people.clone()]), map);
    let text = json!({"type": "string"});
    let record = json!({
        "type": "object",
        "required": ["jane", "kari", "ola"],
        "properties": {"jane": text, "kari": text, "ola": text}
    });
    assert_eq!(learned(&[people.clone(), moved.clone()]), record);
    assert_eq!(learned(&[json!([people, moved])]), json!({"type": "array", "items": record}));
}

#[test]
fn the_keys_of_a_possible_map_are_not_kept() {
    let people = json!({
        "jane": {"age": 1, "size": 2, "team": 3},
        "ola": {"age": 4, "size": 2, "team": 3},
        "kari": {}
    });
    let shape = shape(&[people]);
    let kept = serde_json::to_string(&shape).unwrap();
    let found: Vec<&str> =
        ["jane", "ola", "kari"].into_iter().filter(|name| kept.contains(name)).collect();
    assert_eq!(found, Vec::<&str>::new());
    // Its keys were seen twice with different values, so it is a record.
    let integer = json!({"type": "integer"});
    assert_eq!(
        shape.to_schema(),
        json!({"type": "object", "additionalProperties": {
            "type": "object",
            "properties": {"age": integer, "size": integer, "team": integer}
        }})
    );
}

#[test]
fn two_objects_alike_may_be_a_map_too() {
    let shape = shape(&[json!({"hunter2": {"age": 1}, "swordfish": {"age": 3}})]);
    assert_eq!(serde_json::to_string(&shape).unwrap().find("hunter"), None);
    let age =
        json!({"type": "object", "required": ["age"], "properties": {"age": {"type": "integer"}}});
    assert_eq!(shape.to_schema(), json!({"type": "object", "additionalProperties": age}));
}

#[test]
fn lists_of_different_records_stay_apart() {
    let result = json!({
        "boards": [{"id": 1, "title": "a"}],
        "cards": [{"id": 1, "due": null, "list": 4, "text": "b"}],
        "people": [{"mail": "c", "name": "d", "admin": true}]
    });
    let schema = learned(&[result]);
    assert_eq!(schema["properties"]["boards"]["items"]["required"], json!(["id", "title"]));
}

#[test]
fn a_shape_survives_being_kept_and_goes_on_learning() {
    let people = json!({"jane": "Oslo", "ola": "Bergen", "kari": "Voss"});
    let once = shape(std::slice::from_ref(&people));
    let mut kept: Shape = serde_json::from_str(&serde_json::to_string(&once).unwrap()).unwrap();
    assert_eq!(kept, once);
    assert!(!kept.observe(&people, &|_| false));
    let moved = json!({"jane": "Oslo", "ola": "Bergen", "kari": "Odda"});
    assert!(kept.observe(&moved, &|_| false));
    assert_eq!(kept, shape(&[people.clone(), people, moved]));
    assert_eq!(kept.results(), 3);
}

#[test]
fn deep_and_huge_results_are_cut() {
    let mut deep = json!(1);
    for _ in 0..60 {
        deep = json!({"d": deep, "id": 1});
    }
    let text = learned(&[deep]).to_string();
    assert_eq!(text.matches("\"d\":").count(), 8);
    // Forty records in a record: their fields are too many, the records themselves are not.
    let row: Value = (0..40)
        .map(|k| (format!("f{k}"), json!({"a": 1, "b": [k], "c": {"d": 1}})))
        .chain([("id".to_owned(), json!(1))])
        .collect();
    let mut shape = shape(&[json!((0..100_000).map(|n| n % 7).collect::<Vec<_>>()), row]);
    assert!(shape.root.count() <= MAX_NODES);
    let properties = shape.to_schema()["anyOf"][0]["properties"].clone();
    let f0 = json!({"type": "object", "required": ["a", "b", "c"], "properties": {"a": {}, "b": {}, "c": {}}});
    assert_eq!((&properties["id"], &properties["f0"]), (&json!({"type": "integer"}), &f0));
}

/// Few names, so that they collide; some are not field names.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => proptest::sample::select(vec!["a", "b", "c", "id", "name", "__proto__"]).prop_map(str::to_owned),
        1 => "[a-z]{1,3}",
        1 => any::<String>(),
    ]
}

/// Values whose texts cannot be mistaken for keys or types.
fn value(key: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        "[a-z]{0,6}".prop_map(|text| json!(format!("§{text}§"))),
    ];
    scalar.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::Array),
            btree_map(key.clone(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn known_key() -> impl Strategy<Value = String> + Clone {
    proptest::sample::select(vec!["a", "b", "c", "id", "name"]).prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_result_is_valid_under_the_schema_of_its_shape(results in vec(value(key().boxed()), 1..6)) {
        let mut shape = shape(&results);
        assert!(shape.root.count() <= MAX_NODES);
        let schema = shape.to_schema();
        let validator = jsonschema::validator_for(&schema).unwrap();
        for result in &results {
            assert!(validator.is_valid(result), "{result}\n{schema}");
        }
        // Unchanged after it is stored and read again.
        let text = serde_json::to_string(&shape).unwrap();
        let again: Shape = serde_json::from_str(&text).unwrap();
        assert_eq!(again.to_schema(), schema);
        // It contains no text of a result.
        assert!(!text.contains('§') && !schema.to_string().contains('§'));
    }

    #[test]
    fn the_order_of_results_does_not_matter(
        results in vec(value(known_key().boxed()), 1..6),
        turn in 0_usize..6,
    ) {
        let mut turned = results.clone();
        turned.rotate_left(turn % results.len());
        let mut reversed = results.clone();
        reversed.reverse();
        let expected = learned(&results);
        assert_eq!(learned(&turned), expected);
        assert_eq!(learned(&reversed), expected);
    }

    #[test]
    fn a_result_seen_again_changes_nothing(result in value(known_key().boxed())) {
        let mut shape = shape(std::slice::from_ref(&result));
        let schema = shape.to_schema();
        assert!(!shape.observe(&result, &|_| false));
        assert_eq!(shape.to_schema(), schema);
    }
}

#[test]
fn a_key_that_may_be_a_name_makes_a_map() {
    let mut shape = Shape::default();
    let of = |number: u32| json!({"kowalczyk": {"open": number}, "total": number});
    for number in 0..3 {
        shape.observe(&of(number), &|key| key == "kowalczyk");
    }
    let schema = shape.to_schema().to_string();
    assert!(!schema.contains("kowalczyk") && !schema.contains("total"), "{schema}");
}

#[test]
fn a_key_that_may_be_a_name_is_not_kept_whatever_is_around_it() {
    let mut shape = Shape::default();
    for number in 0..5 {
        let page = json!({
            "total": number, "next": "x", "items": [], "kowalczyk": {"role": "admin"},
        });
        shape.observe(&page, &|key| key == "kowalczyk");
        assert!(!serde_json::to_string(&shape).unwrap().contains("kowalczyk"));
    }
    let schema = shape.to_schema();
    assert_eq!(schema["required"], json!(["items", "next", "total"]));
}

#[test]
fn the_only_key_around_an_object_is_shown_once_it_is_seen_with_other_values() {
    let mut shape = Shape::default();
    let of = |key: &str, number: u32| json!({ key: {"count": number} });
    shape.observe(&of("jkowalczyk", 1), &|_| false);
    shape.observe(&of("asmith", 2), &|_| false);
    let stored = serde_json::to_string(&shape).unwrap();
    assert!(!stored.contains("kowalczyk") && !stored.contains("smith"), "{stored}");
    let mut shape = Shape::default();
    shape.observe(&of("data", 1), &|_| false);
    shape.observe(&of("data", 2), &|_| false);
    assert_eq!(shape.to_schema()["required"], json!(["data"]));
}
