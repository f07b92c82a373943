use std::collections::BTreeMap;

use serde_json::{Value, json};
use tidegate_model::{ServerInfo, ToolDef, ToolList};

use super::{ArgumentStyle, HEAD};
use crate::{Catalog, PythonUse, ResultTypes};

/// The stub of one tool, without its head.
fn stub(input: Value, output: Option<Value>, passed: ArgumentStyle, spellings: &[&str]) -> String {
    let tool = ToolDef {
        name: "get_lead".into(),
        title: None,
        description: Some("Text of a \"\"\" server".into()),
        input_schema: input,
        output_schema: output,
        annotations: None,
    };
    let mut catalog = Catalog::default();
    catalog.set_tools(
        "crm",
        &ToolList { left_out: 0, info: ServerInfo::default(), tools: vec![tool] },
    );
    let spellings = spellings.iter().map(|name| (*name).to_owned()).collect();
    let used = BTreeMap::from([("get_lead".to_owned(), PythonUse { passed, spellings })]);
    let text = catalog.api("crm").unwrap().python_declarations(ResultTypes::All, &used);
    text.strip_prefix(HEAD).unwrap().to_owned()
}

fn input() -> Value {
    json!({
        "type": "object",
        "properties": {
            "state": {"enum": ["open", "closed"]},
            "id": {"type": "integer"},
            "from": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["id"],
        "additionalProperties": false,
    })
}

#[test]
fn a_tool_has_the_form_in_which_it_is_called() {
    let named = "id: _b.int, state: _t.Literal['open'] | _t.Literal['closed'] | None | _y.EllipsisType = ..., \
                 from_: _b.list[_b.str] | None | _y.EllipsisType = ...";
    assert_eq!(
        stub(input(), None, ArgumentStyle::Named, &["getLead", "get_lead", "odd-name"]),
        format!("def get_lead({named}) -> _t.Any: ...\ngetLead = get_lead\n")
    );
    assert_eq!(
        stub(input(), None, ArgumentStyle::Object, &[]),
        "GetLeadInput = _t.TypedDict('GetLeadInput', {'state': _t.NotRequired[_t.Literal['open'] | \
         _t.Literal['closed'] | None | _y.EllipsisType], 'id': _b.int, 'from': \
         _t.NotRequired[_b.list[_b.str] | None | _y.EllipsisType]})\n\
         def get_lead(input: GetLeadInput, /) -> _t.Any: ...\n"
    );
    assert_eq!(
        stub(input(), None, ArgumentStyle::Both, &[]),
        format!(
            "@_t.overload\ndef get_lead({named}) -> _t.Any: ...\n@_t.overload\n\
             def get_lead(input: _b.dict[_b.str, _t.Any], /, **more: _t.Any) -> _t.Any: ...\n"
        )
    );
}

#[test]
fn an_answer_has_its_keys_as_attributes_too_unless_they_are_methods_of_a_dict() {
    let output = json!({
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": {"type": "integer"}},
            "list": {"type": ["string", "null"]},
            "Odd": {"type": "number"},
            "two words": {"type": "boolean"},
            "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        },
        "additionalProperties": false,
    });
    assert_eq!(
        stub(json!({"type": "object"}), Some(output), ArgumentStyle::Named, &[]),
        "class GetLeadResult(_a.Object, _t.Coroutine[_t.Any, _t.Any, 'GetLeadResult']):\n \
         list: _b.str\n either: _t.Any\n \
         @_t.overload\n def __getitem__(self, key: _t.Literal['items']) -> _b.list[_b.int]: ...\n \
         @_t.overload\n def __getitem__(self, key: _t.Literal['list']) -> _b.str: ...\n \
         @_t.overload\n def __getitem__(self, key: _t.Literal['Odd']) -> _t.Any: ...\n \
         @_t.overload\n def __getitem__(self, key: _t.Literal['two words']) -> _b.bool: ...\n \
         @_t.overload\n def __getitem__(self, key: _t.Literal['either']) -> _t.Any: ...\n \
         def __getattr__(self, name: _b.str) -> _t.Any: ...\n\
         def get_lead(*arguments: _t.Any, **more: _t.Any) -> GetLeadResult: ...\n"
    );
}

#[test]
fn what_may_be_right_is_not_ruled_out() {
    for (output, written) in [
        (json!({"type": "string"}), "_a.Text"),
        (json!({"type": "integer"}), "_a.Integer"),
        (json!({"type": "number"}), "_t.Any"),
        (json!({"type": "boolean"}), "_t.Any"),
        (json!({"type": "array", "items": {"type": "string"}}), "_a.List[_b.str]"),
        (json!({"type": "object", "additionalProperties": {"type": "integer"}}), "_a.Dict[_b.int]"),
        (json!({"anyOf": [{"type": "string"}, {"type": "array"}]}), "_t.Any"),
    ] {
        let text = stub(json!({"type": "object"}), Some(output), ArgumentStyle::Named, &[]);
        assert_eq!(
            text,
            format!("def get_lead(*arguments: _t.Any, **more: _t.Any) -> {written}: ...\n")
        );
    }
    // Several objects, and one with further keys.
    let object = |more: Value| json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": more});
    for (schema, written) in [
        (
            json!({"anyOf": [object(json!(false)), {"type": "object", "properties": {"b": {}}}]}),
            "_b.dict[_b.str, _t.Any]",
        ),
        (object(json!({"type": "string"})), "_b.dict[_b.str, _t.Any]"),
    ] {
        let input = json!({"type": "object", "properties": {"x": schema}, "required": ["x"], "additionalProperties": false});
        assert_eq!(
            stub(input, None, ArgumentStyle::Named, &[]),
            format!("def get_lead(x: {written}) -> _t.Any: ...\n")
        );
    }
}
