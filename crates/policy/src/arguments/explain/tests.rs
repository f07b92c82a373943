#![expect(clippy::needless_pass_by_value, reason = "`json!` as it comes")]

use serde_json::{Value, json};

use super::Explainer;
use crate::arguments::problem::ArgumentProblem;
use crate::arguments::sample::sample;

/// The message about the argument `x`, as the gateway joins it.
fn message_and_hint(schema: Value, x: Value) -> (String, Option<String>) {
    let defs = json!({
        "Filter": {
            "type": "object",
            "properties": {"field": {"type": "string", "description": "Of the table."}, "limit": {"$ref": "#/$defs/Limit"}},
            "required": ["field"],
            "additionalProperties": false
        },
        "Limit": {"type": "integer", "maximum": 10},
        "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}, "additionalProperties": false}
    });
    whole(json!({"properties": {"x": schema}, "$defs": defs}), json!({"x": x}))
}

fn whole(schema: Value, arguments: Value) -> (String, Option<String>) {
    let validator = jsonschema::validator_for(&schema).unwrap();
    let sample = sample(&arguments);
    let errors: Vec<_> = validator.iter_errors(sample.as_ref().unwrap_or(&arguments)).collect();
    let explainer = Explainer { schema: &schema, arguments: &arguments };
    let ArgumentProblem { path, problem, hint } = explainer.explain(&errors);
    (format!("`{path}` {problem}"), hint)
}

fn check(schema: Value, x: Value, problem: &str, hint: Option<&str>) {
    assert_eq!(message_and_hint(schema, x), (problem.to_owned(), hint.map(str::to_owned)));
}

#[test]
fn a_key_behind_references_lists_and_combinations_gets_the_nearest_one() {
    let filter = json!({"$ref": "#/$defs/Filter"});
    let wrong = json!({"field": "a", "limti": 5});
    for (schema, value, path) in [
        (filter.clone(), wrong.clone(), "x"),
        (json!({"type": "array", "items": filter}), json!([{"field": "a"}, wrong]), "x[1]"),
        (json!({"prefixItems": [true, filter]}), json!([1, wrong]), "x[1]"),
        (json!({"allOf": [{}, filter]}), wrong.clone(), "x"),
        (json!({"anyOf": [filter, {"type": "null"}]}), wrong.clone(), "x"),
        (json!({"additionalProperties": filter}), json!({"y": wrong}), "x.y"),
    ] {
        check(schema, value, &format!("`{path}` has no `limti`"), Some("did you mean `limit`?"));
    }
    let node = json!({"$ref": "#/$defs/Node"});
    let (deep, hint) = ("`x.next.next` has no `nxt`", Some("did you mean `next`?"));
    check(node, json!({"next": {"next": {"nxt": 1}}}), deep, hint);
}

#[test]
fn a_misspelt_key_that_is_required_is_told_once() {
    let hint = Some("write `field` instead of `feild`");
    check(
        json!({"$ref": "#/$defs/Filter"}),
        json!({"feild": "a"}),
        "`x` needs `field` (string)",
        hint,
    );
}

#[test]
fn a_key_that_resembles_nothing_is_named_with_those_that_are_known() {
    let schema = json!({"properties": {"q": {"type": "string"}}, "required": ["q"]});
    let hint = Some("`text` is not a known key; known keys: `q`");
    check(schema, json!({"text": "a"}), "`x` needs `q` (string)", hint);
    let closed = json!({"$ref": "#/$defs/Filter"});
    let given = json!({"field": "a", "foo": 1, "bar": 2});
    check(closed, given, "`x` has no `foo`, no `bar`", Some("known keys: `field`, `limit`"));
}

#[test]
fn a_missing_key_is_told_with_its_type_or_values_and_description() {
    let schema = |inner: Value| json!({"properties": {"a": inner}, "required": ["a"]});
    let described = Some("its description: D");
    for (inner, kind, hint) in [
        (json!({"type": ["string", "null"]}), " (string or null)", None),
        (json!({"enum": ["u", "v"]}), " (`\"u\"` or `\"v\"`)", None),
        (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), " (a string or null)", None),
        (json!({"$ref": "#/$defs/Limit", "description": "D"}), " (integer)", described),
        (json!({}), "", None),
    ] {
        check(schema(inner), json!({}), &format!("`x` needs `a`{kind}"), hint);
    }
}

#[test]
fn a_value_that_fits_no_alternative_is_told_what_they_are() {
    let schema = json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": "null"}]});
    let problem = "`x` must be a string, a list of strings or null, got number `5`";
    check(schema, json!(5), problem, Some("write \"5\""));
    let schema = json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
    let problem = "`x` must be an object with `a` or an object with `b`, got an object";
    check(schema, json!({}), problem, None);
}

#[test]
fn the_alternative_with_the_same_discriminator_is_the_one_that_is_meant() {
    let schema = json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "text"}, "text": {"type": "string"}, "size": {}, "color": {}}, "required": ["kind", "text"]},
        {"type": "object", "properties": {"kind": {"enum": ["image"]}, "url": {"type": "string"}}, "required": ["kind", "url"]}
    ]});
    let image = json!({"kind": "image", "url": 5, "size": 1, "color": 2});
    check(schema.clone(), image, "`x.url` must be a string, got number `5`", Some("write \"5\""));
    let problem = "`x.kind` must be one of `\"text\"`, `\"image\"`, got string `\"imgae\"`";
    check(schema, json!({"kind": "imgae", "url": "a"}), problem, Some("write \"image\""));
}

#[test]
fn the_alternative_with_most_of_the_keys_is_the_one_that_is_meant() {
    let schema = json!({"anyOf": [
        {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        {"type": "object", "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}}, "required": ["lat", "lon"]},
        {"type": "string"}
    ]});
    let hint = Some("write 1.5 without quotes");
    let problem = "`x.lon` must be a number, got string `\"1.5\"`";
    check(schema, json!({"lat": 1, "lon": "1.5"}), problem, hint);
}

#[test]
fn a_value_that_fits_several_alternatives_is_told_so() {
    let schema = json!({"oneOf": [{"type": "integer"}, {"type": "number"}]});
    let problem =
        "`x` must match exactly one alternative, but matches several: an integer; a number";
    check(schema, json!(1), problem, None);
}

#[test]
fn every_keyword_for_text_and_numbers_has_words() {
    let got = "got string `\"ab\"`";
    for (schema, value, problem, hint) in [
        (
            json!({"const": "a"}),
            json!("ab"),
            format!("must be `\"a\"`, {got}"),
            Some("write \"a\""),
        ),
        (
            json!({"pattern": "^c"}),
            json!("ab"),
            format!("must match the pattern `^c`, {got}"),
            None,
        ),
        (
            json!({"format": "date"}),
            json!("ab"),
            format!("must have the format `date`, {got}"),
            Some("such as \"2026-01-31\""),
        ),
        (
            json!({"minLength": 3}),
            json!("ab"),
            format!("must have at least 3 characters, got 2 ({})", &got[4..]),
            None,
        ),
        (
            json!({"maxLength": 1}),
            json!("ab"),
            format!("must have at most 1 characters, got 2 ({})", &got[4..]),
            None,
        ),
        (
            json!({"exclusiveMinimum": 1}),
            json!(1),
            "must be more than 1, got number `1`".into(),
            None,
        ),
        (
            json!({"exclusiveMaximum": 1}),
            json!(1),
            "must be less than 1, got number `1`".into(),
            None,
        ),
        (
            json!({"multipleOf": 2}),
            json!(3),
            "must be a multiple of 2, got number `3`".into(),
            None,
        ),
    ] {
        check_keyword(schema, value, &problem, hint);
    }
}

#[test]
fn every_keyword_for_lists_and_objects_has_words() {
    for (schema, value, problem, hint) in [
        (json!({"minItems": 2}), json!([1]), "must have at least 2 items, got a list of 1", None),
        (
            json!({"items": [{}], "additionalItems": false}),
            json!([1, 2]),
            "must have at most 1 items, got a list of 2",
            None,
        ),
        (
            json!({"uniqueItems": true}),
            json!([1, 2, 1]),
            "must not contain duplicate items, `[0]` and `[2]` are equal",
            None,
        ),
        (
            json!({"contains": {"type": "string"}}),
            json!([1]),
            "must contain a string, got a list of 1",
            None,
        ),
        (json!({"minProperties": 1}), json!({}), "must have at least 1 keys, got 0", None),
        (json!({"maxProperties": 0}), json!({"a": 1}), "must have at most 0 keys, got 1", None),
        (
            json!({"propertyNames": {"pattern": "^a"}}),
            json!({"b": 1}),
            "has the key `b`, which must match the pattern `^a`",
            None,
        ),
        (
            json!({"propertyNames": {"enum": ["alpha"]}}),
            json!({"alhpa": 1}),
            "has the key `alhpa`, which must be one of `\"alpha\"`",
            Some("write \"alpha\""),
        ),
        (json!({"not": {"type": "null"}}), json!(null), "must not be null, got null", None),
        (json!(false), json!(1), "is not accepted", Some("leave it out")),
        (
            json!({"type": "boolean"}),
            json!("true"),
            "must be a boolean, got string `\"true\"`",
            Some("write true without quotes"),
        ),
    ] {
        check_keyword(schema, value, problem, hint);
    }
}

fn check_keyword(schema: Value, value: Value, problem: &str, hint: Option<&str>) {
    let draft = "http://json-schema.org/draft-07/schema#";
    let schema = json!({"$schema": draft, "properties": {"x": schema}});
    let expected = (format!("`x` {problem}"), hint.map(str::to_owned));
    assert_eq!(whole(schema, json!({"x": value})), expected);
}

#[test]
fn several_problems_are_told_at_once_and_not_more_than_three() {
    let schema = json!({"properties": {
        "a": {"type": "integer"}, "b": {"enum": ["open"]}, "c": {"type": "array", "items": {"type": "string"}}, "d": {"type": "string"}
    }, "required": ["e"]});
    let given = json!({"a": "1", "b": "opne", "e": 1});
    let problem = "`a` must be an integer, got string `\"1\"`; `b` must be one of `\"open\"`, got string `\"opne\"`";
    let hint = "`a`: write 1 without quotes; `b`: write \"open\"";
    assert_eq!(whole(schema.clone(), given), (problem.to_owned(), Some(hint.to_owned())));
    let given = json!({"a": true, "b": 1, "c": [1, 1, 1], "d": 1});
    let (problem, _) = whole(schema, given);
    let expected = "`` needs `e`; `a` must be an integer, got boolean `true`; \
        `b` must be one of `\"open\"`, got number `1`; and more";
    assert_eq!(problem, expected);
}

#[test]
fn a_list_of_a_million_wrong_items_is_told_by_its_beginning() {
    let schema =
        json!({"properties": {"x": {"type": "array", "maxItems": 5, "items": {"type": "string"}}}});
    let given = json!({"x": vec![0; 1_000_000]});
    let expected = "`x` must have at most 5 items, got a list of 1000000; `x[0]` must be a string, got number `0`";
    let (problem, hint) = whole(schema, given);
    assert_eq!((problem.as_str(), hint.as_deref()), (expected, Some("`x[0]`: write \"0\"")));
}

#[test]
fn what_is_wrong_behind_the_beginning_is_told_without_its_place() {
    let schema = json!({"properties": {"x": {"minItems": 500, "items": {"type": "integer"}}}});
    let mut list = vec![json!(0); 20_000];
    list.push(json!("a"));
    let expected = "` ` does not match the tool's schema, and is too large to say where";
    assert_eq!(whole(schema, json!({"x": list})), (expected.replacen(' ', "", 1), None));
}
