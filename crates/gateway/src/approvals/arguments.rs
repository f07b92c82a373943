//! The arguments of a call, as a person reads them.
//!
//! In: the arguments, and how many lines there is room for. Out: all of them, or a part of each
//! argument if there is no room. The short ones come first, in full; each of the others has a
//! share of the room of its own, and a long list or object is divided in the same way. So no
//! argument can push another one out of the form: neither by its length nor by its place.
//!
//! Invariant: what is cut is followed by a line that says how much is missing.

use serde_json::{Map, Value};

use crate::approvals::form_text::Lines;
use crate::privacy::{Leaving, Redacted};

/// The fewest lines of a share, as long as [`MOST_ARGUMENT_LINES`] has room. Chosen: the
/// beginning of a text and what is missing.
const LEAST_SHARE: usize = 2;

/// The most lines if there are many arguments: each has its share until then.
const MOST_ARGUMENT_LINES: usize = 400;

/// How deep lists and objects are divided. Each level searches the long ones for personal data
/// once more.
const MOST_LEVELS: usize = 3;

/// One argument, or a part of one.
struct Piece<'a> {
    /// As the form names it: `to`, `options["path"]`, `rows[3]`.
    name: String,
    value: &'a Value,
    lines: Lines,
}

/// One argument.
pub(crate) fn argument(key: &str, value: &Value, leaving: &mut Leaving<'_>) -> Redacted {
    match value {
        Value::String(text) => leaving.text(&format!("{key} = {text}")),
        other => leaving.text(&format!("{key} = {other}")),
    }
}

/// All arguments, each on a line of its own; and if these are more than `room` lines, a part
/// of each in about as many.
pub(crate) fn argument_lines(
    arguments: &Map<String, Value>,
    room: usize,
    leaving: &mut Leaving<'_>,
) -> (Lines, Option<Lines>) {
    let named = arguments.iter().map(|(key, value)| (key.clone(), value)).collect();
    let pieces = searched(named, leaving);
    let mut full = Lines::default();
    for piece in &pieces {
        full.add_start(piece.lines.clone(), usize::MAX);
    }
    if full.len() <= room {
        return (full, None);
    }
    let room = room.max((pieces.len() * LEAST_SHARE).min(MOST_ARGUMENT_LINES));
    let mut short = Lines::default();
    divide(pieces, room, MOST_LEVELS, &mut short, leaving);
    (full, Some(short))
}

/// The lines of each. The short ones are searched for personal data first: what is left of
/// the budget of a search is not shown, so a long one could hide all that come after it.
fn searched<'a>(named: Vec<(String, &'a Value)>, leaving: &mut Leaving<'_>) -> Vec<Piece<'a>> {
    let size = |value: &Value| value.as_str().map_or_else(|| value.to_string().len(), str::len);
    let mut pieces: Vec<(usize, usize, Piece<'a>)> = named
        .into_iter()
        .enumerate()
        .map(|(place, (name, value))| {
            (size(value), place, Piece { name, value, lines: Lines::default() })
        })
        .collect();
    pieces.sort_by_key(|(size, ..)| *size);
    for (.., Piece { name, value, lines }) in &mut pieces {
        lines.quote(&argument(name, value, leaving));
    }
    pieces.sort_by_key(|(_, place, _)| *place);
    pieces.into_iter().map(|(.., piece)| piece).collect()
}

/// Adds a part of each of these, the shortest first.
fn divide(
    mut pieces: Vec<Piece<'_>>,
    mut room: usize,
    levels: usize,
    into: &mut Lines,
    leaving: &mut Leaving<'_>,
) {
    pieces.sort_by_key(|piece| piece.lines.len());
    // Each takes a line at least.
    let unseen = pieces.split_off(pieces.len().min(room.max(1))).len();
    let mut left = pieces.len();
    for piece in pieces {
        let share = (room / left).max(1);
        let before = into.len();
        let parts = if levels == 0 { Vec::new() } else { parts(&piece) };
        if piece.lines.len() <= share {
            into.add_start(piece.lines, share);
        } else if parts.is_empty() {
            let missing = into.add_start(piece.lines, share.saturating_sub(1).max(1));
            into.own(&[&"… and ", &missing, &" more lines of this argument"]);
        } else {
            divide(searched(parts, leaving), share, levels - 1, into, leaving);
        }
        room = room.saturating_sub(into.len() - before);
        left -= 1;
    }
    if unseen > 0 {
        into.own(&[&"… and ", &unseen, &" more of these"]);
    }
}

/// The parts of a list or an object.
fn parts<'a>(piece: &Piece<'a>) -> Vec<(String, &'a Value)> {
    let name = &piece.name;
    match piece.value {
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| (format!("{name}[{}]", Value::String(key.clone())), value))
            .collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(at, value)| (format!("{name}[{at}]"), value)).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}
