use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::json;
use tidegate_model::DataType::{
    self, Address, CreditCard, Custom, Email, Iban, IpAddress, Org, Person, Phone, Secret, Ssn,
};
use tidegate_model::{Detect, Span, TextKind};

use crate::tokens_in;

use super::{
    BUFFER_BYTES, Limits, RestoreChunks, RestoreError, SessionValues, Token, TokenAction,
    TokenizeChunks, find_tokens,
};

/// Spans of every occurrence of the values in a text.
fn spans(text: &str, values: &[(DataType, &str)]) -> Vec<Span> {
    let mut spans = Vec::new();
    for (data_type, value) in values {
        for (start, _) in text.match_indices(value) {
            spans.push(Span::certain(start..start + value.len(), *data_type));
        }
    }
    spans
}

/// Finds these values and nothing else.
#[derive(Debug)]
struct Finds<'a>(&'a [(DataType, &'a str)]);

impl Detect for Finds<'_> {
    fn scan(&self, text: &str, _kind: TextKind) -> Vec<Span> {
        spans(text, self.0)
    }
}

fn knowing(values: &[(DataType, &str)]) -> SessionValues {
    let mut session = SessionValues::default();
    for value in values {
        session.remember(value.1, &spans(value.1, &[*value]));
    }
    session
}

fn token(data_type: DataType, number: u32) -> Token {
    Token { data_type, number }
}

/// Tokenizes a text, and checks that it comes back byte for byte. The tokens are shown
/// without their numbers.
fn shown(session: &mut SessionValues, text: &str) -> String {
    let tokenized = session.tokenize(text, &[]).text;
    assert_eq!(session.restore(&tokenized, &all).unwrap().value, text);
    let mut shown = tokenized.clone();
    for found in find_tokens(&tokenized).iter().rev() {
        shown.replace_range(found.range.clone(), &format!("[{}]", found.token.data_type.label()));
    }
    shown
}

fn all(_: Token) -> TokenAction {
    TokenAction::Restore
}

#[test]
fn detected_values_become_tokens_and_come_back() {
    let mut session = SessionValues::default();
    let text = "Jane Doe <jane@x.org>, Otto <otto@x.org>; again: JANE@x.org";
    let values =
        [(Person, "Jane Doe"), (Email, "jane@x.org"), (Email, "otto@x.org"), (Email, "JANE@x.org")];
    let tokenized = session.tokenize(text, &spans(text, &values));
    assert_eq!(tokenized.text, "[NAME_1] <[EMAIL_1]>, Otto <[EMAIL_2]>; again: [EMAIL_3]");
    assert_eq!(tokenized.counts, [(Email, 3), (Person, 1)].into());
    let new: Vec<(String, &str)> = tokenized
        .new
        .iter()
        .map(|new| (new.token.to_string(), new.value.expose().as_str()))
        .collect();
    let expected = [
        ("[NAME_1]", "Jane Doe"),
        ("[EMAIL_1]", "jane@x.org"),
        ("[EMAIL_2]", "otto@x.org"),
        ("[EMAIL_3]", "\0[1,\"JANE@x.org\",\"JANE@x.org\",\"jane@x.org\"]"),
    ];
    assert_eq!(new, expected.map(|(token, value)| (token.to_owned(), value)));
    assert_eq!(tokenized.new[3].canonical(), tokenized.new[1].canonical());
    let restored = session.restore(&tokenized.text, &all).unwrap();
    assert_eq!(restored.value, text);
    let counts =
        [(token(Email, 1), 1), (token(Email, 2), 1), (token(Email, 3), 1), (token(Person, 1), 1)];
    assert_eq!(restored.counts, counts.into());
    assert_eq!(session.tokenize(&tokenized.text, &[]).text, tokenized.text);
}

#[test]
fn a_value_gets_its_token_when_it_leaves_and_keeps_it() {
    let mut session =
        knowing(&[(Email, "a1@long.org"), (Email, "a2@long.org"), (Email, "a3@long.org")]);
    assert_eq!(session.tokenize("to a3@long.org", &[]).text, "to [EMAIL_1]");
    assert_eq!(session.tokenize("a1@long.org a3@long.org", &[]).text, "[EMAIL_2] [EMAIL_1]");
    assert_eq!(session.tokenize("nothing", &[]).new, []);
}

#[test]
fn a_known_email_is_replaced_in_every_promised_encoding() {
    let mut session = knowing(&[(Email, "Jane.Doe+x@mail.org")]);
    let value = "Jane.Doe+x@mail.org";
    let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    for written in [
        value.to_owned(),
        value.to_uppercase(),
        value.to_lowercase(),
        "Jane.Doe%2Bx%40mail.org".into(),
        "jane.doe%2bx%40mail.org".into(),
        "Jane%2EDoe%252Bx%2540mail.org".into(),
        r"Jane.Doe\u002bx\u0040mail.org".into(),
        r"Jane.Doe+x\\u0040mail.org".into(),
        value.chars().map(|char| format!("\\u{:04x}", u32::from(char))).collect(),
        value.bytes().map(|byte| format!("%{byte:02X}")).collect(),
        "Jane.Doe&#43;x&#64;mail.org".into(),
        "Jane.Doe&plus;x&#x40;mail.org".into(),
        r"Jane.Doe+x@mail\.org".into(),
        STANDARD.encode(value),
        URL_SAFE_NO_PAD.encode(value),
        STANDARD.encode(value.to_uppercase()),
        STANDARD.encode(value).replace('=', "%3D"),
        hex.to_uppercase(),
        hex,
    ] {
        for (before, after) in [("", ""), ("to: ", "."), ("“", "”"), ("?q=", "&b"), ("\\n", "\\n")]
        {
            let text = format!("{before}{written}{after}");
            let tokenized = shown(&mut session, &text);
            assert_eq!(tokenized, format!("{before}[EMAIL]{after}"), "{text}");
        }
    }
    assert_eq!(shown(&mut session, "xJane.Doe+x@mail.orgx"), "x[EMAIL]x");
}

#[test]
fn a_known_number_is_replaced_however_its_digits_are_set_apart() {
    let mut session = knowing(&[
        (Phone, "+1 (555) 123-4567"),
        (CreditCard, "4111 1111 1111 1111"),
        (Ssn, "123-45-6789"),
        (Iban, "DE89 3704 0044 0532 0130 00"),
    ]);
    session.tokenize("+15551234567 4111111111111111 123456789 DE89370400440532013000", &[]);
    for (text, expected) in [
        ("call +1-555-123-4567.", "call [PHONE]."),
        ("call +1 (555) 123 4567", "call [PHONE]"),
        ("call 0015551234567", "call [PHONE]"),
        ("call (555) 123-4567", "call [PHONE]"),
        ("tel:5551234567", "tel:[PHONE]"),
        ("%2B1%20555%20123%204567", "[PHONE]"),
        ("4111-1111-1111-1111", "[CREDIT_CARD]"),
        ("x4111111111111111x", "x[CREDIT_CARD]x"),
        ("00094111111111111111", "0009[CREDIT_CARD]"),
        ("123 45 6789", "[SSN]"),
        ("ssn=123456789;", "ssn=[SSN];"),
        ("1234567890", "1234567890"),
        ("x123456789", "x123456789"),
        ("de89370400440532013000", "[IBAN]"),
        ("DE89-3704-0044-0532-0130-00!", "[IBAN]!"),
    ] {
        assert_eq!(shown(&mut session, text), expected);
    }
}

#[test]
fn ways_to_dial_a_number_are_one_value_and_come_back_as_they_were() {
    let mut session = knowing(&[(Phone, "+49 30 12345678")]);
    let text = "030 12345678, 0049-30-12345678, +493012345678, 4930 123 45678";
    let values = text.split(", ").map(|value| (Phone, value)).collect::<Vec<_>>();
    let tokenized = session.tokenize(text, &spans(text, &values));
    assert_eq!(tokenized.text, "[PHONE_1], [PHONE_2], [PHONE_3], [PHONE_4]");
    assert_eq!(session.restore(&tokenized.text, &all).unwrap().value, text);
    for number in 2..=4 {
        assert_eq!(session.equals(token(Phone, 1), token(Phone, number)), Ok(true));
    }
}

#[test]
fn names_are_whole_words_and_their_parts_stand_in_the_same_case() {
    let mut session =
        knowing(&[(Person, "Jane Doering"), (Person, "Will Long"), (Org, "Acme Inc.")]);
    session.tokenize("Jane Doering; Jane; Doering; Will Long; Acme Inc.", &[]);
    for (text, expected) in [
        ("Dear JANE  DOERING,", "Dear [NAME],"),
        ("Jane's mail", "[NAME]'s mail"),
        ("“Jane”—Doering", "“[NAME]”—[NAME]"),
        ("jane, Janet, Doerings", "jane, Janet, Doerings"),
        ("Jane%20Doering and jane+doering", "[NAME] and [NAME]"),
        (r#"{\"name\":\"Jane\\nDoering\"}"#, r#"{\"name\":\"[NAME]\"}"#),
        ("Will you be long, Long?", "Will you be long, Long?"),
        ("will long", "[NAME]"),
        ("from ACME inc to Acme Inc.", "from [COMPANY] to [COMPANY]"),
        ("Acme Incorporated", "Acme Incorporated"),
    ] {
        assert_eq!(shown(&mut session, text), expected, "{text}");
    }
    assert_eq!(session.restore("[NAME_2]", &all).unwrap().value, "Jane");
}

#[test]
fn a_part_of_a_name_becomes_a_name_when_it_is_detected_alone() {
    let mut session = knowing(&[(Person, "Jane Doering")]);
    assert_eq!(session.tokenize("DOERING", &[]).text, "DOERING");
    session.remember("Doering", &spans("Doering", &[(Person, "Doering")]));
    assert_eq!(session.tokenize("DOERING", &[]).text, "[NAME_1]");
}

#[test]
fn names_beyond_ascii_are_found_in_any_case_and_composition() {
    let mut session =
        knowing(&[(Person, "Jörg Weiß"), (Person, "山田太郎"), (Person, "Ирина Роднина")]);
    for (text, expected) in [
        ("JÖRG WEISS", "[NAME]"),
        ("Jo\u{308}rg Weiß!", "[NAME]!"),
        (r"J\u00f6rg Wei\u00df", "[NAME]"),
        ("J%C3%B6rg%20Wei%C3%9F", "[NAME]"),
        ("こちらは山田太郎さんです", "こちらは[NAME]さんです"),
        ("ИРИНА РОДНИНА", "[NAME]"),
        ("“ирина роднина”", "“[NAME]”"),
    ] {
        assert_eq!(shown(&mut session, text), expected, "{text}");
    }
}

#[test]
fn addresses_secrets_and_own_values_are_found_too() {
    let key = format!("-----BEGIN KEY-----\n{}\n-----END KEY-----", "MIIEvQIBADANBg\n".repeat(60));
    let mut session = knowing(&[
        (Address, "12 Main Street, Springfield"),
        (Secret, "sk-aBcD1234"),
        (Secret, "sk-abcd1234"),
        (Secret, &key),
        (IpAddress, "10.0.0.1"),
        (Custom, "EMP-004711"),
    ]);
    session.tokenize("sk-aBcD1234 sk-abcd1234", &[]);
    for (text, expected) in [
        ("12 MAIN STREET,\nSpringfield", "[ADDRESS]"),
        ("key=sk-aBcD1234&", "key=[SECRET]&"),
        ("key=sk-abcd1234&", "key=[SECRET]&"),
        ("key=SK-ABCD1234&", "key=[SECRET]&"),
        ("10.0.0.1:80 10.0.0.12 110.0.0.1", "[IP_ADDRESS]:80 10.0.0.12 110.0.0.1"),
        ("xEMP-004711x", "x[CUSTOM]x"),
    ] {
        assert_eq!(shown(&mut session, text), expected, "{text}");
    }
    let text = serde_json::Value::from(key).to_string();
    assert_eq!(shown(&mut session, &text), "\"[SECRET]\"");
}

#[test]
fn short_values_are_replaced_where_they_were_detected_and_nowhere_else() {
    let mut session = SessionValues::default();
    let text = "pin 1234, Bo";
    let found = spans(text, &[(Secret, "1234"), (Person, "Bo")]);
    assert_eq!(session.tokenize(text, &found).text, "pin [SECRET_1], [NAME_1]");
    assert_eq!(session.tokenize("1234 Bo", &[]).text, "1234 Bo");
}

#[test]
fn tokens_stay_and_numbers_that_a_text_brought_are_not_given() {
    let mut session = SessionValues::default();
    let text = "[EMAIL_1] and \\[EMAIL\\_3\\] and a@long.org, b@long.org";
    let found = spans(text, &[(Email, "a@long.org"), (Email, "b@long.org")]);
    let tokenized = session.tokenize(text, &found);
    assert_eq!(tokenized.text, "[EMAIL_1] and \\[EMAIL\\_3\\] and [EMAIL_2], [EMAIL_4]");
    let unknown = RestoreError::Unknown(vec![token(Email, 1), token(Email, 3)]);
    assert_eq!(session.restore(&tokenized.text, &all), Err(unknown));
}

#[test]
fn a_span_with_a_token_in_it_is_replaced_around_the_token() {
    let mut session = knowing(&[(Person, "Jane Doering")]);
    session.tokenize("Jane Doering", &[]);
    let text = "12 Main St, [NAME_1], Springfield";
    let found = [Span::certain(0..text.len(), Address)];
    let tokenized = session.tokenize(text, &found).text;
    assert_eq!(tokenized, "[ADDRESS_1], [NAME_1], [ADDRESS_2]");
    assert_eq!(
        session.restore(&tokenized, &all).unwrap().value,
        "12 Main St, Jane Doering, Springfield"
    );
}

#[test]
fn nothing_of_a_span_stays_when_it_overlaps_with_another_match() {
    let mut session = knowing(&[(Secret, "secret-abcdef")]);
    let text = "secret-abcdefghi jkl";
    let found = [Span::certain(7..16, Custom)];
    assert_eq!(session.tokenize(text, &found).text, "[SECRET_1][CUSTOM_1] jkl");
    // The longer of two at one place wins; and no part of a known value after it remains.
    let text = "x12345 other@long.org";
    session.remember(text, &spans(text, &[(Email, "other@long.org")]));
    let found = [Span::certain(0..9, Custom), Span::certain(0..4, Custom)];
    assert_eq!(session.tokenize(text, &found).text, "[CUSTOM_2][EMAIL_1]");
    assert_eq!(session.tokenize("sher@long.org", &[]).text, "sher@long.org");
}

#[test]
fn a_value_that_overlaps_with_itself_leaves_few_fragments() {
    let mut session = knowing(&[(Secret, "abababab")]);
    let tokenized = session.tokenize(&format!("{}!", "ab".repeat(1003)), &[]);
    assert_eq!(tokenized.text, format!("{}[SECRET_2]!", "[SECRET_1]".repeat(250)));
    assert_eq!(session.len(), 2);
    let restored = session.restore(&tokenized.text, &all).unwrap().value;
    assert_eq!(restored, format!("{}!", "ab".repeat(1003)));
}

#[test]
fn spans_that_make_no_sense_are_left_out() {
    let mut session = SessionValues::default();
    let span = |start, end| Span::certain(start..end, Person);
    let text = "é Jane";
    let found = [span(1, 3), span(5, 4), span(0, 99), span(2, 3), span(3, 3), span(usize::MAX, 1)];
    assert_eq!(session.tokenize(text, &found).text, text);
}

#[test]
fn a_token_of_one_session_is_unknown_in_another() {
    let mut first = SessionValues::default();
    let mut second = SessionValues::default();
    let found = spans("a@long.org", &[(Email, "a@long.org")]);
    assert_eq!(first.tokenize("a@long.org", &found).text, "[EMAIL_1]");
    let unknown = second.restore("[EMAIL_1]", &all).unwrap_err();
    assert_eq!(unknown.to_string(), "unknown in this session: `[EMAIL_1]`");
    let found = spans("b@long.org", &[(Email, "b@long.org")]);
    second.tokenize("b@long.org", &found);
    assert_eq!(second.restore("[EMAIL_1]", &all).unwrap().value, "b@long.org");
    assert_eq!(first.tokenize("b@long.org", &[]).text, "b@long.org");
}

#[test]
fn values_go_only_to_servers_that_may_have_their_type() {
    let mut session = knowing(&[(Email, "a@long.org"), (Person, "Jane Doering")]);
    session.tokenize("a@long.org Jane Doering", &[]);
    let emails = |token: Token| match token.data_type {
        Email => TokenAction::Restore,
        _ => TokenAction::Refuse,
    };
    let arguments = json!({
        "to": ["[EMAIL_1]", 1, null],
        "[EMAIL_1]": {"url": "https://x/?q=%5BEMAIL_1%5D", "text": "Dear [email_1],"},
    });
    let restored = session.restore_json(&arguments, &emails).unwrap();
    assert_eq!(
        restored.value,
        json!({
            "to": ["a@long.org", 1, null],
            "a@long.org": {"url": "https://x/?q=a%40long.org", "text": "Dear a@long.org,"},
        })
    );
    assert_eq!(restored.counts, [(token(Email, 1), 4)].into());
    let refused = session.restore_json(&json!(["[NAME_1] [EMAIL_1]"]), &emails).unwrap_err();
    assert_eq!(refused.to_string(), "the server may not receive: `[NAME_1]`");
    let unknown = session.restore("[NAME_1] [NAME_7] [SSN_1]", &emails).unwrap_err();
    assert_eq!(unknown.to_string(), "unknown in this session: `[SSN_1]`, `[NAME_7]`");
    assert_eq!(
        format!("{restored:?}"),
        "Restored { counts: {Token { data_type: Email, number: 1 }: 4}, .. }"
    );
}

#[test]
fn a_value_is_restored_in_the_way_its_token_was_written() {
    let mut session = knowing(&[(Org, "Bäcker & \"Söhne\"")]);
    let text = "Bäcker & \"Söhne\"";
    session.tokenize(text, &spans(text, &[(Org, text)]));
    for (text, expected) in [
        ("[COMPANY_1]", "Bäcker & \"Söhne\""),
        (r"\[COMPANY\_1\]", "Bäcker & \"Söhne\""),
        ("%5BCOMPANY_1%5D", "B%C3%A4cker%20%26%20%22S%C3%B6hne%22"),
        (r"\u005bCOMPANY_1\u005d", r#"Bäcker & \"Söhne\""#),
        ("&#91;COMPANY_1&#93;", "Bäcker &amp; &quot;Söhne&quot;"),
    ] {
        assert_eq!(session.restore(text, &all).unwrap().value, expected);
    }
}

#[test]
fn tokens_of_an_earlier_process_are_known_again_and_numbers_go_on() {
    let mut first = SessionValues::default();
    let text = "a@long.org b@long.org c@long.org";
    let found: Vec<(DataType, &str)> = text.split(' ').map(|value| (Email, value)).collect();
    let tokenized = first.tokenize(text, &spans(text, &found));
    let mut second = SessionValues::default();
    // The third was erased; its number is not reused.
    let kept = tokenized.new.into_iter().take(2).map(|new| (new.token, new.value));
    second.load(kept, [(Email, 3)]);
    assert_eq!(second.restore("[EMAIL_2]", &all).unwrap().value, "b@long.org");
    assert_eq!(
        second.restore("[EMAIL_3]", &all),
        Err(RestoreError::Unknown(vec![token(Email, 3)]))
    );
    let found = spans("d@long.org", &[(Email, "d@long.org")]);
    assert_eq!(second.tokenize("d@long.org", &found).text, "[EMAIL_4]");
    assert_eq!(second.tokenize("a@long.org", &[]).text, "[EMAIL_1]");
    // Spellings too.
    let spelled = second.tokenize("A%40long.org", &[]);
    assert_eq!(spelled.text, "[EMAIL_5]");
    let mut third = SessionValues::default();
    third.load(spelled.new.into_iter().map(|new| (new.token, new.value)), []);
    assert_eq!(third.restore("[EMAIL_5]", &all).unwrap().value, "A%40long.org");
    assert_eq!(third.tokenize("A%40long.org a@long.org", &[]).text, "[EMAIL_5] [EMAIL_6]");
    assert_eq!(third.equals(token(Email, 5), token(Email, 6)), Ok(true));
}

#[test]
fn a_forgotten_value_is_gone_and_its_number_is_not_given_again() {
    let mut session =
        knowing(&[(Email, "a@long.org"), (Email, "b@long.org"), (Person, "Jane Doering")]);
    session.tokenize("a@long.org b@long.org Jane Doering", &[]);
    assert_eq!(session.forget(" A@LONG.org"), [token(Email, 1)]);
    assert_eq!(session.forget("jane DOERING"), [token(Person, 1)]);
    assert_eq!(session.forget("nobody"), []);
    assert_eq!(
        session.restore("[EMAIL_1]", &all),
        Err(RestoreError::Unknown(vec![token(Email, 1)]))
    );
    assert_eq!(session.restore("[EMAIL_2]", &all).unwrap().value, "b@long.org");
    let found = spans("a@long.org", &[(Email, "a@long.org")]);
    assert_eq!(session.tokenize("a@long.org", &found).text, "[EMAIL_3]");
}

#[test]
fn beyond_its_limits_a_session_drops_the_oldest_values_without_a_token() {
    let mut session = SessionValues::new(Limits { values: 10, bytes: 10_000 });
    for number in 0..11 {
        let value = format!("number{number:02}@long.org");
        session.remember(&value, &spans(&value, &[(Email, &value)]));
        if number == 0 {
            session.tokenize(&value, &[]);
        }
    }
    assert_eq!((session.len(), session.dropped()), (11, 0));
    session.remember("", &[]);
    assert_eq!((session.len(), session.dropped()), (6, 5));
    assert_eq!(
        session.tokenize("number00@long.org number05@long.org number06@long.org", &[]).text,
        "[EMAIL_1] number05@long.org [EMAIL_2]"
    );
    assert_eq!(format!("{session:?}"), "SessionValues { values: 6, tokens: 2, dropped: 5, .. }");
}

#[test]
fn a_text_in_chunks_has_the_tokens_of_the_whole_text() {
    let values = [(Email, "jane.doe@long.org"), (Person, "Jane Doering")];
    let unit =
        "line of a log for jane.doe@long.org by Jane Doering [NAME_9]; jane.doe%40long.org\n";
    for (text, size) in [
        (unit.repeat(300), 1000),
        (unit.repeat(60), 7),
        (unit.replace('\n', " ").repeat(100), 4097),
        (unit.replace([' ', '\n', ';'], "_").repeat(100), 1000),
        ("é".repeat(10_000), 999),
    ] {
        let detector = Finds(&values);
        let mut whole = SessionValues::default();
        let expected = whole.tokenize(&text, &spans(&text, &values)).text;
        let mut session = SessionValues::default();
        let mut chunks = TokenizeChunks::default();
        let mut out = String::new();
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at(rest.floor_char_boundary(size.max(1)));
            out.push_str(&chunks.push(chunk, &mut session, &detector).text);
            assert!(chunks.held.len() <= 2 * BUFFER_BYTES + size);
            rest = after;
        }
        out.push_str(&chunks.finish(&mut session, &detector).text);
        assert_eq!(out, expected);
    }
}

#[test]
fn a_token_that_is_split_over_chunks_is_restored() {
    let mut session = knowing(&[(Email, "a@long.org")]);
    session.tokenize("a@long.org", &[]);
    for token in ["[EMAIL_1]", "%5BEMAIL_1%5D", r"\[EMAIL\_1\]", r"\u005bEMAIL_1\u005d"] {
        let text = format!("some words before, {token} and é after ").repeat(40);
        let expected = session.restore(&text, &all).unwrap().value;
        for size in [1, 2, 3, 5, 64, 1000] {
            let mut chunks = RestoreChunks::default();
            let mut out = String::new();
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let end =
                    (size..).find(|end| rest.is_char_boundary((*end).min(rest.len()))).unwrap();
                let (chunk, after) = rest.split_at(end.min(rest.len()));
                out.push_str(&chunks.push(chunk, &session, &all).unwrap().value);
                rest = after;
            }
            out.push_str(&chunks.finish(&session, &all).unwrap().value);
            assert_eq!(out, expected, "{token} {size}");
        }
    }
}

#[test]
fn g40_foreign_tokens_are_bounded() {
    let mut session = SessionValues::default();
    let text: String = (1..=30_000).map(|number| format!("[EMAIL_{number}] ")).collect();
    session.remember(&text, &[]);
    session.remember(&text.replace("EMAIL", "NAME"), &[]);
    assert_eq!(session.foreign.len(), super::MAX_FOREIGN_TOKENS);
}

#[test]
fn g45_the_token_of_a_number_is_restored_to_what_the_schema_expects() {
    let mut session = SessionValues::default();
    let text = r#"{"phone":4930123456789}"#;
    let done = session.tokenize_json(text, &[Span::certain(9..22, DataType::Phone)]);
    assert_eq!(done.text, r#"{"phone":"[PHONE_1]"}"#);
    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "number": {"type": ["integer", "null"]},
            "any": {},
            "either": {"anyOf": [{"type": "string"}, {"type": "number"}]},
            "listed": {"type": "array", "items": {"$ref": "#/$defs/phone"}},
        },
        "$defs": {"phone": {"type": "string"}},
    });
    let token = "[PHONE_1]";
    let given = serde_json::json!({
        "text": token, "number": token, "any": token, "either": token, "listed": [token],
        "unlisted": token,
    });
    let (text, number) = ("4930123456789", 4_930_123_456_789_u64);
    let wanted = serde_json::json!({
        "text": text, "number": number, "any": number, "either": number, "listed": [text],
        "unlisted": number,
    });
    let sent = session
        .spellings(&tokens_in(&given))
        .restore_for_schema(&given, &schema, &|_| TokenAction::Restore)
        .unwrap();
    assert_eq!(sent.value, wanted);
}

#[test]
fn g45_a_fragment_of_json_is_restored_as_it_was_in_the_file() {
    let file = "{\n  \"full_name\": \"J\\u00f6rg Wei\\u00df\",\n  \"address\": \"12 Main St\\nSpringfield\",\n  \"phone\": 4930123456789\n}";
    let place = |value: &str| {
        let start = file.find(value).unwrap();
        start..start + value.len()
    };
    let spans = [
        Span::certain(place("J\\u00f6rg Wei\\u00df"), DataType::Person),
        Span::certain(place("12 Main St\\nSpringfield"), DataType::Address),
        Span::certain(place("4930123456789"), DataType::Phone),
    ];
    // As a file, and as an answer that has it.
    for levels in 0..2 {
        let mut session = SessionValues::default();
        session.remember("Jörg Weiß", &[Span::certain(0.."Jörg Weiß".len(), DataType::Person)]);
        session.remember(
            "12 Main St\nSpringfield",
            &[Span::certain(0.."12 Main St\nSpringfield".len(), DataType::Address)],
        );
        session.remember("4930123456789", &[Span::certain(0..13, DataType::Phone)]);
        let mut answer = file.to_owned();
        for _ in 0..levels {
            answer = serde_json::json!({ "text": answer }).to_string();
        }
        let spans: &[Span] = if levels == 0 { &spans } else { &[] };
        let mut shown = session.tokenize(&answer, spans).text;
        for _ in 0..levels {
            let value: serde_json::Value = serde_json::from_str(&shown).unwrap();
            shown = value["text"].as_str().unwrap().to_owned();
        }
        for value in ["Wei", "Main", "49301"] {
            assert!(!shown.contains(value), "{shown}");
        }
        let restored = |text: &str| session.restore(text, &|_| TokenAction::Restore).unwrap().value;
        assert_eq!(restored(&shown), file);
        for (line, raw) in shown.lines().zip(file.lines()) {
            assert_eq!(restored(line), raw);
            assert_eq!(restored(line.trim_matches([' ', ','])), raw.trim_matches([' ', ',']));
        }
        // A new line with a value of another place.
        let name = shown.lines().nth(1).unwrap().split('"').nth(3).unwrap();
        assert_eq!(
            restored(&format!("\"owner\": \"{name}\",")),
            r#""owner": "J\u00f6rg Wei\u00df","#
        );
        // A tool gets the value, and prose has no escapes.
        assert_eq!(restored(name), "Jörg Weiß");
        assert_eq!(
            restored(&format!("Dear {name}, \"{name}\" is")),
            "Dear Jörg Weiß, \"Jörg Weiß\" is"
        );
    }
}
