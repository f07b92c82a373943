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

fn all(_: Token) -> TokenAction {
    TokenAction::Restore
}

proptest! {
    #[test]
    fn a_tokenized_text_is_restored_to_the_text(
        parts in prop::collection::vec((around(), value()), 1..12),
        end in around(),
    ) {
        let mut text = String::new();
        let mut spans = Vec::new();
        for (before, (data_type, value)) in &parts {
            text.push_str(before);
            spans.push(Span { start: text.len(), end: text.len() + value.len(), data_type: *data_type });
            text.push_str(value);
        }
        text.push_str(&end);
        if !find_tokens(&text).is_empty() {
            return Ok(());
        }
        let mut session = SessionValues::default();
        let tokenized = session.tokenize(&text, &spans);
        let restored = session.restore(&tokenized.text, &all);
        // Two spellings of a value share a token, and the first one comes back.
        prop_assert_eq!(restored.unwrap().value.to_lowercase(), text.to_lowercase());
        for (_, (_, value)) in &parts {
            prop_assert!(!tokenized.text.contains(value.as_str()), "{} in {}", value, tokenized.text);
        }
        prop_assert!(SessionValues::default().restore(&tokenized.text, &all).is_err());
    }

    #[test]
    fn a_known_value_does_not_stay_in_any_promised_encoding(
        known in prop::collection::vec(value(), 1..8),
        places in prop::collection::vec((around(), any::<prop::sample::Index>(), 0_usize..10), 1..12),
    ) {
        let mut session = SessionValues::default();
        for (data_type, value) in &known {
            let span = Span { start: 0, end: value.len(), data_type: *data_type };
            session.remember(value, &[span]);
        }
        let mut text = String::new();
        let mut planted = Vec::new();
        for (before, which, how) in &places {
            text.push_str(before);
            let written = encodings(&which.get(&known).1).swap_remove(*how);
            text.push_str(&written);
            planted.push(written);
        }
        text.push(' ');
        let tokenized = session.tokenize(&text, &[]).text;
        for written in planted {
            prop_assert!(!tokenized.contains(&written), "{written} stays in\n{tokenized}\nof\n{text}");
        }
        let again = session.tokenize(&tokenized, &[]);
        prop_assert_eq!(again.text, tokenized);
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
                .map(|&(start, end, kind)| Span { start, end, data_type: DataType::ALL[kind] })
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
