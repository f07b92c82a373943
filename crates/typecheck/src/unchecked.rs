//! Selects the programs that must not reach the compiler, and so run unchecked.
//!
//! In: the text of a program. Out: why it is refused, if it is.
//! A module name in a program makes the compiler open files. The kernel restricts it to its
//! folders where it can (see `confine`); this check covers systems where it cannot. It works
//! on the text alone and refuses when in doubt: a refused program is not checked, but it
//! still runs.
//! Invariant: a name after `import`, `from`, `require` or `module` leads into the program's
//! own tree or is a module of `globals.d.ts`, however it is spelt.

/// The longest program that is checked. Chosen: no real program is longer.
pub(crate) const PROGRAM_BYTES: usize = 1024 * 1024;

/// The modules that `globals.d.ts` declares, with and without `node:`.
const MODULES: [&str; 18] = [
    "assert",
    "assert/strict",
    "buffer",
    "crypto",
    "events",
    "fs",
    "fs/promises",
    "path",
    "path/posix",
    "perf_hooks",
    "process",
    "timers",
    "timers/promises",
    "url",
    "util",
    "util/types",
    // Resolved by `paths` of the tsconfig, below `./servers` only.
    "servers",
    "servers/index",
];

/// How far after a word to search for its module name. Without a limit, a megabyte of
/// `import/*` would take a hundred billion steps.
const WINDOW_BYTES: usize = 2048;

/// The words before a module name, and the brackets allowed in between.
const WORDS: [(&str, &str); 4] = [("import", "("), ("from", ""), ("require", "("), ("module", "")];

/// Why this program is not checked.
pub(crate) fn reason(program: &str) -> Option<&'static str> {
    if program.len() > PROGRAM_BYTES {
        return Some("its text is longer than 1 MB");
    }
    // Keywords and names may be written with escapes.
    let text = unescaped(program);
    if has_directive(&text) {
        return Some("it has a `/// <…>` directive");
    }
    if names(&text).any(leads_out) {
        return Some("it names a module outside of `./servers`");
    }
    None
}

/// Whether three or more slashes are followed by `<`. A single pass over the text.
fn has_directive(text: &str) -> bool {
    let mut slashes = 0;
    let mut armed = false;
    for byte in text.bytes() {
        slashes = if byte == b'/' { slashes + 1 } else { 0 };
        match byte {
            b'/' => armed = slashes >= 3,
            b'<' if armed => return true,
            b' ' | b'\t' => {}
            _ => armed = false,
        }
    }
    false
}

/// All texts at positions where a module name can be.
fn names(text: &str) -> impl Iterator<Item = &str> {
    WORDS.iter().flat_map(move |(word, opening)| {
        let behind = move |(at, word): (usize, &str)| quoted(&text[at + word.len()..], opening);
        text.match_indices(word).filter_map(behind)
    })
}

/// The quoted text at the start, after whitespace, comments and `opening` brackets.
fn quoted<'a>(text: &'a str, opening: &str) -> Option<&'a str> {
    let window = &text[..text.floor_char_boundary(WINDOW_BYTES)];
    let rest = after_trivia(window, opening);
    if rest.is_empty() && window.len() < text.len() {
        // Beyond the window, so it is refused.
        return Some("..");
    }
    let quote = rest.chars().next().filter(|first| matches!(first, '"' | '\'' | '`'))?;
    let name = &rest[1..];
    // An unterminated text is taken as a whole.
    let name = name.find(quote).map_or(name, |end| &name[..end]);
    // Only a template may span lines, so this quote was the end of another text.
    (quote == '`' || !name.contains('\n')).then_some(name)
}

fn after_trivia<'a>(mut text: &'a str, opening: &str) -> &'a str {
    let blank = |c: char| c.is_whitespace() || c == '\u{feff}' || opening.contains(c);
    loop {
        text = text.trim_start_matches(blank);
        text = if let Some(comment) = text.strip_prefix("/*") {
            comment.find("*/").map_or("", |end| &comment[end + 2..])
        } else if let Some(comment) = text.strip_prefix("//") {
            comment.find(['\n', '\r', '\u{2028}', '\u{2029}']).map_or("", |end| &comment[end..])
        } else {
            return text;
        };
    }
}

/// Whether the compiler would search for this module outside of the tree. A text that cannot
/// be a module name, since the quote before it ended another text, does not count.
fn leads_out(name: &str) -> bool {
    let starts_a_name = |c: char| c.is_alphanumeric() || "@#./\\~_$".contains(c);
    if !name.starts_with(starts_a_name) {
        return false;
    }
    if name.contains('\\') || name.split('/').any(|part| part == "..") {
        return true;
    }
    let module = name.strip_prefix("node:").unwrap_or(name);
    let inside =
        name.starts_with("./") || name.starts_with("servers/") || MODULES.contains(&module);
    // Prose: package names contain no spaces.
    let prose = name.starts_with(char::is_alphanumeric) && name.contains(' ');
    !inside && !prose
}

/// Resolves `\uXXXX`, `\u{…}` and `\xXX`. Other escapes stay, and a module name that contains
/// one is refused because of its backslash.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        let (character, length) = resolve(escape).unwrap_or(('\\', 0));
        plain.push(character);
        rest = &escape[length..];
    }
    plain.push_str(rest);
    plain
}

/// The character that an escape stands for, and its length without the backslash.
fn resolve(escape: &str) -> Option<(char, usize)> {
    let (digits, length) = if let Some(braced) = escape.strip_prefix("u{") {
        // Long enough for any code point with some leading zeros.
        let end = braced.bytes().take(16).position(|byte| byte == b'}')?;
        (&braced[..end], end + 3)
    } else if let Some(four) = escape.strip_prefix('u') {
        (four.get(..4)?, 5)
    } else {
        (escape.strip_prefix('x')?.get(..2)?, 3)
    };
    Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, length))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{PROGRAM_BYTES, reason};

    const OUTSIDE: Option<&str> = Some("it names a module outside of `./servers`");
    const DIRECTIVE: Option<&str> = Some("it has a `/// <…>` directive");

    #[test]
    fn programs_that_stay_inside_are_checked() {
        for program in [
            "import * as github from './servers/github';",
            "import { a } from \"./servers/github/index.ts\"; import fs from 'node:fs/promises';",
            "const path = '/etc/passwd'; const up = '../x'; return { path, up };",
            "const x = await import('./servers/github');",
            "import x from 'servers/github'",
            "const from = 1; const s = `from ${from} to ../y`;",
            "// a note: see the import below\nconst a = 'x';",
            "const text = '\\u0041 \\n \\x41';",
            "const mail = 'from ' + name + ' to /x'; const keys = ['from', '/to'];",
            "const b = Buffer.from('/x'); const o = { 'from': '/a' }; o['import']; `from`;",
            "const q = \"import\"\nconst r = '/x'",
        ] {
            assert_eq!(reason(program), None, "{program}");
        }
    }

    #[test]
    fn a_name_that_leads_out_is_refused_however_it_is_spelt() {
        for program in [
            "import x from '../x';",
            "import x from './servers/../../x';",
            "import x from '/etc/x'",
            "import 'lodash'",
            "export * from '..'",
            "type X = typeof import('/etc/x');",
            "const x = await import(`../x`)",
            "import x = require('../x')",
            "declare module '../x' { }",
            "import x from /* ' */ '../x'",
            "import x from // '\n '../x'",
            "import x from\u{a0}'../x'",
            "import x fr\\u006fm '../x'",
            "import x from '\\u002e./x'",
            "import x from '\\x2e\\u{2e}/x'",
            "import x from '.\\./x'",
            "import(/*/ */ ((('../x'))))",
            "import x from 'file:///etc/x'",
            "import x from '#x'",
            &format!("import x from /*{}*/ '../x'", " ".repeat(4000)),
        ] {
            assert_eq!(reason(program), OUTSIDE, "{program}");
        }
    }

    #[test]
    fn texts_designed_to_be_slow_are_checked_quickly() {
        for part in ["import/*", "from//", "\\u{", "module ", "///", "require((("] {
            let program = part.repeat(PROGRAM_BYTES / part.len());
            let started = Instant::now();
            let _ = reason(&program);
            // Takes a tenth of this without optimisation; hours if quadratic.
            assert!(started.elapsed() < Duration::from_secs(5), "{part}");
        }
    }

    #[test]
    fn directives_are_refused() {
        for program in [
            "/// <reference path='x.ts' />",
            "///<reference types='node' />",
            "let a;\n  ///\t <reference lib='dom' />",
            "//// <reference path='x' />",
            "\\u002f// <amd-module />",
        ] {
            assert_eq!(reason(program), DIRECTIVE, "{program}");
        }
    }

    #[test]
    fn a_program_of_more_than_a_megabyte_is_refused() {
        let program = " ".repeat(PROGRAM_BYTES + 1);
        assert_eq!(reason(&program), Some("its text is longer than 1 MB"));
        assert_eq!(reason(&program[1..]), None);
    }
}
