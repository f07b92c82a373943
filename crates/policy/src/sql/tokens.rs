//! SQL text as tokens, once for each way in which a database could read it.
//!
//! In: a text. Out: the tokens of every dialect that reads it differently. The tokenizer is
//! that of `sqlparser`; what real databases do beyond it is added here: control characters
//! are white space, a number may end where a word begins (`1eDROP`), a currency sign may
//! stand alone (`$DROP`), and MySQL and MariaDB execute comments (`executed_comments.rs`).

use std::any::TypeId;
use std::borrow::Cow;

use sqlparser::dialect::{
    BigQueryDialect, ClickHouseDialect, Dialect, DuckDbDialect, GenericDialect, MsSqlDialect,
    MySqlDialect, OracleDialect, PostgreSqlDialect, SQLiteDialect, SnowflakeDialect,
};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};
use tidegate_model::is_hidden;

use super::executed_comments::{self, Backslash};
use super::verbs::is_verb;

/// What the statements of a text are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SqlToken {
    /// A word without quotes, in lower case.
    Word(String),
    /// A quoted identifier, a variable or a placeholder.
    Name(String),
    /// A string literal.
    Text(String),
    /// A dollar-quoted literal, which mostly contains code.
    Body(String),
    Number,
    /// Anything else; `~` for operators that make no difference.
    Symbol(char),
}

impl SqlToken {
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Name(_) | Self::Text(_) | Self::Body(_) | Self::Number | Self::Symbol(_) => None,
        }
    }

    /// What it is called, if it can be the name of something.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Word(name) | Self::Name(name) | Self::Text(name) => Some(name),
            Self::Body(_) | Self::Number | Self::Symbol(_) => None,
        }
    }

    pub(super) fn is_symbol(&self, symbol: char) -> bool {
        *self == Self::Symbol(symbol)
    }
}

/// What dialects read in different ways, together with prefixes of literals.
const AMBIGUOUS: &[&str] =
    &["\"", "`", "[", "$", "#", "\\", "--", "/*", "//", "{", "@", "'''", "._"];

/// A text as the dialects read it.
#[derive(Debug)]
pub(super) struct Readings {
    /// Their tokens, without duplicates.
    pub(super) all: Vec<Vec<SqlToken>>,
    /// Whether they say what the text does: some dialect can read all of it, and so can each
    /// one that executes comments, if there are any.
    pub(super) is_read: bool,
}

/// The tokens of a text as each dialect reads it.
pub(super) fn readings(text: &str) -> Readings {
    let mut found = Readings { all: Vec::new(), is_read: false };
    let mut is_unread = false;
    for text in spellings(text) {
        let dialects: &[&dyn Dialect] = if is_ambiguous(&text) {
            &[
                &SQLiteDialect {},
                &PostgreSqlDialect {},
                &MySqlDialect {},
                &MsSqlDialect {},
                &OracleDialect {},
                &DuckDbDialect {},
                &ClickHouseDialect {},
                &BigQueryDialect {},
                &SnowflakeDialect,
                &GenericDialect {},
                &EscapingPostgres,
                &PlainMySql,
            ]
        } else {
            &[&PostgreSqlDialect {}]
        };
        for dialect in dialects {
            found.is_read |= found.add(&text, *dialect);
        }
        if executed_comments::has_some(&text) {
            is_unread |= !found.add_executed(&text);
        }
    }
    found.is_read &= !is_unread;
    found
}

impl Readings {
    /// Adds a reading. Returns whether the dialect can read all of the text.
    fn add(&mut self, text: &str, dialect: &dyn Dialect) -> bool {
        let (tokens, whole) = read(text, dialect);
        if !self.all.contains(&tokens) {
            self.all.push(tokens);
        }
        whole
    }

    /// Adds the readings of servers that execute comments. The tokenizer ends such a comment
    /// at the first `*/`, even inside of a literal. Returns whether all of them can read it.
    fn add_executed(&mut self, text: &str) -> bool {
        let Some(all) = executed_comments::unwrapped(text) else { return false };
        all.iter().fold(true, |whole, one| {
            let dialect: &dyn Dialect = match one.backslash {
                Backslash::Escapes => &MySqlDialect {},
                Backslash::Plain => &PlainMySql,
            };
            self.add(&one.text, dialect) && whole
        })
    }
}

/// The words of a text, ignoring quotes and comments.
pub(super) fn all_words(text: &str) -> Vec<SqlToken> {
    let mut tokens = Vec::new();
    words(text, &mut tokens);
    tokens
}

/// Whether databases skip a character, or something on the way may remove it.
fn is_skipped(c: char) -> bool {
    !c.is_ascii_whitespace() && (c.is_control() || c.is_whitespace() || is_hidden(c))
}

/// The text without the characters that something may remove.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    // The common case, which costs a pass over the bytes.
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r');
    match text.bytes().all(is_plain) || !text.contains(is_skipped) {
        true => Cow::from(text),
        false => Cow::from(text.replace(is_skipped, "")),
    }
}

/// The text with control and invisible characters as white space, and without them.
fn spellings(text: &str) -> Vec<Cow<'_, str>> {
    match visible(text) {
        Cow::Borrowed(text) => vec![Cow::from(text)],
        visible => vec![Cow::from(text.replace(is_skipped, " ")), visible],
    }
}

/// Whether dialects can disagree about a text.
fn is_ambiguous(text: &str) -> bool {
    let is_prefix = |pair: &[u8]| matches!(pair, [before, b'\''] if before.is_ascii_alphabetic() || *before == b'&');
    text.as_bytes().windows(2).any(is_prefix) || AMBIGUOUS.iter().any(|one| text.contains(one))
}

/// The tokens of a text, and whether the dialect can read all of it.
fn read(text: &str, dialect: &dyn Dialect) -> (Vec<SqlToken>, bool) {
    let mut found: Vec<TokenWithSpan> = Vec::new();
    let outcome = Tokenizer::new(dialect, text).tokenize_with_location_into_buf(&mut found);
    let end = found.last().map_or(Location::new(1, 1), |token| token.span.end);
    let mut tokens = converted(found, dialect.supports_dollar_as_money_prefix());
    let Err(error) = outcome else { return (tokens, true) };
    // SQLite takes the rest of the text for a comment.
    if error.message.contains("comment") {
        return (tokens, true);
    }
    // A literal that never ends makes its statement invalid, but not those before it. After
    // any other error, the dialect may be more tolerant than the tokenizer.
    if ["Unterminated", "Expected close"].iter().any(|start| error.message.starts_with(start)) {
        let last = tokens.iter().rposition(|token| token.is_symbol(';'));
        tokens.truncate(last.map_or(0, |last| last + 1));
    } else {
        words(text.get(offset(text, end)..).unwrap_or(text), &mut tokens);
    }
    (tokens, false)
}

fn converted(found: Vec<TokenWithSpan>, has_money: bool) -> Vec<SqlToken> {
    let mut tokens = Vec::with_capacity(found.len());
    // Whether the token before touches this one.
    let mut touches = false;
    for TokenWithSpan { token, .. } in found {
        if matches!(token, Token::Whitespace(_)) {
            touches = false;
            continue;
        }
        match token {
            Token::Word(word) if word.quote_style.is_none() => {
                let after_number = touches && tokens.last() == Some(&SqlToken::Number);
                tokens.push(unquoted(&word.value, after_number));
            }
            Token::Placeholder(text) if has_money => {
                tokens.push(SqlToken::Number);
                tokens.extend(text.get(1..).filter(|rest| !rest.is_empty()).map(word));
            }
            token => tokens.push(other(token)),
        }
        touches = true;
    }
    tokens
}

fn word(text: &str) -> SqlToken {
    SqlToken::Word(text.to_lowercase())
}

/// A word without quotes. Directly after a number, its first letter may belong to that.
fn unquoted(text: &str, after_number: bool) -> SqlToken {
    if text.starts_with(['@', '#']) {
        return SqlToken::Name(text.to_lowercase());
    }
    let lower = text.to_lowercase();
    let suffixed = after_number && lower.starts_with(['e', 'd', 'f', 'l']);
    match lower.get(1..).filter(|rest| suffixed && is_verb(rest)) {
        Some(rest) => SqlToken::Word(rest.to_owned()),
        None => SqlToken::Word(lower),
    }
}

fn other(token: Token) -> SqlToken {
    use SqlToken::{Body, Name, Number, Symbol, Text};
    match token {
        Token::Word(word) => Name(word.value.to_lowercase()),
        Token::Placeholder(text) => Name(text),
        Token::Number(..) | Token::HexStringLiteral(_) => Number,
        Token::DollarQuotedString(body) => Body(body.value),
        Token::SingleQuotedString(text)
        | Token::DoubleQuotedString(text)
        | Token::TripleSingleQuotedString(text)
        | Token::TripleDoubleQuotedString(text)
        | Token::NationalStringLiteral(text)
        | Token::EscapedStringLiteral(text)
        | Token::UnicodeStringLiteral(text)
        | Token::SingleQuotedByteStringLiteral(text)
        | Token::DoubleQuotedByteStringLiteral(text)
        | Token::TripleSingleQuotedByteStringLiteral(text)
        | Token::TripleDoubleQuotedByteStringLiteral(text)
        | Token::SingleQuotedRawStringLiteral(text)
        | Token::DoubleQuotedRawStringLiteral(text)
        | Token::TripleSingleQuotedRawStringLiteral(text)
        | Token::TripleDoubleQuotedRawStringLiteral(text) => Text(text),
        Token::QuoteDelimitedStringLiteral(text)
        | Token::NationalQuoteDelimitedStringLiteral(text) => Text(text.value),
        Token::Comma => Symbol(','),
        Token::Period => Symbol('.'),
        Token::SemiColon => Symbol(';'),
        Token::LParen => Symbol('('),
        Token::RParen => Symbol(')'),
        Token::LBracket => Symbol('['),
        Token::RBracket => Symbol(']'),
        Token::LBrace => Symbol('{'),
        Token::RBrace => Symbol('}'),
        Token::Mul => Symbol('*'),
        Token::Div => Symbol('/'),
        Token::Colon => Symbol(':'),
        Token::Backslash => Symbol('\\'),
        Token::ExclamationMark => Symbol('!'),
        Token::Eq => Symbol('='),
        Token::Char(c) => Symbol(c),
        _ => Symbol('~'),
    }
}

/// The words of a text that could not be tokenized, ignoring quotes and comments.
fn words(text: &str, tokens: &mut Vec<SqlToken>) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let in_word = |c: char| c.is_alphanumeric() || c == '_';
        if in_word(first) {
            let (found, after) = rest.split_at(rest.find(|c| !in_word(c)).unwrap_or(rest.len()));
            tokens.push(word(found));
            rest = after;
        } else {
            if !first.is_whitespace() {
                tokens.push(SqlToken::Symbol(first));
            }
            rest = &rest[first.len_utf8()..];
        }
    }
}

/// The byte at which a location of the tokenizer is.
fn offset(text: &str, location: Location) -> usize {
    let (mut line, mut column) = (1, 1);
    for (at, c) in text.char_indices() {
        if (line, column) >= (location.line, location.column) {
            return at;
        }
        if c == '\n' {
            (line, column) = (line + 1, 1);
        } else {
            column += 1;
        }
    }
    text.len()
}

/// PostgreSQL with `standard_conforming_strings = off`.
#[derive(Debug)]
struct EscapingPostgres;

impl Dialect for EscapingPostgres {
    fn dialect(&self) -> TypeId {
        TypeId::of::<PostgreSqlDialect>()
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        PostgreSqlDialect {}.is_identifier_start(ch)
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        PostgreSqlDialect {}.is_identifier_part(ch)
    }

    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        PostgreSqlDialect {}.is_delimited_identifier_start(ch)
    }

    fn supports_string_literal_backslash_escape(&self) -> bool {
        true
    }

    fn supports_unicode_string_literal(&self) -> bool {
        true
    }

    fn supports_string_escape_constant(&self) -> bool {
        true
    }

    fn supports_nested_comments(&self) -> bool {
        true
    }
}

/// MySQL with `sql_mode = NO_BACKSLASH_ESCAPES`.
#[derive(Debug)]
struct PlainMySql;

impl Dialect for PlainMySql {
    fn dialect(&self) -> TypeId {
        TypeId::of::<MySqlDialect>()
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        MySqlDialect {}.is_identifier_start(ch)
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        MySqlDialect {}.is_identifier_part(ch)
    }

    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        MySqlDialect {}.is_delimited_identifier_start(ch)
    }

    fn supports_multiline_comment_hints(&self) -> bool {
        true
    }

    fn requires_single_line_comment_whitespace(&self) -> bool {
        true
    }
}
