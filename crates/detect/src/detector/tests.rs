//! Tests the whole detector: what it finds, what it ignores, and that no text breaks it.

use proptest::prelude::*;
use tidegate_model::DataType;

use super::*;
use crate::byte_class::counted;
use crate::{CustomRule, Exclusion};

fn detector() -> Detector {
    Detector::new(Options::default()).unwrap()
}

fn found(text: &str) -> Vec<(&str, &str)> {
    detector()
        .scan(text, TextKind::Auto)
        .iter()
        .map(|span| (span.data_type.as_str(), &text[span.range()]))
        .collect()
}

#[test]
fn a_letter_gives_its_names_and_numbers() {
    assert_eq!(
        found("Dear Anna Kowalska, call +48 512 345 678 or write to office@kowalska.pl."),
        [
            ("PERSON", "Anna Kowalska"),
            ("PHONE", "+48 512 345 678"),
            ("EMAIL", "office@kowalska.pl")
        ]
    );
}

#[test]
fn keys_of_json_decide_with_the_keys_around_them() {
    assert_eq!(
        found(
            r#"{"customer":{"name":"Zoë Quux"},"product":{"name":"Anna Lamp"},"file":{"name":"Peter.pdf"}}"#
        ),
        [("PERSON", "Zoë Quux")]
    );
    assert_eq!(
        found(r#"[{"name":"Xander Yq","email":"x@y.example.org"}]"#),
        [("PERSON", "Xander Yq"), ("EMAIL", "x@y.example.org")]
    );
    assert_eq!(found(r#"{"id":7,"name":"North Region","sku":"B-1"}"#), []);
}

#[test]
fn places_in_escaped_strings_are_places_in_the_document() {
    assert_eq!(
        found(r#"{"text":"Gr\u00fc\u00dfe\nAnna M\u00fcller\nmail: a@b.example.com"}"#),
        [("PERSON", r"Anna M\u00fcller"), ("EMAIL", "a@b.example.com")]
    );
}

#[test]
fn json_inside_a_string_of_json_is_read_with_its_keys() {
    assert_eq!(
        found(
            r#"{"content":[{"type":"text","text":"{\"firma\":\"Quux Werke\",\"telefon\":\"030 901820\"}"}]}"#
        ),
        [("ORG", "Quux Werke"), ("PHONE", "030 901820")]
    );
}

#[test]
fn numbers_of_json_count_under_their_keys_only() {
    assert_eq!(
        found(r#"{"phone":2025550143,"id":2025550143,"ssn":123456789}"#),
        [("PHONE", "2025550143"), ("SSN", "123456789")]
    );
}

#[test]
fn tables_are_read_by_their_head_lines() {
    assert_eq!(
        found("full name;telephone;score\nQwert Zuiop;030 901820;17\n"),
        [("PERSON", "Qwert Zuiop"), ("PHONE", "030 901820")]
    );
}

#[test]
fn only_the_secret_of_a_setting_is_reported() {
    assert_eq!(
        found("DATABASE_URL=postgres://app:s3cr3tPW9@db.internal:5432/x"),
        [("SECRET", "s3cr3tPW9")]
    );
    assert_eq!(found("password: hunter2222\nuser: root"), [("SECRET", "hunter2222")]);
    assert_eq!(found("const password: string = getPassword();"), []);
}

#[test]
fn things_that_look_like_personal_data_are_left_alone() {
    for text in [
        "Upgrade to version 10.20.30.40 today",
        "commit 4cfa0acdaaf6ccbf7a8a11222c5f8ba7a2c8568d at 2024-05-06T07:08:09Z",
        "order 112-3973798-4805580, ISBN 978-4-9553-1668-0",
        "git clone git@github.com:a/b.git && npm i lodash@4.17.21",
        "id f1c9acd5-55b8-41ae-889a-03c4cfd59b9e",
        "The Summer Sale starts on Monday Morning in May.",
        "lat=52.520008 lon=13.404954",
        "Reference number 1234567812345678",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn rules_of_the_user_find_and_exclude() {
    let options = Options {
        rules: vec![
            CustomRule::Pattern {
                name: "badge".to_owned(),
                regex: r"\bB-\d{4}\b".to_owned(),
                data_type: DataType::Custom,
            },
            CustomRule::Terms {
                name: "projects".to_owned(),
                terms: vec!["Bluebird".to_owned()],
                data_type: DataType::Org,
            },
            CustomRule::Keys { name: "inner".to_owned(), keys: vec!["cost_center".to_owned()] },
        ],
        exclusions: vec![
            Exclusion::Value("info@example.com".to_owned()),
            Exclusion::Pattern(r".*@example\.org".to_owned()),
        ],
        ..Options::default()
    };
    let text = r#"{"costCenter":"K 17","note":"B-1234 Bluebird info@example.com x@example.org y@example.net"}"#;
    let spans = Detector::new(options).unwrap().scan(text, TextKind::Auto);
    let found: Vec<_> =
        spans.iter().map(|span| (span.data_type.as_str(), &text[span.range()])).collect();
    assert_eq!(
        found,
        [("CUSTOM", "K 17"), ("CUSTOM", "B-1234"), ("ORG", "Bluebird"), ("EMAIL", "y@example.net")]
    );
}

#[test]
fn types_that_are_off_are_not_reported() {
    let detector =
        Detector::new(Options { types: vec![DataType::Email], ..Options::default() }).unwrap();
    let text = "Anna Kowalska a@b.example.com";
    assert_eq!(detector.scan(text, TextKind::Text), [Span::certain(14..29, DataType::Email)]);
}

/// Texts that make careless detectors scan back or ahead again and again.
const HOSTILE: &[&str] = &[
    "@",
    "1",
    "1 ",
    "[",
    "{",
    "{\"a\":",
    "Anna ",
    "A",
    "a@",
    "a.",
    ":",
    "::",
    "://",
    "a:b@",
    "-",
    "-----BEGIN PRIVATE KEY",
    "password=\"",
    "+1 ",
    "+(",
    "(1",
    "1.2.3.",
    "Name: ",
    "Smith, ",
    "Smith and ",
    "\\",
    "\"",
    "\u{e9}",
    "\n",
    ",",
    "a,b\n",
    "eyJ",
    "sk-",
    "DE89 ",
    "12 Main ",
    "rue de ",
    "1:",
    "a=",
    "=",
    "van ",
    "J. ",
    "\u{2014}",
    "山",
    "山田 ",
    "x'",
    "A-",
];

#[test]
fn twice_the_text_takes_twice_the_work() {
    let detector = detector();
    for unit in HOSTILE {
        let work = |bytes: usize, kind: TextKind| {
            let text = unit.repeat(bytes / unit.len());
            let before = counted();
            detector.scan(&text, kind);
            counted() - before
        };
        for kind in [TextKind::Text, TextKind::Auto] {
            let (one, two) = (work(40_000, kind), work(80_000, kind));
            assert!(two <= one * 9 / 4 + 4000, "{unit:?}: {one} then {two}");
            assert!(two <= 80_000 * 2000, "{unit:?}: {two} for 80000 bytes");
        }
    }
}

fn check(text: &str) {
    let detector = detector();
    for kind in [TextKind::Text, TextKind::Json, TextKind::Auto] {
        let mut end = 0;
        for span in detector.scan(text, kind) {
            assert!(span.start >= end && span.start < span.end, "{span:?}");
            assert!(text.get(span.range()).is_some(), "{span:?}");
            end = span.end;
        }
    }
}

/// Pieces that the detectors look for, so that random texts reach them.
fn piece() -> impl Strategy<Value = String> {
    let pieces: &[&'static str] = &[
        "Anna",
        "Müller",
        "GmbH",
        "S.A.",
        "a@b.co",
        "+49 30 901820",
        "4111 1111 1111 1111",
        "DE89370400440532013000",
        "192.0.2.1",
        "2001:db8::1",
        "123-45-6789",
        "\"",
        "{",
        "}",
        "[",
        "]",
        ":",
        "=",
        ",",
        "\n",
        " ",
        "\\",
        "\\u00e9",
        "\\ud83d",
        "name",
        "password",
        "Name: ",
        "12 Main Street",
        "Flat 4, ",
        "12345 Berlin",
        "é",
        "’",
        "—",
        "\u{a0}",
        "山田",
        "O'",
        "-",
        "van der",
        "Dr. ",
        "J. ",
        "eyJhbGciOiJ9.eyJzdWIiOiI0In0.abc",
        "-----BEGIN RSA PRIVATE KEY-----",
        "://",
        "@",
        "%40",
        "|",
        "\t",
        ";",
        "ß",
        "İ",
        "ǆ",
        "\u{301}",
        "😀",
    ];
    prop_oneof![4 => prop::sample::select(pieces).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from), 1 => "[ -~]{0,8}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gives_sorted_spans_on_character_borders(pieces in prop::collection::vec(piece(), 0..40)) {
        check(&pieces.concat());
    }

    #[test]
    fn any_characters_are_survived(text in any::<String>()) {
        check(&text);
    }
}

#[test]
fn keys_of_maps_are_read_and_display_names_found() {
    let detector = Detector::new(Options::default()).unwrap();
    let found = |text: &str| -> Vec<String> {
        let spans = detector.scan(text, TextKind::Json);
        spans
            .iter()
            .map(|span| format!("{} {}", span.data_type.as_str(), &text[span.start..span.end]))
            .collect()
    };
    assert_eq!(
        found(
            r#"{"by":{"ann.b@mailbox.example":1,"Katharina Oberhofer":2,"+49 30 55501234":3,"DE89370400440532013000":4,"created_at":5,"2026-11-18":6,"Total amount":7}}"#
        ),
        [
            "EMAIL ann.b@mailbox.example",
            "PERSON Katharina Oberhofer",
            "PHONE +49 30 55501234",
            "IBAN DE89370400440532013000"
        ]
    );
    assert_eq!(
        found(
            r#"{"from":"Oyelaran Adebayo <m0@mailbox.example>","to":["Qixlat Mroop <q@x.example>, Vlonz Trepp <v@x.example>"]}"#
        ),
        [
            "PERSON Oyelaran Adebayo",
            "EMAIL m0@mailbox.example",
            "PERSON Qixlat Mroop",
            "EMAIL q@x.example",
            "PERSON Vlonz Trepp",
            "EMAIL v@x.example"
        ]
    );
}
