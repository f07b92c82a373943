//! The comments that MySQL and MariaDB execute: `/*! … */`, `/*!50000 … */`, `/*M! … */`.
//!
//! In: a text that has some. Out: the text as such a server could read it, without them. A
//! server executes the content of one or skips it, depending on its version. What it executes,
//! it reads as code: a `*/` inside of a literal does not end it. What it skips ends at the
//! next `*/`, or at one later if comments nest.

/// What a server does with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Server {
    Executes,
    Skips,
    SkipsNested,
}

/// Whether `\'` is an escaped quote in a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backslash {
    Escapes,
    Plain,
}

/// A text without executed comments.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unwrapped {
    pub(super) text: String,
    pub(super) backslash: Backslash,
}

/// Whether a text has a comment that some server executes.
pub(super) fn has_some(text: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), "/*").any(|at| opened(&text[at..]).is_some())
}

/// Every way in which a server could read a text. None if one is beyond us: a comment is not
/// closed, or comments of several versions are combined, of which a server may execute some.
pub(super) fn unwrapped(text: &str) -> Option<Vec<Unwrapped>> {
    let mut kinds = memchr::memmem::find_iter(text.as_bytes(), "/*")
        .filter_map(|at| opened(&text[at..]).map(|length| &text[at..at + length]));
    let first = kinds.next()?;
    if kinds.any(|kind| kind != first) {
        return None;
    }
    let mut all: Vec<Unwrapped> = Vec::new();
    for server in [Server::Executes, Server::Skips, Server::SkipsNested] {
        for backslash in [Backslash::Escapes, Backslash::Plain] {
            all.push(Unwrapped { text: without(text, server, backslash)?, backslash });
        }
    }
    Some(all)
}

/// The length of what opens an executed comment, if a text begins with one.
fn opened(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("/*")?;
    let rest = rest.strip_prefix(['M', 'm']).unwrap_or(rest).strip_prefix('!')?;
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    Some(text.len() - rest.len())
}

/// The text without comments. None if one of them does not end.
fn without(text: &str, server: Server, backslash: Backslash) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut executing = false;
    while let Some(c) = rest.chars().next() {
        let executed = opened(rest);
        let taken = match c {
            '\'' | '"' | '`' => literal(rest, c, backslash),
            '#' => line(rest),
            '-' if is_line_comment(rest) => line(rest),
            '/' if executed.is_some() && server == Server::Executes => {
                executing = true;
                out.push(' ');
                rest = &rest[executed.unwrap_or_default()..];
                continue;
            }
            '/' if rest.starts_with("/*") => {
                let nests = executed.is_some() && server == Server::SkipsNested;
                out.push(' ');
                rest = &rest[comment(rest, nests)?..];
                continue;
            }
            '*' if executing && rest.starts_with("*/") => {
                executing = false;
                out.push(' ');
                rest = &rest[2..];
                continue;
            }
            c => c.len_utf8(),
        };
        let (copied, after) = rest.split_at(taken);
        out.push_str(copied);
        rest = after;
    }
    (!executing).then_some(out)
}

/// The length of a literal, up to the end of the text if it is not closed.
fn literal(text: &str, quote: char, backslash: Backslash) -> usize {
    let escapes = backslash == Backslash::Escapes && quote != '`';
    let mut characters = text.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        if c == quote {
            return at + 1;
        }
        if c == '\\' && escapes {
            characters.next();
        }
    }
    text.len()
}

fn is_line_comment(text: &str) -> bool {
    text.strip_prefix("--")
        .is_some_and(|rest| rest.chars().next().is_none_or(|c| c.is_whitespace() || c.is_control()))
}

fn line(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// The length of a comment; none if it does not end.
fn comment(text: &str, nests: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (2, 1);
    loop {
        at += memchr::memchr2(b'*', b'/', bytes.get(at..)?)?;
        match bytes.get(at..at + 2)? {
            b"*/" => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return Some(at);
                }
            }
            b"/*" if nests => {
                depth += 1;
                at += 2;
            }
            _ => at += 1,
        }
    }
}
