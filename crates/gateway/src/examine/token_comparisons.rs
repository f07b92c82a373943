//! Warns of programs that compare real values with tokens.
//!
//! In: the facts of a program, where programs see real values. Out: one warning with the lines
//! that compare something with a literal such as `[EMAIL_1]`, which is never equal to a value.

use tidegate_model::Language;
use tidegate_model::reading::{FactKind, Reading, TOKEN_COMPARISON, ValueForm};

/// How many lines are named.
const MAX_LINES: usize = 5;

pub(super) fn warning(language: Language, reading: &Reading) -> Option<String> {
    let mut found = reading
        .facts
        .iter()
        .filter(|fact| fact.kind == FactKind::Syntax && fact.path == TOKEN_COMPARISON);
    let first = found.next()?;
    let token = match first.arguments.first().map(|one| &one.form) {
        Some(ValueForm::Text(token)) => token.as_str(),
        _ => "a token",
    };
    let mut lines = vec![first.line];
    lines.extend(found.map(|fact| fact.line));
    lines.dedup();
    let more = if lines.len() > MAX_LINES { " and more" } else { "" };
    let listed: Vec<String> = lines.iter().take(MAX_LINES).map(u32::to_string).collect();
    let (listed, plural) = (listed.join(", "), if lines.len() > 1 { "s" } else { "" });
    let awaited = if language == Language::Python { "" } else { "await " };
    Some(format!(
        "line{plural} {listed}{more}: a comparison with `{token}` is never true, because the program \
         sees real values and tokens are only restored in the arguments of calls; use `{awaited}\
         pii.equals(value, '{token}')`"
    ))
}
