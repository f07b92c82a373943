//! Properties that hold for any text with any values in it.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use proptest::prelude::{
    Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest,
};
use tidegate_model::{DataType, Detect, Span, TextKind};

use super::{SessionValues, Token, TokenAction, TokenizeChunks, find_tokens};

/// Reports these spans for any text, whether they fit or not.
#[derive(Debug)]
struct Reports(Vec<Span>);

impl Detect for Reports {
    fn scan(&self, _text: &str, _kind: TextKind) -> Vec<Span> {
        self.0.clone()
    }
}

/// A value of a type as it might be detected.
fn value() -> impl Strategy<Value = (DataType, String)> {
    prop_oneof![
        ("[a-zA-Z][a-zA-Z0-9.]{2,12}", "[a-z]{2,8}", "(com|org|de)")
            .prop_map(|(local, domain, end)| (DataType::Email, format!("{local}@{domain}.{end}"))),
        "\\+[1-9][0-9] [0-9]{3} [0-9]{6}".prop_map(|value| (DataType::Phone, value)),
        "4[0-9]{3} [0-9]{4} [0-9]{4} [0-9]{4}".prop_map(|value| (DataType::CreditCard, value)),
        "[A-Z][a-zé]{3,8} [A-Z][a-zü]{4,9}".prop_map(|value| (DataType::Person, value)),
        "[A-Z][a-z]{4,8} & [A-Z][a-z]{3,8}".prop_map(|value| (DataType::Org, value)),
        "[A-Za-z0-9/+_-]{12,120}".prop_map(|value| (DataType::Secret, format!("k{value}k"))),
    ]
}

/// Text around values: words, brackets, escapes, anything.
fn around() -> impl Strategy<Value = String> {
    prop_oneof![
        " [a-z ,.]{0,12} ",
        Just(" \\n\\u0041%20&amp; ".to_owned()),
        " [\\PC]{0,6} ",
        Just("\n\"[1, 2]\": {} ".to_owned()),
    ]
}

/// The promised encodings.
fn encodings(value: &str) -> Vec<String> {
    let percent = |byte: u8| {
        if byte.is_ascii_alphanumeric() {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    let escaped = |char: char| {
        if char.is_ascii_alphanumeric() {
            char.to_string()
        } else {
            format!("\\u{:04x}", u32::from(char))
        }
    };
    vec![
        value.to_owned(),
        value.to_uppercase(),
        value.to_lowercase(),
        value.bytes().map(percent).collect(),
        value.chars().map(escaped).collect(),
        value.replace('/', "\\/"),
        value.replace('&', "&amp;").replace('@', "&#64;"),
        STANDARD.encode(value),
        URL_SAFE_NO_PAD.encode(value),
        value.bytes().map(|byte| format!("{byte:02x}")).collect(),
    ]
}

/// As encoders write JSON that is to be ASCII.
fn escaped_beyond_ascii(text: &str) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        if char.is_ascii() {
            escaped.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            escaped.push_str(&format!("\\u{unit:04x}"));
        }
    }
    escaped
}

fn all(_: Token) -> TokenAction {
    TokenAction::Restore
}

proptest! {
    #[test]
    fn g45_a_tokenized_text_is_restored_to_the_text(
        parts in prop::collection::vec((around(), value()), 1..12),
        end in around(),
    ) {
        let mut text = String::new();
        let mut spans = Vec::new();
        for (before, (data_type, value)) in &parts {
            text.push_str(before);
            spans.push(Span::certain(text.len()..text.len() + value.len(), *data_type));
            text.push_str(value);
        }
        text.push_str(&end);
        if !find_tokens(&text).is_empty() {
            return Ok(());
        }
        let mut session = SessionValues::default();
        let tokenized = session.tokenize(&text, &spans);
        let restored = session.restore(&tokenized.text, &all);
        prop_assert_eq!(restored.unwrap().value, text);
        for (_, (_, value)) in &parts {
            prop_assert!(!tokenized.text.contains(value.as_str()), "{} in {}", value, tokenized.text);
        }
        prop_assert!(SessionValues::default().restore(&tokenized.text, &all).is_err());
    }

    #[test]
    fn g45_a_known_value_is_replaced_in_every_encoding_and_comes_back(
        known in prop::collection::vec(value(), 1..8),
        places in prop::collection::vec((around(), any::<prop::sample::Index>(), 0_usize..10), 1..12),
        glued in any::<bool>(),
    ) {
        let mut session = SessionValues::default();
        for (data_type, value) in &known {
            let span = Span::certain(0..value.len(), *data_type);
            session.remember(value, &[span]);
        }
        let mut text = String::new();
        let mut planted = Vec::new();
        for (before, which, how) in &places {
            text.push_str(if glued { before.trim_end() } else { before });
            let written = encodings(&which.get(&known).1).swap_remove(*how);
            text.push_str(&written);
            planted.push(written);
        }
        text.push(' ');
        let has_tokens = !find_tokens(&text).is_empty();
        let tokenized = session.tokenize(&text, &[]).text;
        if !has_tokens {
            prop_assert_eq!(&session.restore(&tokenized, &all).unwrap().value, &text);
        }
        for written in planted.into_iter().filter(|_| !glued) {
            prop_assert!(!tokenized.contains(&written), "{written} stays in\n{tokenized}\nof\n{text}");
        }
        let again = session.tokenize(&tokenized, &[]);
        if !glued {
            prop_assert_eq!(again.text, tokenized);
        }
    }

    #[test]
    fn g45_json_with_any_escapes_comes_back_as_text_and_as_a_value(
        leaves in prop::collection::vec((around(), value(), 0_usize..4), 1..8),
    ) {
        let mut session = SessionValues::default();
        let mut text = String::from("[");
        for (number, (before, (data_type, value), how)) in leaves.iter().enumerate() {
            session.remember(value, &[Span::certain(0..value.len(), *data_type)]);
            let leaf = format!("{before}{value} ");
            let plain = serde_json::Value::from(leaf.as_str()).to_string();
            text.push_str(if number == 0 { "" } else { ", " });
            text.push_str(&match how {
                0 => plain,
                1 => escaped_beyond_ascii(&plain),
                2 => plain.replace('@', "\\u0040").replace('/', "\\/"),
                _ => serde_json::Value::from(format!("{{\"a\":{plain}}}")).to_string(),
            });
        }
        text.push(']');
        if !find_tokens(&text).is_empty() {
            return Ok(());
        }
        let shown = session.tokenize_json(&text, &[]).text;
        // A client writes the text back, or passes the value on.
        prop_assert_eq!(&session.restore(&shown, &all).unwrap().value, &text);
        let value: serde_json::Value = serde_json::from_str(&shown).unwrap();
        let restored = session.restore_json(&value, &all).unwrap().value;
        prop_assert_eq!(restored, serde_json::from_str::<serde_json::Value>(&text).unwrap());
    }

    #[test]
    fn g45_every_line_of_a_json_file_comes_back_alone_and_with_others(
        fields in prop::collection::vec(("[a-z_]{1,8}", "[a-z \"\\\\/\n]{0,6}", value(), 0_usize..4), 1..8),
        from in 0_usize..8,
    ) {
        let mut session = SessionValues::default();
        let mut file = String::from("{\n");
        for (number, (key, before, (data_type, value), how)) in fields.iter().enumerate() {
            session.remember(value, &[Span::certain(0..value.len(), *data_type)]);
            let plain = serde_json::Value::from(format!("{before} {value}")).to_string();
            let written = match how {
                0 => plain,
                1 => escaped_beyond_ascii(&plain),
                2 => plain.replace('@', "\\u0040").replace('/', "\\/"),
                _ => "4930123456789".to_owned(),
            };
            let comma = if number + 1 < fields.len() { "," } else { "" };
            file.push_str(&format!("  \"{key}\": {written}{comma}\n"));
        }
        file.push('}');
        session.remember("4930123456789", &[Span::certain(0..13, DataType::Phone)]);
        if !find_tokens(&file).is_empty() {
            return Ok(());
        }
        let shown = session.tokenize(&file, &[]).text;
        prop_assert_eq!(&session.restore(&shown, &all).unwrap().value, &file);
        let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
        let (shown, file) = (lines(&shown), lines(&file));
        for (shown, raw) in shown.iter().zip(&file) {
            prop_assert_eq!(&session.restore(shown, &all).unwrap().value, raw);
        }
        let from = from.min(shown.len() - 1);
        let rest = session.restore(&shown[from..].join("\n"), &all).unwrap().value;
        prop_assert_eq!(rest, file[from..].join("\n"));
        // What was shown of a part of the file is the part.
        let part = session.tokenize(&file[from..].join("\n"), &[]).text;
        prop_assert_eq!(session.restore(&part, &all).unwrap().value, file[from..].join("\n"));
    }

    #[test]
    fn no_text_and_no_spans_make_it_panic(
        texts in prop::collection::vec("([\\PC]|[%\\\\&\\[\\]_u0-9a-fA-F+=/]|\u{301}|EMAIL_1|&#64;|%C3){0,60}", 1..5),
        places in prop::collection::vec((0_usize..80, 0_usize..80, 0_usize..13), 0..10),
    ) {
        let mut session = SessionValues::default();
        let mut chunks = TokenizeChunks::default();
        for text in &texts {
            let spans: Vec<Span> = places
                .iter()
                .map(|&(start, end, kind)| Span::certain(start..end, DataType::ALL[kind]))
                .collect();
            session.remember(text, &spans);
            let tokenized = session.tokenize(text, &spans).text;
            let _ = session.restore(&tokenized, &all);
            for value in texts.iter().flat_map(|text| encodings(text)) {
                let _ = session.tokenize(&value, &[]);
            }
            chunks.push(text, &mut session, &Reports(spans));
            session.forget(text);
        }
        chunks.finish(&mut session, &Reports(Vec::new()));
    }
}
