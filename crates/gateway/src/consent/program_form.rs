//! The text that a person reads before they approve or deny a program.
//!
//! In: a judged program. Out: a title of one line and the details below it: why approval is
//! needed, risk, every call with its arguments, files, addresses, commands, and the program
//! itself. What needs approval comes first.
//!
//! Invariant: an approval covers the calls that the short version of the form shows whole,
//! and no others ([`ProgramForm::shown`]).

use tidegate_model::{CallImpact, Decision, Effect, Language, RunOptions, ToolImpact, ToolRef};

use crate::approvals::arguments::argument;
use crate::approvals::call_form::{COVERS_ALL, MOST_LINES, code_lines, name, reason};
use crate::approvals::form_text::{FormText, Lines};
use crate::examine::calls::{AskedCall, attention};
use crate::examine::judge::Judgement;
use crate::privacy::{Leaving, Redacted};

/// The most tools in a title.
const TITLE_TOOLS: usize = 4;

/// The most lines of each other part in the form of a client. Chosen: together with the calls
/// that need approval, what a person reads at once.
const MAX_FINDING_LINES: usize = 20;
const MAX_OTHER_LINES: usize = 30;
const MAX_PROGRAM_LINES: usize = 40;

/// A form about a program.
pub(crate) struct ProgramForm {
    pub(crate) title: Redacted,
    pub(crate) details: FormText,
    /// How many of the calls that need approval are shown, counted from the first one.
    pub(crate) shown: usize,
}

/// Writes the form.
pub(crate) fn program_form(
    language: Language,
    source: &str,
    judgement: &Judgement,
    leaving: &mut Leaving<'_>,
) -> ProgramForm {
    let mut text = FormText::default();
    if judgement.ruling.word == Decision::Ask {
        text.own(&[&"Approval is required because ", &reason(&judgement.ruling), &"."]);
    }
    text.own(&[&"Risk: ", &judgement.level, &" (", &judgement.risk_score, &" of 100)."]);
    add_findings(judgement, &mut text, leaving);
    text.own(&[match judgement.impact.reversible {
        Some(true) => &"According to its tools, it destroys nothing.",
        Some(false) => &"It cannot be undone.",
        None => &"Its tools do not declare whether it can be undone.",
    }]);
    if !judgement.impact.tools.is_empty() {
        text.own(&[&"It would call:"]);
    }
    let shown = add_asked(&judgement.asked, &mut text, leaving);
    add_other_calls(judgement, &mut text, leaving);
    add_touched(judgement, &mut text, leaving);
    if !judgement.asked.is_empty() {
        text.own(&[&COVERS_CALLS]);
        text.own(&[&COVERS_SESSION]);
        text.own(&[&COVERS_ALL]);
    }
    text.own(&[&"The program:"]);
    text.add_start(code_lines(source, leaving), MAX_PROGRAM_LINES, "the program");
    ProgramForm { title: title(language, judgement, leaving), details: text, shown }
}

/// What the answers mean.
const COVERS_CALLS: &str = "Once: the calls listed above that need approval, exactly as shown, \
                            each as often as it is listed, or as often as its loop runs. Every \
                            other call that needs approval, and every one with arguments that are \
                            computed at run time, is asked about when it is made.";
const COVERS_SESSION: &str = "For this session: the same calls, exactly as shown, any number of \
                              times.";

/// The program to approve, in one line.
fn title(language: Language, judgement: &Judgement, leaving: &mut Leaving<'_>) -> Redacted {
    let mut tools: Vec<&ToolRef> = Vec::new();
    for asked in &judgement.asked {
        if !tools.contains(&&asked.tool) {
            tools.push(&asked.tool);
        }
    }
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

/// What the program is for, in the words of its author.
pub(crate) fn action_lines(action: &str, leaving: &mut Leaving<'_>) -> Lines {
    let mut lines = Lines::default();
    lines.own(&[&"What it is for, according to its author:"]);
    lines.quote(&leaving.text(action).start(RunOptions::ACTION_CHARS));
    lines
}

/// The findings. The code that they quote, and all that stands beside it, is not ours alone.
fn add_findings(judgement: &Judgement, text: &mut FormText, leaving: &mut Leaving<'_>) {
    let mut lines = Lines::default();
    for issue in &judgement.issues {
        lines.own(&[&"Line ", &issue.line, &" (", &Redacted::trusted(&*issue.rule), &"):"]);
        lines.quote(&finding(&issue.message, leaving));
    }
    text.add_start(lines, MAX_FINDING_LINES, "findings");
}

/// A finding in a program: the code it is about, then our words.
fn finding(message: &str, leaving: &mut Leaving<'_>) -> Redacted {
    let quoted = message.strip_prefix('`').and_then(|rest| rest.split_once("` "));
    match quoted {
        Some((code, rest)) => {
            let code = leaving.text(code);
            Redacted::join(&[&"`", &code, &"` ", &Redacted::trusted(rest)])
        }
        None => Redacted::trusted(message),
    }
}

/// Adds the calls that need approval. Returns how many of them the short version shows.
fn add_asked(asked: &[AskedCall], text: &mut FormText, leaving: &mut Leaving<'_>) -> usize {
    let (mut room, mut shown, mut is_full) = (MOST_LINES, 0, false);
    let mut before: Option<&AskedCall> = None;
    for one in asked {
        let mut lines = Lines::default();
        let is_same = |other: &AskedCall| other.tool == one.tool && other.because == one.because;
        if !before.is_some_and(is_same) {
            let because = Redacted::trusted(&*one.because);
            lines.own(&[&tool(&one.tool, one.effect, leaving), &" - asked because ", &because]);
        }
        before = Some(one);
        add_call(&one.call, "", &mut lines, leaving);
        is_full |= lines.len() > room;
        if is_full {
            text.add_to_full(&lines);
        } else {
            room -= lines.len();
            shown += 1;
            text.add(&lines);
        }
    }
    if shown < asked.len() {
        let more = asked.len() - shown;
        text.note_left_out(&[
            &"… and ",
            &more,
            &" more calls that need approval; each is asked about when it is made",
        ]);
    }
    shown
}

/// Adds the calls that need no approval, or not for certain.
fn add_other_calls(judgement: &Judgement, text: &mut FormText, leaving: &mut Leaving<'_>) {
    let mut tools: Vec<&ToolImpact> = judgement.impact.tools.iter().collect();
    tools.sort_by_key(|tool| attention(tool));
    let mut lines = Lines::default();
    for impact in tools {
        let is_asked = |call: &CallImpact| {
            judgement.asked.iter().any(|one| one.tool == impact.tool && one.call == *call)
        };
        let calls: Vec<&CallImpact> = impact.calls.iter().filter(|call| !is_asked(call)).collect();
        if calls.is_empty() {
            continue;
        }
        let because = Redacted::trusted(&*impact.because);
        let name = tool(&impact.tool, impact.effect, leaving);
        match impact.decision {
            Decision::Deny => lines.own(&[&name, &" - will be refused, because ", &because]),
            Decision::Allow | Decision::Ask => lines.own(&[&name]),
        }
        for call in calls {
            let note = match call.decision {
                Decision::Ask => ", asked about when it is made, if its arguments need it",
                Decision::Allow | Decision::Deny => "",
            };
            add_call(call, note, &mut lines, leaving);
        }
    }
    text.add_start(lines, MAX_OTHER_LINES, "other calls");
}

fn tool(id: &ToolRef, effect: Effect, leaving: &mut Leaving<'_>) -> Redacted {
    Redacted::join(&[&"- ", &name(id, leaving), &" (", &effect, &")"])
}

/// One call with its arguments.
fn add_call(call: &CallImpact, note: &'static str, lines: &mut Lines, leaving: &mut Leaving<'_>) {
    let again = if call.repeated { ", in a loop" } else { "" };
    let is_bare = call.is_literal() && call.arguments.is_empty();
    let bare = if is_bare { ", without arguments" } else { "" };
    lines.own(&[&"line ", &call.line, &again, &bare, &note, &":"]);
    for (key, value) in call.arguments.iter().filter(|(key, _)| !call.computed.contains(key)) {
        lines.quote(&argument(key, value, leaving));
    }
    if !call.computed.is_empty() {
        lines.own(&[&"computed at run time, here as far as known:"]);
    }
    for key in &call.computed {
        match call.arguments.get(key) {
            Some(value) => lines.quote(&argument(key, value, leaving)),
            None => lines.quote(&leaving.text(key)),
        }
    }
    if call.open {
        let others = !(call.arguments.is_empty() && call.computed.is_empty());
        let which = if others { "and other arguments," } else { "with arguments that are" };
        lines.own(&[&which, &" computed at run time"]);
    }
}

/// Adds files, addresses and commands.
fn add_touched(judgement: &Judgement, text: &mut FormText, leaving: &mut Leaving<'_>) {
    let impact = &judgement.impact;
    let mut lines = Lines::default();
    for access in ["remove", "write", "read"] {
        let files = impact.files.iter().filter(|file| file.access == access);
        let heading = Redacted::join(&[&"It would ", &access, &" the files:"]);
        add_list(&heading, files.map(|file| &file.path), &mut lines, leaving);
    }
    let lists =
        [("It would reach:", &impact.network), ("It would run the commands:", &impact.commands)];
    for (heading, list) in lists {
        add_list(&Redacted::join(&[&heading]), list.iter(), &mut lines, leaving);
    }
    if impact.unseen {
        lines.own(&[
            &"It also calls tools whose names it computes; those are asked about when it calls them.",
        ]);
    }
    text.add_start(lines, MAX_OTHER_LINES, "files, addresses and commands");
}

fn add_list<'t>(
    heading: &Redacted,
    all: impl Iterator<Item = &'t String>,
    lines: &mut Lines,
    leaving: &mut Leaving<'_>,
) {
    for (number, one) in all.enumerate() {
        if number == 0 {
            lines.own(&[heading]);
        }
        lines.quote(&leaving.text(one));
    }
}
