//! Guesses the language of a program, for requests that do not name it.
//!
//! In: the source. Out: the language of its fence, otherwise the one with more signs that only
//! that language has. Strings and comments do not count. Not a parser: most programs have such
//! a sign in their first line, and one without any (`1 + 1`) means the same in both.

use super::{Language, fenced_lines};

/// How much is read: lines, and bytes of each. Chosen: a human reader can tell by then.
const LINES: usize = 500;
const LINE_BYTES: usize = 400;

/// Words that only one of the languages has.
const PYTHON_WORDS: [&str; 11] = [
    "elif", "except", "None", "True", "False", "lambda", "nonlocal", "raise", "pass", "self",
    "__name__",
];
const TYPESCRIPT_WORDS: [&str; 10] = [
    "const",
    "let",
    "var",
    "function",
    "null",
    "undefined",
    "true",
    "false",
    "typeof",
    "instanceof",
];

/// Operators and calls that only one of the languages has.
const PYTHON_SIGNS: [&str; 24] = [
    "print(",
    "len(",
    "range(",
    "sorted(",
    "enumerate(",
    "isinstance(",
    "sum(",
    "str(",
    "dict(",
    "list(",
    "int(",
    "asyncio.",
    "json.dumps",
    "json.loads",
    ".append(",
    ".items()",
    " not in ",
    " is not ",
    " and ",
    " or ",
    "not ",
    "f\"",
    "f'",
    " := ",
];
const TYPESCRIPT_SIGNS: [&str; 19] = [
    "=>",
    "===",
    "!==",
    "&&",
    "||",
    "?.",
    "??",
    "console.",
    "JSON.",
    "Object.",
    "Promise.",
    "Math.",
    "new Date",
    "new Map",
    "new Set",
    "`",
    ".length",
    ".push(",
    "callMCPTool(",
];

/// Beginnings of lines in only one of the languages.
const PYTHON_STARTS: [&str; 4] = ["@", "del ", "global ", "assert "];
const TYPESCRIPT_STARTS: [&str; 9] = [
    "export ",
    "interface ",
    "type ",
    "import {",
    "import * as ",
    "enum ",
    "} else",
    "} catch",
    "async (",
];

/// Beginnings of Python statements that open a block.
const BLOCKS: [&str; 16] = [
    "def ",
    "async def ",
    "class ",
    "if ",
    "elif ",
    "else",
    "for ",
    "async for ",
    "while ",
    "try",
    "except",
    "finally",
    "with ",
    "async with ",
    "match ",
    "case ",
];

pub(super) fn language(source: &str) -> Language {
    let fence = fenced_lines(source).and_then(|inside| source.lines().nth(inside.start - 1));
    let fence = fence.and_then(|line| line.trim_start().strip_prefix("```"));
    if let Some(named) = fence.and_then(|word| Language::parse(word.trim())) {
        return named;
    }
    let (mut python, mut typescript) = (0_u32, 0_u32);
    for line in bare_lines(source).iter().take(LINES) {
        let line = &line[..line.floor_char_boundary(LINE_BYTES)];
        python += python_signs(line);
        typescript += typescript_signs(line);
    }
    if python > typescript { Language::Python } else { Language::TypeScript }
}

/// The lines that are neither empty nor inside a multi-line string, trimmed, with their
/// strings emptied. Comments keep their first character.
fn bare_lines(source: &str) -> Vec<String> {
    let mut lines = Vec::new();
    // The mark that ends the string that is open at the start of a line.
    let mut ending: Option<&str> = None;
    for line in source.lines() {
        let mut bare = String::new();
        let mut rest = line.trim();
        loop {
            if let Some(mark) = ending {
                let Some(end) = rest.find(mark) else { break };
                rest = &rest[end + mark.len()..];
                bare.push_str(mark);
                ending = None;
            }
            let Some(at) = rest.find(['"', '\'', '`', '#', '/']) else {
                bare.push_str(rest);
                break;
            };
            bare.push_str(&rest[..at]);
            rest = &rest[at..];
            let long = ["\"\"\"", "'''", "`", "/*"].into_iter().find(|mark| rest.starts_with(mark));
            if let Some(mark) = long {
                bare.push_str(mark);
                rest = &rest[mark.len()..];
                ending = Some(if mark == "/*" { "*/" } else { mark });
            } else if let Some(mark) = comment(&bare, rest) {
                bare.push_str(mark);
                break;
            } else if let Some(inner) = rest.strip_prefix(['"', '\'']) {
                let quote = &rest[..1];
                bare.push_str(quote);
                bare.push_str(quote);
                rest = after_text(inner, quote);
            } else {
                bare.push('/');
                rest = &rest[1..];
            }
        }
        if !bare.trim().is_empty() {
            lines.push(bare);
        }
    }
    lines
}

/// The mark of the comment that begins after `before`, if one does. An integer division in
/// Python counts as one: what follows it is not needed.
fn comment<'a>(before: &str, rest: &'a str) -> Option<&'a str> {
    let starts = before.is_empty() || before.ends_with(char::is_whitespace);
    let marks = ["# ", "#!", "//", "#"];
    marks.iter().find(|mark| starts && rest.starts_with(**mark)).map(|mark| &rest[..mark.len()])
}

/// What follows the string that has begun; an unterminated one takes the rest of the line.
fn after_text<'a>(text: &'a str, quote: &str) -> &'a str {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            character if quote.starts_with(character) => return &text[at + 1..],
            _ => {}
        }
    }
    ""
}

/// How many signs of Python a line has.
fn python_signs(line: &str) -> u32 {
    let code = line.split(" #").next().unwrap_or(line).trim_end();
    let is_comment = line.starts_with("# ") || line.starts_with("#!");
    let opens = code.ends_with(':') && BLOCKS.iter().any(|word| code.starts_with(word))
        || code.starts_with("def ")
        || code.starts_with("async def ");
    let imports = !code.ends_with(';')
        && !code.contains(['"', '\'', '{', '*'])
        && (code.starts_with("from ") && code.contains(" import ")
            || code.starts_with("import ") && !code.contains(" from "));
    let marks = [
        opens,
        imports,
        is_comment,
        line.starts_with("\"\"\"") || line.starts_with("'''"),
        PYTHON_STARTS.iter().any(|start| line.starts_with(start)),
        is_plain_assignment(code),
        has_named_argument(code),
        code.contains(" for ") && code.contains(" in ") && !code.starts_with("for ("),
    ];
    count_true(&marks) + signs(code, &PYTHON_SIGNS) + words(code, &PYTHON_WORDS)
}

/// How many signs of TypeScript a line has.
fn typescript_signs(line: &str) -> u32 {
    let opens = line.ends_with('{')
        && (line.ends_with(") {")
            || line.ends_with("){")
            || ["class ", "try", "do ", "else", "finally", "switch"]
                .iter()
                .any(|word| line.starts_with(word)));
    let marks = [
        opens,
        line.ends_with(';'),
        line.starts_with("//") || line.starts_with("/*"),
        TYPESCRIPT_STARTS.iter().any(|start| line.starts_with(start)),
        line.starts_with("for (") || line.starts_with("if (") && !line.ends_with(':'),
        has_bare_key(line) && !line.contains(" for "),
    ];
    count_true(&marks) + signs(line, &TYPESCRIPT_SIGNS) + words(line, &TYPESCRIPT_WORDS)
}

fn count_true(marks: &[bool]) -> u32 {
    marks.iter().map(|mark| u32::from(*mark)).sum()
}

fn signs(line: &str, signs: &[&str]) -> u32 {
    let stands_alone = |sign: &&str| {
        let named = sign.starts_with(|c: char| c.is_ascii_alphanumeric());
        line.match_indices(*sign).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            !named || !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'))
        })
    };
    signs.iter().map(|sign| u32::from(stands_alone(sign))).sum()
}

fn words(line: &str, words: &[&str]) -> u32 {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let found = line.split(|c| !is_name(c)).filter(|word| words.contains(word)).count();
    u32::try_from(found).unwrap_or(u32::MAX)
}

/// `name = value` without a word before it or a semicolon after it.
fn is_plain_assignment(code: &str) -> bool {
    let Some((name, value)) = code.split_once(" = ") else { return false };
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
    };
    name.split(',').all(|name| is_name(name.trim()))
        && !value.ends_with(';')
        && !value.contains("=>")
}

/// `f(name=value)`: a keyword argument.
fn has_named_argument(code: &str) -> bool {
    let Some(open) = code.find('(') else { return false };
    code[open..].match_indices('=').any(|(at, _)| {
        let (before, after) = (&code[open..open + at], &code[open + at + 1..]);
        let name = before.rsplit(['(', ',']).next().unwrap_or_default().trim();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        is_name && !before.ends_with(' ') && !after.starts_with(['=', '>', ' '])
    })
}

/// `{ name: value`: a key without quotes.
fn has_bare_key(line: &str) -> bool {
    line.match_indices('{').any(|(at, _)| {
        let inside = line[at + 1..].trim_start();
        let key = inside.split(':').next().unwrap_or_default();
        let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_');
        is_key
            && inside.len() > key.len()
            && key.starts_with(|c: char| c.is_alphabetic() || c == '_')
    })
}
