//! Which of several alternatives a value was meant to be.
//!
//! In: the alternatives of an `anyOf` or `oneOf`, why each of them was not met,
//! and the value. Out: the alternative to talk about, or that there is none.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use crate::place::Place;

/// What a value that fits no alternative was probably meant to be.
#[derive(Debug)]
pub(crate) enum Choice<'e, 'a> {
    /// One alternative; these are its complaints.
    Meant(&'e [ValidationError<'static>]),
    /// None, since the key that tells them apart has a value of its own.
    Unknown { key: &'a str, options: Vec<&'a Value> },
    /// It cannot be told.
    Unclear,
}

/// How well an alternative fits; the larger the better.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Score {
    /// Keys whose only value is the given one, less those with another value.
    telling: i64,
    keys: usize,
    few_errors: i64,
}

/// Chooses an alternative. `context` has the errors of each, in the same order.
pub(crate) fn choose<'e, 'a>(
    alternatives: &[Place<'a>],
    context: &'e [Vec<ValidationError<'static>>],
    value: &Value,
    pointer: &str,
) -> Choice<'e, 'a> {
    let candidates: Vec<_> = alternatives
        .iter()
        .zip(context)
        .filter(|(_, errors)| !errors.iter().any(|error| is_another_kind(error, pointer)))
        .map(|(place, errors)| (score(*place, errors, value), *place, errors))
        .collect();
    if candidates.len() > 1
        && candidates.iter().all(|(score, ..)| score.telling < 0)
        && let Some(choice) = unknown(&candidates, value)
    {
        return choice;
    }
    let Some(best) = candidates.iter().map(|(score, ..)| score).max() else {
        return Choice::Unclear;
    };
    let mut equal = candidates.iter().filter(|(score, ..)| score == best);
    match (equal.next(), equal.next()) {
        (Some(_), Some(_)) if value.is_object() => Choice::Unclear,
        (Some((_, _, errors)), _) => Choice::Meant(errors),
        (None, _) => Choice::Unclear,
    }
}

/// Whether an error says that the value is not at all what the schema is about.
pub(crate) fn is_another_kind(error: &ValidationError<'_>, pointer: &str) -> bool {
    if error.instance_path().as_str() != pointer {
        return false;
    }
    match error.kind() {
        ValidationErrorKind::Type { .. }
        | ValidationErrorKind::Constant { .. }
        | ValidationErrorKind::Enum { .. }
        | ValidationErrorKind::FalseSchema => true,
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            let other = |error: &ValidationError<'_>| is_another_kind(error, pointer);
            context.iter().all(|errors| errors.iter().any(other))
        }
        _ => false,
    }
}

fn score(place: Place<'_>, errors: &[ValidationError<'_>], value: &Value) -> Score {
    let few_errors = i64::try_from(errors.len()).map_or(i64::MIN, |number| -number);
    let mut score = Score { telling: 0, keys: 0, few_errors };
    let known = place.keys();
    for (key, given) in value.as_object().into_iter().flatten() {
        if !known.contains(&key.as_str()) {
            continue;
        }
        score.keys += 1;
        match place.property(key).and_then(Place::constant) {
            Some(constant) if constant == given => score.telling += 1,
            Some(_) => score.telling -= 1,
            None => {}
        }
    }
    score
}

/// The key that tells all candidates apart, if one does.
fn unknown<'e, 'a>(
    candidates: &[(Score, Place<'a>, &'e Vec<ValidationError<'static>>)],
    value: &Value,
) -> Option<Choice<'e, 'a>> {
    let (_, first, _) = candidates.first()?;
    let is_given = |key: &&str| value.get(key).is_some();
    first.keys().into_iter().filter(is_given).find_map(|key| {
        let constant = |place: &Place<'a>| place.property(key).and_then(Place::constant);
        let options: Option<Vec<&Value>> =
            candidates.iter().map(|(_, place, _)| constant(place)).collect();
        options.map(|options| Choice::Unknown { key, options })
    })
}
