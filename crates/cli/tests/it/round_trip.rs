//! Values that a program sends arrive at the server unchanged, and the server's answers
//! arrive in the program: compared as the lines that the server got, and as the whole
//! output of the run.

use serde_json::{Map, Number, Value, json};

use crate::support::{Bench, Equipment};

/// A folder with a server that returns what it gets and records each line.
fn bench(test: &str) -> Option<Bench> {
    let equipment = Equipment::get(test, &["hostile"])?;
    let server = equipment.server("hostile", &["--mirror", "--record", "received"]);
    Some(Bench::with_servers(json!({"mirrors": server})))
}

#[test]
fn values_cross_in_both_directions_unchanged() {
    let test = "values_cross_in_both_directions_unchanged";
    let Some(bench) = bench(test) else { return };
    let values: Vec<Value> = special_values().into_iter().chain(generated_values()).collect();
    let literals: Vec<String> = values.iter().map(literal).collect();
    let answer = bench.run(&format!(
        "const {{ mirror, mirrorText }} = servers.mirrors;\n\
         const all = [];\n\
         for (const value of [{}]) {{\n\
           const back = await mirror({{ value }});\n\
           const text = await mirrorText(back);\n\
           const raw = await mirror(text, {{ raw: true }});\n\
           const parsed = await mirror(JSON.parse(JSON.stringify({{ [' ']: JSON.stringify(value) }})));\n\
           all.push([value, back.value, text.value, raw.structuredContent.value, parsed[' ']]);\n\
         }}\n\
         return all;",
        literals.join(",\n")
    ));
    assert_eq!(answer["error"], Value::Null);
    let kept = bench.state_dir().join(answer["handle"].as_str().unwrap());
    let output: Vec<Vec<Value>> = serde_json::from_slice(&std::fs::read(kept).unwrap()).unwrap();
    let calls = received_arguments(&bench);
    assert_eq!((output.len(), calls.len()), (values.len(), 4 * values.len()));
    for (at, value) in values.iter().enumerate() {
        for (step, got) in output[at][..4].iter().enumerate() {
            assert_eq!(got, value, "step {step} of value {at} in the program");
        }
        // The text that the program's own `JSON.stringify` produces.
        let text: Value = serde_json::from_str(output[at][4].as_str().unwrap()).unwrap();
        assert_eq!(&text, value, "value {at} as text");
        for (step, got) in calls[4 * at..4 * at + 3].iter().enumerate() {
            assert_eq!(got, &json!({"value": value}), "call {step} of value {at} at the server");
        }
    }
}

#[test]
fn numbers_are_what_the_rule_says() {
    let Some(bench) = bench("numbers_are_what_the_rule_says") else { return };
    let sent = "{ list: [1.0, -0, 0.1, 1e21, 5e-324, 2 ** 60, 2 ** 64, 7n, 2n ** 53n, -(2n ** 63n), 2n ** 64n - 1n] }";
    // Numbers as a server may write them, and texts that only look like numbers.
    let answered = r#"[1.0,-0,1E2,1e21,9007199254740992.0,9007199254740991,9007199254740992,-9007199254740993,18446744073709551615,18446744073709551616,"9007199254740993","\n1"]"#;
    let answer = bench.run(&format!(
        "const {{ mirror, echo }} = servers.mirrors;\n\
         const show = (value) => `${{typeof value}} ${{Object.is(value, -0) ? '-0' : value}}`;\n\
         await mirror({sent});\n\
         const wide = await mirror({{ id: 2n ** 64n }}).catch((error) => [error.code, error.message, error.hint]);\n\
         const list = await echo({{ text: {} }});\n\
         const text = await echo({{ text: '\\n9007199254740993' }});\n\
         return [wide, list.map(show), show(text)];",
        json!(answered)
    ));
    assert_eq!(
        answer["output"],
        json!([
            [
                "call.bad_argument",
                "`mirrors__mirror` got an integer of more than 64 bits in `id`",
                "pass it as text"
            ],
            [
                "number 1",
                "number -0",
                "number 100",
                "number 1e+21",
                "number 9007199254740992",
                "number 9007199254740991",
                "bigint 9007199254740992",
                "bigint -9007199254740993",
                "bigint 18446744073709551615",
                "number 18446744073709552000",
                "string 9007199254740993",
                "string \n1"
            ],
            "string \n9007199254740993"
        ])
    );
    let line = std::fs::read_to_string(bench.path().join("received")).unwrap();
    let line = line.lines().find(|line| line.contains("\"mirror\"")).unwrap();
    let (_, list) = line.split_once("\"list\":[").unwrap();
    let (list, _) = list.split_once(']').unwrap();
    // A number is sent in its shortest spelling: 2 ** 60 is a double.
    assert_eq!(
        list,
        "1,0,0.1,1e+21,5e-324,1152921504606847000,1.8446744073709552e+19,7,9007199254740992,\
         -9223372036854775808,18446744073709551615"
    );
}

/// Arguments of all calls in the order in which the server got them.
fn received_arguments(bench: &Bench) -> Vec<Value> {
    let lines = std::fs::read_to_string(bench.path().join("received")).unwrap();
    let messages = lines.split('\n').filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let calls = messages.filter(|message| message["method"] == "tools/call");
    calls.map(|message| message["params"]["arguments"].clone()).collect()
}

fn special_values() -> Vec<Value> {
    let mut deep = json!("inside");
    for _ in 0..50 {
        deep = json!([deep]);
    }
    let names = ["__proto__", "constructor", "toString", "hasOwnProperty", "", " ", "then", "0"];
    let wide = json!([9_007_199_254_740_993_u64, {"__proto__": {"id": i64::MIN}}]);
    vec![
        Value::Null,
        json!(""),
        json!([]),
        json!({}),
        deep,
        json!([u64::MAX, i64::MAX, i64::MIN, 1_u64 << 53, -(1_i64 << 53), 0, -1]),
        json!([0.1, 1e300, -5e-324, 1.5, 1e21]),
        json!("\u{2028}\u{2029}\u{feff}\0\u{1b}\"\\/é e\u{301} 世界 🌍 👩‍👩‍👧 \u{10ffff}"),
        names.iter().map(|name| ((*name).to_owned(), json!(name))).collect(),
        names.iter().map(|name| ((*name).to_owned(), wide.clone())).collect(),
    ]
}

/// Values of all kinds, nested and mixed, the same ones each time.
fn generated_values() -> Vec<Value> {
    let mut random = Random(7);
    (0..60).map(|_| random.value(4)).collect()
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn value(&mut self, depth: u32) -> Value {
        match self.below(if depth == 0 { 6 } else { 9 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.next() >> self.below(64)),
            3 => json!(-i64::try_from(self.next() >> (1 + self.below(63))).unwrap() - 1),
            4 => self.fraction(),
            5 => json!(self.text()),
            6 => (0..self.below(5)).map(|_| self.value(depth - 1)).collect(),
            _ => Value::Object(self.object(depth - 1)),
        }
    }

    /// With a fractional part: a whole number arrives as an integer, which is the same
    /// number in another spelling.
    fn fraction(&mut self) -> Value {
        let number = f64::from_bits(self.next());
        let usable = number.is_finite() && (number.fract() != 0.0 || number.abs() >= 1e21);
        json!(if usable { number } else { 0.5 })
    }

    fn object(&mut self, depth: u32) -> Map<String, Value> {
        (0..self.below(5)).map(|_| (self.text(), self.value(depth))).collect()
    }

    fn text(&mut self) -> String {
        let pieces =
            ["", "a", "Ünï", "🌊", "\u{2028}", "\"", "\\", "\n", "__proto__", "1", "\u{fffd}"];
        (0..self.below(4)).map(|_| pieces[self.next() as usize % pieces.len()]).collect()
    }
}

/// A value as a program would write it.
fn literal(value: &Value) -> String {
    match value {
        Value::Number(number) => number_literal(number),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(object) => {
            // In brackets, since `"__proto__": …` would set the prototype.
            let entries: Vec<String> = object
                .iter()
                .map(|(key, value)| format!("[{}]:{}", json!(key), literal(value)))
                .collect();
            format!("({{{}}})", entries.join(","))
        }
        scalar => scalar.to_string(),
    }
}

fn number_literal(number: &Number) -> String {
    let magnitude = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
    match magnitude {
        Some(magnitude) if magnitude > (1 << 53) - 1 => format!("{number}n"),
        _ => number.to_string(),
    }
}
