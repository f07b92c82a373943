//! Literals that a function may execute: `cron.schedule('a', '* * * * *', 'DELETE FROM t')`.
//!
//! In: the tokens of one reading. Out: the literals in the arguments of functions that are
//! not known to compute only. What a function does with a text is known to the database, so
//! the text counts if it is a complete statement.

use super::tokens::SqlToken;

/// Functions that only compute, and words before parentheses that are no functions.
const COMPUTING: &[&str] = &[
    "against",
    "all",
    "and",
    "any",
    "array",
    "array_agg",
    "array_append",
    "array_contains",
    "array_position",
    "array_remove",
    "as",
    "ascii",
    "avg",
    "between",
    "btrim",
    "by",
    "cast",
    "char_length",
    "charindex",
    "check",
    "coalesce",
    "concat",
    "concat_ws",
    "contains",
    "convert",
    "count",
    "date",
    "decode",
    "default",
    "else",
    "encode",
    "ends_with",
    "enum",
    "exists",
    "filter",
    "find_in_set",
    "format",
    "from",
    "glob",
    "greatest",
    "group_concat",
    "having",
    "hex",
    "highlight",
    "if",
    "ifnull",
    "iif",
    "ilike",
    "in",
    "initcap",
    "insert",
    "instr",
    "into",
    "isnull",
    "join",
    "json_array",
    "json_build_array",
    "json_build_object",
    "json_contains",
    "json_extract",
    "json_insert",
    "json_object",
    "json_query",
    "json_remove",
    "json_replace",
    "json_set",
    "json_value",
    "jsonb_build_object",
    "jsonb_set",
    "lcase",
    "least",
    "left",
    "len",
    "length",
    "like",
    "locate",
    "lower",
    "lpad",
    "ltrim",
    "match",
    "max",
    "md5",
    "min",
    "not",
    "nullif",
    "nvl",
    "on",
    "or",
    "over",
    "overlay",
    "patindex",
    "plainto_tsquery",
    "phraseto_tsquery",
    "position",
    "quote",
    "quote_literal",
    "regexp_count",
    "regexp_extract",
    "regexp_like",
    "regexp_match",
    "regexp_matches",
    "regexp_replace",
    "regexp_substr",
    "repeat",
    "replace",
    "reverse",
    "right",
    "rpad",
    "rtrim",
    "select",
    "set",
    "sha1",
    "sha2",
    "similarity",
    "snippet",
    "some",
    "split",
    "split_part",
    "starts_with",
    "string_agg",
    "string_split",
    "string_to_array",
    "strpos",
    "substr",
    "substring",
    "substring_index",
    "sum",
    "then",
    "to_char",
    "to_json",
    "to_jsonb",
    "to_tsquery",
    "to_tsvector",
    "translate",
    "trim",
    "ts_headline",
    "ucase",
    "unhex",
    "union",
    "unistr",
    "upper",
    "values",
    "websearch_to_tsquery",
    "when",
    "where",
    "with",
];

/// The literals.
pub(super) fn embedded(tokens: &[SqlToken]) -> impl Iterator<Item = &str> {
    // For each open parenthesis, whether a function that is not known opened it.
    let mut opened: Vec<bool> = Vec::new();
    let mut unknown = 0_usize;
    tokens.iter().enumerate().filter_map(move |(at, token)| {
        match token {
            SqlToken::Symbol('(') => {
                let is_unknown = is_unknown_function(tokens, at);
                unknown += usize::from(is_unknown);
                opened.push(is_unknown);
            }
            SqlToken::Symbol(')') => {
                unknown -= usize::from(opened.pop().unwrap_or(false));
            }
            SqlToken::Text(text) | SqlToken::Body(text) if unknown > 0 => {
                return Some(text.as_str());
            }
            _ => {}
        }
        None
    })
}

/// Whether the parenthesis here opens the arguments of a function that is not known. One in a
/// schema is none that every database has.
fn is_unknown_function(tokens: &[SqlToken], open: usize) -> bool {
    let before = |distance: usize| open.checked_sub(distance).and_then(|at| tokens.get(at));
    match before(1) {
        Some(SqlToken::Word(word)) => {
            !COMPUTING.contains(&word.as_str())
                || before(2).is_some_and(|token| token.is_symbol('.'))
        }
        Some(SqlToken::Name(_)) => true,
        _ => false,
    }
}
