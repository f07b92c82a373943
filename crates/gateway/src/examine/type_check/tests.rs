use serde_json::json;
use tidegate_catalog::Catalog;
use tidegate_typecheck::{Code, Diagnostic};

use super::{TypeRequest, in_characters, is_wrong_argument};
use tidegate_model::Reference;

/// In line 1 the bracket is at 10, the object at 11, a key with a literal at 13,
/// one with a variable at 20, one with an object at 26, in which a variable at 34.
const PROGRAM: &str = "1.getLead({ id: 5, name, more: { text } })\n1.getLead( )";

fn diagnostic(line: u32, column: u32, end_column: u32, code: u32, message: &str) -> Diagnostic {
    let code = Code::TypeScript(code);
    Diagnostic { line, column, end_line: line, end_column, code, message: message.to_owned() }
}

/// Whether an error with this code is counted as a wrong argument.
fn is_wrong(diagnostic: &Diagnostic) -> bool {
    let references: Vec<Reference> = serde_json::from_value(json!([
        {
            "server": "crm", "tool": "getLead", "line": 1, "column": 3, "guarded": false,
            "arguments": [1, 10, 1, 43],
            "written": {
                "objects": [[1, 11], [1, 26], [1, 32]],
                "values": [[1, 13]],
                "keys": [[1, 13], [1, 20], [1, 26], [1, 34]],
            },
        },
        {
            "server": "crm", "tool": "getLead", "line": 2, "column": 3, "guarded": false,
            "arguments": [2, 10, 2, 13],
        },
    ]))
    .unwrap();
    let catalog = Catalog::default();
    let request = TypeRequest { catalog: &catalog, text: PROGRAM, references: &references };
    is_wrong_argument(&request, diagnostic)
}

#[test]
fn only_what_is_written_out_is_a_wrong_argument() {
    let missing = "Property 'a' is missing in type '{}' but required in type 'X'";
    let other = "Types of property 'a' are incompatible";
    let cases = [
        // A literal, and a variable.
        (13, 2322, other, true),
        (13, 2820, other, true),
        (20, 2322, other, false),
        // Missing properties, and properties that hold a variable.
        (11, 2739, other, true),
        (11, 2345, missing, true),
        (11, 2345, other, false),
        (26, 2741, missing, true),
        (26, 2322, missing, true),
        (26, 2322, other, false),
        (20, 2741, missing, false),
        // Keys: one that can be corrected, and one that the schema may allow.
        (34, 2561, other, true),
        (11, 2561, other, false),
        (20, 2353, other, false),
        // Other places, and other mistakes.
        (14, 2322, other, false),
        (13, 2304, other, false),
        (43, 2322, other, false),
    ];
    for (column, code, message, expected) in cases {
        let told = diagnostic(1, column, column + 1, code, message);
        assert_eq!(is_wrong(&told), expected, "{column} {code} {message}");
    }
}

#[test]
fn a_missing_argument_is_one_where_nothing_stands_in_the_brackets() {
    let expected = "Expected 1 arguments, but got 0";
    assert!(is_wrong(&diagnostic(2, 3, 10, 2554, expected)));
    assert!(!is_wrong(&diagnostic(1, 3, 10, 2554, expected)), "something stands there");
    assert!(!is_wrong(&diagnostic(2, 1, 2, 2554, expected)), "another call");
}

#[test]
fn columns_are_told_in_characters() {
    let text = "é🌊🌊 x = '🌊'\ny";
    let units = diagnostic(1, 7, 14, 2322, "m");
    assert_eq!(in_characters(units, text), Some(diagnostic(1, 5, 11, 2322, "m")));
    let last = diagnostic(2, 1, 2, 2322, "m");
    assert_eq!(in_characters(last.clone(), text), Some(last));
    assert_eq!(in_characters(diagnostic(3, 1, 2, 2322, "ours"), text), None);
}
