use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Value, json};
use tidegate_model::{Hints, ServerInfo, ToolDef, ToolList};

use super::{DocumentedTool, ServerApi};
use crate::server_tools::ServerTools;
use crate::shape::ObservedSchema;

fn tool(name: &str, input_schema: Value) -> ToolDef {
    ToolDef {
        name: name.into(),
        title: None,
        description: None,
        input_schema,
        output_schema: None,
        annotations: None,
    }
}

fn definition(tool: &ToolDef, function: &str, observed: Option<&ObservedSchema>) -> String {
    super::definition(DocumentedTool { tool, function, observed, notes: Vec::new() })
}

fn api(list: &ToolList) -> ServerApi {
    let server = ServerTools::new(list);
    let shown: Vec<Cow<'_, ToolDef>> =
        server.tools.iter().map(|tool| Cow::Borrowed(tool.as_ref())).collect();
    ServerApi::new(&shown, &server.functions, &BTreeMap::new(), |_| Vec::new())
}

/// The type of a property with this schema, in TypeScript.
fn typescript(schema: &Value) -> String {
    let root = json!({"properties": {"x": schema}, "required": ["x"], "type": "object"});
    let text = definition(&tool("t", root), "t", None);
    let text = text.strip_suffix("): Promise<unknown>").unwrap_or(&text);
    let text = text.strip_prefix("function t(input: {\n").unwrap_or(text);
    text.strip_suffix("\n}").unwrap_or(text).replace('\n', " ")
}

#[test]
fn each_keyword_has_its_type() {
    let cases = [
        (json!({}), "x: unknown"),
        (json!(true), "x: unknown"),
        (json!(false), "x: never"),
        (json!({"type": "integer"}), "x: number // @int"),
        (json!({"type": ["string", "null"]}), "x: string|null"),
        (json!({"type": "string", "nullable": true}), "x: string|null"),
        (json!({"anyOf": [{"type": "number"}, {"type": "null"}]}), "x: number|null"),
        (json!({"anyOf": [{"type": "integer"}, {"type": "number"}]}), "x: number"),
        (json!({"enum": ["a", 1, null, true]}), "x: \"a\"|1|null|true"),
        (json!({"const": {"a": [1]}}), "x: { a: [1] }"),
        (json!({"type": "array"}), "x: unknown[]"),
        (json!({"type": "array", "items": {"enum": ["a", "b"]}}), "x: (\"a\"|\"b\")[]"),
        (
            json!({"prefixItems": [{"type": "string"}, {"type": "number"}], "minItems": 1, "items": false}),
            "x: [string, number?] // @minItems 1",
        ),
        (
            json!({"type": "array", "items": [{"type": "string"}], "additionalItems": {"type": "boolean"}}),
            "x: [string?, ...boolean[]]",
        ),
        (json!({"type": "object"}), "x: Record<string, unknown>"),
        (json!({"type": "object", "additionalProperties": false}), "x: {}"),
        (json!({"additionalProperties": {"type": "number"}}), "x: Record<string, number>"),
        (
            json!({"patternProperties": {"^a": {"type": "string"}, "^b": {"type": "number"}}}),
            "x: Record<string, unknown>",
        ),
        (
            json!({"patternProperties": {"^a": {"type": "string"}, "^b": {"type": "number"}}, "additionalProperties": false}),
            "x: Record<string, string|number>",
        ),
        (
            json!({"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "number"}}),
            "x: { a?: string [key: string]: unknown // number }",
        ),
        (
            json!({"type": "string", "format": "date", "pattern": "^2", "minLength": 1, "default": "", "description": "When"}),
            "x: string // When @default \"\" @format date @pattern ^2 @minLength 1",
        ),
        (json!({"type": "integer", "minimum": 1, "maximum": 9}), "x: number // @min 1 @max 9 @int"),
        (json!({"type": "string", "title": "X"}), "x: string"),
        (json!({"type": "string", "title": "Name of it"}), "x: string // Name of it"),
        // Contradictions.
        (json!({"type": "integer", "enum": ["one", "two"]}), "x: \"one\"|\"two\""),
        (json!({"type": "string", "enum": ["one", 2]}), "x: \"one\""),
        (json!({"type": "colour"}), "x: unknown"),
        (json!({"type": 7}), "x: unknown"),
        (json!({"enum": []}), "x: unknown"),
        (json!({"$ref": "#/nowhere"}), "x: unknown"),
        (json!({"$ref": "https://example.com/other.json"}), "x: unknown"),
        (json!("nonsense"), "x: unknown"),
    ];
    for (schema, expected) in cases {
        assert_eq!(typescript(&schema), expected, "{schema}");
    }
}

#[test]
fn combinations_become_one_type() {
    let base = json!({"properties": {"a": {"type": "string"}}, "required": ["a"]});
    let cases = [
        (
            json!({"allOf": [base, {"properties": {"b": {"type": "number"}}}]}),
            "x: { a: string b?: number }",
        ),
        // A discriminated union with a common part.
        (
            json!({
                "type": "object",
                "properties": {"id": {"type": "string"}},
                "oneOf": [
                    {"properties": {"kind": {"const": "file"}, "path": {"type": "string"}}, "required": ["kind"]},
                    {"properties": {"kind": {"const": "link"}, "url": {"type": "string"}}, "required": ["kind"]}
                ]
            }),
            "x: { id?: string kind: \"file\" path?: string }|{ id?: string kind: \"link\" url?: string }",
        ),
        // Conditions are not types.
        (
            json!({
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "anyOf": [{"required": ["a"]}, {"required": ["b"]}]
            }),
            "x: { a?: string b?: string }",
        ),
        (
            json!({"type": "string", "anyOf": [{"enum": ["a"]}, {"enum": ["b"]}]}),
            "x: (\"a\"|\"b\")&string",
        ),
    ];
    for (schema, expected) in cases {
        assert_eq!(typescript(&schema), expected, "{schema}");
    }
}

#[test]
fn what_is_recursive_or_used_twice_has_a_name() {
    let schema = json!({
        "type": "object",
        "properties": {
            "filter": {"$ref": "#/$defs/Filter"},
            "from": {"$ref": "#/$defs/Place"},
            "to": {"$ref": "#/$defs/Place"},
            "tree": {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/properties/tree"}}}}
        },
        "$defs": {
            "Filter": {"anyOf": [
                {"type": "string"},
                {"type": "object", "properties": {"and": {"type": "array", "items": {"$ref": "#/$defs/Filter"}}}}
            ]},
            "Place": {"type": "object", "properties": {"city": {"type": "string"}, "country": {"type": "string", "description": "As a code"}}}
        }
    });
    let expected = "\
type Filter = string|{
and?: Filter[]
}
interface Place {
city?: string
country?: string // As a code
}
interface Tree {
children?: Tree[]
}
function t(input?: {
filter?: Filter
from?: Place
to?: Place
tree?: Tree
}): Promise<unknown>";
    assert_eq!(definition(&tool("t", schema), "t", None), expected);
}

#[test]
fn a_definition_says_what_the_server_says() {
    let tool = ToolDef {
        description: Some(
            "\n    Lists issues. */ alert(1)\n\n\n    Args:\n      repo: which\n    ".into(),
        ),
        annotations: Some(Hints { read_only_hint: Some(true), ..Hints::default() }),
        ..tool(
            "list_issues",
            json!({
                "type": "object",
                "properties": {
                    "repo": {"type": "string", "description": "owner/\u{2028}\nname */"},
                    "page-size": {"type": "integer"},
                },
                "required": ["repo", "token"],
                "examples": [{"repo": "a/b"}]
            }),
        )
    };
    let observed = ObservedSchema {
        schema: json!({"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}}),
        results: 3,
    };
    let expected = "\
/** Lists issues. * / alert(1)

Args:
  repo: which
@readonly
@example {\"repo\":\"a/b\"}
@returns as observed in 3 results, not promised */
function listIssues(input: {
repo: string // owner/ name * /
\"page-size\"?: number // @int
token: unknown
}): Promise<{
id?: number
}[]>";
    assert_eq!(definition(&tool, "listIssues", Some(&observed)), expected);
}

fn shop() -> ServerApi {
    let address = json!({
        "type": "object",
        "description": "Where a parcel goes, complete with everything that the carrier asks for",
        "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        "required": ["city"]
    });
    let order = json!({
        "type": "object",
        "properties": {"to": address, "from": {"type": "string"}, "amount": {"type": ["integer", "null"]}},
        "required": ["to"]
    });
    let quote =
        json!({"type": "object", "properties": {"to": address, "page-size": {"enum": [10, 20]}}});
    let list = ToolList {
        left_out: 0,
        info: ServerInfo::default(),
        tools: vec![
            ToolDef {
                description: Some("Says \"it\\'s\" a \"\"\"price\"\"\"".into()),
                ..tool("quote", quote)
            },
            ToolDef { output_schema: Some(order.clone()), ..tool("place-order", order) },
            tool("delete", json!({"type": "object"})),
            tool("Delete", json!({"type": "object"})),
        ],
    };
    api(&list)
}

#[test]
fn the_files_of_a_server_share_their_types() {
    let api = shop();
    let files: Vec<String> =
        api.files().map(|name| format!("--- {name}\n{}", api.file(&name).unwrap())).collect();
    let expected = "\
--- index.ts
export * from \"./quote\"
export * from \"./placeOrder\"
export * from \"./delete_\"
export * from \"./delete_2\"
--- types.ts
export interface To { // Where a parcel goes, complete with everything that the carrier asks for
street?: string
city: string
}
--- quote.ts
import type {To} from \"./types\"
/** Says \"it\\'s\" a \"\"\"price\"\"\" */
export declare function quote(input?: {
to?: To
\"page-size\"?: 10|20
}): Promise<unknown>
--- placeOrder.ts
import type {To} from \"./types\"
export declare function placeOrder(input: {
to: To
from?: string
amount?: number|null // @int
}): Promise<{
to: {
street?: string
city: string
}
from?: string
amount?: number|null
}>
--- delete_.ts
export declare function delete_(): Promise<unknown>
--- delete_2.ts
export declare function delete_2(): Promise<unknown>
";
    assert_eq!(files.concat(), expected);
}

#[test]
fn the_same_tools_are_a_python_module() {
    let expected = r#"from __future__ import annotations
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
OMIT: Any = ...  # leave the argument out
def _call() -> Any: raise NotImplementedError("runs inside tidegate only")
class To(TypedDict): # Where a parcel goes, complete with everything that the carrier asks for
 street: NotRequired[str]
 city: str
def quote(*,
to: To = OMIT,
page_size: Literal[10, 20] = OMIT,
) -> Any:
 """Says \"it\\'s\" a \"\"\"price\"\"\""""
 return _call()
PlaceOrderResult = TypedDict('PlaceOrderResult', {
'to': "To",
'from': NotRequired["str"],
'amount': NotRequired["int | None"],
})
def place_order(*,
to: To,
from_: str = OMIT,
amount: int | None = OMIT,
) -> PlaceOrderResult:
 return _call()
def delete() -> Any:
 return _call()
def delete2() -> Any:
 return _call()
"#;
    assert_eq!(shop().python(), expected);
}

#[test]
fn schemas_that_explode_stay_bearable() {
    // Every definition uses the next one twice; written out there would be 2^40.
    let mut definitions = serde_json::Map::new();
    for n in 0..40 {
        let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
        definitions.insert(
            format!("d{n}"),
            json!({"type": "object", "properties": {"a": next, "b": next}, "description": "x"}),
        );
    }
    let doubling = json!({"$ref": "#/$defs/d0", "$defs": definitions});
    // Each of sixty fields contains the whole again.
    let properties: serde_json::Map<String, Value> =
        (0..60).map(|n| (format!("p{n}"), json!({"$ref": "#"}))).collect();
    let itself = json!({"type": "object", "properties": properties});
    // A chain of references longer than any stack is deep.
    let mut chain = serde_json::Map::new();
    for n in 0..20_000 {
        let next = json!({"$ref": format!("#/$defs/c{}", n + 1)});
        chain.insert(format!("c{n}"), json!({"type": "array", "items": next}));
    }
    let chain = json!({"$ref": "#/$defs/c0", "$defs": chain});
    // Two such towers at once: without a cache every pair of levels would be visited repeatedly.
    let mut towers = serde_json::Map::new();
    for n in 0..40 {
        for tower in ["a", "b"] {
            let next = json!({"$ref": format!("#/$defs/{tower}{}", n + 1)});
            let floor = json!({"type": "object", "properties": {"l": next, "r": next}});
            towers.insert(format!("{tower}{n}"), floor);
        }
    }
    let towers =
        json!({"allOf": [{"$ref": "#/$defs/a0"}, {"$ref": "#/$defs/b0"}], "$defs": towers});
    // Alternatives that all lead back to the first one, on 2^35 paths.
    let mut ways = serde_json::Map::new();
    for n in 0..36 {
        for name in ["a", "b"] {
            let own = json!({"properties": {"x": {"$ref": format!("#/$defs/{name}{n}")}, format!("{name}{n}"): {}}});
            let next = |name: &str| json!({"$ref": format!("#/$defs/{name}{}", (n + 1) % 36)});
            ways.insert(format!("{name}{n}"), json!({"anyOf": [next("a"), next("b"), own]}));
        }
    }
    let ways = json!({"$ref": "#/$defs/a0", "$defs": ways});
    for schema in [doubling, itself, chain, towers, ways] {
        let input =
            json!({"type": "object", "properties": {"x": schema}, "$defs": schema["$defs"]});
        assert!(definition(&tool("t", input), "t", None).len() < 16 * 1024);
    }
    let wide: serde_json::Map<String, Value> =
        (0..5000).map(|n| (format!("p{n}"), json!({"type": "string"}))).collect();
    let wide = json!({"type": "object", "properties": wide});
    assert_eq!(definition(&tool("t", wide), "t", None).lines().count(), 5002);
}

#[test]
fn a_type_that_is_only_itself_is_unknown_and_one_that_is_also_something_is_that() {
    let of = |definitions: Value| {
        let schema = json!({"properties": {"x": {"$ref": "#/$defs/A"}}, "$defs": definitions});
        definition(&tool("t", schema), "t", None)
    };
    let cases = [
        (json!({"A": {"$ref": "#/$defs/A"}}), "", "unknown"),
        (json!({"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}), "", "unknown"),
        (json!({"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]}}), "", "string"),
        (json!({"A": {"allOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]}}), "", "string"),
        (
            json!({
                "A": {"anyOf": [{"properties": {"x": {"$ref": "#/$defs/A"}}}, {"$ref": "#/$defs/B"}]},
                "B": {"anyOf": [{"$ref": "#/$defs/A"}, {"properties": {"y": {"$ref": "#/$defs/B"}}}]}
            }),
            "type A = {\nx?: A\n}|{\ny?: B\n}\ntype B = A|{\ny?: B\n}\n",
            "A",
        ),
        (
            json!({"A": {"additionalProperties": {"$ref": "#/$defs/A"}}}),
            "type A = {[key: string]: A}\n",
            "A",
        ),
    ];
    for (definitions, types, used) in cases {
        let expected = format!("{types}function t(input?: {{\nx?: {used}\n}}): Promise<unknown>");
        assert_eq!(of(definitions.clone()), expected, "{definitions}");
    }
    let itself = tool("t", json!({"$ref": "#"}));
    assert_eq!(definition(&itself, "t", None), "function t(input: unknown): Promise<unknown>");
}

#[test]
fn what_is_taken_out_of_a_comment_does_not_end_it() {
    let tool = ToolDef {
        description: Some("x *\u{1}/ export const other: any = 1; /*".into()),
        ..tool("t", json!({}))
    };
    assert_eq!(
        definition(&tool, "t", None),
        "/** x * / export const other: any = 1; /* */\nfunction t(input: unknown): Promise<unknown>"
    );
}

#[test]
fn declarations_for_a_checker_have_no_word_of_the_server() {
    let words =
        json!({"type": "string", "description": "WORD", "pattern": "WORD", "default": "WORD"});
    let schema = json!({"properties": {"a": words, "b": {"items": words}}, "description": "WORD"});
    let made = ToolDef { description: Some("WORD".into()), ..tool("t", schema) };
    let list = ToolList { left_out: 0, info: ServerInfo::default(), tools: vec![made] };
    let api = api(&list);
    assert_eq!(
        &*api.declarations(super::ResultTypes::All),
        "type __Result<O, R> = O extends [] ? R : any\n\
         export declare function t<O extends any[]>(input?: {\n\
         a?: string\n\
         b?: string[]\n\
         }, ...options: O): Promise<__Result<O, any>>\n\
         import * as __all from \"./index\"\n\
         export default __all\n"
    );
}

#[test]
fn properties_of_results_may_be_called_like_keywords() {
    let output = json!({"properties": {
        "title": {"description": "the title"}, "titles": {"type": "array"}, "format": true,
        "description": {"type": "string", "description": "words"}, "default": {}
    }});
    let tool = ToolDef { output_schema: Some(output), ..tool("t", json!({"type": "object"})) };
    assert_eq!(
        definition(&tool, "t", None),
        "function t(): Promise<{\ntitle?: unknown\ntitles?: unknown[]\nformat?: unknown\n\
         description?: string\ndefault?: unknown\n}>"
    );
}
