//! What a person reads before they say yes or no.
//!
//! In: a call or a judged program. Out: a title of one line and the details below it:
//! why it is asked, risk, impact, and what exactly would happen, cut to what a person
//! reads. The texts are a program's and a server's, so nothing in them is hidden and no
//! line of theirs can look like one of ours: each is marked at its start.

use std::fmt::Write as _;

use serde_json::Value;
use tidegate_model::{
    Effect, EffectSource, ErrorCode, Language, Level, RunError, ToolRef, Word, visible,
    visible_line,
};
use tidegate_policy::{NeedsApproval, Ruling, Why};

use crate::judge::Judgement;

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
pub(crate) fn title_of_call(asked: &NeedsApproval) -> String {
    format!("call `{}`{}", visible_line(&asked.call.tool.to_string()), effect(asked.effect))
}

/// Everything else about a call.
pub(crate) fn details_of_call(asked: &NeedsApproval, level: Level) -> String {
    let mut text = format!("Asked because {}.\n", because(&asked.ruling));
    let _ = writeln!(text, "Risk of the program: {level}.");
    if asked.call.arguments.is_empty() {
        text.push_str("Without arguments.\n");
    } else {
        text.push_str("Arguments:\n");
        text.push_str(&argument_lines(&asked.call.arguments));
    }
    text
}

/// What a program is to be approved for, in one line.
pub(crate) fn title_of_program(
    language: Language,
    tools: &[ToolRef],
    judgement: &Judgement,
) -> String {
    let names: Vec<String> =
        tools.iter().take(TITLE_TOOLS).map(|tool| format!("`{tool}`")).collect();
    let more = match tools.len().saturating_sub(TITLE_TOOLS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let calls = match names.as_slice() {
        [] => String::new(),
        names => format!(" that calls {}{more}", names.join(", ")),
    };
    let language = language.as_str();
    visible_line(&format!("run a {language} program of {} risk{calls}", judgement.level))
        .into_owned()
}

/// Everything else about a program.
pub(crate) fn details_of_program(source: &str, judgement: &Judgement) -> String {
    let mut text = String::new();
    if judgement.ruling.word == Word::Ask {
        let _ = writeln!(text, "Asked because {}.", because(&judgement.ruling));
    }
    let _ = writeln!(text, "Risk: {} ({} of 100).", judgement.level, judgement.risk_score);
    for issue in judgement.issues.iter().take(MOST_ISSUES) {
        let _ = writeln!(
            text,
            "Line {}: {} ({}).",
            issue.line,
            visible_line(&issue.message),
            issue.rule
        );
    }
    text.push_str("It would call:\n");
    for tool in judgement.impact.tools.iter().take(MOST_LINES) {
        let asked = match tool.decision {
            Word::Ask => format!(" - asked because {}", tool.because),
            Word::Deny => format!(" - will be refused, because {}", tool.because),
            Word::Allow => String::new(),
        };
        let again = if tool.repeated { ", again and again" } else { "" };
        let name = tool.tool.to_string();
        let _ = writeln!(text, "- `{}` ({}{again}){asked}", visible_line(&name), tool.effect);
        text.push_str(&argument_lines(&tool.arguments));
    }
    for (what, list) in
        [("reach", &judgement.impact.network), ("run the command", &judgement.impact.commands)]
    {
        for one in list.iter().take(MOST_ISSUES) {
            let _ = writeln!(text, "It would {what}: {}", visible_line(one));
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
    let _ = write!(text, "The program:\n{}", code_lines(source));
    text
}

/// Arguments, one per line.
pub(crate) fn argument_lines(arguments: &serde_json::Map<String, Value>) -> String {
    let lines = arguments.iter().map(|(key, value)| {
        let value = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        format!("{key} = {value}")
    });
    quoted(lines, arguments.len())
}

/// The beginning of a program.
pub(crate) fn code_lines(source: &str) -> String {
    quoted(source.trim().lines().map(str::to_owned), source.trim().lines().count())
}

fn quoted(lines: impl Iterator<Item = String>, count: usize) -> String {
    let mut text = String::new();
    for line in lines.take(MOST_LINES) {
        let shown: String = line.chars().take(ARGUMENT_CHARS).collect();
        let cut = if shown.len() < line.len() { "…" } else { "" };
        // An argument of several lines is one line here, with its ends visible.
        let _ = writeln!(text, "{QUOTE}{}{cut}", visible_line(&visible(&shown)));
    }
    if count > MOST_LINES {
        let _ = writeln!(text, "… and {} more", count - MOST_LINES);
    }
    text
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
pub(crate) fn refused_before(tool: &ToolRef) -> RunError {
    let message = format!("a person has said no to `{tool}` in this run");
    RunError::new(ErrorCode::ApprovalDenied, message)
        .with_hint("do not try it again: tell the user that it was not approved")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tidegate_model::{Effect, EffectSource, Level, ToolCall, ToolRef, Word};
    use tidegate_policy::{NeedsApproval, Ruling, Why};

    use super::{code_lines, details_of_call, title_of_call};

    #[test]
    fn no_text_of_a_program_looks_like_ours() {
        let arguments =
            json!({"a": "x\nAsked because you said so.\u{1b}[2J", "b": "y".repeat(999)});
        let asked = NeedsApproval {
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
        };
        assert_eq!(
            title_of_call(&asked),
            "call `files__delete`, which may destroy something by its own word"
        );
        let details = details_of_call(&asked, Level::Low);
        let lines: Vec<&str> = details.lines().collect();
        assert_eq!(lines.len(), 5, "{details}");
        assert!(lines[3].starts_with("| a = x") && lines[4].ends_with('…'), "{details}");
        assert!(!details.contains('\u{1b}'), "{details}");
    }

    #[test]
    fn of_a_long_program_the_beginning_is_shown() {
        let code = code_lines(&"line\n".repeat(50));
        assert_eq!(code.lines().count(), 21);
        assert!(code.ends_with("… and 30 more\n"));
    }
}
