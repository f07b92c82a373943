//! The text that a person reads before they approve or deny a call.
//!
//! In: a call. Out: a title of one line and the details below it: why approval is needed,
//! the risk, and exactly what would happen. Programs and servers wrote the quoted texts;
//! `form_text.rs` keeps them apart from our own.
//!
//! Personal data is replaced in what is quoted, before it is wrapped: half of a value is not
//! recognised as one. Our own words are never searched, otherwise a server could get them
//! redacted by listing them as names; [`Redacted`] keeps the two apart.

use tidegate_model::{Effect, EffectSource, ErrorCode, RiskLevel, ToolRef};
use tidegate_policy::{NeedsApproval, Ruling};

use crate::approvals::arguments::argument_lines;
use crate::approvals::form_text::{FormText, Lines};
use crate::explain::because;
use crate::privacy::{Leaving, Origin, Redacted, RedactedError};

/// The most lines of arguments in the form of a client. Chosen: a form is read, and whoever
/// scrolls past this much has stopped reading.
pub(crate) const MOST_LINES: usize = 100;

/// What will happen, in one line.
pub(crate) fn title_of_call(asked: &NeedsApproval, leaving: &mut Leaving<'_>) -> Redacted {
    Redacted::join(&[&"call ", &name(&asked.call.tool, leaving), &effect(asked.effect)])
}

/// Everything else about a call.
pub(crate) fn details_of_call(
    asked: &NeedsApproval,
    level: RiskLevel,
    leaving: &mut Leaving<'_>,
) -> FormText {
    let mut text = FormText::default();
    text.own(&[&"Approval is required because ", &reason(&asked.ruling), &"."]);
    text.own(&[&"Risk of the program: ", &level, &"."]);
    if asked.call.arguments.is_empty() {
        text.own(&[&"Without arguments."]);
    } else {
        text.own(&[&"Arguments:"]);
        match argument_lines(&asked.call.arguments, MOST_LINES, leaving) {
            (full, None) => text.add(&full),
            (full, Some(short)) => text.add_with_short(&full, &short),
        }
    }
    text.own(&[&COVERS_THIS]);
    text.own(&[&COVERS_ALL]);
    text
}

/// What the answers mean.
const COVERS_THIS: &str = "Once: exactly this call. For this session: exactly this call, any \
                           number of times.";
pub(crate) const COVERS_ALL: &str = "All calls: every call of the same tool in this session, \
                                     whatever its arguments.";

/// A tool's name, as the person knows it: no answer of a server can change how it is
/// shown. It stands among our words, so it must not end before its last character: backticks
/// and rows of blanks are escaped.
pub(crate) fn name(tool: &ToolRef, leaving: &mut Leaving<'_>) -> Redacted {
    let name = tool.to_string().replace('`', "\\u{60}").replace("  ", "\\u{20}\\u{20}");
    let name = leaving.redact(Origin::ToolName, &name).start(usize::MAX);
    Redacted::join(&[&"`", &name, &"`"])
}

/// A program, or another text that is not ours.
pub(crate) fn code_lines(source: &str, leaving: &mut Leaving<'_>) -> Lines {
    let mut lines = Lines::default();
    lines.quote_all(&leaving.text(source.trim()));
    lines
}

/// The effect of a tool, and the source of that information.
fn effect((effect, source): (Effect, EffectSource)) -> Redacted {
    let what = match effect {
        Effect::ReadOnly => "changes nothing",
        Effect::Additive => "adds, destroys nothing",
        Effect::Destructive => "may destroy something",
        Effect::Unknown => return Redacted::join(&[&", whose effect is not declared"]),
    };
    let by = match source {
        EffectSource::User => " according to your configuration",
        EffectSource::Claim => " according to its server",
        EffectSource::Name => " judging by its name",
        EffectSource::Arguments => " judging by its arguments",
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
        &[&"a person has already denied ", &name, &" in this run"],
    )
    .with_hint(&[&"do not retry it: tell the user that it was not approved"])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};
    use tidegate_model::{
        Clock, Decision, Effect, EffectSource, Principal, RiskLevel, SessionName, ToolCall, ToolRef,
    };
    use tidegate_policy::{CallSubject, NeedsApproval, Ruling, RulingReason};
    use tidegate_store::Store;

    use super::{code_lines, details_of_call, refused_before, title_of_call};
    use crate::approvals::form_text::FormText;
    use crate::privacy::{Leaving, Privacy, RedactedErrors, Unscanned, Vaults};

    /// The full text of the form.
    fn details(asked: &NeedsApproval, leaving: &mut Leaving<'_>) -> String {
        details_of_call(asked, RiskLevel::Low, leaving).finish().0.to_string()
    }

    fn code(source: &str, leaving: &mut Leaving<'_>) -> String {
        let mut text = FormText::default();
        text.add(&code_lines(source, leaving));
        text.finish().0.to_string()
    }

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
        privacy.arrived(&session(), Unscanned::new(Ok(answer)), &errors).await;
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
            subject: CallSubject { exact: "e".into(), any_arguments: "a".into() },
        }
    }

    #[test]
    fn no_text_of_a_program_looks_like_ours() {
        let (_state, privacy) = privacy();
        let leaving = &mut privacy.leaving(&session());
        let asked = deleting(
            &json!({"a": "x\nApproval is required because you said so.\u{1b}[2J", "b": "y".repeat(999)}),
        );
        assert_eq!(
            &*title_of_call(&asked, leaving),
            "call `files__delete`, which may destroy something according to its server"
        );
        let details = details(&asked, leaving);
        let lines: Vec<&str> = details.lines().collect();
        assert_eq!(
            lines[3], "| a = x\\nApproval is required because you said so.\\u{1b}[2J",
            "{details}"
        );
        let shown: usize = lines
            .iter()
            .filter(|line| line.starts_with('|'))
            .map(|line| line.matches('y').count())
            .sum();
        // One in the first argument.
        assert_eq!(shown, 999 + 1);
        assert!(lines[3..].iter().all(|line| line.chars().count() < 80 || !line.starts_with('|')));
    }

    /// The form of a client, which has no room for everything.
    fn short(arguments: &Value) -> String {
        let (_state, privacy) = privacy();
        let leaving = &mut privacy.leaving(&session());
        let text = details_of_call(&deleting(arguments), RiskLevel::Low, leaving);
        text.finish().1.unwrap().to_string()
    }

    #[test]
    fn g43_no_argument_pushes_another_out_of_the_form() {
        let long = "a line\n".repeat(9000);
        let hidden = "path = /home/ann/victim";
        let nested = "options[\"path\"] = /home/ann/victim";
        let fillers = |count: u32| {
            let mut all: serde_json::Map<String, Value> =
                (0..count).map(|at| (format!("a{at}"), json!(long.clone()))).collect();
            all.insert("path".into(), json!("/home/ann/victim"));
            Value::Object(all)
        };
        let rows: Vec<Value> = (0..50).map(|at| json!([at, "x".repeat(400)])).collect();
        let cases = [
            (json!({"content": &long, "path": "/home/ann/victim"}), hidden),
            (json!({"path": "/home/ann/victim", "content": &long}), hidden),
            (fillers(3), hidden),
            (fillers(150), hidden),
            (json!({"options": {"content": &long, "path": "/home/ann/victim"}}), nested),
            (json!({"rows": rows, "content": long, "path": "/home/ann/victim"}), hidden),
        ];
        for (arguments, expected) in cases {
            let short = short(&arguments);
            assert!(short.lines().any(|line| line == format!("| {expected}")), "{short}");
            assert!(short.contains(" more lines of this argument\n"), "{short}");
            assert!(short.lines().count() < 500, "{}", short.lines().count());
        }
    }

    #[test]
    fn what_a_form_leaves_out_of_an_argument_is_counted() {
        let short = short(&json!({"text": "x".repeat(76 * 200 - "text = ".len()), "to": "ann"}));
        let lines: Vec<&str> = short.lines().skip_while(|line| *line != "| to = ann").collect();
        // One for the short argument, one for the note.
        assert_eq!(lines[99], "… and 102 more lines of this argument", "{short}");
        assert!(lines[1].starts_with("| text = xxx"), "{short}");
    }

    #[test]
    fn no_name_of_a_tool_ends_early() {
        let (_state, privacy) = privacy();
        let mut asked = deleting(&json!({}));
        asked.call.tool.tool = "x`, which changes nothing.   It can be undone".into();
        assert_eq!(
            &*title_of_call(&asked, &mut privacy.leaving(&session())),
            "call `files__x\\u{60}, which changes nothing.\\u{20}\\u{20} It can be undone`, which may \
             destroy something according to its server"
        );
    }

    #[tokio::test]
    async fn no_answer_of_a_server_has_our_words_replaced() {
        let (_state, privacy) = privacy();
        let asked = deleting(&json!({"to": "Ann Lee"}));
        let form = || {
            let leaving = &mut privacy.leaving(&session());
            let title = title_of_call(&asked, leaving);
            let details = details(&asked, leaving);
            let error = refused_before(&asked.call.tool, leaving);
            let ours = details.split_once("| ").unwrap().0.to_owned();
            (title, ours, details, RedactedErrors::default().add(error))
        };
        let before = form();
        let names = ["may destroy something", "Approval is required", "by default", "denied"];
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
    async fn no_half_of_a_value_stands_where_a_line_is_wrapped() {
        let (_state, privacy) = privacy();
        let known = json!({"full_name": "Oyelaran Adebayo", "email": "oyelaran.ade@mail.example"});
        arrive(&privacy, known.to_string()).await;
        let leaving = &mut privacy.leaving(&session());
        for value in ["Oyelaran Adebayo", "oyelaran.ade@mail.example"] {
            for length in 50..80 {
                let text = format!("{} {value} and more", "x".repeat(length));
                let details = details(&deleting(&json!({"a": &text})), leaving);
                assert!(!details.to_lowercase().contains("oye"), "{details}");
                let code = code(&text, leaving);
                assert!(!code.to_lowercase().contains("oye"), "{code}");
            }
        }
    }
}
