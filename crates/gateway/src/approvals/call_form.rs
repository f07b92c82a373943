//! The text that a person reads before they approve or deny a call.
//!
//! In: a call. Out: a title of one line and the details below it: why approval is needed,
//! the risk, and what exactly would happen, cut to a readable length. Programs and
//! servers wrote the quoted texts, so hidden characters are made visible, and each quoted
//! line is marked at its start: none can look like one of ours.
//!
//! Personal data is replaced in what is quoted, before it is cut: half of a value is not
//! recognised as one. Our own words are never searched, otherwise a server could get them
//! redacted by listing them as names; [`Redacted`] keeps the two apart.

use serde_json::{Map, Value};
use tidegate_model::{Effect, EffectSource, ErrorCode, RiskLevel, ToolRef};
use tidegate_policy::{NeedsApproval, Ruling};

use crate::explain::because;
use crate::privacy::{Leaving, Origin, Redacted, RedactedError};

/// Characters of one argument, and lines of all, that a person is shown. Chosen: a form
/// is read, not scrolled.
pub(crate) const ARGUMENT_CHARS: usize = 200;
pub(crate) const MOST_LINES: usize = 20;

/// Marks text that is not ours.
const QUOTE: &str = "| ";

/// What will happen, in one line.
pub(crate) fn title_of_call(asked: &NeedsApproval, leaving: &mut Leaving<'_>) -> Redacted {
    Redacted::join(&[&"call ", &name(&asked.call.tool, leaving), &effect(asked.effect)])
}

/// Everything else about a call.
pub(crate) fn details_of_call(
    asked: &NeedsApproval,
    level: RiskLevel,
    leaving: &mut Leaving<'_>,
) -> Redacted {
    let mut text = Redacted::default();
    text.push(&[&"Asked because ", &reason(&asked.ruling), &".\n"]);
    text.push(&[&"Risk of the program: ", &level, &".\n"]);
    if asked.call.arguments.is_empty() {
        text.push(&[&"Without arguments.\n"]);
    } else {
        text.push(&[&"Arguments:\n", &argument_lines(&asked.call.arguments, leaving)]);
    }
    text
}

/// A tool's name, as the person knows it: no answer of a server can change how it is
/// shown.
pub(crate) fn name(tool: &ToolRef, leaving: &mut Leaving<'_>) -> Redacted {
    let name = leaving.redact(Origin::ToolName, &tool.to_string()).start(usize::MAX);
    Redacted::join(&[&"`", &name, &"`"])
}

/// Arguments, one per line.
pub(crate) fn argument_lines(
    arguments: &Map<String, Value>,
    leaving: &mut Leaving<'_>,
) -> Redacted {
    let lines = arguments.iter().take(MOST_LINES).map(|(key, value)| {
        let value = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        leaving.text(&format!("{key} = {value}"))
    });
    quoted(lines, arguments.len())
}

/// The beginning of a program, or of another text that is not ours.
pub(crate) fn code_lines(source: &str, leaving: &mut Leaving<'_>) -> Redacted {
    let source = leaving.text(source.trim());
    quoted(source.split_lines(), source.lines().count())
}

fn quoted(lines: impl Iterator<Item = Redacted>, count: usize) -> Redacted {
    let mut text = Redacted::default();
    for line in lines.take(MOST_LINES) {
        text.push(&[&QUOTE, &line.start(ARGUMENT_CHARS), &"\n"]);
    }
    if let Some(more @ 1..) = count.checked_sub(MOST_LINES) {
        text.push(&[&"… and ", &more, &" more\n"]);
    }
    text
}

/// The effect of a tool, and the source of that information.
fn effect((effect, source): (Effect, EffectSource)) -> Redacted {
    let what = match effect {
        Effect::ReadOnly => "changes nothing",
        Effect::Additive => "adds, destroys nothing",
        Effect::Destructive => "may destroy something",
        Effect::Unknown => return Redacted::join(&[&", of which nobody says what it does"]),
    };
    let by = match source {
        EffectSource::User => " by your configuration",
        EffectSource::Claim => " by its own word",
        EffectSource::Name => " by its name",
        EffectSource::Nothing => "",
    };
    Redacted::join(&[&", which ", &what, &by])
}

/// [`because`], which consists of our words and the user's.
pub(crate) fn reason(ruling: &Ruling) -> Redacted {
    Redacted::trusted(because(ruling))
}

/// The error if a person has already denied a call of the tool in this run.
pub(crate) fn refused_before(tool: &ToolRef, leaving: &mut Leaving<'_>) -> RedactedError {
    let name = name(tool, leaving);
    RedactedError::new(
        ErrorCode::ApprovalDenied,
        &[&"a person has said no to ", &name, &" in this run"],
    )
    .with_hint(&[&"do not try it again: tell the user that it was not approved"])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};
    use tidegate_model::{
        Clock, Decision, Effect, EffectSource, Principal, RiskLevel, SessionName, ToolCall, ToolRef,
    };
    use tidegate_policy::{NeedsApproval, Ruling, RulingReason};
    use tidegate_store::Store;

    use super::{code_lines, details_of_call, refused_before, title_of_call};
    use crate::privacy::{Privacy, RedactedErrors, Vaults};

    fn privacy() -> (tempfile::TempDir, Arc<Privacy>) {
        let state = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(state.path(), Clock::system()).unwrap());
        let vaults = Vaults { store, state_dir: state.path().to_owned() };
        (state, Arc::new(Privacy::open(Default::default(), vaults).unwrap()))
    }

    fn session() -> Principal {
        Principal::Session(SessionName::parse("s").unwrap())
    }

    async fn arrive(privacy: &Arc<Privacy>, answer: String) {
        let errors = RedactedErrors::default();
        privacy.arrived(&session(), Ok(answer), &errors).await.outcome.unwrap();
    }

    fn deleting(arguments: &Value) -> NeedsApproval {
        NeedsApproval {
            call: ToolCall {
                tool: ToolRef::new("files", "delete"),
                arguments: arguments.as_object().unwrap().clone(),
            },
            ruling: Ruling {
                word: Decision::Ask,
                why: RulingReason::Effect(Effect::Destructive),
                depends_on_arguments: false,
            },
            effect: (Effect::Destructive, EffectSource::Claim),
        }
    }

    #[test]
    fn no_text_of_a_program_looks_like_ours() {
        let (_state, privacy) = privacy();
        let leaving = &mut privacy.leaving(&session());
        let asked =
            deleting(&json!({"a": "x\nAsked because you said so.\u{1b}[2J", "b": "y".repeat(999)}));
        assert_eq!(
            &*title_of_call(&asked, leaving),
            "call `files__delete`, which may destroy something by its own word"
        );
        let details = details_of_call(&asked, RiskLevel::Low, leaving);
        let lines: Vec<&str> = details.lines().collect();
        assert_eq!(lines.len(), 5, "{details}");
        assert!(lines[3].starts_with("| a = x") && lines[4].ends_with('…'), "{details}");
        assert!(!details.contains('\u{1b}'), "{details}");
        let lines = code_lines("a\r\u{2028}Asked because\u{1b}[2J\u{202e}x\u{200b}\nb", leaving);
        assert_eq!(&*lines, "| a\\u{d}\\u{2028}Asked because\\u{1b}[2J\\u{202e}x\\u{200b}\n| b\n");
    }

    #[test]
    fn of_a_long_program_the_beginning_is_shown() {
        let (_state, privacy) = privacy();
        let code = code_lines(&"line\n".repeat(50), &mut privacy.leaving(&session()));
        assert_eq!(code.lines().count(), 21);
        assert!(code.ends_with("… and 30 more\n"));
    }

    #[tokio::test]
    async fn no_answer_of_a_server_has_our_words_replaced() {
        let (_state, privacy) = privacy();
        let asked = deleting(&json!({"to": "Ann Lee"}));
        let form = || {
            let leaving = &mut privacy.leaving(&session());
            let title = title_of_call(&asked, leaving);
            let details = details_of_call(&asked, RiskLevel::Low, leaving);
            let error = refused_before(&asked.call.tool, leaving);
            let ours = details.split_once("| ").unwrap().0.to_owned();
            (title, ours, details, RedactedErrors::default().add(error))
        };
        let before = form();
        let names = ["may destroy something", "Asked because tools", "by default", "said no"];
        let mut people: Vec<Value> =
            names.iter().map(|name| json!({"full_name": name, "password": name})).collect();
        people.push(json!({"last_name": "delete", "api_key": "files__delete"}));
        people.push(json!({"full_name": "Ann Lee", "secret": "destructive"}));
        let answer = Value::Array(people).to_string();
        arrive(&privacy, answer).await;
        let after = form();
        assert_eq!((&before.0, &before.1, &before.3), (&after.0, &after.1, &after.3));
        assert!(after.2.contains("| to = [NAME_"), "{}", after.2);
    }

    #[tokio::test]
    async fn no_half_of_a_value_stands_where_a_text_is_cut() {
        let (_state, privacy) = privacy();
        let known = json!({"full_name": "Oyelaran Adebayo", "email": "oyelaran.ade@mail.example"});
        arrive(&privacy, known.to_string()).await;
        let leaving = &mut privacy.leaving(&session());
        for value in ["Oyelaran Adebayo", "oyelaran.ade@mail.example"] {
            for length in 175..200 {
                let text = format!("{} {value} and more", "x".repeat(length));
                let details =
                    details_of_call(&deleting(&json!({"a": &text})), RiskLevel::Low, leaving);
                assert!(!details.to_lowercase().contains("oye"), "{details}");
                let code = code_lines(&text, leaving);
                assert!(!code.to_lowercase().contains("oye"), "{code}");
            }
        }
    }
}
