//! What a person reads before they say yes or no.
//!
//! In: a call or a judged program. Out: a title of one line and the details below it:
//! why it is asked, risk, impact, and what exactly would happen, cut to what a person
//! reads. The texts are a program's and a server's, so nothing in them is hidden and no
//! line of theirs can look like one of ours: each is marked at its start.
//!
//! Personal data is replaced in what is quoted, before it is cut: half of a value is not
//! known as one. Our own words are never searched, or a server could have them replaced
//! by calling them somebody's name.

use std::fmt::Write as _;

use serde_json::Value;
use tidegate_model::{
    Effect, EffectSource, ErrorCode, Language, Level, RunError, ToolImpact, ToolRef, Word,
    visible_line,
};
use tidegate_policy::{NeedsApproval, Ruling, Why};

use crate::judge::Judgement;
use crate::privacy::Leaving;

/// Characters of one argument, and lines of all, that a person is shown. Chosen: a form
/// is read, not scrolled.
const ARGUMENT_CHARS: usize = 200;
const MOST_LINES: usize = 20;

/// Tools in a title, and findings in details.
const TITLE_TOOLS: usize = 4;
const MOST_ISSUES: usize = 10;

/// Marks what is not ours.
const QUOTE: &str = "| ";

/// What is to happen, in one line.
pub(crate) fn title_of_call(asked: &NeedsApproval, leaving: &mut Leaving<'_>) -> String {
    format!("call {}{}", name(&asked.call.tool, leaving), effect(asked.effect))
}

/// Everything else about a call.
pub(crate) fn details_of_call(
    asked: &NeedsApproval,
    level: Level,
    leaving: &mut Leaving<'_>,
) -> String {
    let mut text = format!("Asked because {}.\n", because(&asked.ruling));
    let _ = writeln!(text, "Risk of the program: {level}.");
    if asked.call.arguments.is_empty() {
        text.push_str("Without arguments.\n");
    } else {
        text.push_str("Arguments:\n");
        text.push_str(&argument_lines(&asked.call.arguments, leaving));
    }
    text
}

/// What a program is to be approved for, in one line.
pub(crate) fn title_of_program(
    language: Language,
    tools: &[ToolRef],
    judgement: &Judgement,
    leaving: &mut Leaving<'_>,
) -> String {
    let names: Vec<String> =
        tools.iter().take(TITLE_TOOLS).map(|tool| name(tool, leaving)).collect();
    let more = match tools.len().saturating_sub(TITLE_TOOLS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let calls = match names.as_slice() {
        [] => String::new(),
        names => format!(" that calls {}{more}", names.join(", ")),
    };
    let language = language.as_str();
    format!("run a {language} program of {} risk{calls}", judgement.level)
}

/// Everything else about a program.
pub(crate) fn details_of_program(
    source: &str,
    judgement: &Judgement,
    leaving: &mut Leaving<'_>,
) -> String {
    let mut text = String::new();
    if judgement.ruling.word == Word::Ask {
        let _ = writeln!(text, "Asked because {}.", because(&judgement.ruling));
    }
    let _ = writeln!(text, "Risk: {} ({} of 100).", judgement.level, judgement.risk_score);
    for issue in judgement.issues.iter().take(MOST_ISSUES) {
        let message = finding(&issue.message, leaving);
        let _ = writeln!(text, "Line {}: {message} ({}).", issue.line, issue.rule);
    }
    text.push_str("It would call:\n");
    for tool in judgement.impact.tools.iter().take(MOST_LINES) {
        text.push_str(&tool_lines(tool, leaving));
    }
    for (what, list) in
        [("reach", &judgement.impact.network), ("run the command", &judgement.impact.commands)]
    {
        for one in list.iter().take(MOST_ISSUES) {
            let _ = writeln!(text, "It would {what}: {}", cut(&leaving.text(one)));
        }
    }
    if judgement.impact.unseen {
        text.push_str("It also calls tools whose names it computes; those are asked about then.\n");
    }
    text.push_str(match judgement.impact.reversible {
        Some(true) => "Nothing of it destroys anything, by the word of the tools.\n",
        Some(false) => "It cannot be undone.\n",
        None => "Nobody says whether it can be undone.\n",
    });
    let _ = write!(text, "The program:\n{}", code_lines(source, leaving));
    text
}

/// A tool that a program would call, with the arguments that are written out.
fn tool_lines(tool: &ToolImpact, leaving: &mut Leaving<'_>) -> String {
    let asked = match tool.decision {
        Word::Ask => format!(" - asked because {}", tool.because),
        Word::Deny => format!(" - will be refused, because {}", tool.because),
        Word::Allow => String::new(),
    };
    let again = if tool.repeated { ", again and again" } else { "" };
    let name = name(&tool.tool, leaving);
    let arguments = argument_lines(&tool.arguments, leaving);
    format!("- {name} ({}{again}){asked}\n{arguments}", tool.effect)
}

/// A tool, by the name that the person knows it by: no answer of a server makes it
/// anything else.
fn name(tool: &ToolRef, leaving: &mut Leaving<'_>) -> String {
    format!("`{}`", visible_line(&leaving.name(&tool.to_string())))
}

/// What was found in a program: our words, behind what they are about.
fn finding(message: &str, leaving: &mut Leaving<'_>) -> String {
    let quoted = message.strip_prefix('`').and_then(|rest| rest.split_once("` "));
    match quoted {
        Some((code, ours)) => format!("`{}` {}", cut(&leaving.text(code)), visible_line(ours)),
        None => visible_line(message).into_owned(),
    }
}

/// Arguments, one per line.
fn argument_lines(arguments: &serde_json::Map<String, Value>, leaving: &mut Leaving<'_>) -> String {
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
pub(crate) fn code_lines(source: &str, leaving: &mut Leaving<'_>) -> String {
    let source = leaving.text(source.trim());
    quoted(source.lines().map(str::to_owned), source.lines().count())
}

fn quoted(lines: impl Iterator<Item = String>, count: usize) -> String {
    let mut text = String::new();
    for line in lines.take(MOST_LINES) {
        let _ = writeln!(text, "{QUOTE}{}", cut(&line));
    }
    if count > MOST_LINES {
        let _ = writeln!(text, "… and {} more", count - MOST_LINES);
    }
    text
}

/// As much of a text as a person reads, in one line with its ends visible.
fn cut(text: &str) -> String {
    let shown: String = text.chars().take(ARGUMENT_CHARS).collect();
    let cut = if shown.len() < text.len() { "…" } else { "" };
    format!("{}{cut}", visible_line(&shown))
}

/// What a tool does, and who says so.
fn effect((effect, source): (Effect, EffectSource)) -> String {
    let what = match effect {
        Effect::ReadOnly => "changes nothing",
        Effect::Additive => "adds, destroys nothing",
        Effect::Destructive => "may destroy something",
        Effect::Unknown => return ", of which nobody says what it does".into(),
    };
    match source {
        EffectSource::User => format!(", which {what} by your configuration"),
        EffectSource::Claim => format!(", which {what} by its own word"),
        EffectSource::Name => format!(", which {what} by its name"),
        EffectSource::Nothing => format!(", which {what}"),
    }
}

/// Why the rules say what they say, as the end of "because …".
pub(crate) fn because(ruling: &Ruling) -> String {
    match &ruling.why {
        Why::Rule { name, place, because } => {
            let said = because.as_ref().map(|text| format!(": {}", visible_line(text)));
            format!("of rule `{}` ({place}){}", visible_line(name), said.unwrap_or_default())
        }
        Why::Effect(effect) => {
            format!("tools that are `{effect}` are {} by default", treated(ruling.word))
        }
        Why::Risk(level) => {
            format!("programs of {level} risk are {} by default", treated(ruling.word))
        }
    }
}

const fn treated(word: Word) -> &'static str {
    match word {
        Word::Allow => "allowed",
        Word::Ask => "asked about",
        Word::Deny => "refused",
    }
}

/// A person said no to another call of the tool in this run.
pub(crate) fn refused_before(tool: &ToolRef, leaving: &mut Leaving<'_>) -> RunError {
    let message = format!("a person has said no to {} in this run", name(tool, leaving));
    RunError::new(ErrorCode::ApprovalDenied, message)
        .with_hint("do not try it again: tell the user that it was not approved")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};
    use tidegate_model::{Effect, EffectSource, Level, ToolCall, ToolRef, Word};
    use tidegate_policy::{NeedsApproval, Ruling, Why};
    use tidegate_store::Store;

    use super::{code_lines, details_of_call, refused_before, title_of_call};
    use crate::admission::SessionId;
    use crate::privacy::{Privacy, Vaults};

    fn privacy() -> (tempfile::TempDir, Arc<Privacy>) {
        let state = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(state.path()).unwrap());
        let vaults = Vaults { store, state_dir: state.path().to_owned() };
        (state, Arc::new(Privacy::open(Default::default(), vaults).unwrap()))
    }

    fn session() -> SessionId {
        SessionId("s".into())
    }

    fn deleting(arguments: &Value) -> NeedsApproval {
        NeedsApproval {
            call: ToolCall {
                tool: ToolRef::new("files", "delete"),
                arguments: arguments.as_object().unwrap().clone(),
            },
            ruling: Ruling {
                word: Word::Ask,
                why: Why::Effect(Effect::Destructive),
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
            title_of_call(&asked, leaving),
            "call `files__delete`, which may destroy something by its own word"
        );
        let details = details_of_call(&asked, Level::Low, leaving);
        let lines: Vec<&str> = details.lines().collect();
        assert_eq!(lines.len(), 5, "{details}");
        assert!(lines[3].starts_with("| a = x") && lines[4].ends_with('…'), "{details}");
        assert!(!details.contains('\u{1b}'), "{details}");
        let lines = code_lines("a\r\u{2028}Asked because\u{1b}[2J\u{202e}x\u{200b}\nb", leaving);
        assert_eq!(lines, "| a\\u{d}\\u{2028}Asked because\\u{1b}[2J\\u{202e}x\\u{200b}\n| b\n");
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
            let details = details_of_call(&asked, Level::Low, leaving);
            let error = refused_before(&asked.call.tool, leaving);
            let ours = details.split_once("| ").unwrap().0.to_owned();
            (title, ours, details, error.message)
        };
        let before = form();
        let names = ["may destroy something", "Asked because tools", "by default", "said no"];
        let mut people: Vec<Value> =
            names.iter().map(|name| json!({"full_name": name, "password": name})).collect();
        people.push(json!({"last_name": "delete", "api_key": "files__delete"}));
        people.push(json!({"full_name": "Ann Lee", "secret": "destructive"}));
        let answer = Value::Array(people).to_string();
        privacy.arrived(&session(), Ok(answer)).await.outcome.unwrap();
        let after = form();
        assert_eq!((&before.0, &before.1, &before.3), (&after.0, &after.1, &after.3));
        assert!(after.2.contains("| to = [NAME_"), "{}", after.2);
    }

    #[tokio::test]
    async fn no_half_of_a_value_stands_where_a_text_is_cut() {
        let (_state, privacy) = privacy();
        let known = json!({"full_name": "Oyelaran Adebayo", "email": "oyelaran.ade@mail.example"});
        privacy.arrived(&session(), Ok(known.to_string())).await.outcome.unwrap();
        let leaving = &mut privacy.leaving(&session());
        for value in ["Oyelaran Adebayo", "oyelaran.ade@mail.example"] {
            for length in 175..200 {
                let text = format!("{} {value} and more", "x".repeat(length));
                let details = details_of_call(&deleting(&json!({"a": &text})), Level::Low, leaving);
                assert!(!details.to_lowercase().contains("oye"), "{details}");
                let code = code_lines(&text, leaving);
                assert!(!code.to_lowercase().contains("oye"), "{code}");
            }
        }
    }
}
