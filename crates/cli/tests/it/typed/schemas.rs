//! Random schemas: some with a value that fits, some without any meaning.

use proptest::prelude::{Just, Strategy, any, prop};
use proptest::prop_oneof;
use proptest::strategy::{BoxedStrategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};

/// A schema of arguments with one property `x`, and a value for `x` that fits.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) schema: Value,
    pub(crate) value: Value,
}

/// Schemas with fitting values. The same ones each time.
pub(crate) fn fitting(number: usize) -> Vec<Case> {
    let mut runner = TestRunner::deterministic();
    let strategy = case();
    (0..number)
        .map(|at| {
            let Case { schema, value } = strategy.new_tree(&mut runner).unwrap().current();
            let mut definitions = Map::new();
            let schema = with_references(schema, at, &mut definitions);
            let schema = json!({
                "type": "object",
                "properties": {"x": schema, "y": {"type": "string"}},
                "required": ["x"],
                "$defs": definitions
            });
            Case { schema, value }
        })
        .collect()
}

/// JSON that looks like schemas but is not valid.
pub(crate) fn nonsense(number: usize) -> Vec<Value> {
    let mut runner = TestRunner::deterministic();
    let strategy = anything();
    (0..number).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

/// Schemas that break other generators, and once broke ours.
pub(crate) fn awkward() -> Vec<Value> {
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let with = |definitions: Value| json!({"type": "object", "properties": {"v": {"$ref": "#/$defs/A"}}, "$defs": definitions});
    vec![
        // Any JSON value.
        with(json!({"A": {"anyOf": [
            {"type": "string"},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/A"}},
            {"type": "array", "items": {"$ref": "#/$defs/A"}}
        ]}})),
        with(
            json!({"A": {"additionalProperties": {"type": "array", "items": {"$ref": "#/$defs/A"}}}}),
        ),
        with(
            json!({"A": {"prefixItems": [{"$ref": "#/$defs/A"}], "items": {"$ref": "#/$defs/A"}}}),
        ),
        with(json!({"A": {"$ref": "#/$defs/A"}})),
        with(
            json!({"A": {"anyOf": [{"$ref": "#/$defs/B"}, {"type": "string"}]}, "B": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}}),
        ),
        with(
            json!({"A": {"allOf": [{"$ref": "#/$defs/A"}, {"properties": {"a": {"$ref": "#/$defs/A"}}}]}}),
        ),
        with(
            json!({"A": {"anyOf": [{"properties": {"x": {"$ref": "#/$defs/A"}}}, {"$ref": "#/$defs/B"}]}, "B": {"anyOf": [{"$ref": "#/$defs/A"}, {"properties": {"y": {"$ref": "#/$defs/B"}}}]}}),
        ),
        json!({"$ref": "#"}),
        // Names.
        json!({"type": "object", "properties": {"arguments": {}, "more": {}}, "additionalProperties": true}),
        object(json!({"\u{fb01}le": {"type": "string"}, "file": {"type": "string"}, "\u{b5}": {}})),
        object(
            json!({"\u{e01}\u{e31}": {"type": "object", "properties": {"a-b": {"type": "string"}}}}),
        ),
        object(json!({"\u{16d40}": {}, "\u{a7cb}": {}, "\u{323b0}": {}, "": {}, "__proto__": {}})),
        object(json!({
            "a": {"title": "type alias", "type": "object", "properties": {"b": {"title": "not implemented error", "type": "object", "properties": {"c": {"type": "string", "description": "long enough to be shared by both"}}}}},
            "z": {"title": "type alias", "type": "object", "properties": {"b": {"title": "not implemented error", "type": "object", "properties": {"c": {"type": "string", "description": "long enough to be shared by both"}}}}}
        })),
        object(
            json!({"x": {"type": "string", "description": "*\u{1}/ } evil( \u{0}*\u{0}/", "enum": ["*/", "\u{2028}", "\"\"\"", "\\"]}}),
        ),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_]{1,8}",
        Just("from".to_owned()),
        Just("page-size".to_owned()),
        Just("__init__".to_owned()),
        Just("1st".to_owned()),
        Just("größe".to_owned()),
        Just("a b".to_owned()),
        Just("\"'\\\n".to_owned()),
        Just("class".to_owned()),
        Just("constructor".to_owned()),
    ]
}

fn case() -> BoxedStrategy<Case> {
    let of = |schema: Value, value: Value| Case { schema, value };
    let text = prop_oneof!["[ -~]{0,12}", Just("ü\u{1F600}\u{2028}\n\"'\\`${}*/".to_owned())];
    let leaf = prop_oneof![
        text.clone().prop_map(move |text| of(json!({"type": "string"}), json!(text))),
        any::<i32>().prop_map(move |n| of(
            json!({"type": "integer", "minimum": -2147483648_i64}),
            json!(n)
        )),
        any::<i16>().prop_map(move |n| of(json!({"type": "number"}), json!(f64::from(n) / 4.0))),
        any::<bool>().prop_map(move |b| of(json!({"type": "boolean", "default": false}), json!(b))),
        Just(of(json!({"type": "null"}), Value::Null)),
        Just(of(json!({}), json!({"any": ["thing"]}))),
        Just(of(json!(true), json!([1]))),
        prop::collection::vec(text.clone(), 1..4).prop_map(move |texts| {
            of(json!({"type": "string", "enum": texts}), json!(texts[0]))
        }),
        text.prop_map(move |text| of(json!({"const": text}), json!(text))),
        Just(of(json!({"enum": [1, "1", null, true]}), json!("1"))),
        Just(of(
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            json!({"a-b": 1})
        )),
        Just(of(json!({"type": "object"}), json!({"": [null]}))),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(list),
            prop::collection::vec(inner.clone(), 1..4).prop_map(tuple),
            prop::collection::vec((name(), inner.clone(), any::<bool>(), any::<bool>()), 0..5)
                .prop_map(object),
            (prop::collection::vec(inner.clone(), 1..4), any::<bool>()).prop_map(alternatives),
            inner.clone().prop_map(nullable),
            inner.prop_map(described),
        ]
    })
    .boxed()
}

/// A list whose items are any of these.
fn list(cases: Vec<Case>) -> Case {
    let schemas: Vec<&Value> = cases.iter().map(|case| &case.schema).collect();
    let items = if schemas.is_empty() { json!({}) } else { json!({"anyOf": schemas}) };
    let values: Vec<&Value> = cases.iter().map(|case| &case.value).collect();
    Case { schema: json!({"type": "array", "items": items}), value: json!(values) }
}

fn tuple(cases: Vec<Case>) -> Case {
    let schemas: Vec<&Value> = cases.iter().map(|case| &case.schema).collect();
    let values: Vec<&Value> = cases.iter().map(|case| &case.value).collect();
    let schema = json!({"type": "array", "prefixItems": schemas, "minItems": 1, "items": false});
    Case { schema, value: json!(values) }
}

fn object(fields: Vec<(String, Case, bool, bool)>) -> Case {
    let mut properties = Map::new();
    let mut value = Map::new();
    let mut required = Vec::new();
    for (name, case, needed, given) in fields {
        if properties.contains_key(&name) {
            continue;
        }
        properties.insert(name.clone(), case.schema);
        if needed {
            required.push(json!(name));
        }
        if needed || given {
            value.insert(name, case.value);
        }
    }
    let schema = json!({"type": "object", "properties": properties, "required": required});
    Case { schema, value: Value::Object(value) }
}

fn alternatives((cases, one): (Vec<Case>, bool)) -> Case {
    let schemas: Vec<&Value> = cases.iter().map(|case| &case.schema).collect();
    // `oneOf` would need alternatives that exclude each other.
    let key = if one && schemas.len() == 1 { "oneOf" } else { "anyOf" };
    Case { schema: json!({key: schemas}), value: cases[0].value.clone() }
}

fn nullable(case: Case) -> Case {
    Case { schema: json!({"anyOf": [case.schema, {"type": "null"}]}), value: Value::Null }
}

fn described(case: Case) -> Case {
    let Value::Object(mut schema) = case.schema else { return case };
    schema.insert("description".into(), json!("*/ # \"\"\"\n\u{2028}end"));
    schema.insert("title".into(), json!("A Title"));
    Case { schema: Value::Object(schema), value: case.value }
}

/// Moves some of the objects behind a `$ref`.
fn with_references(schema: Value, at: usize, definitions: &mut Map<String, Value>) -> Value {
    match schema {
        Value::Object(members) => {
            let is_object = members.get("properties").is_some_and(Value::is_object);
            let members: Map<String, Value> = members
                .into_iter()
                .map(|(key, value)| {
                    // Values are not schemas.
                    let keep = ["const", "enum", "required", "default"].contains(&key.as_str());
                    let value = if keep { value } else { with_references(value, at, definitions) };
                    (key, value)
                })
                .collect();
            if !is_object || (definitions.len() + at).is_multiple_of(3) {
                return Value::Object(members);
            }
            let name = format!("A/b {}", definitions.len());
            definitions.insert(name.clone(), Value::Object(members));
            json!({"$ref": format!("#/$defs/{}", name.replace('/', "~1").replace(' ', "%20"))})
        }
        Value::Array(items) => {
            items.into_iter().map(|item| with_references(item, at, definitions)).collect()
        }
        other => other,
    }
}

/// JSON with schema keywords in all the wrong places.
fn anything() -> BoxedStrategy<Value> {
    const KEYWORDS: [&str; 24] = [
        "type",
        "properties",
        "required",
        "items",
        "prefixItems",
        "enum",
        "const",
        "$ref",
        "$defs",
        "anyOf",
        "oneOf",
        "allOf",
        "additionalProperties",
        "patternProperties",
        "description",
        "default",
        "format",
        "minimum",
        "nullable",
        "title",
        "$id",
        "$anchor",
        "examples",
        "not",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(|n| json!(n)),
        "[ -~]{0,10}".prop_map(Value::String),
        prop::sample::select(vec![
            "string",
            "object",
            "array",
            "integer",
            "null",
            "#",
            "#/$defs/type",
            "#/properties",
            "#x",
            "\u{0}\u{7}*/\"\"\""
        ])
        .prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(6, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((prop::sample::select(KEYWORDS.to_vec()), inner), 0..6).prop_map(
                |members| members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            ),
        ]
    })
    .boxed()
}

/// A value as Python writes it.
pub(crate) fn as_python(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        // JSON's escapes are Python's, except that it has no surrogates.
        Value::String(_) | Value::Number(_) => value.to_string(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(as_python).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| {
                format!("{}: {}", Value::from(key.as_str()), as_python(value))
            };
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
    }
}
