//! Chooses the alternative of an `anyOf` or `oneOf` that a value was probably meant to match.
//!
//! In: the alternatives, the errors of each, and the value. Out: the alternative whose
//! errors are worth reporting, if one stands out.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use super::schema_node::SchemaNode;

/// The alternative that a value was probably meant to match.
#[derive(Debug)]
pub(crate) enum AlternativeChoice<'e, 'a> {
    /// One alternative, with its errors.
    Likely(&'e [ValidationError<'static>]),
    /// None: the key that distinguishes the alternatives has a value that none of them has.
    UnknownDiscriminator { key: &'a str, options: Vec<&'a Value> },
    /// None stands out.
    Unclear,
}

/// How well an alternative matches. Fields are compared in order; larger is better.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct MatchScore {
    /// Keys whose constant equals the given value, minus those whose constant differs.
    discriminators: i64,
    keys: usize,
    few_errors: i64,
}

/// Chooses an alternative. `context` holds the errors of each, in the same order.
pub(crate) fn choose<'e, 'a>(
    alternatives: &[SchemaNode<'a>],
    context: &'e [Vec<ValidationError<'static>>],
    value: &Value,
    pointer: &str,
) -> AlternativeChoice<'e, 'a> {
    let candidates: Vec<_> = alternatives
        .iter()
        .zip(context)
        .filter(|(_, errors)| !errors.iter().any(|error| is_other_type(error, pointer)))
        .map(|(node, errors)| (score(*node, errors, value), *node, errors))
        .collect();
    if candidates.len() > 1
        && candidates.iter().all(|(score, ..)| score.discriminators < 0)
        && let Some(choice) = unknown_discriminator(&candidates, value)
    {
        return choice;
    }
    let Some(best) = candidates.iter().map(|(score, ..)| score).max() else {
        return AlternativeChoice::Unclear;
    };
    let mut equal = candidates.iter().filter(|(score, ..)| score == best);
    match (equal.next(), equal.next()) {
        (Some(_), Some(_)) if value.is_object() => AlternativeChoice::Unclear,
        (Some((_, _, errors)), _) => AlternativeChoice::Likely(errors),
        (None, _) => AlternativeChoice::Unclear,
    }
}

/// Whether an error means that the value is of another type than the schema describes.
pub(crate) fn is_other_type(error: &ValidationError<'_>, pointer: &str) -> bool {
    if error.instance_path().as_str() != pointer {
        return false;
    }
    match error.kind() {
        ValidationErrorKind::Type { .. }
        | ValidationErrorKind::Constant { .. }
        | ValidationErrorKind::Enum { .. }
        | ValidationErrorKind::FalseSchema => true,
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            let other = |error: &ValidationError<'_>| is_other_type(error, pointer);
            context.iter().all(|errors| errors.iter().any(other))
        }
        _ => false,
    }
}

fn score(node: SchemaNode<'_>, errors: &[ValidationError<'_>], value: &Value) -> MatchScore {
    let few_errors = i64::try_from(errors.len()).map_or(i64::MIN, |number| -number);
    let mut score = MatchScore { discriminators: 0, keys: 0, few_errors };
    let known = node.keys();
    for (key, given) in value.as_object().into_iter().flatten() {
        if !known.contains(&key.as_str()) {
            continue;
        }
        score.keys += 1;
        match node.property(key).and_then(SchemaNode::constant) {
            Some(constant) if constant == given => score.discriminators += 1,
            Some(_) => score.discriminators -= 1,
            None => {}
        }
    }
    score
}

/// The key that distinguishes all candidates, if there is one.
fn unknown_discriminator<'e, 'a>(
    candidates: &[(MatchScore, SchemaNode<'a>, &'e Vec<ValidationError<'static>>)],
    value: &Value,
) -> Option<AlternativeChoice<'e, 'a>> {
    let (_, first, _) = candidates.first()?;
    let is_given = |key: &&str| value.get(key).is_some();
    first.keys().into_iter().filter(is_given).find_map(|key| {
        let constant = |node: &SchemaNode<'a>| node.property(key).and_then(SchemaNode::constant);
        let options: Option<Vec<&Value>> =
            candidates.iter().map(|(_, node, _)| constant(node)).collect();
        options.map(|options| AlternativeChoice::UnknownDiscriminator { key, options })
    })
}
