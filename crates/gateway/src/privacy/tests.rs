use std::sync::Arc;

use proptest::prelude::{ProptestConfig, any, prop, prop_assert_eq, proptest};
use serde_json::{Value, json};
use tidegate_config::{Privacy as Settings, PrivacyMode};
use tidegate_model::{Clock, DataType, ErrorCode, Principal, RunError, SessionName};
use tidegate_privacy::find_tokens;
use tidegate_store::Store;

use super::unscanned::Unscanned;
use super::{Origin, Privacy, RedactedError, RedactedErrors, SearchBudget, Vaults};

fn opened(settings: Settings) -> (tempfile::TempDir, Arc<Privacy>) {
    let state = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(state.path(), Clock::system()).unwrap());
    let vaults = Vaults { store, state_dir: state.path().to_owned() };
    let privacy = Arc::new(Privacy::open(settings, vaults).unwrap());
    (state, privacy)
}

fn of_mode(mode: PrivacyMode) -> Settings {
    Settings { mode, ..Settings::default() }
}

fn session(name: &str) -> Principal {
    Principal::Session(SessionName::parse(name).unwrap())
}

async fn arrive(privacy: &Arc<Privacy>, name: &str, answer: &Value) -> Value {
    let arrived = arrived(privacy, name, Ok(answer.to_string())).await;
    serde_json::from_str(&arrived.unwrap()).unwrap()
}

async fn arrived(
    privacy: &Arc<Privacy>,
    name: &str,
    outcome: Result<String, RunError>,
) -> Result<String, RunError> {
    let outcome = Unscanned::new(outcome);
    privacy
        .arrived(&session(name), outcome, &RedactedErrors::default())
        .await
        .outcome
        .into_outcome()
}

const ANN: &str = "ann.lee@example.org";

#[tokio::test]
async fn what_came_in_once_is_replaced_wherever_it_leaves() {
    let (_state, privacy) = opened(Settings::default());
    let contact = json!({"contact_name": "Ann Lee", "email": ANN, "phone": "+44 20 7946 0958"});
    assert_eq!(arrive(&privacy, "a", &contact).await, contact);
    let mut leaving = privacy.leaving(&session("a"));
    assert_eq!(&*leaving.text("wrote to ANN.LEE@example.org"), "wrote to [EMAIL_1]");
    assert_eq!(
        leaving.json(r#"{"x":["Ann Lee",442079460958]}"#),
        r#"{"x":["[NAME_1]","[PHONE_1]"]}"#
    );
    assert_eq!(leaving.json(r#""Ann Lee\ncalled""#), r#""[NAME_1]\ncalled""#);
    let error =
        RunError::new(ErrorCode::Thrown, format!("cannot import {ANN}")).with_hint("ask Ann Lee");
    let shown = leaving.error(error);
    assert_eq!(
        (shown.message.as_str(), shown.hint.as_deref()),
        ("cannot import [EMAIL_2]", Some("ask [NAME_1]"))
    );
    assert_eq!(leaving.counts[&DataType::Email], 2);
    assert_eq!(leaving.counts[&DataType::Person], 3);
}

#[tokio::test]
async fn no_server_has_our_words_replaced_and_what_they_quote_is() {
    let (_state, privacy) = opened(Settings::default());
    let names = json!([
        {"full_name": "the program"}, {"full_name": "nothing else"}, {"full_name": "Its Limit"},
        {"full_name": "Ann Lee", "email": ANN, "phone": "+44 20 7946 0958"},
    ]);
    arrive(&privacy, "a", &names).await;
    let mut leaving = privacy.leaving(&session("a"));
    let own = RunError::new(ErrorCode::RecipientDenied, "the program hit its limit `time`")
        .with_hint("nothing else than `Ann Lee` was sent, see `the program`");
    let shown = leaving.error(own);
    assert_eq!(shown.message, "the program hit its limit `time`");
    assert_eq!(
        shown.hint.as_deref(),
        Some("nothing else than `[NAME_1]` was sent, see `[NAME_2]`")
    );
    let own = format!("\"Ann Lee\" is no number, nor is {ANN} or +44 20 7946 0958");
    let shown = leaving.error(RunError::new(ErrorCode::RecipientDenied, own));
    assert_eq!(shown.message, "\"[NAME_1]\" is no number, nor is [EMAIL_1] or [PHONE_1]");
    // What a guest says follows our words.
    let said = "the output cannot be written as JSON: key Ann Lee";
    let shown = leaving.error(RunError::new(ErrorCode::BadOutput, said));
    assert_eq!(shown.message, "the output cannot be written as JSON: key [NAME_1]");
    // What a program throws is data.
    let thrown = leaving.error(RunError::new(ErrorCode::Thrown, "the program hit Ann Lee"));
    assert_eq!(thrown.message, "[NAME_2] hit [NAME_1]");
    let warning = "line 3: nothing else compares `Ann Lee`, `Bob Smith`";
    let shown = leaving.own_text(Origin::Data, warning).into_string();
    assert_eq!(shown, "line 3: nothing else compares `[NAME_1]`, `[NAME_3]`");
    // Nor those that name the author of a text.
    let names = json!([{"full_name": "the program threw"}, {"full_name": "its server says"}]);
    arrive(&privacy, "a", &names).await;
    let mut leaving = privacy.leaving(&session("a"));
    let mut shown = |code, said: &str| leaving.error(RunError::new(code, said)).message;
    let thrown = shown(ErrorCode::Thrown, "the program threw: Ann Lee");
    assert_eq!(thrown, "the program threw: [NAME_1]");
    let failed = shown(ErrorCode::ToolFailed, "`crm__x` failed, its server says: no Ann Lee");
    assert_eq!(failed, "`crm__x` failed, its server says: no [NAME_1]");
}

#[tokio::test]
async fn in_strict_mode_programs_get_tokens_and_tools_get_values() {
    let (_state, privacy) = opened(of_mode(PrivacyMode::Strict));
    let seen = arrive(&privacy, "a", &json!([{"email": ANN}, {"email": "bob@example.org"}])).await;
    assert_eq!(seen, json!([{"email": "[EMAIL_1]"}, {"email": "[EMAIL_2]"}]));
    let failed = RunError::new(ErrorCode::ToolFailed, format!("`crm` failed: {ANN} is taken"));
    let arrived = arrived(&privacy, "a", Err(failed)).await;
    assert_eq!(arrived.unwrap_err().message, "`crm` failed: [EMAIL_1] is taken");
    let arguments = json!({"to": "[EMAIL_2]", "cc": ["<[EMAIL_1]>"]});
    let sent = privacy
        .restore(
            &session("a"),
            ("mail", &Value::Bool(true)),
            arguments.as_object().unwrap().clone(),
            &|_| true,
        )
        .unwrap();
    assert_eq!(
        Value::Object(sent.value),
        json!({"to": "bob@example.org", "cc": [format!("<{ANN}>")]})
    );
    assert_eq!(sent.counts.len(), 2);
}

/// `ann.lee@example.org` in ways in which no detector sees it.
fn hidden_addresses() -> Vec<String> {
    let base64 = |bytes: &[u8]| base64::Engine::encode(&base64::prelude::BASE64_STANDARD, bytes);
    let wide: Vec<u8> = format!("to {ANN} now").encode_utf16().flat_map(u16::to_le_bytes).collect();
    vec![
        "<a>ann.lee&#64;example.org</a>".to_owned(),
        "to ann.lee&#x40;example.org".to_owned(),
        "to ann.lee&#0064example.org".to_owned(),
        "to ann.lee&commat;example&period;org".to_owned(),
        "to ann.lee=40example.org".to_owned(),
        "to ann.lee@exam=\r\nple.org".to_owned(),
        r#"const to = "ann.lee\u0040example.org";"#.to_owned(),
        r#"const to = 'ann.lee\x40example.org';"#.to_owned(),
        "{\"a\":1}\n{\"to\":\"ann.lee\\u0040example.org\"}".to_owned(),
        base64(format!("to\0{ANN}").as_bytes()),
        base64(&wide),
    ]
}

#[tokio::test]
async fn g41_escapes_and_encodings_hide_nothing_from_programs_in_strict_mode() {
    for hidden in hidden_addresses() {
        let (_state, privacy) = opened(of_mode(PrivacyMode::Strict));
        let seen = arrive(&privacy, "a", &json!({"x": hidden})).await;
        let shown = seen["x"].as_str().unwrap().to_owned();
        assert_ne!(shown, hidden);
        assert!(!shown.contains("example"), "{hidden}: {shown}");
        let counts = privacy.session(&session("a")).values().known_types(ANN);
        assert!(counts.contains(&DataType::Email), "{hidden}");
    }
}

#[tokio::test]
async fn g41_escapes_and_encodings_hide_nothing_from_the_model() {
    for hidden in hidden_addresses() {
        let (_state, privacy) = opened(Settings::default());
        arrive(&privacy, "a", &json!({"x": hidden})).await;
        let mut leaving = privacy.leaving(&session("a"));
        assert_eq!(&*leaving.text(&format!("is {ANN} there")), "is [EMAIL_1] there");
        if hidden.contains("lee") {
            let shown = leaving.text(&hidden).into_string();
            assert!(!shown.contains("example"), "{hidden}: {shown}");
            let back = privacy.reveal(&session("a"), &shown).unwrap().value;
            assert_eq!(back, hidden);
        }
    }
}

#[tokio::test]
async fn g41_every_type_is_replaced_in_what_comes_in() {
    let record = json!({
        "full_name": "Zofia Kowalczyk",
        "address": "12 Linden Street, Springfield, IL 62701",
        "last_ip": "203.0.113.77",
        "iban": "DE89370400440532013000",
        "email": ANN,
    });
    let values: Vec<&str> =
        record.as_object().unwrap().values().map(|value| value.as_str().unwrap()).collect();
    for mode in [PrivacyMode::Strict, PrivacyMode::Boundary] {
        let (_state, privacy) = opened(of_mode(mode));
        let text = json!({"content": [{"type": "text", "text": record.to_string()}]});
        let code = base64::Engine::encode(
            &base64::prelude::BASE64_STANDARD,
            record.to_string().as_bytes(),
        );
        let seen = arrive(&privacy, "a", &json!([record, text, {"blob": code}])).await.to_string();
        let failed = RunError::new(ErrorCode::ToolFailed, format!("no {}", values.join(", no ")));
        let failed = arrived(&privacy, "a", Err(failed)).await.unwrap_err();
        let mut leaving = privacy.leaving(&session("a"));
        let shown = [
            leaving.json(&json!([record, text]).to_string()),
            leaving.text(&format!("of {}", values.join(" and "))).into_string(),
            leaving.error(failed.clone()).message,
        ];
        for value in &values {
            assert!(shown.iter().all(|text| !text.contains(value)), "{value}: {shown:?}");
            if mode == PrivacyMode::Strict {
                assert!(!seen.contains(value), "{value}: {seen}");
                assert!(!failed.message.contains(value), "{value}: {failed}");
            }
        }
        assert_eq!(seen.contains(&code), mode == PrivacyMode::Boundary);
    }
}

#[tokio::test]
async fn tokens_of_others_and_for_others_are_refused_and_named() {
    let mut settings = Settings::default();
    settings.receive.insert("wiki".to_owned(), [DataType::Person].into());
    let (_state, privacy) = opened(settings);
    arrive(&privacy, "a", &json!({"email": ANN})).await;
    assert_eq!(&*privacy.leaving(&session("a")).text(ANN), "[EMAIL_1]");
    let put_back = |name: &str, server: &str, text: &str| {
        let arguments = json!({"text": text}).as_object().unwrap().clone();
        privacy
            .restore(&session(name), (server, &Value::Bool(true)), arguments, &|_| true)
            .map(|restored| Value::Object(restored.value))
    };
    assert_eq!(put_back("a", "crm", "[EMAIL_1]").unwrap(), json!({"text": ANN}));
    let foreign = put_back("b", "crm", "hello [EMAIL_1]").unwrap_err();
    assert_eq!(foreign.code, ErrorCode::UnknownToken);
    assert!(foreign.message.contains("`[EMAIL_1]`"), "{foreign}");
    let refused = put_back("a", "wiki", "[EMAIL_1]").unwrap_err();
    assert_eq!(refused.code, ErrorCode::RecipientDenied);
    assert!(refused.to_string().contains("privacy.receive.wiki"), "{refused}");
    assert_eq!(put_back("b", "wiki", "[1] and [x_2]").unwrap(), json!({"text": "[1] and [x_2]"}));
}

#[tokio::test]
async fn a_session_with_a_name_has_its_tokens_again_in_another_process() {
    let (state, privacy) = opened(Settings::default());
    assert_eq!(&*privacy.leaving(&session("work")).text(ANN), "[EMAIL_1]");
    privacy
        .restore(
            &session("work"),
            ("crm", &Value::Bool(true)),
            json!({"to": "[EMAIL_1]"}).as_object().unwrap().clone(),
            &|_| true,
        )
        .unwrap();
    privacy.flush();
    drop(privacy);
    let store = Arc::new(Store::open(state.path(), Clock::system()).unwrap());
    let vaults = Vaults { store, state_dir: state.path().to_owned() };
    let again = Privacy::open(Settings::default(), vaults.clone()).unwrap();
    assert_eq!(again.reveal(&session("work"), "to [EMAIL_1]").unwrap().value, format!("to {ANN}"));
    assert_eq!(&*again.leaving(&session("work")).text("bob@example.org"), "[EMAIL_2]");
    assert!(again.reveal(&session("other"), "[EMAIL_1]").is_err());
    again.leaving(&session("busy")).text("eve@example.org");
    again.flush();
    let report = vaults.open().unwrap().report().await.unwrap();
    assert_eq!(report.types, [(DataType::Email, 3, 2)]);
    let sessions = vaults.open().unwrap().sessions().await.unwrap();
    let mut names: Vec<&str> = sessions.iter().map(|session| session.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["busy", "work"]);
}

#[tokio::test]
async fn g35_a_run_brings_its_tokens_only_to_a_session_that_has_none() {
    let (state, first) = opened(Settings::default());
    first.leaving(&session("first")).text(ANN);
    first.flush();
    let store = Arc::new(Store::open(state.path(), Clock::system()).unwrap());
    let vaults = Vaults { store, state_dir: state.path().to_owned() };
    let second = Privacy::open(Settings::default(), vaults.clone()).unwrap();
    let name = second.adopt_tokens(&Principal::Process, "first").unwrap();
    assert_eq!(second.reveal(&Principal::Process, "[EMAIL_1]").unwrap().value, ANN);
    // Both are open, and give out further tokens, each for somebody else.
    assert_ne!(name, "first");
    assert_eq!(&*first.leaving(&session("first")).text("carol@example.org"), "[EMAIL_2]");
    assert_eq!(&*second.leaving(&Principal::Process).text("dave@example.org"), "[EMAIL_3]");
    first.flush();
    second.flush();
    // A session that takes over from the second gets what it had.
    let third = Privacy::open(Settings::default(), vaults).unwrap();
    third.adopt_tokens(&Principal::Process, &name).unwrap();
    let restored = third.reveal(&Principal::Process, "[EMAIL_1] [EMAIL_3]").unwrap().value;
    assert_eq!(restored, format!("{ANN} dave@example.org"));
    // A session with values of its own may not even seem to have those of others.
    third.leaving(&session("busy")).text("eve@example.org");
    let refused = third.adopt_tokens(&session("busy"), "first").unwrap_err();
    assert_eq!(refused.code, ErrorCode::UnknownToken);
    assert!(third.reveal(&session("busy"), "[EMAIL_1]").is_err());
    assert_eq!(third.reveal(&session("busy"), "[EMAIL_4]").unwrap().value, "eve@example.org");
    assert_eq!(third.adopt_tokens(&session("busy"), "busy").unwrap(), "busy");
}

#[tokio::test]
async fn rules_of_the_configuration_count() {
    let settings = Settings {
        patterns: vec![r"PRJ-\d{4}".to_owned()],
        terms: vec!["Falcon".to_owned()],
        keys: vec!["badge".to_owned()],
        exclude: vec!["help@example.org".to_owned()],
        types: vec![DataType::Email],
        ..Settings::default()
    };
    let (_state, privacy) = opened(settings);
    let mut leaving = privacy.leaving(&session("a"));
    let shown = leaving.json(
        r#"{"p":"PRJ-1234 of Falcon","badge":"x9","m":"help@example.org","n":"ann@example.org"}"#,
    );
    assert_eq!(
        shown,
        r#"{"p":"[CUSTOM_1] of [CUSTOM_2]","badge":"[CUSTOM_3]","m":"help@example.org","n":"[EMAIL_1]"}"#
    );
}

#[tokio::test]
async fn when_it_is_off_nothing_is_touched() {
    let (_state, privacy) = opened(of_mode(PrivacyMode::Off));
    let answer = json!({"email": ANN, "text": "[EMAIL_7]"});
    assert_eq!(arrive(&privacy, "a", &answer).await, answer);
    assert_eq!(&*privacy.leaving(&session("a")).text(ANN), ANN);
    let arguments = answer.as_object().unwrap().clone();
    assert_eq!(
        privacy
            .restore(&session("a"), ("crm", &Value::Bool(true)), arguments.clone(), &|_| true)
            .unwrap()
            .value,
        arguments
    );
}

#[tokio::test]
async fn names_of_tools_stay_what_they_are() {
    let (_state, privacy) = opened(Settings::default());
    arrive(&privacy, "a", &json!([{"company": "GitHub", "email": ANN}])).await;
    let mut leaving = privacy.leaving(&session("a"));
    let text = format!("github__list: lists what GitHub has; ask {ANN}");
    assert_eq!(
        &*leaving.redact(Origin::AboutTools, &text),
        "github__list: lists what GitHub has; ask [EMAIL_1]"
    );
}

#[tokio::test]
async fn a_line_of_the_log_has_tokens_too() {
    let (_state, privacy) = opened(Settings::default());
    arrive(&privacy, "a", &json!({"contact_name": "Ann Lee"})).await;
    assert_eq!(privacy.redacted("call of Ann Lee failed"), "call of [NAME_1] failed");
    assert_eq!(privacy.redacted("ann@example.org unknown"), "[EMAIL_1] unknown");
}

#[tokio::test]
async fn what_servers_write_is_no_token() {
    let (_state, privacy) = opened(Settings::default());
    arrive(&privacy, "a", &json!({"email": ANN})).await;
    assert_eq!(&*privacy.leaving(&session("a")).text(ANN), "[EMAIL_1]");
    // A program that does not hold the token passes on what it was given.
    let arguments =
        json!({"text": "post [EMAIL_1] and %5BEMAIL_1%5D"}).as_object().unwrap().clone();
    let sent = privacy
        .restore(&session("a"), ("wiki", &Value::Bool(true)), arguments.clone(), &|_| false)
        .unwrap();
    assert_eq!((sent.value, sent.left.len()), (arguments, 1));
    // In strict mode it gets no such token.
    let (_state, privacy) = opened(of_mode(PrivacyMode::Strict));
    arrive(&privacy, "a", &json!({"email": ANN})).await;
    let odd = r#"{"a":"[EMAIL_1] %5BEMAIL_1%5D \u005bEMAIL_1]","b":"[EMAIL_1]"}"#;
    let seen = arrived(&privacy, "a", Ok(odd.to_owned())).await.unwrap();
    let seen: Value = serde_json::from_str(&seen).unwrap();
    let sent = privacy
        .restore(
            &session("a"),
            ("wiki", &Value::Bool(true)),
            seen.as_object().unwrap().clone(),
            &|_| true,
        )
        .unwrap();
    assert!(sent.counts.is_empty(), "{:?}", sent.value);
    assert_eq!(Value::Object(sent.value), seen);
}

#[tokio::test]
async fn in_strict_mode_no_error_gives_a_value_to_a_program() {
    let (_state, privacy) = opened(of_mode(PrivacyMode::Strict));
    arrive(&privacy, "a", &json!({"name": "Oyelaran Adebayo", "email": ANN})).await;
    let own = RunError::new(ErrorCode::BadArgument, "`n` must be a number, got `Oyelaran Adebayo`")
        .with_hint(format!("did you mean {ANN}?"));
    let error = arrived(&privacy, "a", Err(own)).await.unwrap_err();
    assert_eq!(error.message, "`n` must be a number, got `[NAME_1]`");
    assert_eq!(error.hint.as_deref(), Some("did you mean [EMAIL_1]?"));
}

#[tokio::test]
async fn a_limited_server_gets_no_values_from_programs_either() {
    let mut settings = Settings::default();
    settings.receive.insert("wiki".to_owned(), [DataType::Person].into());
    let (_state, privacy) = opened(settings);
    arrive(&privacy, "a", &json!({"name": "Qixlat Mroop", "company": "Vlompf"})).await;
    let sent = |server: &str, body: &str| {
        let arguments = json!({"body": body}).as_object().unwrap().clone();
        privacy.restore(&session("a"), (server, &Value::Bool(true)), arguments, &|_| true).map(drop)
    };
    sent("wiki", "Qixlat Mroop").unwrap();
    let refused = sent("wiki", &format!("of Vlompf, {ANN}")).unwrap_err();
    assert_eq!(
        (refused.code, refused.message.as_str()),
        (ErrorCode::RecipientDenied, "`wiki` may not receive personal data of type EMAIL, ORG")
    );
    sent("crm", &format!("of Vlompf, {ANN}")).unwrap();
}

#[tokio::test]
async fn a_redacted_error_stays_as_it_is_whatever_a_server_lists_as_a_name() {
    let (_state, privacy) = opened(Settings::default());
    let people = json!([{"full_name": "said no"}, {"full_name": "retry it"}, {"email": ANN}]);
    arrive(&privacy, "a", &people).await;
    let denied = "a person was asked and said no: call";
    let redacted =
        RedactedError::new(ErrorCode::ApprovalDenied, &[&denied]).with_hint(&[&"do not retry it"]);
    let errors = RedactedErrors::default();
    let error = errors.add(redacted);
    // A request that did not make the error does not know its text.
    let thrown = RunError { code: ErrorCode::Thrown, ..error.clone() };
    assert_ne!(privacy.leaving(&session("a")).error(thrown.clone()), thrown);
    let mut leaving = privacy.leaving(&session("a")).keeping(&errors);
    assert_eq!(leaving.error(thrown.clone()).message, thrown.message);
    assert_eq!(leaving.error(error.clone()), error);
    // As Python reports it, with what the program puts around it.
    let around = |text: &str| RunError {
        message: format!("ToolError: {}\n  line 1: f('{text}')", error.message),
        ..error.clone()
    };
    assert_eq!(leaving.error(around(ANN)), around("[EMAIL_1]"));
}

#[tokio::test]
async fn in_strict_mode_a_program_gets_a_redacted_error_as_it_is() {
    let (_state, privacy) = opened(of_mode(PrivacyMode::Strict));
    arrive(&privacy, "a", &json!([{"full_name": "said no"}])).await;
    let errors = RedactedErrors::default();
    let error = errors.add(RedactedError::new(ErrorCode::ApprovalDenied, &[&"a person said no"]));
    let arrived = privacy.arrived(&session("a"), Unscanned::new(Err(error.clone())), &errors).await;
    assert_eq!(arrived.outcome.into_outcome(), Err(error));
}

#[tokio::test]
async fn a_session_that_has_ended_has_its_tokens_in_the_vault_only_if_it_has_a_name() {
    let (_state, privacy) = opened(Settings::default());
    let named = session("a");
    for (principal, token) in [(&named, "[EMAIL_1]"), (&Principal::Process, "[EMAIL_2]")] {
        assert_eq!(&*privacy.leaving(principal).text(ANN), token);
    }
    let before = privacy.session(&Principal::Process).name.clone();
    privacy.retain_sessions(|_| false);
    assert_eq!(privacy.reveal(&named, "[EMAIL_1]").unwrap().value, ANN);
    assert_eq!(&*privacy.leaving(&named).text("bob@example.org"), "[EMAIL_3]");
    // An unnamed session starts over, under another name in the vault.
    assert!(privacy.reveal(&Principal::Process, "[EMAIL_2]").is_err());
    assert_eq!(&*privacy.leaving(&Principal::Process).text("bob@example.org"), "[EMAIL_4]");
    assert_ne!(privacy.session(&Principal::Process).name, before);
}

#[tokio::test]
async fn g44_a_number_that_one_session_has_given_out_is_given_out_by_no_other() {
    let (state, first) = opened(Settings::default());
    let store = Arc::new(Store::open(state.path(), Clock::system()).unwrap());
    let vaults = Vaults { store, state_dir: state.path().to_owned() };
    // As of another gateway with the same state folder.
    let second = Privacy::open(Settings::default(), vaults.clone()).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for number in 0..40 {
        for (privacy, name) in [(&*first, "a"), (&*first, "b"), (&second, "c")] {
            let value = format!("{name}{number}@example.org");
            let token = privacy.leaving(&session(name)).text(&value).into_string();
            assert!(seen.insert(token.clone()), "{token}");
            for (other, principal) in [(&*first, "a"), (&*first, "b"), (&second, "c")] {
                let restored = other.reveal(&session(principal), &token);
                match principal == name {
                    true => assert_eq!(restored.unwrap().value, value),
                    false => assert!(restored.is_err(), "{token} of {name} in {principal}"),
                }
            }
        }
    }
    // A session that has lost its values goes on counting.
    first.flush();
    second.flush();
    vaults.open().unwrap().erase_session("a").await.unwrap();
    let third = Privacy::open(Settings::default(), vaults).unwrap();
    let token = third.leaving(&session("a")).text("new@example.org").into_string();
    assert!(seen.insert(token));
}

/// What a session may know: all under keys, so for certain.
fn contact() -> Value {
    json!([{
        "contact_name": "Ann Kowalczyk", "email": "ann.kowalczyk@umbrella.co.uk",
        "phone": "+44 20 7946 0958", "company": "Umbrella GmbH", "iban": "DE89370400440532013000",
        "address": "12 Main Street, Springfield", "password": "tulip-harbor7x",
    }, {"contact_name": "Jörg Weiß", "company": "Umbrella", "card": "4111 1111 1111 1111"}])
}

/// Texts in which values stand in every spelling, place and encoding.
const NASTY: &[&str] = &[
    "umbrella.co.uk",
    "Umbrella.co.uk and UMBRELLA.CO.UK",
    "https://umbrella.co.uk/about?contact=ann.kowalczyk%40umbrella.co.uk&x=1#Umbrella",
    "https://x.org/?q=Ann+Kowalczyk&r=Ann%20Kowalczyk&s=ann%2Bkowalczyk",
    "HTTPS://X.ORG/%41nn%20Kowalczyk",
    "/home/ann.kowalczyk/notes-Ann-Kowalczyk.md",
    "[FILE] notes-Ann-Kowalczyk.md\n[DIR] Umbrella GmbH\n[FILE] ann_kowalczyk_2024.pdf",
    r"C:\Users\Ann Kowalczyk\Umbrella\x.txt",
    r"C:\ann.kowalczyk@umbrella.co.uk",
    r"\\server\Umbrella GmbH\Ann.docx",
    "Ann Kowalczyk <ann.kowalczyk@umbrella.co.uk>",
    "\"Kowalczyk, Ann\" <Ann.Kowalczyk@Umbrella.co.uk>, ANN.KOWALCZYK@UMBRELLA.CO.UK",
    "mailto:ann.kowalczyk@umbrella.co.uk?subject=Umbrella%20GmbH",
    "<mailto:Ann.Kowalczyk@umbrella.co.uk>",
    "ann.kowalczyk+tag@umbrella.co.uk; ann.kowalczyk@umbrella.co.uk.",
    "+44 20 7946 0958, +442079460958, 0044 20 7946 0958, (020) 7946 0958, 020-7946-0958",
    "+44\u{a0}20\u{a0}7946\u{a0}0958 or +44 (0)20 7946 0958 or +44.20.7946.0958",
    "tel:+442079460958 x12",
    "%2B44%2020%207946%200958",
    "DE89 3704 0044 0532 0130 00 = DE89370400440532013000 = de89370400440532013000",
    "DE89-3704-0044-0532-0130-00.",
    "4111 1111 1111 1111, 4111-1111-1111-1111, 4111111111111111",
    "x4111111111111111x",
    "Umbrella GmbH, Umbrella GMBH, umbrella gmbh, UMBRELLA GmbH.",
    "Umbrella  GmbH\tand\u{a0}Umbrella\u{a0}GmbH",
    "(Umbrella) “Umbrella”, ‘Umbrella’ – Umbrella's; Umbrella-backed",
    "J\u{f6}rg Wei\u{df}, Jo\u{308}rg Wei\u{df}, J\u{d6}RG WEISS, j\u{f6}rg weiss",
    "J%C3%B6rg%20Wei%C3%9F and J&ouml;rg and J&#246;rg Wei&szlig;",
    r"J\u00f6rg Wei\u00df in a log",
    r#"{"name":"J\u00f6rg Wei\u00df","mail":"ann.kowalczyk\u0040umbrella.co.uk"}"#,
    r#"{"name": "Jörg Weiß", "text": "Ann \"Kowalczyk\"\nAnn Kowalczyk\\n"}"#,
    r#"{"path": "C:\\Users\\Ann Kowalczyk", "url": "https:\/\/umbrella.co.uk\/ann"}"#,
    r#"{"phone":442079460958,"card":4111111111111111,"list":[442079460958, 7]}"#,
    r#"{"phone":"442079460958","n":-442079460958.0,"e":442079460958e0}"#,
    r#"{"ann.kowalczyk@umbrella.co.uk":{"Ann Kowalczyk":1},"Umbrella":"Umbrella"}"#,
    r#"{"inner":"{\"name\":\"J\\u00f6rg Wei\\u00df\",\"phone\":442079460958}"}"#,
    r#"[ "Ann Kowalczyk" , null , { "a" : "  Ann Kowalczyk  " } ]"#,
    r#"prefix {"name":"Ann Kowalczyk"} suffix {"name":"J\u00f6rg Wei\u00df"}"#,
    "{\"name\": \"Ann Kowalczyk\"",
    "name,email\nAnn Kowalczyk,ann.kowalczyk@umbrella.co.uk\n\"Kowalczyk, Ann\",ANN@X.ORG\n",
    "name;company\r\nann kowalczyk;umbrella gmbh\r\nANN KOWALCZYK;UMBRELLA GMBH\r\n",
    "| name | mail |\n|---|---|\n| Ann Kowalczyk | ann.kowalczyk@umbrella.co.uk |",
    "<name>Ann Kowalczyk</name><a href=\"mailto:ann.kowalczyk&#64;umbrella.co.uk\">Ann</a>",
    "Ann&nbsp;Kowalczyk &amp; Umbrella GmbH &lt;ann.kowalczyk@umbrella.co.uk&gt;",
    "YW5uLmtvd2FsY3p5a0B1bWJyZWxsYS5jby51aw==",
    "x=YW5uLmtvd2FsY3p5a0B1bWJyZWxsYS5jby51aw&y=QW5uIEtvd2FsY3p5aw",
    "616e6e2e6b6f77616c637a796b40756d6272656c6c612e636f2e756b",
    "0x416E6E204B6F77616C637A796B",
    "ann.kowalczyk%2540umbrella.co.uk and ann.kowalczyk\\\\u0040umbrella.co.uk",
    "12 Main Street, Springfield / 12 MAIN STREET,\nSPRINGFIELD",
    "password=tulip-harbor7x&next=TULIP-HARBOR7X tulip\\-harbor7x",
    "SELECT * FROM people WHERE name = 'Ann Kowalczyk' AND mail LIKE '%@umbrella.co.uk'",
    "INSERT INTO t (name, phone) VALUES ('Ann Kowalczyk', '+44 20 7946 0958');",
    "git@github.com:umbrella/ann-kowalczyk.git",
    "umbrella_prod.ann_kowalczyk-umbrella.Umbrella",
    "import { umbrella } from '@umbrella/ann'; umbrella.Ann()",
    "**Ann Kowalczyk** _Ann Kowalczyk_ `Ann Kowalczyk` [Ann Kowalczyk](https://umbrella.co.uk)",
    r"\[Ann Kowalczyk\] \Ann Kowalczyk\\Ann Kowalczyk",
    "[Ann Kowalczyk][ann.kowalczyk@umbrella.co.uk][[Umbrella]]",
    "%5BAnn Kowalczyk%5D &#91;Ann Kowalczyk&#93; [EMAIL_Ann Kowalczyk]",
    "[[ann.kowalczyk@umbrella.co.uk]_1]",
    "Ann KowalczykAnn Kowalczyk ann.kowalczyk@umbrella.co.ukann.kowalczyk@umbrella.co.uk",
    "\u{feff}Ann Kowalczyk\u{200b}\r\n\tAnn\u{2009}Kowalczyk\0Ann Kowalczyk\n\n",
    "  Ann Kowalczyk  ",
    "2001:DB8:0:0::1, 2001:db8::1, [2001:db8::1]:80, 10.0.0.1:80",
    "Met Bob Smith of Wayne Enterprises Ltd at wayne-enterprises.com, see docs/Bob Smith.md",
    "Dear Mr. Smith, Wayne Ltd (wayne.co.uk, /srv/wayne, ~/Smith, smith_bob) wrote. Smith/Wayne",
    "born 1990-11-01, birth date: 01.11.1990, ssn 123-45-6789 or 123 45 6789",
    "a=sk-ABCD1234abcd5678EFGH9012ijkl3456 b=Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_DEF",
    "😀Ann Kowalczyk😀 Ånn Kowalczyk é\u{301}Ann Kowalczyk\u{301}",
    "",
    "no personal data at all",
];

/// A text as the model sees it, as text and inside an answer, written back through a tool.
fn round_trip(privacy: &Privacy, text: &str) -> [String; 3] {
    let principal = session("a");
    let mut leaving = privacy.leaving(&principal);
    let as_text = leaving.text(text).into_string();
    let answer: Value =
        serde_json::from_str(&leaving.json(&json!({"content": text}).to_string())).unwrap();
    let written = |shown: &Value| {
        let arguments = json!({"content": shown}).as_object().unwrap().clone();
        let sent = privacy
            .restore(&principal, ("wiki", &Value::Bool(true)), arguments, &|_| true)
            .unwrap();
        sent.value["content"].as_str().unwrap().to_owned()
    };
    let by_hand = privacy.reveal(&principal, &as_text).unwrap().value;
    [written(&Value::from(as_text)), written(&answer["content"]), by_hand]
}

#[tokio::test]
async fn g45_what_the_model_was_shown_comes_back_byte_for_byte() {
    for known in [contact(), json!({})] {
        let (_state, privacy) = opened(Settings::default());
        arrive(&privacy, "a", &known).await;
        for text in NASTY {
            assert_eq!(round_trip(&privacy, text), [*text; 3]);
        }
        // And once more, when all spellings are known.
        let all = NASTY.join("\n");
        assert_eq!(round_trip(&privacy, &all), [all.as_str(); 3]);
    }
}

#[tokio::test]
async fn g45_json_values_come_back_as_the_values_they_were() {
    let (_state, privacy) = opened(Settings::default());
    let known = contact();
    arrive(&privacy, "a", &known).await;
    let principal = session("a");
    let answer = json!({
        "rows": known, "phone": 442_079_460_958_u64, "path": r"C:\Users\Ann Kowalczyk",
        "quoted": "Ann \"Kowalczyk\"", "ann.kowalczyk@umbrella.co.uk": ["jörg weiß", null, 1.5],
    });
    for text in [answer.to_string(), answer.to_string().replace('ö', r"\u00f6")] {
        let shown: Value = serde_json::from_str(&privacy.leaving(&principal).json(&text)).unwrap();
        let arguments = shown.as_object().unwrap().clone();
        let sent =
            privacy.restore(&principal, ("crm", &Value::Bool(true)), arguments, &|_| true).unwrap();
        assert_eq!(Value::Object(sent.value), answer);
        let shown = shown.to_string();
        for value in ["Kowalczyk", "ann.", "rg Wei", "7946", "Umbrella"] {
            assert!(!shown.contains(value), "{value} in {shown}");
        }
    }
}

#[tokio::test]
async fn a_guess_is_not_replaced_in_identifiers_and_what_is_certain_is() {
    let text = "Umbrella Ltd wrote: see umbrella.co.uk and /srv/Umbrella/x";
    let (_state, privacy) = opened(Settings::default());
    let shown = privacy.leaving(&session("a")).text("We met Umbrella Ltd again.").into_string();
    assert_eq!(shown, "We met [COMPANY_1] again.");
    let shown = privacy.leaving(&session("a")).text(text).into_string();
    assert_eq!(shown, "[COMPANY_1] wrote: see umbrella.co.uk and /srv/Umbrella/x");
    arrive(&privacy, "a", &json!({"company": "Umbrella"})).await;
    let shown = privacy.leaving(&session("a")).text(text).into_string();
    assert_eq!(shown, "[COMPANY_1] wrote: see [COMPANY_2].co.uk and /srv/[COMPANY_3]/x");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn g45_any_mixture_comes_back_byte_for_byte(
        parts in prop::collection::vec((0..NASTY.len(), "[\\PC\\n]{0,12}", any::<bool>()), 1..6),
    ) {
        let mut text = String::new();
        for (nasty, other, upper) in parts {
            let nasty = NASTY[nasty];
            text.push_str(&if upper { nasty.to_uppercase() } else { nasty.to_owned() });
            text.push_str(&other);
        }
        if !find_tokens(&text).is_empty() {
            return Ok(());
        }
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let (_state, privacy) = opened(Settings::default());
        runtime.block_on(arrive(&privacy, "a", &contact()));
        prop_assert_eq!(round_trip(&privacy, &text), [text.as_str(); 3]);
    }
}

fn flood(count: usize) -> String {
    (0..count).map(|number| format!("p{number}@ab{number}.org ")).collect()
}

#[tokio::test]
async fn g40_an_answer_is_searched_within_bounds_and_the_rest_is_withheld() {
    let (_state, privacy) = opened(Settings::default());
    let text = flood(60_000);
    for (json, end) in [
        (Value::from(text.as_str()).to_string(), ""),
        (json!([{"text": text, "more": 1}]).to_string(), "\"more\":1"),
    ] {
        let mut leaving = privacy.leaving(&session("a"));
        leaving.send_later();
        let start: String = serde_json::from_str(&leaving.start_of_json(&json)).unwrap();
        let note = leaving.take_withheld().unwrap().to_string();
        assert!(note.ends_with("searched for personal data, the rest is not shown"), "{note}");
        assert!(start.contains("[EMAIL_1] [EMAIL_2]"));
        assert!(!start.contains(".org") && (end.is_empty() || !start.contains(end)));
        // What follows in the same answer is not shown at all.
        assert_eq!(leaving.start_of_text(&flood(60_000)), "");
        assert!(leaving.take_withheld().is_some());
    }
    // Only what is sent is stored.
    let leaving = privacy.leaving(&session("a"));
    leaving.sent("to [EMAIL_2] and [EMAIL_3]");
    privacy.flush();
    let vault = privacy.vaults.open().unwrap();
    let stored = vault.load(&privacy.session(&session("a")).name).await.unwrap().values;
    let numbers: Vec<u32> = stored.iter().map(|value| value.number).collect();
    assert_eq!(numbers, [2, 3]);
    // A small answer is as before.
    let mut leaving = privacy.leaving(&session("a"));
    assert_eq!(leaving.start_of_text("to p1@ab1.org"), "to [EMAIL_2]");
    assert_eq!(leaving.take_withheld(), None);
}

#[tokio::test]
async fn g40_an_answer_with_too_much_personal_data_is_refused() {
    for mode in [PrivacyMode::Boundary, PrivacyMode::Strict] {
        let (_state, privacy) = opened(of_mode(mode));
        let known = privacy.session(&session("a"));
        let mut budget = SearchBudget { new_values: 1000, ..SearchBudget::ARRIVAL };
        let text = Value::from(flood(30_000)).to_string();
        let refused =
            privacy.take_in_within(&known, text, &mut budget).outcome.into_outcome().unwrap_err();
        assert_eq!(refused.code, ErrorCode::TooMuchPersonalData);
        let fits = Value::from(flood(10)).to_string();
        let mut budget = SearchBudget::ARRIVAL;
        assert!(privacy.take_in_within(&known, fits, &mut budget).outcome.into_outcome().is_ok());
    }
}

#[tokio::test]
async fn g40_sessions_share_what_is_remembered() {
    let (_state, privacy) = opened(Settings::default());
    let values = |name: &str| privacy.session(&session(name)).values().len();
    let arrive = async |name: &str, first: usize| {
        let emails: Vec<String> = (first..first + 3000).map(|n| format!("p{n}@x{n}.org")).collect();
        arrived(&privacy, name, Ok(Value::from(emails).to_string())).await.unwrap();
    };
    arrive("s0", 0).await;
    assert_eq!(values("s0"), 3000);
    for number in 1..400 {
        privacy.session(&session(&format!("s{number}")));
    }
    // With four hundred sessions, each has its least share and what one more text adds.
    arrive("s0", 3000).await;
    arrive("s0", 6000).await;
    assert!(values("s0") <= 4000, "{}", values("s0"));
    assert!(privacy.session(&session("s0")).newly_dropped() >= 5000);
    assert_eq!(privacy.session(&session("s0")).newly_dropped(), 0);
}

#[tokio::test]
async fn g40_long_lines_of_the_log_are_not_searched() {
    let (_state, privacy) = opened(Settings::default());
    assert_eq!(privacy.redacted("to ann@x.org"), "to [EMAIL_1]");
    assert_eq!(
        privacy.redacted(&flood(5000)),
        format!("({} bytes, too many to be searched for personal data)", flood(5000).len())
    );
    // A session that is in use cannot be asked; its values are not logged.
    let busy = privacy.session(&session("a"));
    let _values = busy.values();
    assert_eq!(
        privacy.redacted("to ann@x.org"),
        "(not searched for personal data: a session is in use)"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn large_arguments_keep_the_session_from_nobody() {
    let (_state, privacy) = opened(Settings::default());
    arrive(&privacy, "a", &json!({"email": ANN})).await;
    assert_eq!(&*privacy.leaving(&session("a")).text(ANN), "[EMAIL_1]");
    let working = Arc::clone(&privacy);
    let restoring = tokio::spawn(async move {
        let arguments = json!({"text": "[EMAIL_1] ".repeat(1_000_000)});
        let arguments = arguments.as_object().unwrap().clone();
        working
            .restore(&session("a"), ("mail", &json!({})), arguments, &|_| true)
            .map(|sent| sent.counts.len())
    });
    let mut longest = std::time::Duration::ZERO;
    let mut turns = 0;
    while !restoring.is_finished() {
        let started = std::time::Instant::now();
        drop(privacy.session(&session("a")).values());
        longest = longest.max(started.elapsed());
        turns += 1;
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    assert_eq!(restoring.await.unwrap().unwrap(), 1);
    assert!(turns > 10, "{turns}");
    // It takes more than a second in a debug build.
    assert!(longest < std::time::Duration::from_millis(300), "{longest:?}");
}

#[tokio::test]
async fn g40_a_short_text_of_tokens_does_not_become_an_endless_one() {
    let (_state, privacy) = opened(Settings::default());
    let email = format!("{}@example.org", "long".repeat(12));
    arrive(&privacy, "a", &json!({"email": email})).await;
    assert_eq!(&*privacy.leaving(&session("a")).text(&email), "[EMAIL_1]");
    let sent = |times: usize| {
        let arguments = json!({"text": "[EMAIL_1]".repeat(times)}).as_object().unwrap().clone();
        privacy.restore(&session("a"), ("mail", &json!({})), arguments, &|_| true).map(drop)
    };
    sent(1000).unwrap();
    let refused = sent(1_200_000).unwrap_err();
    assert_eq!(refused.message, "with its values, the text would be longer than 64 MB");
}
