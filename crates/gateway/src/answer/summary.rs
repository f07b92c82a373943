//! Summarises any output in under 500 tokens.
//!
//! JSON is summarised by its structure (counts, keys, types) and its first items, text by
//! its head and tail. What is left out is counted. Nothing is cut in the middle of a
//! character or a value.

use serde_json::{Map, Value, json};

use crate::tokens;

/// The most tokens of a summary. Below 500, so that no summary reaches that.
pub(crate) const TOKENS: usize = 480;

/// Tokens for the line that describes the structure.
const SHAPE_TOKENS: usize = 150;

/// How much of a value is shown, from generous to next to nothing: items of a
/// list, keys of an object, characters of a text, levels.
const SAMPLES: [Sample; 7] = [
    Sample { items: 10, keys: 30, chars: 200, depth: 5 },
    Sample { items: 5, keys: 20, chars: 120, depth: 4 },
    Sample { items: 3, keys: 15, chars: 80, depth: 4 },
    Sample { items: 2, keys: 12, chars: 60, depth: 3 },
    Sample { items: 1, keys: 10, chars: 40, depth: 3 },
    Sample { items: 1, keys: 6, chars: 24, depth: 2 },
    Sample { items: 1, keys: 3, chars: 16, depth: 1 },
];

struct Sample {
    items: usize,
    keys: usize,
    chars: usize,
    depth: usize,
}

/// Structure and first items of a value.
pub(crate) fn of_json(value: &Value) -> String {
    let shape = shape(value);
    let left = TOKENS.saturating_sub(tokens::count(&shape) + 8);
    for sample in &SAMPLES {
        let text = sample.of(value, 0).to_string();
        // Four bytes per token is usual; text far above that needs no counting.
        if text.len() <= left * 6 && tokens::count(&text) <= left {
            return format!("{shape}\nfirst: {text}");
        }
    }
    shape
}

/// The structure of a value in one line.
pub(crate) fn shape(value: &Value) -> String {
    for (depth, keys) in [(4, 30), (3, 20), (2, 12), (1, 6)] {
        let text = shape_of(value, depth, keys);
        if text.len() <= SHAPE_TOKENS * 6 && tokens::count(&text) <= SHAPE_TOKENS {
            return text;
        }
    }
    size(value)
}

/// The type and size of a value, for one that is sent with the summary.
pub(crate) fn size(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("list of {}", items.len()),
        Value::Object(object) => format!("object with {}", counted(object.len(), "key")),
        Value::String(text) => text_size(text),
        // Shorter than any description of it.
        scalar => scalar.to_string(),
    }
}

/// Head and tail of a text, within a number of tokens.
pub(crate) fn of_text(text: &str, budget: usize) -> String {
    if text.len() <= budget * 6 && tokens::count(text) <= budget {
        return text.to_owned();
    }
    // Two thirds of what is shown is the head. It is shrunk until it fits: texts differ
    // widely in bytes per token.
    let size = text_size(text);
    let mut bytes = (budget * 4).min(text.len() / 4 * 3);
    loop {
        let head = &text[..text.floor_char_boundary(bytes * 2 / 3)];
        let tail = &text[text.ceil_char_boundary(text.len() - bytes / 3)..];
        let left_out = text.len() - head.len() - tail.len();
        let cut = format!("{head}\n… {left_out} bytes left out of {size} …\n{tail}");
        if tokens::count(&cut) <= budget || bytes < 8 {
            return cut;
        }
        bytes = bytes * 3 / 4;
    }
}

/// A text's size in lines and characters.
pub(crate) fn text_size(text: &str) -> String {
    let lines = counted(text.lines().count(), "line");
    format!("text of {lines}, {}", counted(text.chars().count(), "character"))
}

fn counted(number: usize, unit: &str) -> String {
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

impl Sample {
    /// The value, shortened. Still JSON, with a note where something is missing.
    fn of(&self, value: &Value, depth: usize) -> Value {
        match value {
            Value::String(text) => {
                let end = text.char_indices().nth(self.chars).map(|(at, _)| at);
                match end {
                    Some(end) => {
                        json!(format!("{}… ({} characters)", &text[..end], text.chars().count()))
                    }
                    None => value.clone(),
                }
            }
            Value::Array(items) if depth >= self.depth && !items.is_empty() => {
                json!(format!("… list of {}", items.len()))
            }
            Value::Array(items) => {
                let mut shown: Vec<Value> =
                    items.iter().take(self.items).map(|item| self.of(item, depth + 1)).collect();
                if items.len() > self.items {
                    shown.push(json!(format!("… {} more", items.len() - self.items)));
                }
                Value::Array(shown)
            }
            Value::Object(object) if depth >= self.depth && !object.is_empty() => {
                json!(format!("… object with {}", counted(object.len(), "key")))
            }
            Value::Object(object) => {
                let mut shown = Map::new();
                for (key, value) in object.iter().take(self.keys) {
                    // Keys can be as long as values.
                    let end =
                        key.char_indices().nth(self.chars.max(40)).map_or(key.len(), |(at, _)| at);
                    shown.insert(key[..end].to_owned(), self.of(value, depth + 1));
                }
                if object.len() > self.keys {
                    shown.insert(
                        "…".into(),
                        json!(format!("{} more keys", object.len() - self.keys)),
                    );
                }
                Value::Object(shown)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}

fn shape_of(value: &Value, depth: usize, keys: usize) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) => "boolean".into(),
        Value::Number(_) => "number".into(),
        Value::String(_) => "text".into(),
        Value::Array(items) => match items.first() {
            None => "empty list".into(),
            Some(_) if depth == 0 => format!("list of {}", items.len()),
            Some(first) => {
                let mixed = items.iter().take(1000).any(|item| kind(item) != kind(first));
                let inner =
                    if mixed { "mixed values".into() } else { shape_of(first, depth - 1, keys) };
                format!("list of {} × {inner}", items.len())
            }
        },
        Value::Object(object) if depth == 0 => {
            format!("object with {}", counted(object.len(), "key"))
        }
        Value::Object(object) => {
            let mut fields: Vec<String> = object
                .iter()
                .take(keys)
                .map(|(key, value)| {
                    let key = &key[..key.floor_char_boundary(60)];
                    format!("{key}: {}", shape_of(value, depth - 1, keys))
                })
                .collect();
            if object.len() > keys {
                fields.push(format!("… {} more keys", object.len() - keys));
            }
            format!("{{{}}}", fields.join(", "))
        }
    }
}

fn kind(value: &Value) -> std::mem::Discriminant<Value> {
    std::mem::discriminant(value)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{TOKENS, of_json, of_text, shape};
    use crate::tokens;

    #[test]
    fn a_list_of_records_is_told_by_count_keys_and_first_items() {
        let records: Vec<Value> = (0..10_000)
            .map(|id| json!({"id": id, "title": format!("issue {id}"), "labels": ["bug"]}))
            .collect();
        let summary = of_json(&json!({"total": 10_000, "items": records}));
        let expected = "{total: number, items: list of 10000 × {id: number, title: text, labels: list of 1 × text}}\n\
            first: {\"total\":10000,\"items\":[{\"id\":0,\"title\":\"issue 0\",\"labels\":[\"bug\"]},\
            {\"id\":1,\"title\":\"issue 1\",\"labels\":[\"bug\"]},{\"id\":2,\"title\":\"issue 2\",\"labels\":[\"bug\"]},\
            {\"id\":3,\"title\":\"issue 3\",\"labels\":[\"bug\"]},{\"id\":4,\"title\":\"issue 4\",\"labels\":[\"bug\"]},\
            {\"id\":5,\"title\":\"issue 5\",\"labels\":[\"bug\"]},{\"id\":6,\"title\":\"issue 6\",\"labels\":[\"bug\"]},\
            {\"id\":7,\"title\":\"issue 7\",\"labels\":[\"bug\"]},{\"id\":8,\"title\":\"issue 8\",\"labels\":[\"bug\"]},\
            {\"id\":9,\"title\":\"issue 9\",\"labels\":[\"bug\"]},\"… 9990 more\"]}";
        assert_eq!(summary, expected);
    }

    #[test]
    fn text_is_told_by_head_and_tail() {
        let text: String = (0..10_000).map(|line| format!("line {line}\n")).collect();
        let cut = of_text(&text, 60);
        assert!(cut.starts_with("line 0\nline 1\n"));
        assert!(cut.ends_with("line 9999\n"));
        assert!(tokens::count(&cut) <= 60);
    }

    /// Every kind of output stays below the limit, whatever its script, depth
    /// or width.
    #[test]
    fn no_output_costs_500_tokens() {
        let wide: serde_json::Map<String, Value> =
            (0..5_000).map(|n| (format!("key number {n} {}", "ß".repeat(50)), json!(n))).collect();
        let mut deep = json!(1);
        for _ in 0..100 {
            deep = json!({"a": deep, "b": [1, 2]});
        }
        let values = [
            json!("日本語のテキスト".repeat(10_000)),
            json!(vec!["𝔘𝔫𝔦𝔠𝔬𝔡𝔢 🎉🎊"; 1000]),
            Value::Object(wide),
            deep,
            json!((0..1000).map(|n| vec![n; 50]).collect::<Vec<_>>()),
            json!([[[[[[[1]]]]]], "x", null, {"a": "\u{0}\u{1}".repeat(500)}]),
            json!((0..100_000).map(f64::from).collect::<Vec<_>>()),
        ];
        for value in values {
            assert!(tokens::count(&of_json(&value)) < TOKENS + 20);
            assert!(tokens::count(&shape(&value)) < TOKENS);
            assert!(tokens::count(&of_text(&value.to_string(), TOKENS)) <= TOKENS);
        }
    }
}
