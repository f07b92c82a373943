use std::sync::Arc;

use serde_json::{Value, json};
use tidegate_config::{Privacy as Settings, PrivacyMode};
use tidegate_model::{Clock, DataType, ErrorCode, Principal, RunError, SessionName};
use tidegate_store::Store;

use super::{Origin, Privacy, RedactedError, RedactedErrors, Vaults};

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
    privacy.arrived(&session(name), outcome, &RedactedErrors::default()).await.outcome
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
        ("cannot import [EMAIL_1]", Some("ask [NAME_1]"))
    );
    assert_eq!(leaving.counts[&DataType::Email], 2);
    assert_eq!(leaving.counts[&DataType::Person], 3);
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
        .restore(&session("a"), "mail", arguments.as_object().unwrap().clone(), &|_| true)
        .unwrap();
    assert_eq!(
        Value::Object(sent.value),
        json!({"to": "bob@example.org", "cc": [format!("<{ANN}>")]})
    );
    assert_eq!(sent.counts.len(), 2);
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
            .restore(&session(name), server, arguments, &|_| true)
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
            "crm",
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
    let name = second.go_on_with(&Principal::Process, "first").unwrap();
    assert_eq!(second.reveal(&Principal::Process, "[EMAIL_1]").unwrap().value, ANN);
    // Both are open, and give out further tokens, each for somebody else.
    assert_ne!(name, "first");
    assert_eq!(&*first.leaving(&session("first")).text("carol@example.org"), "[EMAIL_2]");
    assert_eq!(&*second.leaving(&Principal::Process).text("dave@example.org"), "[EMAIL_2]");
    first.flush();
    second.flush();
    // A session that takes over from the second gets what it had.
    let third = Privacy::open(Settings::default(), vaults).unwrap();
    third.go_on_with(&Principal::Process, &name).unwrap();
    let restored = third.reveal(&Principal::Process, "[EMAIL_1] [EMAIL_2]").unwrap().value;
    assert_eq!(restored, format!("{ANN} dave@example.org"));
    // A session with values of its own would restore those.
    third.leaving(&session("busy")).text("eve@example.org");
    let refused = third.go_on_with(&session("busy"), "first").unwrap_err();
    assert_eq!(refused.code, ErrorCode::UnknownToken);
    assert_eq!(third.reveal(&session("busy"), "[EMAIL_1]").unwrap().value, "eve@example.org");
    assert_eq!(third.go_on_with(&session("busy"), "busy").unwrap(), "busy");
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
        privacy.restore(&session("a"), "crm", arguments.clone(), &|_| true).unwrap().value,
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
    let sent = privacy.restore(&session("a"), "wiki", arguments.clone(), &|_| false).unwrap();
    assert_eq!((sent.value, sent.left.len()), (arguments, 1));
    // In strict mode it gets no such token.
    let (_state, privacy) = opened(of_mode(PrivacyMode::Strict));
    arrive(&privacy, "a", &json!({"email": ANN})).await;
    let odd = r#"{"a":"[EMAIL_1] %5BEMAIL_1%5D \u005bEMAIL_1]","b":"[EMAIL_1]"}"#;
    let seen = arrived(&privacy, "a", Ok(odd.to_owned())).await.unwrap();
    let seen: Value = serde_json::from_str(&seen).unwrap();
    let sent = privacy
        .restore(&session("a"), "wiki", seen.as_object().unwrap().clone(), &|_| true)
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
        privacy.restore(&session("a"), server, arguments, &|_| true).map(drop)
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
    let people = json!([{"full_name": "said no"}, {"full_name": "try it again"}, {"email": ANN}]);
    arrive(&privacy, "a", &people).await;
    let denied = "a person was asked and said no: call";
    let redacted = RedactedError::new(ErrorCode::ApprovalDenied, &[&denied])
        .with_hint(&[&"do not try it again"]);
    let errors = RedactedErrors::default();
    let error = errors.add(redacted);
    // A request that did not make the error does not know it.
    assert_ne!(privacy.leaving(&session("a")).error(error.clone()), error);
    let mut leaving = privacy.leaving(&session("a")).keeping(&errors);
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
    let arrived = privacy.arrived(&session("a"), Err(error.clone()), &errors).await;
    assert_eq!(arrived.outcome, Err(error));
}

#[tokio::test]
async fn a_session_that_has_ended_has_its_tokens_in_the_vault_only_if_it_has_a_name() {
    let (_state, privacy) = opened(Settings::default());
    let named = session("a");
    for principal in [&named, &Principal::Process] {
        assert_eq!(&*privacy.leaving(principal).text(ANN), "[EMAIL_1]");
    }
    let before = privacy.session(&Principal::Process).name.clone();
    privacy.retain_sessions(|_| false);
    assert_eq!(privacy.reveal(&named, "[EMAIL_1]").unwrap().value, ANN);
    assert_eq!(&*privacy.leaving(&named).text("bob@example.org"), "[EMAIL_2]");
    // An unnamed session starts over, under another name in the vault.
    assert!(privacy.reveal(&Principal::Process, "[EMAIL_1]").is_err());
    assert_eq!(&*privacy.leaving(&Principal::Process).text("bob@example.org"), "[EMAIL_1]");
    assert_ne!(privacy.session(&Principal::Process).name, before);
}
