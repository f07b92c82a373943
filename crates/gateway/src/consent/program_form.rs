//! The text that a person reads before they approve or deny a program.
//!
//! In: a judged program. Out: a title of one line and the details below it: why approval
//! is needed, risk, impact, and the program itself, cut to a readable length. Quoted
//! texts are marked and redacted as in the form of a call.

use tidegate_model::{Decision, Language, ToolImpact, ToolRef, visible_line};

use crate::approvals::call_form::{
    ARGUMENT_CHARS, MOST_LINES, argument_lines, code_lines, name, reason,
};
use crate::examine::judge::Judgement;
use crate::privacy::{Leaving, Redacted};

/// The most tools in a title, and findings in details.
const TITLE_TOOLS: usize = 4;
const MOST_ISSUES: usize = 10;

/// The program to approve, in one line.
pub(crate) fn title(
    language: Language,
    tools: &[ToolRef],
    judgement: &Judgement,
    leaving: &mut Leaving<'_>,
) -> Redacted {
    let (language, level) = (language.as_str(), judgement.level);
    let mut title = Redacted::join(&[&"run a ", &language, &" program of ", &level, &" risk"]);
    for (number, tool) in tools.iter().take(TITLE_TOOLS).enumerate() {
        let before = if number == 0 { " that calls " } else { ", " };
        title.push(&[&before, &name(tool, leaving)]);
    }
    if let Some(more @ 1..) = tools.len().checked_sub(TITLE_TOOLS) {
        title.push(&[&" and ", &more, &" more"]);
    }
    title
}

/// Everything else about a program.
pub(crate) fn details(source: &str, judgement: &Judgement, leaving: &mut Leaving<'_>) -> Redacted {
    let mut text = Redacted::default();
    if judgement.ruling.word == Decision::Ask {
        text.push(&[&"Asked because ", &reason(&judgement.ruling), &".\n"]);
    }
    text.push(&[&"Risk: ", &judgement.level, &" (", &judgement.risk_score, &" of 100).\n"]);
    for issue in judgement.issues.iter().take(MOST_ISSUES) {
        let (message, rule) = (finding(&issue.message, leaving), Redacted::trusted(&*issue.rule));
        text.push(&[&"Line ", &issue.line, &": ", &message, &" (", &rule, &").\n"]);
    }
    text.push(&[&"It would call:\n"]);
    for tool in judgement.impact.tools.iter().take(MOST_LINES) {
        text.push(&[&tool_lines(tool, leaving)]);
    }
    for (what, list) in
        [("reach", &judgement.impact.network), ("run the command", &judgement.impact.commands)]
    {
        for one in list.iter().take(MOST_ISSUES) {
            let one = leaving.text(one).start(ARGUMENT_CHARS);
            text.push(&[&"It would ", &what, &": ", &one, &"\n"]);
        }
    }
    if judgement.impact.unseen {
        text.push(&[&"It also calls tools whose names it computes; those are asked about then.\n"]);
    }
    text.push(&[match judgement.impact.reversible {
        Some(true) => &"Nothing of it destroys anything, by the word of the tools.\n",
        Some(false) => &"It cannot be undone.\n",
        None => &"Nobody says whether it can be undone.\n",
    }]);
    text.push(&[&"The program:\n", &code_lines(source, leaving)]);
    text
}

/// A tool that a program would call, with the arguments that are written out.
fn tool_lines(tool: &ToolImpact, leaving: &mut Leaving<'_>) -> Redacted {
    let again = if tool.repeated { ", again and again" } else { "" };
    let mut text = Redacted::default();
    text.push(&[&"- ", &name(&tool.tool, leaving), &" (", &tool.effect, &again, &")"]);
    let because = Redacted::trusted(&*tool.because);
    match tool.decision {
        Decision::Ask => text.push(&[&" - asked because ", &because]),
        Decision::Deny => text.push(&[&" - will be refused, because ", &because]),
        Decision::Allow => {}
    }
    text.push(&[&"\n", &argument_lines(&tool.arguments, leaving)]);
    text
}

/// A finding in a program: the code it is about, then our words.
fn finding(message: &str, leaving: &mut Leaving<'_>) -> Redacted {
    let quoted = message.strip_prefix('`').and_then(|rest| rest.split_once("` "));
    let ours = |text: &str| Redacted::trusted(visible_line(text));
    match quoted {
        Some((code, rest)) => {
            let code = leaving.text(code).start(ARGUMENT_CHARS);
            Redacted::join(&[&"`", &code, &"` ", &ours(rest)])
        }
        None => ours(message),
    }
}
